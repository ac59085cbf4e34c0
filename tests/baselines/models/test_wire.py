"""The two APIs' JSON: what is sent and read, to the letter, and that nothing is lost on the way."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opsgym.baselines.chat import ChatReply, ChatRequest, Message, ModelCall, Usage
from opsgym.baselines.models import anthropic_wire, openai_wire
from opsgym.baselines.models.anthropic_wire import decode_messages, encode_messages
from opsgym.baselines.models.wire import arguments_object
from tests.baselines.models.support import LOOK, ask, talk

SCHEMA = {"type": "object", "properties": {"name": {"enum": ["look"]}}, "required": ["name"]}


def read_openai(body: Any, request: ChatRequest | None = None) -> ChatReply:
    return openai_wire.decode_reply(json.dumps(body).encode(), request or ask())


def read_anthropic(body: Any, request: ChatRequest | None = None) -> ChatReply:
    return anthropic_wire.decode_reply(json.dumps(body).encode(), request or ask())


# -- to the letter ------------------------------------------------------------------------------------------------------


def test_a_conversation_as_openai_wants_it() -> None:
    assert openai_wire.encode_request(talk(), "m") == {
        "model": "m",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Which box is the red one? Näher, 箱"},
            {
                "role": "assistant",
                "content": "I look.",
                "tool_calls": [
                    {"id": "c1", "type": "function", "function": {"name": "look", "arguments": '{"name": "box 1"}'}},
                    {"id": "c2", "type": "function", "function": {"name": "look", "arguments": '{"name": "box 2"}'}},
                ],
            },
            {"role": "tool", "content": "blue", "tool_call_id": "c1"},
            {"role": "tool", "content": "red", "tool_call_id": "c2"},
            {"role": "user", "content": "And?"},
        ],
        "stream": False,
        "max_tokens": 77,
        "temperature": 0.5,
        "stop": ["END"],
        "tools": [LOOK],
        "tool_choice": "required",
    }


def test_a_conversation_as_anthropic_wants_it() -> None:
    mark = {"cache_control": {"type": "ephemeral"}}
    assert anthropic_wire.encode_request(talk(), "m") == {
        "model": "m",
        "max_tokens": 77,
        "system": [{"type": "text", "text": "Be brief.", **mark}],
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "Which box is the red one? Näher, 箱"}]},
            {
                "role": "assistant",
                "content": [
                    {"type": "text", "text": "I look."},
                    {"type": "tool_use", "id": "c1", "name": "look", "input": {"name": "box 1"}},
                    {"type": "tool_use", "id": "c2", "name": "look", "input": {"name": "box 2"}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "c1", "content": "blue"},
                    {"type": "tool_result", "tool_use_id": "c2", "content": "red"},
                    {"type": "text", "text": "And?", **mark},
                ],
            },
        ],
        "temperature": 0.5,
        "stop_sequences": ["END"],
        "tools": [
            {"name": "look", "description": "Look at something.", "input_schema": LOOK["function"]["parameters"]}  # type: ignore[index]  # JSON
        ],
        "tool_choice": {"type": "any"},
    }


def test_what_is_not_asked_is_not_sent() -> None:
    bare = ask(temperature=None)
    assert set(openai_wire.encode_request(bare, "m")) == {"model", "messages", "stream", "max_tokens"}
    assert set(anthropic_wire.encode_request(bare, "m", prompt_cache=False)) == {"model", "messages", "max_tokens"}


def test_options_of_openai_requests() -> None:
    body = openai_wire.encode_request(ask(seed=3, temperature=0.0), "m", max_tokens_field="max_completion_tokens")
    assert body["seed"] == 3 and body["temperature"] == 0.0 and body["max_completion_tokens"] == 1024 and "max_tokens" not in body


def test_a_schema_for_the_reply_in_each_dialect() -> None:
    request = ask(response_schema=SCHEMA)
    assert openai_wire.encode_request(request, "m")["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "reply", "strict": True, "schema": SCHEMA},
    }
    llama = openai_wire.encode_request(request, "m", structured="json_object")
    assert llama["response_format"] == {"type": "json_object", "schema": SCHEMA}
    body = anthropic_wire.encode_request(request, "m")
    assert body["output_config"] == {"format": {"type": "json_schema", "schema": SCHEMA}} and "tools" not in body
    forced = anthropic_wire.encode_request(request, "m", structured="tool")
    assert forced["tool_choice"] == {"type": "tool", "name": "reply"} and forced["tools"][-1]["input_schema"] == SCHEMA


def test_a_reply_by_the_forced_tool_is_text() -> None:
    body = {"content": [{"type": "tool_use", "id": "t", "name": "reply", "input": {"name": "look"}}], "stop_reason": "tool_use"}
    reply = read_anthropic(body, ask(response_schema=SCHEMA))
    assert json.loads(reply.message.content) == {"name": "look"} and not reply.message.calls and reply.finish == "stop"
    assert read_anthropic(body).message.calls[0].name == "reply"  # nobody asked for a schema


def test_the_conversation_is_marked_for_the_cache_at_two_places_and_not_changed() -> None:
    request = talk()
    before = request.model_dump_json()
    assert json.dumps(anthropic_wire.encode_request(request, "m")).count("cache_control") == 2
    assert json.dumps(anthropic_wire.encode_request(request, "m", prompt_cache=False)).count("cache_control") == 0
    assert request.model_dump_json() == before


def test_a_reply_of_openai() -> None:
    reply = read_openai(
        {
            "model": "m-2026",
            "choices": [
                {
                    "message": {
                        "role": "assistant",
                        "content": None,
                        "tool_calls": [{"id": "c", "type": "function", "function": {"name": "look", "arguments": '{"a":1}'}}],
                    },
                    "finish_reason": "tool_calls",
                }
            ],
            "usage": {"prompt_tokens": 12, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 8, "audio": 0}},
        }
    )
    assert reply == ChatReply(
        message=Message(role="assistant", calls=(ModelCall(id="c", name="look", arguments='{"a":1}'),)),
        finish="tool_calls",
        usage=Usage(prompt_tokens=12, completion_tokens=3, cached_tokens=8),
        model="m-2026",
    )


def test_a_reply_of_anthropic() -> None:
    reply = read_anthropic(
        {
            "model": "m-2026",
            "content": [{"type": "text", "text": "I look."}, {"type": "tool_use", "id": "t", "name": "look", "input": {"a": 1}}],
            "stop_reason": "tool_use",
            "usage": {"input_tokens": 5, "cache_read_input_tokens": 70, "cache_creation_input_tokens": 20, "output_tokens": 9},
        }
    )
    assert reply == ChatReply(
        message=Message(role="assistant", content="I look.", calls=(ModelCall(id="t", name="look", arguments='{"a": 1}'),)),
        finish="tool_calls",
        usage=Usage(prompt_tokens=95, completion_tokens=9, cached_tokens=70, cache_write_tokens=20),
        model="m-2026",
    )


@pytest.mark.parametrize(
    ("reason", "finish"),
    [
        ("stop", "stop"),
        ("length", "length"),
        ("content_filter", "refusal"),
        ("function_call", "tool_calls"),
        (None, "other"),
        ("odd", "other"),
    ],
)
def test_why_openai_stopped(reason: str | None, finish: str) -> None:
    assert read_openai({"choices": [{"message": {"content": "x"}, "finish_reason": reason}]}).finish == finish


@pytest.mark.parametrize(
    ("reason", "finish"),
    [
        ("end_turn", "stop"),
        ("stop_sequence", "stop"),
        ("max_tokens", "length"),
        ("model_context_window_exceeded", "length"),
        ("refusal", "refusal"),
        ("pause_turn", "other"),
        (None, "other"),
    ],
)
def test_why_anthropic_stopped(reason: str | None, finish: str) -> None:
    assert read_anthropic({"content": [{"type": "text", "text": "x"}], "stop_reason": reason}).finish == finish


def test_habits_of_other_servers_are_understood() -> None:
    """Parts of text, arguments as an object or missing, calls without an id, ``stop`` beside calls, ``null`` counts."""
    message = {
        "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}],
        "tool_calls": [
            {"function": {"name": "x", "arguments": {"a": "é"}}},
            {"id": "", "function": {"name": "y", "arguments": None}},
        ],
    }
    usage = {"prompt_tokens": None, "completion_tokens": 2, "prompt_tokens_details": None}
    reply = read_openai({"choices": [{"message": message, "finish_reason": "stop"}], "usage": usage, "model": None}, talk())
    assert reply.message.content == "ab" and reply.finish == "tool_calls" and reply.usage.completion_tokens == 2
    assert [(call.id, call.arguments) for call in reply.message.calls] == [("call_6_0", '{"a": "é"}'), ("call_6_1", "{}")]


def test_a_refusal_in_words_is_a_refusal() -> None:
    reply = read_openai({"choices": [{"message": {"content": None, "refusal": "I cannot."}, "finish_reason": "stop"}]})
    assert (reply.message.content, reply.finish) == ("I cannot.", "refusal")


def test_signed_reasoning_is_sent_back_as_it_came() -> None:
    content = [
        {"type": "thinking", "thinking": "Hm.", "signature": "abc="},
        {"type": "tool_use", "id": "t", "name": "look", "input": {}},
    ]
    message = read_anthropic({"content": content, "stop_reason": "tool_use"}).message
    assert [call.name for call in message.calls] == ["look"]
    answer = Message(role="tool", content="red", call_id="t")
    sent = encode_messages([Message(role="user", content="Go"), message, answer])
    assert sent[1] == {"role": "assistant", "content": content}
    assert "Hm." not in json.dumps(openai_wire.encode_message(message))  # another API gets what all understand


@pytest.mark.parametrize(
    "body",
    [b"", b"not json", b"null", b"[]", b"{}", b'{"choices": []}', b'{"choices": null}', b'{"choices": [{}]}',
     b'{"error": {"message": "overloaded"}}', b'{"choices": [{"message": {"content": 5}}]}', b"\xff\xfe",
     b'{"choices": [{"message": {"content": "x"}}], "usage": {"prompt_tokens": -1}}',
     b'{"choices": [{"message": {"tool_calls": [{"function": {}}]}}]}'],
)  # fmt: skip
def test_what_is_no_reply_is_a_value_error(body: bytes) -> None:
    for wire in (openai_wire, anthropic_wire):
        with pytest.raises(ValueError, match=r"validation error"):
            wire.decode_reply(body, ask())


# -- nothing is lost ----------------------------------------------------------------------------------------------------

texts = st.text(alphabet=st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12).filter(
    lambda text: bool(text.strip())
)
names = st.from_regex(r"[a-z_]{1,8}", fullmatch=True)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | texts, lambda inner: st.lists(inner, max_size=2), max_leaves=4
)
arguments = st.dictionaries(names, json_values, max_size=2).map(lambda value: json.dumps(value, ensure_ascii=False))
broken = st.sampled_from(['{"a":', "[1]", "nonsense", '{"a": NaN}', '"text"', "1"])
calls = st.lists(st.builds(ModelCall, id=names, name=names, arguments=arguments | broken), max_size=3).map(tuple)
tools = st.builds(Message, role=st.just("tool"), content=texts, call_id=names)
users = st.builds(Message, role=st.just("user"), content=texts)
systems = st.builds(Message, role=st.just("system"), content=texts)
assistants = st.builds(Message, role=st.just("assistant"), content=texts | st.just(""), calls=calls).filter(
    lambda message: bool(message.content or message.calls)
)
turns = st.tuples(st.lists(tools, max_size=2), st.lists(users, min_size=1, max_size=2), assistants)


@st.composite
def conversations(draw: st.DrawFn) -> tuple[Message, ...]:
    """As agents hold them: a system text or none, then turns that end with the assistant."""
    first = draw(st.lists(systems, max_size=1))
    rest = [
        message
        for results, asked, answer in draw(st.lists(turns, min_size=1, max_size=3))
        for message in (*results, *asked, answer)
    ]
    return (*first, *rest)


schemas = st.none() | st.just(SCHEMA)
requests = st.builds(
    ChatRequest,
    messages=conversations(),
    tools=st.just(()) | st.just((LOOK,)),
    max_tokens=st.integers(1, 99),
    temperature=st.none() | st.floats(0, 1),
    stop=st.lists(texts, max_size=2).map(tuple),
    response_schema=schemas,
)


@given(requests, st.none() | st.integers(0, 9), st.sampled_from(["json_schema", "json_object"]))
def test_a_request_comes_back_from_openais_json(request: ChatRequest, seed: int | None, structured: Any) -> None:
    request = request.model_copy(update={"seed": seed})
    body = json.dumps(openai_wire.encode_request(request, "m", structured=structured))
    assert openai_wire.decode_request(body.encode()) == request


@given(requests, st.sampled_from(["json_schema", "tool"]), st.booleans())
def test_a_request_comes_back_from_anthropics_json(request: ChatRequest, structured: Any, prompt_cache: bool) -> None:
    body = json.dumps(anthropic_wire.encode_request(request, "m", structured=structured, prompt_cache=prompt_cache))
    assert anthropic_wire.decode_request(body.encode()) == request


@given(
    st.lists(
        systems
        | users
        | tools
        | assistants
        | st.builds(Message, role=st.sampled_from(["user", "assistant"]), content=st.sampled_from(["", " \n"])),
        max_size=8,
    )
)
def test_any_conversation_becomes_one_that_anthropic_takes(messages: list[Message]) -> None:
    encoded = encode_messages(messages)
    assert all(one["role"] != next_one["role"] for one, next_one in pairwise(encoded))
    for message in encoded:
        kinds = [block["type"] for block in message["content"]]
        assert kinds == sorted(kinds, key=lambda kind: kind != "tool_result")
        assert kinds and all(block["text"].strip() for block in message["content"] if block["type"] == "text")
    assert encode_messages(decode_messages(encoded)) == encode_messages(
        decode_messages(encode_messages(decode_messages(encoded)))
    )
    said = [message.content for message in messages if message.role in ("user", "tool") and message.content.strip()]
    kept = [message.content for message in decode_messages(encoded) if message.role in ("user", "tool")]
    assert sorted(said) == sorted(kept)


@given(assistants, st.sampled_from(["stop", "length", "refusal", "other", "tool_calls"]), st.integers(0, 9), st.integers(0, 9))
def test_a_reply_comes_back_from_both(message: Message, finish: Any, read: int, cached: int) -> None:
    if message.calls:
        finish = "tool_calls"
    usage = Usage(prompt_tokens=read + cached, completion_tokens=2, cached_tokens=cached)
    reply = ChatReply(message=message, finish=finish, usage=usage, model="m")
    for wire in (openai_wire, anthropic_wire):
        body = json.dumps(wire.encode_reply(reply, 0)).encode()
        back = wire.decode_reply(body, ask())
        assert back.model_copy(update={"message": message}) == reply
        assert plain(back.message) == plain(message)


def plain(message: Message) -> list[Any]:
    """A message up to the layout of its arguments; those that are no JSON object as they stand."""
    calls = [(call.id, call.name, arguments_object(call.arguments)) for call in message.calls]
    return [message.content, *calls]


def test_broken_arguments_are_read_as_written_and_sent_back_readable() -> None:
    """The environment is to say what is wrong with them; a server that parses them would refuse the whole conversation."""
    call = ModelCall(id="c", name="look", arguments='{"name": ')
    message = Message(role="assistant", calls=(call,))
    for wire in (openai_wire, anthropic_wire):
        body = json.dumps(wire.encode_reply(ChatReply(message=message, finish="tool_calls"), 0)).encode()
        assert wire.decode_reply(body, ask()).message == message
    sent = openai_wire.encode_message(message)["tool_calls"][0]["function"]["arguments"]
    assert json.loads(sent) == {"_unparsed": '{"name": '}
    assert encode_messages([message])[0]["content"][0]["input"] == {"_unparsed": '{"name": '}


@pytest.mark.parametrize("text", ['{"name": "\\ud800"}', '{"\\udfff": 1}', '{"n": NaN}', '{"n": -Infinity}', "[" * 10_000])
def test_arguments_that_python_alone_can_read_are_sent_as_text(text: str) -> None:
    """Half surrogates, NaN and endless nesting: the body of a request could not hold them."""
    message = Message(role="assistant", calls=(ModelCall(id="c", name="look", arguments=text),))
    request = ask().model_copy(update={"messages": (*ask().messages, message)})
    for wire in (openai_wire, anthropic_wire):
        body = json.dumps(wire.encode_request(request, "m"), ensure_ascii=False, allow_nan=False)
        assert "_unparsed" in body.encode().decode()


def test_readable_arguments_are_sent_back_to_the_letter() -> None:
    call = ModelCall(id="c", name="look", arguments='{ "name":"box" }')
    sent = openai_wire.encode_message(Message(role="assistant", calls=(call,)))["tool_calls"][0]
    assert sent["function"]["arguments"] == call.arguments
