"""Candidates: the business calls that make sense in the present state, for policies that choose by number.

They are made of what an informed agent would have read: the requests and terms of the brief, the offers with the limits in the
vendors' notes, and the documents as they stand.  Nothing comes from the solution: whom to buy from, how much, for which orders
and when to stop is the choice.  Production and repair are in :mod:`opsgym.envs.erp_bench.supply_candidates`.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import Any
from weakref import WeakKeyDictionary

from opsgym.core.derived import Derived
from opsgym.core.task import ToolCall
from opsgym.core.world import World
from opsgym.envs.erp_bench.erp import Erp
from opsgym.envs.erp_bench.spec import TERM_NAMES, Invoicing, Offer, Order, Scenario
from opsgym.envs.erp_bench.supply_candidates import supply_calls

__all__ = ["business_calls"]

_SALES = (
    "SELECT c.ref, o.name, o.state, substr(o.commitment_date, 1, 10), o.amount_total, sum(l.product_uom_qty), t.name"
    " FROM sale_order o LEFT JOIN account_payment_term t ON t.id = o.payment_term_id"
    " JOIN res_partner c ON c.id = o.partner_id JOIN sale_order_line l ON l.order_id = o.id"
    " JOIN product_product p ON p.id = l.product_id JOIN product_template m ON m.id = p.product_tmpl_id"
    " WHERE m.default_code = ? AND o.state <> 'cancel' GROUP BY o.id ORDER BY o.id"
)
_PURCHASES = (
    "SELECT v.ref, o.name, o.state, substr(l.date_planned, 1, 10), coalesce(o.origin, ''), l.product_qty"
    " FROM purchase_order o JOIN res_partner v ON v.id = o.partner_id JOIN purchase_order_line l ON l.order_id = o.id"
    " JOIN product_product p ON p.id = l.product_id JOIN product_template m ON m.id = p.product_tmpl_id"
    " WHERE m.default_code = ? AND o.state <> 'cancel' ORDER BY o.id"
)
_INVOICES = (
    "SELECT invoice_origin, coalesce(name, 'DRAFT/' || id), state, amount_total FROM account_move"
    " WHERE move_type = 'out_invoice' AND state <> 'cancel' ORDER BY id"
)

_ITEMS = ("res_partner", "product_product", "product_template")
_SOLD = ("sale_order", "sale_order_line", "account_payment_term", *_ITEMS)
_BOUGHT = ("purchase_order", "purchase_order_line", *_ITEMS)
_BILLED = ("account_move",)
"""The tables that each statement reads."""

_KNOWN: WeakKeyDictionary[World, tuple[Scenario, Derived]] = WeakKeyDictionary()
"""What was read and made of each world for the task met last, kept while it holds."""


@dataclass(slots=True)
class _Need:
    """A confirmed sales order and the units that nothing covers yet."""

    order: str
    due: str
    units: int


def business_calls(erp: Erp, scenario: Scenario) -> list[ToolCall] | None:
    """Calls that make sense now, under the ``"tools"`` harness: what is open first, ``submit`` last.

    - a sales order for every request that has none, as requested and with the terms of the policy;
    - the payment term, confirmation or cancellation of a draft, the invoices of a confirmed order that are missing, their
      posting;
    - where production or the repair of a plan is part of the task, see
      :func:`~opsgym.envs.erp_bench.supply_candidates.supply_calls`;
    - elsewhere for every offer that is not used yet: a purchase for the first confirmed orders that it can reach and that nothing
      covers, in the quantities at which a best plan can lie: the sums of their needs, and the offer's least and greatest.

    Args:
        erp: The ERP in its present state.
        scenario: The task.

    Returns:
        The calls, or ``None`` for a task with several finished products.
    """
    problem = scenario.problem
    if len(problem.finished) > 1:
        return None
    known, world = _known(erp.world, scenario), erp.world

    def read(name: str, tables: tuple[str, ...], sql: str, *parameters: object) -> list[Any]:
        return known.get(world, name, tables, lambda: world.execute(sql, parameters).fetchall())

    sales, invoices = read("sold", _SOLD, _SALES, problem.product), read("billed", _BILLED, _INVOICES)
    calls = [*known.get(world, "sale calls", (), lambda: _all_sale_calls(scenario, sales, invoices), sales, invoices)]
    if problem.making or problem.repair or problem.screening or not problem.buying:
        calls += supply_calls(erp, scenario, known)
    else:
        bought = read("bought", _BOUGHT, _PURCHASES, problem.product)
        calls += known.get(world, "purchase calls", (), lambda: [*_purchase_calls(scenario, sales, bought)], sales, bought)
    return [*calls, ToolCall(name="submit")]


def _known(world: World, scenario: Scenario) -> Derived:
    """What is known of a world, begun anew."""
    last = _KNOWN.get(world)
    if last is None or last[0] is not scenario:
        last = _KNOWN[world] = scenario, Derived()
    last[1].begin(world)
    return last[1]


def _all_sale_calls(scenario: Scenario, rows: list[Any], invoices: list[Any]) -> list[ToolCall]:
    sales = {row[0]: row[1:] for row in rows}
    orders = scenario.problem.orders
    return [call for order in orders for call in _sale_calls(scenario, order, sales.get(order.customer), invoices)]


def _sale_calls(scenario: Scenario, order: Order, sale: Any, invoices: list[Any]) -> Iterator[ToolCall]:
    """What can be done for one request, given its sales order, if there is one."""
    problem = scenario.problem
    if sale is None:
        line = {"product": problem.product, "quantity": order.quantity, "unit_price": problem.finished[0].list_price / 100}
        term = {"payment_term": TERM_NAMES[problem.invoicing.payment_term]} if problem.invoicing else {}
        date = (scenario.today + dt.timedelta(days=order.due)).isoformat()
        yield _call("create_sales_order", customer=order.customer, commitment_date=date, lines=[line], **term)
        return
    name, state, _, total, _, term_name = sale
    if problem.invoicing and TERM_NAMES[problem.invoicing.payment_term] != term_name:
        yield _call("update_sales_order", order=name, payment_term=TERM_NAMES[problem.invoicing.payment_term])
    if state == "draft":
        yield _call("confirm_sales_order", order=name)
        yield _call("cancel_sales_order", order=name)
    elif problem.invoicing:
        yield from _invoice_calls(problem.invoicing, name, total, [row[1:] for row in invoices if row[0] == name])


def _invoice_calls(policy: Invoicing, order: str, total: float, invoices: list[Any]) -> Iterator[ToolCall]:
    drafts = [name for name, state, _ in invoices if state == "draft"]
    yield from (_call("post_invoice", invoice=name) for name in drafts)
    if drafts or sum(amount for *_, amount in invoices) >= total - 0.005:
        return
    if policy.downpayment_mode and policy.downpayment_value and not invoices:
        yield _call("create_invoice", order=order, method=policy.downpayment_mode, amount=policy.downpayment_value / 100)
    yield _call("create_invoice", order=order, method="delivered")


def _purchase_calls(scenario: Scenario, rows: list[Any], purchases: list[Any]) -> Iterator[ToolCall]:
    """Drafts to confirm or cancel, and purchases from the offers that are not used yet, the cheapest first."""
    problem, sales = scenario.problem, {row[0]: row[1:] for row in rows}
    for _, name, state, *_ in purchases:
        if state == "draft":
            yield _call("confirm_purchase_order", order=name)
            yield _call("cancel_purchase_order", order=name)
    needs = _open_needs(scenario, sales, purchases)
    used = {vendor for vendor, *_ in purchases}
    offers = [offer for offer in problem.offers if offer.product == problem.product and offer.vendor not in used]
    for offer in sorted(offers, key=lambda offer: offer.price):
        earliest = (scenario.today + dt.timedelta(days=offer.lead)).isoformat()
        reached = [need for need in needs if need.due >= earliest]
        for quantity in _quantities(offer, [need.units for need in reached]):
            yield _purchase(offer, quantity, reached)


def _open_needs(scenario: Scenario, sales: dict[str, Any], purchases: list[Any]) -> list[_Need]:
    """Units that neither stock nor purchases cover, by sales order in order of their days: stock serves the first."""
    customers = {order.customer for order in scenario.problem.orders}
    confirmed = [
        (date, name, int(units))
        for ref, (name, state, date, _, units, _) in sales.items()
        if ref in customers and state == "sale"
    ]
    needs = [_Need(name, date, units) for date, name, units in sorted(confirmed)]
    _cover(needs, scenario.problem.stock.get(scenario.problem.product, 0))
    for *_, arrival, origin, units in sorted(purchases, key=lambda row: (row[3], row[1])):
        named = origin.split(", ")
        over = _cover([need for need in needs if need.order in named], int(units))
        _cover([need for need in needs if need.due >= arrival], over)
    return [need for need in needs if need.units]


def _cover(needs: list[_Need], units: int) -> int:
    """Let units serve needs in order; returns what is left over."""
    for need in needs:
        served = min(need.units, units)
        need.units -= served
        units -= served
    return units


def _quantities(offer: Offer, units: list[int]) -> list[int]:
    """Quantities at which a best plan can lie, greatest first: sums of the first needs, and the offer's limits."""
    if not units:
        return []
    most = offer.max_qty or sum(units) + offer.min_qty
    sums = [*accumulate(units), offer.min_qty, most]
    enough = max(offer.min_qty, sum(units))
    return sorted({max(offer.min_qty, min(each, most, enough)) for each in sums}, reverse=True)


def _purchase(offer: Offer, quantity: int, needs: list[_Need]) -> ToolCall:
    """A purchase for the first needs that it can serve, arriving on the first one's day."""
    before = accumulate((need.units for need in needs), initial=0)
    served = [need.order for need, start in zip(needs, before, strict=False) if start < quantity]
    line = {"product": offer.product, "quantity": quantity, "unit_price": offer.price / 100, "delivery_date": needs[0].due}
    return _call("create_purchase_order", vendor=offer.vendor, lines=[line], origin=", ".join(served))


def _call(name: str, **arguments: Any) -> ToolCall:
    return ToolCall(name=name, arguments=arguments)
