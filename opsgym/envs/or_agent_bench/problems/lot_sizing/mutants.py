"""For each rule of the filling line a plan that breaks it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from opsgym.envs.or_agent_bench.kit import Plan
from opsgym.envs.or_agent_bench.problems.lot_sizing.instance import Instance

MANY = 5040
"""Units that no day can fill, and a multiple of every batch."""


def mutants(instance: Instance, plan: Plan, previous: Plan | None) -> Iterator[tuple[str, Plan]]:
    """Pairs of a rule and a plan that breaks it."""
    lots: list[dict[str, Any]] = plan["lots"]
    item = instance.items[0]
    yield "lots", {"lots": [*lots, _lot(item.name, len(instance.minutes) + 1, MANY)]}
    yield "lots", {"lots": [_lot(item.name, 1, item.least), _lot(item.name, 1, item.least)]}
    yield "lots", {"lots": [_lot(item.name, 1, 0)]}
    yield "capacity", {"lots": [_lot(item.name, 1, MANY)]}
    if item.least > 1:
        yield "least", {"lots": [_lot(item.name, 1, 1)]}
    if item.batch > 1:
        yield "batch", {"lots": [_lot(item.name, 1, MANY + 1)]}
    if instance.store_litres:
        yield "store", {"lots": [_lot(item.name, 1, MANY)]}
    if instance.most_items:
        yield "changeovers", {"lots": [_lot(one.name, 1, one.least) for one in instance.items]}
    if instance.shelf_days:
        yield "shelf", {"lots": [_lot(item.name, 1, MANY)]}
    if instance.epoch and previous:
        yield "freeze", {"lots": [*lots, _lot(item.name, 1, MANY)]}


def _lot(item: str, day: int, units: int) -> dict[str, Any]:
    return {"item": item, "day": day, "units": units}
