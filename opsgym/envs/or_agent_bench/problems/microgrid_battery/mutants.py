"""For each rule of the microgrid a plan that breaks it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from opsgym.envs.or_agent_bench.kit import Plan
from opsgym.envs.or_agent_bench.problems.microgrid_battery.instance import Instance


def mutants(instance: Instance, plan: Plan, previous: Plan | None) -> Iterator[tuple[str, Plan]]:
    """Pairs of a rule and a plan that breaks it."""
    many = instance.capacity + instance.connection
    yield "form", {**plan, "ahead": plan["ahead"][1:]}
    yield "form", _first(plan, bought=-1)
    nothing = [{"hour": hour.hour, "bought": 0, "standby": False} for hour in instance.hours]
    yield "balance", {"ahead": nothing, "then": [{**row, "bought": 0, "generator": 0, "discharge": 0} for row in plan["then"]]}
    yield "connection", _first(plan, bought=many)
    yield "power", _first(plan, charge=instance.power + 1)
    yield "energy", _first(plan, charge=10 * many)
    yield "energy", _first(plan, discharge=10 * many)
    yield "refill", _all(plan, charge=0, discharge=instance.power)
    yield "generator", {"ahead": nothing, "then": [{**row, "generator": 1} for row in plan["then"]]}
    yield "generator", _first(plan, generator=instance.generator + 1)
    if instance.keeps_apart:
        yield "one_way", _first(plan, charge=1, discharge=1)
    if instance.fuel_kwh:
        yield "fuel", _all(plan, generator=instance.generator)


def _first(plan: Plan, **changes: Any) -> Plan:
    """The first row of what is done then, changed."""
    return {**plan, "then": [{**plan["then"][0], **changes}, *plan["then"][1:]]}


def _all(plan: Plan, **changes: Any) -> Plan:
    """All rows of what is done then, changed."""
    return {**plan, "then": [{**row, **changes} for row in plan["then"]]}
