"""The workbench of mutations: small edits of a right end state, each giving a new state."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

from opsgym.core.task import Certificate
from opsgym.envs.erp_bench.rules import Context, Tables
from opsgym.envs.erp_bench.rules.context import CONFIRMED
from opsgym.envs.erp_bench.spec import Offer, Operation, Order
from opsgym.envs.erp_bench.state import (
    DocState,
    ErpState,
    Invoice,
    Production,
    Purchase,
    PurchaseLine,
    Sale,
    SaleLine,
    WorkOrder,
)

FAR = 100_000
"""Units that no stock, vendor or work center of a task can give."""
STRANGER = "stranger"
"""Key of a partner, product or work center that no task has."""

Mutation = Callable[["Bench"], Iterable[ErpState]]
MUTATIONS: dict[str, list[Mutation]] = {}
"""Mutations by name of the rule that they break."""


def mutation(*rules: str) -> Callable[[Mutation], Mutation]:
    """Register a generator of states that break ``rules``, each of them."""

    def register(function: Mutation) -> Mutation:
        for name in rules:
            MUTATIONS.setdefault(name, []).append(function)
        return function

    return register


class Bench:
    """A right end state and its edits; none changes the state itself.

    Args:
        state: The state to start from.
        tables: Its scenario.
    """

    def __init__(self, state: ErpState, tables: Tables) -> None:
        self.state = state
        self.tables = tables
        self.problem = tables.problem
        unproven = Certificate(status="feasible", objective=self.problem.objective, value=0.0, bound=0.0)
        self.context = Context(state, tables, unproven)

    # -- looking up -------------------------------------------------------------------------------------------

    def date(self, day: int) -> dt.date:
        """The date of a day."""
        return self.tables.scenario.today + dt.timedelta(days=day)

    def sold(self) -> list[tuple[Order, Sale]]:
        """The first and the last accepted order, each with its confirmed sales order."""
        pairs = [(order, self.context.confirmed_sales[ref][0]) for ref, order in self.tables.accepted.items()]
        return pairs[:1] + pairs[1:][-1:]

    def confirmed_purchases(self) -> list[Purchase]:
        """Confirmed purchase orders of one line each."""
        return [order for order in self.state.purchases if order.state in CONFIRMED and len(order.lines) == 1]

    def confirmed_productions(self) -> list[Production]:
        """Confirmed manufacturing orders."""
        return [order for order in self.state.productions if order.state in CONFIRMED]

    def offer_of(self, order: Purchase) -> Offer:
        """The offer that the single line of ``order`` uses."""
        line = order.lines[0]
        found = self.tables.resolve(order.vendor, line.product, line.quantity)
        assert found is not None, "right states buy from offers"
        return found

    # -- new documents ----------------------------------------------------------------------------------------

    def new_sale(self, customer: str, *, quantity: float = 1, product: str | None = None, state: DocState = "confirmed") -> Sale:
        """A sales order that the plan does not have, at list price, of what the customer ordered where nothing else is said."""
        ordered = self.tables.ordered.get(customer, self.problem.product)
        price = self.tables.prices[ordered] / 100
        line = SaleLine(product or ordered, quantity, price)
        return Sale("S99999", None, customer, state, self.date(1), None, price * quantity, (line,))

    def new_purchase(
        self, offer: Offer, *, quantity: float | None = None, state: DocState = "confirmed", **changes: Any
    ) -> Purchase:
        """A purchase order under ``offer``, on its lead day, without origin."""
        line = PurchaseLine(
            offer.product, offer.min_qty if quantity is None else quantity, offer.price / 100, self.date(offer.lead)
        )
        return replace(Purchase("P99999", offer.vendor, state, (), (line,)), **changes)

    def stray_purchase(self, *, price: float = 1.0, state: DocState = "confirmed") -> Purchase:
        """A purchase order that has nothing to do with the task."""
        return Purchase("P99999", STRANGER, state, (), (PurchaseLine(STRANGER, 1.0, price, self.date(1)),))

    def new_production(self, operation: Operation, quantity: int, *, state: DocState = "confirmed") -> Production:
        """A manufacturing order on ``operation``, as the bill of materials wants, without origin."""
        lead = self.tables.lead[operation.product]
        start, due = self.date(0), self.date(lead)
        raw = tuple((code, float(per_unit * quantity)) for code, per_unit in self.tables.bom[operation.product].items())
        work = (WorkOrder(operation.center, "ready", start, due),)
        return Production("WH/MO/99999", operation.product, float(quantity), state, start, due, due, (), work, raw)

    def stray_production(self, product: str = STRANGER, *, state: DocState = "confirmed") -> Production:
        """A manufacturing order of a product that the task does not make."""
        return Production(
            "WH/MO/99999",
            product,
            1.0,
            state,
            self.date(0),
            self.date(1),
            None,
            (),
            (WorkOrder(STRANGER, "ready", None, None),),
            (),
        )

    def new_invoice(self, partner: str | None, sales: tuple[str, ...], **changes: Any) -> Invoice:
        """A posted regular invoice that the plan does not have."""
        return replace(Invoice("INV/2026/99999", partner, "posted", None, 1.0, 1.0, sales, "regular"), **changes)

    # -- edits ------------------------------------------------------------------------------------------------

    def add(self, *documents: Sale | Purchase | Production | Invoice) -> ErpState:
        """The state with further documents."""
        state = self.state
        for document in documents:
            name = _COLLECTIONS[type(document)]
            longer: dict[str, Any] = {name: (*getattr(state, name), document)}
            state = replace(state, **longer)
        return state

    def edit(self, document: Sale | Purchase | Production | Invoice, **changes: Any) -> ErpState:
        """The state with some fields of one document changed."""
        name = _COLLECTIONS[type(document)]
        edited = tuple(replace(item, **changes) if item is document else item for item in getattr(self.state, name))
        edits: dict[str, Any] = {name: edited}
        return replace(self.state, **edits)

    def edit_sale_line(self, sale: Sale, **changes: Any) -> ErpState:
        """The state with its finished line of ``sale`` changed, and the total with it."""
        lines = tuple(replace(line, **changes) if line.product in self.tables.prices else line for line in sale.lines)
        amount = sum(line.price * line.quantity for line in lines if not line.is_downpayment)
        return self.edit(sale, lines=lines, amount_untaxed=amount)

    def edit_purchase_line(self, order: Purchase, **changes: Any) -> ErpState:
        """The state with the single line of ``order`` changed."""
        return self.edit(order, lines=(replace(order.lines[0], **changes),))

    def edit_work(self, order: Production, **changes: Any) -> ErpState:
        """The state with all work orders of ``order`` changed."""
        return self.edit(order, work_orders=tuple(replace(item, **changes) for item in order.work_orders))

    def cancel(self, *documents: Sale | Purchase | Production) -> ErpState:
        """The state with these documents cancelled."""
        doomed = {id(document) for document in documents}
        changes: dict[str, Any] = {
            name: tuple(replace(item, state="cancelled") if id(item) in doomed else item for item in getattr(self.state, name))
            for name in ("sales", "purchases", "productions")
        }
        return replace(self.state, **changes)


_COLLECTIONS: dict[type, str] = {Sale: "sales", Purchase: "purchases", Production: "productions", Invoice: "invoices"}


def first(items: Iterable[Any]) -> Iterator[Any]:
    """The first of ``items``, or nothing."""
    for item in items:
        yield item
        return
