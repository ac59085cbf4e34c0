"""Mutations of sales orders and invoices."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from opsgym.envs.erp_bench.mutants.bench import STRANGER, Bench, first, mutation
from opsgym.envs.erp_bench.rules.invoices import linked
from opsgym.envs.erp_bench.state import ErpState, SaleLine


@mutation("demand_coverage", "sale_revenue", "task_state_transitions_completed")
def one_unit_short(bench: Bench) -> Iterator[ErpState]:
    """A customer gets one unit less."""
    for order, sale in bench.sold():
        yield bench.edit_sale_line(sale, quantity=order.quantity - 1.0)


@mutation("deadline_fulfillment", "supply_timing_feasible")
def not_promised(bench: Bench) -> Iterator[ErpState]:
    """A sales order without a commitment date."""
    for _, sale in bench.sold():
        yield bench.edit(sale, commitment=None)


@mutation("deadline_fulfillment")
def one_day_late(bench: Bench) -> Iterator[ErpState]:
    """A sales order promised a day too late."""
    for order, sale in bench.sold():
        yield bench.edit(sale, commitment=bench.date(order.due + 1))


@mutation("list_price", "sale_revenue")
def off_by_cents(bench: Bench) -> Iterator[ErpState]:
    """A price two cents off, up or down: just beyond the tolerance of one."""
    for order, sale in bench.sold():
        for cents in (-2, 2):
            yield bench.edit_sale_line(sale, price=(bench.tables.price(order.customer) + cents) / 100)


@mutation("demand_coverage", "list_price", "so_confirmed", "sales_licensed")
def another_product(bench: Bench) -> Iterator[ErpState]:
    """A customer is sold another finished product than the one ordered, at that one's list price."""
    for order, sale in bench.sold():
        for code in first(code for code in bench.tables.prices if code != bench.tables.ordered[order.customer]):
            yield bench.edit_sale_line(sale, product=code, price=bench.tables.prices[code] / 100)


@mutation("sale_revenue")
def hidden_discount(bench: Bench) -> Iterator[ErpState]:
    """List price on the line, but a discount in the order's total."""
    for _, sale in bench.sold():
        yield bench.edit(sale, amount_untaxed=0.9 * sale.amount_untaxed)


@mutation("budget_compliance")
def one_cent_over_budget(bench: Bench) -> Iterator[ErpState]:
    """A customer pays a cent more than the budget."""
    for customer, order in bench.tables.accepted.items():
        if order.budget is not None:
            sale = bench.context.confirmed_sales[customer][0]
            yield bench.edit_sale_line(sale, price=(order.budget + 1) / 100 / order.quantity)


@mutation("so_confirmed", "task_state_transitions_completed")
def left_as_draft(bench: Bench) -> Iterator[ErpState]:
    """An order is left unconfirmed: each in turn, but for those that were in the ERP of a screened task."""
    for customer, order in bench.tables.accepted.items():
        if not (order.seeded and bench.problem.screening):
            yield bench.edit(bench.context.confirmed_sales[customer][0], state="draft")


@mutation("seeded_order_confirmed", "task_state_transitions_completed")
def seeded_left_as_draft(bench: Bench) -> Iterator[ErpState]:
    """An order that was in the ERP is left unconfirmed, each in turn."""
    for customer, order in bench.tables.accepted.items():
        if order.seeded:
            yield bench.edit(bench.context.confirmed_sales[customer][0], state="draft")


@mutation("seeded_order_confirmed")
def quantity_edited(bench: Bench) -> Iterator[ErpState]:
    """A seeded order of the customer's is confirmed with another quantity, or for somebody else."""
    for customer, order in bench.tables.accepted.items():
        if order.seeded:
            sale = bench.context.confirmed_sales[customer][0]
            yield bench.edit_sale_line(sale, quantity=order.quantity + 1.0)
            yield bench.edit(sale, customer=STRANGER)
            return


@mutation("has_relevant_activity")
def nothing_achieved(bench: Bench) -> Iterator[ErpState]:
    """All sales orders of the task are drafts."""
    known = bench.tables.accepted.keys() | bench.tables.rejected.keys()
    sales = tuple(replace(sale, state="draft") if sale.customer in known else sale for sale in bench.state.sales)
    yield replace(bench.state, sales=sales)


@mutation("seeded_order_cancelled", "task_state_transitions_completed")
def rejected_draft_left(bench: Bench) -> Iterator[ErpState]:
    """A rejected order is left as a draft, or confirmed, or sold anew."""
    for customer, order in bench.tables.rejected.items():
        if order.seeded:
            sale = bench.context.sale_by_ref[order.ref]
            yield bench.edit(sale, state="draft")
            yield bench.edit(sale, state="confirmed")
            yield bench.add(bench.new_sale(customer, quantity=order.quantity))


