"""Release style: draws problems as the paper's generator does, for comparison with ours.

Its distributions are followed, not its random stream: categories of offers with their prices, leads and lots; the split
of capacity over vendors; the fixed costs of work centers; screening bounds that may leave next to nothing; stock that is
scaled to all requests, rejected ones included.  Names, domains, decoys and wording are ours.
Source: ERP-Bench release, sampler and manufacturing graphs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from statistics import median
from typing import Literal, NamedTuple

import numpy as np

from opsgym.core.errors import TaskError
from opsgym.envs.erp_bench.sampler_orders import Requests
from opsgym.envs.erp_bench.sampler_production import Component, Production, Role, assemble
from opsgym.envs.erp_bench.sampler_stream import Stream, Window
from opsgym.envs.erp_bench.spec import Invoicing, Offer, Operation, Order, Product, Screening, WorkCenter
from opsgym.envs.erp_bench.topology import FINISHED, SUB_ASSEMBLIES, TOPOLOGIES, Topology


class Category(NamedTuple):
    """A kind of offer: price factor, arrival relative to its anchor, minimum lot; ``anchor`` picks the day it counts from."""

    label: str
    price: tuple[float, float]
    anchor: Callable[[Sequence[int]], float]
    shift: tuple[int, int]
    least: tuple[int, int]


def _start(_: Sequence[int]) -> float:
    return 0


ALWAYS = (
    Category("Priority Shuttle", (0.88, 1.08), min, (0, 1), (5, 14)),
    Category("Express Air", (1.20, 1.50), min, (-3, -1), (1, 5)),
)
SOMETIMES = (
    Category("Hybrid Expedite", (1.08, 1.30), median, (-1, 2), (3, 9)),
    Category("Regional Cross-Dock", (0.85, 1.08), median, (1, 4), (4, 10)),
    Category("Scheduled Freight", (0.78, 0.98), max, (2, 6), (2, 10)),
    Category("Economy Ocean", (0.65, 0.90), max, (6, 11), (6, 14)),
    Category("Microfactory Build-to-Order", (1.15, 1.38), min, (-2, 0), (2, 6)),
    Category("Air Charter", (1.35, 1.65), min, (-3, -2), (1, 3)),
)
BULK = Category("Bulk Container", (0.50, 0.70), max, (6, 12), (16, 28))
BULK_FROM = 30
"""Demand from which a bulk vendor offers."""
RAPID = Category("Rapid Works", (1.15, 1.40), _start, (2, 4), (4, 12))
COMPONENT_CATEGORIES = (
    Category("Domestic Works", (0.92, 1.15), _start, (4, 7), (10, 28)),
    Category("Hybrid Works", (1.08, 1.30), _start, (4, 7), (8, 20)),
    Category("Import Works", (0.78, 1.00), _start, (8, 12), (24, 48)),
)


class FixedRoute(NamedTuple):
    """A way to make a role: dollars a unit, minutes beyond the base time, and the minutes it reserves on its center.

    ``share`` counts from the net need, or is ``None`` where the center can make all that could ever be built.
    """

    role: str
    center: int
    dollars: int
    extra: int
    share: float | None = None


_F, _R, _S, _A, _B = FINISHED, "R", "S", "A", "B"
FIXED_ROUTES: dict[tuple[str, str], tuple[FixedRoute, ...]] = {
    ("single_bom", "lowest_cost"): tuple(FixedRoute(_F, index, 28 + 9 * index, 8 * index) for index in range(6)),
    ("single_bom", "split_by_capacity"): (
        FixedRoute(_F, 0, 31, 0, 0.55),
        FixedRoute(_F, 1, 36, 10, 0.60),
        FixedRoute(_F, 2, 42, 18, 0.35),
    ),
    ("restricted_subassembly", "qualified"): (
        FixedRoute(_R, 0, 18, -15, 1.0),
        FixedRoute(_F, 0, 31, 0, 0.3),
        FixedRoute(_F, 1, 37, 8, 0.8),
    ),
    ("single_subassembly", "lowest_cost"): (
        FixedRoute(_S, 0, 18, -20),
        FixedRoute(_S, 1, 22, -10),
        FixedRoute(_F, 1, 34, 0),
    ),
    ("single_subassembly", "qualified"): (FixedRoute(_S, 0, 19, -20), FixedRoute(_F, 1, 34, 0)),
    ("single_subassembly", "shared_overflow"): (
        FixedRoute(_S, 0, 20, -15, 0.7),
        FixedRoute(_F, 1, 34, 0),
        FixedRoute(_S, 2, 24, -5),
        FixedRoute(_F, 2, 40, 15, 0.0),
    ),
    ("parallel", "branch_assigned"): (FixedRoute(_F, 0, 35, 0), FixedRoute(_A, 1, 18, 0), FixedRoute(_B, 2, 20, 0)),
    ("serial", "branch_assigned"): (FixedRoute(_F, 2, 36, 0), FixedRoute(_A, 1, 22, -15), FixedRoute(_B, 0, 18, -20)),
    ("shared_component", "branch_assigned"): (
        FixedRoute(_F, 0, 35, 0),
        FixedRoute(_A, 1, 18, 0),
        FixedRoute(_B, 2, 20, 0),
    ),
}
"""Routes by topology and capacity path; of a single bill of materials as many as there are work centers."""
SUB_LEAD = {"serial": {"A": 1}}
"""Days to make a sub-assembly where they are not two."""

COMPONENTS = {"restricted_subassembly": 4, "single_subassembly": 4, "parallel": 5, "serial": 3, "shared_component": 3}
"""Components of topologies with sub-assemblies."""

DOWN_PAYMENTS = {"net_30_fixed_downpayment": (600_000, 25_000), "net_30_percentage_downpayment": (200_000, 4000)}
"""Threshold in cents and value of each down-payment mode."""


# -- requests -----------------------------------------------------------------------------------------------


def release_requests(stream: Stream, price: int) -> Requests:
    """Customers and requests by deadline, the rules that screen them, and what these keep.

    Raises:
        TaskError: No rules were found that keep some requests and reject some.  Draw again.
    """
    params = stream.params
    days = [stream.integer(params.first_deadline, params.first_deadline + params.deadline_span) for _ in range(params.customers)]
    partners, orders = [], []
    for due, units in zip(sorted(days), _demands(stream), strict=True):
        budget = round(price * units * stream.between(1.02, 1.12))
        partners.append(stream.namer.customer())
        orders.append(Order(ref=stream.namer.ref("R"), customer=partners[-1].ref, quantity=units, due=due, budget=budget))
    requests = Requests(tuple(partners), tuple(orders), None, tuple(orders))
    return requests if params.screening == "none" else _screened(stream, requests)


def _demands(stream: Stream) -> list[int]:
    """Units of each request: the least, and a random share of a random total."""
    params = stream.params
    units = [params.least_demand] * params.customers
    total = params.customers * round(params.demand_span * float(stream.rng.beta(3.5, 3.5)))
    weights = stream.rng.dirichlet(np.full(params.customers, 1.2))
    for index in stream.rng.permutation(params.customers):
        units[int(index)] += min(params.demand_span, round(total * float(weights[index])))
    return units


def _screened(stream: Stream, requests: Requests) -> Requests:
    """Random bounds out of 64 tries that keep someone and reject someone who is in the ERP; the smallest requests are."""
    rules, share, orders = set(stream.params.screening.split("_")), stream.params.seeded_share, requests.orders
    count = len(orders) if share == 1 else min(max(1, round(share * len(orders))), len(orders) - 1)
    smallest = {order.ref for order in sorted(orders, key=lambda order: order.quantity)[:count]}
    orders = tuple(order.model_copy(update={"seeded": "draft" if order.ref in smallest else None}) for order in orders)
    sizes, dues = [order.quantity for order in orders], [order.due for order in orders]
    for _ in range(64):
        low = _pick(stream, sizes) + 1 if "quantity" in rules else None
        high = _pick(stream, sizes) - 1 if "quantity" in rules else None
        lead = _pick(stream, dues) + 1 if "lead" in rules else None
        out = {
            order.ref
            for order in orders
            if (low and order.quantity < low) or (high and order.quantity > high) or (lead and order.due < lead)
        }
        poor = _poor(stream, orders, out) if "budget" in rules else None
        gone = out | ({poor} if poor else set())
        kept = [order for order in orders if order.ref not in gone]
        prompt = [order for order in kept if not order.seeded]
        both = not (low and high) or low <= high
        if both and kept and (prompt or share == 1) and any(order.seeded and order.ref in gone for order in orders):
            cut = {order.ref: round(order.budget * stream.between(0.62, 0.88)) for order in orders if order.budget}
            screened = [order.model_copy(update={"budget": cut[order.ref]}) if order.ref == poor else order for order in orders]
            rule = Screening(budget="budget" in rules, min_qty=low, max_qty=high, min_lead=lead)
            return replace(requests, orders=tuple(screened), screening=rule, kept=tuple(kept))
    raise TaskError("64 tries found no rules that keep and reject someone", field="params.screening")


def _poor(stream: Stream, orders: Sequence[Order], out: set[str]) -> str | None:
    """The request whose budget is too small: one in the ERP that is rejected anyway, else one that would be kept."""
    rejected = [order.ref for order in orders if order.seeded and order.ref in out]
    kept = [order.ref for order in orders if order.seeded and order.ref not in out]
    pool = rejected or (kept if len(kept) > 1 else [])
    return pool[stream.integer(0, len(pool) - 1)] if pool else None


def _pick(stream: Stream, values: Sequence[int]) -> int:
    return values[stream.integer(0, len(values) - 1)]


def release_invoicing(stream: Stream, orders: Sequence[Order], price: int) -> Invoicing | None:
    """The release's invoice policies.

    Raises:
        TaskError: The orders are all on one side of the down-payment threshold.  Draw again.
    """
    mode = stream.params.invoicing
    if mode == "none":
        return None
    if mode not in DOWN_PAYMENTS:
        return Invoicing(payment_term="immediate" if mode == "immediate" else "net_30")
    threshold, value = DOWN_PAYMENTS[mode]
    if len({order.quantity * price >= threshold for order in orders}) < 2:
        raise TaskError("all orders are on one side of the down-payment threshold", field="params.invoicing")
    kind: Literal["fixed", "percentage"] = "fixed" if mode == "net_30_fixed_downpayment" else "percentage"
    return Invoicing(payment_term="net_30", downpayment_threshold=threshold, downpayment_mode=kind, downpayment_value=value)


# -- offers -------------------------------------------------------------------------------------------------


def release_anchor(stream: Stream, price: int, customers: int) -> int:
    """The usual price of a finished unit in cents, below what the margin leaves of the lowest notional price."""
    notional = [price + 100 * min(45.0, max(-25.0, float(stream.rng.normal(0, 12)))) for _ in range(customers)]
    ceiling = 0.98 * min(notional) * (1 - stream.params.margin_bps / 10_000)
    return max(1, round(stream.between(0.78, 0.95) * ceiling))


def release_finished_offers(stream: Stream, product: str, anchor: int, orders: Sequence[Order], stock: int) -> tuple[Offer, ...]:
    """Offers for the finished product; bulk, economy and scheduled ones come after the last deadline."""
    params = stream.params
    demand, days = sum(order.quantity for order in orders), [order.due for order in orders]
    more = [SOMETIMES[int(index)] for index in stream.rng.permutation(len(SOMETIMES))][: max(0, params.finished_vendors - 2)]
    kinds = [*ALWAYS, *more, *([BULK] if demand >= BULK_FROM else [])]
    drawn = [_from_category(stream, kind, anchor, days) for kind in kinds]
    early = max(0, sum(order.quantity for order in orders if order.due == days[0]) - stock) / demand
    return _with_capacities(stream, product, kinds, drawn, demand, params.vendor_capacity + 0.12 * early, days)


def release_component_offers(stream: Stream, product: str, cost: int, demand: int, start: int) -> tuple[Offer, ...]:
    """Offers for a component; all of them can arrive before the first start."""
    more = [COMPONENT_CATEGORIES[stream.integer(0, 2)] for _ in range(stream.params.component_offers - 1)]
    kinds = [RAPID, *more]
    drawn = []
    for kind in kinds:
        cents, lead, least = _from_category(stream, kind, cost * stream.between(0.9, 1.08), (0,))
        drawn.append((min(max(cents, round(0.7 * cost)), round(1.6 * cost)), max(1, min(lead, start)), least))
    return _with_capacities(stream, product, kinds, drawn, demand, stream.params.vendor_capacity, (start,))


def _from_category(stream: Stream, kind: Category, price: float, days: Sequence[int]) -> tuple[int, int, int]:
    """Price in cents, lead and minimum lot."""
    lead = max(1, round(kind.anchor(days)) + stream.integer(*kind.shift))
    return max(1, round(price * stream.between(*kind.price))), lead, stream.integer(*kind.least)


def _with_capacities(
    stream: Stream,
    product: str,
    kinds: Sequence[Category],
    drawn: Sequence[tuple[int, int, int]],
    demand: int,
    ratio: float,
    days: Sequence[int],
) -> tuple[Offer, ...]:
    """Maximum quantities: an aggregate over all offers, shared out with a lean to offers that are cheap and in time."""
    floors = [least for _, _, least in drawn]
    tops = [max(least, demand - 1) for least in floors]
    aggregate = min(max(math.ceil(demand * ratio * len(drawn)), sum(floors)), sum(tops))
    by_price = sorted(range(len(drawn)), key=lambda index: drawn[index][0])
    cheap = {index: 1 - rank / len(drawn) for rank, index in enumerate(by_price)}
    reach = [sum(day >= lead for day in days) / len(days) for _, lead, _ in drawn]
    weights = [0.2 + 0.5 * reach[index] + 0.3 * cheap[index] for index in range(len(drawn))]
    shares = stream.rng.dirichlet(np.array(weights) * 4)
    spare = aggregate - sum(floors)
    most = [min(top, floor + round(spare * float(share))) for floor, top, share in zip(floors, tops, shares, strict=True)]
    for index in sorted(range(len(drawn)), key=lambda index: -weights[index]):
        most[index] += min(tops[index] - most[index], max(0, aggregate - sum(most)))
    return tuple(
        stream.offer(product, cents, lead, least, limit, kind.label)
        for kind, (cents, lead, least), limit in zip(kinds, drawn, most, strict=True)
    )


# -- production ---------------------------------------------------------------------------------------------


def release_production(stream: Stream, finished: Product, window: Window, demand: int, days: Sequence[int]) -> Production:
    """Bills of materials, component offers that are always in time, and work centers with the release's fixed costs.

    Args:
        stream: Stream that is consumed.
        finished: The finished product.
        window: When finished units are needed; its units are the demand beyond stock.
        demand: Units of all requests.
        days: Deadlines of all requests.
    """
    params, topology = stream.params, TOPOLOGIES[stream.params.topology]
    flat = len(topology.inputs) == 1 and params.make_only == "none"
    base_lead = min(max(int(median(days)) // 2, 2), 5) if flat else 1
    build = max(1, demand - 1)
    base = min(max(base_lead * 1440 // build, 45), 180)
    roles = _release_roles(stream, topology, finished, window, max(2, base_lead + 1))
    centers, operations = _release_centers(stream, roles, base, build, window.units)
    components = _release_components(stream, topology)
    prices = [max(1, round(item.template.cost * stream.between(0.92, 1.08))) for item in components]

    def offers(code: str, price: int, item: Component) -> tuple[Offer, ...]:
        start = max(1, min(roles[role].window.first for role in item.uses))
        return release_component_offers(stream, code, price, demand * item.per_unit(roles), start)

    def on_hand(item: Component) -> int:
        per_unit = item.per_unit(roles)
        return max(2 * per_unit, 4, stream.integer(0, 10 * per_unit))

    return assemble(stream, roles, components, prices, (centers, operations), offers, on_hand)


def _release_roles(stream: Stream, topology: Topology, finished: Product, window: Window, lead: int) -> dict[str, Role]:
    roles = {
        FINISHED: Role(finished.code, finished.name, 1, lead, Window(window.first - lead, window.last - lead, window.units), {})
    }
    leads = SUB_LEAD.get(stream.params.topology, {})
    kinds = [SUB_ASSEMBLIES[int(index)] for index in stream.rng.permutation(len(SUB_ASSEMBLIES))]
    for parent, subs in topology.inputs.items():
        for sub in subs:
            days, above = leads.get(sub, 2), roles[parent]
            start = Window(above.window.first - days, above.window.last - days, above.window.units)
            roles[sub] = Role(stream.namer.code(), f"{kinds.pop()}, {finished.name}", 1, days, start, {})
            above.subs[sub] = 1
    return roles


def _release_centers(
    stream: Stream, roles: Mapping[str, Role], base: int, build: int, need: int
) -> tuple[tuple[WorkCenter, ...], tuple[Operation, ...]]:
    params = stream.params
    routes = FIXED_ROUTES[params.topology, params.capacity_path]
    if params.topology == "single_bom":
        routes = routes[: params.work_centers]
    codes = {index: (stream.namer.code("WC"), stream.namer.center()) for index in sorted({route.center for route in routes})}
    capacity = dict.fromkeys(codes, 0)
    rates: dict[int, int] = {}
    operations: list[Operation] = []
    for route in routes:
        minutes = max(35, base + route.extra)
        units = build + 2 if route.share is None else math.ceil(route.share * need)
        capacity[route.center] += units * minutes
        rates.setdefault(route.center, round(route.dollars * 6000 / minutes))
        code, name = codes[route.center]
        operations.append(
            Operation(
                product=roles[route.role].code,
                center=code,
                unit_cost=route.dollars * 100,
                minutes=minutes * 1000,
                name=f"Build on {name}",
                primary=not any(row.product == roles[route.role].code for row in operations),
            )
        )
    centers = tuple(
        WorkCenter(code=code, name=name, capacity=capacity[index] * 1000, stated_costs_hour=rates[index])
        for index, (code, name) in codes.items()
    )
    return centers, tuple(operations)


def _release_components(stream: Stream, topology: Topology) -> list[Component]:
    """Components with their units: as many as the parameters say in a single bill of materials, else a fixed number."""
    pool = stream.domain.components
    count = COMPONENTS.get(stream.params.topology, min(stream.params.components, len(pool)))
    chosen = sorted(int(index) for index in stream.rng.choice(len(pool), count, replace=False))
    found = []
    for position, template in enumerate(pool[index] for index in chosen):
        users = topology.common if topology.common and not position else topology.deal[position % len(topology.deal)]
        found.append(Component(template, {role: stream.integer(template.low, template.high) for role in users}))
    return found
