"""Small hand-made tasks whose best plan can be checked on paper."""

from __future__ import annotations

import datetime as dt
from typing import Any

from opsgym.envs.erp_bench.spec import (
    Bom,
    BomLine,
    Decoys,
    Invoicing,
    Offer,
    Operation,
    Order,
    Partner,
    Plan,
    PlannedProduction,
    PlannedPurchase,
    Problem,
    Product,
    Repair,
    Scenario,
    Screening,
    SeededProduction,
    SeededPurchase,
    WorkCenter,
)

TODAY = dt.date(2026, 3, 2)


def partner(ref: str) -> Partner:
    return Partner(ref=ref, name=ref.upper())


def product(code: str, price: int = 100, **more: Any) -> Product:
    return Product(code=code, name=code, list_price=price, standard_price=price, **more)


def offer(vendor: str, code: str, price: int, lead: int, least: int, most: int | None) -> Offer:
    return Offer(key=f"{vendor}/{code}", vendor=vendor, product=code, price=price, lead=lead, min_qty=least, max_qty=most)


DECOYS = Decoys(
    customers=(partner("other_customer"),),
    vendors=(partner("other_vendor"),),
    products=(product("OTHER", 7000),),
    orders=(Order(ref="o_other", customer="other_customer", quantity=3, due=4, seeded="sale"),),
    order_products=("OTHER",),
)


def scenario(problem: Problem, *, style: str = "coverage", decoys: Decoys = DECOYS) -> Scenario:
    return Scenario(name="hand-made", today=TODAY, style=style, domain="tests", problem=problem, decoys=decoys)  # type: ignore[arg-type] # a Style


def buying(**changes: Any) -> tuple[Scenario, Plan]:
    """Ten units for two customers, two in stock: five from the quick vendor and three from the cheap one, $385."""
    style = changes.pop("style", "coverage")
    values: dict[str, Any] = {
        "product": "F",
        "products": (product("F", 10_000),),
        "customers": (partner("c1"), partner("c2")),
        "vendors": (partner("quick"), partner("cheap")),
        "orders": (
            Order(ref="o1", customer="c1", quantity=4, due=5, budget=41_000),
            Order(ref="o2", customer="c2", quantity=6, due=9, budget=60_000),
        ),
        "stock": {"F": 2},
        "offers": (offer("quick", "F", 5000, 3, 5, 20), offer("cheap", "F", 4500, 8, 3, 10)),
        "margin_bps": 2500,
        "objective": "min_new_spend",
        "invoicing": Invoicing(
            payment_term="net_30", downpayment_threshold=50_000, downpayment_mode="percentage", downpayment_value=2000
        ),
    }
    plan = Plan(
        purchases=(
            PlannedPurchase(ref="p1", offer="quick/F", quantity=5, arrival=3, origins=("o1", "o2")),
            PlannedPurchase(ref="p2", offer="cheap/F", quantity=3, arrival=8, origins=("o2",)),
        )
    )
    return scenario(Problem(**{**values, **changes}), style=style), plan


def screened() -> tuple[Scenario, Plan]:
    """Four requests, of which the two largest are rejected; one of each pair is in the ERP; two units are bought."""
    built, _ = buying()
    orders = (
        Order(ref="o1", customer="c1", quantity=2, due=5, seeded="draft"),
        Order(ref="o2", customer="c2", quantity=5, due=9),
        Order(ref="o3", customer="c3", quantity=9, due=9, seeded="draft"),
        Order(ref="o4", customer="c4", quantity=12, due=9),
    )
    changes = {"orders": orders, "screening": Screening(max_qty=8), "customers": tuple(map(partner, ("c1", "c2", "c3", "c4")))}
    plan = Plan(purchases=(PlannedPurchase(ref="p1", offer="cheap/F", quantity=5, arrival=8, origins=("o2",)),))
    return built.model_copy(update={"problem": built.problem.model_copy(update=changes)}), plan


