"""pass@k by tier with intervals; ERP-Bench, figure 3."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from opsgym.evaluate.metrics import Summary
from opsgym.evaluate.report.entries import Entry
from opsgym.evaluate.report.figures.base import WIDTH, Drawn, interval, key, label, new, percent_axis, series, slug


def draw(entries: Sequence[Entry], family: str) -> Drawn | None:
    """The figure of one family; ``None`` without trials."""
    groups = [entry.groups("tier") for entry in entries]
    tiers = list(dict.fromkeys(tier for found in groups for tier in found))
    if not tiers:
        return None
    ordered = [tier for tier in max(groups, key=len) if tier in tiers]
    tiers = [*ordered, *(tier for tier in tiers if tier not in ordered)]
    most = max(entry.summary.most for entry in entries)
    ks = [1] if most == 1 else [1, most]
    figure, panels = new(1, len(ks), width=WIDTH, height=2.9 + 0.16 * -(-len(entries) // 3), sharey=True)
    for panel, k in zip(panels[0], ks, strict=True):
        for place, (entry, found) in enumerate(zip(entries, groups, strict=True)):
            shift = (place - (len(entries) - 1) / 2) * min(0.11, 0.7 / len(entries))
            _line(panel, entry, found, tiers, k, shift)
        panel.set_title(f"pass@{k}, %")
        panel.set_xticks(range(len(tiers)), [label(tier, 12) for tier in tiers])
        panel.set_xlim(-0.5, len(tiers) - 0.5)
        percent_axis(panel)
    key(figure, entries, columns=3)
    return Drawn(
        name=slug(f"pass_at_k {family}"),
        title=f"Success by tier, {family}" if family else "Success by tier",
        caption="Mean over tasks of the unbiased estimate; lines are 95 % Wilson intervals over tasks.",
        alt="; ".join(
            f"{entry.label}: " + ", ".join(f"{tier} {100 * found[tier].success.value:.0f} %" for tier in tiers if tier in found)
            for entry, found in zip(entries, groups, strict=True)
        ),
        figure=figure,
    )


def _line(panel: Any, entry: Entry, found: dict[str, Summary], tiers: list[str], k: int, shift: float) -> None:
    points = [(place + shift, found[tier].pass_at.get(k)) for place, tier in enumerate(tiers) if tier in found]
    there = [(x, estimate) for x, estimate in points if estimate is not None and estimate.n]
    style = series(entry)
    for x, estimate in there:
        interval(panel, x, estimate, color=style["color"])
    xs, ys = [x for x, _ in there], [100 * estimate.value for _, estimate in there]
    panel.plot(xs, ys, linewidth=1.0, **style)
