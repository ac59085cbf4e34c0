"""ToolBudget and TimeBudget limit what they say, and nothing else."""

from __future__ import annotations

import json

import pytest

from opsgym.core.errors import RegistryError, TaskError
from opsgym.wrappers import TimeBudget, ToolBudget, ToolFailureInjection
from tests.wrappers.support import LOOK, SUBMIT, base_of, play_oracle, toy

ADD = '{"name": "add", "arguments": {"name": "red", "amount": 1}}'


def test_calls_beyond_the_budget_are_refused_and_change_nothing() -> None:
    env = ToolBudget(toy(pattern="colours"), calls=2)
    assert env.reset(seed=1)[1]["tool_budget"] == {"calls": 2}
    env.step(LOOK)
    *_, info = env.step(ADD)
    assert info["tool_budget"] == {"calls": 0}
    digest = base_of(env).world.digest()
    line = json.loads(env.step(ADD)[0])
    assert line["error"]["code"] == "not_allowed" and "(2)" in line["error"]["message"]
    assert base_of(env).world.digest() == digest
    assert env.step(SUBMIT)[2]


def test_each_tool_has_its_own_budget() -> None:
    env = ToolBudget(toy(pattern="colours"), per_tool={"look": 1, "add": 0})
    env.reset(seed=1)
    lines = [json.loads(env.step(action)[0])["ok"] for action in (LOOK, LOOK, ADD)]
    assert lines == [True, False, False]
    assert env.step("nothing")[4]["tool_budget"] == {"look": 0, "add": 0}


def test_calls_of_one_action_count_one_by_one() -> None:
    env = ToolBudget(toy(), calls=2)
    env.reset(seed=1)
    lines = env.step(f"[{LOOK}, {LOOK}, {LOOK}]")[0].splitlines()
    assert [json.loads(line)["ok"] for line in lines] == [True, True, False]


def test_a_call_that_a_fault_rejects_costs_no_call() -> None:
    env = ToolFailureInjection(ToolBudget(toy(), calls=1), rate={"look": 1.0}, allowance=None)
    env.reset(seed=1)
    assert env.step(LOOK)[4]["tool_budget"] == {"calls": 1}


def test_time_passes_by_latency_and_ends_the_episode_with_a_verdict() -> None:
    env = TimeBudget(toy(params={"counters": 2}, tier="easy"), seconds=5.0, latency={"add": 3.0, "*": 1.0})
    _, info = env.reset(seed=1)
    assert (info["seconds"], info["seconds_left"]) == (0.0, 5.0)
    oracle = base_of(env).task.oracle
    _, reward, terminated, truncated, info = env.step(oracle[0])
    assert (reward, terminated, truncated, info["seconds_left"]) == (0.0, False, False, 2.0)
    _, reward, terminated, truncated, info = env.step([oracle[1], oracle[1]])
    assert (reward, terminated, truncated) == (1.0, False, True)
    assert info["calls"] == 2
    assert info["verdict"]["reward"] == 1.0


def test_a_late_submit_still_terminates() -> None:
    env = TimeBudget(toy(), seconds=1.0, latency=10.0)
    env.reset(seed=1)
    assert env.step(SUBMIT)[2:4] == (True, False)


def test_text_that_calls_nothing_takes_no_time() -> None:
    env = TimeBudget(toy(), latency=1.0)
    env.reset(seed=1)
    assert env.step("thinking")[4]["seconds"] == 0.0


def test_faults_take_time_from_the_budget() -> None:
    inner = ToolFailureInjection(toy(), rate=1.0, kinds=["timeout"], allowance=None)
    env = TimeBudget(inner, seconds=60.0, latency=0.5)
    env.reset(seed=1)
    assert env.step(LOOK)[4]["seconds"] == 30.5
    assert env.step(LOOK)[3]


def test_an_ample_budget_does_not_touch_the_oracle() -> None:
    env = TimeBudget(ToolBudget(toy(), calls=20), seconds=1000.0)
    assert all(play_oracle(env, retry=False, seed=seed)[0] == 1.0 for seed in range(20))


def test_values_out_of_range_and_unknown_tools_are_refused() -> None:
    with pytest.raises(TaskError, match="calls"):
        ToolBudget(toy(), calls=-1)
    with pytest.raises(RegistryError, match="look"):
        ToolBudget(toy(), per_tool={"lok": 1})
    for seconds in (0.0, -1.0, float("inf"), float("nan")):
        with pytest.raises(TaskError, match="seconds"):
            TimeBudget(toy(), seconds=seconds)
    with pytest.raises(TaskError, match="latency"):
        TimeBudget(toy(), latency=-1.0)
    with pytest.raises(RegistryError, match="look"):
        TimeBudget(toy(), latency={"lok": 1.0})