def making(**changes: Any) -> tuple[Scenario, Plan]:
    """Two levels: F takes two SUB and a BOLT, a SUB takes three STEEL; seven F are made, bolts come in tens."""
    values: dict[str, Any] = {
        "product": "F",
        "products": (
            product("F", 10_000, routes=("buy", "manufacture")),
            product("SUB", routes=("manufacture",)),
            product("BOLT"),
            product("STEEL"),
        ),
        "customers": (partner("c1"), partner("c2")),
        "vendors": (partner("finished"), partner("bolts"), partner("steel")),
        "orders": (
            Order(ref="o1", customer="c1", quantity=3, due=6),
            Order(ref="o2", customer="c2", quantity=5, due=9),
        ),
        "stock": {"F": 1, "SUB": 1, "STEEL": 4},
        "offers": (
            offer("finished", "F", 7000, 5, 1, 10),
            offer("bolts", "BOLT", 50, 1, 10, 40),
            offer("steel", "STEEL", 100, 2, 10, 100),
        ),
        "boms": (
            Bom(product="F", lines=(BomLine(component="SUB", quantity=2), BomLine(component="BOLT", quantity=1)), lead=2),
            Bom(product="SUB", lines=(BomLine(component="STEEL", quantity=3),), lead=1),
        ),
        "centers": (
            WorkCenter(code="W1", name="Line 1", capacity=200_000),
            WorkCenter(code="W2", name="Line 2", capacity=60_000),
        ),
        "operations": (
            Operation(product="F", center="W1", unit_cost=500, minutes=10_000, name="assemble", primary=True),
            Operation(product="F", center="W2", unit_cost=600, minutes=8_000, name="assemble"),
            Operation(product="SUB", center="W1", unit_cost=200, minutes=5_000, name="weld", primary=True),
        ),
        "margin_bps": 2500,
        "objective": "min_new_spend",
        "making": True,
    }
    plan = Plan(
        purchases=(
            PlannedPurchase(ref="steel", offer="steel/STEEL", quantity=35, arrival=2, origins=("s1", "s2")),
            PlannedPurchase(ref="bolts", offer="bolts/BOLT", quantity=10, arrival=1, origins=("f1", "f2")),
        ),
        productions=(
            PlannedProduction(ref="f1", product="F", center="W1", quantity=2, start=4, due=6, origins=("o1",), level=1),
            PlannedProduction(ref="f2", product="F", center="W1", quantity=5, start=7, due=9, origins=("o2",), level=1),
            PlannedProduction(ref="s1", product="SUB", center="W1", quantity=3, start=3, due=4, origins=("f1",)),
            PlannedProduction(ref="s2", product="SUB", center="W1", quantity=10, start=6, due=7, origins=("f2",)),
        ),
    )
    return scenario(Problem(**{**values, **changes})), plan


def repairing() -> tuple[Scenario, Plan]:
    """The plan of :func:`making` is booked with five F on W2, which breaks: these move to W1, the rest stays."""
    built, plan = making(objective="repair_plan")
    seeded = tuple(
        SeededProduction(
            ref=f"mo_{s.ref}",
            plan_ref=s.ref,
            product=s.product,
            center="W2" if s.ref == "f2" else s.center,
            quantity=s.quantity,
            start=s.start,
            due=s.due,
            origins=s.origins,
            level=s.level,
        )
        for s in plan.productions
    )
    bought = tuple(
        SeededPurchase(
            ref=f"po_{p.ref}", plan_ref=p.ref, offer=p.offer, quantity=p.quantity, arrival=p.arrival, origins=p.origins
        )
        for p in plan.purchases
    )
    repair = Repair(
        kind="workcenter_outage",
        broken_center="W2",
        impacted=("o2",),
        broken_productions=("mo_f2",),
        purchases=bought,
        productions=seeded,
    )
    orders = tuple(order.model_copy(update={"seeded": "sale"}) for order in built.problem.orders)
    centers = tuple(c.model_copy(update={"capacity": 0}) if c.code == "W2" else c for c in built.problem.centers)
    changes = {"repair": repair, "orders": orders, "centers": centers}
    return built.model_copy(update={"problem": built.problem.model_copy(update=changes)}), plan


ALL = {"buying": buying, "screened": screened, "making": making, "repairing": repairing}
