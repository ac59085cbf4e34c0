"""Mutations of purchase and manufacturing orders."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from opsgym.envs.erp_bench.mutants.bench import FAR, STRANGER, Bench, first, mutation
from opsgym.envs.erp_bench.spec import Offer, Operation
from opsgym.envs.erp_bench.state import ErpState, Production, Purchase, WorkOrder


def _offers(bench: Bench) -> list[Offer]:
    """Offers that the task may use."""
    return [offer for offer in bench.problem.offers if bench.problem.buying or offer.product not in bench.tables.prices]


def _finished_routes(bench: Bench) -> list[Operation]:
    """Ways to make finished products where that is allowed."""
    makeable = bench.tables.prices.keys() & bench.tables.manufacturable
    return [row for row in bench.problem.operations if row.product in makeable]


def _purchase_mutants(bench: Bench) -> list[tuple[Bench, Purchase]]:
    """Each confirmed purchase on its bench; where there is none, one that buys from the first offer."""
    found = [(bench, order) for order in bench.confirmed_purchases()]
    if found:
        return found
    made_up = [bench.new_purchase(offer) for offer in _offers(bench)[:1]]
    return [(Bench(bench.add(order), bench.tables), order) for order in made_up]


def _production_mutants(bench: Bench) -> list[tuple[Bench, Production]]:
    """Each confirmed production on its bench; where there is none, one on the first route."""
    found = [(bench, order) for order in bench.confirmed_productions()]
    if found:
        return found
    made_up = [bench.new_production(route, 1) for route in _finished_routes(bench)[:1]]
    return [(Bench(bench.add(order), bench.tables), order) for order in made_up]


# -- purchases ------------------------------------------------------------------------------------------------


@mutation("po_delivery_schedule_compliance", "supply_timing_feasible")
def purchase_out_of_time(bench: Bench) -> Iterator[ErpState]:
    """A purchase a day before its lead, far too late, undated, without origin, or with one that wants nothing."""
    for on, order in _purchase_mutants(bench)[:3]:
        yield on.edit_purchase_line(order, planned=on.date(on.offer_of(order).lead - 1))
        yield on.edit_purchase_line(order, planned=None)
        yield on.edit(order, origins=())
        yield on.edit(order, origins=(*order.origins, STRANGER))
        if order.origins:
            yield on.edit_purchase_line(order, planned=on.date(FAR))
            needs = [day for name in order.origins if (day := on.context.demands(order.lines[0].product)[name].day) is not None]
            yield on.edit_purchase_line(order, planned=on.date(min(needs) + 1))


@mutation("po_consolidation_compliance")
def split_offer(bench: Bench) -> Iterator[ErpState]:
    """An offer is used on a second purchase order."""
    for on, order in _purchase_mutants(bench)[:1]:
        yield on.add(replace(order, name="P99998"))


@mutation("po_min_qty_compliance")
def below_minimum(bench: Bench) -> Iterator[ErpState]:
    """A purchase below its offer's minimum."""
    for on, order in _purchase_mutants(bench)[:3]:
        line = order.lines[0]
        least = min(offer.min_qty for offer in on.tables.offers[order.vendor or "", line.product or ""])
        yield on.edit_purchase_line(order, quantity=least - 1 or 0.5)


@mutation("po_price_tier_compliance")
def off_price(bench: Bench) -> Iterator[ErpState]:
    """A purchase price just beyond the tolerance, up or down."""
    for on, order in _purchase_mutants(bench)[:3]:
        price = on.offer_of(order).price / 100
        for change in (0.03, -0.03):
            yield on.edit_purchase_line(order, price=price + change + 0.0002 * price * (1 if change > 0 else -1))


@mutation("purchases_licensed")
def unlicensed_purchase(bench: Bench) -> Iterator[ErpState]:
    """A purchase of another product, even as a draft; from another vendor; of half a unit; of what is to be made."""
    yield bench.add(bench.stray_purchase())
    yield bench.add(bench.stray_purchase(state="draft"))
    for on, order in _purchase_mutants(bench)[:1]:
        yield on.edit(order, vendor=STRANGER)
        yield on.edit(order, vendor=None)
        yield on.edit_purchase_line(order, quantity=order.lines[0].quantity + 0.5)
        yield on.edit_purchase_line(order, quantity=-1.0)
    if not bench.problem.buying:
        for offer in first(offer for offer in bench.problem.offers if offer.product in bench.tables.prices):
            yield bench.add(bench.new_purchase(offer, state="draft"))


@mutation("forbidden_finished_po_absent")
def finished_purchase(bench: Bench) -> Iterator[ErpState]:
    """The finished product is bought where it has to be made, as a draft too."""
    order = bench.stray_purchase()
    for code in bench.tables.prices:
        line = replace(order.lines[0], product=code)
        yield bench.add(replace(order, lines=(line,)))
        yield bench.add(replace(order, lines=(line,), state="draft"))


