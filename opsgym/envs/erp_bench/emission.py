"""Which rules apply to which task: the table from which a task's checks are made."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from opsgym.core.task import CheckSpec, JsonDict
from opsgym.envs.erp_bench.rules.tables import InvoicePlan, Tables
from opsgym.envs.erp_bench.spec import Offer, Order

Dimension = Literal["constraint", "traceability"]
Arguments = Callable[[Tables], Iterable[JsonDict]]


@dataclass(frozen=True, slots=True)
class Emission:
    """One row of the catalogue.

    Attributes:
        rule: Name of the rule.
        group: Group whose checks are earned together; ``None`` for checks that are scored alone.
        args: The arguments of each check of the rule on a task; no check where it gives none.
        dimension: What the checks count towards.
    """

    rule: str
    group: str | None
    args: Arguments
    dimension: Callable[[Tables], Dimension]

    def checks(self, tables: Tables) -> list[CheckSpec]:
        """The checks of this row on a task."""
        return [
            CheckSpec(
                rule=self.rule,
                dimension=self.dimension(tables),
                group=self.group or self.rule,
                mode="all" if self.group else "each",
                args=args,
            )
            for args in self.args(tables)
        ]


def _constraint(_: Tables) -> Dimension:
    return "constraint"


def _traceability(_: Tables) -> Dimension:
    return "traceability"


def _constraint_when_screened(tables: Tables) -> Dimension:
    return "constraint" if _screened(tables) else "traceability"


def _screened(tables: Tables) -> bool:
    return tables.problem.screening is not None


def once(applies: Callable[[Tables], bool] = lambda _: True) -> Arguments:
    """A rule without arguments, where ``applies`` holds."""
    return lambda tables: ({},) if applies(tables) else ()


def per_accepted(args: Callable[[Order, Tables], JsonDict], applies: Callable[[Tables], bool] = lambda _: True) -> Arguments:
    """A rule per accepted order, where ``applies`` holds."""
    return lambda tables: (
        [{"customer": order.customer, **args(order, tables)} for order in tables.accepted.values()] if applies(tables) else ()
    )


def per_invoiced(args: Callable[[InvoicePlan], JsonDict], applies: Callable[[InvoicePlan], bool] = lambda _: True) -> Arguments:
    """A rule per accepted order with an invoice plan to which it ``applies``."""
    return lambda tables: [{"customer": ref, **args(plan)} for ref, plan in tables.invoices.items() if applies(plan)]


def _seeded(orders: Iterable[Order]) -> list[JsonDict]:
    return [{"ref": order.ref, "customer": order.customer, "quantity": order.quantity} for order in orders if order.seeded]


def _rejected(tables: Tables) -> list[JsonDict]:
    return [{"customer": customer} for customer in tables.rejected]


def _limited(*, finished: bool) -> Callable[[Tables], bool]:
    def applies(tables: Tables) -> bool:
        return any(offer.max_qty is not None for offer in tables.problem.offers if (offer.product in tables.prices) == finished)

    return applies


def _traced(tables: Tables) -> list[JsonDict]:
    """Products on offer with their role, in the order of the offers."""
    licensed = [offer.product for offer in tables.problem.offers if _is_buyable(offer, tables)]
    return [{"product": code, "role": "finished" if code in tables.prices else "component"} for code in dict.fromkeys(licensed)]


def _is_buyable(offer: Offer, tables: Tables) -> bool:
    return offer.product not in tables.prices or tables.problem.buying


def _makes(tables: Tables) -> bool:
    return not tables.prices.keys().isdisjoint(tables.manufacturable)


def _has_decoys(tables: Tables) -> bool:
    return bool(tables.decoy_partners or tables.decoy_products or tables.decoy_orders)


def _has_working_commitments(tables: Tables) -> bool:
    repair = tables.problem.repair
    return repair is not None and (
        len(repair.purchases) > len(repair.broken_purchases) or len(repair.productions) > len(repair.broken_productions)
    )


def _has_floor(tables: Tables) -> bool:
    """The release guards its equality balance by a floor where all orders are firm and spend is minimised."""
    problem = tables.problem
    return tables.scenario.style == "release" and not _screened(tables) and problem.objective == "min_new_spend"


def _row(rule: str, group: str | None, args: Arguments, dimension: Callable[[Tables], Dimension] = _constraint) -> Emission:
    return Emission(rule, group, args, dimension)


EMISSIONS: tuple[Emission, ...] = (
    # Sales: one group per rule over all accepted orders.
    _row("demand_coverage", "demand", per_accepted(lambda order, _: {"quantity": order.quantity})),
    _row("deadline_fulfillment", "deadlines", per_accepted(lambda order, _: {"due": order.due})),
    _row("list_price", "prices", per_accepted(lambda order, tables: {"price": tables.price(order.customer)})),
    _row("sale_revenue", "revenue", per_accepted(lambda order, tables: {"revenue": tables.problem.worth(order)})),
    _row(
        "budget_compliance",
        "budgets",
        lambda tables: [{"customer": o.customer, "budget": o.budget} for o in tables.accepted.values() if o.budget is not None],
    ),
    _row("task_state_transitions_completed", "transitions", once(_screened)),
    _row("has_relevant_activity", "activity", once()),
    _row("seeded_order_confirmed", None, lambda tables: _seeded(tables.accepted.values()), _constraint_when_screened),
    _row("seeded_order_cancelled", None, lambda tables: _seeded(tables.rejected.values())),
    _row(
        "so_confirmed",
        None,
        lambda tables: [{"customer": ref} for ref, o in tables.accepted.items() if not (_screened(tables) and o.seeded)],
        _constraint_when_screened,
    ),
    _row(
        "prompt_request_not_confirmed",
        None,
        lambda tables: [{"customer": ref} for ref, order in tables.rejected.items() if not order.seeded],
    ),
    _row("sales_licensed", "sales_license", once()),
    # Invoices: one group per rule over all accepted orders.
    _row(
        "retained_order_has_expected_invoice_flow",
        "invoice_flow",
        per_invoiced(lambda plan: {"downpayment": plan.downpayment is not None}),
    ),
    _row("retained_order_has_expected_payment_term", "order_terms", per_invoiced(lambda plan: {"term": plan.term})),
    _row("linked_posted_invoices_match_order_partner", "invoice_partners", per_invoiced(lambda _: {})),
    _row("linked_posted_invoices_have_expected_payment_term", "invoice_terms", per_invoiced(lambda plan: {"term": plan.term})),
    _row("regular_invoice_amount_matches_policy", "invoice_amounts", per_invoiced(lambda plan: {"amount": plan.regular})),
    _row("linked_posted_invoices_are_tax_free", "invoice_taxes", per_invoiced(lambda _: {})),
    _row(
        "downpayment_invoice_amount_matches_policy",
        "downpayment_amounts",
        per_invoiced(lambda plan: {"amount": plan.downpayment}, lambda plan: plan.downpayment is not None),
    ),
    _row("rejected_order_not_invoiced", None, lambda tables: _rejected(tables) if tables.problem.invoicing else ()),
    _row("invoices_licensed", "invoice_license", once()),
    # Supply.
    _row(
        "new_spend_margin_policy",
        "margin",
        lambda tables: [{"margin_bps": tables.problem.margin_bps}],
    ),
    _row("supply_timing_feasible", "purchasing", once()),
    _row("po_delivery_schedule_compliance", "purchasing", once()),
    _row("po_consolidation_compliance", "purchasing", once()),
    _row("po_min_qty_compliance", "purchasing", once()),
    _row("po_price_tier_compliance", "purchasing", once()),
    _row("purchases_licensed", "purchase_license", once()),
    _row("forbidden_finished_po_absent", "make_only", once(lambda tables: tables.make_only)),
    _row("manufacturing_activity_present", "make_only", once(lambda tables: bool(tables.must_make))),
    _row("mo_schedule_compliance", "manufacturing_schedule", once(_makes)),
    _row("productions_licensed", "production_license", once()),
    _row("finished_stock_capacity_compliance", "capacities", once()),
    _row("assembly_capacity_compliance", "capacities", once()),
    _row("finished_vendor_max_qty_compliance", "capacities", once(_limited(finished=True))),
    _row("component_vendor_max_qty_compliance", "capacities", once(_limited(finished=False))),
    _row("component_stock_capacity_compliance", "capacities", once(_makes)),
    _row("mo_component_feasibility", "capacities", once(_makes)),
    _row("supply_coverage", "coverage", once()),
    _row("spend_floor", "spend_floor", once(_has_floor)),
    # Records.
    _row("repair_state_compliance", "repair", once(lambda tables: tables.problem.repair is not None)),
    _row("commitments_kept", "commitments", once(_has_working_commitments)),
    _row("master_data_unchanged", "master_data", once()),
    _row("po_origin_traceability", None, _traced, _traceability),
    _row("mrp_origin_traceability", None, once(_makes), _traceability),
    _row("adjacent_data_untouched", None, once(_has_decoys), _traceability),
    _row("no_open_drafts", None, once(), _traceability),
)
"""The catalogue, in the order in which checks are listed."""
