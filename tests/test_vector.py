"""A batch plays as its environments do alone: the same text, faults and records, in one process and in several."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode

from opsgym.core.errors import BackendError, EpisodeOver, RegistryError, TaskError
from opsgym.data.trajectories import read_trajectories, replay_file
from opsgym.vector import ToolVectorEnv
from opsgym.wrappers import ChatHistory, DiscreteToolActions, PlanHint, RecordTrajectories, TimeBudget, ToolFailureInjection
from opsgym.wrappers.faults import KINDS
from tests.envs.toy_family import ToyVectorEnv

TOY = "BatchedToy-v0"
SUBMIT = '{"name": "submit"}'
LOOK = '{"name": "look"}'
FAULTS = partial(ToolFailureInjection, rate=0.4, kinds=list(KINDS), mean_burst=2.0, allowance=None)
Env = gym.Env[Any, Any]
WAYS: dict[str, dict[str, Any]] = {
    "sync": {"vectorization_mode": "sync"},
    "async": {"vectorization_mode": "async"},
    "spawned": {"vectorization_mode": "async", "context": "spawn"},
}


@pytest.fixture(autouse=True)
def toy_id() -> Iterator[None]:
    """Registers the toy family for the test."""
    gym.register(TOY, entry_point="tests.envs.toy_family:ToyEnv", kwargs={"cache": None})
    yield
    del gym.registry[TOY]


def action(env: int, step: int) -> str:
    """What is done where: reads, changes, errors and, every few steps, the end."""
    return [LOOK, "garbage", '{"name": "add", "arguments": {"name": "red", "amount": 3}}', LOOK, SUBMIT][(env + step) % 5]


def plain(value: Any) -> Any:
    """Infos in a form that can be compared."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return value.tolist() if isinstance(value, np.ndarray) else value


def played(steps: int = 30, **kwargs: Any) -> list[tuple[Any, ...]]:
    """Everything that a batch gives over several episodes."""
    envs = ToolVectorEnv(TOY, num_envs=3, **kwargs)
    try:
        seen: list[tuple[Any, ...]] = [envs.reset(seed=5)]
        for step in range(steps):
            seen.append(envs.step(tuple(action(env, step) for env in range(3))))
        return [tuple(map(plain, each)) for each in seen]
    finally:
        envs.close()


def alone(env: int, steps: int, wrap: Any) -> list[tuple[Any, ...]]:
    """What one environment of the batch gives by itself, reset in the step after an episode's end."""
    single: Env = wrap(gym.make(TOY))
    seen: list[tuple[Any, ...]] = [(single.reset(seed=5 + env)[0], 0.0, False, None)]
    for step in range(steps):
        if seen[-1][2]:
            seen.append((single.reset()[0], 0.0, False, None))
            continue
        observation, reward, terminated, truncated, info = single.step(action(env, step))
        seen.append((observation, reward, terminated or truncated, info.get("faults")))
    return seen


@pytest.mark.parametrize("way", WAYS)
def test_equal_seeds_and_histories_meet_equal_faults_alone_and_in_every_batch(way: str) -> None:
    batch = played(wrappers=[FAULTS], **WAYS[way])
    reports = 0
    for env in range(3):
        for number, (observation, reward, over, faults) in enumerate(alone(env, 30, FAULTS)):
            step = batch[number]
            assert step[0][env] == observation
            if number and faults:
                assert (step[1][env], step[2][env] or step[3][env]) == (reward, over)
                assert step[4]["faults"]["ledger"][env] == faults["ledger"]
                reports += faults["injected"]
    assert reports > 10


@pytest.mark.parametrize("autoreset_mode", AutoresetMode)
def test_processes_give_what_one_process_gives_in_every_autoreset_mode(autoreset_mode: AutoresetMode) -> None:
    steps = 3 if autoreset_mode is AutoresetMode.DISABLED else 20
    results = [played(steps, wrappers=[FAULTS], autoreset_mode=autoreset_mode, **WAYS[way]) for way in ("sync", "async")]
    assert results[0] == results[1]


