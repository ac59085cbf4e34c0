"""The parts that the rules stand on, and the edges at which a rule changes its mind."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opsgym.core.errors import RegistryError, TaskError
from opsgym.core.task import Certificate
from opsgym.core.verify import CheckResult
from opsgym.envs.erp_bench.emission import EMISSIONS
from opsgym.envs.erp_bench.rules import FAMILIES, RULES, Context, Outcome, find_rule, tables_of
from opsgym.envs.erp_bench.rules.chain import Arrival, Build, shortages
from opsgym.envs.erp_bench.rules.flow import is_routable
from opsgym.envs.erp_bench.rules.registry import SHOWN, expect_none, rule
from opsgym.envs.erp_bench.rules.tables import invoice_plan
from opsgym.envs.erp_bench.spec import Invoicing, Order, Plan, Scenario
from opsgym.envs.erp_bench.state import ErpState, Invoice, Production, Purchase, PurchaseLine, SaleLine, WorkOrder
from tests.envs.erp_bench.scenarios import buying, making, offer, repairing, screened
from tests.envs.erp_bench.states import perfect_state, seeded_state

ANY = Certificate(status="feasible", objective="constraint_only", value=0.0, bound=0.0)
Case = tuple[Scenario, Plan]


def ask(name: str, state: ErpState, scenario: Scenario, **args: object) -> Outcome:
    """What a rule says of a state."""
    return find_rule(name).function(Context(state, tables_of(scenario), ANY), **args)


def status(name: str, state: ErpState, scenario: Scenario, **args: object) -> str:
    return ask(name, state, scenario, **args).status


def edit_purchase(state: ErpState, index: int, /, **changes: object) -> ErpState:
    orders = list(state.purchases)
    lines = {key: changes.pop(key) for key in list(changes) if key in PurchaseLine.__slots__}
    line = replace(orders[index].lines[0], **lines)  # type: ignore[arg-type] # fields of a line
    orders[index] = replace(orders[index], lines=(line,), **changes)  # type: ignore[arg-type] # fields of an order
    return replace(state, purchases=tuple(orders))


def edit_production(state: ErpState, name: str, /, **changes: object) -> ErpState:
    edited = tuple(replace(item, **changes) if item.name == name else item for item in state.productions)  # type: ignore[arg-type] # fields of an order
    return replace(state, productions=edited)


# -- registry -------------------------------------------------------------------------------------------------


def test_every_rule_is_emitted_and_documented() -> None:
    assert {row.rule for row in EMISSIONS} == set(RULES)
    assert all(found.function.__doc__ for found in RULES.values())
    assert {found.family for found in RULES.values()} == set(FAMILIES)


def test_a_rule_cannot_be_defined_twice() -> None:
    with pytest.raises(ValueError, match="list_price"):
        rule(family="demand")(RULES["list_price"].function)


def test_an_unknown_rule_is_named_with_those_that_exist() -> None:
    with pytest.raises(RegistryError, match="did you mean 'list_price'"):
        find_rule("list_prise")


def test_messages_list_a_few_offences_and_count_the_rest() -> None:
    outcome = expect_none([f"offence {n}" for n in range(SHOWN + 3)], "none")
    assert outcome.message.endswith("and 3 more")
    assert len(outcome.actual) == SHOWN


# -- flow -----------------------------------------------------------------------------------------------------


def routable_by_trial(supply: list[int], links: list[list[int]], demand: list[int]) -> bool:
    """Every way of sending single units, tried out."""
    units = [source for source, count in enumerate(supply) for _ in range(count)]
    for choice in itertools.product(*(links[source] for source in units)):
        if all(choice.count(target) <= demand[target] for target in set(choice)):
            return True
    return False


@given(st.data())
def test_routing_is_refused_exactly_when_no_way_exists(data: st.DataObject) -> None:
    targets = data.draw(st.integers(1, 3))
    demand = data.draw(st.lists(st.integers(0, 3), min_size=targets, max_size=targets))
    supply = data.draw(st.lists(st.integers(0, 2), min_size=1, max_size=3))
    links = [data.draw(st.lists(st.integers(0, targets - 1), min_size=1, max_size=targets, unique=True)) for _ in supply]
    given_supply = {f"s{n}": count for n, count in enumerate(supply)}
    given_links = {f"s{n}": [f"t{target}" for target in found] for n, found in enumerate(links)}
    assert is_routable(given_supply, given_links, {f"t{n}": count for n, count in enumerate(demand)}) == routable_by_trial(
        supply, links, demand
    )


def test_routing_moves_earlier_units_out_of_the_way() -> None:
    links = {"a": ["x", "y"], "b": ["x", "z"], "c": ["x"]}
    assert is_routable({"a": 2, "b": 2, "c": 2}, links, {"x": 2, "y": 2, "z": 2})
    assert not is_routable({"a": 2, "b": 2, "c": 3}, links, {"x": 2, "y": 9, "z": 9})


# -- chain ----------------------------------------------------------------------------------------------------

BOMS = {"F": {"SUB": 2}, "SUB": {"STEEL": 3}}


def test_inputs_may_come_on_the_day_on_which_they_are_taken() -> None:
    builds = [Build("m", "SUB", 1, 4, 5, 0)]
    assert shortages({}, [Arrival(4, "STEEL", 3)], builds, BOMS) == []
    assert shortages({}, [Arrival(5, "STEEL", 3)], builds, BOMS) == ["m starts on day 4 without enough STEEL"]
    assert shortages({}, [Arrival(None, "STEEL", 3)], builds, BOMS)


def test_a_sub_assembly_without_lead_time_is_usable_on_the_same_day() -> None:
    builds = [Build("top", "F", 1, 4, 6, 1), Build("sub", "SUB", 2, 4, 4, 0)]
    assert shortages({"STEEL": 6}, [], builds, BOMS) == []


def test_a_production_without_valid_dates_takes_inputs_but_gives_nothing() -> None:
    builds = [Build("top", "F", 1, 4, 6, 1), Build("sub", "SUB", 2, 1, None, 0)]
    assert shortages({"STEEL": 6}, [], builds, BOMS) == ["top starts on day 4 without enough SUB"]


def test_nothing_starts_before_the_first_day_or_on_no_day() -> None:
    assert shortages({"STEEL": 9}, [], [Build("m", "SUB", 1, -1, 0, 0)], BOMS)
    assert shortages({"STEEL": 9}, [], [Build("m", "SUB", 1, None, 0, 0)], BOMS) == ["m has no start date"]


# -- tables ---------------------------------------------------------------------------------------------------


def test_tables_are_made_once_per_scenario() -> None:
    scenario, _ = buying()
    assert tables_of(scenario) is tables_of(scenario)
    assert tables_of(scenario.model_copy()) is not tables_of(scenario)


def test_two_orders_of_one_customer_are_refused() -> None:
    orders = tuple(Order(ref=f"o{n}", customer="c1", quantity=1, due=5) for n in (1, 2))
    with pytest.raises(TaskError, match="one order per customer"):
        tables_of(buying(orders=orders)[0])


@pytest.mark.parametrize(
    ("amount", "mode", "value", "regular", "downpayment"),
    [
        (49_999, "percentage", 2000, 49_999, None),
        (50_000, "percentage", 2000, 40_000, 10_000),
        (50_001, "percentage", 2500, 37_501, 12_500),
        (50_000, "fixed", 2000, 48_000, 2000),
    ],
)
def test_a_down_payment_is_due_from_the_threshold_on(
    amount: int, mode: str, value: int, regular: int, downpayment: int | None
) -> None:
    policy = Invoicing(payment_term="net_30", downpayment_threshold=50_000, downpayment_mode=mode, downpayment_value=value)  # type: ignore[arg-type] # a mode
    plan = invoice_plan(policy, amount)
    assert (plan.term, plan.regular, plan.downpayment) == ("30 Days", regular, downpayment)


def test_an_offer_is_the_largest_minimum_that_the_quantity_reaches() -> None:
    small, large = offer("v", "F", 100, 1, 5, None), offer("v", "F", 90, 1, 20, None).model_copy(update={"key": "large"})
    tables = tables_of(buying(offers=(small, large))[0])
    assert [tables.resolve("v", "F", units) for units in (4, 5, 19, 20, 99)] == [None, small, small, large, large]
    assert tables.resolve(None, "F", 5) is None


# -- work orders ----------------------------------------------------------------------------------------------


def test_work_orders_say_when_and_where_an_order_is_made() -> None:
    """Their dates go before the order's; cancelled ones do not count."""
    scenario, plan = making()
    state = perfect_state(scenario, plan)
    order = state.productions[0]
    work = (
        WorkOrder("W2", "cancel", None, None),
        replace(order.work_orders[0], start=None),
        WorkOrder("W1", "ready", order.start, None),
    )
    late = replace(order, start=order.deadline, work_orders=work)
    made = Context(replace(state, productions=(late,)), tables_of(scenario), ANY).made[0]
    assert made.centers == ("W1", "W1")
    assert (made.start, made.due, made.available) == (4, 6, 6)


