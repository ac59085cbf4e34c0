"""Rules on customer invoices: which exist, for how much, on which terms."""

from __future__ import annotations

from opsgym.envs.erp_bench.rules.context import Context
from opsgym.envs.erp_bench.rules.registry import Outcome, expect, expect_none, rule
from opsgym.envs.erp_bench.rules.sales import CENT
from opsgym.envs.erp_bench.state import Invoice


def linked(context: Context, customer: str) -> list[Invoice]:
    """Live invoices that are linked to the customer's confirmed sales orders."""
    found = {
        invoice.name: invoice
        for sale in context.confirmed_sales.get(customer, ())
        for invoice in context.invoices_by_sale.get(sale.name, ())
    }
    return list(found.values())


def _posted(context: Context, customer: str, kind: str | None = None) -> list[Invoice]:
    return [item for item in linked(context, customer) if item.state == "posted" and kind in (None, item.kind)]


@rule(family="hygiene")
def retained_order_has_expected_invoice_flow(context: Context, *, customer: str, downpayment: bool) -> Outcome:
    """The order's invoices are all posted: one regular, after one pure down payment where one is due, and nothing else."""
    expected = ["downpayment", "regular"] if downpayment else ["regular"]
    invoices = linked(context, customer)
    kinds = sorted(item.kind for item in invoices)
    drafts = [item.name for item in invoices if item.state != "posted"]
    message = f"{customer} has invoices of kind {kinds}" + (f", not posted: {', '.join(drafts)}" if drafts else "")
    return expect(kinds == expected and not drafts, expected, kinds, message)


@rule(family="hygiene")
def retained_order_has_expected_payment_term(context: Context, *, customer: str, term: str) -> Outcome:
    """Each confirmed sales order of the customer carries the payment term."""
    sales = context.confirmed_sales.get(customer, ())
    wrong = [sale.payment_term for sale in sales if sale.payment_term != term]
    return expect(
        bool(sales) and not wrong, term, wrong or None, f"{customer}'s orders carry {wrong or 'no'} term, expected {term!r}"
    )


@rule(family="hygiene")
def linked_posted_invoices_match_order_partner(context: Context, *, customer: str) -> Outcome:
    """There are posted invoices, and all are addressed to the customer."""
    partners = [item.partner for item in _posted(context, customer)]
    holds = bool(partners) and all(partner == customer for partner in partners)
    return expect(holds, customer, partners, f"{customer}'s posted invoices are addressed to {partners or 'nobody'}")


@rule(family="hygiene")
def linked_posted_invoices_have_expected_payment_term(context: Context, *, customer: str, term: str) -> Outcome:
    """There are posted invoices, and all carry the payment term."""
    terms = [item.payment_term for item in _posted(context, customer)]
    holds = bool(terms) and all(given == term for given in terms)
    return expect(holds, term, terms, f"{customer}'s posted invoices carry {terms or 'no'} terms, expected {term!r}")


@rule(family="hygiene")
def regular_invoice_amount_matches_policy(context: Context, *, customer: str, amount: int) -> Outcome:
    """Exactly one regular invoice is posted, for what the down payment leaves."""
    return _amount(context, customer, "regular", amount)


@rule(family="hygiene")
def downpayment_invoice_amount_matches_policy(context: Context, *, customer: str, amount: int) -> Outcome:
    """Exactly one pure down payment invoice is posted, for the amount of the policy."""
    return _amount(context, customer, "downpayment", amount)


def _amount(context: Context, customer: str, kind: str, amount: int) -> Outcome:
    actual = [item.amount_untaxed for item in _posted(context, customer, kind)]
    holds = len(actual) == 1 and abs(actual[0] - amount / 100) <= CENT
    return expect(
        holds, amount / 100, actual, f"{customer}'s {kind} invoices come to {actual}, expected one of {amount / 100:.2f}"
    )


@rule(family="hygiene")
def linked_posted_invoices_are_tax_free(context: Context, *, customer: str) -> Outcome:
    """There are posted invoices, and none adds tax."""
    invoices = _posted(context, customer)
    taxed = [item.name for item in invoices if abs(item.amount_untaxed - item.amount_total) > CENT]
    return expect(
        bool(invoices) and not taxed, 0, taxed, f"{customer}'s invoices {', '.join(taxed) or '(none)'} are not tax free"
    )


@rule(family="hygiene")
def rejected_order_not_invoiced(context: Context, *, customer: str) -> Outcome:
    """No live invoice is linked to a sales order of the customer, whatever the order's state."""
    names = [
        invoice.name
        for sale in context.state.sales
        if sale.customer == customer
        for invoice in context.invoices_by_sale.get(sale.name, ())
    ]
    return expect(not names, [], names, f"{customer}'s order is rejected, but invoiced by {', '.join(names)}")


@rule(family="hygiene")
def invoices_licensed(context: Context) -> Outcome:
    """Every live invoice bills confirmed sales orders of accepted customers, on tasks that ask for invoices."""
    licensed: set[str] = set()
    if context.tables.problem.invoicing:
        licensed = {sale.name for customer in context.tables.accepted for sale in context.confirmed_sales.get(customer, ())}
    offences = [
        f"{item.name} bills {', '.join(item.sales) or 'no sales order'}"
        for item in context.state.invoices
        if item.state != "cancelled" and not (item.sales and licensed.issuperset(item.sales))
    ]
    return expect_none(offences, "invoices of accepted orders only" if licensed else "no invoices")
