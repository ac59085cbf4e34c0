"""For each rule of the plant outages a plan that breaks it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from opsgym.envs.or_agent_bench.kit import Plan
from opsgym.envs.or_agent_bench.problems.outage_planning.instance import Instance


def mutants(instance: Instance, plan: Plan, previous: Plan | None) -> Iterator[tuple[str, Plan]]:
    """Pairs of a rule and a plan that breaks it."""
    rows: list[dict[str, Any]] = plan["outages"]
    start = {row["plant"]: row["start"] for row in rows}
    first = instance.plants[0]
    at_once: Plan = {"outages": [row | {"start": 5} for row in rows]}
    yield "coverage", {"outages": rows[1:]}
    yield "coverage", {"outages": [*rows, rows[0]]}
    yield "window", _with(rows, first.name, first.latest + 1)
    yield "reserve", at_once
    if instance.crews:
        yield "crews", at_once
    if instance.most_out:
        yield "regions", at_once
    for plant in instance.plants:
        if plant.after:
            yield "order", _with(rows, plant.name, start[plant.after])
        if plant.rival:
            yield "rivals", _with(rows, plant.name, start[plant.rival])
        if plant.is_fixed:
            yield "fixed", _with(rows, plant.name, plant.announced + 1)
    if any(plant.uses_crane for plant in instance.plants):
        yield "crane", at_once
    if instance.most_moved >= 0:
        late = {plant.name: plant.announced + 1 for plant in instance.plants}
        yield "moved", {"outages": [row | {"start": late[row["plant"]]} for row in rows]}


def _with(rows: list[dict[str, Any]], plant: str, start: int) -> Plan:
    return {"outages": [row | {"start": start} if row["plant"] == plant else row for row in rows]}