# -- not applicable -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    ["po_delivery_schedule_compliance", "po_consolidation_compliance", "po_min_qty_compliance", "po_price_tier_compliance"],
)
def test_purchase_rules_do_not_apply_without_purchases(name: str) -> None:
    scenario, _ = buying()
    assert status(name, seeded_state(scenario), scenario) == "na"


@pytest.mark.parametrize("name", ["mo_schedule_compliance", "mo_component_feasibility", "mrp_origin_traceability"])
@pytest.mark.parametrize(("buys", "expected"), [(True, "na"), (False, "fail")])
def test_manufacturing_rules_fail_without_orders_only_where_there_is_no_other_way(name: str, buys: bool, expected: str) -> None:
    scenario, _ = making(buying=buys)
    assert status(name, seeded_state(scenario), scenario) == expected


def test_nothing_has_to_be_made_where_stock_is_enough() -> None:
    scenario, _ = making(buying=False, stock={"F": 8})
    assert status("mo_schedule_compliance", seeded_state(scenario), scenario) == "na"


def test_purchases_left_as_drafts_are_untraceable_and_absent_ones_do_not_apply() -> None:
    scenario, plan = buying()
    state = perfect_state(scenario, plan)
    args = {"product": "F", "role": "finished"}
    assert status("po_origin_traceability", state, scenario, **args) == "pass"
    assert status("po_origin_traceability", replace(state, purchases=()), scenario, **args) == "na"
    drafts = tuple(replace(order, state="draft") for order in state.purchases)
    assert status("po_origin_traceability", replace(state, purchases=drafts), scenario, **args) == "fail"


