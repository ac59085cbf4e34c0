"""Policies: who waits, what it used, and how to use an agent without asyncio."""

from __future__ import annotations

import asyncio
import threading

import pytest

from opsgym.baselines.blocking import Blocking
from opsgym.baselines.chat import Usage
from opsgym.baselines.models import ScriptedModel
from opsgym.baselines.policy import is_async, usage_of
from opsgym.baselines.scripted import DoNothing
from opsgym.core.errors import ModelError
from opsgym.evaluate.rollout import run_episode
from tests.baselines.support import agent_of, env_of, task_of


def test_a_policy_that_keeps_no_count_has_used_nothing() -> None:
    assert usage_of(DoNothing()) == Usage() and not is_async(DoNothing())


def test_a_blocking_agent_plays_as_a_plain_policy_and_its_usage_is_seen() -> None:
    env, task = env_of("ACEBench-v0"), task_of("ACEBench-v0")
    model = ScriptedModel(list(task.oracle), usage=Usage(prompt_tokens=10, cost=0.5))
    with Blocking(agent_of("tool-calling", env, model)) as policy:
        assert not is_async(policy)
        assert run_episode(env, policy, task=task).reward == 1.0
        assert usage_of(policy) == Usage(prompt_tokens=10 * len(task.oracle), cost=0.5 * len(task.oracle))


def test_it_works_where_an_event_loop_is_running() -> None:
    env, task = env_of("ACEBench-v0"), task_of("ACEBench-v0")

    async def notebook() -> float:
        with Blocking(agent_of("tool-calling", env, list(task.oracle))) as policy:
            return run_episode(env, policy, task=task).reward

    assert asyncio.run(notebook()) == 1.0


def test_errors_reach_the_caller_and_no_thread_is_left() -> None:
    env, task = env_of("ACEBench-v0"), task_of("ACEBench-v0")
    before = threading.active_count()
    policy = Blocking(agent_of("tool-calling", env, []))
    with pytest.raises(ModelError, match="used up"):
        run_episode(env, policy, task=task)
    policy.close()
    policy.close()
    assert threading.active_count() == before
