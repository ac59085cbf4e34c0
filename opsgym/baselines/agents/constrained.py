"""Constrained: replies that cannot be anything but legal calls."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from opsgym.baselines.agents.call_schema import schema_of_calls, schema_of_tools
from opsgym.baselines.agents.chat_agent import ChatAgent
from opsgym.baselines.agents.move import Move
from opsgym.baselines.agents.tool_text import write_tools
from opsgym.baselines.chat import Message
from opsgym.baselines.prompt import load_prompt
from opsgym.core.task import JsonDict, ToolCall

__all__ = ["Constrained"]


@dataclass(eq=False)
class Constrained(ChatAgent):
    """Hands the server a JSON schema of what may be called now, so that even a small model writes only legal calls.

    Where the family enumerates what makes sense in the present state (:meth:`Family.candidates
    <opsgym.core.family.Family.candidates>`, the mask of :class:`~opsgym.wrappers.DiscreteToolActions`), the schema holds exactly
    these calls, anew in every turn; else it holds the tools with the schemas of their arguments.  Servers that enforce schemas:
    vLLM, llama.cpp, Ollama.  With one that does not, a reply outside the list is asked for again.

    The enumeration knows no solution, but it is help: it says which calls make sense.  Compare scores with those of other
    policies that choose from it, not with free agents'.

    Args:
        mask: Whether the family's enumeration is used, where there is one.
        list_chars: Most characters of the list of calls that ends each request; calls beyond are in the schema alone.
        max_tokens: Most tokens of a reply: one call.
    """

    mask: bool = True
    list_chars: int = 8_000
    max_tokens: int = 512
    prompts: ClassVar[tuple[str, ...]] = ("constrained",)
    prefix: ClassVar[str] = "Result: "

    async def open(self) -> None:
        """Start with the brief; the tools are described where no mask says what may be called."""
        described = "" if self.legal_calls() else f"Tools:\n\n{write_tools(self.tools)}"
        self.start_talk(load_prompt("constrained").fill(tools=described, **self.common), self.brief)

    def legal_calls(self) -> Sequence[ToolCall] | None:
        """The calls on offer in the present state; ``None`` where the family has no enumeration."""
        env = self.env
        if not self.mask or env.harness != env.family.harnesses[0]:
            return None
        return env.family.candidates(env.family.session(env.world, env.task), env.task) or None

    def schema(self) -> JsonDict:
        """See :mod:`opsgym.baselines.agents.call_schema`."""
        calls = self.legal_calls()
        return schema_of_calls(calls) if calls else schema_of_tools(self.info["tools"])

    def messages(self) -> tuple[Message, ...]:
        """The conversation, with the calls on offer at its end."""
        *before, last = self.talk.messages
        return (*before, last.model_copy(update={"content": last.content + self._listed()}))

    @property
    def extra_chars(self) -> int:
        """Room for the list of calls."""
        return self.list_chars

    def objections(self, move: Move) -> Sequence[str] | None:
        """Also object to calls that are not on offer."""
        calls = self.legal_calls()
        if not move.readable or not calls or all(call in calls for call in move.calls):
            return super().objections(move)
        return [load_prompt("no_call").fill(problem="Write one of the calls that are listed.")] * len(move.calls)

    def _listed(self) -> str:
        """The calls on offer as text, as many as there is room for."""
        text = "\n\nCalls on offer:"
        for call in self.legal_calls() or ():
            line = "\n" + json.dumps(call.model_dump(), ensure_ascii=False)
            if len(text) + len(line) > self.list_chars:
                break
            text += line
        return text if "\n{" in text else ""
