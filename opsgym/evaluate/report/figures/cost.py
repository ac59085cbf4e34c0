"""Success against cost, with the frontier; ERP-Bench, figure 8, and EnterpriseOps-Gym, figure 2."""

from __future__ import annotations

from collections.abc import Sequence

from opsgym.evaluate.metrics import frontier
from opsgym.evaluate.report.entries import Entry
from opsgym.evaluate.report.figures.base import WIDTH, Drawn, interval, key, new, percent_axis, series, slug
from opsgym.evaluate.report.style import GRID


def draw(entries: Sequence[Entry], family: str) -> Drawn | None:
    """The figure of one family: dollars where anything was paid, tool calls else; ``None`` below two entries with trials."""
    shown = [entry for entry in entries if entry.summary.trials]
    if len(shown) < 2:
        return None
    paid = any(entry.summary.cost > 0 for entry in shown)
    costs = [entry.summary.cost if paid else entry.summary.calls for entry in shown]
    values = [entry.summary.success.value for entry in shown]
    best = frontier(costs, values)
    unit = "dollars a trial" if paid else "tool calls a trial"
    figure, panels = new(1, 1, width=WIDTH, height=3.3)
    panel = panels[0][0]
    panel.plot(
        [costs[i] for i in best], [100 * values[i] for i in best], drawstyle="steps-post", color=GRID, linewidth=2.4, zorder=1
    )
    for entry, x in zip(shown, costs, strict=True):
        style = series(entry)
        interval(panel, x, entry.summary.success, color=style["color"])
        panel.plot([x], [100 * entry.summary.success.value], linestyle="", **{**style, "markersize": 7.5})
    percent_axis(panel)
    panel.set_xlabel(f"mean {unit}")
    panel.set_ylabel("pass@1, %")
    panel.margins(x=0.08)
    key(figure, shown, columns=3)
    names = ", ".join(shown[i].label for i in best)
    return Drawn(
        name=slug(f"cost_success {family}"),
        title=f"Cost and success, {family}" if family else "Cost and success",
        caption=f"The grey steps are the frontier: no run has more success for fewer {unit.split(' a ')[0]}. On it: {names}.",
        alt="; ".join(
            f"{entry.label}: {cost:.3g} {unit}, {100 * value:.0f} % solved"
            for entry, cost, value in zip(shown, costs, values, strict=True)
        ),
        figure=figure,
    )
