"""ToolCalling: the server's own tool calls."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from opsgym.baselines.agents.chat_agent import ChatAgent
from opsgym.baselines.prompt import load_prompt
from opsgym.core.task import JsonDict

__all__ = ["ToolCalling"]


@dataclass(eq=False)
class ToolCalling(ChatAgent):
    """Calls tools natively, several in a turn if it likes; each call is answered by a message of its own.

    A call that the model writes into its text instead, as small models do, is carried out all the same.
    """

    prompts: ClassVar[tuple[str, ...]] = ("tool_calling",)

    async def open(self) -> None:
        """Start with the brief."""
        self.start_talk(load_prompt("tool_calling").fill(**self.common), await self.opening())

    async def opening(self) -> str:
        """The first message: the brief, and what else the model is to know."""
        return self.brief

    def offer(self) -> tuple[JsonDict, ...]:
        """All tools."""
        return tuple(self.info["tools"])
