"""For each rule of the virtual machines a plan that breaks it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from opsgym.envs.or_agent_bench.kit import Plan
from opsgym.envs.or_agent_bench.problems.vm_packing.instance import Instance


def mutants(instance: Instance, plan: Plan, previous: Plan | None) -> Iterator[tuple[str, Plan]]:
    """Pairs of a rule and a plan that breaks it."""
    names = [machine.name for machine in instance.machines]
    small = min(instance.hosts, key=lambda host: host.millicores).name
    little = min(instance.hosts, key=lambda host: host.megabytes).name
    yield "coverage", {"places": [], "cloud": names[1:]}
    yield "coverage", {**plan, "cloud": [*plan["cloud"], names[0]]}
    yield "cores", _on(instance, dict.fromkeys(names, small))
    yield "memory", _on(instance, dict.fromkeys(names, little))
    if instance.has_bursts:
        yield "burst", _on(instance, dict.fromkeys(names, small))
    if instance.keeps_apart:
        yield "apart", _on(instance, dict.fromkeys(names, small))
    for machine in instance.machines:
        if machine.mate:
            yield "mates", _on(instance, {machine.name: small})
    if instance.rack_watts:
        hosts = [host.name for host in instance.hosts]
        yield "power", _on(instance, dict(zip(names, hosts, strict=False)))
    if instance.epoch and previous:
        states = {machine.name for machine in instance.machines if machine.has_state}
        where = dict.fromkeys(previous["cloud"], "") | {place["machine"]: place["host"] for place in previous["places"]}
        held = next(name for name in where if name in states)
        yield "freeze", _on(instance, {} if where[held] else {held: small})


def _on(instance: Instance, where: dict[str, str]) -> Plan:
    """A plan with these machines on hosts and the rest in the cloud."""
    return {"places": list(_places(where.items())), "cloud": [m.name for m in instance.machines if m.name not in where]}


def _places(pairs: Iterable[tuple[str, str]]) -> Iterator[dict[str, str]]:
    return ({"machine": name, "host": host} for name, host in pairs)
