"""Oracle: the tool calls that book a plan, in the order in which a planner would.

The calls are made while they are carried out in a scratch world, so that every document name in them is one
that the ERP really gave, and a plan that the ERP would refuse to book is an error here and not in an episode.
"""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from opsgym.core.errors import TaskError, ToolError
from opsgym.core.task import ToolCall
from opsgym.envs.erp_bench.erp import Erp
from opsgym.envs.erp_bench.spec import (
    TERM_NAMES,
    Invoicing,
    Offer,
    Order,
    Plan,
    PlannedProduction,
    PlannedPurchase,
    Repair,
    Scenario,
    SeededProduction,
    SeededPurchase,
)
from opsgym.envs.erp_bench.tools import toolbox
from opsgym.envs.erp_bench.world import document_names, open_world


def oracle_calls(scenario: Scenario, plan: Plan) -> list[ToolCall]:
    """The calls, under the ``"tools"`` harness, that book ``plan`` and submit.

    Sales orders come first, with their invoices; then broken and superseded documents are cancelled; then
    manufacturing orders, parents first so that their names are known and confirmed from the components up;
    then purchase orders.  Seeded documents that the plan keeps are edited in place.
    Source: ERP-Bench release, oracle replay.

    Args:
        scenario: The task.
        plan: Any plan for it, also one that is not optimal.

    Raises:
        TaskError: The plan names what the scenario does not have, or the ERP refuses a call.
    """
    clerk = _Clerk(scenario)
    try:
        clerk.book_sales()
        clerk.cancel_broken()
        clerk.book_productions(plan.productions)
        clerk.book_purchases(plan.purchases)
        clerk.call("submit")
    finally:
        clerk.close()
    return clerk.calls


