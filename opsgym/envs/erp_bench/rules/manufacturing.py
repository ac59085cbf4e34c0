"""Rules on manufacturing orders: what is made where, from what, within which capacity."""

from __future__ import annotations

from collections import defaultdict

from opsgym.envs.erp_bench.rules.context import CONFIRMED, Context, is_whole, show_day
from opsgym.envs.erp_bench.rules.registry import NOT_APPLICABLE, Outcome, expect, expect_none, rule
from opsgym.envs.erp_bench.rules.supply import makes, missing_totals, nothing_made
from opsgym.envs.erp_bench.rules.tables import TINY
from opsgym.envs.erp_bench.state import Production


@rule(family="manufacturing")
def manufacturing_activity_present(context: Context) -> Outcome:
    """Where policy rules buying out, some units are made of each finished product that stock does not cover."""
    made = {product: context.total_made.get(product, 0) for product in context.tables.must_make}
    missing = [product for product, units in made.items() if units <= 0]
    return expect(not missing, "some", made, f"no {', '.join(missing)} is made")


@rule(family="manufacturing", applies=lambda context: bool(context.made))
def assembly_capacity_compliance(context: Context) -> Outcome:
    """Every manufacturing order is on an eligible work center, and none is loaded beyond its minutes.

    Where capacity is dated, an order draws all its minutes from the period in which it starts.
    """
    if not context.made:
        return NOT_APPLICABLE
    offences = [f"{item.name} is on no work center that makes {item.product}" for item in context.made if item.operation is None]
    offences += [
        f"{center} is loaded with {used / 1000:g} of {free / 1000:g} minutes" + _period(context, center, bucket)
        for (center, bucket), used in context.loads.items()
        if used > (free := context.tables.budget(center, bucket)) + TINY
    ]
    return expect_none(offences, "every work center within its minutes")


def _period(context: Context, center: str, bucket: int) -> str:
    days = context.tables.problem.bucket_days
    if not days or not context.tables.centers[center].buckets:
        return ""
    first, today = bucket * days, context.tables.scenario.today
    return (
        f" for starts from {show_day(first, today)} to {show_day(first + days - 1, today)}" if bucket >= 0 else " without a start"
    )


@rule(family="manufacturing")
def component_stock_capacity_compliance(context: Context) -> Outcome:
    """Inputs taken keep within stock, purchases and production, in total and day by day."""
    return expect_none(missing_totals(context) + context.chain_shortages, "inputs on hand at every start")


@rule(family="manufacturing", applies=makes)
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