@mutation("prompt_request_not_confirmed", "task_state_transitions_completed")
def rejected_request_entered(bench: Bench) -> Iterator[ErpState]:
    """A rejected request is entered, as a draft or confirmed."""
    for customer, order in bench.tables.rejected.items():
        if not order.seeded:
            yield bench.add(bench.new_sale(customer, quantity=order.quantity, state="draft"))
            yield bench.add(bench.new_sale(customer, quantity=order.quantity))


@mutation("sales_licensed")
def unlicensed_sale(bench: Bench) -> Iterator[ErpState]:
    """A sale to a stranger, a draft for one, another product on an order, and an order of nothing."""
    yield bench.add(bench.new_sale(STRANGER))
    yield bench.add(bench.new_sale(STRANGER, state="draft"))
    for order, sale in bench.sold():
        yield bench.edit(sale, lines=(*sale.lines, SaleLine(STRANGER, 1.0, 1.0)))
        yield bench.add(replace(bench.new_sale(order.customer), lines=()))


@mutation("retained_order_has_expected_invoice_flow", "regular_invoice_amount_matches_policy")
def second_invoice(bench: Bench) -> Iterator[ErpState]:
    """An order is billed twice, or its regular invoice is left a draft."""
    for order, sale in bench.sold() if bench.tables.invoices else ():
        yield bench.add(bench.new_invoice(order.customer, (sale.name,)))
        regular = next(item for item in linked(bench.context, order.customer) if item.kind == "regular")
        yield bench.edit(regular, state="draft")
        yield bench.edit(regular, state="cancelled")


@mutation("retained_order_has_expected_payment_term")
def wrong_term_on_order(bench: Bench) -> Iterator[ErpState]:
    """A sales order carries another payment term, or none."""
    for _, sale in bench.sold() if bench.tables.invoices else ():
        yield bench.edit(sale, payment_term="15 Days")
        yield bench.edit(sale, payment_term=None)


@mutation("linked_posted_invoices_match_order_partner")
def wrong_addressee(bench: Bench) -> Iterator[ErpState]:
    """An invoice is addressed to somebody else."""
    for order, _ in bench.sold() if bench.tables.invoices else ():
        yield bench.edit(linked(bench.context, order.customer)[0], partner=STRANGER)


@mutation("linked_posted_invoices_have_expected_payment_term")
def wrong_term_on_invoice(bench: Bench) -> Iterator[ErpState]:
    """An invoice carries no payment term."""
    for order, _ in bench.sold() if bench.tables.invoices else ():
        yield bench.edit(linked(bench.context, order.customer)[0], payment_term=None)


@mutation("linked_posted_invoices_are_tax_free")
def taxed_invoice(bench: Bench) -> Iterator[ErpState]:
    """An invoice adds tax."""
    for order, _ in bench.sold() if bench.tables.invoices else ():
        invoice = linked(bench.context, order.customer)[0]
        yield bench.edit(invoice, amount_total=1.15 * invoice.amount_untaxed)


@mutation("regular_invoice_amount_matches_policy")
def wrong_invoice_amount(bench: Bench) -> Iterator[ErpState]:
    """A regular invoice is two cents off."""
    yield from _off_by_two_cents(bench, "regular")


@mutation("downpayment_invoice_amount_matches_policy")
def wrong_downpayment(bench: Bench) -> Iterator[ErpState]:
    """A down payment is two cents off, or missing."""
    yield from _off_by_two_cents(bench, "downpayment")
    for item in first(item for item in bench.state.invoices if item.kind == "downpayment"):
        yield replace(bench.state, invoices=tuple(other for other in bench.state.invoices if other is not item))


def _off_by_two_cents(bench: Bench, kind: str) -> Iterator[ErpState]:
    for item in first(item for item in bench.state.invoices if item.kind == kind):
        for change in (-0.02, 0.02):
            amount = item.amount_untaxed + change
            yield bench.edit(item, amount_untaxed=amount, amount_total=amount)


@mutation("rejected_order_not_invoiced")
def rejected_order_billed(bench: Bench) -> Iterator[ErpState]:
    """A rejected order is billed."""
    for customer in bench.tables.rejected if bench.tables.invoices else ():
        sale = bench.new_sale(customer, state="cancelled")
        yield bench.add(sale, bench.new_invoice(customer, (sale.name,)))


@mutation("invoices_licensed")
def unlicensed_invoice(bench: Bench) -> Iterator[ErpState]:
    """An invoice without a sales order, and on tasks without invoicing one for an order."""
    yield bench.add(bench.new_invoice(STRANGER, ()))
    yield bench.add(bench.new_invoice(STRANGER, ("S99998",)))
    for order, sale in bench.sold() if not bench.tables.invoices else ():
        yield bench.add(bench.new_invoice(order.customer, (sale.name,)))
