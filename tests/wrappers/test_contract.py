"""What every wrapper promises, alone and in stacks."""

from __future__ import annotations

import pickle
import random
import warnings
from itertools import permutations
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest
from gymnasium.utils.env_checker import check_env, data_equivalence
from gymnasium.wrappers import TimeLimit

import opsgym.wrappers
from opsgym.core.errors import TaskError
from opsgym.wrappers import ORDER, ToolBudget, ToolWrapper, fork
from opsgym.wrappers.base import stack
from opsgym.wrappers.compose import EXCLUSIVE, INSIDE
from tests.wrappers.support import LOOK, STRENGTHS, SUBMIT, TOY, Env, base_of, toy, wrap

NAMES = tuple(STRENGTHS)
UNAVOIDABLE = "different from the unwrapped version"
"""``check_env`` says so of every wrapped environment."""


def check(env: Env) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=f"(?s).*{UNAVOIDABLE}")
        check_env(env)


def actions_for(env: Env, seed: int) -> gym.Space[Any]:
    """The space of actions by number, else that of the bare environment, whatever tools there are beside."""
    space = env.action_space if isinstance(env.action_space, gym.spaces.Discrete) else toy().action_space
    space.seed(seed)
    return space


def same(one: Any, other: Any) -> bool:
    """Whether two things are equal, arrays in them to the bit."""
    return bool(data_equivalence(one, other, exact=True))


def played(env: Env, seed: int, steps: int = 12) -> list[Any]:
    """Everything that a random episode shows."""
    space = actions_for(env, seed)
    seen: list[Any] = [env.reset(seed=seed)]
    for _ in range(steps):
        seen.append(env.step(space.sample()))
        if seen[-1][2] or seen[-1][3]:
            break
    return seen


def test_every_wrapper_is_tested_here() -> None:
    public = {
        name
        for name in opsgym.wrappers.__all__
        if isinstance(kind := getattr(opsgym.wrappers, name), type) and issubclass(kind, ToolWrapper)
    }
    assert public - {"ToolWrapper"} == set(NAMES)
    assert set(ORDER) >= set(NAMES)


