"""Rules on manufacturing orders: what is made where, from what, within which capacity."""

from __future__ import annotations

from collections import defaultdict

from opsgym.envs.erp_bench.rules.context import CONFIRMED, Context, is_whole
from opsgym.envs.erp_bench.rules.registry import NOT_APPLICABLE, Outcome, expect, expect_none, rule
from opsgym.envs.erp_bench.rules.supply import missing_totals, nothing_made
from opsgym.envs.erp_bench.rules.tables import TINY
from opsgym.envs.erp_bench.state import Production


@rule(family="manufacturing")
def manufacturing_activity_present(context: Context) -> Outcome:
    """Where policy rules buying out, some finished units are made."""
    made = context.total_made.get(context.tables.product, 0)
    return expect(made > 0, "some", made, f"no {context.tables.product} is made")


@rule(family="manufacturing")
def assembly_capacity_compliance(context: Context) -> Outcome:
    """Every manufacturing order is on an eligible work center, and none is loaded beyond its minutes."""
    if not context.made:
        return NOT_APPLICABLE
    offences = [f"{item.name} is on no work center that makes {item.product}" for item in context.made if item.operation is None]
    load: defaultdict[str, float] = defaultdict(float)
    for item in context.made:
        if item.operation:
            load[item.operation.center] += item.quantity * item.operation.minutes
    capacity = context.tables.capacity
    offences += [
        f"{center} is loaded with {used / 1000:g} of {capacity.get(center, 0) / 1000:g} minutes"
        for center, used in load.items()
        if used > capacity.get(center, 0) + TINY
    ]
    return expect_none(offences, "every work center within its minutes")


@rule(family="manufacturing")
def component_stock_capacity_compliance(context: Context) -> Outcome:
    """Inputs taken keep within stock, purchases and production, in total and day by day."""
    return expect_none(missing_totals(context) + context.chain_shortages, "inputs on hand at every start")


@rule(family="manufacturing")
def mo_component_feasibility(context: Context) -> Outcome:
    """Inputs on the orders' own raw moves, and by the bills of materials, are supplied."""
    if not context.made:
        return nothing_made(context)
    offences = [
        f"raw moves take {needed:g} of {product}, {context.supply(product or ''):g} are supplied"
        for product, needed in context.raw_needs.items()
        if needed > context.supply(product or "") + TINY
    ]
    return expect_none(offences + missing_totals(context) + context.chain_shortages, "inputs on hand at every start")


@rule(family="manufacturing")
def productions_licensed(context: Context) -> Outcome:
    """Every live manufacturing order is for a product of the task, as its bill of materials and routing say.

    Confirmed ones are for whole units, have all work orders on one eligible work center, and take exactly
    what the specification's bill of materials wants.
    """
    offences = [f"{order.name} {reason}" for order in context.live_productions for reason in _unlicensed(context, order)]
    return expect_none(offences, "manufacturing by the task's bills of materials and routings")


def _unlicensed(context: Context, order: Production) -> list[str]:
    product = order.product or ""
    if product not in context.tables.manufacturable:
        return [f"makes {order.product}, which the task does not make"]
    if order.state not in CONFIRMED:
        return []
    reasons = [] if is_whole(order.quantity) else [f"is for {order.quantity}, not whole units"]
    centers = {item.center for item in order.work_orders if item.state not in ("cancel", "cancelled")}
    if not centers:
        reasons.append("has no work order")
    strange = sorted(str(center) for center in centers if (product, center) not in context.tables.operations)
    if strange:
        reasons.append(f"has work orders on {', '.join(strange)}, which does not make {product}")
    if order.name in context.state.loose:
        reasons.append("does not bring in what it makes")
    if len(centers) > 1:
        reasons.append(f"is split over {', '.join(sorted(map(str, centers)))}")
    return reasons + _recipe(context, order)


def _recipe(context: Context, order: Production) -> list[str]:
    wanted = {code: per_unit * order.quantity for code, per_unit in context.tables.bom[order.product or ""].items()}
    taken: defaultdict[str, float] = defaultdict(float)
    for component, quantity in order.raw:
        taken[component or "(none)"] += quantity
    wrong = [code for code in dict.fromkeys((*wanted, *taken)) if abs(wanted.get(code, 0) - taken.get(code, 0)) > TINY]
    return [f"takes {taken.get(code, 0):g} of {code} instead of {wanted.get(code, 0):g}" for code in wrong]
