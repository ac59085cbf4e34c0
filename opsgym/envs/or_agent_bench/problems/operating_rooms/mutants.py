"""For each rule of the operating rooms a plan that breaks it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from opsgym.envs.or_agent_bench.kit import Plan
from opsgym.envs.or_agent_bench.problems.operating_rooms.instance import Instance, Surgery


def mutants(instance: Instance, plan: Plan, previous: Plan | None) -> Iterator[tuple[str, Plan]]:
    """Pairs of a rule and a plan that breaks it."""
    every, block = instance.surgeries, instance.blocks[0]
    yield "coverage", {**plan, "postponed": [*plan["postponed"], every[0].name]}
    yield "coverage", {"done": [], "postponed": [surgery.name for surgery in every[1:]]}
    for one in instance.blocks:
        unfit = [surgery for surgery in every if surgery.specialty not in one.specialties]
        if unfit:
            yield "specialty", _all_in(instance, one.name, unfit)
    last = instance.blocks[-1]
    early = [surgery for surgery in every if surgery.latest < last.day]
    if early:
        yield "latest", _all_in(instance, last.name, early)
    if instance.imaging:
        yield "imaging", _all_in(instance, block.name, (surgery for surgery in every if surgery.needs_imaging))
    if instance.surgeon_minutes:
        yield "surgeon", _all_in(instance, block.name, every)
    if instance.beds:
        yield "beds", _all_in(instance, block.name, every)
    if instance.long_minutes:
        yield "risk", _all_in(instance, block.name, every)
    if instance.apart:
        yield "apart", _all_in(instance, block.name, (surgery for surgery in every if surgery.is_infectious))


def _all_in(instance: Instance, block: str, surgeries: Iterable[Surgery]) -> Plan:
    """These surgeries in one block, the rest postponed."""
    names = {surgery.name for surgery in surgeries}
    done = [{"surgery": surgery.name, "block": block} for surgery in instance.surgeries if surgery.name in names]
    return {"done": done, "postponed": [surgery.name for surgery in instance.surgeries if surgery.name not in names]}
