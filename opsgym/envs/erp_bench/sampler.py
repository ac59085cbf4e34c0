"""Sampler: draws a planning problem whose decisions depend on one another, and wraps it into an unsolved scenario.

What couples the decisions: making and buying cost nearly the same; cheap offers arrive late, so early orders compete
for stock and for fast offers; minimum lots are a good part of maximum lots, so a lot that is too large, another
vendor or building less are all worth a thought; components and work centers cap what can be built.
Stock never covers the demand, so new supply is always needed.  The calendar, names and wording come from the seed too.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

import numpy as np

from opsgym.core.errors import TaskError
from opsgym.envs.erp_bench.decoys import draw_decoys
from opsgym.envs.erp_bench.disruption import disrupt
from opsgym.envs.erp_bench.domains import Domain, domains
from opsgym.envs.erp_bench.infeasible import screen
from opsgym.envs.erp_bench.lanes import FINISHED_LANES
from opsgym.envs.erp_bench.names import Namer
from opsgym.envs.erp_bench.network import build_network
from opsgym.envs.erp_bench.params import ERPParams
from opsgym.envs.erp_bench.sampler_orders import Requests, draw_requests
from opsgym.envs.erp_bench.sampler_production import Production, Target, draw_production
from opsgym.envs.erp_bench.sampler_release import (
    release_anchor,
    release_finished_offers,
    release_invoicing,
    release_production,
    release_requests,
)
from opsgym.envs.erp_bench.sampler_stream import Stream, Window
from opsgym.envs.erp_bench.spec import Decoys, Invoicing, Offer, Problem, Product, Scenario

YEAR = 2026


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
        name=problem.finished[0].name,
        today=_weekday(rng),
        style=params.style,
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
    stream = Stream(params, rng, domain)
    problem = PROBLEMS[params.style](stream)
    screen(build_network(problem))
    for product in problem.products:
        stream.namer.claim(product.name)
    if params.disruption != "none":
        problem = disrupt(problem, params.disruption, params.style)
    return problem, domain, stream.namer


def _weekday(rng: np.random.Generator) -> dt.date:
    """A Monday to Friday of :data:`YEAR`."""
    first = dt.date(YEAR, 1, 1)
    days = [day for day in (first + dt.timedelta(days=n) for n in range(365)) if day.weekday() < 5]
    return days[int(rng.integers(len(days)))]


TERMS: dict[str, tuple[Literal["immediate", "net_30"], Literal["percentage", "fixed"] | None]] = {
    "immediate": ("immediate", None),
    "net_30": ("net_30", None),
    "net_30_fixed_downpayment": ("net_30", "fixed"),
    "net_30_percentage_downpayment": ("net_30", "percentage"),
}
"""Payment term and down-payment mode of each invoicing mode."""

ROUTES: dict[str, tuple[Literal["buy", "manufacture"], ...]] = {
    "none": ("buy", "manufacture"),
    "policy_forbidden": ("buy", "manufacture"),
    "no_buy_route": ("manufacture",),
    "no_available_vendors": ("buy", "manufacture"),
}
"""Routes of a finished product that can be made, by value of the parameter ``make_only``."""


def _coverage_problem(stream: Stream) -> Problem:
    """A problem of our own kind."""
    params = stream.params
    wares = _wares(stream)
    requests = _requests(stream, wares)
    targets: list[Target] = []
    offers: list[Offer] = []
    stock: dict[str, int] = {}
    for ware in wares:
        kept = [order for order in requests.kept if order.product == ware.code]
        if not kept:
            raise TaskError(f"the rules keep no request for {ware.name}", field="params.rejected_share")
        demand = sum(order.quantity for order in kept)
        on_hand = min(int(demand * params.stock_ratio), demand - 1)
        anchor = round(ware.price * (1 - params.margin_bps / 10_000) * (0.80 + 0.18 * params.price_pressure))
        finished = _product(stream, ware, anchor)
        target = Target(finished, anchor, Window(kept[0].due, kept[-1].due, demand - on_hand))
        targets.append(target)
        stock[finished.code] = on_hand
        sellers = (finished.code, anchor, target.window, params.finished_vendors, FINISHED_LANES, params.vendor_capacity)
        offers += stream.offers(*sellers) if params.make_only != "no_available_vendors" else ()
    production = draw_production(stream, targets) if params.topology != "none" else Production()
    prices = {ware.code: ware.price for ware in wares}
    invoicing = draw_invoicing(stream, [order.quantity * prices[order.product] for order in requests.kept])
    return _problem(stream, [target.product for target in targets], requests, invoicing, stock, tuple(offers), production)


def _release_problem(stream: Stream) -> Problem:
    """A problem as the paper's generator draws it."""
    params = stream.params
    (ware,) = _wares(stream)
    price = ware.price
    requests = release_requests(stream, price)
    invoicing = release_invoicing(stream, requests.kept, price)
    days = [order.due for order in requests.orders]
    demand = sum(order.quantity for order in requests.orders)
    stock = max(1, int(demand * params.stock_ratio))
    anchor = release_anchor(stream, price, len(days))
    finished = _product(stream, ware, max(1, round(price * 0.6 * stream.between(0.92, 1.08))))
    window = Window(days[0], days[-1], max(1, demand - stock))
    is_sold = params.make_only != "no_available_vendors"
    offers = release_finished_offers(stream, finished.code, anchor, requests.orders, stock) if is_sold else ()
    production = release_production(stream, finished, window, demand, days) if params.topology != "none" else Production()
    return _problem(stream, [finished], requests, invoicing, {finished.code: stock}, offers, production)


