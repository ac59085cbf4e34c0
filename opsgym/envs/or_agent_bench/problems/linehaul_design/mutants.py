"""For each rule of the night linehaul a plan that breaks it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from opsgym.envs.or_agent_bench.kit import Plan
from opsgym.envs.or_agent_bench.problems.linehaul_design.instance import Freight, Instance


def mutants(instance: Instance, plan: Plan, previous: Plan | None) -> Iterator[tuple[str, Plan]]:
    """Pairs of a rule and a plan that breaks it."""
    leg, freight = instance.legs[0], instance.freights[0]
    truck = {"night": 1, "origin": leg.origin, "to": leg.to, "count": 1}
    names = [one.name for one in instance.freights]
    yield "form", {"trucks": [truck, truck], "moves": [], "courier": names}
    yield "form", {"trucks": [{**truck, "night": instance.nights + 1}], "moves": [], "courier": names}
    yield "coverage", {**plan, "courier": [*plan["courier"], names[0]]}
    yield "coverage", {"trucks": [], "moves": [], "courier": names[1:]}
    yield "path", _rides(instance, freight, [(freight.ready, freight.to, freight.origin)])
    yield "path", _rides(instance, freight, [(freight.due + 1, freight.origin, freight.to)])
    yield "capacity", {**_rides(instance, freight, [(freight.ready, freight.origin, freight.to)]), "trucks": []}
    if instance.limits_handling:
        every = [
            {"freight": one.name, "night": 1, "origin": one.origin, "to": place.name}
            for one in instance.freights
            for place in instance.terminals
            if place.name != one.to
            for _ in range(3)
        ]
        yield "handling", {"trucks": [], "moves": every, "courier": []}
    if instance.limits_docks:
        yield "docks", {"trucks": [{**truck, "count": 9}], "moves": [], "courier": names}
    if instance.balances:
        yield "balance", {"trucks": [truck], "moves": [], "courier": names}
    if instance.avoids:
        closed = [place.name for place in instance.terminals if not place.takes_dangerous]
        danger = next(one for one in instance.freights if one.is_dangerous)
        place = next(name for name in closed if name != danger.to)
        yield "dangerous", _rides(instance, danger, [(1, danger.origin, place)])


def _rides(instance: Instance, freight: Freight, ways: list[tuple[int, str, str]]) -> Plan:
    """One freight on these ways, with a truck each; the rest by courier."""
    moves: list[dict[str, Any]] = [{"freight": freight.name, "night": night, "origin": a, "to": b} for night, a, b in ways]
    trucks = [{"night": night, "origin": a, "to": b, "count": 1} for night, a, b in ways]
    return {"trucks": trucks, "moves": moves, "courier": [one.name for one in instance.freights if one != freight]}
