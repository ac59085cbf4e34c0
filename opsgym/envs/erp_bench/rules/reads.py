"""Which parts of a state each rule reads, so that a verdict can be brought up to date after a change.

Most rules look at documents that are confirmed and at no others: a draft that is written or cancelled does not concern them.
A rule that is not listed is taken to read everything.  That the lists are complete is tested on recorded reads, and on states
without the documents that a rule is said not to see.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import fields
from operator import attrgetter
from typing import TypeVar

from opsgym.core.task import CheckSpec
from opsgym.envs.erp_bench.rules.context import CONFIRMED
from opsgym.envs.erp_bench.state import ErpState, Invoice, Production, Purchase, Sale

D = TypeVar("D", Sale, Purchase, Production, Invoice)

PARTS: tuple[str, ...] = tuple(field.name for field in fields(ErpState))
"""Parts of a state."""
_PARTS_OF = attrgetter(*PARTS)

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
        self._of_customer: defaultdict[str, defaultdict[str | None, list[int]]] = defaultdict(lambda: defaultdict(list))
        for number, check in enumerate(checks):
            reads = READS.get(check.rule, _ANY)
            if check.rule in OF_ONE_CUSTOMER:
                orders = "sales" if "sales" in reads else CONFIRMED_OF["sales"]
                self._of_customer[f"{orders}, billed" if "invoices" in reads else orders][check.args["customer"]].append(number)
                reads -= _OF_CUSTOMER
            for part in reads:
                self._of[part].append(number)

    def stale(self, old: ErpState, new: ErpState, changed: Collection[str]) -> set[int]:
        """Numbers of the checks that may have another result in ``new``, given the :func:`changed_parts`."""
        stale: set[int] = set()
        sold: list[Sale] = []
        ambiguous = False
        for part in changed:
            stale.update(self._of[part])
            confirmed = CONFIRMED_OF.get(part)
            if confirmed is None:
                continue
            before, after = getattr(old, part), getattr(new, part)
            documents = _differing(before, after)
            is_ambiguous = _is_ambiguous(before) or _is_ambiguous(after)
            if is_ambiguous or any(document.state in CONFIRMED for document in documents):
                stale.update(self._of[confirmed])
            if part == "sales":
                sold, ambiguous = documents, is_ambiguous
        if sold:
            self._concern(stale, sold, billed=False, everyone=ambiguous)
        if sold or "invoices" in changed:
            names = {name for invoice in _differing(old.invoices, new.invoices) for name in invoice.sales}
            charged = [sale for sale in (*old.sales, *new.sales) if sale.name in names] if names else []
            self._concern(stale, sold + charged, billed=True, everyone=ambiguous or _is_ambiguous(new.sales))
        return stale

    def _concern(self, stale: set[int], sales: Sequence[Sale], *, billed: bool, everyone: bool) -> None:
        """Add the checks of the customers of sales orders, of those that are confirmed where the rule looks at no others."""
        for orders in ("sales", CONFIRMED_OF["sales"]):
            of = self._of_customer[f"{orders}, billed" if billed else orders]
            if everyone:
                stale.update(*of.values())
                continue
            for sale in sales:
                if sale.customer in of and (orders == "sales" or sale.state in CONFIRMED):
                    stale.update(of[sale.customer])


def changed_parts(old: ErpState, new: ErpState) -> list[str]:
    """Parts that may differ; those that are the same object are equal."""
    pairs = zip(PARTS, _PARTS_OF(old), _PARTS_OF(new), strict=True)
    return [part for part, before, after in pairs if before is not after]


def _differing(old: tuple[D, ...], new: tuple[D, ...]) -> list[D]:
    """Documents that are in one but not in the other as they are."""
    if old is new:
        return []
    were, are = set(map(id, old)), set(map(id, new))
    return [each for each in new if id(each) not in were] + [each for each in old if id(each) not in are]


def _is_ambiguous(documents: tuple[D, ...]) -> bool:
    """Whether two documents bear one name: what is said of either may concern the other."""
    return len({document.name for document in documents}) < len(documents)
