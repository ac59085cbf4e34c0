"""Specification of an ERPBench task: the planning problem, its decoys and a solved plan.

A :class:`Scenario` is the one thing from which the brief, the world, the oracle and the verifier are made.
Money is in cents, time in whole days from ``today`` (day 0), work-center minutes in thousandths of a minute,
quantities in whole units.  Source: Anchor / ERP-Bench, appendix D.
"""

from __future__ import annotations

import datetime as dt
from functools import cached_property
from typing import Literal

from pydantic import Field

from opsgym.core.task import Frozen

ObjectiveKind = Literal["constraint_only", "min_new_spend", "vendor_consolidation", "capacity_preservation", "repair_plan"]
Style = Literal["release", "coverage"]

TERM_NAMES = {"immediate": "Immediate Payment", "net_30": "30 Days"}
"""Names of the payment terms in the ERP."""


def _is_nothing(value: object) -> bool:
    """Fields that came later are left out of dumps where they say nothing, so that older tasks keep their identity."""
    return not value


class Partner(Frozen):
    """A customer or vendor.  ``ref`` is its stable key.  ``note`` is what its Internal Notes say besides limits."""

    ref: str
    name: str
    email: str = ""
    note: str = ""
    supplier_rank: int = 0
    customer_rank: int = 0
    tags: tuple[str, ...] = ()


class Product(Frozen):
    """A product.  ``code`` is its stable key; prices in cents; ``routes`` a subset of buy and manufacture."""

    code: str
    name: str
    category: str = ""
    list_price: int
    standard_price: int
    routes: tuple[Literal["buy", "manufacture"], ...] = ("buy",)


class Offer(Frozen):
    """A vendor's offer for one product: usable once, for ``min_qty`` to ``max_qty`` units in all.

    Attributes:
        key: Stable key, unique in the scenario.
        vendor: Vendor ref.
        product: Product code.
        price: Cents per unit.
        lead: Days until arrival.
        min_qty: Minimum order quantity, at least 1.
        max_qty: Horizon-wide maximum, or ``None``.
        label: Lane name as the vendor states it.
        valid_from: First day on which the price row holds, or ``None``; decoys only.
        valid_to: Last day on which the price row holds, or ``None``; decoys only.
    """

    key: str
    vendor: str
    product: str
    price: int
    lead: int
    min_qty: int
    max_qty: int | None
    label: str = ""
    valid_from: int | None = None
    valid_to: int | None = None


class BomLine(Frozen):
    """``quantity`` units of ``component`` go into one unit of the parent."""

    component: str
    quantity: int


class Bom(Frozen):
    """Bill of materials of one unit of ``product``; ``lead`` is the days from start to completion."""

    product: str
    lines: tuple[BomLine, ...]
    lead: int = 0


class WorkCenter(Frozen):
    """A work center; ``capacity`` is its horizon-wide budget in thousandths of a minute (0: out of order).

    ``stated_costs_hour`` is the hourly cost that the ERP shows, in cents.  ``buckets`` divide the capacity over the
    periods of :attr:`Problem.bucket_days` days from day 0 on; without them it holds for the horizon as a whole.
    """

    code: str
    name: str
    capacity: int
    note: str = ""
    stated_costs_hour: int = 0
    buckets: tuple[int, ...] = Field(default=(), exclude_if=_is_nothing)

    @property
    def budgets(self) -> tuple[int, ...]:
        """Thousandths of a minute in each bucket; one for the whole horizon where capacity is not dated."""
        return self.buckets or (self.capacity,)


class Operation(Frozen):
    """One way to make ``product``: on ``center``, at ``unit_cost`` cents and ``minutes`` (thousandths) a unit.

    The lead time is the product's (``Bom.lead``).  ``primary`` marks the center on which work orders start.
    """

    product: str
    center: str
    unit_cost: int
    minutes: int
    name: str
    primary: bool = False


class Order(Frozen):
    """A customer's request for a finished product.

    Attributes:
        ref: Order ref; for seeded orders the ``client_order_ref`` of the sales order in the ERP.
        customer: Customer ref.
        quantity: Units.
        due: Day of delivery.
        budget: Pretax budget in cents, or ``None``.
        seeded: ``"draft"`` or ``"sale"`` when a sales order exists at the start, else ``None``.
        note: Note on the seeded order.
        product: Code of the finished product; ``None`` for the problem's main one.
    """

    ref: str
    customer: str
    quantity: int
    due: int
    budget: int | None = None
    seeded: Literal["draft", "sale"] | None = None
    note: str = ""
    product: str | None = Field(default=None, exclude_if=_is_nothing)


