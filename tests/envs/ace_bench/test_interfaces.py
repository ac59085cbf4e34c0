"""Masks never lead into a dead end, and text and numbers are two ways to say the same: same states, same verdict."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable
from functools import cache
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from opsgym.core.task import Task, ToolCall
from opsgym.envs.ace_bench.compiler import compile_params, truth_of
from opsgym.envs.ace_bench.discrete import DiscreteView
from opsgym.envs.ace_bench.env import ACEBenchEnv
from opsgym.envs.ace_bench.family import board_of
from opsgym.envs.ace_bench.params import draw_params
from opsgym.envs.ace_bench.rules import Bools

VIEW = DiscreteView()
STEPS = 80
"""Turn budget of the episodes here: more than the longest walk and the longest solution together."""

MASKS: dict[str, Callable[[ACEBenchEnv], Bools]] = {
    "of the environment": lambda env: env.action_masks(),
    "done on a full grid only": lambda env: importlib.import_module("examples.train_maskable_ppo").masks(env),
}
"""Every level of masking that agents here are trained with."""


@cache
def task_of(tier: str, seed: int) -> Task:
    return compile_params(draw_params(seed, tier=tier), seed, tier=tier)


@cache
def env_of(interface: str, max_steps: int = STEPS) -> ACEBenchEnv:
    env = gym.make("ACEBench-v0", interface=interface, cache=None, max_steps=max_steps, disable_env_checker=True).unwrapped
    assert isinstance(env, ACEBenchEnv)
    return env


def missing(env: ACEBenchEnv) -> list[int]:
    """The choices that are left to make, as actions: those of the solution that are not held."""
    positions = VIEW.table(board_of(env.task)).positions
    return [
        slot * VIEW.choices + positions[slot].index(truth)
        for slot, (truth, held) in enumerate(zip(truth_of(env.task), env.world.held, strict=True))
        if truth != held
    ]


tasks = st.builds(task_of, st.sampled_from(["easy", "medium"]), st.integers(0, 5))
walks = st.lists(st.floats(0, 1, exclude_max=True), max_size=STEPS - 20)


@pytest.mark.parametrize("level", MASKS)
@settings(max_examples=60)
@given(task=tasks, walk=walks)
def test_from_wherever_a_mask_has_led_the_solution_is_allowed_and_wins(level: str, task: Task, walk: list[float]) -> None:
    env, mask = env_of("discrete"), MASKS[level]
    env.reset(options={"task": task})
    for pick in walk:
        allowed = np.flatnonzero(mask(env))
        assert len(allowed), "something can always be done"
        others = allowed[allowed != VIEW.done]
        if not len(others):
            break
        *_, terminated, truncated, _ = env.step(int(others[int(pick * len(others))]))
        assert not terminated and not truncated
    assert len(env.transcript) + len(missing(env)) < STEPS, "the walk has left the turns for it"
    while left := missing(env):
        assert mask(env)[left[0]]
        env.step(left[0])
    assert mask(env)[VIEW.done]
    _, reward, terminated, _, info = env.step(VIEW.done)
    assert (reward, terminated, info["is_success"]) == (1.0, True, True)


@pytest.mark.parametrize("turns", [0, -1], ids=["enough", "one too few"])
@pytest.mark.parametrize("tier", ["easy", "medium"])
def test_a_grid_that_is_full_with_the_last_turn_is_judged_too(tier: str, turns: int) -> None:
    task = task_of(tier, 0)
    env = env_of("discrete", len(truth_of(task)) + turns)
    env.reset(options={"task": task})
    for action in missing(env)[: env.max_steps]:
        _, reward, terminated, truncated, info = env.step(action)
    assert (reward, terminated, truncated, info["is_success"]) == (1.0 + turns, False, True, turns == 0)


def spoken(action: int, env: ACEBenchEnv) -> ToolCall | str:
    """An action as the tool call that it stands for."""
    return VIEW.call(action, env.world)


@settings(max_examples=80)
@given(task=tasks, log=st.lists(st.integers(0, VIEW.done), max_size=40), ends=st.booleans(), solved=st.booleans())
def test_text_calls_and_numbers_reach_the_same_states_and_verdict(task: Task, log: list[int], ends: bool, solved: bool) -> None:
    """The same log, legal or not, as numbers, as calls and as text; the numbers' last act may be to solve the task."""
    numbers, text = env_of("discrete"), env_of("text")
    calls = ACEBenchEnv(interface="text", cache=None, max_steps=STEPS)
    for env in (numbers, text, calls):
        env.reset(options={"task": task})
    actions = [action for action in log if action != VIEW.done]
    while actions or solved or ends:
        if not actions:
            actions, solved = (missing(numbers) if solved else []), False
            if not actions:
                actions, ends = [VIEW.done], False
        action = actions.pop(0)
        call = spoken(action, numbers)
        as_text = call if isinstance(call, str) else json.dumps({"name": call.name, "arguments": call.arguments})
        results = [env.step(form) for env, form in ((numbers, np.int64(action)), (text, as_text), (calls, call))]
        infos = [{name: value for name, value in result[4].items() if name != "text"} for result in results]
        assert infos[0] == infos[1] == infos[2], "counters, verdict and success"
        assert results[0][4]["text"] == results[1][0] == results[2][0], "what the tools answered"
        assert [result[1:4] for result in results[1:]] == [results[0][1:4]] * 2
        assert numbers.world.digest() == text.world.digest() == calls.world.digest()
    verdicts = [env.verdict().as_dict() for env in (numbers, text, calls)]
    assert verdicts[0] == verdicts[1] == verdicts[2]


@settings(max_examples=40)
@given(task=tasks, picks=st.lists(st.tuples(st.integers(0, 10), st.integers(0, 3)), max_size=25))
def test_a_log_of_text_leads_to_the_same_state_under_both_interfaces(task: Task, picks: list[tuple[int, int]]) -> None:
    """Readings and checks too, which have no number."""
    envs = [env_of("discrete"), env_of("text")]
    for env in envs:
        env.reset(options={"task": task})
    board = board_of(task)
    names = list(envs[0].tools)
    for pick, number in picks:
        slot = number % len(board.candidates)
        row, col = divmod(board.instance.slots[slot].cell, board.cols)
        arguments: dict[str, Any] = {"row": row, "col": col}
        attribute = board.instance.slots[slot].rules[0] if board.instance.slots[slot].rules else None
        if names[pick] == "set_slot":
            arguments["id"] = board.candidates[slot][number]
        elif "query" in names[pick] and "candidate" in names[pick] and attribute is not None:
            arguments |= {"field": attribute.attribute, "operator": attribute.sense, "value": attribute.bound}
        action = json.dumps({"name": names[pick], "arguments": arguments})
        (_, *one, seen), (text, *two, told) = (env.step(action) for env in envs)
        assert one == two and seen.pop("text") == text and seen == told
        assert envs[0].world.digest() == envs[1].world.digest()
        if one[1]:
            break
    assert envs[0].verdict().as_dict() == envs[1].verdict().as_dict()
