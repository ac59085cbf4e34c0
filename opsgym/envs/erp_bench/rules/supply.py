"""Rules on dates and totals of supply: on time, enough, and within what policy lets it cost."""

from __future__ import annotations

from opsgym.envs.erp_bench.rules.context import Bought, Context, Made, show_day
from opsgym.envs.erp_bench.rules.registry import NOT_APPLICABLE, Outcome, expect, expect_none, rule
from opsgym.envs.erp_bench.rules.tables import TINY
from opsgym.envs.erp_bench.state import Sale

SPEND_TOLERANCE = 25.0
"""Cents of spend that never matter."""


def buys(context: Context) -> bool:
    """Whether rules on purchase lines have anything to look at."""
    return bool(context.bought)


def makes(context: Context) -> bool:
    """Whether rules on manufacturing orders have anything to look at, see :func:`nothing_made`."""
    return bool(context.made or context.tables.must_make)


@rule(family="timing", applies=buys)
def po_delivery_schedule_compliance(context: Context) -> Outcome:
    """Each purchase line arrives no earlier than the vendor can deliver, and in time for every document that it names."""
    if not context.bought:
        return NOT_APPLICABLE
    return expect_none(late_purchases(context), "deliveries after the lead time and before every linked need")


def late_purchases(context: Context) -> list[str]:
    """What is wrong with the dates and links of purchase lines."""
    return [f"{line.order.name}: {reason}" for line in context.bought for reason in _purchase_dates(context, line)]


def _purchase_dates(context: Context, line: Bought) -> list[str]:
    today = context.tables.scenario.today
    if line.offer is None:
        return [f"no offer of {line.vendor} covers {line.quantity:g} of {line.product}"]
    if line.day is None:
        return [f"{line.product} has no delivery date"]
    reasons = []
    if line.day < line.offer.lead:
        reasons.append(f"{line.product} cannot arrive before {show_day(line.offer.lead, today)}")
    if line.order.name in context.state.loose:
        reasons.append("its receipt is not planned as ordered")
    names = context.links(line.order, line.product)
    return reasons + _link_dates(context, line.product, names, line.day)


def _link_dates(context: Context, product: str | None, names: list[str], day: int) -> list[str]:
    """What is wrong with the origins ``names`` of supply of ``product`` that comes on ``day``."""
    demands, today = context.demands(product), context.tables.scenario.today
    reasons = [] if names else [f"{product} has no origin"]
    for name in names:
        if name not in demands:
            reasons.append(f"origin {name} needs no {product}")
            continue
        needed = demands[name].day
        if needed is None or needed < day:
            reasons.append(f"{product} comes on {show_day(day, today)}, {name} needs it on {show_day(needed, today)}")
    return reasons


@rule(family="timing", applies=makes)
def mo_schedule_compliance(context: Context) -> Outcome:
    """Each manufacturing order has its lead time, an eligible work center, and is done in time for what it names."""
    if not context.made:
        return nothing_made(context)
    return expect_none(late_productions(context), "due dates after the lead time and before every linked need")


def late_productions(context: Context) -> list[str]:
    """What is wrong with the dates and links of manufacturing orders."""
    return [f"{item.name}: {reason}" for item in context.made for reason in _production_dates(context, item)]


def _production_dates(context: Context, item: Made) -> list[str]:
    today = context.tables.scenario.today
    if item.operation is None:
        return [f"{item.centers[0] if item.centers else 'no work center'} does not make {item.product}"]
    if item.available is None:
        lead = context.tables.lead[item.operation.product]
        dates = f"{show_day(item.start, today)} to {show_day(item.due, today)}"
        return [f"{dates} does not leave the lead time of {lead} days from today on"]
    return _link_dates(context, item.product, list(item.order.origins), item.available)


def nothing_made(context: Context) -> Outcome:
    """The answer of manufacturing rules where nothing is made: a failure when policy leaves no other way."""
    if context.tables.must_make:
        wanted = ", ".join(context.tables.must_make)
        return Outcome("fail", wanted, None, f"{wanted} has to be made, but nothing is")
    return NOT_APPLICABLE


@rule(family="timing")
def supply_timing_feasible(context: Context) -> Outcome:
    """Carried out day by day, the documents deliver every order on time from inputs that are there."""
    offences = [f"{sale.name} has no commitment date" for sale in _confirmed(context) if sale.commitment is None]
    unmade = context.tables.prices.keys() - context.tables.manufacturable
    offences += [f"{item.name} makes {item.product}" for item in context.made if item.product in unmade]
    offences += late_purchases(context) + late_productions(context)
    offences += missing_totals(context) + context.chain_shortages
    offences += [text for product in context.tables.prices for text in _late_deliveries(context, product)]
    return expect_none(offences, "supply on hand at every commitment date")


