"""The feasibility-optimality gap; ERP-Bench, figure 5."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from opsgym.evaluate.report.entries import Entry
from opsgym.evaluate.report.figures.base import WIDTH, Drawn, label, new, note, percent_axis, series
from opsgym.evaluate.report.style import GRID, PAPER


def draw(entries: Sequence[Entry]) -> Drawn | None:
    """Clean and perfect shares of each entry, and the optimality of its clean trials; ``None`` without trials."""
    shown = [entry for entry in entries if entry.summary.trials]
    if not shown:
        return None
    height = 1.15 + 0.34 * len(shown)
    titles = ["perfect (filled) and clean (hollow), %", "optimality of clean trials, %"]
    titles = titles if any(entry.summary.optimality.n for entry in shown) else titles[:1]
    figure, panels = new(1, len(titles), width=WIDTH, height=height, sharey=True, width_ratios=[3, 2][: len(titles)])
    figure.get_layout_engine().set(wspace=0.06)
    left, *right = panels[0]
    for row, entry in enumerate(shown):
        _gap(left, row, entry)
        for panel in right:
            _optimality(panel, row, entry)
    for panel, title in zip(panels[0], titles, strict=True):
        panel.set_title(title)
        percent_axis(panel, "x")
        panel.spines["left"].set_visible(False)
        for row in range(len(shown)):
            panel.axhline(row, color=GRID, linewidth=0.6, zorder=0)
    left.set_yticks(range(len(shown)), [label(entry.label, 30) for entry in shown])
    left.set_ylim(len(shown) - 0.5, -0.5)
    return Drawn(
        name="feasibility_optimality_gap",
        title="Feasible and optimal",
        caption="Clean: no constraint is broken. Perfect: full reward, so the plan is also the best one. "
        "The number is the gap in points."
        + (" Right: mean optimality score of the clean trials, 95 % intervals." if right else ""),
        alt="; ".join(
            f"{entry.label}: clean {100 * entry.summary.clean.value:.0f} %, perfect {100 * entry.summary.perfect.value:.0f} %"
            for entry in shown
        ),
        figure=figure,
    )


def _gap(panel: Any, row: int, entry: Entry) -> None:
    style = {**series(entry), "linestyle": "", "clip_on": False}
    clean, perfect = 100 * entry.summary.clean.value, 100 * entry.summary.perfect.value
    panel.plot([perfect], [row], **style)
    if clean - perfect >= 0.5:
        panel.plot([perfect, clean], [row, row], color=style["color"], linewidth=2.0, alpha=0.35, zorder=1)
        panel.plot(
            [clean], [row], **{**style, "markerfacecolor": PAPER, "markeredgecolor": style["color"], "markeredgewidth": 1.4}
        )
    if clean - perfect >= 3:
        note(panel, (clean + perfect) / 2, row, f"{clean - perfect:.0f}", xytext=(0, 4), ha="center")


def _optimality(panel: Any, row: int, entry: Entry) -> None:
    best = entry.summary.optimality
    if not best.n:
        note(panel, 50, row, "none", ha="center", va="center", xytext=(0, 0))
        return
    style = {**series(entry), "linestyle": "", "clip_on": False}
    panel.plot([100 * best.low, 100 * best.high], [row, row], color=style["color"], linewidth=1.4, alpha=0.55)
    panel.plot([100 * best.value], [row], **style)
