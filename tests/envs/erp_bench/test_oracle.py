"""The oracle books any plan through the tools: exactly its documents, and nothing else."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from opsgym.core.errors import TaskError
from opsgym.core.task import Certificate
from opsgym.data.erp_bench_release import ReleasedTask, find_releases, read_release
from opsgym.envs.erp_bench.oracle import oracle_calls
from opsgym.envs.erp_bench.simulate import check_plan
from opsgym.envs.erp_bench.spec import Plan, PlannedProduction, PlannedPurchase, Scenario
from opsgym.envs.erp_bench.state import ErpState, Production, Purchase
from opsgym.envs.erp_bench.verifier import build_checks, judge
from opsgym.envs.erp_bench.world import document_names
from tests.envs.erp_bench.desk import Desk
from tests.envs.erp_bench.scenarios import ALL, buying, making, repairing, screened
from tests.envs.erp_bench.states import certificate_of

Example = Callable[[], tuple[Scenario, Plan]]


def booked(scenario: Scenario, plan: Plan) -> ErpState:
    """The state after the oracle's calls, all of which must be carried out."""
    desk = Desk(scenario)
    desk.play(oracle_calls(scenario, plan))
    return desk.export()


def names_of(scenario: Scenario, plan: Plan, state: ErpState) -> dict[str, str]:
    """Names of the documents of orders and planned productions, found by what they say."""
    names = {sale.ref: sale.name for sale in state.sales if sale.ref}
    for step in plan.productions:
        (found,) = [
            order.name
            for order in state.productions
            if order.state == "confirmed"
            and (order.product, order.quantity, order.work_orders[0].center) == (step.product, step.quantity, step.center)
            and order.deadline == scenario.today + dt.timedelta(days=step.due)
            and order.name not in names.values()
        ][:1]
        names[step.ref] = found
    return names


def live(documents: Iterable[Any]) -> list[Any]:
    return [document for document in documents if document.state == "confirmed"]


def assert_books_exactly(scenario: Scenario, plan: Plan, state: ErpState) -> None:
    """The confirmed documents are those of the plan, one each, with its quantities, dates, prices and links."""
    problem = scenario.problem
    names = names_of(scenario, plan, state)

    def day(number: int) -> dt.date:
        return scenario.today + dt.timedelta(days=number)

    def purchase(order: Purchase) -> tuple[Any, ...]:
        (line,) = order.lines
        return order.vendor, line.product, line.quantity, line.price, line.planned, order.origins

    def production(order: Production) -> tuple[Any, ...]:
        centers = {work.center for work in order.work_orders}
        return order.product, order.quantity, centers, order.start, order.deadline, order.origins

    offers = problem.offer_by_key
    assert sorted(map(purchase, live(state.purchases))) == sorted(
        (
            offers[step.offer].vendor,
            offers[step.offer].product,
            step.quantity,
            offers[step.offer].price / 100,
            day(step.arrival),
            tuple(names[ref] for ref in step.origins),
        )
        for step in plan.purchases
    )
    assert sorted(map(production, live(state.productions)), key=str) == sorted(
        (
            (
                step.product,
                step.quantity,
                {step.center},
                day(step.start),
                day(step.due),
                tuple(names[ref] for ref in step.origins),
            )
            for step in plan.productions
        ),
        key=str,
    )
    customers = {order.customer for order in problem.orders}
    kept = [sale for sale in live(state.sales) if sale.customer in customers]
    assert sorted((sale.ref or "", sale.customer, sale.commitment, sale.lines[0].quantity) for sale in kept) == sorted(
        (order.ref, order.customer, day(order.due), order.quantity) for order in problem.accepted
    )
    assert "draft" not in {order.state for order in state.purchases} | {order.state for order in state.productions}
    assert (state.master_changes, state.moved_stock) == ((), ())


# -- hand-made tasks ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("example", ALL.values(), ids=ALL)
def test_the_plan_is_booked_exactly_and_earns_everything(example: Example) -> None:
    scenario, plan = example()
    state = booked(scenario, plan)
    assert_books_exactly(scenario, plan, state)
    verdict = judge(state, scenario, build_checks(scenario), certificate_of(scenario, check_plan(scenario.problem, plan)))
    assert (verdict.reward, verdict.is_success, verdict.canary) == (1.0, True, False)


