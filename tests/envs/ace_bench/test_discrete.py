"""The discrete interface: fixed size, masked actions, and nothing in it that knows the truth."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.wrappers import RecordEpisodeStatistics, TimeLimit

from opsgym.core.errors import TaskError
from opsgym.core.task import Task
from opsgym.envs.ace_bench.compiler import truth_of
from opsgym.envs.ace_bench.discrete import CHOICE_FEATURES, STATE_FEATURES, DiscreteView
from opsgym.envs.ace_bench.engine import AceWorld
from opsgym.envs.ace_bench.env import ACEBenchEnv
from opsgym.envs.ace_bench.family import board_of
from opsgym.envs.ace_bench.params import TIERS
from opsgym.envs.ace_bench.spec import EMPTY

VIEW = DiscreteView()


def make(**kwargs: Any) -> gym.Env[Any, Any]:
    return gym.make("ACEBench-v0", **{"interface": "discrete", "cache": None, **kwargs})


def masks(env: gym.Env[Any, Any]) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """As sb3-contrib asks an environment for them."""
    found: np.ndarray[Any, np.dtype[np.bool_]] = env.get_wrapper_attr("action_masks")()
    return found


def base(env: gym.Env[Any, Any]) -> ACEBenchEnv:
    assert isinstance(env.unwrapped, ACEBenchEnv)
    return env.unwrapped


def truth_actions(task: Task, view: DiscreteView = VIEW) -> list[int]:
    positions = view.table(board_of(task)).positions
    return [slot * view.choices + positions[slot].index(held) for slot, held in enumerate(truth_of(task))]


def features(observation: Any, view: DiscreteView = VIEW) -> tuple[dict[str, Any], dict[str, float]]:
    split = view.check * len(CHOICE_FEATURES)
    choices = observation[:split].reshape(view.slots, view.choices, -1)
    return (
        {name: choices[..., i] for i, name in enumerate(CHOICE_FEATURES)},
        dict(zip(STATE_FEATURES, observation[split:].tolist(), strict=True)),
    )


@pytest.mark.parametrize("arguments", [{"tier": "easy"}, {"tier": "expert"}, {"pattern": "paper", "max_choices": 26}])
def test_check_env_is_silent(arguments: dict[str, Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(make(**arguments).unwrapped)


def test_every_tier_has_the_same_spaces() -> None:
    spaces = [(make(tier=tier).observation_space, make(tier=tier).action_space) for tier in TIERS]
    assert all(pair == spaces[0] for pair in spaces)
    for tier in TIERS:
        for seed in range(8):
            env = make(tier=tier)
            assert env.observation_space.contains(env.reset(seed=seed)[0])


def test_a_larger_task_is_refused_with_the_size_it_needs() -> None:
    env = make(max_slots=2, params={"hidden": 3, "decoys": 0})
    with pytest.raises(TaskError, match="max_slots: the task needs 3, the discrete interface has 2"):
        env.reset(seed=0)
    env = make(max_choices=4, params={"hidden": 1, "decoys": 7})
    with pytest.raises(TaskError, match="max_choices: the task needs 8"):
        env.reset(seed=0)
    with pytest.raises(TaskError, match="max_slots"):
        make(max_slots=0)


def test_masks_of_text_are_refused() -> None:
    with pytest.raises(TaskError, match="interface='discrete'"):
        masks(make(interface="text"))


def test_masked_actions_are_always_carried_out_and_all_others_refused(tasks: dict[str, Task]) -> None:
    env = make()
    rng = np.random.default_rng(5)
    for name in ("easy", "medium", "hard"):
        env.reset(seed=1, options={"task": tasks[name]})
        for _ in range(60):
            allowed = masks(env)
            before = base(env).world.digest()
            barred = np.flatnonzero(~allowed)
            wrong = int(rng.choice(barred))
            _, _, ended, _, info = env.step(wrong)
            refused = '"ok":false' in info["text"]
            held = wrong < VIEW.check and VIEW.table(board_of(tasks[name])).offered[divmod(wrong, VIEW.choices)]
            assert (refused or held) and not ended and base(env).world.digest() == before
            *_, info = env.step(int(rng.choice(np.flatnonzero(allowed[:-1]))))
            assert '"ok":true' in info["text"]


@pytest.mark.parametrize("name", ["easy", "medium", "hard"])
def test_the_truth_can_be_reached_and_is_rewarded(tasks: dict[str, Task], name: str) -> None:
    env = make()
    env.reset(options={"task": tasks[name]})
    for action in truth_actions(tasks[name]):
        assert masks(env)[action]
        observation, *_ = env.step(action)
    _, state = features(observation)
    assert (state["filled"], state["broken"], state["can_check"]) == (1.0, 0.0, 1.0)
    observation, *_, info = env.step(VIEW.check)
    assert '"is_valid":true' in info["text"] and features(observation)[1]["checks_left"] < 1.0
    _, reward, terminated, _, info = env.step(np.int64(VIEW.done))
    assert (reward, terminated, info["is_success"]) == (1.0, True, True)


def test_what_is_said_of_a_choice_on_a_full_grid_is_what_the_engine_says_after_it(tasks: dict[str, Task]) -> None:
    """On a full grid "broken" is exact: the share of the engine's constraints that the choice would leave broken."""
    task = tasks["hard"]
    board, rng = board_of(task), np.random.default_rng(2)
    world = AceWorld(board)
    table = VIEW.table(board)
    for slot, kept in enumerate(table.positions):
        row, col = divmod(board.instance.slots[slot].cell, board.cols)
        world.set_slot(row, col, board.candidates[slot][int(rng.choice(kept))])
    said, state = features(VIEW.observe(world, 1.0))
    assert (state["broken"] == 0.0) == world.valid()
    for slot, choice in zip(*np.nonzero(table.offered), strict=True):
        twin = world.fork()
        call = VIEW.call(int(slot * VIEW.choices + choice), world)
        assert not isinstance(call, str)
        arguments = call.arguments
        twin.set_slot(arguments["row"], arguments["col"], arguments["id"])
        broken = np.mean((twin._sums < board.matrix.low) | (twin._sums > board.matrix.high))
        assert said["broken"][slot, choice] == np.float32(broken)