@pytest.mark.parametrize("way", ["sync", "async"])
@pytest.mark.parametrize("mode", AutoresetMode)
def test_the_autoreset_mode_is_stated_and_kept(mode: AutoresetMode, way: str) -> None:
    envs = ToolVectorEnv(TOY, num_envs=2, autoreset_mode=mode.value, **WAYS[way])
    try:
        assert envs.metadata["autoreset_mode"] is mode
        briefs, _ = envs.reset(seed=3)
        last, _, terminated, _, infos = envs.step((SUBMIT, LOOK))
        assert terminated.tolist() == [True, False]
        if mode is AutoresetMode.SAME_STEP:
            assert "submitted" in infos["final_obs"][0] and "Set the counters" in last[0]
            assert infos["final_info"]["_is_success"].tolist() == [True, False]
        else:
            assert "submitted" in last[0] and infos["_is_success"].tolist() == [True, False]
        if mode is AutoresetMode.NEXT_STEP:
            last, rewards, terminated, _, infos = envs.step((SUBMIT, LOOK))
            assert "Set the counters" in last[0] and not terminated[0] and rewards[0] == 0
            assert infos["_task_id"].all()
        if mode is AutoresetMode.DISABLED:
            again, _ = envs.reset(seed=3, options={"reset_mask": np.array([True, False])})
            assert again == (briefs[0], last[1])
    finally:
        envs.close()


@pytest.mark.parametrize("way", ["sync", "async"])
def test_a_step_over_an_end_is_refused_whole_and_the_batch_goes_on(way: str) -> None:
    envs = ToolVectorEnv(TOY, num_envs=3, autoreset_mode=AutoresetMode.DISABLED, **WAYS[way])
    try:
        with pytest.raises(ResetNeeded, match="no episodes yet"):
            envs.step((LOOK, LOOK, LOOK))
        envs.reset(seed=3)
        envs.step((SUBMIT, LOOK, SUBMIT))
        for _ in range(2):
            with pytest.raises(EpisodeOver, match="environments 0, 2 have ended"):
                envs.step((LOOK, LOOK, LOOK))
        envs.reset(seed=3, options={"reset_mask": np.array([True, False, False])})
        with pytest.raises(EpisodeOver, match="environments 2 have ended"):
            envs.step((LOOK, LOOK, LOOK))
        envs.reset(seed=3, options={"reset_mask": np.array([False, False, True])})
        assert envs.step((LOOK, LOOK, LOOK))[4]["calls"].tolist() == [1, 2, 1]
    finally:
        envs.close()


def test_a_batch_made_by_gymnasium_refuses_it_likewise() -> None:
    envs = ToyVectorEnv(num_envs=2, autoreset_mode=AutoresetMode.DISABLED, cache=None)
    envs.reset(seed=3)
    envs.step((LOOK, SUBMIT))
    with pytest.raises(EpisodeOver, match="environments 1 have ended"):
        envs.step((LOOK, LOOK))
    envs.reset(options={"reset_mask": np.array([False, True])})
    assert envs.step((LOOK, LOOK))[4]["calls"].tolist() == [2, 1]
    envs.close()


@pytest.mark.filterwarnings("ignore:.*Received the following error from Worker", "ignore:.*Raising the last exception")
@pytest.mark.parametrize("way", WAYS)
def test_an_error_of_an_environment_reaches_the_caller_as_it_is(way: str) -> None:
    envs = ToolVectorEnv(TOY, num_envs=2, **WAYS[way])
    try:
        with pytest.raises(RegistryError, match="unknown tier 'none'"):
            envs.reset(options={"tier": "none"})
    finally:
        envs.close()


@pytest.mark.parametrize("way", ["async", "spawned"])
def test_a_process_that_was_killed_is_an_error_of_one_line(way: str) -> None:
    envs = ToolVectorEnv(TOY, num_envs=2, **WAYS[way])
    try:
        envs.reset(seed=1)
        processes = envs.unwrapped.processes  # type: ignore[attr-defined]  # it is Gymnasium's AsyncVectorEnv
        processes[1].kill()
        processes[1].join()
        with pytest.raises(BackendError, match="ended from outside or crashed"):
            envs.step((LOOK, LOOK))
        assert not any(process.is_alive() for process in processes)
    finally:
        envs.close()


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
@pytest.mark.parametrize("way", ["sync", "async"])
def test_a_reset_after_an_end_loses_no_action(way: str, mode: AutoresetMode) -> None:
    """A bare AsyncVectorEnv without shared memory resets once more in the next step."""
    envs = ToolVectorEnv(TOY, num_envs=2, autoreset_mode=mode, **WAYS[way])
    try:
        envs.reset(seed=1)
        envs.step((SUBMIT, SUBMIT))
        envs.reset(seed=2)
        _, _, terminated, _, _ = envs.step((SUBMIT, SUBMIT))
        assert terminated.all()
    finally:
        envs.close()


