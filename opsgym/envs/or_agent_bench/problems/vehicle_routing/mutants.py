"""For each rule of the collection tours a plan that breaks it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from opsgym.envs.or_agent_bench.kit import Plan
from opsgym.envs.or_agent_bench.problems.vehicle_routing.instance import APART, Instance


def mutants(instance: Instance, plan: Plan, previous: Plan | None) -> Iterator[tuple[str, Plan]]:
    """Pairs of a rule and a plan that breaks it."""
    orders = {order.name: order for order in instance.orders}
    tours: list[dict[str, Any]] = plan["tours"] or [_tour(instance, instance.vehicles[0].name, [instance.orders[0].name])]
    first = tours[0]
    yield "coverage", {"tours": [], "carrier": [order.name for order in instance.orders[1:]]}
    yield "coverage", {"tours": [*tours, first], "carrier": plan["carrier"]}
    yield "sequence", _only(instance, {**first, "leave": first["stops"][0]["start"]})
    stop = first["stops"][0]
    for start in (orders[stop["order"]].opens - 1, orders[stop["order"]].closes + 1):
        yield "windows", _only(instance, {**first, "stops": [{**stop, "start": start}]})
    yield "shift", _only(instance, {**first, "leave": -1})
    yield "shift", _only(instance, {**first, "stops": [{**stop, "start": 5000}]})
    yield "capacity", _only(instance, _tour(instance, instance.vehicles[0].name, list(orders)))
    if instance.needs_lift:
        plain = next(vehicle.name for vehicle in instance.vehicles if not vehicle.has_lift)
        yield "lift", _only(instance, _tour(instance, plain, [next(o.name for o in instance.orders if o.has_cage)]))
    if instance.keeps_apart:
        pair = [next(order.name for order in instance.orders if order.goods == goods) for goods in APART]
        yield "apart", _only(instance, _tour(instance, instance.vehicles[0].name, pair))
    if instance.ramp_gap:
        one, other = (_tour(instance, instance.vehicles[i].name, [instance.orders[i].name]) for i in (0, 1))
        near = {**other, "leave": one["leave"] + instance.ramp_gap - 1}
        yield "ramp", {"tours": [one, near], "carrier": [order.name for order in instance.orders[2:]]}
    if instance.epoch and previous:
        early = {**first, "vehicle": instance.vehicles[-1].name, "leave": 0}
        yield "freeze", _only(instance, early)


def _tour(instance: Instance, vehicle: str, names: list[str]) -> dict[str, Any]:
    opens = {order.name: order.opens for order in instance.orders}
    return {"vehicle": vehicle, "leave": 100, "stops": [{"order": name, "start": opens[name]} for name in names]}


def _only(instance: Instance, tour: dict[str, Any]) -> Plan:
    """A plan of one tour, the rest with the carrier."""
    taken = {stop["order"] for stop in tour["stops"]}
    return {"tours": [tour], "carrier": [order.name for order in instance.orders if order.name not in taken]}
