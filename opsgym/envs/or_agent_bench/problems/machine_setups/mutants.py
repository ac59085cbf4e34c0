"""For each rule of the paint lines a schedule that breaks it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from opsgym.envs.or_agent_bench.kit import Plan
from opsgym.envs.or_agent_bench.problems.machine_setups.instance import Instance

LATE = 100_000
"""A minute after everything else."""


def mutants(instance: Instance, plan: Plan, previous: Plan | None) -> Iterator[tuple[str, Plan]]:
    """Pairs of a rule and a schedule that breaks it."""
    rows: list[dict[str, Any]] = plan["schedule"]
    jobs = {job.name: job for job in instance.jobs}
    products = {product.name: product for product in instance.products}
    yield "coverage", {"schedule": rows[1:]}
    yield "coverage", {"schedule": [*rows, rows[0]]}
    for row in rows:
        others = [line.name for line in instance.lines if line.name not in products[jobs[row["job"]].product].lines]
        if others:
            yield "eligibility", _with(rows, row["job"], line=others[0], start=LATE)
            break
    yield "release", _with(rows, rows[0]["job"], start=-1)
    yield "sequence", _with(rows, rows[0]["job"], line=rows[1]["line"], start=rows[1]["start"])
    for stop in instance.stops:
        yield "stops", _with(rows, rows[0]["job"], line=stop.line, start=stop.start)
    for fixture in instance.fixtures:
        held = [row for row in rows if products[jobs[row["job"]].product].fixture == fixture]
        yield "fixtures", _with(rows, held[0]["job"], start=held[1]["start"])
    if instance.has_crew:
        yield "crew", _two_setups(instance, rows)
    for row in rows:
        if jobs[row["job"]].after:
            yield "precedence", _with(rows, jobs[row["job"]].after, start=LATE)
            break
    if instance.epoch and previous:
        fixed = next(row for row in previous["schedule"] if row["start"] < instance.frozen_until)
        yield "freeze", _with(rows, fixed["job"], start=fixed["start"] + 1)


def _with(rows: list[dict[str, Any]], job: str, **changes: Any) -> Plan:
    return {"schedule": [row | changes if row["job"] == job else row for row in rows]}


def _two_setups(instance: Instance, rows: list[dict[str, Any]]) -> Plan:
    """The last job of each of two lines, of another family than what is before it, at one late minute."""
    family = {job.name: {p.name: p.family for p in instance.products}[job.product] for job in instance.jobs}
    first, second = instance.lines[0], instance.lines[1]
    for a in rows:
        for b in rows:
            pairs = ((a, first), (b, second))
            rest = [row for row in rows if row not in (a, b)]
            if a is not b and all(_last(rest, line.name, line.family, family) != family[row["job"]] for row, line in pairs):
                return {"schedule": [*rest, *({**row, "line": line.name, "start": LATE} for row, line in pairs)]}
    return {"schedule": rows}


def _last(rows: list[dict[str, Any]], line: str, default: str, family: dict[str, str]) -> str:
    here = [row for row in rows if row["line"] == line]
    return family[max(here, key=lambda row: row["start"])["job"]] if here else default
