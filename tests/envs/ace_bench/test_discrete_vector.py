"""The batch plays every episode as the single environment does."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import ResetNeeded

from opsgym.core.errors import TaskError
from opsgym.envs.ace_bench.compiler import truth_of
from opsgym.envs.ace_bench.discrete import DiscreteView
from opsgym.envs.ace_bench.discrete_vector import ACEBenchDiscreteVectorEnv
from opsgym.envs.ace_bench.env import ACEBenchEnv
from opsgym.envs.ace_bench.family import board_of


class Numbered(ACEBenchDiscreteVectorEnv):
    """Starts episodes with the seeds 100, 101 and so on, in order."""

    began = 100

    def next_task(self, index: int) -> tuple[int, dict[str, Any]]:
        self.began += 1
        return self.began - 1, {}


@pytest.mark.parametrize(
    "arguments",
    [
        {"tier": "easy"},
        {"tier": "medium", "split": "validation"},
        {"params": {"hidden": 9, "decoys": 14, "rows": 4, "cols": 4, "budgets": "unlimited"}, "tier": "easy"},
        {"pattern": "paper", "max_choices": 26, "params": {"hidden": 5, "decoys": 8}},
    ],
)
def test_observations_masks_rewards_and_ends_are_those_of_single_environments(arguments: dict[str, Any]) -> None:
    count, steps = 3, 60
    envs = Numbered(count, cache=None, max_steps=25, **arguments)
    singles = [gym.make("ACEBench-v0", interface="discrete", cache=None, max_steps=25, **arguments) for _ in range(count)]
    began = 100
    expected = []
    seen, _ = envs.reset()
    for env in singles:
        expected.append(env.reset(seed=began)[0])
        began += 1
    rng = np.random.default_rng(0)
    ends = 0
    for _ in range(steps):
        masks = envs.action_masks()
        for index, env in enumerate(singles):
            assert np.array_equal(masks[index], env.get_wrapper_attr("action_masks")())
        assert np.allclose(seen, np.stack(expected), atol=1e-6)
        # One step in ten an action that is not on offer: it is refused and costs the step.
        actions = np.array([rng.choice(np.flatnonzero(mask if rng.random() < 0.9 else ~mask)) for mask in masks])
        seen, rewards, terminated, truncated, infos = envs.step(actions)
        for index, env in enumerate(singles):
            last, reward, *over, info = env.step(int(actions[index]))
            assert (reward, *over) == (rewards[index], terminated[index], truncated[index])
            expected[index] = last
            if any(over):
                ends += 1
                assert infos["final_info"]["is_success"][index] == info["is_success"]
                assert np.allclose(infos["final_obs"][index], last, atol=1e-6)
                expected[index] = env.reset(seed=began)[0]
                began += 1
    assert ends > 3 and began == envs.began


def test_the_truth_is_rewarded() -> None:
    envs, single = ACEBenchDiscreteVectorEnv(2, tier="easy", cache=None), ACEBenchEnv(tier="easy", cache=None)
    envs.reset(seed=4)
    view = DiscreteView()
    plans = []
    for seed in (4, 5):
        single.reset(seed=seed)
        positions = view.table(board_of(single.task)).positions
        truth = truth_of(single.task)
        plans.append([slot * view.choices + positions[slot].index(held) for slot, held in enumerate(truth)])
    rewards = np.zeros(2)
    ended = np.zeros(2, dtype=bool)
    while not ended.all():
        actions = np.array([plan.pop(0) if plan else view.done for plan in plans])
        _, found, terminated, _, _ = envs.step(actions)
        rewards += np.where(ended, 0.0, found)
        ended |= terminated
    assert rewards.tolist() == [1.0, 1.0]


def test_a_batch_without_seeds_draws_on() -> None:
    envs = ACEBenchDiscreteVectorEnv(1, tier="easy", cache=None)
    first, _ = envs.reset(seed=1)
    second, *_ = envs.step(np.array([DiscreteView().done]))
    again, _ = envs.reset(seed=1)
    assert np.array_equal(first, again) and not np.array_equal(first, second)
    single = ACEBenchEnv(tier="easy", cache=None, interface="discrete")
    single.reset(seed=1)
    assert np.allclose(single.reset()[0], second[0], atol=1e-6)


def test_a_task_can_be_given() -> None:
    single = ACEBenchEnv(tier="easy", cache=None, interface="discrete")
    first, _ = single.reset(seed=8)
    seen, _ = ACEBenchDiscreteVectorEnv(2, tier="medium", cache=None).reset(seed=1, options={"task": single.task})
    assert np.allclose(seen, first, atol=1e-6)


def test_misuse_is_refused() -> None:
    with pytest.raises(TaskError, match="num_envs: expected a positive integer, got 0"):
        ACEBenchDiscreteVectorEnv(0)
    envs = ACEBenchDiscreteVectorEnv(1, tier="easy", cache=None, max_slots=1)
    with pytest.raises(ResetNeeded):
        envs.step(np.array([0]))
    with pytest.raises(TaskError, match="max_slots"):
        envs.reset(seed=0)
