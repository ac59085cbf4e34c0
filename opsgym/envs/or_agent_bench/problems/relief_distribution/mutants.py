"""For each rule of the relief distribution a plan that breaks it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from opsgym.envs.or_agent_bench.kit import Plan
from opsgym.envs.or_agent_bench.problems.relief_distribution.instance import COLD, Instance

MANY = 16_800
"""Units that nobody has, and a whole multiple of every pallet."""


def mutants(instance: Instance, plan: Plan, previous: Plan | None) -> Iterator[tuple[str, Plan]]:
    """Pairs of a rule and a plan that breaks it."""
    rows: list[dict[str, Any]] = plan["shipments"]
    depot, camp, good = instance.depots[0].name, instance.camps[0].name, instance.goods[0]
    many = {"shipments": [_row(1, depot, camp, good.name, MANY)]}
    yield "form", {"shipments": [*rows, rows[0]]}
    yield "form", {"shipments": [_row(instance.days + 1, depot, camp, good.name, MANY)]}
    yield "form", {"shipments": [_row(1, depot, camp, good.name, 0)]}
    yield "stock", many
    yield "fleet", many
    for block in instance.blocks[:1]:
        yield "road", {"shipments": [_row(block.day, block.depot, block.camp, good.name, good.pallet)]}
    if instance.limits_store:
        yield "store", many
    if instance.needs_cold:
        yield "cold", {"shipments": [_row(1, depot, camp, COLD, MANY)]}
    if instance.in_pallets:
        yield "pallet", {"shipments": [_row(1, depot, camp, good.name, MANY + 1)]}
    if instance.least_kg:
        yield "least", {"shipments": [_row(1, depot, camp, good.name, good.pallet)]}
    if instance.epoch and previous:
        yield "freeze", many


def _row(day: int, depot: str, camp: str, good: str, units: int) -> dict[str, Any]:
    return {"day": day, "depot": depot, "camp": camp, "good": good, "units": units}
