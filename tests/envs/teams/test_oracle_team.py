"""The reference solution, split over roles: enough for the full reward, and every part of it is needed."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

from opsgym.envs.erp_bench.params import PATTERNS
from opsgym.envs.teams import erp_bench_team_v0, planner_executor_v0
from opsgym.envs.teams.oracle_pair import PlanReader, planner_messages
from opsgym.envs.teams.oracle_team import oracle_team, play, project

FORMS: dict[str, Callable[..., Any]] = {"aec": erp_bench_team_v0.env, "parallel": erp_bench_team_v0.parallel_env}
SOME = ("02_buy_only_immediate_invoicing", "22_single_bom_split_by_capacity_invoicing", "repair_plan_easy", "repair_plan_hard")


def episode(form: str, pattern: str, seed: int, *, information: str = "shared", credit: str = "team", **script: Any) -> Any:
    env = FORMS[form](pattern=pattern, information=information, credit=credit)
    env.reset(seed=seed)
    return play(env, oracle_team(env.game.env.task, env.agents, **script))


def assert_solved(form: str, pattern: str, seed: int, **how: Any) -> None:
    earned, info = episode(form, pattern, seed, **how)
    assert info["is_success"], (form, pattern, seed, how)
    assert set(earned.values()) == {1.0}


@pytest.mark.parametrize("pattern", SOME)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("information", ["shared", "partial"])
def test_a_team_of_oracles_earns_everything(form: str, pattern: str, information: str) -> None:
    assert_solved(form, pattern, 5, information=information)


@pytest.mark.slow
@pytest.mark.parametrize("information", ["shared", "partial"])
@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_team_of_oracles_earns_everything_on_every_pattern(pattern: str, information: str) -> None:
    for seed in range(4):
        assert_solved("aec", pattern, seed, information=information)
        assert_solved("parallel", pattern, seed, information=information)


def assert_solved_in_any_order(pattern: str, information: str, orders: int) -> None:
    env: Any = erp_bench_team_v0.parallel_env(pattern=pattern, information=information)
    first = set()
    for number in range(orders):
        env.reset(seed=1)
        env.game.env.np_random.bit_generator.advance(number)  # the same task, other orders
        earned, _ = play(env, oracle_team(env.game.env.task, env.agents))
        assert set(earned.values()) == {1.0}, (pattern, information, number)
        first.add(tuple(env.game.state.actors[:20]))
    assert len(first) > 1


@pytest.mark.parametrize("pattern", SOME[1::2])
def test_the_order_of_simultaneous_calls_does_not_matter_to_oracles(pattern: str) -> None:
    assert_solved_in_any_order(pattern, "shared", 8)


@pytest.mark.slow
@pytest.mark.parametrize("information", ["shared", "partial"])
@pytest.mark.parametrize("pattern", PATTERNS)
def test_the_order_of_simultaneous_calls_does_not_matter_on_any_pattern(pattern: str, information: str) -> None:
    assert_solved_in_any_order(pattern, information, 4)


@pytest.mark.parametrize("pattern", SOME)
@pytest.mark.parametrize("form", FORMS)
def test_with_partial_information_silent_oracles_fail(form: str, pattern: str) -> None:
    _, info = episode(form, pattern, 5, information="partial", talks=False)
    assert not info["is_success"]


@pytest.mark.slow
@pytest.mark.parametrize("pattern", PATTERNS)
def test_with_partial_information_silent_oracles_fail_on_every_pattern(pattern: str) -> None:
    for seed in range(4):
        assert not episode("aec", pattern, seed, information="partial", talks=False)[1]["is_success"]
        assert not episode("parallel", pattern, seed, information="partial", talks=False)[1]["is_success"]


@pytest.mark.parametrize("pattern", SOME)
def test_with_shared_information_silent_oracles_succeed(pattern: str) -> None:
    assert_solved("aec", pattern, 5, talks=False)


@pytest.mark.parametrize("pattern", SOME)
def test_no_role_with_work_can_be_spared(pattern: str) -> None:
    env = erp_bench_team_v0.env(pattern=pattern)
    env.reset(seed=5)
    for role in project(env.game.env.task):
        _, info = episode("aec", pattern, 5, without=role)
        assert not info["is_success"], role


def test_credit_by_role_adds_up_to_the_team_reward() -> None:
    for script in ({}, {"without": "finance_0"}):
        team, info = episode("aec", SOME[1], 5, **script)
        parts, _ = episode("aec", SOME[1], 5, credit="role", **script)
        assert math.isclose(sum(parts.values()), info["verdict"]["reward"])
        assert set(team.values()) == {info["verdict"]["reward"]}
        assert all(part > 0 for role, part in parts.items() if role != "finance_0")
    assert parts["finance_0"] < min(part for role, part in parts.items() if role != "finance_0")


@pytest.mark.parametrize("checker", [False, True])
@pytest.mark.parametrize("family", planner_executor_v0.FAMILIES)
def test_a_planner_that_sends_the_solution_to_an_obedient_executor_earns_everything(family: str, checker: bool) -> None:
    env = planner_executor_v0.env(family=family, checker=checker)
    env.reset(seed=3)
    plan, executor = planner_messages(env.game.env.task), PlanReader()
    last: dict[str, Any] = {}
    for agent in env.agent_iter():
        observation, _, terminated, truncated, last = env.last()
        if terminated or truncated:
            env.step(None)
        elif agent == "executor_0":
            env.step(executor.act(observation["text"]))
        elif agent == "checker_0":
            env.step({"name": "approve", "arguments": {}})
        else:
            env.step({"name": "message", "arguments": {"text": plan.pop(0)}} if plan else {"name": "wait", "arguments": {}})
    assert last["is_success"]
