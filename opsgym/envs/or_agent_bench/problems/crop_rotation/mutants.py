"""For each rule of the crop rotation a plan that breaks it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from opsgym.envs.or_agent_bench.kit import Plan
from opsgym.envs.or_agent_bench.problems.crop_rotation.instance import FALLOW, Instance


def mutants(instance: Instance, plan: Plan, previous: Plan | None) -> Iterator[tuple[str, Plan]]:
    """Pairs of a rule and a plan that breaks it."""
    rows: list[dict[str, Any]] = plan["growth"]
    field = instance.fields[0]
    yield "coverage", {"growth": rows[1:]}
    yield "coverage", {"growth": [*rows, rows[0]]}
    for crop in instance.crops:
        misfits = [each for each in instance.fields if each.soil not in crop.soils]
        if misfits:
            yield "soil", _with(rows, crop.name, misfits[0].name, 1)
            break
    thirsty = max(instance.crops, key=lambda crop: crop.water).name
    busy = max(instance.crops, key=lambda crop: crop.hours).name
    yield "family", _with(rows, busy, field.name)
    if instance.water:
        yield "water", _with(rows, thirsty)
    if instance.minutes:
        yield "work", _with(rows, busy)
    if any(crop.contract for crop in instance.crops):
        yield "contracts", _with(rows, FALLOW)
    if instance.must_rest:
        yield "rest", _with(rows, busy, field.name)
    if instance.must_differ:
        yield "neighbours", _with(rows, busy)
    for crop in instance.crops:
        if crop.pause:
            yield "pause", _with(rows, crop.name, field.name)


def _with(rows: list[dict[str, Any]], crop: str, field: str = "", season: int = 0) -> Plan:
    """The plan with a crop on a field, or on all, in a season, or in all."""
    return {
        "growth": [row | {"crop": crop} if field in ("", row["field"]) and season in (0, row["season"]) else row for row in rows]
    }
