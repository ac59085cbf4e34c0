"""A state indexed once for all rules, with what they compute in common."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

from opsgym.core.task import Certificate
from opsgym.envs.erp_bench.rules.chain import Arrival, Build, shortages
from opsgym.envs.erp_bench.rules.tables import TINY, Tables
from opsgym.envs.erp_bench.spec import Offer, Operation
from opsgym.envs.erp_bench.state import ErpState, Invoice, Production, Purchase, PurchaseLine, Sale, SaleLine

CONFIRMED = ("confirmed", "done")

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Bought:
    """A line of a confirmed purchase order; ``day`` counts from day 0, ``offer`` is ``None`` when none fits."""

    order: Purchase
    vendor: str | None
    product: str | None
    quantity: float
    price: float
    day: int | None
    offer: Offer | None


@dataclass(frozen=True, slots=True)
class Made:
    """A confirmed manufacturing order.

    Attributes:
        order: The document.
        product: Its product.
        quantity: Units.
        centers: Work centers of its live work orders.
        operation: How the scenario makes the product on the first of these, or ``None`` when it does not.
        start: Day on which its inputs are taken: the first start of its work orders, else its own.
        due: Day of its deadline.
        available: ``due`` where the dates leave the lead time and start on day 0 or later, else ``None``.
    """

    order: Production
    product: str | None
    quantity: float
    centers: tuple[str | None, ...]
    operation: Operation | None
    start: int | None
    due: int | None
    available: int | None

    @property
    def name(self) -> str:
        """Name of the document."""
        return self.order.name


@dataclass(frozen=True, slots=True)
class Demand:
    """What a document wants of a product: units, and the day by which it wants them."""

    quantity: float
    day: int | None


class SaleFacts(NamedTuple):
    """What the rules want to know of a sales order.

    Attributes:
        finished: Its lines that sell a finished product.
        ordered: Those of the product that its customer ordered.
        units: Their units.
        day: Day on which it is promised.
    """

    finished: list[SaleLine]
    ordered: list[SaleLine]
    units: float
    day: int | None


_MADE_OF: Mapping[str, tuple[str, ...]] = {
    "sales": ("sales", "confirmed_sales", "sale_by_ref", "units", "sold", "_demands"),
    "touched": ("touched",),
    "purchases": ("live_purchases", "bought", "total_bought", "vendors", "chain_shortages", "spend", "repair_distance"),
    "productions": (
        *("live_productions", "made", "total_made", "needs", "raw_needs", "minutes", "loads", "_demands"),
        *("chain_shortages", "spend", "repair_distance"),
    ),
    "invoices": ("invoices_by_sale",),
}
"""What a context holds that is made of each part of a state."""

_MOST_KEPT = 4096
"""Documents of which it is kept what was made of them."""


class Context:
    """An end state, arranged for the rules.

    Args:
        state: The end state.
        tables: The scenario it is judged by.
        certificate: What was proven about the scenario.
    """

    def __init__(self, state: ErpState, tables: Tables, certificate: Certificate) -> None:
        self.state = state
        self.tables = tables
        self.certificate = certificate
        self._of_documents: dict[int, tuple[object, Any]] = {}

    def turn_to(self, state: ErpState, changed: Iterable[str]) -> None:
        """Arrange another state in which only some parts differ; what is made of the others stays."""
        if len(self._of_documents) > _MOST_KEPT:
            self._of_documents.clear()
        for part in changed:
            for name in _MADE_OF.get(part, ()):
                self.__dict__.pop(name, None)
        self.state = state  # at last: an interrupt before leaves what is compared with

    def _once(self, document: Any, make: Callable[[Any], T]) -> T:
        """What is made of a document; made once, since documents do not change."""
        known = self._of_documents.get(id(document))
        if known is None:
            known = self._of_documents[id(document)] = document, make(document)  # it is held: its id stays its own
        made: T = known[1]
        return made

    @cached_property
    def sales(self) -> list[Sale]:
        """Live sales orders by name."""
        return sorted((sale for sale in self.state.sales if sale.state != "cancelled"), key=_name)

    @cached_property
    def confirmed_sales(self) -> Mapping[str | None, list[Sale]]:
        """Confirmed sales orders by customer."""
        found: dict[str | None, list[Sale]] = {}
        for sale in self.sales:
            if sale.state in CONFIRMED:
                found.setdefault(sale.customer, []).append(sale)
        return found

    @cached_property
    def _demands(self) -> dict[str | None, dict[str, Demand]]:
        return {}

    @cached_property
    def sale_by_ref(self) -> dict[str, Sale]:
        """The sales order of each customer reference, cancelled ones too; the oldest where several carry it."""
        return {sale.ref: sale for sale in sorted(self.state.sales, key=_name, reverse=True) if sale.ref}

    @cached_property
    def touched(self) -> frozenset[str]:
        """Names of the documents that were there at the start and are no longer as they were."""
        return frozenset(change.key for change in self.state.touched)

    @cached_property
    def units(self) -> dict[str, float]:
        """Units of what its customer ordered, by name of the live sales order."""
        return {sale.name: self._facts(sale).units for sale in self.sales}

    @cached_property
    def live_purchases(self) -> list[Purchase]:
        """Purchase orders that are not cancelled, by name."""
        return sorted((order for order in self.state.purchases if order.state != "cancelled"), key=_name)

    @cached_property
    def live_productions(self) -> list[Production]:
        """Manufacturing orders that are not cancelled, by name."""
        return sorted((order for order in self.state.productions if order.state != "cancelled"), key=_name)

    @cached_property
    def invoices_by_sale(self) -> dict[str, list[Invoice]]:
        """Invoices that are not cancelled, by the name of each sales order that they are linked to."""
        found: defaultdict[str, list[Invoice]] = defaultdict(list)
        for invoice in sorted(self.state.invoices, key=_name):
            if invoice.state != "cancelled":
                for name in dict.fromkeys(invoice.sales):
                    found[name].append(invoice)
        return found

    @cached_property
    def bought(self) -> list[Bought]:
        """Every line with a quantity of every confirmed purchase order; a line set to zero buys nothing."""
        return [line for order in self.live_purchases if order.state in CONFIRMED for line in self._once(order, self._bought)]

    def _bought(self, order: Purchase) -> list[Bought]:
        day, resolve = self.tables.day, self.tables.resolve
        lines = [line for line in order.lines if line.quantity]
        offers = [resolve(order.vendor, line.product, line.quantity) for line in lines]
        if None in offers:
            offers = [offer or self._shared(order.vendor, line, lines, offers) for line, offer in zip(lines, offers, strict=True)]
        return [
            Bought(order, order.vendor, line.product, line.quantity, line.price, day(line.planned), offer)
            for line, offer in zip(lines, offers, strict=True)
        ]

    def _shared(
        self, vendor: str | None, line: PurchaseLine, lines: list[PurchaseLine], offers: list[Offer | None]
    ) -> Offer | None:
        """The offer of a line that is below every minimum, as when an order is split over delivery dates.

        It is the offer of the order's other lines of the product, or the one that such lines reach together.
        """
        same = [(other.quantity, offer) for other, offer in zip(lines, offers, strict=True) if other.product == line.product]
        if any(quantity < 0 for quantity, _ in same):
            return None
        known = [offer for _, offer in same if offer]
        total = sum(quantity for quantity, _ in same)
        return min(known, key=lambda offer: offer.min_qty) if known else self.tables.resolve(vendor, line.product, total)

    @cached_property
    def made(self) -> list[Made]:
        """Every confirmed manufacturing order."""
        return [self._once(order, self._made) for order in self.live_productions if order.state in CONFIRMED]

    def _made(self, order: Production) -> Made:
        tables = self.tables
        work = [item for item in order.work_orders if item.state not in ("cancel", "cancelled")]
        centers = tuple(item.center for item in work)
        starts = [tables.day(item.start) for item in work if item.start is not None]
        start = min((day for day in starts if day is not None), default=tables.day(order.start))
        due = tables.day(order.deadline)
        lead = tables.lead.get(order.product or "", 0)
        valid = start is not None and due is not None and start >= 0 and due >= start + lead
        operation = tables.operations.get((order.product or "", centers[0] or "")) if centers else None
        return Made(order, order.product, order.quantity, centers, operation, start, due, due if valid else None)

    @cached_property
    def sold(self) -> dict[str | None, float]:
        """Units of each finished product on confirmed sales orders, whoever ordered them."""
        sales = [sale for sales in self.confirmed_sales.values() for sale in sales]
        return _totals((line.product, line.quantity) for sale in sales for line in self.finished_lines(sale))

    @cached_property
    def total_bought(self) -> dict[str | None, float]:
        """Confirmed purchased units by product."""
        return _totals((item.product, item.quantity) for item in self.bought)

    @cached_property
    def total_made(self) -> dict[str | None, float]:
        """Confirmed manufactured units by product."""
        return _totals((item.product, item.quantity) for item in self.made)

    @cached_property
    def needs(self) -> dict[str | None, float]:
        """Units of each input that the confirmed manufacturing orders take by the specification's bills of materials."""
        return _totals(
            (component, per_unit * item.quantity)
            for item in self.made
            for component, per_unit in self.tables.bom.get(item.product or "", {}).items()
        )

    @cached_property
    def raw_needs(self) -> dict[str | None, float]:
        """Units of each input on the raw moves of the confirmed manufacturing orders."""
        return _totals(move for item in self.made for move in item.order.raw)

    def supply(self, product: str) -> float:
        """Units of ``product`` in stock, bought and made over the whole horizon."""
        return self.tables.stock.get(product, 0) + self.total_bought.get(product, 0) + self.total_made.get(product, 0)

    @cached_property
    def chain_shortages(self) -> list[str]:
        """What is missing where, when the confirmed documents are carried out day by day; empty when nothing is."""
        arrivals = [Arrival(item.day, item.product, item.quantity) for item in self.bought]
        level = self.tables.level
        builds = [
            Build(item.name, item.product, item.quantity, item.start, item.available, level.get(item.product or "", 0))
            for item in self.made
        ]
        return shortages(self.tables.stock, arrivals, builds, self.tables.bom)

    @cached_property
    def spend(self) -> float:
        """New spend in cents: every confirmed purchase line and every confirmed manufacturing order.

        A line is priced from the vendor's offer, or as written where none fits; a manufacturing order on no
        eligible work center at the dearest of its product.
        """
        bought = sum(item.quantity * (item.offer.price if item.offer else 100 * item.price) for item in self.bought)
        dearest = self.tables.dearest
        made = sum(
            item.quantity * (item.operation.unit_cost if item.operation else dearest.get(item.product or "", 0))
            for item in self.made
        )
        return bought + made

    @cached_property
    def vendors(self) -> int:
        """Distinct vendors with a confirmed purchase."""
        return len({item.vendor for item in self.bought})

    @cached_property
    def minutes(self) -> float | None:
        """Scheduled minutes in thousandths, or ``None`` when some order is on no eligible work center."""
        total = 0.0
        for item in self.made:
            if item.operation is None:
                return None
            total += item.quantity * item.operation.minutes
        return total

    @cached_property
    def loads(self) -> dict[tuple[str, int], float]:
        """Thousandths of a minute by work center and capacity bucket, of the orders on eligible work centers."""
        found: defaultdict[tuple[str, int], float] = defaultdict(float)
        for item in self.made:
            if item.operation:
                center = item.operation.center
                found[center, self.tables.bucket(center, item.start)] += item.quantity * item.operation.minutes
        return dict(found)

    @cached_property
    def repair_distance(self) -> float | None:
        """Units by which finished offers and (product, work center) totals differ from the seeded plan.

        ``None`` when some finished purchase fits no offer or some order is on no eligible work center.
        """
        offers: defaultdict[str, float] = defaultdict(float)
        for line in self.bought:
            if line.product in self.tables.prices:
                if line.offer is None:
                    return None
                offers[line.offer.key] += line.quantity
        choices: defaultdict[tuple[str, str], float] = defaultdict(float)
        for item in self.made:
            if item.operation is None:
                return None
            choices[item.operation.product, item.operation.center] += item.quantity
        return _distance(offers, self.tables.baseline_offers) + _distance(choices, self.tables.baseline_choices)

    def _facts(self, sale: Sale) -> SaleFacts:
        return self._once(sale, self._sale_facts)

    def _sale_facts(self, sale: Sale) -> SaleFacts:
        finished = [line for line in sale.lines if line.product in self.tables.prices and not line.is_downpayment]
        wanted = self.tables.ordered.get(sale.customer or "")
        ordered = [line for line in finished if wanted in (None, line.product)]
        return SaleFacts(finished, ordered, sum(line.quantity for line in ordered), self.tables.day(sale.commitment))

    def finished_lines(self, sale: Sale) -> list[SaleLine]:
        """Lines of ``sale`` that sell a finished product."""
        return self._facts(sale).finished

    def ordered_lines(self, sale: Sale) -> list[SaleLine]:
        """Lines of ``sale`` that sell the finished product that its customer ordered; any for one who ordered none."""
        return self._facts(sale).ordered

    def commitment(self, sale: Sale) -> int | None:
        """Day on which ``sale`` is promised."""
        return self._facts(sale).day

    def demands(self, product: str | None) -> dict[str, Demand]:
        """What supply of ``product`` may be linked to, by document name.

        For a finished product the confirmed sales orders of accepted customers who ordered it, else the confirmed
        manufacturing orders that take it, by the specification's bills of materials.
        """
        found = self._demands.get(product)
        if found is None:
            found = self._demands[product] = self._sold(product) if product in self.tables.prices else self._taken(product)
        return found

    def _sold(self, product: str | None) -> dict[str, Demand]:
        customers = [customer for customer in self.tables.accepted if self.tables.ordered[customer] == product]
        sales = [sale for customer in customers for sale in self.confirmed_sales.get(customer, ())]
        return {sale.name: Demand(self.units[sale.name], self.commitment(sale)) for sale in sales}

    def _taken(self, product: str | None) -> dict[str, Demand]:
        found = {}
        for item in self.made:
            per_unit = self.tables.bom.get(item.product or "", {}).get(product or "")
            if per_unit:
                found[item.name] = Demand(per_unit * item.quantity, item.start)
        return found

    def links(self, order: Purchase, product: str | None) -> list[str]:
        """The origins of a purchase order that count for its ``product``.

        An order for several products names the demands of all; those of its other products are left out.
        """
        mine = self.demands(product)
        others = [self.demands(line.product) for line in order.lines if line.product != product]
        return [name for name in order.origins if name in mine or not any(name in other for other in others)]


def _name(document: Sale | Purchase | Production | Invoice) -> str:
    return document.name


def _totals(pairs: Iterable[tuple[str | None, float]]) -> dict[str | None, float]:
    found: defaultdict[str | None, float] = defaultdict(float)
    for key, quantity in pairs:
        found[key] += quantity
    return dict(found)


def _distance(actual: Mapping[Any, float], baseline: Mapping[Any, int]) -> float:
    return sum(abs(actual.get(key, 0) - baseline.get(key, 0)) for key in {*actual, *baseline})


def is_whole(quantity: float) -> bool:
    """Whether ``quantity`` is a positive whole number of units."""
    return quantity > TINY and abs(quantity - round(quantity)) <= TINY


def show_day(day: int | None, today: dt.date) -> str:
    """A day of the plan as a date, for messages."""
    try:
        return "no date" if day is None else (today + dt.timedelta(days=day)).isoformat()
    except OverflowError:
        return f"day {day}"
