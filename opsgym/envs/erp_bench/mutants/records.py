"""Mutations of records that a plan leaves alone, and of repairs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from opsgym.envs.erp_bench.mutants.bench import Bench, first, mutation
from opsgym.envs.erp_bench.spec import SeededProduction
from opsgym.envs.erp_bench.state import Change, ErpState, Production, Purchase, WorkOrder

TAMPERED = (
    Change("product.supplierinfo", "offer", "changed", ("price",)),
    Change("product.product", "product", "changed", ("list_price",)),
    Change("mrp.bom.line", "line", "deleted"),
    Change("mrp.workcenter", "center", "changed", ("note",)),
    Change("res.partner", "partner", "created"),
)
"""A few of the records that an agent might bend to its plan."""


@mutation("master_data_unchanged")
def tampered(bench: Bench) -> Iterator[ErpState]:
    """A master record is changed, made or deleted; stock is moved."""
    for change in TAMPERED:
        yield replace(bench.state, master_changes=(change,))
    yield replace(bench.state, moved_stock=(Change("stock.quant", "product", "changed", ("quantity",)),))
    yield replace(bench.state, touched=(Change("purchase.order", "P00001", "deleted"),))
    yield replace(bench.state, touched=(Change("sale.order", "S00001", "changed", ("client_order_ref",)),))


@mutation("adjacent_data_untouched")
def other_business_touched(bench: Bench) -> Iterator[ErpState]:
    """A document names another's partner or product; an order of others is cancelled, edited or gone."""
    decoys, product = bench.tables.scenario.decoys, bench.problem.product
    for partner in decoys.customers[:1]:
        yield bench.add(bench.new_sale(partner.ref, product=product, state="draft"))
    for partner in decoys.vendors[:1]:
        yield bench.add(replace(bench.stray_purchase(state="draft"), vendor=partner.ref))
    for item in decoys.products[:1]:
        yield bench.add(bench.new_sale("", product=item.code, state="cancelled"))
        yield bench.add(bench.stray_production(item.code, state="draft"))
    for order in decoys.orders:
        sale = bench.context.sale_by_ref[order.ref]
        yield bench.edit(sale, state="cancelled")
        yield bench.edit(sale, commitment=bench.date(order.due + 1))
        yield bench.edit(sale, lines=tuple(replace(line, quantity=line.quantity + 1) for line in sale.lines))
        yield replace(bench.state, sales=tuple(other for other in bench.state.sales if other is not sale))
        yield replace(bench.state, touched=(Change("sale.order.line", sale.name, "changed", ("price_unit",)),))


@mutation("no_open_drafts")
def drafts_left(bench: Bench) -> Iterator[ErpState]:
    """A document of each kind is left a draft."""
    customer = next(iter(bench.tables.accepted), "")
    yield bench.add(bench.new_sale(customer, state="draft"))
    for offer in bench.problem.offers[:1]:
        yield bench.add(bench.new_purchase(offer, state="draft"))
    for route in bench.problem.operations[:1]:
        yield bench.add(bench.new_production(route, 1, state="draft"))
    yield bench.add(bench.new_invoice(customer, (), state="draft"))


# -- repair ---------------------------------------------------------------------------------------------------


@mutation("repair_state_compliance")
def disruption_ignored(bench: Bench) -> Iterator[ErpState]:
    """A broken document lives, what is broken is used anew, or an order is sold beside the one that was there."""
    repair = bench.problem.repair
    assert repair is not None, "asked for on repair tasks only"
    broken = {*repair.broken_purchases, *repair.broken_productions}
    names = [name for name, ref in bench.tables.seeded_names.items() if ref in broken]
    documents: list[Purchase | Production] = [*bench.state.purchases, *bench.state.productions]
    for document in documents:
        if document.name in names:
            yield bench.edit(document, state="confirmed")
    for offer in bench.problem.offers:
        if offer.key == repair.broken_offer:
            yield bench.add(bench.new_purchase(offer))
    for route in first(route for route in bench.problem.operations if route.center == repair.broken_center):
        yield bench.add(bench.new_production(route, 1))
    for order, sale in bench.sold():
        yield bench.add(bench.new_sale(order.customer, quantity=order.quantity))
        yield bench.cancel(sale)


@mutation("commitments_kept")
def churned(bench: Bench) -> Iterator[ErpState]:
    """A working commitment is cancelled and booked again as it was."""
    repair = bench.problem.repair
    assert repair is not None, "asked for on repair tasks only"
    for name, seed in bench.tables.seeded_purchases.items():
        if seed.ref not in repair.broken_purchases:
            yield _rebooked_purchase(bench, next(order for order in bench.state.purchases if order.name == name), seed.quantity)
            break
    for name, made in bench.tables.seeded_productions.items():
        if made.ref not in repair.broken_productions:
            yield _rebooked_production(bench, next(order for order in bench.state.productions if order.name == name), made)
            break


def _rebooked_purchase(bench: Bench, order: Purchase, quantity: int) -> ErpState:
    """``order`` cancelled, and a new one for its original quantity; other purchases of its offer go."""
    line = replace(order.lines[0], quantity=float(quantity))
    copy = replace(order, name="P99998", state="confirmed", lines=(line,))
    pair = order.vendor, line.product
    others = [item for item in bench.confirmed_purchases() if (item.vendor, item.lines[0].product) == pair]
    return Bench(bench.cancel(order, *others), bench.tables).add(copy)


def _rebooked_production(bench: Bench, order: Production, seed: SeededProduction) -> ErpState:
    """``order`` cancelled, and a new one just like the seeded one."""
    start, due = bench.date(seed.start), bench.date(seed.due)
    copy = replace(
        order,
        name="WH/MO/99998",
        state="confirmed",
        quantity=float(seed.quantity),
        start=start,
        deadline=due,
        work_orders=(WorkOrder(seed.center, "ready", start, due),),
    )
    return Bench(bench.cancel(order), bench.tables).add(copy)
