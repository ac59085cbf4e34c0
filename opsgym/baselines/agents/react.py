"""ReAct: thought and action in text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from opsgym.baselines.agents.chat_agent import ChatAgent
from opsgym.baselines.agents.tool_text import write_tools
from opsgym.baselines.prompt import load_prompt

__all__ = ["ReAct"]


@dataclass(eq=False)
class ReAct(ChatAgent):
    """Writes a thought, an action and its input as text, and reads the observation; needs no tool calling of the server.

    Source: Yao et al., ReAct (2022); EnterpriseOps-Gym, section 4.1, uses such a loop as its baseline.
    """

    prompts: ClassVar[tuple[str, ...]] = ("react",)
    prefix: ClassVar[str] = "Observation: "
    stop: ClassVar[tuple[str, ...]] = ("\nObservation:",)

    async def open(self) -> None:
        """Put the tools into the prompt."""
        self.start_talk(load_prompt("react").fill(tools=write_tools(self.tools), **self.common), self.brief)
