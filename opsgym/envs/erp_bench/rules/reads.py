"""Which parts of a state each rule reads, so that a verdict can be brought up to date after a change.

A rule that is not listed is taken to read everything.  That the lists are complete is tested on recorded reads.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import fields
from functools import cache
from typing import TypeVar

from opsgym.core.task import CheckSpec
from opsgym.envs.erp_bench.rules.context import CONFIRMED
from opsgym.envs.erp_bench.state import ErpState, Invoice, Sale

T = TypeVar("T", Sale, Invoice)

PARTS: tuple[str, ...] = tuple(field.name for field in fields(ErpState))
"""Parts of a state."""

_SALES = frozenset({"sales"})
_BOUGHT = frozenset({"purchases"})
_MADE = frozenset({"productions"})
_BILLED = frozenset({"sales", "invoices"})

READS: Mapping[str, frozenset[str]] = {
    "demand_coverage": _SALES,
    "list_price": _SALES,
    "sale_revenue": _SALES,
    "budget_compliance": _SALES,
    "so_confirmed": _SALES,
    "prompt_request_not_confirmed": _SALES,
    "deadline_fulfillment": _SALES | {"loose"},
    "has_relevant_activity": _SALES,
    "sales_licensed": _SALES | {"touched"},
    "seeded_order_confirmed": _SALES,
    "seeded_order_cancelled": _SALES,
    "task_state_transitions_completed": _SALES,
    "retained_order_has_expected_payment_term": _SALES,
    "retained_order_has_expected_invoice_flow": _BILLED,
    "linked_posted_invoices_match_order_partner": _BILLED,
    "linked_posted_invoices_have_expected_payment_term": _BILLED,
    "regular_invoice_amount_matches_policy": _BILLED,
    "downpayment_invoice_amount_matches_policy": _BILLED,
    "linked_posted_invoices_are_tax_free": _BILLED,
    "rejected_order_not_invoiced": _BILLED,
    "invoices_licensed": _BILLED,
    "po_consolidation_compliance": _BOUGHT,
    "po_min_qty_compliance": _BOUGHT,
    "po_price_tier_compliance": _BOUGHT,
    "purchases_licensed": _BOUGHT,
    "forbidden_finished_po_absent": _BOUGHT,
    "finished_vendor_max_qty_compliance": _BOUGHT,
    "component_vendor_max_qty_compliance": _BOUGHT,
    "manufacturing_activity_present": _MADE,
    "assembly_capacity_compliance": _MADE,
    "productions_licensed": _MADE | {"loose"},
    "component_stock_capacity_compliance": _BOUGHT | _MADE,
    "mo_component_feasibility": _BOUGHT | _MADE,
    "spend_floor": _BOUGHT | _MADE,
    "mo_schedule_compliance": _SALES | _MADE,
    "mrp_origin_traceability": _SALES | _MADE,
    "po_origin_traceability": _SALES | _BOUGHT | _MADE,
    "supply_coverage": _SALES | _BOUGHT | _MADE,
    "finished_stock_capacity_compliance": _SALES | _BOUGHT | _MADE,
    "new_spend_margin_policy": _SALES | _BOUGHT | _MADE,
    "repair_state_compliance": _SALES | _BOUGHT | _MADE,
    "commitments_kept": _BOUGHT | _MADE,
    "po_delivery_schedule_compliance": _SALES | _BOUGHT | _MADE | {"loose"},
    "supply_timing_feasible": _SALES | _BOUGHT | _MADE | {"loose"},
    "master_data_unchanged": frozenset({"master_changes", "moved_stock", "touched"}),
    "adjacent_data_untouched": _SALES | _BOUGHT | _MADE | {"touched"},
    "no_open_drafts": _SALES | _BOUGHT | _MADE | {"invoices"},
}
"""Parts by rule."""

OF_ONE_CUSTOMER: frozenset[str] = frozenset(
    {
        "demand_coverage",
        "list_price",
        "sale_revenue",
        "budget_compliance",
        "so_confirmed",
        "prompt_request_not_confirmed",
        "deadline_fulfillment",
        "retained_order_has_expected_payment_term",
        "retained_order_has_expected_invoice_flow",
        "linked_posted_invoices_match_order_partner",
        "linked_posted_invoices_have_expected_payment_term",
        "regular_invoice_amount_matches_policy",
        "downpayment_invoice_amount_matches_policy",
        "linked_posted_invoices_are_tax_free",
        "rejected_order_not_invoiced",
    }
)
"""Rules that read sales orders of the customer in their arguments only, and invoices linked to these."""

WITH_DRAFTS: frozenset[str] = frozenset({"prompt_request_not_confirmed", "rejected_order_not_invoiced"})
"""Those of them that look at sales orders that are not confirmed, too."""


def staleness(old: ErpState, new: ErpState) -> Callable[[CheckSpec], bool]:
    """Whether a check may have another result in ``new`` than in ``old``; parts that are the same object are equal."""
    changed = frozenset([part for part in PARTS if getattr(old, part) is not getattr(new, part)])
    unconcerned, by_customer = _sorted_rules(changed)
    customers, confirmed = _customers(old, new) if changed & _BILLED else ((), ())

    def is_stale(check: CheckSpec) -> bool:
        rule = check.rule
        if rule in unconcerned:
            return False
        return rule not in by_customer or check.args["customer"] in (customers if rule in WITH_DRAFTS else confirmed)

    return is_stale


@cache
def _sorted_rules(changed: frozenset[str]) -> tuple[frozenset[str], frozenset[str]]:
    """Rules that read nothing of what has changed, and those that it concerns only as far as it is the customer's."""
    unconcerned = frozenset(rule for rule, reads in READS.items() if not reads & changed)
    by_customer = frozenset(rule for rule in OF_ONE_CUSTOMER if READS[rule] & changed <= _BILLED)
    return unconcerned, by_customer


def _customers(old: ErpState, new: ErpState) -> tuple[Collection[str | None], Collection[str | None]]:
    """Customers of whose sales orders, or of invoices linked to these, anything differs; and of whose confirmed ones."""
    differing = _differing(old.sales, new.sales)
    if billed := {name for invoice in _differing(old.invoices, new.invoices) for name in invoice.sales}:
        differing += [sale for sale in (*old.sales, *new.sales) if sale.name in billed]
    return {sale.customer for sale in differing}, {sale.customer for sale in differing if sale.state in CONFIRMED}


def _differing(old: tuple[T, ...], new: tuple[T, ...]) -> list[T]:
    """Documents that are in one but not in the other as they are; all of them where two bear one name."""
    if old is new:
        return []
    was, now = ({document.name: document for document in documents} for documents in (old, new))
    if len(was) < len(old) or len(now) < len(new):
        return list(old + new)
    changed = [document for name, document in now.items() if was.get(name) != document]
    return changed + [document for name, document in was.items() if now.get(name) != document]
