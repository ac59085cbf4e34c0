"""Rules on purchase orders: which offers are used, once, at their price, between their least and most."""

from __future__ import annotations

from collections import defaultdict

from opsgym.envs.erp_bench.rules.context import CONFIRMED, Bought, Context, is_whole
from opsgym.envs.erp_bench.rules.registry import NOT_APPLICABLE, Outcome, expect_none, rule
from opsgym.envs.erp_bench.rules.supply import buys
from opsgym.envs.erp_bench.rules.tables import TINY
from opsgym.envs.erp_bench.state import Purchase, PurchaseLine

LEAST_PRICE_TOLERANCE = 0.02
PRICE_TOLERANCE = 0.0001
"""A line's price may differ from its offer's by this share, or by the least tolerance in dollars."""


@rule(family="sourcing", applies=buys)
def po_consolidation_compliance(context: Context) -> Outcome:
    """No offer is used by more than one purchase order."""
    if not context.bought:
        return NOT_APPLICABLE
    orders: defaultdict[object, set[str]] = defaultdict(set)
    for line in context.bought:
        orders[line.offer.key if line.offer else (line.vendor, line.product)].add(line.order.name)
    offences = [f"{', '.join(sorted(names))} use the same offer {key}" for key, names in orders.items() if len(names) > 1]
    return expect_none(offences, "one purchase order per offer")


@rule(family="sourcing", applies=buys)
def po_min_qty_compliance(context: Context) -> Outcome:
    """Each purchase line reaches the minimum quantity of an offer, alone or with its order's other lines of the product."""
    if not context.bought:
        return NOT_APPLICABLE
    offences = [f"{_text(line)} reaches no offer's minimum" for line in context.bought if line.offer is None]
    return expect_none(offences, "at least an offer's minimum on each line")


@rule(family="sourcing", applies=buys)
def po_price_tier_compliance(context: Context) -> Outcome:
    """Each purchase line is at its offer's price."""
    if not context.bought:
        return NOT_APPLICABLE
    return expect_none([text for line in context.bought for text in _price(line)], "the offer's price on each line")


def _price(line: Bought) -> list[str]:
    if line.offer is None:
        return [f"{_text(line)} has no offer to be priced by"]
    price = line.offer.price / 100
    if abs(line.price - price) <= max(LEAST_PRICE_TOLERANCE, PRICE_TOLERANCE * price) + TINY:
        return []
    return [f"{_text(line)} is at {line.price:.2f}, the offer is {price:.2f}"]


def _text(line: Bought) -> str:
    return f"{line.order.name}: {line.quantity:g} of {line.product} from {line.vendor}"


@rule(family="sourcing")
def forbidden_finished_po_absent(context: Context) -> Outcome:
    """Where policy rules buying out, no live purchase order asks for a finished product, not even a draft."""
    offences = [
        f"{order.name} buys {line.quantity:g} of {line.product}"
        for order in context.live_purchases
        for line in order.lines
        if line.product in context.tables.prices and line.quantity
    ]
    return expect_none(offences, "no purchase order of a finished product")


@rule(family="sourcing")
def finished_vendor_max_qty_compliance(context: Context) -> Outcome:
    """Confirmed purchases of finished products keep within each vendor's most over the horizon."""
    return expect_none(_above_maximum(context, finished=True), "at most each vendor's maximum")


@rule(family="sourcing")
def component_vendor_max_qty_compliance(context: Context) -> Outcome:
    """Confirmed purchases of each component keep within each vendor's most over the horizon."""
    return expect_none(_above_maximum(context, finished=False), "at most each vendor's maximum")


def _above_maximum(context: Context, *, finished: bool) -> list[str]:
    """Offers, and (vendor, product) pairs as a whole, of which more is bought than they give."""
    by_offer: defaultdict[str, float] = defaultdict(float)
    by_pair: defaultdict[tuple[str, str], float] = defaultdict(float)
    for line in context.bought:
        if (line.product in context.tables.prices) == finished:
            by_pair[line.vendor or "", line.product or ""] += line.quantity
            if line.offer:
                by_offer[line.offer.key] += line.quantity
    offences = []
    for pair, total in by_pair.items():
        offers = context.tables.offers.get(pair, [])
        limits = [(offer.max_qty, by_offer[offer.key]) for offer in offers]
        limits.append((sum(offer.max_qty or 0 for offer in offers) if all(offer.max_qty for offer in offers) else None, total))
        offences += [
            f"{pair[0]} supplies {used:g} of {pair[1]}, at most {most}" for most, used in limits if most and used > most + TINY
        ]
    return list(dict.fromkeys(offences))


@rule(family="sourcing")
def purchases_licensed(context: Context) -> Outcome:
    """Every line of every live purchase order, drafts too, buys a product of the task from a vendor who offers it.

    Confirmed quantities are whole units: certificates are proven over whole units.
    """
    return expect_none(
        [text for order in context.live_purchases for text in _unlicensed(context, order)], "offers of the task only"
    )


def _unlicensed(context: Context, order: Purchase) -> list[str]:
    reasons = [reason for line in order.lines if line.quantity for reason in _line_license(context, order, line)]
    if not reasons and order.vendor not in context.tables.vendors:
        reasons = [f"is for {order.vendor}, who has no task offer"]
    return [f"{order.name} {reason}" for reason in reasons]


def _line_license(context: Context, order: Purchase, line: PurchaseLine) -> list[str]:
    tables = context.tables
    if (order.vendor or "", line.product or "") not in tables.offers:
        return [f"buys {line.product} from {order.vendor}, which no task offer covers"]
    if line.product in tables.prices and not tables.problem.buying:
        return [f"buys {line.product}, which has to be made"]
    if order.state in CONFIRMED and not is_whole(line.quantity):
        return [f"buys {line.quantity} of {line.product}, not whole units"]
    return []
