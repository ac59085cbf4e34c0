"""Wrappers of single agents on teams: faults and budgets reach every role's calls, and nobody's rights change."""

from __future__ import annotations

import json
import pickle
from functools import partial
from typing import Any

import pytest
from gymnasium.wrappers import TransformObservation

from opsgym.core.errors import TaskError
from opsgym.core.spaces import UnicodeText
from opsgym.envs.teams import erp_bench_team_v0, planner_executor_v0
from opsgym.envs.teams.oracle_team import oracle_team, play
from opsgym.envs.teams.wrappers import SurroundTeam, SurroundTeamParallel
from opsgym.wrappers import ToolBudget, ToolFailureInjection

PATTERN = "22_single_bom_split_by_capacity_invoicing"
FAULTS = partial(ToolFailureInjection, rate=0.3, allowance=None)
WAIT = '{"name": "wait"}'


def team(wrap: Any, **arguments: Any) -> Any:
    env = SurroundTeam(erp_bench_team_v0.env(pattern=PATTERN, **arguments), wrap)
    env.reset(seed=1)
    return env


def answer(env: Any, agent: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(env.observe(agent)["text"].splitlines()[0])
    return found


def codes(env: Any, agent: str, count: int, call: str) -> list[str]:
    """How calls of an agent are answered."""
    found = []
    for _ in range(count):
        env.unwrapped.game.act(agent, call)
        body = json.loads(env.unwrapped.game.state.heard[agent])
        found.append("" if body["ok"] else body["error"]["code"])
    return found


def test_faults_reach_calls_on_the_world_and_not_the_teams_own_tools() -> None:
    env = team(partial(ToolFailureInjection, rate=1.0, allowance=None))
    assert codes(env, "sales_0", 2, '{"name": "list_sales_orders"}') == ["unavailable"] * 2
    assert codes(env, "purchasing_0", 1, '{"name": "create_sales_order", "arguments": {}}') == ["not_allowed"]
    assert codes(env, "sales_0", 1, WAIT) == [""]


def test_what_one_role_has_read_is_never_shown_to_another_as_a_stale_read() -> None:
    env = team(partial(ToolFailureInjection, rate=1.0, kinds=["stale"], allowance=None), information="partial")
    call = '{"name": "count_records", "arguments": {"model": "sale.order"}}'
    assert codes(env, "sales_0", 2, call) == ["", ""]
    assert codes(env, "purchasing_0", 1, call) == ["not_allowed"]


def test_a_budget_is_one_for_the_team() -> None:
    env = team(partial(ToolBudget, calls=3))
    date = '{"name": "get_current_date"}'
    assert codes(env, "sales_0", 2, date) + codes(env, "finance_0", 2, date) == ["", "", "", "not_allowed"]


def test_the_end_tells_of_faults_to_everyone() -> None:
    env = team(FAULTS)
    for _ in range(60):
        if any(env.terminations.values()):
            break
        env.step('{"name": "submit"}')
    assert all(info["faults"]["injected"] >= 0 for info in env.infos.values())


def test_wrappers_of_the_parallel_form_are_the_same() -> None:
    env = SurroundTeamParallel(erp_bench_team_v0.parallel_env(pattern=PATTERN), partial(ToolBudget, calls=0))
    env.reset(seed=1)
    views = env.step({**dict.fromkeys(env.agents, WAIT), "sales_0": '{"name": "get_current_date"}'})[0]
    assert json.loads(views["sales_0"]["text"])["error"]["code"] == "not_allowed"


def test_two_wrappers_stand_around_one_team() -> None:
    env = SurroundTeam(SurroundTeam(planner_executor_v0.env(pattern=PATTERN), partial(ToolBudget, calls=0)), FAULTS)
    env.reset(seed=1)
    assert set(codes(env, "planner_0", 20, '{"name": "get_current_date"}')) == {"not_allowed", "unavailable"}


def test_forks_and_copies_keep_the_wrappers_and_their_state() -> None:
    env = team(FAULTS, render_mode="ansi")
    codes(env, "sales_0", 20, '{"name": "get_current_date"}')
    bare = env.unwrapped
    for twin in (bare.fork(), pickle.loads(pickle.dumps(bare))):
        assert [type(layer).__name__ for layer in twin.game.env.layers] == ["ToolFailureInjection", "ErpTeamGame"]
        ends = []
        for one in (bare.fork(), twin):
            play(one, oracle_team(one.game.env.task, one.agents))
            ends.append(one.render())
        assert ends[0] == ends[1]
    with pytest.raises(TaskError, match="layers"):
        erp_bench_team_v0.env(pattern=PATTERN, render_mode="ansi").restore(bare.snapshot())


def test_a_wrapper_that_changes_what_is_seen_is_refused_and_leaves_nothing() -> None:
    env = erp_bench_team_v0.env(pattern=PATTERN)
    with pytest.raises(TaskError, match="around calls"):
        env.surround(lambda inner: TransformObservation(inner, str.upper, UnicodeText(9)))
    env.reset(seed=1)
    env.step(WAIT)
    assert answer(env, "sales_0")["ok"]
