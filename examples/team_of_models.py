"""A team of language models on PlannerExecutor-v0: offline with scripted models, or with real ones.

A planner reads the request and tells an executor what to do; a checker looks at what was handed in.  Run with
``python examples/team_of_models.py``, or for models of your own
``OPSGYM_MODEL=openai:NAME OPSGYM_BASE_URL=http://localhost:8000/v1 python examples/team_of_models.py``.
"""

from __future__ import annotations

import json
import os
import tempfile
from typing import Any

import gymnasium as gym

import opsgym  # noqa: F401  # registers the ids
from opsgym.baselines.chat import ChatRequest
from opsgym.baselines.models import ScriptedModel
from opsgym.core.task import Task, ToolCall
from opsgym.evaluate import evaluate_team

TEAM = {"planner_0": "react", "executor_0": "tool-calling", "checker_0": "tool-calling"}


def planner(task: Task) -> ScriptedModel:
    """Stands for a model that knows the answer: it says it in one message, then waits."""

    def reply(request: ChatRequest) -> str:
        if any(message.role == "assistant" for message in request.messages):
            return "Thought: the executor is at work.\nAction: wait\nAction Input: {}"
        steps = "\n".join(call.model_dump_json() for call in task.oracle)
        return f"Thought: I know what is to be done.\nAction: message\nAction Input: {json.dumps({'text': steps})}"

    return ScriptedModel(reply, name="planner")


def executor() -> ScriptedModel:
    """Stands for a model that does what it is told: it reads the last messages for calls."""

    def reply(request: ChatRequest) -> list[ToolCall]:
        lines = [line for line in request.messages[-1].content.splitlines() if line.startswith('{"message"')]
        told = [call for line in lines for call in json.loads(line)["message"]["text"].splitlines()]
        return [ToolCall.model_validate_json(call) for call in told] or [ToolCall(name="wait")]

    return ScriptedModel(reply, name="executor")


def checker() -> ScriptedModel:
    """Stands for a model that looks at the books, then approves."""
    return ScriptedModel([ToolCall(name="list_purchase_orders"), ToolCall(name="approve")], name="checker")


def main() -> None:
    """Play one task, and print who said what and the verdict."""
    env = gym.make("ERPBench-v0", pattern="repair_plan_easy")
    env.reset(seed=5)
    task = env.unwrapped.task
    models: Any = {"planner_0": planner(task), "executor_0": executor(), "checker_0": checker()}
    asked = os.environ.get("OPSGYM_MODEL", models)
    with tempfile.TemporaryDirectory() as directory:
        run = evaluate_team(
            "PlannerExecutor-v0",
            TEAM,
            out=directory,
            tasks=[task],
            model=asked,
            base_url=os.environ.get("OPSGYM_BASE_URL"),
            env_options={"family": "ERPBench-v0", "checker": True, "max_cycles": 40},
        )
        ((result, episode),) = run.directory.trajectories()
    for step in episode.steps:
        print(f"{step.action['agent']}> {step.action['action'][:300]}\n{step.observation[:200]}\n")
    for role, part in result.roles.items():
        print(f"{role}: {part.turns} turns, {part.calls} calls, {part.messages} messages")
    print(f"reward {result.score:.2f}, {'solved' if result.is_success else 'not solved'}")


if __name__ == "__main__":
    main()
