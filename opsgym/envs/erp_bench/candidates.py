"""Candidates: the business calls that make sense in the present state, for policies that choose by number.

They are made of what an informed agent would have read: the requests and terms of the brief, the offers with the limits in the
vendors' notes, and the documents as they stand.  Nothing comes from the solution: whom to buy from, how much, for which orders
and when to stop is the choice.  Purchases and production are in :mod:`opsgym.envs.erp_bench.supply_candidates`.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from typing import Any
from weakref import WeakKeyDictionary

from opsgym.core.derived import Derived
from opsgym.core.task import ToolCall
from opsgym.core.world import World
from opsgym.envs.erp_bench.erp import Erp
from opsgym.envs.erp_bench.spec import TERM_NAMES, Invoicing, Order, Scenario
from opsgym.envs.erp_bench.supply_candidates import supply_calls

__all__ = ["business_calls"]

_SALES = (
    "SELECT c.ref, o.name, o.state, substr(o.commitment_date, 1, 10), o.amount_total, sum(l.product_uom_qty), t.name"
    " FROM sale_order o LEFT JOIN account_payment_term t ON t.id = o.payment_term_id"
    " JOIN res_partner c ON c.id = o.partner_id JOIN sale_order_line l ON l.order_id = o.id"
    " JOIN product_product p ON p.id = l.product_id JOIN product_template m ON m.id = p.product_tmpl_id"
    " WHERE m.default_code = ? AND o.state <> 'cancel' GROUP BY o.id ORDER BY o.id"
)
_INVOICES = (
    "SELECT invoice_origin, coalesce(name, 'DRAFT/' || id), state, amount_total FROM account_move"
    " WHERE move_type = 'out_invoice' AND state <> 'cancel' ORDER BY id"
)

_SOLD = ("sale_order", "sale_order_line", "account_payment_term", "res_partner", "product_product", "product_template")
_BILLED = ("account_move",)
"""The tables that each statement reads."""

_KNOWN: WeakKeyDictionary[World, tuple[Scenario, Derived]] = WeakKeyDictionary()
"""What was read and made of each world for the task met last, kept while it holds."""


def business_calls(erp: Erp, scenario: Scenario) -> list[ToolCall] | None:
    """Calls that make sense now, under the ``"tools"`` harness: what is open first, ``submit`` last.

    - a sales order for every request that has none, as requested and with the terms of the policy;
    - the payment term, confirmation or cancellation of a draft, the invoices of a confirmed order that are missing, their
      posting;
    - purchases, production and the repair of a plan, see :func:`~opsgym.envs.erp_bench.supply_candidates.supply_calls`.

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
    return [*calls, *supply_calls(erp, scenario, known), ToolCall(name="submit")]


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


def _call(name: str, **arguments: Any) -> ToolCall:
    return ToolCall(name=name, arguments=arguments)
