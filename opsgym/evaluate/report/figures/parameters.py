"""Rank correlation of parameters with success and with turns; ERP-Bench, figures 4 and 6."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from opsgym.evaluate.metrics import Correlation, correlations
from opsgym.evaluate.report.entries import Entry
from opsgym.evaluate.report.figures.base import WIDTH, Drawn, key, label, new, series, slug
from opsgym.evaluate.report.style import MUTED, PAPER

MOST = 16
"""Parameters shown; those with the strongest correlations."""

Table = dict[str, dict[str, Correlation]]


def tables(entry: Entry) -> Table:
    """Correlations of an entry by outcome and parameter."""
    return {"success": correlations(entry.results, "success"), "turns": correlations(entry.results, "turns")}


def draw(entries: Sequence[Entry], found: Sequence[Table], family: str) -> Drawn | None:
    """The figure of one family; ``None`` where nothing varies.

    Args:
        entries: The entries of the family.
        found: :func:`tables` of each.
        family: The family.
    """
    strongest: dict[str, float] = {}
    for table in found:
        for column in table.values():
            for name, each in column.items():
                if not math.isnan(each.rho):
                    strongest[name] = max(strongest.get(name, 0.0), abs(each.rho))
    if not strongest:
        return None
    names = sorted(strongest, key=lambda name: (-strongest[name], name))[:MOST]
    shown = [entry for entry, table in zip(entries, found, strict=True) if _varies(table)]
    shown_tables = [table for table in found if _varies(table)]
    rows = 0.26 + 0.035 * max(0, len(shown) - 2)
    figure, panels = new(1, 2, width=WIDTH, height=1.2 + rows * len(names) + 0.1 * len(shown), sharey=True)
    for panel, outcome in zip(panels[0], ("success", "turns"), strict=True):
        for place, (entry, table) in enumerate(zip(shown, shown_tables, strict=True)):
            shift = (place - (len(shown) - 1) / 2) * min(0.2, 0.8 / len(shown))
            _points(panel, entry, table[outcome], names, shift)
        panel.set_title("with success" if outcome == "success" else "with turns, of solved trials")
        panel.set_xlim(-1.05, 1.05)
        panel.set_xticks([-1, -0.5, 0, 0.5, 1])
        panel.axvline(0, color=MUTED, linewidth=0.8)
        panel.grid(axis="both")
        panel.spines["left"].set_visible(False)
    panels[0][0].set_yticks(range(len(names)), [label(name) for name in names])
    panels[0][0].set_ylim(len(names) - 0.4, -0.7)
    key(figure, shown, columns=3)
    left_out = len(strongest) - len(names)
    return Drawn(
        name=slug(f"parameter_correlations {family}"),
        title=f"What makes tasks hard, {family}" if family else "What makes tasks hard",
        caption="Spearman correlation of each parameter, task by task, with 95 % intervals; filled where p < 0.05. "
        + (f"{left_out} weaker ones are in correlations.csv. " if left_out else "")
        + "Parameters that never vary, and outcomes that never do, have none.",
        alt="; ".join(_sentence(entry, table, names) for entry, table in zip(shown, shown_tables, strict=True)),
        figure=figure,
    )


def _varies(table: Table) -> bool:
    return any(not math.isnan(each.rho) for column in table.values() for each in column.values())


def _points(panel: Any, entry: Entry, column: dict[str, Correlation], names: Sequence[str], shift: float) -> None:
    style = {**series(entry), "linestyle": "", "markersize": 5}
    for place, name in enumerate(names):
        each = column.get(name)
        if each is None or math.isnan(each.rho):
            continue
        y = place + shift
        panel.plot([each.low, each.high], [y, y], color=style["color"], linewidth=1.2, alpha=0.5)
        hollow = {"markerfacecolor": PAPER, "markeredgecolor": style["color"], "markeredgewidth": 1.2}
        panel.plot([each.rho], [y], **(style if each.p_value < 0.05 else {**style, **hollow}))


def _sentence(entry: Entry, table: Table, names: Sequence[str]) -> str:
    rhos = {name: table["success"][name].rho for name in names[:5] if name in table["success"]}
    known = ", ".join(f"{name} {rho:+.2f}" for name, rho in rhos.items() if not math.isnan(rho))
    return f"{entry.label}, with success: {known or 'no correlation, since success never varies'}"