@mutation("finished_vendor_max_qty_compliance")
def above_finished_maximum(bench: Bench) -> Iterator[ErpState]:
    """One unit more of the finished product than a vendor gives."""
    yield from _above_maximum(bench, [offer for offer in bench.problem.offers if offer.product in bench.tables.prices])


@mutation("component_vendor_max_qty_compliance")
def above_component_maximum(bench: Bench) -> Iterator[ErpState]:
    """One unit more of a component than a vendor gives."""
    yield from _above_maximum(bench, [offer for offer in bench.problem.offers if offer.product not in bench.tables.prices])


def _above_maximum(bench: Bench, offers: list[Offer]) -> Iterator[ErpState]:
    limited = [offer for offer in offers if offer.max_qty is not None]
    for offer in limited[:1] + limited[1:][-1:]:
        pair = bench.tables.offers[offer.vendor, offer.product]
        most = max((other.max_qty or 0) for other in pair)
        used = [
            order
            for order in bench.confirmed_purchases()
            if (order.vendor, order.lines[0].product) == (offer.vendor, offer.product)
        ]
        if used:
            yield bench.edit_purchase_line(used[0], quantity=most + 1.0)
        else:
            yield bench.add(bench.new_purchase(offer, quantity=most + 1.0))


# -- totals ---------------------------------------------------------------------------------------------------


@mutation("supply_coverage", "finished_stock_capacity_compliance", "supply_timing_feasible")
def oversold(bench: Bench) -> Iterator[ErpState]:
    """More is sold than there is: one unit more than all supply."""
    for order, sale in bench.sold():
        code = bench.tables.ordered[order.customer]
        spare = bench.context.supply(code) - bench.context.sold[code]
        yield bench.edit_sale_line(sale, quantity=order.quantity + spare + 1)


@mutation("supply_coverage", "finished_stock_capacity_compliance", "supply_timing_feasible")
def one_unit_not_supplied(bench: Bench) -> Iterator[ErpState]:
    """A purchase or production of a finished product that demand cannot spare is cancelled."""
    for code, demand in bench.tables.demand.items():
        spare = bench.context.supply(code) - demand
        for order in bench.confirmed_purchases():
            if order.lines[0].product == code and order.lines[0].quantity > spare:
                yield bench.cancel(order)
        for item in bench.confirmed_productions():
            if item.product == code and item.quantity > spare:
                yield bench.cancel(item)


@mutation("new_spend_margin_policy")
def ruinous_spend(bench: Bench) -> Iterator[ErpState]:
    """A purchase, of something else, that costs more than all orders bring."""
    yield bench.add(bench.stray_purchase(price=sum(map(bench.problem.worth, bench.problem.accepted)) / 100))


@mutation("spend_floor")
def nothing_spent(bench: Bench) -> Iterator[ErpState]:
    """Nothing is bought or made."""
    yield replace(bench.state, purchases=(), productions=())


# -- manufacturing --------------------------------------------------------------------------------------------


@mutation("manufacturing_activity_present")
def nothing_made(bench: Bench) -> Iterator[ErpState]:
    """No unit is made of a finished product that has to be made."""
    for code in bench.tables.must_make:
        yield bench.cancel(*(order for order in bench.confirmed_productions() if order.product == code))


@mutation("mo_schedule_compliance", "supply_timing_feasible")
def production_out_of_time(bench: Bench) -> Iterator[ErpState]:
    """A production a day short of its lead, in the past, undated, due too late, without origin, or on a strange center."""
    for on, order in _production_mutants(bench)[:3]:
        start = on.tables.day(order.start) or 0
        lead = on.tables.lead[order.product or ""]
        yield on.edit(order, deadline=on.date(start + lead - 1))
        work = tuple(replace(item, start=on.date(-1)) for item in order.work_orders)
        yield on.edit(order, work_orders=work)
        yield on.edit(order, deadline=None)
        yield on.edit(order, origins=())
        yield on.edit(order, origins=(*order.origins, STRANGER))
        yield on.edit_work(order, center=STRANGER)
        if order.origins:
            needs = [day for name in order.origins if (day := on.context.demands(order.product)[name].day) is not None]
            yield on.edit(order, deadline=on.date(min(needs) + 1))


@mutation("productions_licensed")
def unlicensed_production(bench: Bench) -> Iterator[ErpState]:
    """A production of another product, of half a unit, without or with strange work orders, or by another recipe."""
    yield bench.add(bench.stray_production())
    yield bench.add(bench.stray_production(state="draft"))
    for on, order in _production_mutants(bench)[:1]:
        work = order.work_orders
        yield on.edit(order, quantity=order.quantity + 0.5)
        yield on.edit(order, work_orders=())
        yield on.edit(order, work_orders=(*work, WorkOrder(STRANGER, "ready", work[0].start, work[0].finish)))
        yield on.edit(order, raw=order.raw[1:])
        yield on.edit(order, raw=((order.raw[0][0], order.raw[0][1] - 1), *order.raw[1:]))
        yield on.edit(order, raw=(*order.raw, (STRANGER, 1.0)))


