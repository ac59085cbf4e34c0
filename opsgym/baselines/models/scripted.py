"""ScriptedModel: a model that says what it is told to, for tests and examples."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias

from pydantic import TypeAdapter, ValidationError

from opsgym.baselines.chat import ChatReply, ChatRequest, Message, ModelCall, Usage
from opsgym.core.errors import ModelError, TaskError
from opsgym.core.task import Frozen, ToolCall

__all__ = ["Line", "ScriptedModel", "as_reply"]

Call: TypeAlias = ToolCall | ModelCall
Plain: TypeAlias = str | Call | Sequence[Call] | Message
Line: TypeAlias = Plain | ChatReply | Exception | Callable[[ChatRequest], "Line"]
"""What a script may hold: a text, one or more calls, a message, a whole reply, an error to raise, or a function of the request
that gives one of them."""


class ScriptedModel:
    """Plays a script; a test double for every :class:`~opsgym.baselines.chat.ChatModel`.

    Args:
        script: The replies in order, or one function that gives them all.
        name: Name of the model.
        usage: Tokens and cost of each reply that does not state its own.
        by_turn: Choose the reply by the number of assistant messages in the request rather than by the number of requests so
            far: so any number of conversations may play one script at once.

    Attributes:
        requests: The requests so far.

    Example:
        >>> import asyncio
        >>> model = ScriptedModel(["Let me look.", ToolCall(name="look"), lambda request: request.messages[-1].content.upper()])
        >>> ask = ChatRequest(messages=(Message(role="user", content="hello"),))
        >>> [asyncio.run(model.complete(ask)).message.content for _ in range(3)]
        ['Let me look.', '', 'HELLO']
        >>> len(model.requests)
        3
    """

    def __init__(
        self,
        script: Sequence[Line] | Callable[[ChatRequest], Line],
        *,
        name: str = "scripted",
        usage: Usage | None = None,
        by_turn: bool = False,
    ) -> None:
        self._script: Sequence[Line] | None = None if callable(script) else list(script)
        self._answer = script if callable(script) else None
        self._name, self._usage, self._by_turn = name, usage or Usage(), by_turn
        self.requests: list[ChatRequest] = []

    @classmethod
    def from_file(cls, path: str | Path) -> ScriptedModel:
        """A script from a JSONL file, played by turn.

        A line is a JSON string (a text), an object ``{"content": ..., "calls": [{"name": ..., "arguments": {...}}]}``, or a whole
        reply as :class:`~opsgym.baselines.chat.ChatReply` writes it.

        Raises:
            TaskError: The file cannot be read; the message names the line.
        """
        try:
            lines = Path(path).read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise TaskError(f"expected a script at {path}: {error}", field="script") from error
        script = [_read_line(line, f"{path}, line {number}") for number, line in enumerate(lines, 1) if line.strip()]
        return cls(script, name=f"scripted:{Path(path).name}", by_turn=True)

    @property
    def name(self) -> str:
        """Name of the model."""
        return self._name

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Give the next reply.

        Raises:
            ModelError: The script says so, or (``rejected``) it is used up.
        """
        number = len(self.requests)
        self.requests.append(request)
        if self._by_turn:
            number = sum(message.role == "assistant" for message in request.messages)
        return as_reply(self._line(number), request, name=self._name, usage=self._usage, number=number)

    async def aclose(self) -> None:
        """Nothing is open."""

    def _line(self, number: int) -> Line:
        if self._answer is not None:
            return self._answer
        assert self._script is not None
        if number >= len(self._script):
            raise ModelError("rejected", f"the script of {len(self._script)} replies is used up")
        return self._script[number]


def as_reply(line: Line, request: ChatRequest, *, name: str, usage: Usage, number: int) -> ChatReply:
    """A line of a script as a reply.

    Args:
        line: What the script says.
        request: What functions are called with.
        name: Name of the model.
        usage: Usage of a reply that does not state its own.
        number: Number of the reply, from which calls get their ids.

    Raises:
        Exception: The line is an error.
    """
    while callable(line):
        line = line(request)
    if isinstance(line, Exception):
        raise line
    if isinstance(line, ChatReply):
        return line
    message = _as_message(line, number)
    return ChatReply(message=message, finish="tool_calls" if message.calls else "stop", usage=usage, model=name)


def _as_message(line: Plain, number: int) -> Message:
    if isinstance(line, Message):
        return line
    if isinstance(line, str):
        return Message(role="assistant", content=line)
    calls = [line] if isinstance(line, ToolCall | ModelCall) else line
    return Message(role="assistant", calls=tuple(_as_call(call, f"call_{number}_{place}") for place, call in enumerate(calls)))


def _as_call(call: Call, id: str) -> ModelCall:
    if isinstance(call, ModelCall):
        return call
    return ModelCall(id=id, name=call.name, arguments=json.dumps(call.arguments, ensure_ascii=False))


class _Turn(Frozen):
    content: str = ""
    calls: tuple[ToolCall, ...] = ()


_LINE: TypeAdapter[str | ChatReply | _Turn] = TypeAdapter(str | ChatReply | _Turn)


def _read_line(text: str, place: str) -> Line:
    try:
        line = _LINE.validate_json(text)
    except ValidationError as error:
        raise TaskError(f"expected a text, a turn or a reply in JSON: {error}", field=place) from error
    if not isinstance(line, _Turn):
        return line

    def turn(request: ChatRequest) -> Message:
        number = sum(message.role == "assistant" for message in request.messages)
        return _as_message(list(line.calls), number).model_copy(update={"content": line.content})

    return turn