# -- tolerances -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("change", "expected"), [(0.02, "pass"), (-0.02, "pass"), (0.03, "fail"), (-0.03, "fail")])
def test_purchase_prices_may_be_two_cents_off(change: float, expected: str) -> None:
    scenario, plan = buying()
    state = edit_purchase(perfect_state(scenario, plan), 0, price=50 + change)
    assert status("po_price_tier_compliance", state, scenario) == expected


def test_a_line_set_to_zero_buys_nothing_and_a_negative_one_is_no_credit() -> None:
    scenario, plan = buying()
    state = perfect_state(scenario, plan)
    order = state.purchases[0]
    for quantity, expected in ((0.0, "pass"), (-1.0, "fail")):
        edited = replace(order, lines=(*order.lines, PurchaseLine("F", quantity, 50.0, order.lines[0].planned)))
        assert status("purchases_licensed", replace(state, purchases=(edited, *state.purchases[1:])), scenario) == expected


def test_demand_must_be_met_exactly_on_screened_tasks_and_at_least_otherwise() -> None:
    for case, expected in ((buying(), "pass"), (screened(), "fail")):
        scenario, plan = case
        state = perfect_state(scenario, plan)
        order = scenario.problem.accepted[0]
        more = tuple(
            replace(
                s, lines=tuple(replace(line, quantity=line.quantity + 1) if line.product == "F" else line for line in s.lines)
            )
            if s.customer == order.customer
            else s
            for s in state.sales
        )
        assert (
            status("demand_coverage", replace(state, sales=more), scenario, customer=order.customer, quantity=order.quantity)
            == expected
        )


def test_the_margin_counts_each_unit_once_and_is_exact() -> None:
    """Eight new units at list price $100 bring $800: $600 leaves 25 %, a cent more does not."""
    scenario, plan = buying()
    state = perfect_state(scenario, plan)
    for price, expected in ((21_500, "pass"), (21_501, "fail")):
        stray = Purchase("P9", "anybody", "confirmed", (), (PurchaseLine("ANY", 1.0, price / 100, None),))
        assert (
            status("new_spend_margin_policy", replace(state, purchases=(*state.purchases, stray)), scenario, margin_bps=2500)
            == expected
        )


