"""The mutation audit: no promise of the verifier goes unguarded."""

from __future__ import annotations

from pathlib import Path

import pytest

from opsgym.core.task import Certificate
from opsgym.data.erp_bench_release import find_releases, read_release
from opsgym.envs.erp_bench.mutants import MUTATIONS, audit, mutants
from opsgym.envs.erp_bench.rules import RULES
from opsgym.envs.erp_bench.simulate import check_plan
from opsgym.envs.erp_bench.spec import Plan, Scenario
from opsgym.envs.erp_bench.verifier import build_checks, judge
from tests.envs.erp_bench.scenarios import ALL, buying
from tests.envs.erp_bench.states import certificate_of, perfect_state


@pytest.fixture(params=ALL)
def case(request: pytest.FixtureRequest) -> tuple[Scenario, Plan]:
    """Each of the hand-made tasks."""
    return ALL[request.param]()


def test_every_rule_has_a_mutation_and_every_mutation_a_rule() -> None:
    assert set(MUTATIONS) == set(RULES)


def test_no_mutant_of_a_hand_made_task_survives(case: tuple[Scenario, Plan]) -> None:
    scenario, plan = case
    certificate = certificate_of(scenario, check_plan(scenario.problem, plan))
    outcomes = audit(perfect_state(scenario, plan), scenario, build_checks(scenario), certificate)
    assert [rule for rule, killed in outcomes if not killed] == []


def test_no_mutant_of_a_released_task_survives_and_all_rules_are_met(released_erpbench: Path) -> None:
    met: set[str] = set()
    for directory in find_releases(released_erpbench):
        task = read_release(directory)
        value = task.objective_value
        certificate = Certificate(
            status="optimal", objective=task.scenario.problem.objective, value=value, bound=value, secondary=task.secondary
        )
        outcomes = audit(perfect_state(task.scenario, task.plan), task.scenario, build_checks(task.scenario), certificate)
        assert [rule for rule, killed in outcomes if not killed] == [], directory.name
        met |= {rule for rule, _ in outcomes}
    assert met == set(RULES)


def test_a_broken_constraint_keeps_the_reward_at_a_quarter(case: tuple[Scenario, Plan]) -> None:
    """Whatever else a mutant breaks, one constraint is enough."""
    scenario, plan = case
    certificate = certificate_of(scenario, check_plan(scenario.problem, plan))
    checks = build_checks(scenario)
    constraints = {check.rule for check in checks if check.dimension == "constraint"}
    for rule, states in mutants(perfect_state(scenario, plan), scenario).items():
        for state in states:
            found = judge(state, scenario, checks, certificate)
            assert 0.0 <= found.reward <= (0.25 if rule in constraints else 0.9999), rule
            assert not found.canary


def test_mutants_leave_the_right_state_as_it_was() -> None:
    scenario, plan = buying()
    state = perfect_state(scenario, plan)
    first = mutants(state, scenario)
    assert state == perfect_state(scenario, plan)
    assert first == mutants(state, scenario)
    assert state not in [broken for states in first.values() for broken in states]


def test_a_rule_without_mutants_counts_as_unguarded(monkeypatch: pytest.MonkeyPatch) -> None:
    scenario, plan = buying()
    certificate = certificate_of(scenario, check_plan(scenario.problem, plan))
    monkeypatch.delitem(MUTATIONS, "list_price")
    outcomes = audit(perfect_state(scenario, plan), scenario, build_checks(scenario), certificate)
    assert [rule for rule, killed in outcomes if not killed] == ["list_price"]
