"""The simulation accepts a sound plan with its true values and names every fault of an unsound one."""

from __future__ import annotations

from typing import Any

import pytest

from opsgym.core.errors import TaskError
from opsgym.envs.erp_bench.simulate import check_lineage, check_plan
from opsgym.envs.erp_bench.spec import (
    Bom,
    BomLine,
    Offer,
    Operation,
    Order,
    Plan,
    PlannedProduction,
    PlannedPurchase,
    PlanValues,
    Problem,
    Product,
    Repair,
    SeededProduction,
    SeededPurchase,
    WorkCenter,
)


@pytest.fixture
def problem() -> Problem:
    """Ten units are due; one is in stock, F takes one s in 2 days, s takes two c in 1 day."""
    return Problem(
        product="F",
        products=tuple(Product(code=code, name=code, list_price=1000, standard_price=500) for code in ("F", "s", "c")),
        customers=(),
        vendors=(),
        orders=(
            Order(ref="o1", customer="c1", quantity=4, due=5, budget=4000),
            Order(ref="o2", customer="c2", quantity=6, due=8, budget=6000),
        ),
        stock={"F": 1, "s": 0, "c": 0},
        offers=(
            Offer(key="fast", vendor="v1", product="F", price=700, lead=3, min_qty=2, max_qty=5),
            Offer(key="slow", vendor="v2", product="F", price=400, lead=9, min_qty=1, max_qty=None),
            Offer(key="parts", vendor="v1", product="c", price=20, lead=2, min_qty=5, max_qty=40),
        ),
        boms=(
            Bom(product="s", lead=1, lines=(BomLine(component="c", quantity=2),)),
            Bom(product="F", lead=2, lines=(BomLine(component="s", quantity=1),)),
        ),
        centers=(WorkCenter(code="A", name="A", capacity=13_000), WorkCenter(code="B", name="B", capacity=3_000)),
        operations=(
            Operation(product="F", center="A", unit_cost=30, minutes=1_500, name="build"),
            Operation(product="s", center="B", unit_cost=10, minutes=500, name="build"),
        ),
        margin_bps=6_000,
        objective="min_new_spend",
        making=True,
    )


@pytest.fixture
def plan() -> Plan:
    return Plan(
        purchases=(
            PlannedPurchase(ref="p1", offer="fast", quantity=3, arrival=3, origins=("o1",)),
            PlannedPurchase(ref="p2", offer="parts", quantity=12, arrival=2, origins=("m2",)),
        ),
        productions=(
            PlannedProduction(ref="m1", product="F", center="A", quantity=6, start=6, due=8, origins=("o2",), level=1),
            PlannedProduction(ref="m2", product="s", center="B", quantity=6, start=5, due=6, origins=("m1",)),
        ),
    )


def edited(plan: Plan, **changes: dict[str, Any]) -> Plan:
    """The plan with fields of the documents named by their refs replaced."""
    return Plan(
        purchases=tuple(row.model_copy(update=changes.get(row.ref, {})) for row in plan.purchases),
        productions=tuple(row.model_copy(update=changes.get(row.ref, {})) for row in plan.productions),
    )


def without(plan: Plan, *refs: str) -> Plan:
    return Plan(
        purchases=tuple(row for row in plan.purchases if row.ref not in refs),
        productions=tuple(row for row in plan.productions if row.ref not in refs),
    )


def test_a_sound_plan_is_measured(problem: Problem, plan: Plan) -> None:
    expected = PlanValues(spend=3 * 700 + 12 * 20 + 6 * 30 + 6 * 10, vendors=1, minutes=12_000, repair_distance=0, new_units=9)
    assert check_plan(problem, plan) == expected
    check_lineage(problem, plan)


def test_what_comes_on_the_day_counts(problem: Problem, plan: Plan) -> None:
    """Deliveries on the due day and inputs on the day of the start are in time; a day later they are not."""
    check_plan(problem, edited(plan, p1={"arrival": 5}, p2={"arrival": 5}))
    with pytest.raises(TaskError, match="day 5: 3 units of F are missing"):
        check_plan(problem, edited(plan, p1={"arrival": 6}))
    with pytest.raises(TaskError, match="day 5: 12 units of c are missing"):
        check_plan(problem, edited(plan, p2={"arrival": 6}))


