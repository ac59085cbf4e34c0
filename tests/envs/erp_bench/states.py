"""End states made straight from a specification: the one in which a plan is booked exactly, and the untouched one."""

from __future__ import annotations

import datetime as dt

from opsgym.core.task import Certificate
from opsgym.envs.erp_bench.rules.tables import invoice_plan
from opsgym.envs.erp_bench.spec import (
    SCALE,
    TERM_NAMES,
    Order,
    Plan,
    PlannedProduction,
    PlannedPurchase,
    PlanValues,
    Repair,
    Scenario,
)
from opsgym.envs.erp_bench.state import (
    DocState,
    ErpState,
    Invoice,
    Production,
    Purchase,
    PurchaseLine,
    Sale,
    SaleLine,
    WorkOrder,
)


def certificate_of(scenario: Scenario, values: PlanValues) -> Certificate:
    """A certificate that states ``values``."""
    objective = scenario.problem.objective
    tied = objective in ("vendor_consolidation", "capacity_preservation", "repair_plan")
    value = values.primary(objective) / SCALE[objective]
    return Certificate(
        status="optimal", objective=objective, value=value, bound=value, secondary=values.spend / 100 if tied else None
    )


class Booking:
    """Books a plan on paper."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.problem = scenario.problem
        self.repair = scenario.problem.repair or Repair(kind="supplier_cancellation")
        self.names: dict[str, str] = {}
        seeded = [order.ref for order in self.problem.orders if order.seeded]
        prompt = [order.ref for order in self.problem.orders if not order.seeded]
        for number, ref in enumerate([*seeded, *(order.ref for order in scenario.decoys.orders), *prompt], 1):
            self.names[ref] = f"S{number:05d}"
        self.seeded_purchases = {seed.ref: f"P{n:05d}" for n, seed in enumerate(self.repair.purchases, 1)}
        self.seeded_productions = {seed.ref: f"WH/MO/{n:05d}" for n, seed in enumerate(self.repair.productions, 1)}

    def date(self, day: int) -> dt.date:
        return self.scenario.today + dt.timedelta(days=day)

    # -- sales ----------------------------------------------------------------------------------------------

    def sale(self, order: Order, state: DocState, product: str | None = None, *, invoiced: bool = False) -> Sale:
        code = product or self.problem.ordered(order).code
        known = {p.code: p for p in (*self.problem.products, *self.scenario.decoys.products)}
        price = known[code].list_price / 100
        lines = [SaleLine(code, float(order.quantity), price)]
        term = None
        if invoiced and self.problem.invoicing:
            plan = invoice_plan(self.problem.invoicing, known[code].list_price * order.quantity)
            term = plan.term
            if plan.downpayment is not None:
                lines.append(SaleLine(None, 0.0, plan.downpayment / 100, is_downpayment=True))
        amount = round(price * order.quantity, 2)
        return Sale(self.names[order.ref], order.ref, order.customer, state, self.date(order.due), term, amount, tuple(lines))

    def decoy_sales(self) -> list[Sale]:
        decoys = self.scenario.decoys
        pairs = zip(decoys.orders, decoys.order_products, strict=True)
        return [self.sale(order, "confirmed" if order.seeded == "sale" else "draft", product) for order, product in pairs]

    def final_sales(self) -> list[Sale]:
        kept = {order.ref for order in self.problem.accepted}
        sales = []
        for order in self.problem.orders:
            if order.ref in kept:
                sales.append(self.sale(order, "confirmed", invoiced=True))
            elif order.seeded:
                sales.append(self.sale(order, "cancelled"))
        return sales + self.decoy_sales()

    def invoices(self) -> list[Invoice]:
        policy = self.problem.invoicing
        found: list[Invoice] = []
        for order in self.problem.accepted if policy else ():
            assert policy is not None
            plan = invoice_plan(policy, self.problem.worth(order))
            parts = (
                [("regular", plan.regular)]
                if plan.downpayment is None
                else [("downpayment", plan.downpayment), ("regular", plan.regular)]
            )
            for kind, cents in parts:
                name, term = f"INV/2026/{len(found) + 1:05d}", TERM_NAMES[policy.payment_term]
                sales = (self.names[order.ref],)
                found.append(Invoice(name, order.customer, "posted", term, cents / 100, cents / 100, sales, kind))  # type: ignore[arg-type] # one of the kinds
        return found

    # -- supply ---------------------------------------------------------------------------------------------

    def purchase(self, name: str, step: PlannedPurchase, state: DocState = "confirmed") -> Purchase:
        offer = self.problem.offer_by_key[step.offer]
        line = PurchaseLine(offer.product, float(step.quantity), offer.price / 100, self.date(step.arrival))
        return Purchase(name, offer.vendor, state, tuple(self.names[ref] for ref in step.origins), (line,))

    def production(self, name: str, step: PlannedProduction, state: DocState = "confirmed") -> Production:
        start, due = self.date(step.start), self.date(step.due)
        work = (WorkOrder(step.center, "cancel" if state == "cancelled" else "ready", start, due),)
        lines = self.problem.bom_by_product[step.product].lines
        raw = () if state == "cancelled" else tuple((line.component, float(line.quantity * step.quantity)) for line in lines)
        origins = tuple(self.names[ref] for ref in step.origins)
        return Production(name, step.product, float(step.quantity), state, start, due, due, origins, work, raw)

    def seeded_steps(self) -> Plan:
        """The documents that a repair task starts with."""
        return Plan(
            purchases=tuple(
                PlannedPurchase(ref=s.ref, offer=s.offer, quantity=s.quantity, arrival=s.arrival, origins=s.origins)
                for s in self.repair.purchases
            ),
            productions=tuple(
                PlannedProduction(
                    ref=s.ref,
                    product=s.product,
                    center=s.center,
                    quantity=s.quantity,
                    start=s.start,
                    due=s.due,
                    origins=s.origins,
                    level=s.level,
                )
                for s in self.repair.productions
            ),
        )

    def name_productions(self, plan: Plan) -> dict[str, str]:
        """Document name of each planned production: a seeded one that it repeats, else the next free name."""
        free = [seed for seed in self.repair.productions if seed.ref not in self.repair.broken_productions]
        names, number = {}, len(self.repair.productions)
        for step in plan.productions:
            key = step.product, step.center, step.quantity, step.due
            seed = next((s for s in free if (s.product, s.center, s.quantity, s.due) == key), None)
            if seed:
                free.remove(seed)
                names[step.ref] = self.seeded_productions[seed.ref]
            else:
                number += 1
                names[step.ref] = f"WH/MO/{number:05d}"
        return names

    def name_purchases(self, plan: Plan) -> dict[str, str]:
        """Document name of each planned purchase: the seeded one of its offer, else the next free name."""
        kept = {s.offer: self.seeded_purchases[s.ref] for s in self.repair.purchases if s.ref not in self.repair.broken_purchases}
        names, number = {}, len(self.repair.purchases)
        for step in plan.purchases:
            if step.offer not in kept:
                number += 1
            names[step.ref] = kept.get(step.offer) or f"P{number:05d}"
        return names


def perfect_state(scenario: Scenario, plan: Plan) -> ErpState:
    """The state in which ``plan`` is booked exactly and nothing else was touched."""
    booking = Booking(scenario)
    seeds = booking.seeded_steps()
    made, bought = booking.name_productions(plan), booking.name_purchases(plan)
    booking.names |= {seed.plan_ref: booking.seeded_productions[seed.ref] for seed in booking.repair.productions}
    booking.names |= booking.seeded_productions
    stale_made = [
        booking.production(booking.names[s.ref], s, "cancelled")
        for s in seeds.productions
        if booking.names[s.ref] not in made.values()
    ]
    stale_bought = [
        booking.purchase(booking.seeded_purchases[s.ref], s, "cancelled")
        for s in seeds.purchases
        if booking.seeded_purchases[s.ref] not in bought.values()
    ]
    booking.names |= made
    productions = stale_made + [booking.production(made[step.ref], step) for step in plan.productions]
    purchases = stale_bought + [booking.purchase(bought[step.ref], step) for step in plan.purchases]
    return _state(scenario, booking.final_sales(), purchases, productions, booking.invoices())


def seeded_state(scenario: Scenario) -> ErpState:
    """The state that the agent finds: seeded documents only."""
    booking = Booking(scenario)
    seeds = booking.seeded_steps()
    booking.names |= {seed.plan_ref: booking.seeded_productions[seed.ref] for seed in booking.repair.productions}
    booking.names |= booking.seeded_productions
    sales = [booking.sale(o, "confirmed" if o.seeded == "sale" else "draft") for o in scenario.problem.orders if o.seeded]
    purchases = [booking.purchase(booking.seeded_purchases[s.ref], s) for s in seeds.purchases]
    productions = [booking.production(booking.seeded_productions[s.ref], s) for s in seeds.productions]
    return _state(scenario, sales + booking.decoy_sales(), purchases, productions, [])


def _state(
    scenario: Scenario, sales: list[Sale], purchases: list[Purchase], productions: list[Production], invoices: list[Invoice]
) -> ErpState:
    return ErpState(
        scenario.today,
        tuple(sorted(sales, key=lambda document: document.name)),
        tuple(sorted(purchases, key=lambda document: document.name)),
        tuple(sorted(productions, key=lambda document: document.name)),
        tuple(sorted(invoices, key=lambda document: document.name)),
    )
