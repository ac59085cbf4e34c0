"""For each rule of the markdowns prices that break it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from opsgym.envs.or_agent_bench.kit import Plan
from opsgym.envs.or_agent_bench.problems.markdown_plan.instance import STEPS, Instance


def mutants(instance: Instance, plan: Plan, previous: Plan | None) -> Iterator[tuple[str, Plan]]:
    """Pairs of a rule and prices that break it."""
    rows: list[dict[str, Any]] = plan["prices"]
    first = instance.articles[0]
    yield "coverage", {"prices": rows[1:]}
    yield "coverage", {"prices": [rows[0] | {"step": STEPS + 1}, *rows[1:]]}
    yield "falling", _with(rows, lambda name, week: STEPS if week == 1 else 1)
    if instance.most_labels:
        yield "labels", _with(rows, lambda name, week: min(week, 2))
    if instance.most_apart:
        yield "families", _with(rows, lambda name, week: STEPS if name == first.name else 1)
    if instance.most_down:
        yield "steps", _with(rows, lambda name, week: 1 if week == 1 else STEPS)
    if instance.pause:
        yield "pause", _with(rows, lambda name, week: min(week, STEPS))
    if any(article.lowest < STEPS for article in instance.articles):
        yield "floor", _with(rows, lambda name, week: STEPS)
    if any(article.printed for article in instance.articles):
        yield "printed", _with(rows, lambda name, week: STEPS)
    if any(article.most_left >= 0 for article in instance.articles):
        yield "left", _with(rows, lambda name, week: 1)


def _with(rows: list[dict[str, Any]], step: Callable[[str, int], int]) -> Plan:
    return {"prices": [row | {"step": step(row["article"], row["week"])} for row in rows]}
