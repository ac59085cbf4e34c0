"""Sampler: draws a planning problem whose decisions depend on one another, and wraps it into an unsolved scenario.

What couples the decisions: making and buying cost nearly the same; cheap offers arrive late, so early orders compete
for stock and for fast offers; minimum lots are a good part of maximum lots, so a lot that is too large, another
vendor or building less are all worth a thought; components and work centers cap what can be built.
Stock never covers the demand, so new supply is always needed.  The calendar, names and wording come from the seed too.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, NamedTuple

import numpy as np

from opsgym.envs.erp_bench.decoys import draw_decoys
from opsgym.envs.erp_bench.domains import ComponentTemplate, Domain, domains
from opsgym.envs.erp_bench.infeasible import screen
from opsgym.envs.erp_bench.lanes import COMPONENT_LANES, FINISHED_LANES, Lane
from opsgym.envs.erp_bench.names import Namer
from opsgym.envs.erp_bench.network import build_network
from opsgym.envs.erp_bench.params import ERPParams
from opsgym.envs.erp_bench.spec import (
    Bom,
    BomLine,
    Decoys,
    Invoicing,
    Offer,
    Operation,
    Order,
    Partner,
    Problem,
    Product,
    Scenario,
    WorkCenter,
)

YEAR = 2026


TERMS: dict[str, tuple[Literal["immediate", "net_30"], Literal["percentage", "fixed"] | None]] = {
    "immediate": ("immediate", None),
    "net_30": ("net_30", None),
    "net_30_fixed_downpayment": ("net_30", "fixed"),
    "net_30_percentage_downpayment": ("net_30", "percentage"),
}
"""Payment term and down-payment mode of each invoicing mode."""


def sample(params: ERPParams, rng: np.random.Generator) -> Scenario:
    """Draw one unsolved scenario.

    Args:
        params: Difficulty parameters.
        rng: Stream that is consumed.

    Raises:
        TaskError: Arithmetic shows that no plan exists; the message names the constraint.  Draw again.
    """
    problem, domain, namer = sample_problem(params, rng)
    decoys = draw_decoys(problem, domain, namer, rng, count=params.decoys) if params.decoys else Decoys()
    return Scenario(
        name=problem.finished.name,
        today=_weekday(rng),
        style="coverage",
        domain=domain.key,
        problem=problem,
        decoys=decoys,
        phrasing=int(rng.integers(1 << 30)),
        parameters={"opsgym.min_margin_percent": f"{problem.margin_bps / 100:g}"},
    )


def sample_problem(params: ERPParams, rng: np.random.Generator) -> tuple[Problem, Domain, Namer]:
    """Draw the planning problem, and what its decoys are to be named from.

    Raises:
        TaskError: Arithmetic shows that no plan exists.
    """
    names = tuple(domains())
    domain = domains()[names[int(rng.integers(len(names)))] if params.domain == "any" else params.domain]
    sampler = _Sampler(params, rng, domain)
    problem = sampler.problem()
    screen(build_network(problem))
    for product in problem.products:
        sampler.namer.claim(product.name)
    return problem, domain, sampler.namer


def _weekday(rng: np.random.Generator) -> dt.date:
    """A Monday to Friday of :data:`YEAR`."""
    first = dt.date(YEAR, 1, 1)
    days = [day for day in (first + dt.timedelta(days=n) for n in range(365)) if day.weekday() < 5]
    return days[int(rng.integers(len(days)))]


@dataclass(frozen=True, slots=True)
class _Window:
    """First and last day on which a product is needed, and the units needed."""

    first: int
    last: int
    units: int


class Production(NamedTuple):
    """What making the finished product adds to a problem."""

    inputs: tuple[Product, ...] = ()
    offers: tuple[Offer, ...] = ()
    stock: Mapping[str, int] = MappingProxyType({})
    boms: tuple[Bom, ...] = ()
    centers: tuple[WorkCenter, ...] = ()
    operations: tuple[Operation, ...] = ()


class _Sampler:
    """One draw; methods in the order in which they consume the stream."""

    def __init__(self, params: ERPParams, rng: np.random.Generator, domain: Domain) -> None:
        self.params = params
        self.rng = rng
        self.domain = domain
        self.namer = Namer(rng, domain.prefix)
        self.vendors: list[Partner] = []

    def problem(self) -> Problem:
        """The planning problem."""
        params = self.params
        customers, orders = self._orders()
        template = self.domain.finished[int(self.rng.integers(len(self.domain.finished)))]
        price = round(template.list_price * self._between(0.95, 1.05) / 100) * 100
        orders = tuple(self._with_budget(order, price) for order in orders)
        demand = sum(order.quantity for order in orders)
        stock = min(int(demand * params.stock_ratio), demand - 1)
        anchor = round(price * (1 - params.margin_bps / 10_000) * (0.80 + 0.18 * params.price_pressure))
        making = params.topology != "none"
        code = self.namer.code()
        routes: tuple[Literal["buy", "manufacture"], ...] = ("buy", "manufacture") if making else ("buy",)
        window = _Window(orders[0].due, orders[-1].due, demand - stock)
        offers = self._offers(code, anchor, window, params.finished_vendors, FINISHED_LANES, params.vendor_capacity)
        finished = Product(
            code=code, name=template.name, category=self.domain.category, list_price=price, standard_price=anchor, routes=routes
        )
        invoicing = self._invoicing(orders, price)
        production = self._production(code, anchor, window) if making else Production()
        return Problem(
            product=code,
            products=(finished, *production.inputs),
            customers=customers,
            vendors=tuple(self.vendors),
            orders=orders,
            stock={code: stock, **production.stock} if stock else dict(production.stock),
            offers=(*offers, *production.offers),
            boms=production.boms,
            centers=production.centers,
            operations=production.operations,
            margin_bps=params.margin_bps,
            objective=params.objective,
            invoicing=invoicing,
            making=making,
        )

    def _between(self, low: float, high: float) -> float:
        return float(self.rng.uniform(low, high))

    def _integer(self, low: int, high: int) -> int:
        """A whole number from ``low`` to ``high``, both included."""
        return int(self.rng.integers(low, high + 1))

    def _orders(self) -> tuple[tuple[Partner, ...], tuple[Order, ...]]:
        """One order per customer, by deadline; the first and the last deadline are always taken."""
        params = self.params
        last = params.first_deadline + params.deadline_span
        inner = [self._integer(params.first_deadline, last) for _ in range(params.customers - 2)]
        customers, orders = [], []
        for due in sorted([params.first_deadline, *inner, last]):
            partner = self.namer.customer()
            quantity = self._integer(params.least_demand, params.least_demand + params.demand_span)
            customers.append(partner)
            orders.append(Order(ref=self.namer.ref("R"), customer=partner.ref, quantity=quantity, due=due))
        return tuple(customers), tuple(orders)

    def _with_budget(self, order: Order, price: int) -> Order:
        """A budget in whole dollars that leaves a little room."""
        dollars = int(price * order.quantity * self._between(1.02, 1.12) / 100) + 1
        return order.model_copy(update={"budget": dollars * 100})

    def _offers(
        self, product: str, price: int, window: _Window, count: int, lanes: tuple[Lane, ...], capacity: float
    ) -> tuple[Offer, ...]:
        """``count`` offers, each of another vendor; the first is fast and dear, the others draw their lanes."""
        rest = [lanes[1:][int(index)] for _ in range(count) for index in self.rng.permutation(len(lanes) - 1)]
        offers = [self._offer(product, price, window, lane, capacity) for lane in (lanes[0], *rest[: count - 1])]
        return tuple(offers[int(index)] for index in self.rng.permutation(count))

    def _offer(self, product: str, price: int, window: _Window, lane: Lane, capacity: float) -> Offer:
        params = self.params
        cents = max(1, round(price * self._between(*lane.price)))
        place = self._between(*lane.place) * params.lead_pressure
        lead = max(1, round(window.first + (window.last - window.first) * place) - (0 if place else self._integer(0, 1)))
        most = max(2, round(window.units * capacity * self._between(0.7, 1.3)))
        share = min(1.0, params.moq_pressure * lane.lot * self._between(0.6, 1.0))
        least = 1 + int((most - 1) * share)
        vendor = self.namer.vendor()
        self.vendors.append(vendor)
        key = f"{vendor.ref}|{product}|{least}|{cents / 100:.2f}|{lead}"
        return Offer(
            key=key, vendor=vendor.ref, product=product, price=cents, lead=lead, min_qty=least, max_qty=most, label=lane.label
        )

    def _invoicing(self, orders: tuple[Order, ...], price: int) -> Invoicing | None:
        if self.params.invoicing == "none":
            return None
        term, mode = TERMS[self.params.invoicing]
        if mode is None:
            return Invoicing(payment_term=term)
        threshold = self._threshold(sorted({order.quantity * price for order in orders}))
        smallest = min(order.quantity * price for order in orders if order.quantity * price >= threshold)
        if mode == "percentage":
            value = (2000, 2500, 3000, 4000, 5000)[self._integer(0, 4)]
        else:
            value = max(1, int(smallest * self._between(0.1, 0.3)) // 5000) * 5000 if smallest > 5000 else smallest // 2
        return Invoicing(payment_term=term, downpayment_threshold=threshold, downpayment_mode=mode, downpayment_value=value)

    def _threshold(self, totals: list[int]) -> int:
        """A round amount with order totals on both sides, as far as they differ."""
        if len(totals) == 1:
            return totals[0]
        above = self._integer(1, len(totals) - 1)
        low, high = totals[above - 1] + 1, totals[above]
        steps = (100_000, 50_000, 25_000, 10_000, 5_000, 1_000, 100)
        return next((high // step * step for step in steps if high // step * step >= low), high)

    # -- production -----------------------------------------------------------------------------------------

    def _production(self, code: str, anchor: int, window: _Window) -> Production:
        """Bill of materials, component offers and work centers; making costs about ``anchor`` a unit."""
        params = self.params
        lead = min(params.production_lead, window.first - 1)
        usual = anchor * (1 + self._between(-params.closeness, params.closeness))
        labour = usual * self._between(0.08, 0.16)
        centers, operations = self._centers(code, labour, window.units)
        inputs, lines, prices = self._components(usual - sum(row.unit_cost for row in operations) / len(operations))
        built = max(1, round(window.units * min(1.0, params.center_capacity)))
        offers: list[Offer] = []
        stock: dict[str, int] = {}
        products = []
        for product, line, price in zip(inputs, lines, prices, strict=True):
            need = line.quantity * built
            at_start = _Window(window.first - lead, window.last - lead, need)
            found = self._offers(
                product.code, price, at_start, params.component_offers, COMPONENT_LANES, params.component_capacity
            )
            offers += found
            on_hand = min(round(need * params.component_stock * self._between(0.5, 1.5)), line.quantity * (window.units - 1))
            if on_hand:
                stock[product.code] = on_hand
            products.append(product.model_copy(update={"standard_price": min(offer.price for offer in found)}))
        bom = Bom(product=code, lines=lines, lead=lead)
        return Production(tuple(products), tuple(offers), stock, (bom,), centers, operations)

    def _components(self, target: float) -> tuple[list[Product], tuple[BomLine, ...], list[int]]:
        """Components whose usual prices add up to ``target`` cents per finished unit.

        Of a few draws the one nearest to the target is scaled to it, so that prices stay plausible.
        """
        count = min(self.params.components, len(self.domain.components))
        draws: list[tuple[float, int, float, list[ComponentTemplate], list[int]]] = []
        for _ in range(8):
            chosen = sorted(int(index) for index in self.rng.choice(len(self.domain.components), count, replace=False))
            templates = [self.domain.components[index] for index in chosen]
            quantities = [self._integer(item.low, item.high) for item in templates]
            cost = sum(item.cost * quantity for item, quantity in zip(templates, quantities, strict=True))
            draws.append((abs(math.log(target / cost)), len(draws), target / cost, templates, quantities))
        _, _, scale, templates, quantities = min(draws, key=lambda draw: draw[:2])
        products, lines, prices = [], [], []
        for item, quantity in zip(templates, quantities, strict=True):
            price = max(1, round(item.cost * scale))
            code = self.namer.code()
            list_price = round(price * self._between(1.3, 1.6))
            products.append(
                Product(code=code, name=item.name, category=self.domain.category, list_price=list_price, standard_price=price)
            )
            lines.append(BomLine(component=code, quantity=quantity))
            prices.append(price)
        return products, tuple(lines), prices

    def _centers(self, product: str, labour: float, units: int) -> tuple[tuple[WorkCenter, ...], tuple[Operation, ...]]:
        """Work centers that share the build capacity.

        Minutes are multiples of six and hourly rates of ten cents, so that a unit costs whole cents:
        an agent that multiplies gets exactly what the verifier counts.
        """
        count = self.params.work_centers
        shares = self.rng.dirichlet(np.full(count, 4.0))
        centers, operations = [], []
        for index, share in enumerate(shares):
            cost = labour * (self._between(0.75, 1.3) if count > 1 else 1.0)
            minutes, rate = _minutes_and_rate(cost, self._between(35, 80))
            fits = max(1, round(self.params.center_capacity * units * float(share)))
            code = self.namer.code("WC")
            name = self.namer.center()
            capacity = (fits * minutes + self._integer(0, minutes - 1)) * 1000
            centers.append(WorkCenter(code=code, name=name, capacity=capacity, stated_costs_hour=rate))
            operations.append(
                Operation(
                    product=product,
                    center=code,
                    unit_cost=rate * minutes // 60,
                    minutes=minutes * 1000,
                    name=f"Build on {name}",
                    primary=index == 0,
                )
            )
        return tuple(centers), tuple(operations)


def _minutes_and_rate(cost: float, dollars_per_hour: float) -> tuple[int, int]:
    """Minutes a unit and cents an hour, near to ``cost`` cents a unit, whose product is whole cents."""
    sixes = max(1, round(cost / dollars_per_hour / 10))
    return sixes * 6, max(1, round(cost / sixes)) * 10