def test_capacity_is_exact() -> None:
    """135 minutes are planned on W1."""
    for capacity, expected in ((135_000, "pass"), (134_999, "fail")):
        scenario, plan = making()
        centers = tuple(c.model_copy(update={"capacity": capacity}) if c.code == "W1" else c for c in scenario.problem.centers)
        scenario = scenario.model_copy(update={"problem": scenario.problem.model_copy(update={"centers": centers})})
        assert status("assembly_capacity_compliance", perfect_state(scenario, plan), scenario) == expected


# -- traceability ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("style", "expected"), [("coverage", "pass"), ("release", "fail")])
def test_a_minimum_lot_excuses_a_finished_surplus_in_coverage_style_only(style: str, expected: str) -> None:
    """The quick vendor's least lot of five serves an order of four."""
    scenario, plan = buying(style=style)
    state = edit_purchase(perfect_state(scenario, plan), 0, origins=("S00002",))
    assert status("po_origin_traceability", state, scenario, product="F", role="finished") == expected


def test_a_component_surplus_is_excused_within_the_minimum_lot() -> None:
    """Seven bolts are wanted, the least lot is ten: ten is excused, seventeen is not below a lot over, eleven is."""
    scenario, plan = making()
    state = perfect_state(scenario, plan)
    bolts = next(n for n, order in enumerate(state.purchases) if order.vendor == "bolts")
    for quantity, expected in ((10.0, "pass"), (11.0, "fail"), (17.0, "fail")):
        edited = edit_purchase(state, bolts, quantity=quantity)
        assert status("po_origin_traceability", edited, scenario, product="BOLT", role="component") == expected
    steel = next(n for n, order in enumerate(state.purchases) if order.vendor == "steel")
    for quantity, expected in ((35.0, "pass"), (48.0, "pass"), (49.0, "fail")):
        edited = edit_purchase(state, steel, quantity=quantity)
        assert status("po_origin_traceability", edited, scenario, product="STEEL", role="component") == expected


def test_two_productions_cannot_count_on_the_same_units_of_an_order() -> None:
    scenario, plan = making()
    state = perfect_state(scenario, plan)
    assert status("mrp_origin_traceability", state, scenario) == "pass"
    shared = edit_production(state, "WH/MO/00001", origins=state.productions[1].origins)
    assert status("mrp_origin_traceability", shared, scenario) == "fail"


def test_a_purchase_order_for_two_products_names_the_demands_of_both() -> None:
    """Each line is traced to its own; a name that no line serves is an offence."""
    bolts, steel = offer("both", "BOLT", 50, 1, 10, 40), offer("both", "STEEL", 100, 2, 10, 100)
    scenario, plan = making(offers=(bolts, steel))
    plan = plan.model_copy(
        update={"purchases": tuple(p.model_copy(update={"offer": f"both/{p.offer.split('/')[1]}"}) for p in plan.purchases)}
    )
    state = perfect_state(scenario, plan)
    first, second = state.purchases
    merged = replace(first, lines=first.lines + second.lines, origins=tuple(dict.fromkeys(first.origins + second.origins)))
    state = replace(state, purchases=(merged,))
    for name, args in (
        ("po_delivery_schedule_compliance", {}),
        ("po_origin_traceability", {"product": "STEEL", "role": "component"}),
        ("po_origin_traceability", {"product": "BOLT", "role": "component"}),
    ):
        assert status(name, state, scenario, **args) == "pass"
        stray = replace(state, purchases=(replace(merged, origins=(*merged.origins, "S00001")),))
        assert status(name, stray, scenario, **args) == "fail"


# -- records --------------------------------------------------------------------------------------------------


def test_a_cancelled_document_may_name_another_partner_but_no_other_product() -> None:
    scenario, plan = buying()
    state = perfect_state(scenario, plan)
    own = PurchaseLine("F", 1.0, 1.0, None)
    for order, expected in (
        (Purchase("P9", "other_vendor", "cancelled", (), (own,)), "pass"),
        (Purchase("P9", "other_vendor", "draft", (), (own,)), "fail"),
        (Purchase("P9", "quick", "cancelled", (), (replace(own, product="OTHER"),)), "fail"),
    ):
        assert status("adjacent_data_untouched", replace(state, purchases=(*state.purchases, order)), scenario) == expected