class Screening(Frozen):
    """Acceptance rules; ``None`` or ``False`` switches one off.  Budget: list price x quantity must fit it."""

    budget: bool = False
    min_qty: int | None = None
    max_qty: int | None = None
    min_lead: int | None = None


class Invoicing(Frozen):
    """Invoice policy for accepted orders.

    Attributes:
        payment_term: ``"immediate"`` or ``"net_30"``.
        downpayment_threshold: Untaxed order total in cents from which a down payment is due, or ``None``.
        downpayment_mode: ``"percentage"`` or ``"fixed"``, or ``None``.
        downpayment_value: Hundredths of a percent, or cents.
    """

    payment_term: Literal["immediate", "net_30"]
    downpayment_threshold: int | None = None
    downpayment_mode: Literal["percentage", "fixed"] | None = None
    downpayment_value: int | None = None


class SeededPurchase(Frozen):
    """A confirmed purchase order that exists at the start of a repair task; ``origins`` are order refs or plan refs."""

    ref: str
    plan_ref: str
    offer: str
    quantity: int
    arrival: int
    origins: tuple[str, ...]
    note: str = ""


class SeededProduction(Frozen):
    """A confirmed manufacturing order that exists at the start of a repair task."""

    ref: str
    plan_ref: str
    product: str
    center: str
    quantity: int
    start: int
    due: int
    origins: tuple[str, ...]
    level: int = 0
    note: str = ""


class Repair(Frozen):
    """A disruption of an already booked plan.

    The metric is the L1 distance to the baseline over (a) each finished offer's total and (b) each
    (product, center) total; the baselines are the sums over the seeded documents.
    """

    kind: Literal["supplier_cancellation", "workcenter_outage"]
    broken_offer: str | None = None
    broken_center: str | None = None
    impacted: tuple[str, ...] = ()
    broken_purchases: tuple[str, ...] = ()
    broken_productions: tuple[str, ...] = ()
    purchases: tuple[SeededPurchase, ...] = ()
    productions: tuple[SeededProduction, ...] = ()


class Problem(Frozen):
    """The planning problem.

    Attributes:
        product: Code of the main finished product, which orders are for that name no other.
        products: Finished products, the main one first, then sub-assemblies and components.
        customers: Customers of the orders, in order of deadline.
        vendors: Vendors of the offers.
        orders: Requests, in the order of the brief.
        stock: Units on hand by product code.
        offers: Finished and component offers.
        boms: Bills of materials of finished products and of sub-assemblies.
        centers: Work centers.
        operations: Eligible (product, center) pairs.
        margin_bps: Least portfolio margin on new spend, in basis points.
        buying: Whether finished units may be bought.
        making: Whether finished units may be made.
        make_only: Why buying is out, or ``None`` when it is not.
        bucket_days: Days of a period of dated capacity, or ``None`` where no work center has any.  A manufacturing order
            draws all its minutes from the period in which it starts.
    """

    product: str
    products: tuple[Product, ...]
    customers: tuple[Partner, ...]
    vendors: tuple[Partner, ...]
    orders: tuple[Order, ...]
    stock: dict[str, int]
    offers: tuple[Offer, ...]
    boms: tuple[Bom, ...] = ()
    centers: tuple[WorkCenter, ...] = ()
    operations: tuple[Operation, ...] = ()
    margin_bps: int
    objective: ObjectiveKind
    screening: Screening | None = None
    invoicing: Invoicing | None = None
    repair: Repair | None = None
    buying: bool = True
    making: bool = False
    make_only: Literal["policy_forbidden", "no_buy_route", "no_available_vendors"] | None = None
    bucket_days: int | None = Field(default=None, exclude_if=_is_nothing)

    @cached_property
    def finished(self) -> tuple[Product, ...]:
        """The finished products: the main one, then the others that orders name."""
        codes = dict.fromkeys([self.product, *(order.product for order in self.orders if order.product)])
        return tuple(self.product_by_code[code] for code in codes)

    @cached_property
    def finished_codes(self) -> tuple[str, ...]:
        """Codes of the finished products."""
        return tuple(product.code for product in self.finished)

    def ordered(self, order: Order) -> Product:
        """The finished product that ``order`` is for."""
        return self.product_by_code[order.product or self.product]

    def worth(self, order: Order) -> int:
        """``order`` at list price, in cents."""
        return self.ordered(order).list_price * order.quantity

    def bucket(self, day: int) -> int:
        """Number of the period that contains ``day``, from 0; the horizon is one period where capacity is not dated."""
        return day // self.bucket_days if self.bucket_days else 0

    @cached_property
    def demand(self) -> dict[str, int]:
        """Accepted units by finished product."""
        units = dict.fromkeys(self.finished_codes, 0)
        for order in self.accepted:
            units[self.ordered(order).code] += order.quantity
        return units

    @cached_property
    def product_by_code(self) -> dict[str, Product]:
        """Products by code."""
        return {p.code: p for p in self.products}

    @cached_property
    def bom_by_product(self) -> dict[str, Bom]:
        """Bills of materials by product code."""
        return {b.product: b for b in self.boms}

    @cached_property
    def offer_by_key(self) -> dict[str, Offer]:
        """Offers by key."""
        return {o.key: o for o in self.offers}

    @cached_property
    def rejections(self) -> dict[str, tuple[str, ...]]:
        """Reasons by order ref (``budget``, ``min_qty``, ``max_qty``, ``min_lead_time``); accepted orders are absent."""
        rules = self.screening
        found: dict[str, tuple[str, ...]] = {}
        for order in self.orders if rules else ():
            assert rules is not None
            reasons = []
            if rules.budget and order.budget is not None and self.worth(order) > order.budget:
                reasons.append("budget")
            if rules.min_qty is not None and order.quantity < rules.min_qty:
                reasons.append("min_qty")
            if rules.max_qty is not None and order.quantity > rules.max_qty:
                reasons.append("max_qty")
            if rules.min_lead is not None and order.due < rules.min_lead:
                reasons.append("min_lead_time")
            if reasons:
                found[order.ref] = tuple(reasons)
        return found

    @cached_property
    def accepted(self) -> tuple[Order, ...]:
        """Orders that the screening rules keep, in the order of the brief."""
        return tuple(o for o in self.orders if o.ref not in self.rejections)