class _Clerk:
    """Books a plan step by step in a scratch world and keeps the calls; ``names`` are documents by order and plan ref."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.problem = scenario.problem
        self.repair = scenario.problem.repair or Repair(kind="supplier_cancellation")
        self.seeded = document_names(scenario)
        self.names = dict(self.seeded)
        self.calls: list[ToolCall] = []
        self._world = open_world(scenario)
        self._erp = Erp(self._world)
        self._tools = toolbox("tools")

    def close(self) -> None:
        self._world.close()

    def call(self, name: str, **arguments: Any) -> Any:
        """Make one call, keep it, and return its result."""
        self.calls.append(ToolCall(name=name, arguments=arguments))
        tool = self._tools.find(name)
        try:
            with self._world.savepoint():
                return tool.function(self._erp, **tool.validate(arguments))
        except ToolError as error:
            raise TaskError(f"the plan cannot be booked: {name}({arguments}) is refused: {error.message} {error.hint}") from error

    def date(self, day: int) -> str:
        """A day of the scenario as a calendar date."""
        return (self.scenario.today + dt.timedelta(days=day)).isoformat()

    def origin(self, refs: Iterable[str]) -> str:
        """The documents of order or plan refs as the text of a source field."""
        try:
            return ", ".join(self.names[ref] for ref in refs)
        except KeyError as error:
            raise TaskError(f"a plan's origins must be orders or manufacturing orders of it, got {error.args[0]!r}") from error

    # -- sales ----------------------------------------------------------------------------------------------

    def book_sales(self) -> None:
        """Confirm and invoice the orders to keep, cancel the drafts of the others."""
        accepted = {order.ref for order in self.problem.accepted}
        for order in self.problem.orders:
            if order.ref in accepted:
                self._keep(order)
            elif order.seeded:
                self.call("cancel_sales_order", order=self.names[order.ref])

    def _keep(self, order: Order) -> None:
        invoicing = self.problem.invoicing
        term = {"payment_term": TERM_NAMES[invoicing.payment_term]} if invoicing else {}
        if order.seeded is None:
            product = self.problem.ordered(order)
            line = {"product": product.code, "quantity": order.quantity, "unit_price": product.list_price / 100}
            booked = self.call(
                "create_sales_order",
                customer=order.customer,
                commitment_date=self.date(order.due),
                lines=[line],
                customer_reference=order.ref,
                **term,
            )
            self.names[order.ref] = booked["name"]
        elif term:
            self.call("update_sales_order", order=self.names[order.ref], **term)
        if order.seeded != "sale":
            self.call("confirm_sales_order", order=self.names[order.ref])
        if invoicing:
            self._invoice(order, invoicing)

    def _invoice(self, order: Order, invoicing: Invoicing) -> None:
        name = self.names[order.ref]
        total = self.problem.worth(order)
        threshold, value = invoicing.downpayment_threshold, invoicing.downpayment_value
        runs: list[dict[str, Any]] = [{"method": "delivered"}]
        if threshold is not None and value is not None and total >= threshold:
            runs.insert(0, {"method": invoicing.downpayment_mode, "amount": value / 100})
        for run in runs:
            made = self.call("create_invoice", order=name, **run)
            self.call("post_invoice", invoice=made["name"])

    # -- repair ---------------------------------------------------------------------------------------------

    def cancel_broken(self) -> None:
        """Cancel the seeded documents that the disruption broke."""
        for ref in self.repair.broken_purchases:
            self.call("cancel_purchase_order", order=self.names[ref])
        for ref in self.repair.broken_productions:
            self.call("cancel_manufacturing_order", order=self.names[ref])

    # -- manufacturing --------------------------------------------------------------------------------------

    def book_productions(self, planned: Sequence[PlannedProduction]) -> None:
        """Keep the seeded orders that the plan repeats, cancel the others, create and confirm what is new."""
        kept, stale = self._match_productions(planned)
        for seed in stale:
            self.call("cancel_manufacturing_order", order=self.names[seed.ref])
        created = []
        for step in sorted(planned, key=lambda step: -step.level):
            if step.ref in kept:
                self._keep_production(step, kept[step.ref])
            else:
                self._create_production(step)
                created.append(step)
        for step in sorted(created, key=lambda step: step.level):
            self.call("confirm_manufacturing_order", order=self.names[step.ref])

    def _match_productions(
        self, planned: Sequence[PlannedProduction]
    ) -> tuple[dict[str, SeededProduction], list[SeededProduction]]:
        """The seeded order that each step repeats, by the step's ref, and the seeded orders that none does."""
        pool: defaultdict[tuple[str, str, int, int], list[SeededProduction]] = defaultdict(list)
        for seed in self.repair.productions:
            if seed.ref not in self.repair.broken_productions:
                pool[seed.product, seed.center, seed.quantity, seed.due].append(seed)
        kept = {}
        for step in planned:
            candidates = pool[step.product, step.center, step.quantity, step.due]
            if candidates:
                same = [seed for seed in candidates if seed.plan_ref == step.ref]
                kept[step.ref] = (same or candidates)[0]
                candidates.remove(kept[step.ref])
        rest = [seed for candidates in pool.values() for seed in candidates]
        return kept, [seed for seed in self.repair.productions if seed in rest]

    def _keep_production(self, step: PlannedProduction, seed: SeededProduction) -> None:
        before, after = self._seeded_origin(seed), self.origin(step.origins)
        self.names[step.ref] = self.names[seed.ref]
        change: dict[str, Any] = {} if before == after else {"origin": after}
        if step.start != seed.start:
            change |= {"start_date": self.date(step.start), "due_date": self.date(step.due)}
        if change:
            self.call("update_manufacturing_order", order=self.names[seed.ref], **change)

    def _create_production(self, step: PlannedProduction) -> None:
        booked = self.call(
            "create_manufacturing_order",
            product=step.product,
            quantity=step.quantity,
            start_date=self.date(step.start),
            due_date=self.date(step.due),
            work_center=step.center,
            origin=self.origin(step.origins),
        )
        self.names[step.ref] = booked["name"]

    # -- purchasing -----------------------------------------------------------------------------------------

    def book_purchases(self, planned: Sequence[PlannedPurchase]) -> None:
        """Edit the seeded orders of offers that the plan uses, cancel the others, create and confirm what is new."""
        live = [seed for seed in self.repair.purchases if seed.ref not in self.repair.broken_purchases]
        kept: dict[str, SeededPurchase] = {}
        for step in planned:
            seed = next((seed for seed in live if seed.offer == step.offer), None)
            if seed is not None:
                live.remove(seed)
                kept[step.ref] = seed
        for seed in live:
            self.call("cancel_purchase_order", order=self.names[seed.ref])
        for step in planned:
            if step.ref in kept:
                self._keep_purchase(step, kept[step.ref])
            else:
                self._create_purchase(step)

    def _keep_purchase(self, step: PlannedPurchase, seed: SeededPurchase) -> None:
        before, after = self._seeded_origin(seed), self.origin(step.origins)
        change: dict[str, Any] = {} if before == after else {"origin": after}
        if (step.quantity, step.arrival) != (seed.quantity, seed.arrival):
            change["lines"] = [self._purchase_line(step)]
        if change:
            self.call("update_purchase_order", order=self.names[seed.ref], **change)

    def _create_purchase(self, step: PlannedPurchase) -> None:
        offer = self._offer(step)
        booked = self.call(
            "create_purchase_order", vendor=offer.vendor, lines=[self._purchase_line(step)], origin=self.origin(step.origins)
        )
        self.call("confirm_purchase_order", order=booked["name"])

    def _offer(self, step: PlannedPurchase) -> Offer:
        offer = self.problem.offer_by_key.get(step.offer)
        if offer is None:
            raise TaskError(f"the plan buys from {step.offer!r}, which is no offer of the scenario")
        return offer

    def _purchase_line(self, step: PlannedPurchase) -> dict[str, Any]:
        offer = self._offer(step)
        return {
            "product": offer.product,
            "quantity": step.quantity,
            "unit_price": offer.price / 100,
            "delivery_date": self.date(step.arrival),
        }

    def _seeded_origin(self, seed: SeededPurchase | SeededProduction) -> str:
        """The source field of a seeded document, as :func:`open_world` wrote it."""
        return ", ".join(self.seeded[ref] for ref in seed.origins)
