"""Move: a model's message read as tool calls, and the action that the environment gets for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from opsgym.baselines.chat import Message
from opsgym.core.actions import MalformedAction, parse_actions
from opsgym.core.task import ToolCall, canonical_json
from opsgym.core.tools import Toolbox

__all__ = ["Move", "read_move", "results_of", "with_own_ids"]


@dataclass(frozen=True)
class Move:
    """What a message asks for.

    Attributes:
        message: The model's message.
        calls: Its calls in order, never empty; what cannot be read is a :class:`~opsgym.core.actions.MalformedAction`.
        sent: How many of them go to the environment.
        held: What answers each of the others.
    """

    message: Message
    calls: tuple[ToolCall | MalformedAction, ...]
    sent: int
    held: tuple[str, ...] = ()

    @property
    def readable(self) -> bool:
        """Whether every call can be read."""
        return all(isinstance(call, ToolCall) for call in self.calls)

    @property
    def action(self) -> Any:
        """What the environment gets: calls where all can be read and none stands in text, else the model's own text."""
        calls = self.calls[: self.sent]
        if all(isinstance(call, ToolCall) for call in calls) and (self.message.calls or self.held):
            return list(calls)
        if not self.message.calls:
            return self.message.content
        native = self.message.calls[: self.sent]
        return canonical_json([{"function": {"name": call.name, "arguments": call.arguments}} for call in native])

    def upto(self, place: int, *held: str) -> Move:
        """The move up to a call; that one and the later ones are answered by the agent itself."""
        rest = ["Not carried out."] * (len(self.calls) - place - len(held))
        return Move(self.message, self.calls, place, (*held, *rest))

    def answers(self, results: Sequence[str], prefix: str = "") -> tuple[Message, ...]:
        """The messages that answer it: one for each native call, or one for all calls in text.

        Args:
            results: A result for each call, those of the environment and those held back.
            prefix: What stands before results that answer text.
        """
        if self.message.calls:
            pairs = zip(self.message.calls, results, strict=True)
            return tuple(Message(role="tool", content=result, call_id=call.id) for call, result in pairs)
        return (Message(role="user", content=prefix + "\n".join(results)),)


def read_move(message: Message, tools: Toolbox, *, max_calls: int, max_chars: int) -> Move:
    """Read a message: its native calls, else the calls in its text.

    Args:
        message: The model's message.
        tools: The tools on offer.
        max_calls: Greatest number of calls in one action.
        max_chars: Greatest length of an action.
    """
    if message.calls:
        fields = [{"function": {"name": call.name, "arguments": call.arguments}} for call in message.calls]
        calls = tuple(parse_actions(each, tools).calls[0] for each in fields)
    else:
        calls = parse_actions(message.content, tools, max_calls=max_calls, max_chars=max_chars).calls
    return Move(message, calls, len(calls))


def results_of(observation: str, count: int) -> list[str]:
    r"""The environment's answer as one result a call.

    An environment answers with a line a call; where it says less, because it refused the action as a whole or a wrapper
    rewrote the text, the first call gets it all.  Messages of a team's colleagues, which follow the answers, go with the last.

    Example:
        >>> results_of('1\n2\n{"message":{}}', 2)
        ['1', '2\n{"message":{}}']
    """
    lines = observation.split("\n")
    if len(lines) > count and all(line.startswith('{"message":') for line in lines[count:]):
        lines[count - 1 :] = ["\n".join(lines[count - 1 :])]
    if len(lines) == count:
        return lines
    return [observation, *["See the first result."] * (count - 1)]


def with_own_ids(message: Message) -> Message:
    """The message with an id of its own for each call.

    Small servers leave ids out or repeat them; the next request would then be refused, for its results could not be told apart.
    """
    given = [call.id for call in message.calls]
    if all(given) and len(set(given)) == len(given):
        return message
    calls = tuple(call.model_copy(update={"id": f"call_{place}"}) for place, call in enumerate(message.calls))
    return message.model_copy(update={"calls": calls, "native": ()})  # the server's own blocks hold the old ids
