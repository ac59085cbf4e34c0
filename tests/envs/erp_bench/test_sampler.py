"""The sampler: every parameter has an effect, and what it draws is consistent, needs supply and repeats."""

from __future__ import annotations

import random
from collections.abc import Callable
from statistics import mean
from typing import Any

import numpy as np
import pytest

from opsgym.core.errors import TaskError
from opsgym.envs.erp_bench.domains import DOMAIN_KEYS
from opsgym.envs.erp_bench.params import ERPParams
from opsgym.envs.erp_bench.regions import PATTERNS
from opsgym.envs.erp_bench.sampler import sample
from opsgym.envs.erp_bench.sampler_orders import REASONS
from opsgym.envs.erp_bench.spec import Offer, Problem, Scenario
from tests.envs.erp_bench.draws import drawn, scenario_of

SEEDS = range(20)
MAKING = ERPParams(topology="single_bom", customers=8, least_demand=10, first_deadline=8, center_capacity=1.0)


def net(problem: Problem) -> int:
    return sum(order.quantity for order in problem.orders) - sum(problem.stock.get(code, 0) for code in problem.finished_codes)


def finished(problem: Problem) -> list[Offer]:
    return [offer for offer in problem.offers if offer.product in problem.finished_codes]


def inputs(problem: Problem) -> list[Offer]:
    return [offer for offer in problem.offers if offer.product not in problem.finished_codes]


def rate(problem: Problem, code: str) -> int:
    return next(line.quantity for line in problem.boms[0].lines if line.component == code)


def making_gap(problem: Problem) -> float:
    """How far the usual cost of making is from the usual cost of buying."""
    labour = mean(operation.unit_cost for operation in problem.operations)
    parts = sum(
        rate(problem, p.code) * mean(o.price for o in inputs(problem) if o.product == p.code) for p in problem.products[1:]
    )
    return abs((labour + parts) / mean(offer.price for offer in finished(problem)) - 1)


def allowed(problem: Problem) -> float:
    return problem.finished[0].list_price * (1 - problem.margin_bps / 10_000)


def center_units(problem: Problem) -> float:
    capacity = {center.code: center.capacity for center in problem.centers}
    return sum(capacity[row.center] / row.minutes for row in problem.operations) / net(problem)


Measure = Callable[[Scenario], float]


def of(measure: Callable[[Problem], float]) -> Measure:
    return lambda scenario: measure(scenario.problem)


def seeded(problem: Problem) -> int:
    return sum(order.seeded is not None for order in problem.orders)


