"""PlanExecute: a plan first, then tool calls that carry it out."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

from opsgym.baselines.agents.move import Move
from opsgym.baselines.agents.tool_calling import ToolCalling
from opsgym.baselines.agents.tool_text import outline_tools
from opsgym.baselines.chat import ChatModel, Message
from opsgym.baselines.prompt import load_prompt
from opsgym.core.errors import TaskError

__all__ = ["PlanExecute"]


@dataclass(eq=False)
class PlanExecute(ToolCalling):
    """Asks for a plan in words, then calls tools with the plan in sight.

    Source: EnterpriseOps-Gym, D.1.1 (planner and executor, where the planner may be another model) and D.1.3.

    Args:
        planner: The model that plans; by default the one that acts.
        replan_after: Ask for a new plan after this many turns in a row of which every call was refused; ``None`` for never.
    """

    _: KW_ONLY
    planner: ChatModel | None = None
    replan_after: int | None = None
    prompts: ClassVar[tuple[str, ...]] = ("tool_calling", "plan", "planned", "replan")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.replan_after is not None and self.replan_after < 1:
            raise TaskError(f"expected at least 1, got {self.replan_after!r}", field="replan_after")

    async def opening(self) -> str:
        """The brief and the plan."""
        self._refused = 0
        self.plan = await self.make_plan()
        return f"{self.brief}\n\n{load_prompt('planned').fill(plan=self.plan)}"

    async def make_plan(self, *more: str) -> str:
        """Ask the planner.

        Args:
            *more: Further messages after the brief.
        """
        system = load_prompt("plan").fill(tools=outline_tools(self.tools), **self.common)
        user = "\n\n".join((self.brief, *more))
        return self.shortened(await self.ask(self.planner or self.model, self.plain(system, user)))

    def shortened(self, text: str) -> str:
        """The beginning of a text, at most an eighth of ``max_context_chars``: room for the task beside a plan that rambles."""
        return text[: self.max_context_chars // 8]

    @staticmethod
    def plain(system: str, user: str) -> tuple[Message, ...]:
        """A conversation of one question."""
        return Message(role="system", content=system), Message(role="user", content=user)

    async def remarks(self, move: Move, results: Sequence[str]) -> Sequence[Message]:
        """A new plan, after too many refusals."""
        if results:
            self._refused = self._refused + 1 if all(map(is_refusal, results)) else 0
        if self.replan_after is None or self._refused < self.replan_after:
            return ()
        self._refused = 0
        recent = self.talk.exchanges[len(self.talk.exchanges) - self.replan_after + 1 :]
        log = [_text(message) for exchange in recent for message in (exchange.said, *exchange.answers)]
        log += [_text(move.message), *results]
        self.plan = await self.make_plan(load_prompt("replan").fill(plan=self.plan, log=self.shortened("\n".join(log))))
        return (Message(role="user", content=load_prompt("planned").fill(plan=self.plan)),)


def _text(message: Message) -> str:
    return "\n".join([message.content, *(f"{call.name} {call.arguments}" for call in message.calls)]).strip()


def is_refusal(result: str) -> bool:
    """Whether a line of an observation says that a call was refused."""
    try:
        body = json.loads(result)
    except ValueError:
        return False
    return isinstance(body, dict) and body.get("ok") is False
