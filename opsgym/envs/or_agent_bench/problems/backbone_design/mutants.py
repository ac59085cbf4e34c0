"""For each rule of the backbone a plan that breaks it."""

from __future__ import annotations

from collections.abc import Iterator

from opsgym.envs.or_agent_bench.kit import Plan
from opsgym.envs.or_agent_bench.problems.backbone_design.instance import Demand, Instance


def mutants(instance: Instance, plan: Plan, previous: Plan | None) -> Iterator[tuple[str, Plan]]:
    """Pairs of a rule and a plan that breaks it."""
    names = [demand.name for demand in instance.demands]
    link, kept = instance.links[0], next(demand for demand in instance.demands if demand.is_protected)
    card = {"year": 1, "one": link.one, "other": link.other, "cards": 1}
    yield "form", {"cards": [card, card], "routes": [], "leased": names}
    yield "form", {"cards": [{**card, "year": len(instance.card_cents) + 1}], "routes": [], "leased": names}
    yield "coverage", {**plan, "leased": [*plan["leased"], names[0]]}
    yield "coverage", {"cards": [], "routes": [], "leased": names[1:]}
    yield "path", _routed(instance, kept, [kept.to, kept.origin], [])
    yield "second", _routed(instance, kept, _ring(instance, kept, 1), [])
    yield "capacity", _routed(instance, kept, _ring(instance, kept, 1), _ring(instance, kept, -1))
    if instance.limits_ports:
        yield "ports", {"cards": [{**card, "cards": 99}], "routes": [], "leased": names}
    if instance.ducts_apart:
        yield "ducts", _routed(instance, kept, _ring(instance, kept, 1), _ring(instance, kept, 1))
    if instance.most_hops:
        yield "hops", _routed(instance, kept, [site.name for site in instance.sites], [])
    if instance.most_km:
        around = [site.name for site in instance.sites]
        yield "length", _routed(instance, kept, around * 5, [])
    if instance.sites_apart:
        inner = [kept.origin, next(s.name for s in instance.sites if s.name not in (kept.origin, kept.to)), kept.to]
        yield "sites", _routed(instance, kept, inner, inner)


def _ring(instance: Instance, demand: Demand, step: int) -> list[str]:
    """The path along the ring of sites, one way or the other."""
    names = [site.name for site in instance.sites]
    path = [demand.origin]
    while path[-1] != demand.to:
        path.append(names[(names.index(path[-1]) + step) % len(names)])
    return path


def _routed(instance: Instance, demand: Demand, first: list[str], second: list[str]) -> Plan:
    """One demand routed without any card, the rest leased."""
    leased = [other.name for other in instance.demands if other != demand]
    return {"cards": [], "routes": [{"demand": demand.name, "first": first, "second": second}], "leased": leased}