EFFECTS: dict[str, tuple[Any, Any, Measure]] = {
    "style": ("coverage", "release", lambda scenario: scenario.style == "release"),
    "capacity_path": ("split_by_capacity", "lowest_cost", of(center_units)),
    "make_only": ("none", "policy_forbidden", of(lambda p: not p.buying)),
    "screening": ("none", "quantity", of(lambda p: len(p.rejections))),
    "rejected_share": (0.2, 0.6, of(lambda p: len(p.rejections))),
    "seeded_share": (0.2, 0.8, of(seeded)),
    "disruption": ("none", "workcenter_outage", of(lambda p: p.repair is not None)),
    "topology": ("none", "single_bom", of(lambda p: len(p.boms))),
    "objective": ("constraint_only", "min_new_spend", of(lambda p: p.objective == "min_new_spend")),
    "invoicing": ("none", "net_30_percentage_downpayment", of(lambda p: p.invoicing is not None)),
    "domain": ("any", "hvac_units", lambda scenario: scenario.domain == "hvac_units"),
    "customers": (4, 10, of(lambda p: len(p.orders))),
    "first_deadline": (6, 12, of(lambda p: p.orders[0].due)),
    "deadline_span": (2, 8, of(lambda p: p.orders[-1].due - p.orders[0].due)),
    "least_demand": (4, 12, of(lambda p: min(order.quantity for order in p.orders))),
    "demand_span": (2, 20, of(lambda p: max(o.quantity for o in p.orders) - min(o.quantity for o in p.orders))),
    "stock_ratio": (0.2, 0.6, of(lambda p: p.stock.get(p.product, 0) / sum(order.quantity for order in p.orders))),
    "margin_bps": (1000, 4000, of(lambda p: 1 - mean(o.price for o in finished(p)) / p.finished[0].list_price)),
    "price_pressure": (0.1, 0.9, of(lambda p: mean(o.price for o in finished(p)) / allowed(p))),
    "finished_vendors": (3, 8, of(lambda p: len(finished(p)))),
    "vendor_capacity": (0.4, 1.0, of(lambda p: mean(o.max_qty or 0 for o in finished(p)) / net(p))),
    "lead_pressure": (0.1, 0.9, of(lambda p: mean(o.lead for o in p.offers))),
    "moq_pressure": (0.1, 0.9, of(lambda p: mean(o.min_qty / (o.max_qty or 1) for o in p.offers))),
    "decoys": (4, 20, lambda scenario: len(scenario.decoys.products) + len(scenario.decoys.customers)),
    "components": (3, 7, of(lambda p: len(p.boms[0].lines))),
    "component_offers": (2, 4, of(lambda p: len(inputs(p)) / len(p.boms[0].lines))),
    "component_stock": (0.05, 0.4, of(lambda p: mean(p.stock.get(c.code, 0) / rate(p, c.code) for c in p.products[1:]) / net(p))),
    "component_capacity": (0.4, 1.0, of(lambda p: mean((o.max_qty or 0) / rate(p, o.product) for o in inputs(p)) / net(p))),
    "work_centers": (1, 3, of(lambda p: len(p.centers))),
    "center_capacity": (0.6, 1.5, of(center_units)),
    "production_lead": (2, 4, of(lambda p: p.boms[0].lead)),
    "closeness": (0.01, 0.5, of(making_gap)),
    "finished_products": (1, 3, of(lambda p: len({p.ordered(order).code for order in p.orders}))),
    "capacity_buckets": (1, 3, of(lambda p: mean(len(center.budgets) for center in p.centers))),
}
"""By parameter: a lower value, a higher value, and what grows from the one to the other on average."""

WITH: dict[str, dict[str, Any]] = {
    "capacity_path": {"work_centers": 3},
    "rejected_share": {"screening": "quantity_lead", "customers": 12},
}
"""Values of other parameters without which one has no effect."""


def test_every_parameter_has_its_effect_tested() -> None:
    """The effect of ``greedy_redraws`` is on compilation and is tested there."""
    assert set(EFFECTS) | {"greedy_redraws"} == set(ERPParams.model_fields)


@pytest.mark.parametrize("name", sorted(EFFECTS))
def test_parameter_has_its_effect(name: str) -> None:
    low, high, measure = EFFECTS[name]
    base = MAKING.override(WITH.get(name, {}))
    below = [measure(scenario_of(base.override({name: low}), seed)) for seed in SEEDS]
    above = [measure(scenario_of(base.override({name: high}), seed)) for seed in SEEDS]
    assert mean(above) > mean(below) * 1.05


@pytest.mark.parametrize("pattern", sorted(PATTERNS))
def test_a_draw_is_consistent(pattern: str) -> None:
    for seed in SEEDS:
        scenario = drawn(seed, pattern=pattern)
        problem = scenario.problem
        codes = {product.code for product in problem.products}
        assert scenario.today.year == 2026 and scenario.today.weekday() < 5
        assert [order.due for order in problem.orders] == sorted(order.due for order in problem.orders)
        assert {order.customer for order in problem.orders} == {partner.ref for partner in problem.customers}
        assert len({offer.vendor for offer in problem.offers}) == len(problem.offers) == len(problem.vendors)
        assert len({offer.key for offer in problem.offers}) == len(problem.offers)
        offered, made = {offer.product for offer in problem.offers}, {bom.product for bom in problem.boms}
        assert set(problem.stock) <= codes == offered | made and offered & made <= set(problem.finished_codes)
        assert {line.component for bom in problem.boms for line in bom.lines} == codes - set(problem.finished_codes)
        assert {row.product for row in problem.operations} == made
        for offer in problem.offers:
            assert offer.price > 0 and offer.lead >= 1 and 1 <= offer.min_qty <= (offer.max_qty or 0)
        assert all(order.budget and order.budget >= problem.worth(order) for order in problem.accepted)


