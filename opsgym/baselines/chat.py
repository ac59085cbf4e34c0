"""Chat models: what every language-model agent talks to, whoever serves it.

A :class:`ChatModel` turns a :class:`ChatRequest` into a :class:`ChatReply`.  Both are values: frozen, comparable and JSON, so
that a request is its own key in a cache and a reply can be played again.
"""

from __future__ import annotations

from typing import Literal, Protocol

from opsgym.core.task import Frozen, JsonDict

Role = Literal["system", "user", "assistant", "tool"]
FinishReason = Literal["stop", "tool_calls", "length", "refusal", "other"]


class ModelCall(Frozen):
    """A tool call as the model wrote it.

    Attributes:
        id: What the answer refers to.
        name: Name of the tool, known or not.
        arguments: Text of the arguments, valid JSON or not: the environment says what is wrong with it.
    """

    id: str
    name: str
    arguments: str


class Message(Frozen):
    """A message of a conversation.

    Attributes:
        role: Who says it.
        content: Its text.
        calls: Tool calls of the assistant.
        call_id: The call that a message of role ``tool`` answers.
        native: The assistant's blocks as its server sent them, where it wants them back (signed reasoning); else empty.
    """

    role: Role
    content: str = ""
    calls: tuple[ModelCall, ...] = ()
    call_id: str | None = None
    native: tuple[JsonDict, ...] = ()


class ChatRequest(Frozen):
    """What a model is asked.

    Attributes:
        messages: The conversation; a system message, if any, stands first.
        tools: Tools on offer, as OpenAI function schemas.
        tool_choice: Whether the model may, must or must not call a tool.
        max_tokens: Most tokens of the reply.
        temperature: Sampling temperature; ``None`` leaves it to the server.
        seed: Sampling seed, where the server knows one.
        stop: Texts before which the reply ends.
        response_schema: JSON schema that a server with constrained decoding enforces on the text.
    """

    messages: tuple[Message, ...]
    tools: tuple[JsonDict, ...] = ()
    tool_choice: Literal["auto", "required", "none"] = "auto"
    max_tokens: int = 1024
    temperature: float | None = 0.0
    seed: int | None = None
    stop: tuple[str, ...] = ()
    response_schema: JsonDict | None = None


class Usage(Frozen):
    """Tokens and cost of one or more replies; sums with ``+``.

    Attributes:
        prompt_tokens: Tokens read, cached or not.
        completion_tokens: Tokens written, reasoning included.
        cached_tokens: Those of ``prompt_tokens`` that the server read from its cache.
        cache_write_tokens: Those of ``prompt_tokens`` that it wrote to its cache, where it says so.
        cost: US dollars spent; 0 where no price is known or where the reply was replayed.
        unpriced: Replies for whose model no price is known.
        replayed: Replies that came from a request cache: their tokens count here, their money was spent earlier.
        replayed_cost: What the replayed replies had cost; ``cost + replayed_cost`` is the same with and without replay.
    """

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    cache_write_tokens: int = 0
    cost: float = 0.0
    unpriced: int = 0
    replayed: int = 0
    replayed_cost: float = 0.0

    def __add__(self, other: Usage) -> Usage:
        return Usage(**{name: getattr(self, name) + getattr(other, name) for name in Usage.model_fields})


class ChatReply(Frozen):
    """What a model answered.

    Attributes:
        message: The message, of role ``assistant``.
        finish: Why it ended; ``length`` means that it was cut off.
        usage: Its tokens and cost.
        model: The model's own name for itself.
    """

    message: Message
    finish: FinishReason = "stop"
    usage: Usage = Usage()
    model: str = ""


class ChatModel(Protocol):
    """Something that answers chat requests."""

    @property
    def name(self) -> str:
        """Name of the model, for results and prices."""

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Answer a request.

        Args:
            request: What is asked.

        Raises:
            ModelError: No answer could be had: the server's fault or the connection's, not the agent's.
        """

    async def aclose(self) -> None:
        """Close connections."""
