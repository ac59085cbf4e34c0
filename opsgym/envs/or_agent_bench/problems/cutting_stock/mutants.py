"""For each rule of the bar cutting a plan that breaks it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from opsgym.envs.or_agent_bench.kit import Plan
from opsgym.envs.or_agent_bench.problems.cutting_stock.instance import Instance


def mutants(instance: Instance, plan: Plan, previous: Plan | None) -> Iterator[tuple[str, Plan]]:
    """Pairs of a rule and a plan that breaks it."""
    cuts: list[dict[str, Any]] = plan["cuts"]
    bar, piece = instance.bars[0].name, instance.pieces[0].name
    yield "form", {"cuts": [*cuts, cuts[0]]}
    yield "form", {"cuts": [*cuts, _cut(bar, {piece: 1}, day=instance.days + 1)]}
    yield "length", {"cuts": [_cut(bar, {piece: 9})]}
    yield "orders", {"cuts": []}
    yield "orders", {"cuts": cuts[1:]}
    ordered = sum(order.count for order in instance.orders if order.piece == piece)
    yield "surplus", {"cuts": [_cut(bar, {piece: 1}, times=ordered + 1)]}
    yield "stock", {"cuts": [_cut(bar, {piece: 1}, times=10_000)]}
    yield "saw", {"cuts": [_cut(bar, {piece: 1}, times=instance.saw_cuts + 1)]}
    if instance.bins:
        yield "bins", {"cuts": [_cut(bar, {one.name: 1 for one in instance.pieces})]}
    if instance.has_grades:
        weak = min(instance.bars, key=lambda one: one.grade)
        yield from (("grade", {"cuts": [_cut(weak.name, {one.name: 1})]}) for one in instance.pieces if one.grade > weak.grade)


def _cut(bar: str, pattern: dict[str, int], *, day: int = 1, times: int = 1) -> dict[str, Any]:
    return {"day": day, "bar": bar, "times": times, "pattern": [{"piece": name, "count": n} for name, n in pattern.items()]}