def test_on_the_way_to_the_truth_no_rule_is_out_of_reach(tasks: dict[str, Task]) -> None:
    """While slots are empty "broken" counts only what no filling could mend."""
    task = tasks["hard"]
    world = AceWorld(board_of(task))
    for action in truth_actions(task):
        said, state = features(VIEW.observe(world, 1.0))
        assert state["broken"] == 0.0 and said["broken"][divmod(action, VIEW.choices)] == 0.0
        call = VIEW.call(action, world)
        assert not isinstance(call, str)
        world.set_slot(*call.arguments.values())


def test_the_observation_depends_on_instance_and_state_alone(tasks: dict[str, Task]) -> None:
    """The truth is no part of a board: a task with another oracle and other checks gives the same numbers."""
    task = tasks["medium"]
    blind = Task.from_dict({**task.model_dump(exclude={"id"}), "oracle": [], "checks": []})
    env = make()
    one, _ = env.reset(options={"task": task})
    two, _ = env.reset(options={"task": blind})
    assert np.array_equal(one, two)


def test_text_and_calls_are_read_too(tasks: dict[str, Task]) -> None:
    env = make()
    env.reset(options={"task": tasks["easy"]})
    for call in tasks["easy"].oracle:
        observation, reward, *_ = env.step(call)
    assert reward == 1.0 and env.observation_space.contains(observation)


