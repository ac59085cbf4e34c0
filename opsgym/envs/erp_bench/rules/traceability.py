"""Rules on links: every unit bought or made is traceable to documents that want it, without counting any twice."""

from __future__ import annotations

from collections import Counter

from opsgym.envs.erp_bench.rules.context import Context, is_whole
from opsgym.envs.erp_bench.rules.flow import is_routable
from opsgym.envs.erp_bench.rules.registry import NOT_APPLICABLE, Outcome, expect_none, rule
from opsgym.envs.erp_bench.rules.supply import makes, nothing_made


class Supply:
    """A document that supplies one product.

    Args:
        name: Name of the document.
        quantity: Units that it supplies.
        links: Documents that it names.
        least: Units of it that must be wanted; fewer than ``quantity`` where a minimum lot excuses a surplus.
    """

    __slots__ = ("least", "links", "name", "quantity")

    def __init__(self, name: str, quantity: float, links: list[str], least: int) -> None:
        self.name = name
        self.quantity = quantity
        self.links = links
        self.least = max(least, len(links))


def _orders(context: Context, *, product: str, role: str) -> bool:
    bought = any(line.product == product for line in context.bought)
    return bought or any(line.product == product and line.quantity for order in context.live_purchases for line in order.lines)


@rule(family="hygiene", applies=_orders)
def po_origin_traceability(context: Context, *, product: str, role: str) -> Outcome:
    """Confirmed purchases of ``product`` name documents that together want their units.

    A purchase at its offer's minimum may exceed what is wanted, and a larger one by less than the minimum:
    for components always, for finished goods in style ``"coverage"``.
    """
    lines = [line for line in context.bought if line.product == product]
    if not lines:
        drafts = [
            order.name for order in context.live_purchases for line in order.lines if line.product == product and line.quantity
        ]
        return expect_none([f"{name} is not confirmed" for name in drafts], "confirmed") if drafts else NOT_APPLICABLE
    lenient = role == "component" or context.tables.scenario.style == "coverage"
    supplies = []
    for order in {line.order.name: line.order for line in lines}.values():
        mine = [line for line in lines if line.order is order]
        quantity = sum(line.quantity for line in mine)
        minimum = max((line.offer.min_qty for line in mine if line.offer), default=1)
        supplies.append(
            Supply(order.name, quantity, context.links(order, product), _least(quantity, minimum) if lenient else round(quantity))
        )
    return expect_none(untraceable(context, product, supplies), "every unit linked to what wants it")


def _least(quantity: float, minimum: int) -> int:
    """Units that must be wanted of a purchase of ``quantity`` at an offer with ``minimum``."""
    units = round(quantity)
    return 1 if units == minimum else max(minimum, units - minimum + 1)


@rule(family="hygiene", applies=makes)
def mrp_origin_traceability(context: Context) -> Outcome:
    """Manufacturing orders name documents that together want all their units, on every level."""
    if not context.made:
        return nothing_made(context)
    offences: list[str] = []
    for product in dict.fromkeys(item.product for item in context.made):
        supplies = [
            Supply(item.name, item.quantity, list(item.order.origins), round(item.quantity))
            for item in context.made
            if item.product == product
        ]
        offences += untraceable(context, product, supplies)
    return expect_none(offences, "every unit linked to what wants it")


def untraceable(context: Context, product: str | None, supplies: list[Supply]) -> list[str]:
    """What keeps ``supplies`` of ``product`` from being routed to the documents that they name.

    Each named document gets one unit for certain, and no document more than it wants.
    """
    demands = context.demands(product)
    offences = [f"{supply.name} {reason}" for supply in supplies for reason in _broken_links(supply, set(demands))]
    if offences:
        return offences
    reserved = Counter(name for supply in supplies for name in supply.links)
    room = {name: round(demands[name].quantity) - count for name, count in reserved.items()}
    crowded = [f"{name} is named more often than it wants units of {product}" for name, free in room.items() if free < 0]
    if crowded:
        return crowded
    rest = {supply.name: supply.least - len(supply.links) for supply in supplies}
    if is_routable(rest, {supply.name: supply.links for supply in supplies}, room):
        return []
    names = ", ".join(supply.name for supply in supplies)
    return [f"{names} supply more {product} than the documents that they name want"]


def _broken_links(supply: Supply, wanted_by: set[str]) -> list[str]:
    if not supply.links:
        return ["has no origin"]
    reasons = [f"names {name}, which does not want it" for name in dict.fromkeys(supply.links) if name not in wanted_by]
    if len(set(supply.links)) < len(supply.links):
        reasons.append("names a document twice")
    if not is_whole(supply.quantity) or supply.quantity < len(supply.links):
        reasons.append(f"names {len(supply.links)} documents for {supply.quantity:g} units")
    return reasons
