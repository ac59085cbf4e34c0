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
from operator import is_
from typing import Any

from opsgym.core.errors import TaskError
from opsgym.core.task import ToolCall
from opsgym.envs.erp_bench.open_documents import Document, OpenDocuments, Sold
from opsgym.envs.erp_bench.plan import Need, Supply, least_linked, link
from opsgym.envs.erp_bench.spec import Offer, Scenario

__all__ = ["Supplies"]

_MOST_SAID = 4096
"""How many calls are kept for the time that they are on offer again."""

STEPS = (1, 2, 4, 8, 16, 32)
"""Units by which a quantity can be changed at a time."""


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
    documents: tuple[Document, ...]
    rooms: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True, eq=False)
class _Calls:
    """The calls for one product: other source documents, manufacturing orders and purchases; not worth comparing."""

    links: tuple[ToolCall, ...]
    makes: tuple[ToolCall, ...]
    buys: tuple[ToolCall, ...]


class Supplies:
    """Calls that make, buy, change and link supply, under the ``"tools"`` harness.

    - the confirmation or cancellation of a draft, and of documents that were there at the start;
    - another quantity for the newest draft, in a repair for each seeded purchase;
    - the source documents of a document that names others than it should;
    - a manufacturing order for every product that is wanted, on every work center with minutes left, due when it is wanted;
    - a purchase of every offer not used yet of what is wanted.

    They are made again only where the documents that they depend on have changed; a call that stays is the same object.

    Args:
        scenario: The task.
    """

    def __init__(self, scenario: Scenario) -> None:
        self.scenario, self.problem = scenario, scenario.problem
        self.seeded = self.problem.repair is not None
        self._ordered = [product.code for product in self.problem.products]
        self._minutes = {(operation.product, operation.center): operation.minutes for operation in self.problem.operations}
        self._capacity = {center.code: center.capacity for center in reversed(self.problem.centers)}
        self._centers: dict[str, list[str]] = {}
        for operation in self.problem.operations:
            self._centers.setdefault(operation.product, []).append(operation.center)
        self._offers: dict[str, list[Offer]] = {}
        for offer in sorted(self.problem.offers, key=lambda offer: offer.price):
            self._offers.setdefault(offer.product, []).append(offer)
        self._said: dict[tuple[object, ...], ToolCall] = {}
        self._by_product: dict[str, tuple[_Part, _Calls]] = {}
        self._last: tuple[tuple[object, ...], list[ToolCall]] = (), []
        self.sold: tuple[Sold, ...] = ()
        self.purchases: tuple[Document, ...] = ()
        self.productions: tuple[Document, ...] = ()
        self._load: dict[str, int] = {}

    def calls(self, documents: OpenDocuments) -> list[ToolCall]:
        """What can be done, what is begun first."""
        inputs = documents.sold, documents.purchases, documents.productions
        if self._last[0] and all(map(is_, self._last[0], inputs)):
            return self._last[1]
        if len(self._said) > _MOST_SAID:
            self._said.clear()
        self.sold, self.purchases, self.productions = inputs
        self._load = {}
        for order in self.productions:
            used = order.units * self._minutes.get((order.product, order.place), 0)
            self._load[order.place] = self._load.get(order.place, 0) + used
        supplied: dict[str, list[Document]] = {}
        for document in (*self.purchases, *self.productions):
            supplied.setdefault(document.product, []).append(document)
        needs = self._needs()
        made = {code: self._calls(code, needs, supplied) for code in dict.fromkeys((*self._ordered, *supplied))}
        found = [*self._decisions(), *self._changes()]
        for product in supplied:
            found += made[product].links
        for product in self._ordered:
            found += made[product].makes
        for product in self._ordered:
            found += made[product].buys
        self._last = inputs, found
        return found

    def _calls(self, product: str, needs: dict[str, tuple[Need, ...]], supplied: dict[str, list[Document]]) -> _Calls:
        rooms = tuple([(center, self._room(product, center)) for center in self._centers.get(product, ())])
        part = _Part(product, needs.get(product, ()), tuple(supplied.get(product, ())), rooms)
        known = self._by_product.get(product)
        if known is None or known[0] != part:
            known = self._by_product[product] = part, self._made(part)
        return known[1]

    def _made(self, part: _Part) -> _Calls:
        open_needs = self._open(part)
        if not open_needs:
            return _Calls(tuple(self._links(part)), (), ())
        return _Calls(tuple(self._links(part)), tuple(self._makes(part, open_needs)), tuple(self._buys(part, open_needs)))

    def _date(self, day: int) -> str:
        return (self.scenario.today + dt.timedelta(days=day)).isoformat()

    # -- what they leave open -------------------------------------------------------------------------------

    def _needs(self) -> dict[str, tuple[Need, ...]]:
        """What takes each product, in order of days."""
        sales = [Need(sale.name, sale.day, int(sale.units)) for sale in self.sold if sale.state == "sale"]
        found = {self.problem.product: sales}
        for order in self.productions:
            bom = self.problem.bom_by_product.get(order.product)
            for line in bom.lines if bom else ():
                found.setdefault(line.component, []).append(Need(order.name, order.start, order.units * line.quantity))
        return {product: tuple(sorted(needs, key=lambda need: need.day)) for product, needs in found.items()}

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
                    yield self._call(f"confirm_{kind}_order", order=document.name)
                if document.draft or self.seeded:
                    yield self._call(f"cancel_{kind}_order", order=document.name)

    def _changes(self) -> Iterator[ToolCall]:
        """Other quantities, within what the offer or the work center gives."""
        drafts = [document for document in self.productions if document.draft][-1:]
        for document in drafts:
            most = self._room(document.product, document.place) + document.units
            for units in _around(document.units, 1, most):
                # another quantity makes the work orders anew, on the usual work center
                yield self._call("update_manufacturing_order", order=document.name, quantity=units, work_center=document.place)
        drafts = [document for document in self.purchases if document.draft][-1:]
        kept = [document for document in self.purchases if self.seeded and not document.draft]
        for document in (*drafts, *kept):
            offer = document.offer
            if offer is None:
                continue
            for units in _around(document.units, offer.min_qty, offer.max_qty):
                yield self._call("update_purchase_order", self._line(offer, units, document.day), order=document.name)

    def _links(self, part: _Part) -> Iterator[ToolCall]:
        """Source documents that should be others."""
        origins = self._origins(part, part.documents)
        for document in part.documents:
            origin = origins.get(document.name, "")
            if origin and origin != document.origin:
                kind = "manufacturing" if document.offer is None else "purchase"
                yield self._call(f"update_{kind}_order", order=document.name, origin=origin)

    def _makes(self, part: _Part, open_needs: list[Need]) -> Iterator[ToolCall]:
        """Manufacturing orders: on each work center and each day on which units are open, as many as are open then or later."""
        product = part.product
        if product == self.problem.product and not self.problem.making:
            return
        lead = self.problem.bom_by_product[product].lead if product in self.problem.bom_by_product else 0
        for center, room in part.rooms:
            for day in sorted({need.day for need in part.needs if need.day >= lead}):
                fresh = Document("", True, "", product, 0, day, center, start=day - lead)
                on_day = sum(need.units for need in open_needs if need.day == day)
                later = sum(need.units for need in open_needs if need.day >= day)
                for units in sorted({min(units, room) for units in (on_day, later)} - {0}):
                    yield self._make(part, open_needs, replace(fresh, units=units))

    def _make(self, part: _Part, open_needs: list[Need], fresh: Document) -> ToolCall:
        return self._call(
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
        for offer in [offer for offer in self._offers.get(product, ()) if offer.key not in used]:
            reached = sum(need.units for need in open_needs if need.day >= offer.lead)
            most = max(offer.min_qty, min(reached, offer.max_qty or reached))
            for units in sorted({offer.min_qty, most}, reverse=True) if reached else ():
                fresh = Document("", True, "", product, units, offer.lead, offer.vendor, offer)
                origin = self._origin(part, open_needs, fresh)
                yield self._call(
                    "create_purchase_order", self._line(offer, units, offer.lead), vendor=offer.vendor, origin=origin
                )

    def _call(self, name: str, line: tuple[tuple[str, Any], ...] = (), **arguments: Any) -> ToolCall:
        """A call, of a document with one line where one is given."""
        key = name, line, *arguments.values()
        call = self._said.get(key)
        if call is None:
            if line:
                first, *others = arguments.items()
                arguments = dict([first, ("lines", [dict(line)]), *others])
            call = self._said[key] = ToolCall(name=name, arguments=arguments)
        return call

    def _line(self, offer: Offer, units: int, day: int) -> tuple[tuple[str, Any], ...]:
        price, date = offer.price / 100, self._date(day)
        return ("product", offer.product), ("quantity", units), ("unit_price", price), ("delivery_date", date)

    def _room(self, product: str, place: str) -> int:
        """Units of a product for which a work center has minutes left."""
        each = self._minutes.get((product, place), 0)
        return max(0, self._capacity.get(place, 0) - self._load.get(place, 0)) // each if each else 0

    # -- source documents -----------------------------------------------------------------------------------

    def _origin(self, part: _Part, open_needs: list[Need], fresh: Document) -> str:
        """The source documents of a new document: as they are linked, else the first needs from its day on."""
        linked = self._origins(part, [*part.documents, fresh]).get("", "")
        return linked or next((need.ref for need in open_needs if need.day >= fresh.day), "")

    def _origins(self, part: _Part, documents: Iterable[Document]) -> dict[str, str]:
        """The source documents of all supply of a product; empty where it cannot all be wanted."""
        supplies = [Supply(each.name, each.day, each.units, self._floor(each)) for each in documents]
        try:
            return {name: ", ".join(refs) for name, refs in link(supplies, part.needs).items()}
        except TaskError:
            return {}

    def _floor(self, document: Document) -> int:
        strict = self.scenario.style == "release" and document.product == self.problem.product
        return document.units if document.offer is None or strict else least_linked(document.offer, document.units)


def _around(units: int, least: int, most: int | None) -> list[int]:
    """Quantities that are some steps away, within limits."""
    steps = sorted({units + sign * step for step in STEPS for sign in (1, -1)})
    return [each for each in steps if each >= least and (most is None or each <= most)]
