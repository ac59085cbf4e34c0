"""Success by failure rate of the tools; ACE-Bench, figure 9."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from opsgym.evaluate.metrics import RobustnessPoint
from opsgym.evaluate.report.figures.base import WIDTH, Drawn, interval, label, new, percent_axis
from opsgym.evaluate.report.style import PAPER, colour, mark


def draw(curves: Mapping[tuple[str, str], Sequence[RobustnessPoint]]) -> Drawn | None:
    """A line for each policy and family; ``None`` without a policy that was run at two rates."""
    if not curves:
        return None
    figure, panels = new(1, 1, width=WIDTH, height=3.1 + 0.17 * len(curves))
    panel = panels[0][0]
    families = {family for _, family in curves}
    names = [policy if len(families) == 1 else f"{policy}, {family}" for policy, family in curves]
    for number, (name, points) in enumerate(zip(names, curves.values(), strict=True)):
        for point in points:
            interval(panel, 100 * point.failure_rate, point.success, color=colour(number))
        panel.plot(
            [100 * point.failure_rate for point in points],
            [100 * point.success.value for point in points],
            color=colour(number),
            marker=mark(number),
            markeredgecolor=PAPER,
            linewidth=1.4,
            label=label(name),
        )
    percent_axis(panel)
    panel.set_xticks(sorted({100 * point.failure_rate for points in curves.values() for point in points}))
    panel.xaxis.set_major_formatter("{x:g}")
    panel.set_xlabel("tool calls that fail, %")
    panel.set_ylabel("pass@1, %")
    figure.legend(loc="outside lower left", ncols=2)
    return Drawn(
        name="robustness",
        title="Robustness to failing tools",
        caption="pass@1 of one policy as more of its tool calls fail on purpose; lines are 95 % Wilson intervals over tasks.",
        alt="; ".join(
            f"{name}: " + ", ".join(f"{100 * p.success.value:.0f} % at rate {p.failure_rate:g}" for p in points)
            for name, points in zip(names, curves.values(), strict=True)
        ),
        figure=figure,
    )