@pytest.mark.parametrize("example", ALL.values(), ids=ALL)
def test_the_calls_are_the_same_every_time_and_end_with_submit(example: Example) -> None:
    scenario, plan = example()
    calls = oracle_calls(scenario, plan)
    assert calls == oracle_calls(scenario, plan)
    assert [call.name for call in calls].count("submit") == 1
    assert calls[-1].name == "submit"


def test_parents_are_created_first_and_components_confirmed_first() -> None:
    calls = oracle_calls(*making())
    made = [call.arguments["product"] for call in calls if call.name == "create_manufacturing_order"]
    confirmed = [call.arguments["order"] for call in calls if call.name == "confirm_manufacturing_order"]
    assert made == ["F", "F", "SUB", "SUB"]
    assert confirmed == ["WH/MO/00003", "WH/MO/00004", "WH/MO/00001", "WH/MO/00002"]


def test_rejected_drafts_are_cancelled_and_rejected_requests_left_alone() -> None:
    scenario, plan = screened()
    calls = oracle_calls(scenario, plan)
    names = document_names(scenario)
    assert [call.arguments["order"] for call in calls if call.name == "cancel_sales_order"] == [names["o3"]]
    assert [call.arguments["customer"] for call in calls if call.name == "create_sales_order"] == ["c2"]
    assert "c4" not in {sale.customer for sale in booked(scenario, plan).sales}


def test_orders_are_invoiced_with_a_down_payment_from_the_threshold_on() -> None:
    invoices = booked(*buying()).invoices
    assert sorted((one.partner, one.kind, one.amount_untaxed, one.state, one.payment_term) for one in invoices) == [
        ("c1", "regular", 400.0, "posted", "30 Days"),
        ("c2", "downpayment", 120.0, "posted", "30 Days"),
        ("c2", "regular", 480.0, "posted", "30 Days"),
    ]


# -- repair -------------------------------------------------------------------------------------------------


def test_repair_cancels_what_broke_and_edits_the_rest_in_place() -> None:
    scenario, plan = repairing()
    calls = oracle_calls(scenario, plan)
    tools = [call.name for call in calls]
    assert tools.count("cancel_manufacturing_order") == 1
    assert tools.count("create_manufacturing_order") == 1
    assert "cancel_purchase_order" not in tools
    assert "create_purchase_order" not in tools
    state = booked(scenario, plan)
    names = document_names(scenario)
    assert {order.name for order in live(state.productions)} == {names["mo_f1"], names["mo_s1"], names["mo_s2"], "WH/MO/00005"}
    assert {order.name: order.origins for order in live(state.productions)}[names["mo_s2"]] == ("WH/MO/00005",)


def test_a_seeded_purchase_of_another_quantity_is_edited_and_an_unused_one_cancelled() -> None:
    scenario, plan = repairing()
    steel = plan.purchases[0].model_copy(update={"quantity": 60, "arrival": 3})
    state = booked(scenario, plan.model_copy(update={"purchases": (steel,)}))
    names = document_names(scenario)
    assert {order.name: order.state for order in state.purchases} == {
        names["po_steel"]: "confirmed",
        names["po_bolts"]: "cancelled",
    }
    (line,) = live(state.purchases)[0].lines
    assert (line.quantity, line.price, line.planned) == (60.0, 1.0, scenario.today + dt.timedelta(days=3))


def test_a_seeded_production_with_another_start_is_rescheduled() -> None:
    scenario, plan = repairing()
    moved = tuple(step.model_copy(update={"start": step.start - 1}) if step.ref == "s2" else step for step in plan.productions)
    altered = plan.model_copy(update={"productions": moved})
    assert_books_exactly(scenario, altered, booked(scenario, altered))


# -- any plan -----------------------------------------------------------------------------------------------


def purchases(keys: list[str], origins: list[str]) -> st.SearchStrategy[tuple[PlannedPurchase, ...]]:
    """Any purchases: of one offer twice, too many, too late, for anything."""
    one = st.tuples(
        st.sampled_from(keys),
        st.integers(1, 500),
        st.integers(0, 60),
        st.lists(st.sampled_from(origins), min_size=1, unique=True),
    )
    return st.lists(one, max_size=5).map(
        lambda rows: tuple(
            PlannedPurchase(ref=f"p{number}", offer=offer, quantity=quantity, arrival=arrival, origins=tuple(sources))
            for number, (offer, quantity, arrival, sources) in enumerate(rows)
        )
    )


