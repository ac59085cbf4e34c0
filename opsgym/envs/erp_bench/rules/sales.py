"""Rules on sales orders: what is sold to whom, at which price, and what is not.

Source of the rule names and their meaning here and in the sibling modules: ERP-Bench release, verifier catalogue.
"""

from __future__ import annotations

from opsgym.envs.erp_bench.rules.context import CONFIRMED, Context
from opsgym.envs.erp_bench.rules.registry import Outcome, expect, expect_none, rule
from opsgym.envs.erp_bench.rules.tables import TINY
from opsgym.envs.erp_bench.spec import Order
from opsgym.envs.erp_bench.state import Sale

CENT = 0.01 + TINY
"""Tolerance for amounts of money, in dollars."""


def sold_to(context: Context, customer: str) -> float:
    """Units of the finished product that the customer ordered, on the customer's confirmed sales orders."""
    return sum(context.units[sale.name] for sale in context.confirmed_sales.get(customer, ()))


def is_sold(context: Context, customer: str) -> bool:
    """Whether the customer's accepted demand is met exactly, or at least met where every order is firm."""
    surplus = sold_to(context, customer) - context.tables.accepted[customer].quantity
    return abs(surplus) <= TINY or (surplus > 0 and context.tables.problem.screening is None)


@rule(family="demand")
def demand_coverage(context: Context, *, customer: str, quantity: int) -> Outcome:
    """The customer's confirmed sales orders hold the requested units: exactly on screened tasks, at least otherwise."""
    actual = sold_to(context, customer)
    return expect(is_sold(context, customer), quantity, actual, f"{customer} is sold {actual:g} of {quantity} units")


@rule(family="demand")
def list_price(context: Context, *, customer: str, price: int) -> Outcome:
    """Every confirmed line of the ordered product is at list price."""
    lines = [line for sale in context.confirmed_sales.get(customer, ()) for line in context.ordered_lines(sale)]
    wrong = [line.price for line in lines if abs(line.price - price / 100) > CENT]
    message = f"{customer} is sold at {wrong or 'no price'}, the list price is {price / 100:.2f}"
    return expect(bool(lines) and not wrong, price / 100, wrong or None, message)


def _revenue(context: Context, customer: str) -> float:
    """Price times quantity over the confirmed lines of finished products, in dollars."""
    sales = context.confirmed_sales.get(customer, ())
    return sum(line.price * line.quantity for sale in sales for line in context.finished_lines(sale))


@rule(family="demand")
def sale_revenue(context: Context, *, customer: str, revenue: int) -> Outcome:
    """Lines and order totals both come to list price times demand, so no discount is hidden in either."""
    lines = _revenue(context, customer)
    orders = sum(sale.amount_untaxed for sale in context.confirmed_sales.get(customer, ()))
    holds = abs(lines - revenue / 100) <= CENT and abs(orders - revenue / 100) <= CENT
    message = f"{customer}'s lines come to {lines:.2f} and the orders to {orders:.2f}, expected {revenue / 100:.2f}"
    return expect(holds, revenue / 100, round(orders, 2), message)


@rule(family="demand")
def budget_compliance(context: Context, *, customer: str, budget: int) -> Outcome:
    """The customer's confirmed lines fit the budget, to the cent."""
    actual = _revenue(context, customer)
    holds = 100 * actual <= budget + TINY
    return expect(holds, budget / 100, round(actual, 2), f"{customer} pays {actual:.2f}, the budget is {budget / 100:.2f}")


@rule(family="demand")
def so_confirmed(context: Context, *, customer: str) -> Outcome:
    """The customer has a confirmed sales order of the ordered product."""
    return expect(sold_to(context, customer) > 0, "confirmed", None, f"{customer} has no confirmed sales order")


@rule(family="demand")
def prompt_request_not_confirmed(context: Context, *, customer: str) -> Outcome:
    """A rejected request that was not in the ERP has no live sales order, not even a draft."""
    names = [sale.name for sale in context.sales if sale.customer == customer and context.finished_lines(sale)]
    return expect(not names, [], names, f"{customer}'s request is to be rejected, but {', '.join(names)} is there")


@rule(family="demand")
def has_relevant_activity(context: Context) -> Outcome:
    """Something that the task asks for was achieved: an accepted order sold in full, or a rejected draft cancelled."""
    tables = context.tables
    sold = any(is_sold(context, customer) for customer in tables.accepted)
    cancelled = any(
        order.seeded and (sale := context.sale_by_ref.get(order.ref)) is not None and sale.state == "cancelled"
        for order in tables.rejected.values()
    )
    return expect(sold or cancelled, "an order handled", None, "no order was handled")


@rule(family="demand")
def sales_licensed(context: Context) -> Outcome:
    """Every live sales order sells the product that its customer ordered, and nothing else, to a customer of the task.

    Orders of others stand as they were.  A seeded draft of a rejected order is not judged here: its own rule
    asks for its cancellation.
    """
    offences = [
        reason for sale in context.sales if sale.ref not in context.tables.decoy_orders for reason in _unlicensed(context, sale)
    ]
    return expect_none(offences + disturbed(context), "only the orders of the task, those of others as they were")


