"""Conversation: what an agent and its model have said, kept within a number of characters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from opsgym.baselines.chat import Message
from opsgym.core.errors import TaskError
from opsgym.core.task import canonical_json
from opsgym.wrappers.observation_limit import shorten

__all__ = ["LEFT_OUT", "Conversation", "Exchange", "size_of"]

LEFT_OUT = "[result left out]"
"""What stands in place of a dropped result."""

NOTE = "\n\n[{dropped} earlier turns left out]"
"""What the last message of the head says at its end of turns that are gone."""

_NOTE_ROOM = 64
_SLACK = 0.75
"""Share of the limit down to which a conversation is shortened, so that it does not change its beginning at every turn."""


@dataclass(frozen=True)
class Exchange:
    """A message of the model, and what answers it: dropped together or not at all."""

    said: Message
    answers: tuple[Message, ...]

    @property
    def size(self) -> int:
        """Its characters."""
        return size_of((self.said, *self.answers))

    def without_results(self) -> Exchange:
        """The same with short notes in place of long answers."""
        return replace(self, answers=tuple(_emptied(message) for message in self.answers))

    def cut(self, room: int) -> Exchange:
        """The same with every answer cut to its part of what room there is beside the calls, if there is any."""
        bare = replace(self, answers=tuple(message.model_copy(update={"content": ""}) for message in self.answers))
        part = max(0, room - bare.size) // len(self.answers) if self.answers else 0
        cut = (message.model_copy(update={"content": shorten(message.content, part)}) for message in self.answers)
        return replace(self, answers=tuple(cut))


class Conversation:
    """A head that stays, and exchanges of which the oldest are shortened or dropped when the room is used up.

    When the limit is passed, the oldest results are replaced by a note, then the oldest exchanges are dropped whole.  A result is
    never separated from its call.  Of the last exchange results are cut only where they do not fit alone.

    Args:
        head: The first messages: system, brief, and what stays in sight.
        limit: Most characters in all, as :func:`size_of` counts them.
        extra: Characters sent with every request beside the messages, such as the tools' schemas.

    Raises:
        TaskError: The head alone does not fit.
    """

    def __init__(self, head: Sequence[Message], *, limit: int, extra: int = 0) -> None:
        needed = size_of(head) + extra + _NOTE_ROOM
        if needed > limit:
            message = f"expected room for the brief, the prompt and the tools ({needed} characters), got {limit}"
            raise TaskError(message, field="max_context_chars")
        self._head = tuple(head)
        self._room = limit - needed
        self._exchanges: list[Exchange] = []
        self._dropped = 0

    def add(self, said: Message, answers: Sequence[Message]) -> None:
        """Take up a message of the model and what answers it."""
        if not said.calls and not said.content.strip():
            said = said.model_copy(update={"content": "(no answer)"})  # servers refuse an empty message of the assistant
        self._exchanges.append(Exchange(said, tuple(answers)))
        if self._size > self._room:
            self._shorten(int(self._room * _SLACK))

    @property
    def messages(self) -> tuple[Message, ...]:
        """All messages, in order."""
        *first, last = self._head
        if self._dropped:
            last = last.model_copy(update={"content": last.content + NOTE.format(dropped=self._dropped)})
        return (*first, last, *(message for each in self._exchanges for message in (each.said, *each.answers)))

    @property
    def exchanges(self) -> tuple[Exchange, ...]:
        """What is left of the exchanges."""
        return tuple(self._exchanges)

    @property
    def _size(self) -> int:
        return sum(exchange.size for exchange in self._exchanges)

    def _shorten(self, target: int) -> None:
        for place in range(len(self._exchanges) - 1):
            if self._size <= target:
                return
            self._exchanges[place] = self._exchanges[place].without_results()
        while len(self._exchanges) > 1 and self._size > target:
            self._drop()
        if self._size > self._room:
            self._exchanges[-1] = self._exchanges[-1].cut(self._room)
        if self._size > self._room:
            self._drop()

    def _drop(self) -> None:
        del self._exchanges[0]
        self._dropped += 1


def size_of(messages: Sequence[Message]) -> int:
    """Characters of messages: their text, and the names, arguments and ids of their calls."""
    return sum(map(_size, messages))


def _size(message: Message) -> int:
    calls = sum(len(call.id) + len(call.name) + len(call.arguments) for call in message.calls)
    native = sum(len(canonical_json(block)) for block in message.native)
    return len(message.content) + calls + len(message.call_id or "") + native


def _emptied(message: Message) -> Message:
    return message if len(message.content) <= len(LEFT_OUT) else message.model_copy(update={"content": LEFT_OUT})
