"""Candidates: legal in every state, made without the solution, and enough to reach it."""

from __future__ import annotations

import numpy as np
import pytest

from opsgym.core.task import Task, ToolCall
from opsgym.envs.ace_bench.candidates import grid_calls
from opsgym.envs.ace_bench.env import ACEBenchEnv
from opsgym.envs.tool_env import ToolEnv

SEEDS = range(4)


def started(seed: int) -> ToolEnv:
    env = ACEBenchEnv(tier="easy", cache=None)
    env.reset(seed=seed)
    return env


def solution(task: Task) -> list[ToolCall]:
    return [call for call in task.oracle if call.name == "set_slot"]


@pytest.mark.parametrize("seed", SEEDS)
def test_no_candidate_is_ever_refused(seed: int) -> None:
    env, rng = started(seed), np.random.default_rng(seed)
    for _ in range(60):
        calls = grid_calls(env.world)
        *_, terminated, truncated, info = env.step(calls[int(rng.integers(len(calls)))])
        assert info["errors"] == {}
        if terminated or truncated:
            return


@pytest.mark.parametrize("seed", SEEDS)
def test_a_slot_is_asked_about_first_and_then_the_solution_is_among_its_candidates(seed: int) -> None:
    env = started(seed)
    asked = grid_calls(env.world)
    assert {call.name.split("_")[0] for call in asked} == {"query"}
    places = {(call.arguments["row"], call.arguments["col"]) for call in asked}
    assert places == {(call.arguments["row"], call.arguments["col"]) for call in solution(env.task)}
    for call in asked:
        env.step(call)
    offered = grid_calls(env.world)
    assert all(call in offered for call in solution(env.task)) and "done" not in {call.name for call in offered}
    for call in solution(env.task):
        env.step(call)
    last = grid_calls(env.world)
    assert ToolCall(name="done") in last and not set(map(str, solution(env.task))) & set(map(str, last))
    assert env.step(ToolCall(name="done"))[1] == 1.0


def test_checks_are_offered_only_while_there_are_any() -> None:
    env = started(0)
    for call in solution(env.task):
        env.step(call)
    for _ in range(100):
        checks = [call for call in grid_calls(env.world) if call.name.startswith("check_")]
        if not checks:
            break
        env.step(checks[0])
    assert not checks and not env.episode.errors
