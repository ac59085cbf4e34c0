"""Scripted planner and executor: the first says the reference solution, the second does what it is told."""

from __future__ import annotations

import json
from collections.abc import Iterable

from opsgym.core.task import Task

__all__ = ["Approver", "PlanReader", "PlanTeller", "planner_messages"]

_MESSAGE = '{"message":'
"""How the lines of messages begin."""


def planner_messages(task: Task, limit: int = 4000) -> list[str]:
    """The reference solution as messages of a planner: a call a line, and no message longer than ``limit`` characters.

    A call that is longer goes on in the next message.
    """
    messages: list[str] = []
    for call in task.oracle:
        line = f"{call.model_dump_json()}\n"
        for piece in (line[start : start + limit] for start in range(0, len(line), limit)):
            if messages and len(messages[-1]) + len(piece) <= limit:
                messages[-1] += piece
            else:
                messages.append(piece)
    return messages


class PlanTeller:
    """A planner that sends its messages one a turn, then waits.

    Args:
        messages: What it says.
    """

    def __init__(self, messages: Iterable[str]) -> None:
        self._rest = iter(messages)

    def act(self, text: str, tools: Iterable[str] = ()) -> str:
        """The next message."""
        said = next(self._rest, None)
        return _call("wait") if said is None else _call("message", text=said)


class PlanReader:
    """An executor that makes the calls of the messages that it gets, in their order, up to ten a turn."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self._begun = ""

    def act(self, text: str, tools: Iterable[str] = ()) -> str:
        """The next action, given what the executor observes."""
        for line in text.splitlines():
            if line.startswith(_MESSAGE):
                self._begun += json.loads(line)["message"]["text"]
        *whole, self._begun = self._begun.split("\n")
        self.calls += whole
        now, self.calls = self.calls[:10], self.calls[10:]
        return "\n".join(now) or _call("wait")


class Approver:
    """A checker that approves whatever was handed in."""

    def act(self, text: str, tools: Iterable[str] = ()) -> str:
        """The approval."""
        return _call("approve")


def _call(name: str, **arguments: str) -> str:
    return json.dumps({"name": name, "arguments": arguments})