class Decoys(Frozen):
    """Records that a right solution never touches."""

    customers: tuple[Partner, ...] = ()
    vendors: tuple[Partner, ...] = ()
    products: tuple[Product, ...] = ()
    offers: tuple[Offer, ...] = ()
    boms: tuple[Bom, ...] = ()
    centers: tuple[WorkCenter, ...] = ()
    operations: tuple[Operation, ...] = ()
    stock: dict[str, int] = Field(default_factory=dict)
    orders: tuple[Order, ...] = ()
    """Other customers' sales orders, of decoy products (``order_products`` names them, one each)."""
    order_products: tuple[str, ...] = ()


class Document(Frozen):
    """A policy document that the agent can look up in the ERP."""

    title: str
    body: str


class Scenario(Frozen):
    """A whole task before it is compiled: problem, decoys, calendar day 0, and how the brief is worded."""

    name: str
    today: dt.date
    style: Style
    domain: str
    problem: Problem
    decoys: Decoys = Decoys()
    documents: tuple[Document, ...] = ()
    phrasing: int = 0
    parameters: dict[str, str] = Field(default_factory=dict)
    """System parameters (``ir.config_parameter``)."""


class PlannedPurchase(Frozen):
    """A purchase order of the plan: ``quantity`` of ``offer``, arriving on day ``arrival``, for ``origins``.

    Origins are order refs for finished goods and plan refs of manufacturing orders for components.
    """

    ref: str
    offer: str
    quantity: int
    arrival: int
    origins: tuple[str, ...]


class PlannedProduction(Frozen):
    """A manufacturing order of the plan; ``origins`` are order refs (F) or plan refs of parents (sub-assemblies)."""

    ref: str
    product: str
    center: str
    quantity: int
    start: int
    due: int
    origins: tuple[str, ...]
    level: int = 0


class Plan(Frozen):
    """A complete solution: which orders to keep is given by the problem; what to buy and to make stands here."""

    purchases: tuple[PlannedPurchase, ...] = ()
    productions: tuple[PlannedProduction, ...] = ()


class PlanValues(Frozen):
    """The five objectives measured on a plan, in natural integer units (cents, vendors, thousandths of minutes, units)."""

    spend: int
    vendors: int
    minutes: int
    repair_distance: int
    new_units: int

    def primary(self, objective: ObjectiveKind) -> int:
        """The value that ``objective`` minimises; 0 for ``constraint_only``."""
        return {
            "constraint_only": 0,
            "min_new_spend": self.spend,
            "vendor_consolidation": self.vendors,
            "capacity_preservation": self.minutes,
            "repair_plan": self.repair_distance,
        }[objective]


SCALE: dict[str, float] = {
    "constraint_only": 1.0,
    "min_new_spend": 100.0,
    "vendor_consolidation": 1.0,
    "capacity_preservation": 1000.0,
    "repair_plan": 1.0,
}
"""Integer units of each primary objective per natural unit (dollars, vendors, minutes, units)."""
