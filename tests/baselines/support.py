"""What the tests of policies and agents share: tasks, what a model says that knows the solution, and how episodes are played."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from functools import cache
from typing import Any

from opsgym.baselines.agents import ChatAgent
from opsgym.baselines.agents.plan_decompose_execute import DONE
from opsgym.baselines.chat import ChatModel
from opsgym.baselines.models import ScriptedModel
from opsgym.baselines.policy import AsyncPolicy
from opsgym.baselines.registry import AGENTS, make_policy
from opsgym.core.task import Task, ToolCall
from opsgym.envs.tool_env import ToolEnv
from opsgym.evaluate.entry_points import entry_point_of, generate, load_env
from opsgym.evaluate.rollout import Rollout, run_episode_async

FAMILIES = ("ERPBench-v0", "ACEBench-v0")
PLAN = "1. Look around.\n2. Do what the task asks for.\n3. Finish."


@cache
def task_of(env_id: str, seed: int = 5, tier: str = "easy") -> Task:
    """A task, compiled once."""
    return Task.from_json(generate(entry_point_of(env_id), seed, tier))


def env_of(env_id: str, **arguments: Any) -> ToolEnv:
    """An environment without wrappers."""
    return load_env(entry_point_of(env_id), cache=None, **arguments)


def as_react(call: ToolCall) -> str:
    """A call as ReAct writes it."""
    return f"Thought: this is next.\nAction: {call.name}\nAction Input: {json.dumps(call.arguments)}"


def script_of(name: str, calls: Sequence[ToolCall]) -> list[Any]:
    """What a model says that knows the solution, to the agent of that name."""
    if name == "react":
        return [as_react(call) for call in calls]
    if name == "constrained":
        return [call.model_dump_json() for call in calls]
    if name == "plan-execute":
        return [PLAN, *calls]
    if name == "plan-decompose-execute":
        half = len(calls) // 2
        handover = ToolCall(name=DONE, arguments={"notes": "the first half is done"})
        return [PLAN, "1. The first half.\n2. The rest.", *calls[:half], handover, *calls[half:]]
    return list(calls)


def agent_of(name: str, env: ToolEnv, script: ChatModel | Sequence[Any], **options: Any) -> ChatAgent:
    """An agent that asks a model or plays a script."""
    model = ScriptedModel(script) if isinstance(script, Sequence) else script
    made = make_policy(name, env.family, model=model, **options)
    assert isinstance(made, AGENTS[name])
    return made


def play(env: ToolEnv, policy: AsyncPolicy, task: Task) -> Rollout:
    """Play one episode in an event loop of its own."""
    return asyncio.run(run_episode_async(env, policy, task=task))