@pytest.mark.parametrize("pattern", sorted(name for name, item in PATTERNS.items() if "screening" in item.structure))
def test_each_screening_rule_alone_rejects_someone_and_both_kinds_are_in_the_erp(pattern: str) -> None:
    for seed in SEEDS:
        problem = drawn(seed, pattern=pattern).problem
        alone = {reasons[0] for reasons in problem.rejections.values() if len(reasons) == 1}
        wanted = {
            "min_lead_time" if name == "min_lead" else name for name in REASONS[str(PATTERNS[pattern].structure["screening"])]
        }
        assert alone == wanted and len(problem.accepted) >= 2
        in_erp = {(order.ref in problem.rejections, order.seeded is not None) for order in problem.orders}
        assert in_erp == ({(True, True), (False, True)} if PATTERNS[pattern].structure["seeded_share"] == 1 else _BOTH)


_BOTH = {(True, True), (True, False), (False, True), (False, False)}


@pytest.mark.parametrize("pattern", sorted(name for name, item in PATTERNS.items() if "screening" in item.structure))
def test_stock_is_scaled_to_what_survives_screening(pattern: str) -> None:
    for seed in SEEDS:
        problem = drawn(seed, pattern=pattern).problem
        kept = sum(order.quantity for order in problem.accepted)
        assert problem.stock.get(problem.product, 0) <= 0.4 * kept


@pytest.mark.parametrize("pattern", sorted(name for name in PATTERNS if name.startswith("repair_plan")))
def test_a_repair_task_books_a_whole_plan_and_breaks_its_largest_part(pattern: str) -> None:
    for seed in range(4):
        problem = drawn(seed, pattern=pattern).problem
        repair = problem.repair
        assert repair is not None and repair.impacted and all(order.seeded == "sale" for order in problem.orders)
        if repair.kind == "supplier_cancellation":
            finished = [row for row in repair.purchases if problem.offer_by_key[row.offer].product in problem.finished_codes]
            broken = next(row for row in finished if row.ref in repair.broken_purchases)
            assert broken.quantity == max(row.quantity for row in finished) and broken.offer == repair.broken_offer
            vendor = next(row for row in problem.vendors if row.ref == problem.offer_by_key[broken.offer].vendor)
            assert "cancelled" in vendor.note
        else:
            made = {row.code: 0 for row in problem.centers}
            for row in repair.productions:
                made[row.center] += row.quantity
            assert repair.broken_center == max(made, key=lambda code: made[code])
            shut = next(row for row in problem.centers if row.code == repair.broken_center)
            assert shut.capacity == 0 and shut.note
            assert {row.center for row in repair.productions if row.ref in repair.broken_productions} == {shut.code}


def test_sub_assemblies_are_made_of_what_the_topology_says() -> None:
    shapes = {
        "11_restricted_subassembly_qualified_workcenters": [1],
        "15_parallel_subassemblies_branch_assigned": [1, 1],
        "16_serial_subassemblies_branch_assigned": [1, 2],
        "17_shared_component_subassemblies_branch_assigned": [1, 1],
    }
    for pattern, depths in shapes.items():
        for seed in SEEDS:
            problem = drawn(seed, pattern=pattern).problem
            parents = {line.component: bom.product for bom in problem.boms for line in bom.lines}

            def depth(code: str, parents: dict[str, str] = parents, top: str = problem.product) -> int:
                return 0 if code == top else 1 + depth(parents[code])

            assert sorted(depth(bom.product) for bom in problem.boms if bom.product != problem.product) == depths
            uses = [line.component for bom in problem.boms for line in bom.lines]
            shared = [code for code in uses if uses.count(code) == 2]
            assert len(set(shared)) == (1 if "shared_component" in pattern else 0)


