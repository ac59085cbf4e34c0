"""Open documents: what an informed agent would have read of the documents that are not cancelled, kept from call to call.

They are made of the :mod:`books <opsgym.envs.erp_bench.books>`, of a document again only when it was written.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Collection, Mapping, Set
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar

from opsgym.core.changes import Key
from opsgym.envs.erp_bench.books import Books, Row
from opsgym.envs.erp_bench.ledger import News
from opsgym.envs.erp_bench.spec import Offer, Scenario

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Sold:
    """A sales order with its units of the finished product; days count from day 0."""

    customer: str | None
    name: str
    state: str
    day: int
    total: float
    units: float
    term: str | None


@dataclass(frozen=True, slots=True)
class Bill:
    """A customer invoice of the sales order ``origin``."""

    origin: str | None
    name: str
    state: str
    total: float


@dataclass(frozen=True, slots=True)
class Document:
    """A purchase line or manufacturing order; ``place`` is the vendor or the work center, days count from day 0."""

    name: str
    draft: bool
    origin: str
    product: str
    units: int
    day: int
    place: str
    offer: Offer | None = None
    start: int = 0


class _File(Generic[T]):
    """What there is of one kind, by id; the same object while it stays equal."""

    def __init__(self) -> None:
        self._by_id: dict[int, tuple[T, ...]] = {}
        self.all: tuple[T, ...] = ()

    @property
    def keys(self) -> Set[int]:
        """The ids."""
        return self._by_id.keys()

    def renew(self, keys: Collection[Key], rows: Mapping[int, Row], make: Callable[[Row], tuple[T, ...]]) -> None:
        """Make what there is of some ids anew."""
        differing, by_id = False, self._by_id
        for key in keys:
            if not isinstance(key, int):
                continue
            row = rows.get(key)
            new = () if row is None else make(row)
            if new == by_id.get(key, ()):
                continue
            differing = True
            if new:
                by_id[key] = new
            else:
                del by_id[key]
        if differing:
            self.all = tuple([each for key in sorted(by_id) for each in by_id[key]])


class OpenDocuments:
    """The documents of one world as a task's agent sees them, in the order of their ids.

    Args:
        scenario: The task.
    """

    def __init__(self, scenario: Scenario) -> None:
        self._today, self._product = scenario.today.toordinal(), scenario.problem.product
        self._offers: dict[tuple[str | None, str | None], list[Offer]] = {}
        for offer in scenario.problem.offers:
            self._offers.setdefault((offer.vendor, offer.product), []).append(offer)
        self._sold, self._bills = _File[Sold](), _File[Bill]()
        self._purchases, self._productions = _File[Document](), _File[Document]()
        self._files: tuple[tuple[_File[Any], str, Callable[..., tuple[Any, ...]]], ...] = (
            (self._sold, "sale_order", self._sale),
            (self._bills, "account_move", self._bill),
            (self._purchases, "purchase_order", self._purchase),
            (self._productions, "mrp_production", self._production),
        )

    @property
    def sold(self) -> tuple[Sold, ...]:
        """Sales orders of the finished product."""
        return self._sold.all

    @property
    def bills(self) -> tuple[Bill, ...]:
        """Customer invoices."""
        return self._bills.all

    @property
    def purchases(self) -> tuple[Document, ...]:
        """Lines of purchase orders."""
        return self._purchases.all

    @property
    def productions(self) -> tuple[Document, ...]:
        """Manufacturing orders."""
        return self._productions.all

    def renew(self, books: Books, news: News | None = None) -> None:
        """Take up what is new; without news everything."""
        for file, table, make in self._files:
            rows = books.mirror(table).rows
            written: Collection[Key]
            if news is None or news.everything:
                written = file.keys | rows.keys()
            else:
                written = (news.written if table == "account_move" else news.orders).get(table, ())
            if written:
                file.renew(written, rows, partial(make, books))

    def _sale(self, books: Books, row: Row) -> tuple[Sold, ...]:
        key, name, _, partner, state, commitment, term, _, total = row
        names = books.names
        lines = [line[3] for line in books.mirror("sale_order_line").of(key) if names.product.get(line[2]) == self._product]
        if state is None or state == "cancel" or not lines:
            return ()
        units = sum(each for each in lines if each is not None)
        return (Sold(names.partner.get(partner), name, state, self._day(commitment), total, units, names.term.get(term)),)

    def _bill(self, books: Books, row: Row) -> tuple[Bill, ...]:
        key, name, _, state, _, _, total, kind, origin = row
        if kind != "out_invoice" or state is None or state == "cancel":
            return ()
        return (Bill(origin, f"DRAFT/{key}" if name is None else name, state, total),)

    def _purchase(self, books: Books, row: Row) -> tuple[Document, ...]:
        key, name, partner, state, origin = row
        if state is None or state == "cancel":
            return ()
        vendor, found = books.names.partner.get(partner), []
        for _, _, code, units, _, planned, price in books.mirror("purchase_order_line").of(key):
            product = books.names.product.get(code)
            offers = self._offers.get((vendor, product), ())
            offer = min(offers, key=lambda each: abs(each.price / 100 - price), default=None)
            day = self._day(planned)
            found.append(Document(name, state != "purchase", origin or "", product or "", int(units), day, vendor or "", offer))
        return tuple(found)

    def _production(self, books: Books, row: Row) -> tuple[Document, ...]:
        key, name, code, units, state, start, deadline, _, origin = row
        if state is None or state == "cancel":
            return ()
        names, work = books.names, books.mirror("mrp_workorder").of(key)
        center = next((names.center.get(each[2]) for each in work if each[3] is not None and each[3] != "cancel"), None)
        product, day = names.product.get(code) or "", self._day(deadline)
        start_day = self._day(start)
        return (Document(name, state == "draft", origin or "", product, int(units), day, center or "", start=start_day),)

    def _day(self, moment: str | None) -> int:
        return 0 if moment is None else dt.date.fromisoformat(moment[:10]).toordinal() - self._today
