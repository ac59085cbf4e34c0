"""RunView: how a run stands, live on a terminal, and in lines elsewhere."""

from __future__ import annotations

import time
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table

from opsgym.evaluate.metrics import wilson
from opsgym.evaluate.run_desk import Standing

EVERY = 10.0
"""Seconds between two lines where there is no terminal."""


class RunView:
    """An observer that shows how a run stands: a bar, success with its interval, masked trials, cost, tokens, rate, time left.

    Args:
        console: Where it is shown.
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        self._live = Live(console=console, transient=True, refresh_per_second=4) if console.is_terminal else None
        self._last = float("-inf")

    def __enter__(self) -> Self:
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._live is not None:
            self._live.stop()

    def __call__(self, standing: Standing) -> None:
        """Show it; a line only now and then, and at the end."""
        if self._live is not None:
            self._live.update(_panel(standing))
            return
        now = time.monotonic()
        if now - self._last >= EVERY or standing.done == standing.total:
            self._last = now
            self._console.print(describe(standing), markup=False)


def describe(standing: Standing) -> str:
    """How a run stands, in a line."""
    return f"{standing.done}/{standing.total} trials, " + ", ".join(f"{name} {value}" for name, value in _facts(standing).items())


def _facts(standing: Standing) -> dict[str, str]:
    facts = {}
    if standing.scored:
        share = wilson(standing.solved / standing.scored * standing.tasks, standing.tasks)  # trials of a task belong together
        facts["success"] = f"{share.value:.3f} [{share.low:.3f}, {share.high:.3f}]"
    if standing.masked:
        facts["masked"] = str(standing.masked)
    if standing.tokens:
        facts["tokens"] = f"{standing.tokens:,}"
        facts["cost"] = f"${standing.cost:.4f}"
    if standing.rate:
        facts["rate"] = f"{standing.rate:.1f}/s" if standing.rate >= 1 else f"{60 * standing.rate:.1f}/min"
    if standing.seconds_left is not None and standing.done < standing.total:
        facts["left"] = _duration(standing.seconds_left)
    return facts or {"success": "-"}


def _panel(standing: Standing) -> Table:
    bar = Table.grid(padding=(0, 2))
    bar.add_row(ProgressBar(total=standing.total, completed=standing.done, width=40), f"{standing.done}/{standing.total} trials")
    facts = Table.grid(padding=(0, 2))
    found = _facts(standing)
    facts.add_row(*(f"[dim]{name}[/dim] {value.replace('[', chr(92) + '[')}" for name, value in found.items()))
    panel = Table.grid()
    panel.add_row(bar)
    panel.add_row(facts)
    return panel


def _duration(seconds: float) -> str:
    """A time for people.

    >>> _duration(42), _duration(600), _duration(9000)
    ('42 s', '10 min', '2.5 h')
    """
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