def test_work_center_paths_are_what_their_names_say() -> None:
    for seed in SEEDS:
        split = drawn(seed, pattern="22_single_bom_split_by_capacity_invoicing").problem
        capacity = {center.code: center.capacity for center in split.centers}
        assert max(capacity[row.center] // row.minutes for row in split.operations) < net(split)
        restricted = drawn(seed, pattern="11_restricted_subassembly_qualified_workcenters").problem
        ways = [[row.center for row in restricted.operations if row.product == bom.product] for bom in restricted.boms]
        assert [len(centers) for centers in ways] == [2, 1] and ways[1][0] in ways[0]
        overflow = drawn(seed, pattern="14_single_subassembly_shared_overflow_capacity").problem
        ways = [[row.center for row in overflow.operations if row.product == bom.product] for bom in overflow.boms]
        assert len(set(ways[0]) & set(ways[1])) == 1
        branch = drawn(seed, pattern="15_parallel_subassemblies_branch_assigned").problem
        assert len({row.center for row in branch.operations}) == len(branch.operations) == 3


@pytest.mark.parametrize("reason", ["policy_forbidden", "no_buy_route", "no_available_vendors"])
def test_a_product_that_must_be_made_says_why(reason: str) -> None:
    pattern = next(name for name in PATTERNS if name.endswith(reason))
    problem = drawn(3, pattern=pattern).problem
    assert not problem.buying and problem.making and problem.make_only == reason
    assert ("buy" in problem.finished[0].routes) == (reason != "no_buy_route")
    assert bool(finished(problem)) == (reason != "no_available_vendors")


def test_stock_never_covers_the_demand_nor_component_stock_the_production() -> None:
    for seed in SEEDS:
        problem = drawn(seed, pattern="09_single_bom_lowest_cost", stock_ratio=0.9, component_stock=0.8).problem
        assert net(problem) >= 1
        from_stock = min(problem.stock.get(line.component, 0) // line.quantity for line in problem.boms[0].lines)
        assert from_stock < net(problem)


def test_unit_costs_can_be_told_exactly_from_rates_and_minutes() -> None:
    for seed in range(60):
        problem = drawn(seed).problem
        rates = {center.code: center.stated_costs_hour for center in problem.centers}
        for row in problem.operations:
            assert rates[row.center] * row.minutes == row.unit_cost * 60_000


def test_component_leads_bind() -> None:
    """Some component offers come too late for the first start, and in time for the last."""
    late = []
    for seed in SEEDS:
        problem = drawn(seed, pattern="09_single_bom_lowest_cost").problem
        first, last = (order.due - problem.boms[0].lead for order in (problem.orders[0], problem.orders[-1]))
        late.append(mean(first < offer.lead <= last for offer in inputs(problem)))
    assert 0.2 < mean(late) < 0.8


def test_down_payment_thresholds_have_orders_on_both_sides() -> None:
    for seed in SEEDS:
        problem = drawn(seed, pattern="03_buy_only_fixed_downpayment", demand_span=10).problem
        policy = problem.invoicing
        assert policy is not None and policy.downpayment_threshold is not None and policy.downpayment_value is not None
        totals = [problem.worth(order) for order in problem.orders]
        above = [total for total in totals if total >= policy.downpayment_threshold]
        assert above and min(above) > policy.downpayment_value
        assert len(above) < len(totals) or len(set(totals)) == 1


def test_any_domain_goes_with_any_pattern() -> None:
    for domain in DOMAIN_KEYS:
        for pattern in PATTERNS:
            assert drawn(1, pattern=pattern, domain=domain).domain == domain


def test_wording_domain_and_day_vary_with_the_seed() -> None:
    scenarios = [drawn(seed, "easy") for seed in range(60)]
    assert len({scenario.domain for scenario in scenarios}) > 12
    assert len({scenario.phrasing for scenario in scenarios}) == 60
    assert len({scenario.today for scenario in scenarios}) > 40


def test_the_same_stream_draws_the_same_scenario_and_leaves_global_streams_alone() -> None:
    before = repr(np.random.get_state()), random.getstate()
    first = drawn(7, "medium").model_dump_json()
    assert first == drawn(7, "medium").model_dump_json()
    assert (repr(np.random.get_state()), random.getstate()) == before


def test_parameters_that_sums_refuse_name_the_constraint() -> None:
    scarce = ERPParams(customers=20, stock_ratio=0.0, finished_vendors=2, vendor_capacity=0.2)
    with pytest.raises(TaskError, match=r"deadline coverage|total supply"):
        sample(scarce, np.random.default_rng(0))
