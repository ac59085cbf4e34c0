"""Rollouts and policies: what is recorded is what happened."""

from __future__ import annotations

import json

import gymnasium as gym
import pytest

from opsgym.baselines.registry import make_policy
from opsgym.baselines.scripted import Scripted, finishing_call
from opsgym.core.errors import RegistryError, TaskError
from opsgym.core.tools import Toolbox, tool
from opsgym.evaluate.rollout import run_episode
from tests.envs.toy_family import ToyEnv, ToyFamily


def test_the_record_agrees_with_the_episode() -> None:
    env = ToyEnv(cache=None, params={"counters": 2})
    rollout = run_episode(env, make_policy("oracle", ToyFamily()), seed=3)
    assert (rollout.reward, rollout.is_success, rollout.terminated, rollout.calls) == (1.0, True, True, 3)
    assert rollout.checks_passed == (2, 2)
    assert [turn.action for turn in rollout.turns] == [call.model_dump_json() for call in env.task.oracle]
    assert (rollout.task_id, rollout.tier) == (env.task.id, "easy")
    json.dumps(rollout.as_dict())


def test_a_task_can_be_handed_in_and_wrappers_are_welcome() -> None:
    env = ToyEnv(cache=None)
    env.reset(seed=9)
    task = env.task
    wrapped = gym.wrappers.OrderEnforcing(ToyEnv(cache=None))
    assert run_episode(wrapped, make_policy("submit_at_once", ToyFamily()), task=task).task_id == task.id


@pytest.mark.parametrize("name", ["do-nothing", "submit-at-once", "echo", "garbage", "random-valid"])
def test_fixed_policies_are_repeatable_and_stay_at_the_floor(name: str) -> None:
    env = ToyEnv(cache=None, tier="medium")
    first, second = (run_episode(env, make_policy(name, ToyFamily()), seed=4) for _ in range(2))
    assert first == second
    assert first.reward <= 0.25


def test_a_script_that_runs_out_says_nothing_until_the_budget_ends() -> None:
    env = ToyEnv(cache=None, max_steps=4)
    rollout = run_episode(env, Scripted(['{"name": "look"}']), seed=1)
    assert [turn.action for turn in rollout.turns] == ['{"name": "look"}', "", "", ""]
    assert not rollout.terminated


def test_unknown_policies_and_other_environments_are_refused() -> None:
    with pytest.raises(RegistryError, match="random-valid"):
        make_policy("genius", ToyFamily())
    with pytest.raises(TaskError, match="ToolEnv"):
        run_episode(gym.make("CartPole-v1"), make_policy("echo", ToyFamily()))


def test_an_episode_is_ended_by_whatever_tool_ends_it_without_arguments() -> None:
    @tool(terminal=True)
    def refuse(session: object, reason: str) -> None:
        """Refuse."""

    @tool(terminal=True)
    def finish(session: object) -> None:
        """Finish."""

    assert finishing_call(Toolbox([refuse, finish])).name == "finish"
    assert finishing_call(ToyEnv(cache=None).tools).name == "submit"