@pytest.mark.parametrize("zero", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_check_env_is_silent(name: str, zero: bool, tmp_path: Path) -> None:
    check(wrap(gym.make(TOY).unwrapped, name, tmp_path, zero=zero))


def test_check_env_is_silent_about_messages(tmp_path: Path) -> None:
    check(wrap(gym.make(TOY).unwrapped, "ChatHistory", tmp_path, format="messages", system="Act."))


@pytest.mark.parametrize("name", NAMES)
def test_the_spec_pickles_and_makes_the_stack_again(name: str, tmp_path: Path) -> None:
    env = wrap(gym.make(TOY), name, tmp_path)
    again = gym.make(pickle.loads(pickle.dumps(env.spec)))
    assert type(again) is type(env)
    for seed in range(5):
        assert same(played(again, seed), played(env, seed))


@pytest.mark.parametrize("name", NAMES)
def test_a_stack_pickles_in_the_middle_of_an_episode(name: str, tmp_path: Path) -> None:
    env = wrap(gym.make(TOY), name, tmp_path)
    assert same(played(pickle.loads(pickle.dumps(env)), 3), played(env, 3))
    env.reset(seed=4)
    look, submit = (0, 3) if name == "DiscreteToolActions" else (LOOK, SUBMIT)
    env.step(look)
    copied = pickle.loads(pickle.dumps(env))
    assert base_of(copied).layers == (copied,)
    for action in (look, look, submit):
        if not base_of(env).episode.over:
            assert same(copied.step(action), env.step(action))


@pytest.mark.parametrize("name", [name for name in NAMES if name != "DiscreteToolActions"])
def test_zero_strength_changes_neither_task_nor_seed_nor_verdict(name: str, tmp_path: Path) -> None:
    bare, env = toy(), wrap(toy(), name, tmp_path, zero=True)
    same_text = name != "ChatHistory"
    same_reward = name != "BinaryReward"
    for seed in range(100):
        for plain, own in zip(played(bare, seed), played(env, seed), strict=True):
            assert own[-1] | plain[-1] | {"verdict": 0} == own[-1] | {"verdict": 0}
            verdict = plain[-1].get("verdict")
            assert verdict is None or verdict == {key: own[-1]["verdict"][key] for key in verdict}
            assert not same_text or own[0] == plain[0]
            assert len(plain) == 2 or own[2:4] == plain[2:4]
            assert len(plain) == 2 or not same_reward or own[1] == plain[1]
        assert env.np_random_seed == bare.np_random_seed
        assert base_of(env).task.id == bare.task.id
        assert base_of(env).world.digest() == bare.world.digest()
        assert base_of(env).transcript == bare.transcript


@pytest.mark.parametrize("name", NAMES)
def test_snapshots_and_forks_hold_the_state_of_the_wrapper(name: str, tmp_path: Path) -> None:
    env = wrap(toy(), name, tmp_path)
    for seed in range(10):
        space = actions_for(env, seed)
        actions = [space.sample() for _ in range(9)]
        env.reset(seed=seed)
        for action in actions[:4]:
            if not base_of(env).episode.over:
                env.step(action)

        def go_on(each: Env, rest: list[Any]) -> list[Any]:
            return [each.step(action) for action in rest if not base_of(each).episode.over]

        state = pickle.loads(pickle.dumps(base_of(env).snapshot()))
        twin = fork(env)
        first = go_on(env, actions[4:])
        base_of(env).restore(state)
        assert same(go_on(env, actions[4:]), first)
        assert same(go_on(twin, actions[4:]), first)


@pytest.mark.parametrize("name", NAMES)
def test_a_new_episode_knows_nothing_of_the_last(name: str, tmp_path: Path) -> None:
    env = wrap(toy(), name, tmp_path)
    fresh = played(env, 7)
    played(env, 8)
    assert same(played(env, 7), fresh)


@pytest.mark.parametrize("name", NAMES)
def test_no_info_tells_of_the_solution_before_the_end(name: str, tmp_path: Path) -> None:
    env = wrap(toy(), name, tmp_path)
    for seed in range(20):
        for *_, info in played(env, seed)[:-1]:
            assert not {"verdict", "oracle", "checks", "faults", "distractors", "efficiency", "seed"} & info.keys()


# -- stacks


def random_stack(seed: int, tmp_path: Path) -> list[str]:
    """A random selection in a random order, of those that are not refused."""
    rng = random.Random(seed)
    while True:
        names = rng.sample(NAMES, rng.randint(2, 7))
        before = {(inner, outer) for at, inner in enumerate(names) for outer in names[at + 1 :]}
        if not any((outer, inner) in INSIDE or frozenset((inner, outer)) in EXCLUSIVE for inner, outer in before):
            return names


@pytest.mark.parametrize("seed", range(50))
def test_check_env_is_silent_under_random_stacks(seed: int, tmp_path: Path) -> None:
    names = random_stack(seed, tmp_path)
    env: Env = gym.make(TOY).unwrapped
    for name in names:
        env = wrap(env, name, tmp_path)
    check(env)
    again = gym.make(pickle.loads(pickle.dumps(env.spec)))
    assert [type(each).__name__ for each in stack(again)][: len(names)] == names[::-1]
    assert same(played(again, seed), played(env, seed))
    twin = fork(env)
    assert [type(each).__name__ for each in stack(twin)] == names[::-1]


def test_the_documented_order_is_accepted_whole(tmp_path: Path) -> None:
    env: Env = toy()
    for name in ORDER:
        if name != "DiscreteToolActions":
            env = wrap(env, name, tmp_path)
    position = {name: at for at, name in enumerate(ORDER)}
    assert all(position[inner] < position[outer] for inner, outer in INSIDE)
    env.reset(seed=1)
    env.step(SUBMIT)


@pytest.mark.parametrize(("inner", "outer"), list(permutations(NAMES, 2)))
def test_orders_are_refused_with_a_reason_or_work(inner: str, outer: str, tmp_path: Path) -> None:
    env = wrap(toy(), inner, tmp_path)
    reason = INSIDE.get((outer, inner)) or EXCLUSIVE.get(frozenset((outer, inner)))
    if reason is None:
        wrap(env, outer, tmp_path).reset(seed=1)
        return
    with pytest.raises(TaskError, match=f"{outer} .*{inner}.*: {reason}"):
        wrap(env, outer, tmp_path)
    env.reset(seed=1)
    assert base_of(env).layers == (env,)


def test_what_makes_no_sense_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TaskError, match="one is enough"):
        wrap(wrap(toy(), "StepCost", tmp_path), "StepCost", tmp_path)
    with pytest.raises(TaskError, match="max_steps"):
        wrap(TimeLimit(toy(), 5), "StepCost", tmp_path)
    with pytest.raises(TaskError, match="expected a ToolEnv"):
        ToolBudget(gym.make("CartPole-v1"))
    for name in ("BinaryReward", "EfficiencyBonus", "DenseReward"):
        with pytest.raises(TaskError, match="reward_mode"):
            wrap(toy(reward_mode="dense"), name, tmp_path)


def test_the_stack_made_last_is_in_force(tmp_path: Path) -> None:
    base = toy()
    old = ToolBudget(base, calls=0)
    new = ToolBudget(base, calls=5)
    with pytest.raises(TaskError, match="another stack"):
        old.reset(seed=1)
    new.reset(seed=1)
    assert '"ok":true' in new.step(LOOK)[0]


def test_a_wrapper_that_is_refused_leaves_nothing_behind() -> None:
    env = ToolBudget(toy(), calls=5)
    for make in (
        lambda: opsgym.wrappers.DistractorTools(env, forbidden=99),
        lambda: opsgym.wrappers.TimeBudget(env, latency={"nothing": 1.0}),
        lambda: opsgym.wrappers.DenseReward(env, gamma=2.0),
    ):
        with pytest.raises((TaskError, ValueError)):
            make()
        assert base_of(env).layers == (env,)
        env.reset(seed=1)
