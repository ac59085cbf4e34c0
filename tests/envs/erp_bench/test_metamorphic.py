"""Metamorphic tests: what a change of names, of order or of units must not do to verdicts and plans."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from typing import Any

import pytest

from opsgym.core.errors import TaskError
from opsgym.core.task import Certificate
from opsgym.core.verify import Verdict
from opsgym.envs.erp_bench.mutants import mutants
from opsgym.envs.erp_bench.params import PATTERNS, draw_params
from opsgym.envs.erp_bench.plan import build_plan
from opsgym.envs.erp_bench.simulate import check_plan
from opsgym.envs.erp_bench.solver import solve
from opsgym.envs.erp_bench.spec import Plan, Problem, Scenario
from opsgym.envs.erp_bench.state import ErpState, Invoice, Production, Purchase, Sale
from opsgym.envs.erp_bench.verifier import build_checks, judge
from tests.envs.erp_bench.draws import scenario_of
from tests.envs.erp_bench.scenarios import ALL
from tests.envs.erp_bench.states import certificate_of, perfect_state

CASES = [*ALL, *PATTERNS]
MUTANTS = 2
"""Mutants of each rule that are judged before and after a change, beside the right state."""


def essence(verdict: Verdict) -> Any:
    """All of a verdict but its wording and its names."""
    statuses = [(check.spec.rule, check.status) for check in verdict.checks]
    return verdict.reward, verdict.is_success, verdict.scores, statuses, verdict.gates, verdict.metrics, verdict.canary


class Case:
    """A solved task with its right end state and some broken ones, a few for each rule, all of them judged."""

    def __init__(self, scenario: Scenario, plan: Plan, certificate: Certificate) -> None:
        self.scenario = scenario
        self.certificate = certificate
        self.right = perfect_state(scenario, plan)
        broken = mutants(self.right, scenario).values()
        states = [self.right, *(state for some in broken for state in some[:MUTANTS])]
        self.verdicts = [(state, self.judge(state)) for state in states]

    def judge(self, state: ErpState, scenario: Scenario | None = None) -> Any:
        judged_by = scenario or self.scenario
        return essence(judge(state, judged_by, build_checks(judged_by), self.certificate))


@pytest.fixture(scope="module", params=CASES)
def case(request: pytest.FixtureRequest) -> Case:
    """The hand-made tasks, and a drawn one of each pattern."""
    if request.param in ALL:
        scenario, plan = ALL[request.param]()
        return Case(scenario, plan, certificate_of(scenario, check_plan(scenario.problem, plan)))
    for seed in range(20):
        scenario = scenario_of(draw_params(seed, None, request.param), seed)
        try:
            solution = solve(scenario.problem, style=scenario.style)
        except TaskError:
            continue
        return Case(scenario, build_plan(scenario.problem, solution), solution.certificate())
    raise AssertionError(f"no draw of {request.param} can be solved")


# -- order ------------------------------------------------------------------------------------------------------


def shuffled(state: ErpState, rng: random.Random) -> ErpState:
    """Every collection of the state in another order."""

    def mixed(items: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(rng.sample(items, len(items)))

    return replace(
        state,
        sales=mixed(tuple(replace(sale, lines=mixed(sale.lines)) for sale in state.sales)),
        purchases=mixed(tuple(replace(p, lines=mixed(p.lines), origins=mixed(p.origins)) for p in state.purchases)),
        productions=mixed(tuple(replace(p, raw=mixed(p.raw), origins=mixed(p.origins)) for p in state.productions)),
        invoices=mixed(tuple(replace(invoice, sales=mixed(invoice.sales)) for invoice in state.invoices)),
        master_changes=mixed(state.master_changes),
    )


def test_the_order_of_documents_and_lines_does_not_matter(case: Case) -> None:
    rng = random.Random(1)
    for state, verdict in case.verdicts:
        assert case.judge(shuffled(state, rng)) == verdict


# -- splitting --------------------------------------------------------------------------------------------------


def split_sales(state: ErpState) -> ErpState:
    """Every line of two or more whole units on a sales order as two lines."""

    def halves(sale: Sale) -> Sale:
        lines = []
        for line in sale.lines:
            if line.quantity >= 2 and not line.is_downpayment:
                lines += [replace(line, quantity=1.0), replace(line, quantity=line.quantity - 1)]
            else:
                lines.append(line)
        return replace(sale, lines=tuple(lines))

    return replace(state, sales=tuple(map(halves, state.sales)))


def test_splitting_the_lines_of_the_tasks_sales_orders_changes_no_verdict(case: Case) -> None:
    others = {order.ref for order in case.scenario.decoys.orders}
    for state, verdict in case.verdicts:
        mine = split_sales(replace(state, sales=tuple(sale for sale in state.sales if sale.ref not in others)))
        kept = tuple(sale for sale in state.sales if sale.ref in others)
        assert case.judge(replace(mine, sales=(*mine.sales, *kept))) == verdict


# -- names ------------------------------------------------------------------------------------------------------

SUBSTITUTE = str.maketrans(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", "zyxwvutsrqponmlkjihgfedcbaZYXWVUTSRQPONMLKJIHGFEDCBA"
)


def keys_of(scenario: Scenario) -> set[str]:
    """References and codes of all records, and the keys of the offers and plan steps."""
    problem, decoys = scenario.problem, scenario.decoys
    keys = {p.ref for p in (*problem.customers, *problem.vendors, *decoys.customers, *decoys.vendors)}
    keys |= {product.code for product in (*problem.products, *decoys.products)}
    keys |= {center.code for center in (*problem.centers, *decoys.centers)}
    keys |= {offer.key for offer in (*problem.offers, *decoys.offers)}
    return keys | {order.ref for order in (*problem.orders, *decoys.orders)}


def renamed(value: Any, names: dict[str, str]) -> Any:
    """A copy of nested data in which whole strings, also as keys, are replaced."""
    if isinstance(value, str):
        return names.get(value, value)
    if isinstance(value, dict):
        return {renamed(key, names): renamed(item, names) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(renamed(item, names) for item in value)
    return value


def renamed_state(state: ErpState, names: dict[str, str]) -> ErpState:
    """The documents of a state with other names in them."""

    def again(record: Any) -> Any:
        values = {field: getattr(record, field) for field in record.__slots__}
        return replace(record, **{field: deep(item) for field, item in values.items() if field not in ("state", "kind", "model")})

    def deep(item: Any) -> Any:
        if isinstance(item, tuple):
            return tuple(deep(part) for part in item)
        return again(item) if type(item).__module__ == Sale.__module__ else renamed(item, names)

    return replace(
        state,
        sales=tuple(map(again, state.sales)),
        purchases=tuple(map(again, state.purchases)),
        productions=tuple(map(again, state.productions)),
        invoices=tuple(map(again, state.invoices)),
    )


def test_names_of_partners_products_and_work_centers_do_not_matter(case: Case) -> None:
    """The letters of every key are turned around, which turns the order of the keys around too."""
    names = {key: key.translate(SUBSTITUTE) for key in keys_of(case.scenario)}
    assert len(set(names.values())) == len(names)
    other = Scenario.model_validate_json(json.dumps(renamed(case.scenario.model_dump(mode="json"), names)))
    for state, verdict in case.verdicts:
        assert case.judge(renamed_state(state, names), other) == verdict


def test_numbers_of_new_documents_do_not_matter(case: Case) -> None:
    """Other numbers in the same sequence, as if other documents had been made and deleted in between."""
    problem = case.scenario.problem
    seeded = {order.ref for order in problem.orders if order.seeded}
    known = {f"P{n:05d}" for n, _ in enumerate(problem.repair.purchases if problem.repair else (), 1)}
    known |= {f"WH/MO/{n:05d}" for n, _ in enumerate(problem.repair.productions if problem.repair else (), 1)}
    for state, verdict in case.verdicts:
        kept = known | {sale.name for sale in state.sales if sale.ref in seeded}
        documents: list[Sale | Purchase | Production | Invoice] = []
        documents += [*state.sales, *state.purchases, *state.productions, *state.invoices]
        names = {item.name: _later(item.name) for item in documents if item.name not in kept}
        assert case.judge(renamed_state(state, names)) == verdict


def _later(name: str) -> str:
    """The name a few hundred numbers later."""
    head, number = name[:-5], name[-5:]
    return f"{head}{int(number) * 3 + 300:05d}"


# -- money ------------------------------------------------------------------------------------------------------

MONEY = {"list_price", "standard_price", "price", "unit_cost", "stated_costs_hour", "budget", "downpayment_threshold"}


def dearer(value: Any, mode: str | None) -> Any:
    """Nested data in which every amount of money is ten times as large."""
    if isinstance(value, dict):
        money = MONEY | ({"downpayment_value"} if mode == "fixed" else set())
        is_amount = {key: key in money and type(item) is int for key, item in value.items()}  # a screening rule has no amount
        return {key: item * 10 if is_amount[key] else dearer(item, mode) for key, item in value.items()}
    if isinstance(value, list):
        return [dearer(item, mode) for item in value]
    return value


def test_ten_times_the_money_gives_the_same_plan(case: Case) -> None:
    problem, style = case.scenario.problem, case.scenario.style
    mode = problem.invoicing.downpayment_mode if problem.invoicing else None
    other = Problem.model_validate_json(json.dumps(dearer(problem.model_dump(mode="json"), mode)))
    first, second = solve(problem, style=style), solve(other, style=style)
    assert build_plan(other, second) == build_plan(problem, first)
    assert second.values == first.values.model_copy(update={"spend": 10 * first.values.spend})


def test_the_changes_are_changes(case: Case) -> None:
    """A test that changes nothing would show nothing."""
    names = {key: key.translate(SUBSTITUTE) for key in keys_of(case.scenario)}
    changed = [shuffled(case.right, random.Random(2)), split_sales(case.right), renamed_state(case.right, names)]
    assert case.right not in changed
