"""Quantities become documents whose dates and origins are true."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from opsgym.core.errors import TaskError
from opsgym.envs.erp_bench.network import build_network
from opsgym.envs.erp_bench.plan import least_linked, plan_flows
from opsgym.envs.erp_bench.schedule import Flows, Totals, schedule
from opsgym.envs.erp_bench.simulate import check_lineage, check_plan
from opsgym.envs.erp_bench.spec import Bom, BomLine, Offer, Operation, Order, Problem, Product, WorkCenter


def shop(
    orders: list[tuple[int, int]], offers: list[tuple[str, int, int, int]], *, stock: dict[str, int] | None = None
) -> Problem:
    """Orders (units, due); offers (product, lead, min, max).  F is made of one s and two c in 2 days, s of three c in 1."""
    products = tuple(Product(code=code, name=code, list_price=1000, standard_price=500) for code in ("F", "s", "c"))
    return Problem(
        product="F",
        products=products,
        customers=(),
        vendors=(),
        orders=tuple(Order(ref=f"o{n}", customer=f"c{n}", quantity=units, due=due) for n, (units, due) in enumerate(orders)),
        stock={code: (stock or {}).get(code, 0) for code in ("F", "s", "c")},
        offers=tuple(
            Offer(key=f"k{n}", vendor=f"v{n}", product=code, price=10, lead=lead, min_qty=low, max_qty=high)
            for n, (code, lead, low, high) in enumerate(offers)
        ),
        boms=(
            Bom(product="s", lead=1, lines=(BomLine(component="c", quantity=3),)),
            Bom(product="F", lead=2, lines=(BomLine(component="s", quantity=1), BomLine(component="c", quantity=2))),
        ),
        centers=(WorkCenter(code="A", name="A", capacity=10**6), WorkCenter(code="B", name="B", capacity=10**6)),
        operations=(
            Operation(product="F", center="A", unit_cost=5, minutes=1000, name="build"),
            Operation(product="F", center="B", unit_cost=6, minutes=1000, name="build"),
            Operation(product="s", center="A", unit_cost=7, minutes=1000, name="build"),
        ),
        margin_bps=0,
        objective="min_new_spend",
        making=True,
    )


def test_chain_of_documents_links_parts_to_parents_and_parents_to_orders() -> None:
    problem = shop([(4, 5), (3, 9)], [("c", 1, 1, 99), ("F", 6, 1, 9)], stock={"F": 1})
    totals = Totals(bought={"k0": 20, "k1": 2}, made={("F", "A", 0): 3, ("F", "B", 0): 1, ("s", "A", 0): 4})
    plan = plan_flows(problem, schedule(build_network(problem), totals))
    purchases = {row.ref: row for row in plan.purchases}
    productions = {row.ref: row for row in plan.productions}
    assert set(productions) == {"mo:F:A:5", "mo:F:B:9", "mo:s:A:3", "mo:s:A:7"}
    assert (productions["mo:F:A:5"].start, productions["mo:F:A:5"].origins, productions["mo:F:A:5"].level) == (3, ("o0",), 1)
    assert (productions["mo:s:A:3"].start, productions["mo:s:A:3"].origins, productions["mo:s:A:3"].level) == (
        2,
        ("mo:F:A:5",),
        0,
    )
    assert (purchases["po:k1"].arrival, purchases["po:k1"].origins) == (6, ("o1",))
    assert purchases["po:k0"].origins == ("mo:F:A:5", "mo:F:B:9", "mo:s:A:3", "mo:s:A:7")
    assert [row.ref for row in plan.purchases] == ["po:k0", "po:k1"], "components come first"
    check_plan(problem, plan)
    check_lineage(problem, plan)


def test_production_waits_for_the_latest_day_that_serves() -> None:
    problem = shop([(4, 5), (3, 9)], [("c", 1, 1, 99)], stock={"F": 5})
    flows = schedule(build_network(problem), Totals(made={("F", "A", 0): 2, ("s", "A", 0): 2}))
    assert dict(flows.productions) == {("F", "A", 9): 2, ("s", "A", 7): 2}


def test_release_style_dates_a_finished_purchase_on_the_first_due_day_that_it_serves() -> None:
    problem = shop([(4, 5), (3, 9)], [("F", 2, 1, 9)], stock={"F": 4})
    flows = Flows(purchases={"k0": 3}, productions={})
    assert plan_flows(problem, flows, style="coverage").purchases[0].arrival == 2
    dated = plan_flows(problem, flows, style="release").purchases[0]
    assert dated.arrival == min(order.due for order in problem.orders if order.ref in dated.origins)


def test_a_minimum_lot_may_exceed_what_it_serves() -> None:
    problem = shop([(4, 5)], [("F", 2, 6, 9)], stock={"F": 3})
    plan = plan_flows(problem, Flows(purchases={"k0": 6}, productions={}))
    check_lineage(problem, plan)
    assert plan.purchases[0].origins == ("o0",)


@pytest.mark.parametrize(("units", "least"), [(6, 1), (7, 6), (11, 6), (12, 7), (20, 15)])
def test_a_purchase_is_excused_for_less_than_a_minimum_lot(units: int, least: int) -> None:
    assert least_linked(shop([(1, 1)], [("F", 1, 6, 99)]).offers[0], units) == least


@pytest.mark.parametrize(
    ("flows", "name"),
    [
        (Flows(purchases={"k0": 3}, productions={}), "po:k0"),
        (Flows(purchases={"k1": 12}, productions={}), "po:k1"),
        (Flows(purchases={}, productions={("F", "A", 5): 5}), "mo:F:A:5"),
        (Flows(purchases={}, productions={("s", "A", 5): 1}), "mo:s:A:5"),
    ],
    ids=["arrives after the last due day", "more than a lot over", "made without demand", "part without parent"],
)
def test_supply_that_serves_nothing_is_refused_by_name(flows: Flows, name: str) -> None:
    problem = shop([(4, 5)], [("F", 6, 1, 9), ("F", 1, 4, 99)])
    with pytest.raises(TaskError, match=f"{name} brings .* serve no open need"):
        plan_flows(problem, flows)


LOT = st.tuples(st.integers(0, 9), st.integers(1, 6), st.integers(0, 8))


@settings(deadline=None, derandomize=True, max_examples=300)
@given(orders=st.lists(st.tuples(st.integers(1, 6), st.integers(1, 9)), min_size=1, max_size=5), lots=st.lists(LOT, max_size=5))
def test_origins_are_found_exactly_when_they_exist(orders: list[tuple[int, int]], lots: list[tuple[int, int, int]]) -> None:
    """By Hall's theorem for nested needs: what comes on or after any day must fit what is due on or after it."""
    problem = shop(orders, [("F", lead, low, None) for lead, low, _ in lots])  # type: ignore[misc]  # no maximum
    units = {f"k{n}": low + extra for n, (_, low, extra) in enumerate(lots)}
    floors = [(lead, least_linked(offer, units[offer.key])) for offer, (lead, _, _) in zip(problem.offers, lots, strict=True)]
    exists = all(
        sum(least for lead, least in floors if lead >= day) <= sum(quantity for quantity, due in orders if due >= day)
        for day in range(11)
    )
    flows = Flows(purchases=units, productions={})
    if not exists:
        with pytest.raises(TaskError, match="serve no open need"):
            plan_flows(problem, flows)
        return
    check_lineage(problem, plan_flows(problem, flows))
