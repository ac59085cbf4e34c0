"""For each rule of the bus blocks a plan that breaks it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from opsgym.envs.or_agent_bench.kit import Plan
from opsgym.envs.or_agent_bench.problems.bus_blocks.instance import Instance


def mutants(instance: Instance, plan: Plan, previous: Plan | None) -> Iterator[tuple[str, Plan]]:
    """Pairs of a rule and a plan that breaks it."""
    blocks: list[dict[str, Any]] = plan["blocks"]
    depot = instance.depots[0].name
    names = [trip.name for trip in instance.trips]
    whole = {"depot": depot, "trips": names}
    alone: Plan = {"blocks": [{"depot": depot, "trips": [name]} for name in names]}
    yield "form", {"blocks": [*blocks, {"depot": depot, "trips": []}]}
    yield "form", {"blocks": [blocks[0] | {"depot": "Nowhere"}, *blocks[1:]]}
    yield "coverage", {"blocks": blocks[1:]}
    yield "coverage", {"blocks": [*blocks, blocks[0]]}
    yield "coverage", {"blocks": [*blocks, {"depot": depot, "trips": ["T0"]}]}
    yield "chain", {"blocks": [{"depot": depot, "trips": names[::-1]}]}
    yield "buses", alone
    if instance.limits_range:
        yield "range", {"blocks": [whole]}
    if instance.binds_low_floor:
        high = next(one.name for one in instance.depots if not one.has_low_floor)
        yield "low_floor", {"blocks": [whole | {"depot": high}]}
    if instance.longest:
        yield "longest", {"blocks": [whole]}
    if instance.most_changes >= 0:
        yield "lines", {"blocks": [{"depot": depot, "trips": names * 9}]}
    if instance.charge_metres:
        yield "chargers", {"blocks": [whole] * 9}
    if instance.limits_gate:
        yield "gate", {"blocks": [whole] * 9}
    if instance.most_broken >= 0:
        yield "broken", alone
    if any(link.is_fixed for link in instance.links):
        yield "fixed", alone
