"""Anthropic's messages as JSON: requests and replies, written and read.

After the API reference, "Messages" (platform.claude.com/docs/en/api/messages).  What differs from a list of messages: the
system text stands apart, roles alternate, and calls and their results are blocks inside messages.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import Any, Literal

from pydantic import Field

from opsgym.baselines.chat import ChatReply, ChatRequest, FinishReason, Message, ModelCall, Usage
from opsgym.baselines.models.wire import Count, Wire, arguments_object, arguments_text
from opsgym.core.task import JsonDict

__all__ = ["REPLY_TOOL", "Structured", "decode_reply", "decode_request", "encode_reply", "encode_request"]

Structured = Literal["json_schema", "tool"]
"""How a schema for the reply is asked for: ``output_config``, or a tool that must be called, for servers without it."""

REPLY_TOOL = "reply"
"""Name of that tool."""

_CACHE = {"type": "ephemeral"}
_CHOICE: dict[str, str] = {"auto": "auto", "required": "any", "none": "none"}
_FINISH: dict[str | None, FinishReason] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "tool_use": "tool_calls",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refusal",
}


def encode_request(
    request: ChatRequest, model: str, *, prompt_cache: bool = True, structured: Structured = "json_schema"
) -> JsonDict:
    """The body of a request; the API has no seed, which is left out.

    Args:
        request: What is asked.
        model: Name of the model.
        prompt_cache: Whether to mark the tools, the system text and the conversation so far for the server's prompt cache.
        structured: How a schema for the reply is asked for.
    """
    body: JsonDict = {"model": model, "max_tokens": request.max_tokens, "messages": encode_messages(request.messages)}
    system = "\n\n".join(message.content for message in request.messages if message.role == "system" and message.content.strip())
    if system:
        body["system"] = [{"type": "text", "text": system}]
    if request.temperature is not None:
        body["temperature"] = request.temperature
    if stop := [text for text in request.stop if text.strip()]:  # blank ones are refused
        body["stop_sequences"] = stop
    if request.tools:
        body["tools"] = [_encode_tool(tool) for tool in request.tools]
        body["tool_choice"] = {"type": _CHOICE[request.tool_choice]}
    if request.response_schema is not None:
        _ask_for_schema(body, request.response_schema, structured)
    if prompt_cache:
        _mark_for_cache(body)
    return body


def encode_messages(messages: Iterable[Message]) -> list[JsonDict]:
    """The conversation without its system text: roles alternate, results of calls come first in a message, no text is blank."""
    written = [
        ("assistant" if message.role == "assistant" else "user", _encode_blocks(message))
        for message in messages
        if message.role != "system"
    ]
    encoded = []
    for role, group in groupby((entry for entry in written if entry[1]), key=lambda entry: entry[0]):
        blocks = [block for _, blocks in group for block in blocks]
        encoded.append({"role": role, "content": sorted(blocks, key=lambda block: block["type"] != "tool_result")})
    return encoded


def _encode_blocks(message: Message) -> list[JsonDict]:
    if message.native:
        return [dict(block) for block in message.native]
    text = [{"type": "text", "text": message.content}] if message.content.strip() else []
    if message.role == "tool":
        result: JsonDict = {"type": "tool_result", "tool_use_id": message.call_id or ""}
        return [result | ({"content": message.content} if text else {})]
    return text + [
        {"type": "tool_use", "id": call.id, "name": call.name, "input": arguments_object(call.arguments)}
        for call in message.calls
    ]


def _encode_tool(tool: JsonDict) -> JsonDict:
    function = tool.get("function", tool)
    encoded = {"name": function["name"], "input_schema": function.get("parameters") or {"type": "object", "properties": {}}}
    return encoded | ({"description": function["description"]} if function.get("description") else {})


def _ask_for_schema(body: JsonDict, schema: JsonDict, structured: Structured) -> None:
    if structured == "json_schema":
        body["output_config"] = {"format": {"type": "json_schema", "schema": schema}}
        return
    tool = {"name": REPLY_TOOL, "description": "Give the reply.", "input_schema": schema}
    body["tools"] = [*body.get("tools", ()), tool]
    body["tool_choice"] = {"type": "tool", "name": REPLY_TOOL}


def _mark_for_cache(body: JsonDict) -> None:
    """Mark the end of what stays the same (tools and system text) and the end of the conversation, which grows."""
    fixed = body.get("system") or body.get("tools")
    if fixed:
        fixed[-1] = {**fixed[-1], "cache_control": _CACHE}
    if body["messages"]:
        blocks = body["messages"][-1]["content"]
        blocks[-1] = {**blocks[-1], "cache_control": _CACHE}


class _Usage(Wire):
    input_tokens: Count = 0
    output_tokens: Count = 0
    cache_read_input_tokens: Count = 0
    cache_creation_input_tokens: Count = 0


class _Reply(Wire):
    content: list[JsonDict]
    stop_reason: str | None = None
    usage: _Usage = Field(default_factory=_Usage)
    model: str = ""


class _Block(Wire):
    type: str
    text: str = ""
    id: str = ""
    name: str = ""
    input: JsonDict = Field(default_factory=dict)
    tool_use_id: str = ""
    content: str | list[JsonDict] = ""


def decode_reply(content: bytes, request: ChatRequest) -> ChatReply:
    """Read the body of an answer.

    Args:
        content: The body.
        request: What was asked; where it set a schema, a call of the reply tool is read as text.

    Raises:
        ValueError: The body is no message.
    """
    reply = _Reply.model_validate_json(content)
    message, finish = _decode_assistant(reply.content), _FINISH.get(reply.stop_reason, "other")
    if request.response_schema is not None and [call.name for call in message.calls] == [REPLY_TOOL]:
        message = Message(role="assistant", content=message.calls[0].arguments)
        finish = "stop" if finish == "tool_calls" else finish
    return ChatReply(message=message, finish=finish, usage=_decode_usage(reply.usage), model=reply.model)


def _decode_assistant(content: list[JsonDict]) -> Message:
    blocks = [_Block.model_validate(block) for block in content]
    calls = tuple(
        ModelCall(id=block.id, name=block.name, arguments=arguments_text(block.input))
        for block in blocks
        if block.type == "tool_use"
    )
    text = "".join(block.text for block in blocks if block.type == "text")
    signed = any("thinking" in block.type for block in blocks)  # reasoning is to be sent back with its signature
    return Message(role="assistant", content=text, calls=calls, native=tuple(content) if signed else ())


def _decode_usage(usage: _Usage) -> Usage:
    read, written = usage.cache_read_input_tokens, usage.cache_creation_input_tokens
    return Usage(
        prompt_tokens=usage.input_tokens + read + written,  # the API counts the three apart
        completion_tokens=usage.output_tokens,
        cached_tokens=read,
        cache_write_tokens=written,
    )


# -- the server's side, for the mock ----------------------------------------------------------------------------------


class _Sent(Wire):
    role: Literal["user", "assistant"]
    content: str | list[JsonDict]


class _Request(Wire):
    messages: list[_Sent]
    max_tokens: int
    system: str | list[_Block] = ""
    tools: list[JsonDict] = Field(default_factory=list)
    tool_choice: JsonDict = Field(default_factory=dict)
    temperature: float | None = None
    stop_sequences: list[str] = Field(default_factory=list)
    output_config: JsonDict = Field(default_factory=dict)


def decode_request(content: bytes) -> ChatRequest:
    """Read the body of a request, as a server does.

    Raises:
        ValueError: The body is no request for a message.
    """
    body = _Request.model_validate_json(content)
    choices: dict[str, Any] = {there: here for here, there in _CHOICE.items()}
    forced = next((tool for tool in body.tools if tool["name"] == body.tool_choice.get("name")), None)
    schema = forced["input_schema"] if forced else body.output_config.get("format", {}).get("schema")
    system = body.system if isinstance(body.system, str) else "".join(block.text for block in body.system)
    first = (Message(role="system", content=system),) if system else ()
    return ChatRequest(
        messages=(*first, *decode_messages([sent.model_dump() for sent in body.messages])),
        tools=tuple(_decode_tool(tool) for tool in body.tools if tool is not forced),
        tool_choice=choices.get(body.tool_choice.get("type", "auto"), "auto"),
        max_tokens=body.max_tokens,
        temperature=body.temperature,
        stop=tuple(body.stop_sequences),
        response_schema=schema,
    )


def decode_messages(messages: Iterable[JsonDict]) -> list[Message]:
    """The conversation as messages: one an assistant turn, one a result of a call, one a text of the user."""
    decoded: list[Message] = []
    for sent in messages:
        content = sent["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        if sent["role"] == "assistant":
            decoded.append(_decode_assistant([_unmarked(block) for block in blocks]))
        else:
            decoded.extend(_decode_user(_Block.model_validate(block)) for block in blocks)
    return decoded


def _unmarked(block: JsonDict) -> JsonDict:
    return {key: value for key, value in block.items() if key != "cache_control"}


def _decode_user(block: _Block) -> Message:
    if block.type != "tool_result":
        return Message(role="user", content=block.text)
    text = block.content if isinstance(block.content, str) else "".join(str(part.get("text", "")) for part in block.content)
    return Message(role="tool", content=text, call_id=block.tool_use_id)


def _decode_tool(tool: JsonDict) -> JsonDict:
    function = {"name": tool["name"], "description": tool.get("description", ""), "parameters": tool["input_schema"]}
    return {"type": "function", "function": function}


def encode_reply(reply: ChatReply, number: int) -> JsonDict:
    """The body of an answer, as a server writes it."""
    usage = reply.usage
    stop = {"stop": "end_turn", "tool_calls": "tool_use", "length": "max_tokens", "other": "pause_turn"}
    return {
        "id": f"msg_{number}",
        "type": "message",
        "role": "assistant",
        "model": reply.model,
        "content": _encode_blocks(reply.message),
        "stop_reason": stop.get(reply.finish, reply.finish),
        "stop_sequence": None,
        "usage": {
            "input_tokens": usage.prompt_tokens - usage.cached_tokens - usage.cache_write_tokens,
            "output_tokens": usage.completion_tokens,
            "cache_read_input_tokens": usage.cached_tokens,
            "cache_creation_input_tokens": usage.cache_write_tokens,
        },
    }
