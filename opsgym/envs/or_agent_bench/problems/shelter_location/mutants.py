"""For each rule of the flood shelters a plan that breaks it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from opsgym.envs.or_agent_bench.kit import Plan
from opsgym.envs.or_agent_bench.problems.shelter_location.instance import Instance


def mutants(instance: Instance, plan: Plan, previous: Plan | None) -> Iterator[tuple[str, Plan]]:
    """Pairs of a rule and a plan that breaks it."""
    prepared: list[str] = plan["prepared"]
    moves: list[dict[str, Any]] = plan["moves"]
    every = [shelter.name for shelter in instance.shelters]
    yield "coverage", {"prepared": prepared, "moves": moves[1:]}
    yield "coverage", {"prepared": prepared, "moves": [*moves, moves[0]]}
    yield "prepared", {"prepared": [], "moves": moves}
    yield "prepared", {"prepared": [*prepared, prepared[0]], "moves": moves}
    yield "places", _to(plan, every, min(instance.shelters, key=lambda shelter: shelter.places).name)
    yield "reach", {"prepared": every, "moves": [move | {"shelter": _farthest(instance, move["zone"])} for move in moves]}
    for scenario in instance.scenarios:
        for name in scenario.under_water:
            yield "water", _to(plan, every, name)
    if instance.most_open:
        yield "count", {"prepared": every, "moves": moves}
    for base in instance.rations:
        yield "rations", _to(plan, every, next(shelter.name for shelter in instance.shelters if shelter.base == base))
    if instance.most_targets:
        spread = [{"scenario": moves[0]["scenario"], "zone": moves[0]["zone"], "shelter": name} for name in every]
        yield "targets", {"prepared": every, "moves": [*moves, *spread]}
    if any(zone.has_care_home for zone in instance.zones):
        yield "care_homes", _to(plan, every, next(shelter.name for shelter in instance.shelters if not shelter.is_accessible))
    if instance.most_new >= 0:
        yield "new", {"prepared": every, "moves": moves}
    for shelter in instance.shelters:
        if shelter.is_kept:
            yield "kept", {"prepared": [name for name in prepared if name != shelter.name], "moves": moves}


def _to(plan: Plan, prepared: list[str], shelter: str) -> Plan:
    """Everybody goes to one shelter."""
    return {"prepared": prepared, "moves": [move | {"shelter": shelter} for move in plan["moves"]]}


def _farthest(instance: Instance, zone: str) -> str:
    return max((shelter.name for shelter in instance.shelters), key=lambda name: instance.roads[f"{zone}>{name}"])
