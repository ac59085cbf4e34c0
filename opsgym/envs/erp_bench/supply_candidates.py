"""Candidates of supply: what can be made, bought, changed and linked in the present state of a task.

They are the calls of tasks that are solved by more than buying: production on several levels, and the repair of a plan.  Like
the rest of :mod:`opsgym.envs.erp_bench.candidates` they come from what an informed agent would have read.  Documents are
created in round quantities; the newest draft (in a repair every seeded purchase too) can then be changed by powers of
two, so that every quantity is within reach.  Their source documents follow from the documents that there are.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from opsgym.core.errors import TaskError
from opsgym.core.task import ToolCall
from opsgym.envs.erp_bench.erp import Erp
from opsgym.envs.erp_bench.plan import Need, Supply, least_linked, link
from opsgym.envs.erp_bench.spec import Offer, Scenario

__all__ = ["supply_calls"]

STEPS = (1, 2, 4, 8, 16, 32)
"""Units by which a quantity can be changed at a time."""

_SALES = (
    "SELECT o.name, substr(o.commitment_date, 1, 10), sum(l.product_uom_qty) FROM sale_order o"
    " JOIN sale_order_line l ON l.order_id = o.id JOIN product_product p ON p.id = l.product_id"
    " JOIN product_template m ON m.id = p.product_tmpl_id"
    " WHERE o.state = 'sale' AND m.default_code = ? GROUP BY o.id ORDER BY o.id"
)
_PURCHASES = (
    "SELECT o.name, o.state, coalesce(o.origin, ''), m.default_code, l.product_qty, substr(l.date_planned, 1, 10), v.ref,"
    " l.price_unit FROM purchase_order o JOIN res_partner v ON v.id = o.partner_id"
    " JOIN purchase_order_line l ON l.order_id = o.id JOIN product_product p ON p.id = l.product_id"
    " JOIN product_template m ON m.id = p.product_tmpl_id WHERE o.state <> 'cancel' ORDER BY o.id, l.id"
)
_PRODUCTIONS = (
    "SELECT o.name, o.state, coalesce(o.origin, ''), m.default_code, o.product_qty, substr(o.date_deadline, 1, 10),"
    " (SELECT c.code FROM mrp_workorder w JOIN mrp_workcenter c ON c.id = w.workcenter_id"
    "  WHERE w.production_id = o.id AND w.state <> 'cancel' ORDER BY w.id LIMIT 1),"
    " substr(o.date_start, 1, 10) FROM mrp_production o JOIN product_product p ON p.id = o.product_id"
    " JOIN product_template m ON m.id = p.product_tmpl_id WHERE o.state <> 'cancel' ORDER BY o.id"
)


@dataclass(frozen=True, slots=True)
class _Document:
    """A live purchase line or manufacturing order; ``place`` is the vendor or the work center, days count from day 0."""

    name: str
    draft: bool
    origin: str
    product: str
    units: int
    day: int
    place: str
    offer: Offer | None = None
    start: int = 0


def supply_calls(erp: Erp, scenario: Scenario) -> list[ToolCall]:
    """Calls that make, buy, change and link supply, under the ``"tools"`` harness.

    - the confirmation or cancellation of a draft, and of documents that were there at the start;
    - another quantity for the newest draft, in a repair for each seeded purchase;
    - the source documents of a document that names others than it should;
    - a manufacturing order for every product that is wanted, on every work center with minutes left, due when it is wanted;
    - a purchase of every offer not used yet of what is wanted.

    Args:
        erp: The ERP in its present state.
        scenario: The task.
    """
    return list(_Desk(erp, scenario).calls())


class _Desk:
    """The documents of the present state, and what they leave open."""

    def __init__(self, erp: Erp, scenario: Scenario) -> None:
        self.erp, self.scenario, self.problem = erp, scenario, scenario.problem
        self.seeded = self.problem.repair is not None
        self.purchases = [self._purchase(row) for row in erp.world.execute(_PURCHASES).fetchall()]
        self.productions = [self._production(row) for row in erp.world.execute(_PRODUCTIONS).fetchall()]

    def calls(self) -> Iterator[ToolCall]:
        """What can be done, what is begun first."""
        yield from self._decisions()
        yield from self._changes()
        yield from self._links()
        for product in self._wanted_products:
            yield from self._makes(product)
        for product in self._wanted_products:
            yield from self._buys(product)

    # -- the documents that there are -----------------------------------------------------------------------

    def _purchase(self, row: Any) -> _Document:
        name, state, origin, product, units, planned, vendor, price = row
        offers = [o for o in self.problem.offers if (o.vendor, o.product) == (vendor, product)]
        offer = min(offers, key=lambda o: abs(o.price / 100 - price), default=None)
        return _Document(name, state != "purchase", origin, product, int(units), self._day(planned), vendor, offer)

    def _production(self, row: Any) -> _Document:
        name, state, origin, product, units, due, center, start = row
        return _Document(
            name, state == "draft", origin, product, int(units), self._day(due), center or "", start=self._day(start)
        )

    def _day(self, date: str | None) -> int:
        return 0 if date is None else (dt.date.fromisoformat(date) - self.scenario.today).days

    def _date(self, day: int) -> str:
        return (self.scenario.today + dt.timedelta(days=day)).isoformat()

    # -- what they leave open -------------------------------------------------------------------------------

    @cached_property
    def _needs(self) -> dict[str, list[Need]]:
        """What takes each product, in order of days."""
        rows = self.erp.world.execute(_SALES, (self.problem.product,)).fetchall()
        found = {self.problem.product: [Need(name, self._day(date), int(units)) for name, date, units in rows]}
        for order in self.productions:
            bom = self.problem.bom_by_product.get(order.product)
            for line in bom.lines if bom else ():
                found.setdefault(line.component, []).append(Need(order.name, order.start, order.units * line.quantity))
        return {product: sorted(needs, key=lambda need: need.day) for product, needs in found.items()}

    @cached_property
    def _wanted_products(self) -> list[str]:
        """Products of which units are open, the finished product first."""
        return [product.code for product in self.problem.products if self._open(product.code)]

    def _documents(self, product: str) -> list[_Document]:
        return [document for document in (*self.purchases, *self.productions) if document.product == product]

    def _open(self, product: str) -> list[Need]:
        """What neither stock nor documents cover: each serves the first needs from its day on."""
        needs = self._needs.get(product, [])
        arrivals = sorted((document.day, document.units) for document in self._documents(product))
        for day, units in [(-1, self.problem.stock.get(product, 0)), *arrivals]:
            needs = list(_served(needs, day, units))
        return [need for need in needs if need.units]

    # -- calls ----------------------------------------------------------------------------------------------

    def _decisions(self) -> Iterator[ToolCall]:
        for kind, documents in (("purchase", self.purchases), ("manufacturing", self.productions)):
            for document in documents:
                if document.draft:
                    yield _call(f"confirm_{kind}_order", order=document.name)
                if document.draft or self.seeded:
                    yield _call(f"cancel_{kind}_order", order=document.name)

    def _changes(self) -> Iterator[ToolCall]:
        """Other quantities, within what the offer or the work center gives."""
        drafts = [document for document in self.productions if document.draft][-1:]
        for document in drafts:
            most = self._room(document) + document.units
            for units in _around(document.units, 1, most):
                # another quantity makes the work orders anew, on the usual work center
                yield _call("update_manufacturing_order", order=document.name, quantity=units, work_center=document.place)
        drafts = [document for document in self.purchases if document.draft][-1:]
        kept = [document for document in self.purchases if self.seeded and not document.draft]
        for document in (*drafts, *kept):
            offer = document.offer
            for units in _around(document.units, offer.min_qty, offer.max_qty) if offer else ():
                yield _call("update_purchase_order", order=document.name, lines=[self._line(replace(document, units=units))])

    def _links(self) -> Iterator[ToolCall]:
        """Source documents that should be others."""
        for product in dict.fromkeys(document.product for document in (*self.purchases, *self.productions)):
            origins = self._origins(product, self._documents(product))
            for document in self._documents(product):
                origin = origins.get(document.name, "")
                if origin and origin != document.origin:
                    kind = "manufacturing" if document.offer is None else "purchase"
                    yield _call(f"update_{kind}_order", order=document.name, origin=origin)

    def _makes(self, product: str) -> Iterator[ToolCall]:
        """Manufacturing orders: on each work center and each day on which units are open, as many as are open then or later."""
        if product == self.problem.product and not self.problem.making:
            return
        lead = self.problem.bom_by_product[product].lead if product in self.problem.bom_by_product else 0
        needs = self._open(product)
        for operation in (operation for operation in self.problem.operations if operation.product == product):
            for day in sorted({need.day for need in self._needs[product] if need.day >= lead}):
                fresh = _Document("", True, "", product, 0, day, operation.center, start=day - lead)
                on_day = sum(need.units for need in needs if need.day == day)
                later = sum(need.units for need in needs if need.day >= day)
                for units in sorted({min(units, self._room(fresh)) for units in (on_day, later)} - {0}):
                    yield self._make(replace(fresh, units=units))

    def _make(self, fresh: _Document) -> ToolCall:
        return _call(
            "create_manufacturing_order",
            product=fresh.product,
            quantity=fresh.units,
            start_date=self._date(fresh.start),
            due_date=self._date(fresh.day),
            work_center=fresh.place,
            origin=self._origin(fresh),
        )

    def _buys(self, product: str) -> Iterator[ToolCall]:
        """Purchases of each offer that is not used: its least, and as many as are open from its arrival on."""
        if product == self.problem.product and not self.problem.buying:
            return
        used = {document.offer.key for document in self.purchases if document.offer}
        offers = [offer for offer in self.problem.offers if offer.product == product and offer.key not in used]
        for offer in sorted(offers, key=lambda offer: offer.price):
            reached = sum(need.units for need in self._open(product) if need.day >= offer.lead)
            most = max(offer.min_qty, min(reached, offer.max_qty or reached))
            for units in sorted({offer.min_qty, most}, reverse=True) if reached else ():
                fresh = _Document("", True, "", product, units, offer.lead, offer.vendor, offer)
                lines = [self._line(fresh)]
                yield _call("create_purchase_order", vendor=offer.vendor, lines=lines, origin=self._origin(fresh))

    def _line(self, document: _Document) -> dict[str, Any]:
        offer = document.offer
        assert offer is not None, "it is a purchase"
        date = self._date(document.day)
        return {"product": offer.product, "quantity": document.units, "unit_price": offer.price / 100, "delivery_date": date}

    def _room(self, document: _Document) -> int:
        """Units of a product for which a work center has minutes left."""
        minutes = {(operation.product, operation.center): operation.minutes for operation in self.problem.operations}
        capacity = next((center.capacity for center in self.problem.centers if center.code == document.place), 0)
        load = sum(
            order.units * minutes.get((order.product, order.place), 0)
            for order in self.productions
            if order.place == document.place
        )
        each = minutes.get((document.product, document.place), 0)
        return max(0, capacity - load) // each if each else 0

    # -- source documents -----------------------------------------------------------------------------------

    def _origin(self, fresh: _Document) -> str:
        """The source documents of a new document: as they are linked, else the first needs from its day on."""
        linked = self._origins(fresh.product, [*self._documents(fresh.product), fresh]).get("", "")
        return linked or next((need.ref for need in self._open(fresh.product) if need.day >= fresh.day), "")

    def _origins(self, product: str, documents: Iterable[_Document]) -> dict[str, str]:
        """The source documents of all supply of a product; empty where it cannot all be wanted."""
        supplies = [Supply(each.name, each.day, each.units, self._floor(each)) for each in documents]
        try:
            return {name: ", ".join(refs) for name, refs in link(supplies, self._needs.get(product, [])).items()}
        except TaskError:
            return {}

    def _floor(self, document: _Document) -> int:
        strict = self.scenario.style == "release" and document.product == self.problem.product
        return document.units if document.offer is None or strict else least_linked(document.offer, document.units)


def _served(needs: list[Need], day: int, units: int) -> Iterator[Need]:
    """What is left of needs once units that come on a day have served the first of them."""
    for need in needs:
        part = min(units, need.units) if need.day >= day else 0
        units -= part
        yield replace(need, units=need.units - part)


def _around(units: int, least: int, most: int | None) -> list[int]:
    """Quantities that are some steps away, within limits."""
    steps = sorted({units + sign * step for step in STEPS for sign in (1, -1)})
    return [each for each in steps if each >= least and (most is None or each <= most)]


def _call(name: str, **arguments: Any) -> ToolCall:
    return ToolCall(name=name, arguments=arguments)
