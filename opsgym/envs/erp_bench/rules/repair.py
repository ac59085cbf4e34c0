"""Rules of repair tasks: the disruption is dealt with, and what still works is kept."""

from __future__ import annotations

from collections import Counter, defaultdict

from opsgym.envs.erp_bench.rules.context import Context
from opsgym.envs.erp_bench.rules.registry import Outcome, expect_none, rule
from opsgym.envs.erp_bench.rules.tables import TINY
from opsgym.envs.erp_bench.spec import Order


@rule(family="hygiene")
def repair_state_compliance(context: Context) -> Outcome:
    """The seeded sales orders stand, broken documents are cancelled, and nothing uses what is broken."""
    tables = context.tables
    repair = tables.problem.repair
    assert repair is not None, "emitted for repair tasks only"
    offences = [reason for order in tables.problem.orders if order.seeded for reason in _displaced(context, order)]
    live = {order.name for order in context.live_purchases} | {order.name for order in context.live_productions}
    broken = {*repair.broken_purchases, *repair.broken_productions}
    offences += [
        f"{name} is broken and still there" for name, ref in tables.seeded_names.items() if ref in broken and name in live
    ]
    offences += [
        f"{line.order.name} uses the broken offer"
        for line in context.bought
        if line.offer and line.offer.key == repair.broken_offer
    ]
    if repair.broken_center is not None:
        offences += [f"{item.name} is on the broken work center" for item in context.made if repair.broken_center in item.centers]
    return expect_none(offences, "broken commitments cancelled and replaced")


def _displaced(context: Context, order: Order) -> list[str]:
    """A seeded sales order that is no longer its customer's only one, or not for its quantity."""
    sales = [sale for sale in context.confirmed_sales.get(order.customer, ()) if context.finished_lines(sale)]
    if len(sales) != 1 or sales[0] is not context.sale_by_ref.get(order.ref):
        return [f"{order.customer} has {len(sales)} confirmed orders, the one that was there is to stand alone"]
    units = context.units[sales[0].name]
    return [] if abs(units - order.quantity) <= TINY else [f"{sales[0].name} is for {units:g} instead of {order.quantity} units"]


@rule(family="hygiene")
def commitments_kept(context: Context) -> Outcome:
    """Nothing that still works was cancelled only to be booked again.

    A seeded purchase order stays where its offer's total is what it was; a seeded manufacturing order stays
    where another one for the same product, work center, quantity and due day would stand in its place.
    """
    return expect_none(_rebought(context) + _remade(context), "working commitments kept")


def _rebought(context: Context) -> list[str]:
    tables = context.tables
    repair = tables.problem.repair
    assert repair is not None, "emitted for repair tasks only"
    totals: defaultdict[str, float] = defaultdict(float)
    for line in context.bought:
        if line.offer:
            totals[line.offer.key] += line.quantity
    seeded = Counter[str]()
    for seed in tables.seeded_purchases.values():
        seeded[seed.offer] += seed.quantity
    live = {line.order.name for line in context.bought}
    return [
        f"{name} was replaced by an equal purchase"
        for name, seed in tables.seeded_purchases.items()
        if seed.ref not in repair.broken_purchases and name not in live and abs(totals[seed.offer] - seeded[seed.offer]) <= TINY
    ]


def _remade(context: Context) -> list[str]:
    tables = context.tables
    repair = tables.problem.repair
    assert repair is not None, "emitted for repair tasks only"
    live = {item.name for item in context.made}
    new = Counter(
        (item.product, item.centers[0] if item.centers else None, item.quantity, item.due)
        for item in context.made
        if item.name not in tables.seeded_productions
    )
    return [
        f"{name} was replaced by an equal order"
        for name, seed in tables.seeded_productions.items()
        if seed.ref not in repair.broken_productions
        and name not in live
        and new[seed.product, seed.center, float(seed.quantity), seed.due]
    ]