@pytest.mark.parametrize("way", WAYS)
def test_all_record_to_one_file_that_replays(way: str, tmp_path: Path) -> None:
    record = partial(RecordTrajectories, path=tmp_path / "episodes.jsonl")
    batch = played(wrappers=[FAULTS, record], **WAYS[way])
    ends = sum(sum(step[2]) + sum(step[3]) for step in batch[1:])
    episodes = list(read_trajectories(tmp_path / "episodes.jsonl"))
    assert len(episodes) == ends > 9
    assert any(each.info["faults"]["injected"] for each in episodes)
    seeded = [each for each in episodes if each.seed is not None]
    assert sorted(each.seed or 0 for each in seeded) == [5, 6, 7]
    assert replay_file(tmp_path / "episodes.jsonl").differences == {}


@pytest.mark.parametrize("way", ["sync", "async"])
def test_masks_have_a_row_an_environment(way: str) -> None:
    envs = ToolVectorEnv(TOY, num_envs=3, wrappers=[partial(DiscreteToolActions, size=40)], tier="medium", **WAYS[way])
    try:
        observations, _ = envs.reset(seed=4)
        assert observations in envs.observation_space
        for _ in range(3):
            masks = envs.action_masks()
            assert masks.shape == (3, 40) and masks.dtype == np.bool_
            assert (observations["action_mask"].astype(bool) == masks).all()
            first, observations = observations, envs.step(masks.argmax(axis=1))[0]
            assert first["state"] is not observations["state"] and (first["state"] != observations["state"]).any()
    finally:
        envs.close()


def test_observations_kept_by_the_caller_do_not_change() -> None:
    envs = ToolVectorEnv(TOY, num_envs=2, wrappers=[partial(DiscreteToolActions, size=40)])
    kept, _ = envs.reset(seed=4)
    before = kept["state"].copy()
    envs.step(np.zeros(2, np.int64))
    assert (kept["state"] == before).all()


@pytest.mark.parametrize("way", ["sync", "async"])
def test_histories_are_batched_as_they_are_alone(way: str) -> None:
    wrappers: list[Any] = [partial(PlanHint, level="outline"), partial(TimeBudget, seconds=90.0), ChatHistory]
    envs = ToolVectorEnv(TOY, num_envs=2, wrappers=wrappers, **WAYS[way])
    single: Env = gym.make(TOY)
    for wrap in wrappers:
        single = wrap(single)
    try:
        start, _ = single.reset(seed=9)
        batch, _ = envs.reset(seed=9)
        assert batch[0] == start
        assert envs.step((LOOK, "garbage"))[0][0] == single.step(LOOK)[0]
        assert batch[0] == start
    finally:
        envs.close()


def test_it_says_what_is_wrong() -> None:
    with pytest.raises(TaskError, match="at least one"):
        ToolVectorEnv(TOY, num_envs=0)
    with pytest.raises(RegistryError, match=r"unknown environment 'None-v0'.*ERPBench-v0"):
        ToolVectorEnv("None-v0")
    with pytest.raises(RegistryError, match="expected one of: async, sync"):
        ToolVectorEnv(TOY, vectorization_mode="threads")  # type: ignore[arg-type]  # on purpose
    with pytest.raises(TaskError, match="use max_steps"):
        ToolVectorEnv(TOY, max_episode_steps=3)
    with pytest.raises(TaskError, match="expected a ToolEnv, got CartPoleEnv"):
        ToolVectorEnv("CartPole-v1", vectorization_mode="async")
    with pytest.raises(TaskError, match="ToolFailureInjection must be inside RecordTrajectories"):
        ToolVectorEnv(TOY, wrappers=[partial(RecordTrajectories, path="/dev/null"), FAULTS])
    envs = ToolVectorEnv("ACEBench-v0", cache=None)
    with pytest.raises(TaskError, match="no masks"):
        envs.action_masks()


def test_the_families_run_in_processes_with_masks_of_their_own() -> None:
    envs = ToolVectorEnv("ACEBench-v0", num_envs=2, vectorization_mode="async", interface="discrete", tier="easy", cache=None)
    try:
        envs.reset(seed=1)
        masks = envs.action_masks()
        assert masks.any(axis=1).all()
        _, _, terminated, _, _ = envs.step(masks.argmax(axis=1))
        assert not terminated.any()
    finally:
        envs.close()
