"""The wrappers' promises on ERPBench itself: replay, and the sum of shaped rewards."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest

import opsgym  # noqa: F401  # registers the ids
from opsgym.baselines.scripted import RandomValid
from opsgym.core.task import ToolCall
from opsgym.data.trajectories import read_trajectories, replay_file
from opsgym.wrappers import DenseReward, RecordTrajectories, ToolFailureInjection
from opsgym.wrappers.faults import KINDS
from tests.wrappers.support import Env, base_of

pytestmark = pytest.mark.slow
TURNS = 25


def erp(**kwargs: Any) -> Env:
    return gym.make("ERPBench-v0", tier="easy", cache=None, max_steps=TURNS + 10, **kwargs)


def play(env: Env, seed: int, **options: Any) -> float:
    """A prefix of the reference solution, random calls, then, in two of three episodes, ``submit``; gives the return."""
    observation, info = env.reset(seed=seed, options=options)
    base, total = base_of(env), 0.0
    policy = RandomValid(seed=seed)
    policy.begin(base, str(observation), info)
    planned: list[Any] = list(base.task.oracle[: seed % (len(base.task.oracle) + 1)])
    while not base.episode.over:
        turn = len(base.transcript)
        submit = turn >= TURNS and seed % 3
        action = planned.pop(0) if planned else ToolCall(name="submit") if submit else policy.act(str(observation))
        observation, reward, *_ = env.step(action)
        total += float(reward)
    return total


def test_two_hundred_recorded_episodes_replay_equal_at_each_step(tmp_path: Path) -> None:
    path = tmp_path / "episodes.jsonl"
    faulted = ToolFailureInjection(erp(), rate=0.2, kinds=list(KINDS), allowance=None)
    env = RecordTrajectories(faulted, path=path)
    for seed in range(200):
        play(env, seed, fault_seed=seed)
    replayed = replay_file(path)
    assert (replayed.episodes, replayed.differences) == (200, {})
    seen = list(read_trajectories(path))
    assert len({step.world for each in seen for step in each.steps}) > 500
    assert {len(each.steps) == TURNS + 10 for each in seen} == {True, False}
    assert sum(each.info["faults"]["injected"] for each in seen) > 500


@pytest.mark.parametrize("potential", ["reward", "checks"])
def test_the_dense_return_is_that_of_the_terminal_reward(potential: str) -> None:
    """On a hundred episodes, to 1e-9."""
    plain, dense = erp(), DenseReward(erp(), potential=potential)
    returns = [(play(plain, seed), play(dense, seed)) for seed in range(100)]
    assert max(abs(terminal - shaped) for terminal, shaped in returns) <= 1e-9
    assert len({terminal for terminal, _ in returns}) > 3
