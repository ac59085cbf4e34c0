"""Success by hidden slots H and decoy budget B; ACE-Bench, figure 8."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from opsgym.evaluate.report.entries import Entry
from opsgym.evaluate.report.figures.base import WIDTH, Drawn, bare, label, new, slug
from opsgym.evaluate.results import TrialResult

HORIZON, DECOYS = "hidden", "decoys"
"""The two parameters; a family that has both gets the figure."""
MOST = 7
"""Rows and columns; more values than that are put into classes of about equally many trials."""
SCALE = ("#f3f6fa", "#cfe0f1", "#94bfe3", "#4a94cf", "#135f9e", "#083a66")
"""From 0 to 100 %; light to dark, so that it is read without colours too."""


def draw(entries: Sequence[Entry], family: str) -> Drawn | None:
    """A heat map for each entry; ``None`` where the parameters are missing or no cell can be told from another."""
    shown = [(entry, _trials(entry)) for entry in entries]
    shown = [(entry, trials) for entry, trials in shown if trials]
    every = [trial for _, trials in shown for trial in trials]
    if not every:
        return None
    rows, columns = (classes([int(trial.params[name]) for trial in every]) for name in (HORIZON, DECOYS))
    if len(rows) * len(columns) < 2:
        return None
    across = min(len(shown), 2)
    down = -(-len(shown) // across)
    height = (0.45 + 0.3 * len(rows)) * down + 0.55
    figure, panels = new(down, across, width=WIDTH, height=height, sharex=True, sharey=True)
    for panel, (entry, trials) in zip(panels.flat, shown, strict=False):
        _map(panel, entry, _rates(trials, rows, columns), rows, columns)
    for panel in panels.flat[len(shown) :]:
        panel.set_visible(False)
    for panel in panels.flat[len(shown) - across : len(shown)]:  # the lowest that is seen of each column
        panel.tick_params(labelbottom=True)
    figure.supxlabel("B, decoys", fontsize=8.5)
    figure.supylabel("H, hidden slots", fontsize=8.5)
    return Drawn(
        name=slug(f"horizon_decoys {family}"),
        title=f"Success by horizon and decoys, {family}",
        caption="Percent of trials that solved their task; an empty cell has no trial. "
        "Ranges hold about equally many trials where there are many values.",
        alt="; ".join(f"{entry.label}: {100 * entry.summary.success.value:.0f} % over all cells" for entry, _ in shown),
        figure=figure,
    )


def classes(values: Sequence[int]) -> list[tuple[int, int]]:
    """Inclusive ranges that hold all values: one for each value, or :data:`MOST` of about equally many.

    Example:
        >>> classes([1, 5, 5, 7])
        [(1, 1), (5, 5), (7, 7)]
    """
    distinct = sorted(set(values))
    if len(distinct) <= MOST:
        return [(value, value) for value in distinct]
    edges = np.quantile(values, np.linspace(0, 1, MOST + 1)[1:-1], method="higher")
    starts = sorted({distinct[0], *(int(edge) for edge in edges)})
    groups = [[v for v in distinct if low <= v and all(v < s for s in starts if s > low)] for low in starts]
    return [(group[0], group[-1]) for group in groups]


def _trials(entry: Entry) -> list[TrialResult]:
    return [
        trial
        for trial in entry.results
        if trial.status == "scored" and all(isinstance(trial.params.get(name), int) for name in (HORIZON, DECOYS))
    ]


def _rates(
    trials: Sequence[TrialResult], rows: Sequence[tuple[int, int]], columns: Sequence[tuple[int, int]]
) -> NDArray[np.float64]:
    """Percent solved in each cell, NaN where there is no trial."""
    solved, counts = np.zeros((2, len(rows), len(columns)))
    for trial in trials:
        cell = tuple(
            next(i for i, (low, high) in enumerate(ranges) if low <= trial.params[name] <= high)
            for name, ranges in ((HORIZON, rows), (DECOYS, columns))
        )
        solved[cell] += trial.is_success
        counts[cell] += 1
    rates: NDArray[np.float64] = np.divide(100 * solved, counts, out=np.full(counts.shape, np.nan), where=counts > 0)
    return rates


def _map(
    panel: Any,
    entry: Entry,
    rates: NDArray[np.float64],
    rows: Sequence[tuple[int, int]],
    columns: Sequence[tuple[int, int]],
) -> None:
    from matplotlib.colors import LinearSegmentedColormap

    scale = LinearSegmentedColormap.from_list("share", SCALE)
    panel.pcolormesh(np.ma.masked_invalid(rates), cmap=scale, vmin=0, vmax=100, edgecolor="#ffffff", linewidth=1.2)
    for (row, column), rate in np.ndenumerate(rates):
        if not np.isnan(rate):
            ink = "#ffffff" if rate > 55 else "#10202f"
            panel.text(column + 0.5, row + 0.5, f"{rate:.0f}", ha="center", va="center", fontsize=8, color=ink)
    panel.set_xticks(np.arange(len(columns)) + 0.5, [_range(each) for each in columns], fontsize=7.5)
    panel.set_yticks(np.arange(len(rows)) + 0.5, [_range(each) for each in rows], fontsize=7.5)
    panel.set_title(label(entry.label))
    bare(panel)


def _range(ends: tuple[int, int]) -> str:
    low, high = ends
    return str(low) if low == high else f"{low}–{high}"  # noqa: RUF001  # the sign for a range
