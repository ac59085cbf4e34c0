"""For each rule of the beet harvest a plan that breaks it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from opsgym.envs.or_agent_bench.kit import Plan
from opsgym.envs.or_agent_bench.problems.harvest_planning.instance import Instance


def mutants(instance: Instance, plan: Plan, previous: Plan | None) -> Iterator[tuple[str, Plan]]:
    """Pairs of a rule and a plan that breaks it."""
    harvests: list[dict[str, Any]] = plan["harvests"]
    names, mill = [field.name for field in instance.fields], instance.mills[0].name
    everything = {"harvests": [_cut(name, 1, mill) for name in names]}
    yield "form", {"harvests": [*harvests, harvests[0]]}
    yield "form", {"harvests": [_cut(names[0], instance.days + 1, mill)]}
    yield "hours", everything
    yield "quota", everything
    if instance.truck_hours:
        yield "trucks", everything
    for closure in instance.closures[:1]:
        yield "closure", {"harvests": [_cut(closure.field, closure.day, mill)]}
    if instance.most_districts:
        yield "districts", everything
    if instance.apart:
        yield "apart", everything
    if instance.binds_least:
        poor = min(instance.fields, key=lambda field: field.tonnes[0])
        greedy = max(instance.mills, key=lambda one: one.least)
        if poor.tonnes[0] < greedy.least:
            yield "least", {"harvests": [_cut(poor.name, 1, greedy.name)]}
    if instance.epoch and previous:
        yield "freeze", everything


def _cut(field: str, day: int, mill: str) -> dict[str, Any]:
    return {"field": field, "day": day, "mill": mill}