@mutation("assembly_capacity_compliance")
def overloaded(bench: Bench) -> Iterator[ErpState]:
    """A work center is loaded beyond its minutes, or the order is on one that cannot make it."""
    yield bench.add(bench.stray_production())
    for on, order in _production_mutants(bench)[:1]:
        yield on.edit_work(order, center=STRANGER)
        if on.tables.operations[order.product or "", order.work_orders[0].center or ""].minutes:
            yield on.edit(order, quantity=float(FAR))


@mutation("assembly_capacity_compliance")
def one_unit_beyond_the_minutes(bench: Bench) -> Iterator[ErpState]:
    """An order is larger by as many units as break the minutes of its work center, in the period of its start; each in turn."""
    for item in bench.context.made:
        if item.operation is None or not item.operation.minutes:
            continue
        place = item.operation.center, bench.tables.bucket(item.operation.center, item.start)
        free = bench.tables.budget(*place) - bench.context.loads[place]
        yield bench.edit(item.order, quantity=item.quantity + free // item.operation.minutes + 1)


@mutation("assembly_capacity_compliance")
def in_a_full_period(bench: Bench) -> Iterator[ErpState]:
    """An order starts in another period, which has too few minutes left for it."""
    days = bench.problem.bucket_days
    for item in bench.context.made:
        center = item.operation.center if item.operation else ""
        if not days or item.operation is None or not bench.tables.centers[center].buckets:
            continue
        own, needed = bench.tables.bucket(center, item.start), item.quantity * item.operation.minutes
        for bucket, budget in enumerate(bench.tables.centers[center].budgets):
            if bucket != own and needed > budget - bench.context.loads.get((center, bucket), 0):
                yield bench.edit_work(item.order, start=bench.date(bucket * days))


@mutation("component_stock_capacity_compliance", "mo_component_feasibility", "supply_timing_feasible")
def inputs_missing(bench: Bench) -> Iterator[ErpState]:
    """More is made than there are inputs; an input that cannot be spared is not bought, or comes too late."""
    for route in _finished_routes(bench)[:1]:
        yield bench.add(bench.new_production(route, FAR))
    for order in bench.confirmed_purchases():
        code, units = order.lines[0].product or "", order.lines[0].quantity
        spare = bench.context.supply(code) - bench.context.needs.get(code, 0)
        if code not in bench.tables.prices and units > spare:
            yield bench.cancel(order)
            yield bench.edit_purchase_line(order, planned=bench.date(FAR))
            yield bench.edit_purchase_line(order, quantity=units - spare - 1)


@mutation("mo_component_feasibility")
def strange_input(bench: Bench) -> Iterator[ErpState]:
    """An order takes something that nobody supplies."""
    for on, order in _production_mutants(bench)[:1]:
        yield on.edit(order, raw=(*order.raw, (STRANGER, 1.0)))


# -- links ----------------------------------------------------------------------------------------------------


@mutation("po_origin_traceability")
def untraceable_purchase(bench: Bench) -> Iterator[ErpState]:
    """Of each product bought: no origin, a strange one, one twice, or more units than all that is linked can want."""
    seen: set[str | None] = set()
    for order in bench.confirmed_purchases():
        product = order.lines[0].product
        if product in seen:
            continue
        seen.add(product)
        wanted = sum(demand.quantity for demand in bench.context.demands(product).values())
        yield bench.edit(order, origins=())
        yield bench.edit(order, origins=(*order.origins, STRANGER))
        yield bench.edit(order, origins=(*order.origins, order.origins[0]))
        yield bench.edit_purchase_line(order, quantity=wanted + bench.offer_of(order).min_qty)
    for offer in first(offer for offer in _offers(bench) if offer.product not in seen):
        yield bench.add(bench.new_purchase(offer, state="draft"))
        yield bench.add(bench.new_purchase(offer))


@mutation("mrp_origin_traceability")
def untraceable_production(bench: Bench) -> Iterator[ErpState]:
    """Of each product made: no origin, a strange one, one twice, or more units than all that is linked can want."""
    seen: set[str | None] = set()
    for on, order in _production_mutants(bench):
        if order.product in seen:
            continue
        seen.add(order.product)
        wanted = sum(demand.quantity for demand in on.context.demands(order.product).values())
        yield on.edit(order, origins=())
        yield on.edit(order, origins=(*order.origins, STRANGER))
        yield on.edit(order, quantity=wanted + 1)
        if order.origins:
            yield on.edit(order, origins=(*order.origins, order.origins[0]))
