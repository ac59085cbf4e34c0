"""Policies and scripted models of roles, for the tests of runs of teams."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from opsgym.baselines.chat import ChatRequest
from opsgym.baselines.models import ScriptedModel
from opsgym.core.errors import ModelError
from opsgym.core.task import Task, ToolCall
from opsgym.envs.tool_env import ToolEnv

HERE = __name__
PAIR = "PlannerExecutor-v0"
ACE = {"family": "ACEBench-v0"}


def as_message(task: Task) -> str:
    """What a planner says that knows the solution."""
    return "\n".join(call.model_dump_json() for call in task.oracle)


def planner_script(task: Task, path: Path) -> str:
    """A file in which a planner tells the solution, then waits for ever."""
    calls = [ToolCall(name="message", arguments={"text": as_message(task)}), *[ToolCall(name="wait")] * 20]
    path.write_text("".join(json.dumps({"calls": [call.model_dump()]}) + "\n" for call in calls))
    return f"scripted:{path}"


def obeying() -> ScriptedModel:
    """A model of an executor that makes the calls of the messages in its last answers."""

    def reply(request: ChatRequest) -> list[ToolCall]:
        lines = [line for line in request.messages[-1].content.splitlines() if line.startswith('{"message"')]
        told = [call for line in lines for call in json.loads(line)["message"]["text"].splitlines()]
        return [ToolCall.model_validate_json(call) for call in told] or [ToolCall(name="wait")]

    return ScriptedModel(reply, name="obeying")


def broken() -> ScriptedModel:
    """A model whose server is down."""
    return ScriptedModel(lambda request: ModelError("server", "is down"), name="broken")


class Noted:
    """Waits, and notes with what seed it was made."""

    seeds: list[int] = []  # noqa: RUF012  # shared on purpose: every trial makes its own policies

    def __init__(self, *, seed: int, patience: int = 0) -> None:
        self.seeds.append(seed)
        self.patience = patience

    def begin(self, env: ToolEnv, observation: str, info: Mapping[str, Any]) -> None:
        self.brief = observation

    def act(self, observation: str) -> Any:
        return ToolCall(name="wait")
