"""Which parts of a state each rule reads, so that a verdict can be brought up to date after a change.

Most rules look at documents that are confirmed and at no others: a draft that is written or cancelled does not concern them.
A rule that is not listed is taken to read everything.  That the lists are complete is tested on recorded reads, and on states
without the documents that a rule is said not to see.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import fields
from typing import TypeVar

from opsgym.core.task import CheckSpec
from opsgym.envs.erp_bench.rules.context import CONFIRMED
from opsgym.envs.erp_bench.state import ErpState, Invoice, Production, Purchase, Sale

D = TypeVar("D", Sale, Purchase, Production, Invoice)

PARTS: tuple[str, ...] = tuple(field.name for field in fields(ErpState))
"""Parts of a state."""

CONFIRMED_OF: Mapping[str, str] = {part: f"confirmed {part}" for part in ("sales", "purchases", "productions")}
"""What is said to be read by a rule that looks at confirmed documents of a part only."""

_SALES, _SOLD = frozenset({"sales"}), frozenset({"confirmed sales"})
_ORDERED, _BOUGHT = frozenset({"purchases"}), frozenset({"confirmed purchases"})
_PLANNED, _MADE = frozenset({"productions"}), frozenset({"confirmed productions"})
_INVOICES = frozenset({"invoices"})

READS: Mapping[str, frozenset[str]] = {
    "demand_coverage": _SOLD,
    "list_price": _SOLD,
    "sale_revenue": _SOLD,
    "budget_compliance": _SOLD,
    "so_confirmed": _SOLD,
    "prompt_request_not_confirmed": _SALES,
    "deadline_fulfillment": _SOLD | {"loose"},
    "has_relevant_activity": _SALES,
    "sales_licensed": _SALES | {"touched"},
    "seeded_order_confirmed": _SALES,
    "seeded_order_cancelled": _SALES,
    "task_state_transitions_completed": _SALES,
    "retained_order_has_expected_payment_term": _SOLD,
    "retained_order_has_expected_invoice_flow": _SOLD | _INVOICES,
    "linked_posted_invoices_match_order_partner": _SOLD | _INVOICES,
    "linked_posted_invoices_have_expected_payment_term": _SOLD | _INVOICES,
    "regular_invoice_amount_matches_policy": _SOLD | _INVOICES,
    "downpayment_invoice_amount_matches_policy": _SOLD | _INVOICES,
    "linked_posted_invoices_are_tax_free": _SOLD | _INVOICES,
    "rejected_order_not_invoiced": _SALES | _INVOICES,
    "invoices_licensed": _SOLD | _INVOICES,
    "po_consolidation_compliance": _BOUGHT,
    "po_min_qty_compliance": _BOUGHT,
    "po_price_tier_compliance": _BOUGHT,
    "purchases_licensed": _ORDERED,
    "forbidden_finished_po_absent": _ORDERED,
    "finished_vendor_max_qty_compliance": _BOUGHT,
    "component_vendor_max_qty_compliance": _BOUGHT,
    "manufacturing_activity_present": _MADE,
    "assembly_capacity_compliance": _MADE,
    "productions_licensed": _PLANNED | {"loose"},
    "component_stock_capacity_compliance": _BOUGHT | _MADE,
    "mo_component_feasibility": _BOUGHT | _MADE,
    "spend_floor": _BOUGHT | _MADE,
    "mo_schedule_compliance": _SOLD | _MADE,
    "mrp_origin_traceability": _SOLD | _MADE,
    "po_origin_traceability": _SOLD | _ORDERED | _MADE,
    "supply_coverage": _SOLD | _BOUGHT | _MADE,
    "finished_stock_capacity_compliance": _SOLD | _BOUGHT | _MADE,
    "new_spend_margin_policy": _SOLD | _BOUGHT | _MADE,
    "repair_state_compliance": _SALES | _ORDERED | _PLANNED,
    "commitments_kept": _BOUGHT | _MADE,
    "po_delivery_schedule_compliance": _SOLD | _BOUGHT | _MADE | {"loose"},
    "supply_timing_feasible": _SOLD | _BOUGHT | _MADE | {"loose"},
    "master_data_unchanged": frozenset({"master_changes", "moved_stock", "touched"}),
    "adjacent_data_untouched": _SALES | _ORDERED | _PLANNED | {"touched"},
    "no_open_drafts": _SALES | _ORDERED | _PLANNED | _INVOICES,
}
"""What each rule reads."""

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

_ANY = frozenset((*PARTS, *CONFIRMED_OF.values()))
_OF_CUSTOMER = _SALES | _SOLD | _INVOICES


class Readers:
    """Which of a task's checks read what.

    Args:
        checks: The checks.
    """

    def __init__(self, checks: Sequence[CheckSpec]) -> None:
        self._of: defaultdict[str, list[int]] = defaultdict(list)
        self._of_customer: dict[str, defaultdict[str | None, list[int]]] = {
            part: defaultdict(list) for part in ("sales", CONFIRMED_OF["sales"])
        }
        for number, check in enumerate(checks):
            reads = READS.get(check.rule, _ANY)
            if check.rule in OF_ONE_CUSTOMER:
                for part in reads & _OF_CUSTOMER - _INVOICES:
                    self._of_customer[part][check.args["customer"]].append(number)
                reads -= _OF_CUSTOMER
            for part in reads:
                self._of[part].append(number)

    def stale(self, old: ErpState, new: ErpState) -> set[int]:
        """Numbers of the checks that may have another result in ``new``; parts that are the same object are equal."""
        changed: set[int] = set()
        for part in PARTS:
            if part in CONFIRMED_OF or getattr(old, part) is getattr(new, part):
                continue
            changed.update(self._of[part])
        for part, confirmed in (*CONFIRMED_OF.items(),) if old is not new else ():
            documents, only_drafts = _differing(getattr(old, part), getattr(new, part))
            if documents:
                changed.update(self._of[part])
                if not only_drafts:
                    changed.update(self._of[confirmed])
        if old.sales is not new.sales or old.invoices is not new.invoices:
            for part, customers in zip(self._of_customer, _customers(old, new), strict=True):
                of = self._of_customer[part]
                for customer in of if customers is None else customers:
                    changed.update(of.get(customer, ()))
        return changed


def _customers(old: ErpState, new: ErpState) -> tuple[Collection[str | None] | None, Collection[str | None] | None]:
    """Customers of whose sales orders, or of invoices linked to these, anything differs; and of whose confirmed ones.

    ``None`` stands for all of them.
    """
    differing, _ = _differing(old.sales, new.sales)
    if _is_ambiguous(old.sales) or _is_ambiguous(new.sales):
        return None, None
    if billed := {name for invoice in _differing(old.invoices, new.invoices)[0] for name in invoice.sales}:
        differing += [sale for sale in (*old.sales, *new.sales) if sale.name in billed]
    return {sale.customer for sale in differing}, {sale.customer for sale in differing if sale.state in CONFIRMED}


def _differing(old: tuple[D, ...], new: tuple[D, ...]) -> tuple[list[D], bool]:
    """Documents that are in one but not in the other as they are, and whether none of them is confirmed.

    Where two documents bear one name, what is said of either may concern the other.
    """
    if old is new:
        return [], True
    were, are = {id(document) for document in old}, {id(document) for document in new}
    found = [document for document in new if id(document) not in were]
    found += [document for document in old if id(document) not in are]
    only_drafts = all(document.state not in CONFIRMED for document in found)
    return found, only_drafts and not _is_ambiguous(old) and not _is_ambiguous(new)


def _is_ambiguous(documents: tuple[D, ...]) -> bool:
    return len({document.name for document in documents}) < len(documents)