def missing_totals(context: Context) -> list[str]:
    """Inputs of which manufacturing takes more than stock, purchases and production give over the horizon."""
    return [
        f"{needed:g} of {product} are needed, {context.supply(product or ''):g} are supplied"
        for product, needed in context.needs.items()
        if needed > context.supply(product or "") + TINY
    ]


def _confirmed(context: Context) -> list[Sale]:
    return [sale for sales in context.confirmed_sales.values() for sale in sales]


def _late_deliveries(context: Context, product: str) -> list[str]:
    """Days on which more of a finished product is promised than stock, arrivals and finished production have brought.

    Confirmed orders count on their commitment date, accepted orders that are not confirmed on their due day.
    """
    tables = context.tables
    needs = [
        (day, line.quantity)
        for sale in _confirmed(context)
        if (day := context.commitment(sale)) is not None
        for line in context.finished_lines(sale)
        if line.product == product
    ]
    needs += [
        (order.due, order.quantity)
        for customer, order in tables.accepted.items()
        if tables.ordered[customer] == product and not context.confirmed_sales.get(customer)
    ]
    comes = [(line.day, line.quantity) for line in context.bought if line.product == product and line.day is not None]
    comes += [(item.available, item.quantity) for item in context.made if item.product == product and item.available is not None]
    needs.sort()
    comes.sort()
    offences, position, wanted, supply = [], 0, 0.0, float(tables.stock.get(product, 0))
    for index, (day, units) in enumerate(needs):
        wanted += units
        while position < len(comes) and comes[position][0] <= day:
            supply += comes[position][1]
            position += 1
        last_of_day = index + 1 == len(needs) or needs[index + 1][0] > day
        if last_of_day and wanted > supply + TINY:
            promised = f"{wanted:g} units of {product} are promised by {show_day(day, tables.scenario.today)}"
            offences.append(f"{promised}, {supply:g} are there")
    return offences


def _demand(context: Context) -> dict[str, float]:
    """Units to be covered by finished product: what was accepted, or what was sold where that is more."""
    return {product: max(units, context.sold.get(product, 0)) for product, units in context.tables.demand.items()}


@rule(family="sourcing")
def supply_coverage(context: Context) -> Outcome:
    """Stock, purchases and production of each finished product cover the demand."""
    needed = _demand(context)
    supply = {product: context.supply(product) for product in needed}
    short = [product for product, units in needed.items() if supply[product] + TINY < units]
    texts = [f"{supply[product]:g} units of {product} cover a demand of {needed[product]:g}" for product in short]
    return expect(not short, needed, supply, "; ".join(texts))


@rule(family="sourcing")
def finished_stock_capacity_compliance(context: Context) -> Outcome:
    """What purchases and production leave open is no more than the stock."""
    stock = {product: context.tables.stock.get(product, 0) for product in context.tables.prices}
    used = {product: units - context.supply(product) + stock[product] for product, units in _demand(context).items()}
    over = [product for product, units in used.items() if units > stock[product] + TINY]
    texts = [f"{used[product]:g} units would come out of a stock of {stock[product]} of {product}" for product in over]
    return expect(not over, stock, used, "; ".join(texts))


@rule(family="sourcing")
def new_spend_margin_policy(context: Context, *, margin_bps: int) -> Outcome:
    """New spend leaves the margin on the list price of the units that it covers, over the whole portfolio."""
    tables, spend = context.tables, context.spend
    revenue = sum(price * _earning(context, product) for product, price in tables.prices.items())
    if spend <= SPEND_TOLERANCE:
        return expect(any(units > 0 for units in context.sold.values()), margin_bps / 100, None, "nothing is sold")
    margin = (revenue - spend) / revenue if revenue > 0 else None
    holds = spend * 10_000 <= revenue * (10_000 - margin_bps) * (1 + 1e-12)
    shown = "none" if margin is None else f"{100 * margin:.2f} %"
    actual = None if margin is None else round(100 * margin, 4)
    return expect(
        holds, margin_bps / 100, actual, f"the margin on new spend is {shown}, at least {margin_bps / 100:g} % is wanted"
    )


def _earning(context: Context, product: str) -> float:
    """New units of a finished product that are sold and asked for."""
    gained = context.total_bought.get(product, 0) + context.total_made.get(product, 0)
    return min(float(context.tables.demand[product]), context.sold.get(product, 0), gained)


@rule(family="sourcing")
def spend_floor(context: Context) -> Outcome:
    """New spend is not below what was proven to be the least; release style only."""
    certified, spend = context.certificate.value, context.spend / 100
    holds = spend >= certified - SPEND_TOLERANCE / 100
    return expect(holds, certified, round(spend, 2), f"new spend of {spend:.2f} is below the certified {certified:.2f}")
