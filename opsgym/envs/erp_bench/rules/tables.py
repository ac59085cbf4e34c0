"""What the rules need to know of a scenario, arranged for look-up and made once per scenario."""

from __future__ import annotations

import datetime as dt
from collections import OrderedDict
from dataclasses import dataclass

from opsgym.core.errors import TaskError
from opsgym.envs.erp_bench.spec import (
    TERM_NAMES,
    Invoicing,
    Offer,
    Operation,
    Order,
    Repair,
    Scenario,
    SeededProduction,
    SeededPurchase,
)


@dataclass(frozen=True, slots=True)
class InvoicePlan:
    """The invoices that an accepted order needs; amounts in cents, ``downpayment`` is ``None`` where none is due."""

    term: str
    regular: int
    downpayment: int | None


class Tables:
    """A scenario arranged for the verifier.

    Args:
        scenario: The specification.

    Raises:
        TaskError: Two orders are of one customer, which the rules could not tell apart.
    """

    def __init__(self, scenario: Scenario) -> None:
        problem = scenario.problem
        self.scenario = scenario
        self.problem = problem
        self.prices = {product.code: product.list_price for product in problem.finished}
        self.stock = problem.stock
        self._index_orders()
        self._index_supply()
        self._index_decoys()
        repair = problem.repair or Repair(kind="supplier_cancellation")
        # Seeded documents come first in a fresh ERP, so their names follow from their order in the scenario.
        self.seeded_purchases: dict[str, SeededPurchase] = {f"P{n:05d}": seed for n, seed in enumerate(repair.purchases, 1)}
        self.seeded_productions: dict[str, SeededProduction] = {
            f"WH/MO/{n:05d}": seed for n, seed in enumerate(repair.productions, 1)
        }
        self.seeded_names = {name: seed.ref for name, seed in self.seeded_purchases.items()}
        self.seeded_names |= {name: seed.ref for name, seed in self.seeded_productions.items()}
        self.baseline_offers, self.baseline_choices = self._baselines(repair)

    def _index_orders(self) -> None:
        problem = self.problem
        customers = [order.customer for order in problem.orders]
        if len(set(customers)) < len(customers):
            raise TaskError("the verifier expects one order per customer", field="problem.orders")
        kept = {order.ref for order in problem.accepted}
        self.accepted: dict[str, Order] = {order.customer: order for order in problem.accepted}
        self.rejected: dict[str, Order] = {order.customer: order for order in problem.orders if order.ref not in kept}
        self.seeded_refs = {order.ref for order in problem.orders if order.seeded}
        self.ordered = {order.customer: problem.ordered(order).code for order in problem.orders}
        self.demand = problem.demand
        self.invoices: dict[str, InvoicePlan] = {}
        if problem.invoicing:
            self.invoices = {ref: invoice_plan(problem.invoicing, problem.worth(o)) for ref, o in self.accepted.items()}

    def _index_supply(self) -> None:
        problem = self.problem
        lots: dict[tuple[str, str], list[Offer]] = {}
        for offer in problem.offers:
            lots.setdefault((offer.vendor, offer.product), []).append(offer)
        for choices in lots.values():
            choices.sort(key=lambda offer: (-offer.min_qty, offer.price, offer.key))
        self.offers: dict[tuple[str, str], list[Offer]] = lots
        self.vendors = frozenset(offer.vendor for offer in problem.offers)
        self.operations: dict[tuple[str, str], Operation] = {(op.product, op.center): op for op in problem.operations}
        self.centers = {center.code: center for center in problem.centers}
        self.bom: dict[str, dict[str, int]] = {}
        for bom in problem.boms:
            per_unit = self.bom.setdefault(bom.product, {})
            for line in bom.lines:
                per_unit[line.component] = per_unit.get(line.component, 0) + line.quantity
        self.lead = {bom.product: bom.lead for bom in problem.boms}
        self.level = {product: self._level_of(product) for product in self.bom}
        made = {op.product for op in problem.operations} & set(self.bom)
        self.manufacturable = frozenset(made if problem.making else made - self.prices.keys())
        self.make_only = problem.making and not problem.buying
        short = [code for code, units in self.demand.items() if units > problem.stock.get(code, 0)]
        self.must_make = tuple(short) if self.make_only else ()
        self.dearest = {product: max(op.unit_cost for op in problem.operations if op.product == product) for product in made}

    def _level_of(self, product: str) -> int:
        inputs = [component for component in self.bom[product] if component in self.bom]
        return 1 + max(map(self._level_of, inputs)) if inputs else 0

    def _index_decoys(self) -> None:
        decoys = self.scenario.decoys
        self.decoy_partners = frozenset(partner.ref for partner in (*decoys.customers, *decoys.vendors))
        self.decoy_products = frozenset(product.code for product in decoys.products)
        self.decoy_orders: dict[str, tuple[Order, str]] = {
            order.ref: (order, product) for order, product in zip(decoys.orders, decoys.order_products, strict=True)
        }

    def _baselines(self, repair: Repair) -> tuple[dict[str, int], dict[tuple[str, str], int]]:
        offers: dict[str, int] = {}
        choices: dict[tuple[str, str], int] = {}
        for purchase in repair.purchases:
            if self.problem.offer_by_key[purchase.offer].product in self.prices:
                offers[purchase.offer] = offers.get(purchase.offer, 0) + purchase.quantity
        for production in repair.productions:
            choice = production.product, production.center
            choices[choice] = choices.get(choice, 0) + production.quantity
        return offers, choices

    def price(self, customer: str) -> int:
        """List price in cents of what a customer of the task ordered."""
        return self.prices[self.ordered[customer]]

    def bucket(self, center: str, day: int | None) -> int:
        """The capacity bucket of a work center from which an order that starts on ``day`` draws; none (-1) without a day."""
        if not self.centers[center].buckets:
            return 0
        return -1 if day is None else self.problem.bucket(day)

    def budget(self, center: str, bucket: int) -> int:
        """Thousandths of a minute of a bucket; 0 where there is no such bucket."""
        budgets = self.centers[center].budgets
        return budgets[bucket] if 0 <= bucket < len(budgets) else 0

    def day(self, date: dt.date | None) -> int | None:
        """Days from day 0 to ``date``."""
        return None if date is None else date.toordinal() - self._day0

    @property
    def _day0(self) -> int:
        return self.scenario.today.toordinal()

    def resolve(self, vendor: str | None, product: str | None, quantity: float) -> Offer | None:
        """The offer under which ``quantity`` is bought: the largest minimum that it reaches, or ``None``."""
        for offer in self.offers.get((vendor or "", product or ""), ()):
            if offer.min_qty <= quantity + TINY:
                return offer
        return None


TINY = 1e-6
"""Slack for comparing floats that hold whole numbers."""


def invoice_plan(policy: Invoicing, amount: int) -> InvoicePlan:
    """The invoices that ``policy`` wants for an order of ``amount`` cents."""
    term = TERM_NAMES[policy.payment_term]
    threshold, value = policy.downpayment_threshold, policy.downpayment_value
    if threshold is None or value is None or amount < threshold:
        return InvoicePlan(term, amount, None)
    share = (2 * amount * value + 10_000) // 20_000 if policy.downpayment_mode == "percentage" else value
    return InvoicePlan(term, amount - share, share)


_CACHED = 64
_cache: OrderedDict[int, Tables] = OrderedDict()


def tables_of(scenario: Scenario) -> Tables:
    """The tables of ``scenario``, kept for the scenarios met last.

    A scenario is told by its identity: it is frozen, and the tables hold on to it, so that its ``id``
    cannot be reused while they are kept.
    """
    found = _cache.get(id(scenario))
    if found is None or found.scenario is not scenario:
        found = _cache[id(scenario)] = Tables(scenario)
        while len(_cache) > _CACHED:
            _cache.popitem(last=False)
    return found