PROBLEMS: dict[str, Callable[[Stream], Problem]] = {"coverage": _coverage_problem, "release": _release_problem}
"""How to draw a problem, by style."""


class Ware(NamedTuple):
    """A finished product before its cost is known; the main one has no code yet, as orders for it name none."""

    code: str | None
    name: str
    price: int


def _wares(stream: Stream) -> list[Ware]:
    """The finished products: one at random, and those of the domain that come nearest to it in price."""
    templates = stream.domain.finished
    main = templates[stream.integer(0, len(templates) - 1)]
    others = sorted(
        (row for row in templates if row is not main), key=lambda row: abs(math.log(row.list_price / main.list_price))
    )
    count = stream.params.finished_products
    return [
        Ware(
            stream.namer.code() if number else None,
            template.name,
            round(template.list_price * stream.between(0.95, 1.05) / 100) * 100,
        )
        for number, template in enumerate([main, *others[: count - 1]])
    ]


def _product(stream: Stream, ware: Ware, cost: int) -> Product:
    making = stream.params.topology != "none"
    return Product(
        code=ware.code or stream.namer.code(),
        name=ware.name,
        category=stream.domain.category,
        list_price=ware.price,
        standard_price=cost,
        routes=ROUTES[stream.params.make_only] if making else ("buy",),
    )


def _problem(
    stream: Stream,
    finished: Sequence[Product],
    requests: Requests,
    invoicing: Invoicing | None,
    stock: dict[str, int],
    offers: tuple[Offer, ...],
    production: Production,
) -> Problem:
    """The parts of a draw put together."""
    params = stream.params
    return Problem(
        product=finished[0].code,
        products=(*finished, *production.inputs),
        customers=requests.customers,
        vendors=tuple(stream.vendors),
        orders=requests.orders,
        stock={code: units for code, units in {**stock, **production.stock}.items() if units},
        offers=(*offers, *production.offers),
        boms=production.boms,
        centers=production.centers,
        operations=production.operations,
        bucket_days=production.bucket_days,
        margin_bps=params.margin_bps,
        objective=params.objective,
        screening=requests.screening,
        invoicing=invoicing,
        buying=params.make_only == "none",
        making=params.topology != "none",
        make_only=None if params.make_only == "none" else params.make_only,
    )


def _requests(stream: Stream, wares: Sequence[Ware]) -> Requests:
    """One request per customer, by deadline; the first and the last deadline are always taken."""
    params = stream.params
    last = params.first_deadline + params.deadline_span
    inner = [stream.integer(params.first_deadline, last) for _ in range(params.customers - 2)]
    dues = sorted([params.first_deadline, *inner, last])
    quantities = [stream.integer(params.least_demand, params.least_demand + params.demand_span) for _ in dues]
    return draw_requests(stream, dues, quantities, {ware.code: ware.price for ware in wares})


def draw_invoicing(stream: Stream, amounts: Sequence[int]) -> Invoicing | None:
    """The invoice policy; with down payments, some orders are above its threshold and some below, as far as they differ.

    Args:
        stream: Stream that is consumed.
        amounts: Totals of the orders in cents.
    """
    if stream.params.invoicing == "none":
        return None
    term, mode = TERMS[stream.params.invoicing]
    if mode is None:
        return Invoicing(payment_term=term)
    threshold = _threshold(stream, sorted(set(amounts)))
    smallest = min(amount for amount in amounts if amount >= threshold)
    if mode == "percentage":
        value = (2000, 2500, 3000, 4000, 5000)[stream.integer(0, 4)]
    else:
        value = max(1, int(smallest * stream.between(0.1, 0.3)) // 5000) * 5000 if smallest > 5000 else smallest // 2
    return Invoicing(payment_term=term, downpayment_threshold=threshold, downpayment_mode=mode, downpayment_value=value)


def _threshold(stream: Stream, totals: list[int]) -> int:
    """A round amount with order totals on both sides, as far as they differ."""
    if len(totals) == 1:
        return totals[0]
    above = stream.integer(1, len(totals) - 1)
    low, high = totals[above - 1] + 1, totals[above]
    steps = (100_000, 50_000, 25_000, 10_000, 5_000, 1_000, 100)
    return next((high // step * step for step in steps if high // step * step >= low), high)
