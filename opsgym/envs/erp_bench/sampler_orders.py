"""Requests: what customers want, which of it the acceptance rules keep, and what stands in the ERP already.

Rules are made from the requests, so that each active rule alone rejects someone and every bound separates requests
that were really made.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from opsgym.core.errors import TaskError
from opsgym.envs.erp_bench.sampler_stream import Stream
from opsgym.envs.erp_bench.spec import Order, Partner, Screening

LEAST_KEPT = 2
"""Requests that the rules must keep."""

REASONS: dict[str, tuple[str, ...]] = {
    "none": (),
    "budget": ("budget",),
    "quantity": ("min_qty", "max_qty"),
    "lead": ("min_lead",),
    "budget_quantity": ("min_qty", "max_qty", "budget"),
    "budget_lead": ("min_lead", "budget"),
    "quantity_lead": ("min_lead", "min_qty", "max_qty"),
    "budget_quantity_lead": ("min_lead", "min_qty", "max_qty", "budget"),
}
"""Reasons to reject by value of the parameter ``screening``; ``"budget"`` is last, since it chooses from what is left."""

BOUNDS: dict[str, tuple[int, Callable[[Order], int]]] = {
    "min_lead": (1, lambda order: order.due),
    "min_qty": (1, lambda order: order.quantity),
    "max_qty": (-1, lambda order: order.quantity),
}
"""Sign (a lower bound: 1, an upper one: -1) and measure of each rule that bounds something."""

ENTERED = (
    "Taken over from the customer's e-mail; not reviewed.",
    "Entered by the sales desk; please review.",
    "Copied from the order portal, not confirmed yet.",
)


@dataclass(frozen=True, slots=True)
class Requests:
    """Customers and their requests by deadline, the rules, and what the rules keep."""

    customers: tuple[Partner, ...]
    orders: tuple[Order, ...]
    screening: Screening | None
    kept: tuple[Order, ...]


def draw_requests(stream: Stream, dues: Sequence[int], quantities: Sequence[int], prices: Mapping[str | None, int]) -> Requests:
    """One request per customer, with a budget, screened and partly in the ERP.

    Of several products each has one request at least, and the others draw theirs.

    Args:
        stream: Stream that is consumed.
        dues: Due days, ascending.
        quantities: Units of each request.
        prices: List price in cents of what is asked for, by :attr:`Order.product`.

    Raises:
        TaskError: The rules keep too little, or one of them decides nothing.  Draw again.
    """
    partners = tuple(stream.namer.customer() for _ in dues)
    orders = [
        Order(ref=stream.namer.ref("R"), customer=partner.ref, quantity=units, due=due, product=product)
        for partner, due, units, product in zip(partners, dues, quantities, _dealt(stream, list(prices), len(dues)), strict=True)
    ]
    bounds, poor, kept = _screen(stream, orders)
    orders = [_with_budget(stream, order, prices[order.product], is_poor=order.ref in poor) for order in orders]
    reasons = REASONS[stream.params.screening]
    screening = Screening(budget="budget" in reasons, **bounds) if reasons else None
    orders = _seeded(stream, orders, kept)
    return Requests(partners, tuple(orders), screening, tuple(order for order in orders if order.ref in kept))


def _dealt(stream: Stream, products: Sequence[str | None], count: int) -> list[str | None]:
    """The product of each request."""
    if len(products) == 1:
        return list(products) * count
    drawn = [*products, *(products[stream.integer(0, len(products) - 1)] for _ in range(count - len(products)))]
    return [drawn[int(index)] for index in stream.rng.permutation(count)]


def _screen(stream: Stream, orders: list[Order]) -> tuple[dict[str, int], set[str], set[str]]:
    """Bounds by rule, refs of those whose budget is to be too small, and refs of those that are kept."""
    reasons = REASONS[stream.params.screening]
    quotas = _quotas(stream, reasons, len(orders))
    bounds: dict[str, int] = {}
    left = list(orders)
    for reason in reasons:
        if reason in BOUNDS and len(left) > LEAST_KEPT:
            sign, measure = BOUNDS[reason]
            values = sorted(sign * measure(order) for order in left)
            quota = min(quotas[reason], len(values) - 1)
            last, first = values[quota - 1], values[quota]
            bounds[reason] = sign * (stream.integer(last + 1, first) if first > last else last + 1)
            left = [order for order in left if sign * measure(order) >= sign * bounds[reason]]
    poor: set[str] = set()
    if "budget" in reasons:
        chosen = stream.rng.permutation(len(left))[: quotas["budget"]]
        poor = {left[int(index)].ref for index in chosen}
    kept = {order.ref for order in left} - poor
    _check_rules(reasons, bounds, poor, orders, kept)
    return bounds, poor, kept


def _quotas(stream: Stream, reasons: tuple[str, ...], requests: int) -> dict[str, int]:
    """How many requests each reason is to reject: at least one each, the share of the parameters in all."""
    total = max(len(reasons), min(requests - LEAST_KEPT, round(stream.params.rejected_share * requests)))
    offset = stream.integer(0, len(reasons) - 1) if reasons else 0
    return {reason: (total + (index + offset) % len(reasons)) // len(reasons) for index, reason in enumerate(reasons)}


def _check_rules(reasons: tuple[str, ...], bounds: dict[str, int], poor: set[str], orders: list[Order], kept: set[str]) -> None:
    """Each rule must be the only reason for someone's rejection, or leaving it out would change nothing."""
    if reasons and len(kept) < LEAST_KEPT:
        raise TaskError(f"the rules keep {len(kept)} of {len(orders)} requests", field="params.rejected_share")
    decisive = set()
    for order in orders:
        against = ["budget"] if order.ref in poor else []
        against += [reason for reason, bound in bounds.items() if BOUNDS[reason][0] * (BOUNDS[reason][1](order) - bound) < 0]
        decisive |= set(against) if len(against) == 1 else set()
    idle = [reason for reason in reasons if reason not in decisive]
    if idle:
        raise TaskError(f"the rules {', '.join(idle)} decide nothing", field="params.screening")


def _with_budget(stream: Stream, order: Order, price: int, *, is_poor: bool) -> Order:
    """A budget in whole dollars: a little more than the order costs, or too little."""
    share = stream.between(0.7, 0.97) if is_poor else stream.between(1.02, 1.12)
    dollars = int(price * order.quantity * share / 100) + (not is_poor)
    return order.model_copy(update={"budget": dollars * 100})


def _seeded(stream: Stream, orders: list[Order], kept: set[str]) -> list[Order]:
    """Some requests stand in the ERP as drafts: of those kept and of those rejected some do and some do not."""
    share, rng = stream.params.seeded_share, stream.rng
    if not share:
        return orders
    count = round(share * len(orders)) if share == 1 else min(max(1, round(share * len(orders))), len(orders) - 1)
    shuffled = [orders[int(index)].ref for index in rng.permutation(len(orders))]
    groups = [[ref for ref in shuffled if (ref in kept) == wanted] for wanted in (True, False)]
    first = [group[0] for group in groups if group]
    last = [group[-1] for group in groups if len(group) > 1]
    middle = [ref for ref in shuffled if ref not in {*first, *last}]
    chosen = {*[*first, *middle, *last][:count]}
    notes = [ENTERED[stream.integer(0, len(ENTERED) - 1)] for _ in orders]
    return [
        order.model_copy(update={"seeded": "draft", "note": note}) if order.ref in chosen else order
        for order, note in zip(orders, notes, strict=True)
    ]
