"""For each rule of the plant commitment a plan that breaks it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from opsgym.envs.or_agent_bench.kit import Plan
from opsgym.envs.or_agent_bench.problems.unit_commitment.instance import Instance, Plant


def mutants(instance: Instance, plan: Plan, previous: Plan | None) -> Iterator[tuple[str, Plan]]:
    """Pairs of a rule and a plan that breaks it."""
    outputs: list[dict[str, Any]] = plan["outputs"]
    slow = instance.plants[0]
    last = max(forecast.hour for forecast in instance.forecasts)
    hours = range(1, last + 1)
    yield "form", {"outputs": [*outputs, outputs[0]]}
    yield "form", {"outputs": [*outputs, _at(slow, last + 1, slow.least)]}
    yield "range", {"outputs": [_at(slow, 1, slow.least - 1)]}
    yield "range", {"outputs": [_at(slow, 1, slow.most + 1)]}
    yield "up", {"outputs": [_at(slow, hour, slow.least) for hour in hours if hour in (last - 2,)]}
    yield "down", {"outputs": [_at(slow, hour, slow.least) for hour in hours if hour != 8]}
    if slow.ramp:
        yield "ramp", {"outputs": [_at(slow, hour, slow.most if hour == 3 else slow.least) for hour in hours]}
    for plant in instance.plants:
        if plant.avoid_to:
            yield "avoid", {"outputs": [_at(plant, hour, plant.avoid_from + 1) for hour in hours]}
    if instance.reserve:
        yield "reserve", {"outputs": []}
    if instance.emission_kg:
        yield "emissions", {"outputs": [_at(plant, hour, plant.most) for plant in instance.plants for hour in hours]}
    if instance.gas_mw:
        yield "gas", {"outputs": [_at(plant, hour, plant.most) for plant in instance.plants if plant.on_gas for hour in hours]}
    if instance.epoch and previous:
        yield "freeze", {"outputs": [_at(slow, 1, slow.most + 1)]}


def _at(plant: Plant, hour: int, mw: int) -> dict[str, Any]:
    return {"plant": plant.name, "hour": hour, "mw": mw}
