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
from opsgym.envs.erp_bench.params import PATTERNS, ERPParams
from opsgym.envs.erp_bench.sampler import sample
from opsgym.envs.erp_bench.spec import Offer, Problem, Scenario
from tests.envs.erp_bench.draws import drawn, scenario_of

SEEDS = range(20)
MAKING = ERPParams(topology="single_bom", customers=8, least_demand=10, first_deadline=8, center_capacity=1.0)


def net(problem: Problem) -> int:
    return sum(order.quantity for order in problem.orders) - problem.stock.get(problem.product, 0)


def finished(problem: Problem) -> list[Offer]:
    return [offer for offer in problem.offers if offer.product == problem.product]


def inputs(problem: Problem) -> list[Offer]:
    return [offer for offer in problem.offers if offer.product != problem.product]


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
    return problem.finished.list_price * (1 - problem.margin_bps / 10_000)


def center_units(problem: Problem) -> float:
    capacity = {center.code: center.capacity for center in problem.centers}
    return sum(capacity[row.center] / row.minutes for row in problem.operations) / net(problem)


Measure = Callable[[Scenario], float]


def of(measure: Callable[[Problem], float]) -> Measure:
    return lambda scenario: measure(scenario.problem)


EFFECTS: dict[str, tuple[Any, Any, Measure]] = {
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
    "margin_bps": (1000, 4000, of(lambda p: 1 - mean(o.price for o in finished(p)) / p.finished.list_price)),
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
}
"""By parameter: a lower value, a higher value, and what grows from the one to the other on average."""


def test_every_parameter_has_its_effect_tested() -> None:
    assert set(EFFECTS) == set(ERPParams.model_fields)


@pytest.mark.parametrize("name", sorted(EFFECTS))
def test_parameter_has_its_effect(name: str) -> None:
    low, high, measure = EFFECTS[name]
    below = [measure(scenario_of(MAKING.override({name: low}), seed)) for seed in SEEDS]
    above = [measure(scenario_of(MAKING.override({name: high}), seed)) for seed in SEEDS]
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
        assert set(problem.stock) <= codes == {offer.product for offer in problem.offers}
        for offer in problem.offers:
            assert offer.price > 0 and offer.lead >= 1 and 1 <= offer.min_qty <= (offer.max_qty or 0)
        assert all(order.budget and order.budget >= problem.finished.list_price * order.quantity for order in problem.orders)


def test_stock_never_covers_the_demand_nor_component_stock_the_production() -> None:
    for seed in SEEDS:
        problem = drawn(seed, "medium", stock_ratio=0.9, component_stock=0.8).problem
        assert net(problem) >= 1
        from_stock = min(problem.stock.get(line.component, 0) // line.quantity for line in problem.boms[0].lines)
        assert from_stock < net(problem)


def test_unit_costs_can_be_told_exactly_from_rates_and_minutes() -> None:
    for seed in SEEDS:
        problem = drawn(seed, "medium").problem
        rates = {center.code: center.stated_costs_hour for center in problem.centers}
        for row in problem.operations:
            assert rates[row.center] * row.minutes == row.unit_cost * 60_000


def test_component_leads_bind() -> None:
    """Some component offers come too late for the first start, and in time for the last."""
    late = []
    for seed in SEEDS:
        problem = drawn(seed, "medium").problem
        first, last = (order.due - problem.boms[0].lead for order in (problem.orders[0], problem.orders[-1]))
        late.append(mean(first < offer.lead <= last for offer in inputs(problem)))
    assert 0.2 < mean(late) < 0.8


def test_down_payment_thresholds_have_orders_on_both_sides() -> None:
    for seed in SEEDS:
        problem = drawn(seed, pattern="03_buy_only_fixed_downpayment", demand_span=10).problem
        policy = problem.invoicing
        assert policy is not None and policy.downpayment_threshold is not None and policy.downpayment_value is not None
        totals = [order.quantity * problem.finished.list_price for order in problem.orders]
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