def _unlicensed(context: Context, sale: Sale) -> list[str]:
    tables = context.tables
    offences = []
    if sale.customer not in tables.accepted and (sale.state in CONFIRMED or sale.customer not in tables.rejected):
        offences.append(f"{sale.name} is for {sale.customer}, who has no accepted order")
    for line in sale.lines:
        text_only = line.product is None and not line.price * line.quantity
        is_wanted = line.product in tables.prices and tables.ordered.get(sale.customer or "") in (None, line.product)
        if not is_wanted and not line.is_downpayment and not text_only and line.quantity:
            offences.append(f"{sale.name} sells {line.product}")
        if line.is_downpayment and (line.product is not None or line.quantity):
            offences.append(f"{sale.name} passes {line.quantity:g} of {line.product} off as a down payment")
        if line.quantity < 0:
            offences.append(f"{sale.name} takes {-line.quantity:g} of {line.product} back")
    if sale.state in CONFIRMED and context.units[sale.name] <= 0:
        offences.append(f"{sale.name} sells nothing")
    return offences


def disturbed(context: Context) -> list[str]:
    """Seeded orders of others that do not stand as they were, down to prices and deliveries, or that exist twice."""
    refs, touched = context.tables.decoy_orders, context.touched
    found: dict[str, list[Sale]] = {ref: [] for ref in refs}
    for sale in context.state.sales:
        if sale.ref in found:
            found[sale.ref].append(sale)
    return [
        f"the order {ref} of others is no longer as it was"
        for ref, (order, product) in refs.items()
        if len(found[ref]) != 1 or found[ref][0].name in touched or not _is_as_seeded(context, found[ref][0], order, product)
    ]


def _is_as_seeded(context: Context, sale: Sale, order: Order, product: str) -> bool:
    state = "confirmed" if order.seeded == "sale" else "draft"
    lines = [(line.product, line.quantity) for line in sale.lines]
    return (
        sale.state == state
        and sale.customer == order.customer
        and context.commitment(sale) == order.due
        and len(lines) == 1
        and lines[0][0] == product
        and abs(lines[0][1] - order.quantity) <= TINY
    )


@rule(family="hygiene")
def seeded_order_confirmed(context: Context, *, ref: str, customer: str, quantity: int) -> Outcome:
    """The sales order that was there is confirmed, for its customer, with its quantity."""
    sale = context.sale_by_ref.get(ref)
    if sale is None:
        return expect(False, quantity, None, f"the sales order of {ref} is gone")
    units = context.units.get(sale.name, 0)
    holds = sale.state in CONFIRMED and sale.customer == customer and abs(units - quantity) <= CENT
    actual = {"state": sale.state, "customer": sale.customer, "quantity": units}
    return expect(holds, quantity, actual, f"{sale.name} is {sale.state} for {sale.customer} with {units:g} of {quantity} units")


@rule(family="hygiene")
def seeded_order_cancelled(context: Context, *, ref: str, customer: str, quantity: int) -> Outcome:
    """The sales order that was there is cancelled as it stood, and the customer has no other live one."""
    sale = context.sale_by_ref.get(ref)
    if sale is None:
        return expect(False, "cancelled", None, f"the sales order of {ref} is gone")
    units = sum(line.quantity for line in context.ordered_lines(sale))
    others = [other.name for other in context.sales if other.customer == customer and context.finished_lines(other)]
    holds = sale.state == "cancelled" and abs(units - quantity) <= CENT and not others
    message = f"{sale.name} is {sale.state} with {units:g} of {quantity} units; live orders of {customer}: {others}"
    return expect(holds, "cancelled", sale.state, message)


@rule(family="hygiene")
def task_state_transitions_completed(context: Context) -> Outcome:
    """Every request ended as the acceptance rules want: kept ones sold, rejected ones cancelled or absent."""
    tables = context.tables
    kept = [_kept(context, customer) for customer in tables.accepted]
    dropped = [
        seeded_order_cancelled(context, ref=order.ref, customer=customer, quantity=order.quantity)
        if order.seeded
        else prompt_request_not_confirmed(context, customer=customer)
        for customer, order in tables.rejected.items()
    ]
    offences = [outcome.message for outcome in (*kept, *dropped) if outcome.status == "fail"]
    return expect_none(offences, "every request confirmed or rejected by the rules")


def _kept(context: Context, customer: str) -> Outcome:
    order = context.tables.accepted[customer]
    if order.seeded:
        return seeded_order_confirmed(context, ref=order.ref, customer=customer, quantity=order.quantity)
    return demand_coverage(context, customer=customer, quantity=order.quantity)


@rule(family="timing")
def deadline_fulfillment(context: Context, *, customer: str, due: int) -> Outcome:
    """Every confirmed sales order of the customer is promised, and its delivery planned, by the due day."""
    sales = context.confirmed_sales.get(customer, ())
    late = [s.name for s in sales if (day := context.commitment(s)) is None or day > due or s.name in context.state.loose]
    reason = f"{', '.join(late)} not promised by day {due}, or not to be delivered as promised"
    message = f"{customer}: {reason}" if late else f"{customer} has no confirmed sales order"
    return expect(bool(sales) and not late, due, late or None, message)
