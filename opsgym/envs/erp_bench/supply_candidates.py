"""Candidates of supply: what can be made, bought, changed and linked in the present state of a task.

They are the calls of tasks that are solved by more than buying: production on several levels, and the repair of a plan.  Like
the rest of :mod:`opsgym.envs.erp_bench.candidates` they come from what an informed agent would have read.  Documents are
created in round quantities; the newest draft (in a repair every seeded purchase too) can then be changed by powers of
two, so that every quantity is within reach.  Their source documents follow from the documents that there are.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, TypeVar

from opsgym.core.derived import Derived
from opsgym.core.errors import TaskError
from opsgym.core.task import ToolCall
from opsgym.envs.erp_bench.erp import Erp
from opsgym.envs.erp_bench.plan import Need, Supply, least_linked, link
from opsgym.envs.erp_bench.spec import Offer, Scenario

__all__ = ["supply_calls"]

T = TypeVar("T")

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

_READ: Mapping[str, tuple[str, ...]] = {
    _SALES: ("sale_order", "sale_order_line", "product_product", "product_template"),
    _PURCHASES: ("purchase_order", "purchase_order_line", "res_partner", "product_product", "product_template"),
    _PRODUCTIONS: ("mrp_production", "mrp_workorder", "mrp_workcenter", "product_product", "product_template"),
}
"""The tables that each statement reads."""


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


@dataclass(frozen=True, slots=True)
class _Part:
    """What the calls for one product depend on.

    Attributes:
        product: The product.
        needs: What takes it, in order of days.
        documents: What supplies it.
        rooms: Units that work centers have minutes left for, by work center.
    """

    product: str
    needs: tuple[Need, ...]
    documents: tuple[_Document, ...]
    rooms: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True, eq=False)
class _Calls:
    """The calls for one product: other source documents, manufacturing orders and purchases; not worth comparing."""

    links: tuple[ToolCall, ...]
    makes: tuple[ToolCall, ...]
    buys: tuple[ToolCall, ...]


def supply_calls(erp: Erp, scenario: Scenario, known: Derived | None = None) -> list[ToolCall]:
    """Calls that make, buy, change and link supply, under the ``"tools"`` harness.

    - the confirmation or cancellation of a draft, and of documents that were there at the start;
    - another quantity for the newest draft, in a repair for each seeded purchase;
    - the source documents of a document that names others than it should;
    - a manufacturing order for every product that is wanted, on every work center with minutes left, due when it is wanted;
    - a purchase of every offer not used yet of what is wanted.

    Args:
        erp: The ERP in its present state.
        scenario: The task.
        known: What was read of this world before, begun anew: calls are made again only where what they depend on has changed.
    """
    return list(_Desk(erp, scenario, known or Derived()).calls())


class _Desk:
    """The documents of the present state, and what they leave open."""

    def __init__(self, erp: Erp, scenario: Scenario, known: Derived) -> None:
        self.scenario, self.problem = scenario, scenario.problem
        self.seeded = self.problem.repair is not None
        self._world, self._known = erp.world, known
        self.purchases = self._read(_PURCHASES, self._purchase)
        self.productions = self._read(_PRODUCTIONS, self._production)
        self.sales = self._read(_SALES, self._sale, self.problem.product)

    def calls(self) -> Iterator[ToolCall]:
        """What can be done, what is begun first."""
        supply = self.purchases, self.productions
        yield from self._kept("decisions", lambda: tuple(self._decisions()), *supply)
        yield from self._kept("changes", lambda: tuple(self._changes()), *supply)
        supplied = dict.fromkeys(document.product for documents in supply for document in documents)
        ordered = [product.code for product in self.problem.products]
        calls = {product: self._calls(product) for product in dict.fromkeys((*ordered, *supplied))}
        for product in supplied:
            yield from calls[product].links
        for product in ordered:
            yield from calls[product].makes
        for product in ordered:
            yield from calls[product].buys

    def _kept(self, name: str, make: Callable[[], T], *inputs: object) -> T:
        """A value, made again when what it is made of is another object; :class:`Derived` keeps those that come out equal."""
        return self._known.get(self._world, name, (), make, self.scenario, *inputs)

    def _read(self, sql: str, make: Callable[..., T], *parameters: object) -> tuple[T, ...]:
        world = self._world
        rows = self._known.get(world, sql, _READ[sql], lambda: world.execute(sql, parameters).fetchall(), self.scenario)
        return self._kept(f"documents of {sql}", lambda: tuple([make(*row) for row in rows]), rows)

    def _calls(self, product: str) -> _Calls:
        part = self._kept(f"part {product}", partial(self._part, product), self.sales, self.purchases, self.productions)
        return self._kept(f"calls {product}", partial(self._made, part), part)

    def _part(self, product: str) -> _Part:
        centers = [operation.center for operation in self.problem.operations if operation.product == product]
        rooms = tuple((center, self._room(product, center)) for center in centers)
        return _Part(product, self._needs.get(product, ()), tuple(self._documents(product)), rooms)

    def _made(self, part: _Part) -> _Calls:
        open_needs = self._open(part)
        if not open_needs:
            return _Calls(tuple(self._links(part)), (), ())
        return _Calls(tuple(self._links(part)), tuple(self._makes(part, open_needs)), tuple(self._buys(part, open_needs)))

    # -- the documents that there are -----------------------------------------------------------------------

    def _purchase(
        self, name: str, state: str, origin: str, product: str, units: float, planned: str, vendor: str, price: float
    ) -> _Document:
        offers = [o for o in self.problem.offers if (o.vendor, o.product) == (vendor, product)]
        offer = min(offers, key=lambda o: abs(o.price / 100 - price), default=None)
        return _Document(name, state != "purchase", origin, product, int(units), self._day(planned), vendor, offer)

    def _production(
        self, name: str, state: str, origin: str, product: str, units: float, due: str, center: str | None, start: str
    ) -> _Document:
        return _Document(
            name, state == "draft", origin, product, int(units), self._day(due), center or "", start=self._day(start)
        )

    def _sale(self, name: str, date: str, units: float) -> Need:
        return Need(name, self._day(date), int(units))

    def _day(self, date: str | None) -> int:
        return 0 if date is None else (dt.date.fromisoformat(date) - self.scenario.today).days

    def _date(self, day: int) -> str:
        return (self.scenario.today + dt.timedelta(days=day)).isoformat()

    # -- what they leave open -------------------------------------------------------------------------------

    @cached_property
    def _needs(self) -> dict[str, tuple[Need, ...]]:
        """What takes each product, in order of days."""
        found = {self.problem.product: list(self.sales)}
        for order in self.productions:
            bom = self.problem.bom_by_product.get(order.product)
            for line in bom.lines if bom else ():
                found.setdefault(line.component, []).append(Need(order.name, order.start, order.units * line.quantity))
        return {product: tuple(sorted(needs, key=lambda need: need.day)) for product, needs in found.items()}

    def _documents(self, product: str) -> list[_Document]:
        return [document for document in (*self.purchases, *self.productions) if document.product == product]

    def _open(self, part: _Part) -> list[Need]:
        """What neither stock nor documents cover: each serves the first needs from its day on."""
        left = [need.units for need in part.needs]
        arrivals = sorted((document.day, document.units) for document in part.documents)
        for day, units in [(-1, self.problem.stock.get(part.product, 0)), *arrivals]:
            for place, need in enumerate(part.needs):
                served = min(units, left[place]) if need.day >= day else 0
                left[place] -= served
                units -= served
        return [Need(need.ref, need.day, units) for need, units in zip(part.needs, left, strict=True) if units]

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
            most = self._room(document.product, document.place) + document.units
            for units in _around(document.units, 1, most):
                # another quantity makes the work orders anew, on the usual work center
                yield _call("update_manufacturing_order", order=document.name, quantity=units, work_center=document.place)
        drafts = [document for document in self.purchases if document.draft][-1:]
        kept = [document for document in self.purchases if self.seeded and not document.draft]
        for document in (*drafts, *kept):
            offer = document.offer
            for units in _around(document.units, offer.min_qty, offer.max_qty) if offer else ():
                yield _call("update_purchase_order", order=document.name, lines=[self._line(replace(document, units=units))])

    def _links(self, part: _Part) -> Iterator[ToolCall]:
        """Source documents that should be others."""
        origins = self._origins(part, part.documents)
        for document in part.documents:
            origin = origins.get(document.name, "")
            if origin and origin != document.origin:
                kind = "manufacturing" if document.offer is None else "purchase"
                yield _call(f"update_{kind}_order", order=document.name, origin=origin)

    def _makes(self, part: _Part, open_needs: list[Need]) -> Iterator[ToolCall]:
        """Manufacturing orders: on each work center and each day on which units are open, as many as are open then or later."""
        product = part.product
        if product == self.problem.product and not self.problem.making:
            return
        lead = self.problem.bom_by_product[product].lead if product in self.problem.bom_by_product else 0
        for center, room in part.rooms:
            for day in sorted({need.day for need in part.needs if need.day >= lead}):
                fresh = _Document("", True, "", product, 0, day, center, start=day - lead)
                on_day = sum(need.units for need in open_needs if need.day == day)
                later = sum(need.units for need in open_needs if need.day >= day)
                for units in sorted({min(units, room) for units in (on_day, later)} - {0}):
                    yield self._make(part, open_needs, replace(fresh, units=units))

    def _make(self, part: _Part, open_needs: list[Need], fresh: _Document) -> ToolCall:
        return _call(
            "create_manufacturing_order",
            product=fresh.product,
            quantity=fresh.units,
            start_date=self._date(fresh.start),
            due_date=self._date(fresh.day),
            work_center=fresh.place,
            origin=self._origin(part, open_needs, fresh),
        )

    def _buys(self, part: _Part, open_needs: list[Need]) -> Iterator[ToolCall]:
        """Purchases of each offer that is not used: its least, and as many as are open from its arrival on."""
        product = part.product
        if product == self.problem.product and not self.problem.buying:
            return
        used = {document.offer.key for document in part.documents if document.offer}
        offers = [offer for offer in self.problem.offers if offer.product == product and offer.key not in used]
        for offer in sorted(offers, key=lambda offer: offer.price):
            reached = sum(need.units for need in open_needs if need.day >= offer.lead)
            most = max(offer.min_qty, min(reached, offer.max_qty or reached))
            for units in sorted({offer.min_qty, most}, reverse=True) if reached else ():
                fresh = _Document("", True, "", product, units, offer.lead, offer.vendor, offer)
                lines = [self._line(fresh)]
                yield _call(
                    "create_purchase_order", vendor=offer.vendor, lines=lines, origin=self._origin(part, open_needs, fresh)
                )

    def _line(self, document: _Document) -> dict[str, Any]:
        offer = document.offer
        assert offer is not None, "it is a purchase"
        date = self._date(document.day)
        return {"product": offer.product, "quantity": document.units, "unit_price": offer.price / 100, "delivery_date": date}

    def _room(self, product: str, place: str) -> int:
        """Units of a product for which a work center has minutes left."""
        minutes = {(operation.product, operation.center): operation.minutes for operation in self.problem.operations}
        capacity = next((center.capacity for center in self.problem.centers if center.code == place), 0)
        load = sum(
            order.units * minutes.get((order.product, order.place), 0) for order in self.productions if order.place == place
        )
        each = minutes.get((product, place), 0)
        return max(0, capacity - load) // each if each else 0

    # -- source documents -----------------------------------------------------------------------------------

    def _origin(self, part: _Part, open_needs: list[Need], fresh: _Document) -> str:
        """The source documents of a new document: as they are linked, else the first needs from its day on."""
        linked = self._origins(part, [*part.documents, fresh]).get("", "")
        return linked or next((need.ref for need in open_needs if need.day >= fresh.day), "")

    def _origins(self, part: _Part, documents: Iterable[_Document]) -> dict[str, str]:
        """The source documents of all supply of a product; empty where it cannot all be wanted."""
        supplies = [Supply(each.name, each.day, each.units, self._floor(each)) for each in documents]
        try:
            return {name: ", ".join(refs) for name, refs in link(supplies, part.needs).items()}
        except TaskError:
            return {}

    def _floor(self, document: _Document) -> int:
        strict = self.scenario.style == "release" and document.product == self.problem.product
        return document.units if document.offer is None or strict else least_linked(document.offer, document.units)


def _around(units: int, least: int, most: int | None) -> list[int]:
    """Quantities that are some steps away, within limits."""
    steps = sorted({units + sign * step for step in STEPS for sign in (1, -1)})
    return [each for each in steps if each >= least and (most is None or each <= most)]


def _call(name: str, **arguments: Any) -> ToolCall:
    return ToolCall(name=name, arguments=arguments)
