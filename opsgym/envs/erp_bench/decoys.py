"""Decoys: records that look useful and are not, so that an agent must read names, codes, dates and grades.

A decoy is made like a core record: same refs, codes, names, lanes and plausible figures.  Only what it is for differs:
a twin of a partner, another grade of a product, a price row that has run out, a work center that is shut, business
of other customers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np

from opsgym.envs.erp_bench.domains import Domain
from opsgym.envs.erp_bench.lanes import LABELS
from opsgym.envs.erp_bench.names import Namer
from opsgym.envs.erp_bench.spec import Bom, BomLine, Decoys, Offer, Operation, Order, Partner, Problem, Product, WorkCenter

GRADES = (
    "{} B-Grade",
    "{}, Refurbished",
    "{} Mk I",
    "{} Eco",
    "{} (Export)",
    "{}, Unpainted",
    "{} Demo",
    "{} Type 2",
    "{}, 60 Hz",
    "{} Compact",
    "{} XL",
    "{}, Series K",
)
CLOSED = (
    "Closed for overhaul until further notice.",
    "Shut down: spindle replaced next quarter, no orders may be planned here.",
    "Out of service since the audit; do not schedule.",
    "Mothballed. Power is disconnected.",
)
SITUATIONS = (
    "other_grade",
    "near_vendor",
    "expired_offer",
    "other_order",
    "near_customer",
    "unrelated_product",
    "closed_center",
    "other_grade",
    "other_bom",
)
"""Kinds of decoy situations, in turn."""


def draw_decoys(problem: Problem, domain: Domain, namer: Namer, rng: np.random.Generator, *, count: int) -> Decoys:
    """Draw ``count`` misleading situations around ``problem``.

    Args:
        problem: The core records.
        domain: Domain of the task.
        namer: Source of names that no core record has.
        rng: Stream that is consumed.
        count: Situations; each is one to four records.
    """
    maker = _Maker(problem, domain, namer, rng)
    makers: dict[str, Callable[[], None]] = {
        "other_grade": maker.other_grade,
        "near_vendor": maker.near_vendor,
        "expired_offer": maker.expired_offer,
        "other_order": maker.other_order,
        "near_customer": maker.near_customer,
        "unrelated_product": maker.unrelated_product,
        "closed_center": maker.closed_center,
        "other_bom": maker.other_bom,
    }
    offset = int(rng.integers(len(SITUATIONS)))
    for index in range(count):
        makers[SITUATIONS[(index + offset) % len(SITUATIONS)]]()
    return maker.decoys()


class _Maker:
    """Makes decoys one situation at a time."""

    def __init__(self, problem: Problem, domain: Domain, namer: Namer, rng: np.random.Generator) -> None:
        self.problem = problem
        self.domain = domain
        self.namer = namer
        self.rng = rng
        self.records: dict[str, list[object]] = {}
        self.stock: dict[str, int] = {}
        self.expired: set[tuple[str, str]] = set()

    def decoys(self) -> Decoys:
        """What was made so far."""
        return Decoys.model_validate({**{key: tuple(rows) for key, rows in self.records.items()}, "stock": self.stock})

    def _add(self, kind: str, record: object) -> None:
        self.records.setdefault(kind, []).append(record)

    def _products(self) -> list[Product]:
        return [row for row in self.records.get("products", ()) if isinstance(row, Product)]

    def _pick(self, options: tuple[str, ...]) -> str:
        return options[int(self.rng.integers(len(options)))]

    def _core(self) -> Product:
        """The finished product, or any core product."""
        products = self.problem.products
        return products[0] if self.rng.random() < 0.4 else products[int(self.rng.integers(len(products)))]

    def _vendor(self, name: str | None = None) -> Partner:
        partner = self.namer.vendor(name)
        self._add("vendors", partner)
        return partner

    def _customer(self, name: str | None = None) -> Partner:
        partner = self.namer.customer(name)
        self._add("customers", partner)
        return partner

    def _offer(self, product: str, price: int, *, valid_to: int | None = None, vendor: str | None = None) -> None:
        """A price row; an expired one states no maximum, since a maximum is a fact about the vendor."""
        lead, least = int(self.rng.integers(1, 9)), int(self.rng.integers(1, 9))
        seller = vendor or self._vendor().ref
        most = None if valid_to is not None else least + int(self.rng.integers(5, 60))
        key = f"{seller}|{product}|{least}|{price / 100:.2f}|{lead}"
        row = Offer(
            key=key, vendor=seller, product=product, price=price, lead=lead, min_qty=least, max_qty=most, label=self._pick(LABELS)
        )
        start = None if valid_to is None else valid_to - int(self.rng.integers(60, 240))
        self._add("offers", row.model_copy(update={"valid_from": start, "valid_to": valid_to}))

    def _similar(self, like: Product, name: str) -> Product:
        """A product near ``like`` in price, with a code of its own, stock and a vendor that asks less."""
        factor = float(self.rng.uniform(0.8, 0.98))
        product = Product(
            code=self.namer.code(),
            name=name,
            category=like.category,
            list_price=round(like.list_price * factor / 100) * 100
            if like.list_price > 5000
            else max(1, round(like.list_price * factor)),
            standard_price=max(1, round(like.standard_price * factor)),
        )
        self._add("products", product)
        self._offer(product.code, max(1, round(product.standard_price * float(self.rng.uniform(0.85, 1.0)))))
        self.stock[product.code] = int(self.rng.integers(3, 40))
        return product

    def other_grade(self) -> None:
        """Another grade of a core product, cheaper and in stock."""
        like = self._core()
        name = self._pick(GRADES).format(like.name)
        if self.namer.claim(name):
            self._similar(like, name)
        else:
            self.unrelated_product()

    def unrelated_product(self) -> None:
        """Another product of the domain."""
        finished, parts = self.domain.finished, self.domain.components
        if self.rng.random() < 0.4:
            template = finished[int(self.rng.integers(len(finished)))]
            name, price, cost = template.name, template.list_price, round(template.list_price * 0.6)
        else:
            part = parts[int(self.rng.integers(len(parts)))]
            name, price, cost = part.name, round(part.cost * 1.5), part.cost
        while not self.namer.claim(name):
            name = self._pick(GRADES).format(name)
        like = Product(code="", name=name, category=self.domain.category, list_price=price, standard_price=cost)
        self._similar(like, name)

    def near_vendor(self) -> None:
        """A vendor with nearly the name of a core vendor, selling something else."""
        twin = self.problem.vendors[int(self.rng.integers(len(self.problem.vendors)))]
        partner = self._vendor(self.namer.near(twin.name))
        sold = self._products()
        if sold:
            product = sold[int(self.rng.integers(len(sold)))]
            self._offer(
                product.code, max(1, round(product.standard_price * float(self.rng.uniform(0.85, 1.0)))), vendor=partner.ref
            )

    def near_customer(self) -> None:
        """A customer with nearly the name of one in the brief."""
        twin = self.problem.customers[int(self.rng.integers(len(self.problem.customers)))]
        self._customer(self.namer.near(twin.name))

    def expired_offer(self) -> None:
        """A cheap price row on a core product that has run out: of its own vendor at an older price, or of a former one."""
        offers = self.problem.offers
        offer = offers[int(self.rng.integers(len(offers)))]
        price = max(1, round(offer.price * float(self.rng.uniform(0.75, 0.93))))
        ended = -int(self.rng.integers(2, 90))
        own = self.rng.random() < 0.5 and (offer.vendor, offer.product) not in self.expired
        if own:
            self.expired.add((offer.vendor, offer.product))
        self._offer(offer.product, price, valid_to=ended, vendor=offer.vendor if own else None)

    def other_order(self) -> None:
        """Another customer's open sales order for a decoy product."""
        if not self._products():
            self.unrelated_product()
        sold = self._products()
        product = sold[int(self.rng.integers(len(sold)))]
        customer = self._customer()
        state: Literal["draft", "sale"] = "sale" if self.rng.random() < 0.5 else "draft"
        quantity, due = int(self.rng.integers(1, 20)), int(self.rng.integers(3, 21))
        self._add("orders", Order(ref=self.namer.ref("R"), customer=customer.ref, quantity=quantity, due=due, seeded=state))
        self._add("order_products", product.code)

    def closed_center(self) -> None:
        """A cheap and fast work center for the finished product that is shut; in a task without production, any shut center."""
        name = self.namer.center()
        code = self.namer.code("WC")
        rate = int(self.rng.integers(300, 700)) * 10
        self._add("centers", WorkCenter(code=code, name=name, capacity=0, note=self._pick(CLOSED), stated_costs_hour=rate))
        routes = [row for row in self.problem.operations if row.product == self.problem.product]
        if routes:
            fastest = min(row.minutes for row in routes)
            minutes = max(6000, fastest // 6000 * 6000 - 6000 * int(self.rng.integers(0, 2)))
            cost = rate * minutes // 60_000
            operation = Operation(
                product=self.problem.product, center=code, unit_cost=cost, minutes=minutes, name=f"Build on {name}", primary=False
            )
            self._add("operations", operation)

    def other_bom(self) -> None:
        """A bill of materials of a decoy product, from decoy parts."""
        while len(self._products()) < 3:
            self.unrelated_product()
        made = {row.product for row in self.records.get("boms", ()) if isinstance(row, Bom)}
        used = {line.component for row in self.records.get("boms", ()) if isinstance(row, Bom) for line in row.lines}
        sold = self._products()
        free = [position for position, row in enumerate(sold) if position >= 2 and row.code not in made | used]
        if not free:
            self.unrelated_product()
            free = [len(sold)]
        position = free[int(self.rng.integers(len(free)))]
        parts = [row.code for row in self._products()[:position] if row.code not in made]
        chosen = [parts[int(index)] for index in self.rng.permutation(len(parts))[:2]]
        lines = tuple(BomLine(component=code, quantity=int(self.rng.integers(1, 4))) for code in chosen)
        self._add("boms", Bom(product=self._products()[position].code, lines=lines, lead=int(self.rng.integers(1, 4))))
