"""For each rule of the reservoirs releases that break it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from opsgym.envs.or_agent_bench.kit import Plan
from opsgym.envs.or_agent_bench.problems.reservoir_release.instance import Instance

FLOODING = 5_000
"""More water than any reservoir holds."""


def mutants(instance: Instance, plan: Plan, previous: Plan | None) -> Iterator[tuple[str, Plan]]:
    """Pairs of a rule and releases that break it."""
    rows: list[dict[str, Any]] = plan["releases"]
    first = instance.reservoirs[0]
    yield "coverage", {"releases": rows[1:]}
    yield "coverage", {"releases": [rows[0] | {"spilled": -1}, *rows[1:]]}
    yield "turbines", {"releases": [rows[0] | {"turbined": FLOODING}, *rows[1:]]}
    yield "levels", {"releases": [rows[0] | {"spilled": FLOODING}, *rows[1:]]}
    yield "common", {"releases": [row | {"spilled": row["spilled"] + 1} if row is rows[0] else row for row in rows]}
    if first.running:
        yield "running", _turbined(rows, lambda week: 1)
    if first.ramp:
        yield "ramp", _turbined(rows, lambda week: FLOODING if week % 2 else 1)
    if first.service:
        yield "service", _turbined(rows, lambda week: first.turbine)
    if first.end:
        yield "end", {"releases": [row | {"spilled": row["spilled"] + FLOODING} for row in rows]}
    if instance.flood:
        yield "flood", {"releases": [row | {"spilled": FLOODING} for row in rows]}
    if instance.farms:
        yield "farms", {"releases": [row | {"turbined": 0, "spilled": 0} for row in rows]}


def _turbined(rows: list[dict[str, Any]], amount: Callable[[int], int]) -> Plan:
    return {"releases": [row | {"turbined": amount(row["week"])} for row in rows]}
