"""Success, clean trials and their optimality by tier, with intervals; ERP-Bench, figures 3 and 7."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from opsgym.evaluate.metrics import Estimate, Summary
from opsgym.evaluate.report.entries import Entry
from opsgym.evaluate.report.figures.base import WIDTH, Drawn, interval, key, label, new, percent_axis, series, slug

Measure = Callable[[Summary], Estimate | None]


def draw(entries: Sequence[Entry], family: str) -> Drawn | None:
    """pass@1 and pass@k of one family by tier; ``None`` without trials."""
    if not entries:
        return None
    most = max(entry.summary.most for entry in entries)
    measures = {f"pass@{k}, %": _pass_at(k) for k in sorted({1, most})}
    return _draw(
        entries,
        measures,
        name=slug(f"pass_at_k {family}"),
        title=f"Success by tier, {family}" if family else "Success by tier",
        caption="Mean over tasks of the unbiased estimate; lines are 95 % Wilson intervals over tasks.",
    )


def draw_clean(entries: Sequence[Entry], family: str) -> Drawn | None:
    """Clean trials of one family and their optimality by tier; ``None`` for a family without optimality."""
    if not any(entry.summary.optimality.n for entry in entries):
        return None
    return _draw(
        entries,
        {"clean, %": lambda summary: summary.clean, "optimality of clean trials, %": lambda summary: summary.optimality},
        name=slug(f"clean_by_tier {family}"),
        title=f"Clean and optimal by tier, {family}" if family else "Clean and optimal by tier",
        caption="Whether score is lost to broken constraints (left) or to plans that keep them and are not the best (right). "
        "Lines are 95 % intervals over tasks; a tier without a clean trial has no optimality.",
    )


def _pass_at(k: int) -> Measure:
    return lambda summary: summary.pass_at.get(k)


def _draw(entries: Sequence[Entry], measures: Mapping[str, Measure], *, name: str, title: str, caption: str) -> Drawn | None:
    groups = [entry.groups("tier") for entry in entries]
    tiers = _ordered(groups)
    if not tiers:
        return None
    figure, panels = new(1, len(measures), width=WIDTH, height=2.9 + 0.16 * -(-len(entries) // 3), sharey=True)
    for panel, (heading, measure) in zip(panels[0], measures.items(), strict=True):
        for place, (entry, found) in enumerate(zip(entries, groups, strict=True)):
            shift = (place - (len(entries) - 1) / 2) * min(0.11, 0.7 / len(entries))
            _line(panel, entry, {tiers.index(tier) + shift: measure(summary) for tier, summary in found.items()})
        panel.set_title(heading)
        panel.set_xticks(range(len(tiers)), [label(tier, 12) for tier in tiers])
        panel.set_xlim(-0.5, len(tiers) - 0.5)
        percent_axis(panel)
    key(figure, entries, columns=3)
    first = next(iter(measures.values()))
    alt = "; ".join(_sentence(entry, found, tiers, first) for entry, found in zip(entries, groups, strict=True))
    return Drawn(name=name, title=title, caption=caption, alt=alt, figure=figure)


def _ordered(groups: Sequence[Mapping[str, Summary]]) -> list[str]:
    """All tiers, in the order of the entry that has most of them."""
    ranked = sorted(groups, key=len, reverse=True)
    return list(dict.fromkeys(tier for found in ranked for tier in found))


def _line(panel: Any, entry: Entry, points: Mapping[float, Estimate | None]) -> None:
    there = sorted((x, estimate) for x, estimate in points.items() if estimate is not None and estimate.n)
    style = series(entry)
    for x, estimate in there:
        interval(panel, x, estimate, color=style["color"])
    panel.plot([x for x, _ in there], [100 * estimate.value for _, estimate in there], linewidth=1.0, **style)


def _sentence(entry: Entry, found: Mapping[str, Summary], tiers: Sequence[str], measure: Measure) -> str:
    values = [(tier, measure(found[tier])) for tier in tiers if tier in found]
    shares = [f"{tier} {100 * estimate.value:.0f} %" for tier, estimate in values if estimate is not None and estimate.n]
    return f"{entry.label}: {', '.join(shares) or 'nothing scored'}"