@pytest.mark.parametrize("mode", ["vector_entry_point", "sync", "async"])
def test_vector_environments_give_the_numbers_of_single_ones(mode: str) -> None:
    envs = gym.make_vec("ACEBench-v0", num_envs=2, vectorization_mode=mode, interface="discrete", tier="easy", cache=None)
    try:
        first, _ = envs.reset(seed=4)
        kept = first.copy()
        alone = [make(tier="easy") for _ in range(2)]
        starts = np.stack([env.reset(seed=4 + i)[0] for i, env in enumerate(alone)])
        assert np.array_equal(first, starts)
        second, _, terminated, *_ = envs.step(np.array([0, VIEW.done]))
        assert np.array_equal(second, np.stack([env.step(a)[0] for env, a in zip(alone, (0, VIEW.done), strict=True)]))
        assert terminated.tolist() == [False, True]
        assert np.array_equal(first, kept) and not np.array_equal(first, second)
    finally:
        envs.close()


def test_snapshots_forks_and_pickles_go_on_in_numbers(tasks: dict[str, Task]) -> None:
    env = base(make())
    env.reset(seed=1, options={"task": tasks["medium"]})
    actions = truth_actions(tasks["medium"])
    for action in actions[:3]:
        env.step(action)
    state, fork, copy = env.snapshot(), env.fork(), pickle.loads(pickle.dumps(env))

    def rest(env: ACEBenchEnv) -> list[Any]:
        steps = [env.step(action) for action in (*actions[3:], VIEW.done)]
        return [(observation.tolist(), reward) for observation, reward, *_ in steps]

    expected = rest(env)
    env.restore(state)
    assert expected == rest(env) == rest(fork) == rest(copy)


def test_masks_pass_through_wrappers() -> None:
    """The contract that sb3-contrib's ``get_action_masks`` relies on, without sb3-contrib."""
    env = TimeLimit(RecordEpisodeStatistics(make(tier="easy")), 50)
    env.reset(seed=3)
    found = masks(env)
    assert found.dtype == np.bool_ and found.shape == (VIEW.done + 1,) and found[VIEW.done]
    assert np.array_equal(found, base(env).action_masks())


def test_sb3_contrib_finds_the_masks_through_wrappers() -> None:
    """The same with sb3-contrib itself, where it is installed (extra ``train``)."""
    utils = pytest.importorskip("sb3_contrib.common.maskable.utils")
    vec_env = pytest.importorskip("stable_baselines3.common.vec_env")
    env = TimeLimit(RecordEpisodeStatistics(make(tier="easy")), 50)
    env.reset(seed=3)
    assert utils.is_masking_supported(env)
    assert np.array_equal(utils.get_action_masks(env), base(env).action_masks())
    envs = vec_env.DummyVecEnv([lambda: make(tier="easy")] * 2)
    envs.reset()
    assert utils.get_action_masks(envs).shape == (2, VIEW.done + 1)


@pytest.mark.slow
def test_maskable_ppo_trains() -> None:
    """A short training run ends better than where it began, where sb3-contrib is installed (extra ``train``)."""
    algorithms = pytest.importorskip("sb3_contrib")
    pytest.importorskip("torch").set_num_threads(1)
    env = make(tier="easy", split="train", reward_mode="dense", max_steps=40)
    model = algorithms.MaskablePPO("MlpPolicy", env, n_steps=512, batch_size=128, seed=0, device="cpu")

    def solved() -> int:
        wins = 0
        for seed in range(40):
            observation, _ = env.reset(seed=seed)
            ended = False
            while not ended:
                action, _ = model.predict(observation, action_masks=masks(env), deterministic=True)
                observation, _, terminated, truncated, info = env.step(action)
                ended = terminated or truncated
            wins += info["is_success"]
        return wins

    before = solved()
    model.learn(6_000)
    assert solved() > before


def test_a_filter_that_text_put_into_a_slot_is_seen_as_none_of_the_choices(tasks: dict[str, Task]) -> None:
    task = tasks["easy"]
    board = board_of(task)
    world = AceWorld(board)
    row, col = divmod(board.instance.slots[0].cell, board.cols)
    world.set_slot(row, col, next(name for name, good in zip(board.candidates[0], board.local[0], strict=True) if not good))
    said, _ = features(VIEW.observe(world, 1.0))
    assert world.held[0] != EMPTY and not said["held"].any()
