"""Rules on what a plan leaves alone: master data, other business, and half-finished documents."""

from __future__ import annotations

from opsgym.envs.erp_bench.rules.context import CONFIRMED, Context
from opsgym.envs.erp_bench.rules.registry import Outcome, expect_none, rule
from opsgym.envs.erp_bench.rules.sales import disturbed
from opsgym.envs.erp_bench.state import Purchase, Sale

HEADS = ("sale.order", "purchase.order", "mrp.production")
"""Models of whole documents."""


@rule(family="hygiene")
def master_data_unchanged(context: Context) -> Outcome:
    """No record but the plan's own documents differs from the start, no stock was moved, and no document vanished.

    An order that was there keeps the customer's reference, by which it is known.
    """
    heads = (item for item in context.state.touched if item.model in HEADS)
    lost = (item for item in heads if item.kind == "deleted" or "client_order_ref" in item.fields)
    changes = (*context.state.master_changes, *context.state.moved_stock, *lost)
    offences = [
        f"{item.model} {item.key} was {item.kind}" + (f" ({', '.join(item.fields)})" if item.fields else "") for item in changes
    ]
    return expect_none(offences, "no change outside the plan's documents")


@rule(family="hygiene")
def adjacent_data_untouched(context: Context) -> Outcome:
    """Other business stands as it was: its orders unchanged, its partners and products in no other document.

    A cancelled document may name another partner, but no product that is not the task's.
    """
    return expect_none(_touched(context) + disturbed(context), "other partners, products and orders as they were")


def _touched(context: Context) -> list[str]:
    tables, state = context.tables, context.state
    orders = [sale for sale in state.sales if sale.ref not in tables.decoy_orders]
    offences = [
        f"{sale.name} is for {sale.customer}"
        for sale in orders
        if sale.state != "cancelled" and sale.customer in tables.decoy_partners
    ]
    offences += [
        f"{order.name} is for {order.vendor}" for order in context.live_purchases if order.vendor in tables.decoy_partners
    ]
    documents: list[Sale | Purchase] = [*orders, *state.purchases]
    offences += [
        f"{document.name} is about {line.product}"
        for document in documents
        for line in document.lines
        if line.product in tables.decoy_products
    ]
    offences += [
        f"{order.name} makes {order.product}" for order in context.live_productions if order.product in tables.decoy_products
    ]
    return offences


@rule(family="hygiene")
def no_open_drafts(context: Context) -> Outcome:
    """The agent leaves no document of its own half-finished."""
    refs = context.tables.seeded_refs | context.tables.decoy_orders.keys()
    seeded = {context.sale_by_ref[ref].name for ref in refs if ref in context.sale_by_ref}
    names = [sale.name for sale in context.sales if sale.state not in CONFIRMED and sale.name not in seeded]
    names += [order.name for order in context.live_purchases if order.state not in CONFIRMED]
    names += [order.name for order in context.live_productions if order.state not in CONFIRMED]
    names += sorted(invoice.name for invoice in context.state.invoices if invoice.state == "draft")
    return expect_none([f"{name} is a draft" for name in names], "no drafts")