FAULTS: dict[str, tuple[dict[str, dict[str, Any]], str]] = {
    "unknown offer": ({"p1": {"offer": "none"}}, "p1: no offer none"),
    "below the minimum": ({"p1": {"quantity": 1}}, "p1: 1 units, the minimum is 2"),
    "above the maximum": ({"p1": {"quantity": 6}}, "p1: 6 units, the maximum is 5"),
    "before the lead time": ({"p1": {"arrival": 2}}, "p1: arrives on day 2, the lead time is 3"),
    "an offer twice": ({"p2": {"offer": "fast", "quantity": 2, "arrival": 3}}, "offer fast is used 2 times"),
    "two of a name": ({"p2": {"ref": "p1"}}, "two documents are called p1"),
    "in the past": ({"m2": {"start": -1}}, "m2: starts on day -1, before today"),
    "hurried": ({"m1": {"start": 7}}, "m1: 1 days from start to completion, 2 are needed"),
    "on the wrong center": ({"m1": {"center": "B"}}, "m1: F cannot be made on B"),
    "of what is only bought": ({"m2": {"product": "c"}}, "m2: c cannot be made on B"),
    "nothing": ({"m2": {"quantity": 0}}, "m2: 0 units"),
    "too much for the center": ({"m1": {"quantity": 9}}, r"A: 13.5 minutes planned, 13 available"),
    "too few units": ({"m1": {"quantity": 5}}, "day 8: 1 units of F are missing"),
    "too few inputs": ({"m2": {"quantity": 5}}, "day 6: 1 units of s are missing"),
    "too few parts": ({"p2": {"quantity": 11}}, "day 5: 1 units of c are missing"),
    "too late": ({"m1": {"start": 7, "due": 9}}, "day 8: 6 units of F are missing"),
    "inputs after the start": ({"m2": {"start": 6, "due": 7}}, "day 6: 6 units of s are missing"),
    "too dear": ({"p1": {"quantity": 5}}, "margin: spend of 3980 cents on new units worth 10000"),
}


@pytest.mark.parametrize("case", FAULTS)
def test_each_fault_is_named(problem: Problem, plan: Plan, case: str) -> None:
    changes, message = FAULTS[case]
    tight = problem.model_copy(update={"margin_bps": 6_100}) if case == "too dear" else problem
    with pytest.raises(TaskError, match=message):
        check_plan(tight, edited(plan, **changes))


def test_all_faults_are_listed_at_once(problem: Problem, plan: Plan) -> None:
    with pytest.raises(TaskError) as caught:
        check_plan(problem, edited(plan, p1={"quantity": 1}, m1={"center": "B"}, m2={"start": -1}))
    assert all(ref in str(caught.value) for ref in ("p1", "m1", "m2"))


def test_rules_of_the_problem_bind(problem: Problem, plan: Plan) -> None:
    with pytest.raises(TaskError, match="finished units may not be bought"):
        check_plan(problem.model_copy(update={"buying": False}), plan)
    with pytest.raises(TaskError, match="cannot be made"):
        check_plan(problem.model_copy(update={"making": False}), plan)
    poor = problem.orders[0].model_copy(update={"budget": 3999})
    with pytest.raises(TaskError, match="order o1: 4000 cents at list price exceed the budget of 3999"):
        check_plan(problem.model_copy(update={"orders": (poor, problem.orders[1])}), plan)


