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

from opsgym.core.task import ToolCall
from opsgym.core.world import World
from opsgym.envs.erp_bench.books import Books, Names
from opsgym.envs.erp_bench.erp import Erp
from opsgym.envs.erp_bench.ledger import Ledger, ledger_of
from opsgym.envs.erp_bench.open_documents import Bill, OpenDocuments, Sold
from opsgym.envs.erp_bench.spec import TERM_NAMES, Invoicing, Order, Scenario
from opsgym.envs.erp_bench.supply_candidates import Supplies

__all__ = ["business_calls"]

_DESKS: WeakKeyDictionary[World, Desk] = WeakKeyDictionary()
"""What was read and made of each world."""


def business_calls(erp: Erp, scenario: Scenario) -> list[ToolCall] | None:
    """Calls that make sense now, under the ``"tools"`` harness: what is open first, ``submit`` last.

    - a sales order for every request that has none, as requested and with the terms of the policy;
    - the payment term, confirmation or cancellation of a draft, the invoices of a confirmed order that are missing, their
      posting;
    - purchases, production and the repair of a plan, see :class:`~opsgym.envs.erp_bench.supply_candidates.Supplies`.

    Args:
        erp: The ERP in its present state.
        scenario: The task.

    Returns:
        The calls, or ``None`` for a task with several finished products.
    """
    problem = scenario.problem
    if len(problem.finished) > 1:
        return None
    world = erp.world
    desk = _DESKS.get(world)
    if desk is None:
        desk = _DESKS[world] = Desk(ledger_of(world))
    return desk.calls(world, scenario)


class Desk:
    """The calls for one world, made again only where the documents that they depend on have changed.

    Args:
        ledger: The world's ledger.
    """

    def __init__(self, ledger: Ledger) -> None:
        self._ledger, self._news = ledger, ledger.reader()
        self._made: tuple[Scenario, OpenDocuments, _Sales, Supplies] | None = None

    def calls(self, world: World, scenario: Scenario) -> list[ToolCall]:
        """What makes sense now; see :func:`business_calls`."""
        news, made = self._news, self._made
        books = self._ledger.pull(world)
        if books is None:  # what is read now may be undone
            fresh = _opened(scenario)
            fresh[1].renew(Books(world, Names(world)))
            return _all_calls(*fresh)
        self._made = None  # until it is done
        if made is None or made[0] is not scenario:
            made = _opened(scenario)
            made[1].renew(books)
        elif news.everything or news.written:
            made[1].renew(books, news)
        found = _all_calls(*made)
        self._made = made
        news.clear()
        return found


def _opened(scenario: Scenario) -> tuple[Scenario, OpenDocuments, _Sales, Supplies]:
    return scenario, OpenDocuments(scenario), _Sales(scenario), Supplies(scenario)


def _all_calls(scenario: Scenario, documents: OpenDocuments, sales: _Sales, supplies: Supplies) -> list[ToolCall]:
    return [*sales.calls(documents.sold, documents.bills), *supplies.calls(documents), _SUBMIT]


_SUBMIT = ToolCall(name="submit")


class _Sales:
    """The calls for each request, made again when its sales order or the invoices differ."""

    def __init__(self, scenario: Scenario) -> None:
        self._scenario = scenario
        self._of: dict[str, tuple[Sold | None, tuple[Bill, ...], tuple[ToolCall, ...]]] = {}
        self._last: tuple[tuple[Sold, ...], tuple[Bill, ...], list[ToolCall]] | None = None

    def calls(self, sold: tuple[Sold, ...], bills: tuple[Bill, ...]) -> list[ToolCall]:
        """The calls for all requests."""
        if self._last is not None and self._last[0] is sold and self._last[1] is bills:
            return self._last[2]
        sales, by_origin = {sale.customer: sale for sale in sold}, dict[str | None, list[Bill]]()
        for bill in bills:
            by_origin.setdefault(bill.origin, []).append(bill)
        found: list[ToolCall] = []
        for order in self._scenario.problem.orders:
            sale = sales.get(order.customer)
            invoices = tuple(by_origin.get(sale.name, ())) if sale is not None else ()
            known = self._of.get(order.ref)
            if known is None or known[0] is not sale or known[1] != invoices:
                made = tuple(_sale_calls(self._scenario, order, sale, invoices))
                known = self._of[order.ref] = sale, invoices, made
            found += known[2]
        self._last = sold, bills, found
        return found


def _sale_calls(scenario: Scenario, order: Order, sale: Sold | None, invoices: tuple[Bill, ...]) -> Iterator[ToolCall]:
    """What can be done for one request, given its sales order, if there is one."""
    problem = scenario.problem
    if sale is None:
        line = {"product": problem.product, "quantity": order.quantity, "unit_price": problem.finished[0].list_price / 100}
        term = {"payment_term": TERM_NAMES[problem.invoicing.payment_term]} if problem.invoicing else {}
        date = (scenario.today + dt.timedelta(days=order.due)).isoformat()
        yield _call("create_sales_order", customer=order.customer, commitment_date=date, lines=[line], **term)
        return
    name = sale.name
    if problem.invoicing and TERM_NAMES[problem.invoicing.payment_term] != sale.term:
        yield _call("update_sales_order", order=name, payment_term=TERM_NAMES[problem.invoicing.payment_term])
    if sale.state == "draft":
        yield _call("confirm_sales_order", order=name)
        yield _call("cancel_sales_order", order=name)
    elif problem.invoicing:
        yield from _invoice_calls(problem.invoicing, name, sale.total, invoices)


def _invoice_calls(policy: Invoicing, order: str, total: float, invoices: tuple[Bill, ...]) -> Iterator[ToolCall]:
    drafts = [bill.name for bill in invoices if bill.state == "draft"]
    yield from (_call("post_invoice", invoice=name) for name in drafts)
    if drafts or sum(bill.total for bill in invoices) >= total - 0.005:
        return
    if policy.downpayment_mode and policy.downpayment_value and not invoices:
        yield _call("create_invoice", order=order, method=policy.downpayment_mode, amount=policy.downpayment_value / 100)
    yield _call("create_invoice", order=order, method="delivered")


def _call(name: str, **arguments: Any) -> ToolCall:
    return ToolCall(name=name, arguments=arguments)
