"""For each rule of the ward roster a roster that breaks it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from opsgym.envs.or_agent_bench.kit import Plan
from opsgym.envs.or_agent_bench.problems.nurse_rostering.instance import Instance


def mutants(instance: Instance, plan: Plan, previous: Plan | None) -> Iterator[tuple[str, Plan]]:
    """Pairs of a rule and a roster that breaks it."""
    duties: list[dict[str, Any]] = plan["duties"]
    first = instance.nurses[0].name
    rest = [duty for duty in duties if duty["nurse"] != first]
    every = range(1, instance.days + 1)
    yield "single", {"duties": [*duties, duties[0]]}
    yield "single", {"duties": [*duties, {"nurse": first, "day": instance.days + 1, "shift": "early"}]}
    for absence in instance.absences[:1]:
        yield "absence", {"duties": [{"nurse": absence.nurse, "day": absence.day, "shift": "late"}]}
    yield "rest", {"duties": [*rest, *_duties(first, [1, 2], ["night", "early"])]}
    yield "contract", {"duties": [*rest, *_duties(first, list(every), ["late"])]}
    if instance.most_run:
        yield "run", {"duties": [*rest, *_duties(first, list(every), ["late"])]}
    if instance.most_nights:
        yield "nights", {"duties": [*rest, *_duties(first, list(every), ["night"])]}
    if instance.needs_certified:
        plain = next(nurse.name for nurse in instance.nurses if not nurse.is_certified)
        yield "certified", {"duties": _duties(plain, [1], ["early"])}
    if instance.needs_senior:
        junior = next(nurse.name for nurse in instance.nurses if not nurse.is_senior)
        yield "senior", {"duties": _duties(junior, [1], ["night"])}
    if instance.whole_weekends:
        absent = {absence.nurse for absence in instance.absences if absence.day in (6, 7)}
        there = next(nurse.name for nurse in instance.nurses if nurse.name not in absent)
        yield "weekend", {"duties": _duties(there, [6], ["late"])}
    if instance.epoch and previous:
        frozen = next(duty for duty in previous["duties"] if duty["day"] < instance.first_open)
        yield "freeze", {"duties": [duty for duty in duties if duty != frozen]}


def _duties(nurse: str, days: list[int], shifts: list[str]) -> list[dict[str, Any]]:
    return [{"nurse": nurse, "day": day, "shift": shifts[i % len(shifts)]} for i, day in enumerate(days)]
