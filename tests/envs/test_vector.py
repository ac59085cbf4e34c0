"""Vector environments return the right text in every mode that does not refuse."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import CustomSpaceError
from gymnasium.vector import AutoresetMode, VectorEnv

from opsgym.core.errors import TaskError
from tests.envs.toy_family import ToyEnv, ToyVectorEnv

SUBMIT = '{"name": "submit"}'
LOOK = '{"name": "look"}'
MODES: dict[str, dict[str, Any]] = {
    "vector_entry_point": {},
    "sync": {},
    "async": {"vector_kwargs": {"shared_memory": False}},
}


@pytest.fixture(autouse=True)
def toy_id() -> Iterator[None]:
    """Registers the toy family for the test."""
    toys = "tests.envs.toy_family"
    gym.register("Toy-v0", entry_point=f"{toys}:ToyEnv", vector_entry_point=f"{toys}:ToyVectorEnv", kwargs={"cache": None})
    yield
    del gym.registry["Toy-v0"]


def single(seed: int, **kwargs: Any) -> ToyEnv:
    env = ToyEnv(cache=None, **kwargs)
    env.reset(seed=seed)
    return env


@pytest.mark.parametrize("mode", MODES)
def test_every_mode_gives_the_text_of_single_environments(mode: str) -> None:
    envs: VectorEnv[Any, Any, Any] = gym.make_vec("Toy-v0", num_envs=3, vectorization_mode=mode, tier="medium", **MODES[mode])
    try:
        obs, info = envs.reset(seed=11)
        alone = [ToyEnv(cache=None, tier="medium") for _ in range(3)]
        starts = [env.reset(seed=11 + i) for i, env in enumerate(alone)]
        assert obs == tuple(start[0] for start in starts)
        assert list(info["task_id"]) == [start[1]["task_id"] for start in starts]
        assert obs in envs.observation_space
        actions = (LOOK, "garbage", SUBMIT)
        obs, rewards, terminated, truncated, info = envs.step(actions)
        expected = [env.step(action) for env, action in zip(alone, actions, strict=True)]
        assert obs == tuple(e[0] for e in expected)
        assert terminated.tolist() == [False, False, True]
        assert not truncated.any() and not rewards.any()
        assert info["_is_success"].tolist() == [False, False, True]
    finally:
        envs.close()


def test_shared_memory_refuses_loudly_instead_of_returning_stale_text() -> None:
    with pytest.raises((CustomSpaceError, ValueError), match="shared_memory=False"):
        gym.make_vec("Toy-v0", num_envs=2, vectorization_mode="async")


def test_plain_make_vec_uses_the_fast_entry_point() -> None:
    envs = gym.make_vec("Toy-v0", num_envs=2)
    assert isinstance(envs, ToyVectorEnv)
    assert envs.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    assert len(list(envs)) == 2
    envs.close()


@pytest.mark.parametrize("mode", AutoresetMode)
def test_every_autoreset_mode_keeps_the_last_observation(mode: AutoresetMode) -> None:
    envs = gym.make_vec("Toy-v0", num_envs=2, autoreset_mode=mode)
    first, _ = envs.reset(seed=3)
    last = single(3).step(SUBMIT)[0]
    obs, _, terminated, _, info = envs.step((SUBMIT, LOOK))
    assert terminated.tolist() == [True, False]
    if mode == AutoresetMode.SAME_STEP:
        assert info["final_obs"][0] == last
        assert not info["final_info"]["is_success"][0]
        assert "Set the counters" in obs[0]
        return
    assert obs[0] == last
    if mode == AutoresetMode.NEXT_STEP:
        obs, rewards, terminated, _, _ = envs.step((LOOK, LOOK))
        assert "Set the counters" in obs[0] and not terminated[0] and rewards[0] == 0
    else:
        obs, _ = envs.reset(seed=3, options={"reset_mask": np.array([True, False])})
        assert obs[0] == first[0]
    envs.close()


def test_a_step_limit_counts_inside_so_that_the_verdict_is_computed() -> None:
    envs = gym.make_vec("Toy-v0", num_envs=2, max_episode_steps=2, params={"counters": 2})
    assert isinstance(envs, ToyVectorEnv)
    envs.reset(seed=1)
    envs.step(tuple(env.task.oracle[0].model_dump_json() for env in envs))
    _, rewards, _, truncated, info = envs.step((LOOK, LOOK))
    assert truncated.all() and rewards.tolist() == [0.5, 0.5]
    assert list(info["verdict"]["reward"]) == [0.5, 0.5]


def test_options_reach_every_environment() -> None:
    envs = gym.make_vec("Toy-v0", num_envs=4)
    _, info = envs.reset(seed=1, options={"tier": "medium", "pattern": "metals"})
    assert set(info["tier"]) == {"medium"} and set(info["pattern"]) == {"metals"}


def test_an_empty_batch_is_refused() -> None:
    with pytest.raises(TaskError, match="at least one"):
        ToyVectorEnv(num_envs=0)
