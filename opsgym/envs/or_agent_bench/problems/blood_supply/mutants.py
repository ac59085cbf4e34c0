"""For each rule of the blood supply a plan that breaks it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from opsgym.envs.or_agent_bench.kit import Plan
from opsgym.envs.or_agent_bench.problems.blood_supply.instance import FITS, RARE, Instance

MANY = 10_000
"""Bags that no lot has."""


def mutants(instance: Instance, plan: Plan, previous: Plan | None) -> Iterator[tuple[str, Plan]]:
    """Pairs of a rule and a plan that breaks it."""
    sends: list[dict[str, Any]] = plan["sends"]
    pairs = [(lot, request) for lot in instance.lots for request in instance.requests]
    yield "form", {"sends": [*sends, sends[0]]}
    yield "form", {"sends": [_send("no lot", instance.requests[0].name, 1)]}
    wrong = next((lot, request) for lot, request in pairs if request.group not in FITS[lot.group])
    yield "group", {"sends": [_send(wrong[0].name, wrong[1].name, 1)]}
    old = next((lot, request) for lot, request in pairs if not lot.arrives <= request.day <= lot.last)
    yield "age", {"sends": [_send(old[0].name, old[1].name, 1)]}
    yield "stock", {"sends": [_send(pairs[0][0].name, pairs[0][1].name, MANY)]}
    yield "request", {"sends": [_send(pairs[0][0].name, pairs[0][1].name, MANY)]}
    if instance.courier_bags:
        yield "courier", {"sends": [_send(pairs[0][0].name, pairs[0][1].name, MANY)]}
    if instance.fair_percent:
        yield "fair", {"sends": []}
    if instance.fresh_days:
        stale = next((a, b) for a, b in pairs if b.needs_fresh and a.last - b.day < instance.fresh_days)
        yield "fresh", {"sends": [_send(stale[0].name, stale[1].name, 1)]}
    if instance.rare_bags:
        rare = next((a, b) for a, b in pairs if a.group == RARE != b.group)
        yield "rare", {"sends": [_send(rare[0].name, rare[1].name, MANY)]}


def _send(lot: str, request: str, bags: int) -> dict[str, Any]:
    return {"lot": lot, "request": request, "bags": bags}
