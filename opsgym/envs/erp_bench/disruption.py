"""Disruption: books the best plan of a problem and then breaks a part of it.

Source: ERP-Bench release, repair variants.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, Literal

from opsgym.core.errors import TaskError
from opsgym.envs.erp_bench.plan import build_plan
from opsgym.envs.erp_bench.simulate import check_plan
from opsgym.envs.erp_bench.solver import solve
from opsgym.envs.erp_bench.spec import Plan, Problem, Repair, SeededProduction, SeededPurchase, Style

DETERMINISTIC_SECONDS = 5.0
CANCELLED = "Cannot deliver: our purchase order was cancelled by the vendor, and the offer is withdrawn."
BROKEN = "Broken down; under repair for the whole planning period."


def disrupt(problem: Problem, kind: Literal["supplier_cancellation", "workcenter_outage"], style: Style) -> Problem:
    """The problem of repairing the plan of least spend after its largest finished purchase, or busiest center, is gone.

    Args:
        problem: An undisturbed problem.
        kind: What breaks.
        style: How supply has to meet demand.

    Raises:
        TaskError: There is no plan to book, or it has nothing that could break in that way.  Draw again.
    """
    undisturbed = _changed(problem, objective="min_new_spend")
    plan = build_plan(undisturbed, solve(undisturbed, style=style, deterministic_seconds=DETERMINISTIC_SECONDS))
    check_plan(undisturbed, plan)
    booked = _booked(plan)
    broken = _cancelled(problem, booked) if kind == "supplier_cancellation" else _outage(problem, booked)
    orders = tuple(order.model_copy(update={"seeded": "sale", "note": ""}) for order in problem.orders)
    return _changed(problem, orders=orders, **broken)


def _changed(problem: Problem, **changes: Any) -> Problem:
    """A copy with some fields replaced, which remembers nothing that was derived from the old ones."""
    return Problem(**{**{name: getattr(problem, name) for name in Problem.model_fields}, **changes})


def _booked(plan: Plan) -> dict[str, Any]:
    """The documents of a plan as records that exist at the start."""
    purchases = tuple(
        SeededPurchase(
            ref=f"PO-{number}",
            plan_ref=row.ref,
            offer=row.offer,
            quantity=row.quantity,
            arrival=row.arrival,
            origins=row.origins,
        )
        for number, row in enumerate(plan.purchases, 1)
    )
    productions = tuple(
        SeededProduction(
            ref=f"MO-{number}",
            plan_ref=row.ref,
            product=row.product,
            center=row.center,
            quantity=row.quantity,
            start=row.start,
            due=row.due,
            origins=row.origins,
            level=row.level,
        )
        for number, row in enumerate(plan.productions, 1)
    )
    return {"purchases": purchases, "productions": productions}


def _cancelled(problem: Problem, booked: dict[str, Any]) -> dict[str, Any]:
    """The vendor of the largest finished purchase cancels it."""
    offers = problem.offer_by_key
    finished = [row for row in booked["purchases"] if offers[row.offer].product in problem.finished_codes]
    if not finished:
        raise TaskError("the booked plan buys no finished unit, so no vendor can cancel one", field="params.disruption")
    lost = min(finished, key=lambda row: (-row.quantity, row.offer))
    vendor = offers[lost.offer].vendor
    vendors = tuple(row.model_copy(update={"note": CANCELLED}) if row.ref == vendor else row for row in problem.vendors)
    repair = Repair(
        kind="supplier_cancellation",
        broken_offer=lost.offer,
        impacted=lost.origins,
        broken_purchases=(lost.ref,),
        **booked,
    )
    return {"repair": repair, "vendors": vendors}


def _outage(problem: Problem, booked: dict[str, Any]) -> dict[str, Any]:
    """The work center with the most finished units breaks down."""
    made: Counter[str] = Counter()
    for row in booked["productions"]:
        made[row.center] += row.quantity if row.product in problem.finished_codes else 0
    if not +made:
        raise TaskError("the booked plan makes no finished unit, so no work center can fail it", field="params.disruption")
    center = min(made, key=lambda code: (-made[code], code))
    hit = [row for row in booked["productions"] if row.center == center]
    impacted = {ref for row in hit if row.product in problem.finished_codes for ref in row.origins}
    centers = tuple(
        row.model_copy(update={"note": BROKEN, "capacity": 0, "buckets": ()}) if row.code == center else row
        for row in problem.centers
    )
    repair = Repair(
        kind="workcenter_outage",
        broken_center=center,
        impacted=tuple(order.ref for order in problem.orders if order.ref in impacted),
        broken_productions=tuple(row.ref for row in hit),
        **booked,
    )
    return {"repair": repair, "centers": centers}