def test_repair_distance_is_over_totals_and_broken_parts_stay_unused(problem: Problem, plan: Plan) -> None:
    repair = Repair(
        kind="supplier_cancellation",
        broken_offer="slow",
        purchases=(
            SeededPurchase(ref="x1", plan_ref="x1", offer="fast", quantity=2, arrival=3, origins=()),
            SeededPurchase(ref="x2", plan_ref="x2", offer="slow", quantity=4, arrival=9, origins=()),
            SeededPurchase(ref="x3", plan_ref="x3", offer="parts", quantity=30, arrival=9, origins=()),
        ),
        productions=(
            SeededProduction(ref="y1", plan_ref="y1", product="F", center="A", quantity=5, start=3, due=5, origins=()),
            SeededProduction(ref="y2", plan_ref="y2", product="F", center="A", quantity=3, start=6, due=8, origins=()),
        ),
    )
    booked = problem.model_copy(update={"repair": repair})
    assert check_plan(booked, plan).repair_distance == abs(3 - 2) + 4 + abs(6 - 8) + 6, "component purchases are free"
    with pytest.raises(TaskError, match="p1: the offer was cancelled"):
        check_plan(problem.model_copy(update={"repair": repair.model_copy(update={"broken_offer": "fast"})}), plan)
    with pytest.raises(TaskError, match="m1: A is out of order"):
        check_plan(problem.model_copy(update={"repair": Repair(kind="workcenter_outage", broken_center="A")}), plan)


def test_production_without_lead_time_is_at_hand_at_once(problem: Problem, plan: Plan) -> None:
    quick = tuple(bom.model_copy(update={"lead": 0}) for bom in problem.boms)
    at_once = edited(plan, m1={"start": 8, "due": 8}, m2={"start": 8, "due": 8})
    check_plan(problem.model_copy(update={"boms": quick}), at_once)


def test_stock_covers_demand_without_documents(problem: Problem) -> None:
    full = problem.model_copy(update={"stock": {"F": 10, "s": 0, "c": 0}})
    assert check_plan(full, Plan()) == PlanValues(spend=0, vendors=0, minutes=0, repair_distance=0, new_units=0)
    check_lineage(full, Plan())


BROKEN_LINKS: dict[str, tuple[dict[str, dict[str, Any]], str]] = {
    "none": ({"p1": {"origins": ()}}, "p1: names no origin"),
    "twice": ({"m1": {"origins": ("o2", "o2")}}, "m1: names an origin twice"),
    "unknown": ({"p1": {"origins": ("o9",)}}, "p1: origin o9 takes none of it"),
    "of another product": ({"p2": {"origins": ("m1",)}}, "p2: origin m1 takes none of it"),
    "served before it comes": ({"m1": {"origins": ("o1",)}}, "m1: origin o1 takes it on day 5, before day 8"),
    "more names than units": ({"p1": {"quantity": 1, "origins": ("o1", "o2")}}, "p1: 1 units for 2 origins"),
    "crowded": ({"m1": {"quantity": 7}}, "F: its documents do not fit together"),
    "crowded by a purchase": ({"p1": {"quantity": 5, "origins": ("o2",)}}, "F: its documents do not fit together"),
}


@pytest.mark.parametrize("case", BROKEN_LINKS)
def test_each_broken_link_is_named(problem: Problem, plan: Plan, case: str) -> None:
    changes, message = BROKEN_LINKS[case]
    with pytest.raises(TaskError, match=message):
        check_lineage(problem, edited(plan, **changes))


def test_a_minimum_lot_needs_one_unit_of_demand_for_each_name(problem: Problem, plan: Plan) -> None:
    """One unit of the lot is left over, which the minimum excuses; the other one must be wanted."""
    lot = without(edited(plan, p1={"quantity": 2, "origins": ("o2",)}, m1={"quantity": 5}), "m2", "p2")
    check_lineage(problem, lot)
    with pytest.raises(TaskError, match="F: its documents do not fit together"):
        check_lineage(problem, edited(lot, m1={"quantity": 6}))


def test_units_are_rerouted_before_a_misfit_is_claimed(problem: Problem) -> None:
    """The first purchase could take either order; only if it takes the first one does the second purchase fit."""
    purchases = (
        PlannedPurchase(ref="p1", offer="fast", quantity=5, arrival=3, origins=("o2", "o1")),
        PlannedPurchase(ref="p2", offer="slow", quantity=5, arrival=5, origins=("o2",)),
    )
    check_lineage(problem, Plan(purchases=purchases))
    with pytest.raises(TaskError, match="do not fit together"):
        check_lineage(problem, Plan(purchases=(purchases[0].model_copy(update={"origins": ("o2",)}), purchases[1])))
