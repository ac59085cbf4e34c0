"""Figures of a report: those that the papers show, one a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from opsgym.evaluate.metrics import RobustnessPoint
from opsgym.evaluate.report.entries import Entry
from opsgym.evaluate.report.figures import cost, faults, gap, horizon, parameters, tiers
from opsgym.evaluate.report.figures.base import Drawn
from opsgym.evaluate.report.style import RC

__all__ = ["Drawn", "draw_figures"]


def draw_figures(
    entries: Sequence[Entry],
    correlations: Mapping[str, parameters.Table],
    curves: Mapping[tuple[str, str], Sequence[RobustnessPoint]],
) -> list[Drawn]:
    """Every figure that there is something to show in.

    Args:
        entries: The lines of the report.
        correlations: Correlations of each entry by its label.
        curves: Robustness by policy and family.
    """
    import matplotlib as mpl

    entries = [entry for entry in entries if entry.summary.trials]
    families = list(dict.fromkeys(entry.family for entry in entries))
    found: list[Drawn | None] = []
    settings: Any = RC
    with mpl.rc_context(settings):
        for family in families:
            mine = [entry for entry in entries if entry.family == family]
            name = family if len(families) > 1 else ""
            found.append(tiers.draw(mine, name))
            found.append(tiers.draw_clean(mine, name))
            found.append(cost.draw(mine, name))
        found.insert(1, gap.draw(entries))
        found.append(faults.draw(curves))
        for family in families:
            mine = [entry for entry in entries if entry.family == family]
            found.append(parameters.draw(mine, [correlations[entry.label] for entry in mine], family))
            found.append(horizon.draw(mine, family))
    return [drawn for drawn in found if drawn is not None]
