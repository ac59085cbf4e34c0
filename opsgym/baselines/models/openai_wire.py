"""OpenAI's chat completions as JSON: requests and replies, written and read.

After the API reference, "Chat Completions" (platform.openai.com/docs/api-reference/chat), in the part that vLLM, llama.cpp,
Ollama and gateways share.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal

from pydantic import Field

from opsgym.baselines.chat import ChatReply, ChatRequest, FinishReason, Message, ModelCall, Usage
from opsgym.baselines.models.wire import UNREADABLE, Count, Wire, arguments_object, arguments_text
from opsgym.core.task import JsonDict, canonical_json

__all__ = ["Structured", "decode_reply", "decode_request", "encode_reply", "encode_request"]

Structured = Literal["json_schema", "json_object"]
"""How a schema for the reply is written: OpenAI's way, or that of llama.cpp's Python server."""

_FINISH: dict[str | None, FinishReason] = {
    "stop": "stop",
    "length": "length",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "content_filter": "refusal",
}


def encode_request(
    request: ChatRequest, model: str, *, max_tokens_field: str = "max_tokens", structured: Structured = "json_schema"
) -> JsonDict:
    """The body of a request.

    Args:
        request: What is asked.
        model: Name of the model.
        max_tokens_field: ``max_tokens``, or ``max_completion_tokens`` for OpenAI's own newer models.
        structured: How a schema for the reply is written.
    """
    body: JsonDict = {"model": model, "messages": [encode_message(message) for message in request.messages], "stream": False}
    body[max_tokens_field] = request.max_tokens
    if request.temperature is not None:
        body["temperature"] = request.temperature
    if request.seed is not None:
        body["seed"] = request.seed
    if request.stop:
        body["stop"] = list(request.stop)
    if request.tools:
        body["tools"], body["tool_choice"] = list(request.tools), request.tool_choice
    if request.response_schema is not None:
        body["response_format"] = _response_format(request.response_schema, structured)
    return body


def encode_message(message: Message) -> JsonDict:
    """A message as it stands in a request: servers refuse one whose calls hold no readable arguments, so those are wrapped."""
    return _encode_message(message, _readable)


def _encode_message(message: Message, arguments: Callable[[str], str]) -> JsonDict:
    body: JsonDict = {"role": message.role, "content": message.content}
    if message.role == "tool":
        body["tool_call_id"] = message.call_id or ""
    if message.calls:
        body["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments(call.arguments)}}
            for call in message.calls
        ]
    return body


def _readable(arguments: str) -> str:
    value = arguments_object(arguments)
    # Readable arguments keep their text to the letter, so that the server's prompt cache still knows them.
    return arguments if arguments.strip() and UNREADABLE not in value else canonical_json(value)


def _response_format(schema: JsonDict, structured: Structured) -> JsonDict:
    if structured == "json_object":
        return {"type": "json_object", "schema": schema}
    return {"type": "json_schema", "json_schema": {"name": "reply", "strict": True, "schema": schema}}


class _Function(Wire):
    name: str
    arguments: str | JsonDict | None = None


class _Call(Wire):
    id: str | None = None
    function: _Function


class _Part(Wire):
    text: str = ""


class _Message(Wire):
    role: Literal["system", "developer", "user", "assistant", "tool"] = "assistant"
    content: str | list[_Part] | None = None
    refusal: str | None = None
    tool_calls: list[_Call] | None = None
    tool_call_id: str | None = None


class _Choice(Wire):
    message: _Message
    finish_reason: str | None = None


class _Details(Wire):
    cached_tokens: Count = 0


class _Usage(Wire):
    prompt_tokens: Count = 0
    completion_tokens: Count = 0
    prompt_tokens_details: _Details | None = None


class _Completion(Wire):
    choices: Annotated[list[_Choice], Field(min_length=1)]
    usage: _Usage | None = None
    model: str | None = None


def decode_reply(content: bytes, request: ChatRequest) -> ChatReply:
    """Read the body of an answer.

    Args:
        content: The body.
        request: What was asked; calls without an id get one from its length.

    Raises:
        ValueError: The body is no chat completion.
    """
    completion = _Completion.model_validate_json(content)
    choice = completion.choices[0]
    message = _decode_message(choice.message, len(request.messages)).model_copy(update={"role": "assistant", "call_id": None})
    finish = _FINISH.get(choice.finish_reason, "other")
    if choice.message.refusal:
        message, finish = message.model_copy(update={"content": choice.message.refusal}), "refusal"
    elif message.calls and finish == "stop":
        finish = "tool_calls"
    return ChatReply(message=message, finish=finish, usage=_decode_usage(completion.usage), model=completion.model or "")


def _decode_message(message: _Message, place: int) -> Message:
    content = message.content
    text = content if isinstance(content, str) else "".join(part.text for part in content or ())
    calls = tuple(
        ModelCall(
            id=call.id or f"call_{place}_{index}", name=call.function.name, arguments=arguments_text(call.function.arguments)
        )
        for index, call in enumerate(message.tool_calls or ())
    )
    role = "system" if message.role == "developer" else message.role
    return Message(role=role, content=text, calls=calls, call_id=message.tool_call_id)


def _decode_usage(usage: _Usage | None) -> Usage:
    if usage is None:
        return Usage()
    cached = usage.prompt_tokens_details.cached_tokens if usage.prompt_tokens_details else 0
    return Usage(prompt_tokens=usage.prompt_tokens, completion_tokens=usage.completion_tokens, cached_tokens=cached)


# -- the server's side, for the mock ----------------------------------------------------------------------------------


class _Request(Wire):
    messages: list[_Message]
    tools: list[JsonDict] = Field(default_factory=list)
    tool_choice: Literal["auto", "required", "none"] = "auto"
    max_tokens: int | None = None
    max_completion_tokens: int | None = None
    temperature: float | None = None
    seed: int | None = None
    stop: list[str] = Field(default_factory=list)
    response_format: JsonDict | None = None


def decode_request(content: bytes) -> ChatRequest:
    """Read the body of a request, as a server does.

    Raises:
        ValueError: The body is no request for a chat completion.
    """
    body = _Request.model_validate_json(content)
    values: dict[str, Any] = body.model_dump(include={"temperature", "seed", "tool_choice"})
    limit = body.max_completion_tokens if body.max_tokens is None else body.max_tokens
    if limit is not None:
        values["max_tokens"] = limit
    form = body.response_format or {}
    return ChatRequest(
        messages=tuple(_decode_sent(message, place) for place, message in enumerate(body.messages)),
        tools=tuple(body.tools),
        stop=tuple(body.stop),
        response_schema=form.get("schema") or form.get("json_schema", {}).get("schema"),
        **values,
    )


def _decode_sent(message: _Message, place: int) -> Message:
    decoded = _decode_message(message, place)
    calls = tuple(call.model_copy(update={"arguments": _as_written(call.arguments)}) for call in decoded.calls)
    return decoded.model_copy(update={"calls": calls})


def _as_written(arguments: str) -> str:
    return arguments_text(arguments_object(arguments)) if UNREADABLE in arguments else arguments


def encode_reply(reply: ChatReply, number: int) -> JsonDict:
    """The body of an answer, as a server writes it."""
    message = {**_encode_message(reply.message, str), "refusal": None}
    finish = {"refusal": "content_filter", "other": "unknown"}.get(reply.finish, reply.finish)
    usage = reply.usage
    return {
        "id": f"chatcmpl-{number}",
        "object": "chat.completion",
        "created": 0,
        "model": reply.model,
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": {
            "prompt_tokens": usage.prompt_tokens,
            "completion_tokens": usage.completion_tokens,
            "total_tokens": usage.prompt_tokens + usage.completion_tokens,
            "prompt_tokens_details": {"cached_tokens": usage.cached_tokens},
        },
    }
