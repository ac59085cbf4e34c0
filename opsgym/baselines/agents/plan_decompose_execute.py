"""PlanDecomposeExecute: a plan, subtasks, and an executor for each that sees only the notes of those before."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import ClassVar

from opsgym.baselines.agents.move import Move
from opsgym.baselines.agents.plan_execute import PlanExecute
from opsgym.baselines.prompt import load_prompt
from opsgym.core.actions import MalformedAction
from opsgym.core.errors import TaskError
from opsgym.core.task import JsonDict, ToolCall

__all__ = ["DONE", "PlanDecomposeExecute"]

DONE = "finish_subtask"
"""Name of the tool by which an executor hands over to the next; the agent's own, the environment never sees it."""

_ITEM = re.compile(r"^\s*(?:\*\*)?\d+[.):]\s*(.+)$", re.MULTILINE)

_SCHEMA: JsonDict = {
    "type": "function",
    "function": {
        "name": DONE,
        "description": "End your subtask and hand over to the next person.",
        "parameters": {
            "type": "object",
            "properties": {"notes": {"type": "string", "description": "What those who follow need to know."}},
            "required": ["notes"],
            "additionalProperties": False,
        },
    },
}


@dataclass(eq=False)
class PlanDecomposeExecute(PlanExecute):
    """Asks for a plan, divides it into subtasks, and carries them out one after another, each in a conversation of its own.

    What the executors share is the task, the plan and the notes that each leaves at its end.
    Source: EnterpriseOps-Gym, D.1.3 (planner, decomposition, subtask executors), where it does worse than planning alone
    because later steps depend on the state that earlier ones leave.

    Args:
        max_subtasks: Most subtasks; what the model lists beyond is added to the last.
        max_subtask_turns: Turns after which an executor is replaced by the next, without notes.
    """

    _: KW_ONLY
    max_subtasks: int = 8
    max_subtask_turns: int = 60
    _notes: str | None = field(default=None, init=False, repr=False)
    prompts: ClassVar[tuple[str, ...]] = ("tool_calling", "plan", "decompose", "subtask", "planned", "replan")

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("max_subtasks", "max_subtask_turns"):
            if getattr(self, name) < 1:
                raise TaskError(f"expected at least 1, got {getattr(self, name)!r}", field=name)

    async def open(self) -> None:
        """Plan, divide, and start with the first subtask."""
        self._refused = 0
        self.plan = await self.make_plan()
        system = load_prompt("plan").fill(tools="", **self.common)
        question = load_prompt("decompose").fill(plan=self.plan, most=self.max_subtasks, finish=self.finish)
        listed = await self.ask(self.planner or self.model, self.plain(system, f"{self.brief}\n\n{question}"))
        self.subtasks = _items(self.shortened(listed), self.max_subtasks)
        self.memory: list[str] = []
        self._start_subtask()

    def offer(self) -> tuple[JsonDict, ...]:
        """All tools, and the one that ends a subtask."""
        return (*super().offer(), _SCHEMA)

    def hold(self, move: Move) -> Move:
        """Keep the end of a subtask from the environment."""
        place = next((place for place, call in enumerate(move.calls) if _is_done(call)), None)
        end = self.place_of_end(move)
        if place is None or (end is not None and end < place):
            return super().hold(move)
        self._notes = _notes(move.calls[place])
        return move.upto(place, "Noted.")

    async def hear(self, move: Move, results: Sequence[str]) -> None:
        """Take up the results, and go on with the next subtask where one ended."""
        await super().hear(move, results)
        self._subtask_turns += bool(results)
        if self._notes is not None:
            self._end_subtask(self._notes)
        elif self._subtask_turns >= self.max_subtask_turns:
            self._end_subtask("(not finished within its turns)")

    def is_done(self) -> bool:
        """Whether the last subtask has ended."""
        return len(self.memory) == len(self.subtasks)

    def _end_subtask(self, notes: str) -> None:
        self.memory.append(notes)
        if not self.is_done():
            self._start_subtask()

    def _start_subtask(self) -> None:
        self._notes = None
        number, count = len(self.memory) + 1, len(self.subtasks)
        last = f"Yours is the last subtask: finish with the tool {self.finish} instead."
        notes = [f"{place}. {text}" for place, text in enumerate(self.memory, start=1)]
        text = load_prompt("subtask").fill(
            plan=self.plan,
            memory=self.shortened("\n".join(notes)) or "(none)",
            number=number,
            count=count,
            subtask=self.subtasks[number - 1],
            done=DONE,
            ending=last if number == count else f"Leave the tool {self.finish} to the last.",
        )
        self._subtask_turns = 0
        self.start_talk(load_prompt("tool_calling").fill(**self.common), f"{self.brief}\n\n{text}")


def _is_done(call: ToolCall | MalformedAction) -> bool:
    return isinstance(call, ToolCall) and call.name == DONE


def _notes(call: ToolCall | MalformedAction) -> str:
    return str(call.arguments.get("notes", "")) if isinstance(call, ToolCall) else ""


def _items(text: str, most: int) -> list[str]:
    """The entries of a numbered list; the whole text where there is none."""
    found = [item.strip() for item in _ITEM.findall(text)] or [text.strip()]
    return [*found[: most - 1], "\n".join(found[most - 1 :])] if len(found) > most else found