def test_orders_of_others_must_stand_as_they_were() -> None:
    """Whoever cancels one fails a constraint, not only traceability."""
    scenario, plan = buying()
    state = perfect_state(scenario, plan)
    cancelled = tuple(replace(sale, state="cancelled") if sale.ref == "o_other" else sale for sale in state.sales)
    for sales in (cancelled, tuple(sale for sale in state.sales if sale.ref != "o_other")):
        for name in ("adjacent_data_untouched", "sales_licensed"):
            assert status(name, replace(state, sales=sales), scenario) == "fail"


def test_notes_and_down_payments_on_an_order_are_no_extra_sale() -> None:
    scenario, plan = buying()
    state = perfect_state(scenario, plan)
    noted = tuple(replace(s, lines=(*s.lines, SaleLine(None, 0.0, 0.0))) if s.customer == "c2" else s for s in state.sales)
    assert any(line.is_downpayment for sale in noted for line in sale.lines)
    assert status("sales_licensed", replace(state, sales=noted), scenario) == "pass"


def test_a_cancelled_invoice_does_not_count() -> None:
    scenario, plan = buying()
    state = perfect_state(scenario, plan)
    dead = Invoice("INV/0", "c1", "cancelled", None, 1.0, 1.0, ("S00002",), "regular")
    for invoice, expected in ((dead, "pass"), (replace(dead, state="draft"), "fail"), (replace(dead, state="posted"), "fail")):
        more = replace(state, invoices=(*state.invoices, invoice))
        assert status("retained_order_has_expected_invoice_flow", more, scenario, customer="c1", downpayment=False) == expected


# -- repair ---------------------------------------------------------------------------------------------------


def test_commitments_may_be_redated_and_relinked_but_not_rebooked() -> None:
    scenario, plan = repairing()
    state = perfect_state(scenario, plan)
    assert [order.state for order in state.productions] == ["confirmed", "cancelled", "confirmed", "confirmed", "confirmed"]
    assert status("commitments_kept", state, scenario) == "pass"
    kept = state.productions[0]
    copy = replace(kept, name="WH/MO/00009")
    rebooked = tuple(replace(item, state="cancelled") if item is kept else item for item in state.productions)
    assert status("commitments_kept", replace(state, productions=(*rebooked, copy)), scenario) == "fail"
    later = edit_purchase(state, 0, planned=state.purchases[0].lines[0].planned, origins=("WH/MO/00001",))
    assert status("commitments_kept", later, scenario) == "pass"


def test_repair_needs_the_broken_documents_cancelled_and_unused() -> None:
    scenario, plan = repairing()
    state = perfect_state(scenario, plan)
    assert status("repair_state_compliance", state, scenario) == "pass"
    broken = edit_production(state, "WH/MO/00002", state="confirmed")
    assert status("repair_state_compliance", broken, scenario) == "fail"
    moved = edit_production(state, "WH/MO/00005", work_orders=(WorkOrder("W2", "ready", None, None),))
    assert status("repair_state_compliance", moved, scenario) == "fail"


CASES: list[Callable[[], Case]] = [buying, screened, making, repairing]


@pytest.mark.parametrize("case", CASES)
def test_outcomes_are_plain_json(case: Callable[[], Case]) -> None:
    """What a verdict shows can be logged as it is."""
    import json

    from opsgym.envs.erp_bench.verifier import build_checks, run_check

    scenario, _ = case()
    context = Context(seeded_state(scenario), tables_of(scenario), ANY)
    results: list[CheckResult] = [run_check(context, check) for check in build_checks(scenario)]
    json.dumps([result.as_dict() for result in results], allow_nan=False)
    assert all(result.message for result in results if result.status == "fail")


def test_production_names_an_unfit_center() -> None:
    scenario, plan = making()
    state = perfect_state(scenario, plan)
    order: Production = state.productions[0]
    moved = edit_production(state, order.name, work_orders=(replace(order.work_orders[0], center="NOWHERE"),))
    assert "NOWHERE does not make F" in ask("mo_schedule_compliance", moved, scenario).message
