"""What figures share: a drawn figure with its words, and the parts that several of them are made of."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from opsgym.evaluate.metrics import Estimate
from opsgym.evaluate.report.entries import Entry
from opsgym.evaluate.report.style import MUTED, PAPER, colour, mark

WIDTH = 6.3
"""Width of every figure in inches, so that the same text has the same size in all."""


@dataclass(frozen=True, kw_only=True)
class Drawn:
    """A figure of a report.

    Attributes:
        name: File name without its ending.
        title: Heading.
        caption: How it is read.
        alt: What it shows, in words.
        figure: The figure of matplotlib.
    """

    name: str
    title: str
    caption: str
    alt: str
    figure: Any


def new(rows: int, columns: int, *, width: float, height: float, **options: Any) -> tuple[Any, Any]:
    """A figure and its panels, as an array of shape ``(rows, columns)``; sizes in inches."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.subplots(rows, columns, squeeze=False, **options)


def slug(text: str) -> str:
    """Letters, digits and underscores only, for names of files."""
    return "".join(char if char.isascii() and char.isalnum() else "_" for char in text.lower()).strip("_")


def label(text: str, most: int = 34) -> str:
    """A text for a figure; of a long one the middle is left out, for names often differ at their ends.

    >>> label("noisy-oracle 0.02, faults 0.05", 20)
    'noisy-oracle…ts 0.05'
    """
    tail = 2 * (most - 1) // 5
    return text if len(text) <= most else f"{text[: most - 1 - tail]}…{text[-tail:]}"


def series(entry: Entry) -> dict[str, Any]:
    """Colour and mark of an entry, for ``plot``."""
    return {
        "color": colour(entry.number),
        "marker": mark(entry.number),
        "markersize": 6,
        "markeredgecolor": PAPER,
        "markeredgewidth": 0.8,
    }


def interval(panel: Any, x: float, estimate: Estimate, **style: Any) -> None:
    """The interval of an estimate as a thin line, upright."""
    if not math.isnan(estimate.low):
        panel.plot([x, x], [100 * estimate.low, 100 * estimate.high], linewidth=1.4, alpha=0.55, solid_capstyle="butt", **style)


def percent_axis(panel: Any, axis: str = "y") -> None:
    """An axis from 0 to 100 % with light grid lines."""
    getattr(panel, f"set_{axis}lim")(-4, 104)
    getattr(panel, f"set_{axis}ticks")([0, 25, 50, 75, 100])
    panel.grid(axis=axis)


def key(figure: Any, entries: Sequence[Entry], *, columns: int = 4) -> None:
    """The names of the runs under the figure, where there are several."""
    from matplotlib.lines import Line2D

    if len(entries) > 1:
        handles = [Line2D([], [], linestyle="", label=label(entry.label), **series(entry)) for entry in entries]
        figure.legend(handles=handles, loc="outside lower left", ncols=min(columns, len(entries)), handletextpad=0.3)


def bare(panel: Any) -> None:
    """No frame."""
    for side in ("left", "right", "top", "bottom"):
        panel.spines[side].set_visible(False)


def note(panel: Any, x: float, y: float, text: str, **options: Any) -> None:
    """Small lesser text at a point of the data."""
    panel.annotate(text, (x, y), textcoords="offset points", **{"fontsize": 8, "color": MUTED, **options})
