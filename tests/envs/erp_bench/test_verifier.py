"""What a verdict is worth: right states, untouched ones, exploits, and the optimality score."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from opsgym.core.task import Certificate
from opsgym.core.verify import Verdict
from opsgym.data.erp_bench_release import find_releases, read_release
from opsgym.envs.erp_bench.simulate import check_plan
from opsgym.envs.erp_bench.solver import solve
from opsgym.envs.erp_bench.spec import Offer, Plan, PlannedPurchase, Scenario
from opsgym.envs.erp_bench.state import Change, ErpState, Production, Purchase, PurchaseLine, WorkOrder
from opsgym.envs.erp_bench.verifier import build_checks, judge
from tests.envs.erp_bench.scenarios import ALL, buying, making, offer, repairing, screened
from tests.envs.erp_bench.states import certificate_of, perfect_state, seeded_state

GATED = 0.25
"""What a state that breaks a constraint can reach."""


def verdict(scenario: Scenario, plan: Plan, state: ErpState | None = None, certificate: Certificate | None = None) -> Verdict:
    """Judge ``state`` (the plan's own by default) by what ``plan`` is worth."""
    known = certificate or certificate_of(scenario, check_plan(scenario.problem, plan))
    return judge(state or perfect_state(scenario, plan), scenario, build_checks(scenario), known)


def failed(found: Verdict) -> set[str]:
    return {check.spec.rule for check in found.checks if check.status == "fail"}


@pytest.fixture(params=ALL)
def case(request: pytest.FixtureRequest) -> tuple[Scenario, Plan]:
    """Each of the hand-made tasks."""
    return ALL[request.param]()


# -- right and untouched states ---------------------------------------------------------------------------------


def test_a_plan_booked_exactly_earns_everything(case: tuple[Scenario, Plan]) -> None:
    found = verdict(*case)
    assert not failed(found)
    assert (found.reward, found.is_success, found.canary, found.gates, found.failure_families) == (1.0, True, False, (), ())


def test_doing_nothing_earns_nothing(case: tuple[Scenario, Plan]) -> None:
    scenario, plan = case
    found = verdict(scenario, plan, seeded_state(scenario))
    assert found.reward == 0.0
    assert found.gates


def test_every_released_plan_earns_everything_and_doing_nothing_earns_nothing(released_erpbench: Path) -> None:
    directories = find_releases(released_erpbench)
    assert len(directories) == 87
    for directory in directories:
        task = read_release(directory)
        certificate = Certificate(
            status="optimal",
            objective=task.scenario.problem.objective,
            value=task.objective_value,
            bound=task.objective_value,
            secondary=task.secondary,
        )
        found = verdict(task.scenario, task.plan, perfect_state(task.scenario, task.plan), certificate)
        assert (found.reward, found.canary, failed(found)) == (1.0, False, set()), directory.name
        assert found.metrics["spend"] == pytest.approx(task.optimal_new_spend, abs=0.01)
        assert verdict(task.scenario, task.plan, seeded_state(task.scenario), certificate).reward == 0.0, directory.name


def test_bad_dates_and_missing_fields_are_judged_and_never_raise(case: tuple[Scenario, Plan]) -> None:
    scenario, plan = case
    state = perfect_state(scenario, plan)
    wreck = replace(
        state,
        sales=tuple(replace(sale, ref=None, customer=None, commitment=None, lines=()) for sale in state.sales),
        purchases=(
            *(replace(order, vendor=None, origins=()) for order in state.purchases),
            Purchase("P", None, "confirmed", (), (PurchaseLine(None, 1.0, 1.0, None),)),
        ),
        productions=(
            *state.productions,
            Production(
                "M", None, 1.0, "confirmed", None, None, None, (), (WorkOrder(None, "ready", None, None),), ((None, 1.0),)
            ),
        ),
    )
    assert verdict(scenario, plan, wreck).reward == 0.0


# -- exploits of the release (HA to HI), at the level of the state --------------------------------------------------


def phantom(state: ErpState, **changes: object) -> ErpState:
    """Finished goods made out of nothing: no components, no sub-assemblies, bare manufacturing orders."""
    made = tuple(replace(item, raw=(), **changes) for item in state.productions if item.product == "F")  # type: ignore[arg-type] # fields of an order
    return replace(state, purchases=(), productions=made)


@pytest.mark.parametrize("objective", ["min_new_spend", "vendor_consolidation", "capacity_preservation"])
@pytest.mark.parametrize(
    "changes",
    [
        {"origins": ()},
        {"origins": (), "work_orders": ()},
        {"origins": (), "work_orders": (WorkOrder("nowhere", "ready", None, None),)},
        {"origins": (), "start": None, "work_orders": ()},
    ],
)
def test_ha_phantom_production_stays_gated(objective: str, changes: dict[str, object]) -> None:
    scenario, plan = making(objective=objective)
    found = verdict(scenario, plan, phantom(perfect_state(scenario, plan), **changes))
    assert found.reward <= GATED
    assert {"productions_licensed", "supply_timing_feasible", "component_stock_capacity_compliance"} <= failed(found)
    assert not found.canary


def test_hb_unrelated_purchases_are_spend_and_fail(case: tuple[Scenario, Plan]) -> None:
    scenario, plan = case
    state = perfect_state(scenario, plan)
    stray = Purchase("P9", "somebody", "confirmed", (), (PurchaseLine("THING", 2.0, 9.0, scenario.today),))
    found = verdict(scenario, plan, replace(state, purchases=(*state.purchases, stray)))
    assert found.reward <= GATED
    assert "purchases_licensed" in failed(found)
    assert found.metrics["spend"] == pytest.approx(verdict(scenario, plan).metrics["spend"] + 18)


def test_hb_drafts_of_unrelated_purchases_fail_too() -> None:
    scenario, plan = buying()
    state = perfect_state(scenario, plan)
    stray = Purchase("P9", "somebody", "draft", (), (PurchaseLine("THING", 2.0, 9.0, scenario.today),))
    found = verdict(scenario, plan, replace(state, purchases=(*state.purchases, stray)))
    assert found.reward <= GATED
    assert {"purchases_licensed", "no_open_drafts"} <= failed(found)


@pytest.mark.parametrize(
    "change",
    [
        Change("product.supplierinfo", "quick/F", "changed", ("price",)),
        Change("mrp.bom.line", "F/SUB", "deleted"),
        Change("res.partner", "other_vendor", "changed", ("name",)),
        Change("ir.config_parameter", "margin", "changed", ("value",)),
    ],
)
def test_hc_tampering_with_any_record_stays_gated(case: tuple[Scenario, Plan], change: Change) -> None:
    scenario, plan = case
    found = verdict(scenario, plan, replace(perfect_state(scenario, plan), master_changes=(change,)))
    assert found.reward <= GATED
    assert failed(found) == {"master_data_unchanged"}


def test_hd_the_day_and_the_broken_records_come_from_the_task_not_from_the_state() -> None:
    """Whatever day the state says it is, leads count from the task's day 0."""
    scenario, plan = repairing()
    state = perfect_state(scenario, plan)
    for today in (scenario.today.replace(year=2020), scenario.today.replace(year=2030)):
        assert verdict(scenario, plan, replace(state, today=today)).reward == 1.0
    assert verdict(scenario, plan, replace(seeded_state(scenario), today=scenario.today.replace(year=2030))).reward == 0.0


def test_he_rebooking_what_works_stays_gated() -> None:
    """Every seeded document is cancelled and booked again in equal quantity."""
    scenario, plan = repairing()
    state = perfect_state(scenario, plan)
    names = {name: f"{name[:-2]}9{name[-1]}" for name in documents(state)}

    def renamed(origins: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(names.get(name, name) for name in origins)

    purchases = [replace(order, state="cancelled") for order in state.purchases]
    purchases += [replace(order, name=names[order.name], origins=renamed(order.origins)) for order in state.purchases]
    productions = [replace(order, state="cancelled") for order in state.productions]
    productions += [replace(order, name=names[order.name], origins=renamed(order.origins)) for order in state.productions]
    found = verdict(scenario, plan, replace(state, purchases=tuple(purchases), productions=tuple(productions)))
    assert found.scores["optimality"] == 1.0
    assert failed(found) == {"commitments_kept"}
    assert found.reward <= GATED


def test_hf_moving_stock_stays_gated(case: tuple[Scenario, Plan]) -> None:
    scenario, plan = case
    moved = (Change("stock.quant", "F", "changed", ("quantity",)),)
    found = verdict(scenario, plan, replace(perfect_state(scenario, plan), moved_stock=moved))
    assert found.reward <= GATED
    assert failed(found) == {"master_data_unchanged"}


def test_hg_editing_raw_moves_does_not_save_components() -> None:
    """The recipe is the specification's, whatever the order's moves say."""
    scenario, plan = making()
    state = perfect_state(scenario, plan)
    bare = tuple(replace(item, raw=()) for item in state.productions)
    assert "productions_licensed" in failed(verdict(scenario, plan, replace(state, productions=bare)))
    found = verdict(scenario, plan, replace(state, productions=bare, purchases=()))
    assert found.reward <= GATED
    assert {"productions_licensed", "mo_component_feasibility"} <= failed(found)


def test_hh_every_work_order_of_an_order_counts() -> None:
    scenario, plan = making()
    state = perfect_state(scenario, plan)
    order = state.productions[0]
    for second in ("nowhere", "W2", None):
        work = (*order.work_orders, WorkOrder(second, "ready", None, None))
        found = verdict(scenario, plan, replace(state, productions=(replace(order, work_orders=work), *state.productions[1:])))
        assert found.reward <= GATED
        assert "productions_licensed" in failed(found)


def test_hi_a_lone_draft_or_a_bare_purchase_does_not_open_the_gate(case: tuple[Scenario, Plan]) -> None:
    scenario, plan = case
    state = seeded_state(scenario)
    row: Offer = scenario.problem.offers[0]
    for kind in ("draft", "confirmed"):
        order = Purchase("P9", row.vendor, kind, (), (PurchaseLine(row.product, 1.0, 1.0, scenario.today),))
        assert verdict(scenario, plan, replace(state, purchases=(*state.purchases, order))).reward == 0.0


def test_hi_one_fulfilled_order_is_worth_a_fraction_of_the_constraints() -> None:
    scenario, plan = buying()
    state = perfect_state(scenario, plan)
    one = tuple(sale for sale in state.sales if sale.customer == "c1" or sale.ref == "o_other")
    found = verdict(scenario, plan, replace(seeded_state(scenario), sales=one))
    assert not found.gates
    assert found.reward == pytest.approx(GATED * found.scores["constraint"])
    assert 0 < found.reward < GATED


def test_cancelling_a_rejected_draft_opens_the_gate() -> None:
    scenario, plan = screened()
    state = seeded_state(scenario)
    sales = tuple(replace(sale, state="cancelled") if sale.ref == "o3" else sale for sale in state.sales)
    assert verdict(scenario, plan, replace(state, sales=sales)).gates == ()


def test_a_repair_that_leaves_the_broken_order_earns_nothing() -> None:
    scenario, plan = repairing()
    state = perfect_state(scenario, plan)
    alive = tuple(replace(item, state="confirmed") if item.state == "cancelled" else item for item in state.productions)
    assert verdict(scenario, plan, replace(state, productions=alive)).gates == ("repair_state_compliance",)


# -- optimality -------------------------------------------------------------------------------------------------


def certified(scenario: Scenario, value: float, secondary: float | None = None) -> Certificate:
    return Certificate(status="optimal", objective=scenario.problem.objective, value=value, bound=value, secondary=secondary)


@pytest.mark.parametrize(
    ("value", "score"),
    [(385.0, 1.0), (384.75, 1.0), (384.0, math.exp(-5 * 1 / 384)), (350.0, math.exp(-5 * 35 / 350)), (0.0, 0.0)],
)
def test_spend_falls_off_exponentially_beyond_a_quarter(value: float, score: float) -> None:
    scenario, plan = buying()
    found = verdict(scenario, plan, certificate=certified(scenario, value))
    assert found.scores["optimality"] == pytest.approx(score)
    assert found.reward == pytest.approx(0.40 + 0.60 * score)


@pytest.mark.parametrize(
    ("objective", "value", "primary"),
    [
        ("vendor_consolidation", 2, 1.0),
        ("vendor_consolidation", 1, math.exp(-2)),
        ("capacity_preservation", 135.0, 1.0),
        ("capacity_preservation", 134.99, 1.0),
        ("capacity_preservation", 100.0, math.exp(-5 * 35 / 100)),
    ],
)
def test_ties_are_broken_by_spend_once_the_primary_is_met(objective: str, value: float, primary: float) -> None:
    scenario, plan = making(objective=objective)
    for secondary, tie in ((101.0, 1.0), (90.0, math.exp(-5 * 11 / 90))):
        expected = 0.9 + 0.1 * tie if primary == 1.0 else 0.9 * primary
        found = verdict(scenario, plan, certificate=certified(scenario, value, secondary))
        assert found.scores["optimality"] == pytest.approx(expected)


def test_the_repair_distance_is_measured_in_units() -> None:
    scenario, plan = repairing()
    found = verdict(scenario, plan)
    assert (found.metrics["repair_distance"], found.metrics["objective"]) == (10, 10)


def test_what_bad_records_leave_unmeasured_is_worth_nothing_and_costs_the_most() -> None:
    """Two F on no eligible work center count at the dearest one's $6, not at their own $5."""
    scenario, plan = making(objective="capacity_preservation")
    state = perfect_state(scenario, plan)
    order = state.productions[0]
    lost = replace(order, work_orders=(replace(order.work_orders[0], center="nowhere"),))
    found = verdict(scenario, plan, replace(state, productions=(lost, *state.productions[1:])))
    assert found.scores["optimality"] == 0.0
    assert (found.metrics["minutes"], found.metrics["spend"]) == (None, 103.0)


def test_a_feasibility_task_is_optimal_once_feasible() -> None:
    scenario, plan = buying(objective="constraint_only")
    found = verdict(scenario, plan, certificate=certified(scenario, 0.0))
    assert (found.reward, found.canary) == (1.0, False)


# -- canary and floor -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("style", ["coverage", "release"])
def test_a_clean_state_better_than_the_certificate_raises_the_canary(style: str) -> None:
    """In release style with firm orders the floor fails it first, as in the paper."""
    scenario, plan = buying(style=style)
    found = verdict(scenario, plan, certificate=certified(scenario, 400.0))
    assert found.canary == (style == "coverage")
    assert failed(found) == (set() if style == "coverage" else {"spend_floor"})
    assert not verdict(scenario, plan, certificate=certified(scenario, 385.25)).canary


@pytest.mark.parametrize(
    ("value", "secondary", "canary"), [(2, 101.0, False), (3, 101.0, True), (2, 102.0, True), (1, 102.0, False)]
)
def test_the_canary_hears_the_tie_break_too(value: int, secondary: float, canary: bool) -> None:
    scenario, plan = making(objective="vendor_consolidation")
    assert verdict(scenario, plan, certificate=certified(scenario, value, secondary)).canary == canary


def test_an_unclean_state_is_no_canary() -> None:
    scenario, plan = buying()
    state = replace(perfect_state(scenario, plan), master_changes=(Change("res.partner", "x", "changed"),))
    assert not verdict(scenario, plan, state, certified(scenario, 400.0)).canary


def test_a_finished_minimum_lot_may_leave_a_surplus_on_the_shelf_in_coverage_style() -> None:
    """One vendor with a least lot of twelve for the eight that are needed."""
    for style, expected in (("coverage", 1.0), ("release", 0.85)):
        scenario, plan = buying(
            offers=(offer("quick", "F", 5000, 3, 12, 20),), style=style, objective="constraint_only", stock={"F": 3}
        )
        only = plan.purchases[0].model_copy(update={"quantity": 12, "origins": ("o2", "o1")})
        found = verdict(scenario, Plan(purchases=(only,)), certificate=certified(scenario, 0.0))
        assert found.scores["constraint"] == 1.0
        assert found.reward >= expected
        assert (found.reward == 1.0) == (style == "coverage")


LOTS = {"plain": (5, 3), "large": (7, 6)}


@pytest.mark.parametrize("lots", LOTS)
@pytest.mark.parametrize(("stock", "margin_bps"), [(0, 2500), (2, 2500), (3, 5000), (6, 4000), (9, 2500)])
@pytest.mark.parametrize("objective", ["min_new_spend", "vendor_consolidation"])
def test_the_certificate_is_the_best_of_all_states_that_pass(lots: str, stock: int, margin_bps: int, objective: str) -> None:
    """Every pair of quantities and every way of linking them: none that passes beats the solver, and one attains it."""
    quick, cheap = LOTS[lots]
    offers = (offer("quick", "F", 5000, 3, quick, 12), offer("cheap", "F", 4500, 8, cheap, 9))
    scenario, _ = buying(offers=offers, stock={"F": stock}, margin_bps=margin_bps, objective=objective, invoicing=None)
    certificate = solve(scenario.problem, style="coverage").certificate()
    checks, best = build_checks(scenario), 0.0
    for plan in small_plans(offers):
        found = judge(perfect_state(scenario, plan), scenario, checks, certificate)
        assert not found.canary, plan
        best = max(best, found.reward)
    assert best == 1.0


def small_plans(offers: tuple[Offer, ...]) -> Iterator[Plan]:
    """Every purchase of up to an offer's maximum under two offers, linked to the orders in every way that dates allow."""
    links: dict[str, list[tuple[str, ...]]] = {"quick": [("o1",), ("o2",), ("o1", "o2")], "cheap": [("o2",)]}
    options: list[list[tuple[Offer, int, tuple[str, ...]] | None]] = [
        [None, *((row, units, way) for units in range(row.min_qty, (row.max_qty or 0) + 1) for way in links[row.vendor])]
        for row in offers
    ]
    for choice in itertools.product(*options):
        yield Plan(
            purchases=tuple(
                PlannedPurchase(ref=row.key, offer=row.key, quantity=units, arrival=row.lead, origins=way)
                for row, units, way in filter(None, choice)
            )
        )


# -- invariants -------------------------------------------------------------------------------------------------


def documents(state: ErpState) -> Mapping[str, str]:
    """States of purchase and manufacturing orders by name."""
    return {order.name: order.state for order in state.purchases} | {order.name: order.state for order in state.productions}


def shuffled(state: ErpState, seed: int) -> ErpState:
    rng = random.Random(seed)
    lists = {name: list(getattr(state, name)) for name in ("sales", "purchases", "productions", "invoices")}
    for records in lists.values():
        rng.shuffle(records)
    changed: dict[str, Any] = {name: tuple(records) for name, records in lists.items()}
    return replace(state, **changed)


@given(st.sampled_from(sorted(ALL)), st.integers(0, 2**16), st.data())
@settings(max_examples=60, deadline=None)
def test_the_order_of_records_and_lost_documents(name: str, seed: int, data: st.DataObject) -> None:
    """Order never matters; losing supply never pays; rewards stay in [0, 1]."""
    scenario, plan = ALL[name]()
    state = perfect_state(scenario, plan)
    lost = data.draw(st.sets(st.sampled_from(sorted(documents(state)))))
    fewer = replace(
        state,
        purchases=tuple(order for order in state.purchases if order.name not in lost),
        productions=tuple(order for order in state.productions if order.name not in lost),
    )
    one, other = verdict(scenario, plan, fewer), verdict(scenario, plan, shuffled(fewer, seed))
    assert one.as_dict() == other.as_dict()
    assert 0.0 <= one.reward <= verdict(scenario, plan).reward <= 1.0
    assert (one.reward < 1.0) or all(documents(state)[name] == "cancelled" for name in lost)


def test_one_failure_costs_the_whole_group_and_no_other(case: tuple[Scenario, Plan]) -> None:
    scenario, plan = case
    state = perfect_state(scenario, plan)
    wrong = tuple(replace(sale, commitment=None) if sale.customer == "c2" else sale for sale in state.sales)
    found = verdict(scenario, plan, replace(state, sales=wrong))
    lost = {check.spec.group for check in found.checks if check.status == "fail" and check.spec.dimension == "constraint"}
    assert "deadlines" in lost
    applicable = [check for check in found.checks if check.status != "na" and check.spec.dimension == "constraint"]
    earned = sum(check.spec.group not in lost for check in applicable)
    assert found.scores["constraint"] == pytest.approx(earned / len(applicable))
    assert found.reward == pytest.approx(GATED * earned / len(applicable))


def test_failures_are_told_by_family() -> None:
    scenario, plan = making()
    state = perfect_state(scenario, plan)
    found = verdict(scenario, plan, replace(state, productions=()))
    assert found.failure_families == ("hygiene", "sourcing", "timing")
    assert verdict(scenario, plan, replace(state, sales=())).failure_families == ("demand", "hygiene", "sourcing", "timing")