def productions() -> st.SearchStrategy[tuple[PlannedProduction, ...]]:
    """Any productions of F on either center, at any time, each with its own due day."""
    one = st.tuples(st.sampled_from(["W1", "W2"]), st.integers(1, 500), st.integers(0, 60), st.sampled_from(["o1", "o2"]))
    return st.lists(one, max_size=4).map(
        lambda rows: tuple(
            PlannedProduction(
                ref=f"m{number}",
                product="F",
                center=center,
                quantity=quantity,
                start=start,
                due=start + 2 + number,
                origins=(origin,),
                level=1,
            )
            for number, (center, quantity, start, origin) in enumerate(rows)
        )
    )


@settings(max_examples=40, deadline=None)
@given(bought=purchases(["finished/F", "bolts/BOLT", "steel/STEEL"], ["o1", "o2"]), made=productions())
def test_any_plan_can_be_booked(bought: tuple[PlannedPurchase, ...], made: tuple[PlannedProduction, ...]) -> None:
    scenario, _ = making()
    plan = Plan(purchases=bought, productions=made)
    assert_books_exactly(scenario, plan, booked(scenario, plan))


@settings(max_examples=25, deadline=None)
@given(bought=purchases(["bolts/BOLT", "steel/STEEL", "finished/F"], ["o1", "o2"]), made=productions())
def test_any_plan_can_be_booked_over_seeded_documents(
    bought: tuple[PlannedPurchase, ...], made: tuple[PlannedProduction, ...]
) -> None:
    scenario, _ = repairing()
    plan = Plan(purchases=bought, productions=made)
    assert_books_exactly(scenario, plan, booked(scenario, plan))


def test_a_plan_for_nothing_known_is_refused() -> None:
    scenario, plan = making()
    for changes, said in (({"offer": "nothing"}, "nothing"), ({"origins": ("ghost",)}, "ghost")):
        wrong = plan.purchases[0].model_copy(update=changes)
        with pytest.raises(TaskError, match=said):
            oracle_calls(scenario, plan.model_copy(update={"purchases": (wrong,)}))


def test_a_call_that_the_erp_refuses_is_an_error_of_the_plan() -> None:
    scenario, plan = making()
    wrong = plan.productions[0].model_copy(update={"center": "W9"})
    with pytest.raises(TaskError, match=r"create_manufacturing_order.*W9"):
        oracle_calls(scenario, plan.model_copy(update={"productions": (wrong,)}))


# -- the release --------------------------------------------------------------------------------------------


def assert_earns_everything(task: ReleasedTask) -> None:
    scenario = task.scenario
    certificate = Certificate(
        status="feasible" if scenario.problem.objective == "constraint_only" else "optimal",
        objective=scenario.problem.objective,
        value=task.objective_value,
        bound=task.objective_value,
        secondary=task.secondary,
    )
    checks = build_checks(scenario)
    assert judge(Desk(scenario).export(), scenario, checks, certificate).reward == 0.0
    state = booked(scenario, task.plan)
    assert_books_exactly(scenario, task.plan, state)
    verdict = judge(state, scenario, checks, certificate)
    failed = [check.spec.rule for check in verdict.checks if check.status == "fail"]
    assert (verdict.reward, verdict.is_success, verdict.canary, failed) == (1.0, True, False, [])


def test_one_released_plan_of_each_pattern_earns_everything(released_erpbench: Path) -> None:
    seen = set()
    for path in find_releases(released_erpbench):
        pattern = path.name.split("_", 1)[1]
        if pattern not in seen:
            seen.add(pattern)
            assert_earns_everything(read_release(path))
    assert len(seen) == 29


@pytest.mark.slow
def test_every_released_plan_earns_everything_and_doing_nothing_earns_nothing(released_erpbench: Path) -> None:
    paths = find_releases(released_erpbench)
    assert len(paths) >= 87
    for path in paths:
        assert_earns_everything(read_release(path))
