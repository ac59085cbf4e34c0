"""Conversation: never longer than its limit, never a result without its call, and the newest stays longest."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from opsgym.baselines.agents.conversation import LEFT_OUT, Conversation, size_of
from opsgym.baselines.chat import Message, ModelCall
from opsgym.baselines.models import ScriptedModel
from opsgym.core.errors import TaskError
from opsgym.core.task import ToolCall, canonical_json
from tests.baselines.support import agent_of, env_of, play, task_of

HEAD = (Message(role="system", content="s" * 50), Message(role="user", content="u" * 100))


@st.composite
def exchanges(draw: st.DrawFn) -> list[tuple[Message, tuple[Message, ...]]]:
    """Turns of any lengths, with several calls, with calls in text, and with blocks of the server's own."""
    made = []
    for turn in range(draw(st.integers(0, 12))):
        sizes = draw(st.lists(st.integers(0, 900), max_size=3))
        arguments = "a" * draw(st.integers(0, 300))
        calls = tuple(ModelCall(id=f"{turn}-{place}", name="look", arguments=arguments) for place in range(len(sizes)))
        native = ({"signature": "n" * draw(st.integers(0, 200))},) if draw(st.booleans()) else ()
        said = Message(role="assistant", content="t" * draw(st.integers(0, 400)), calls=calls, native=native)
        answers = [Message(role="tool", content="r" * size, call_id=call.id) for size, call in zip(sizes, calls, strict=True)]
        if not calls or draw(st.booleans()):
            answers.append(Message(role="user", content="o" * draw(st.integers(0, 900))))
        made.append((said, tuple(answers)))
    return made


@settings(deadline=None)
@given(turns=exchanges(), limit=st.integers(300, 4000), extra=st.integers(0, 80))
def test_it_never_passes_its_limit_and_never_tears_a_result_from_its_call(
    turns: list[tuple[Message, tuple[Message, ...]]], limit: int, extra: int
) -> None:
    talk = Conversation(HEAD, limit=limit, extra=extra)
    for said, answers in turns:
        talk.add(said, answers)
        messages = talk.messages
        assert size_of(messages) + extra <= limit
        assert messages[0] == HEAD[0] and messages[1].content.startswith(HEAD[1].content)
        called = [call.id for message in messages for call in message.calls]
        assert called == [message.call_id for message in messages if message.role == "tool"]
        assert all(message.calls or message.content for message in messages if message.role == "assistant")
        if size_of([said]) < limit - extra - size_of(HEAD) - 300:
            assert said in messages or not said.content
        if size_of((said, *answers)) < (limit - extra - size_of(HEAD) - 100) // 2:
            assert messages[-len(answers) :] == answers


def test_what_fits_is_left_alone() -> None:
    talk = Conversation(HEAD, limit=10_000)
    turns = [(Message(role="assistant", content=f"{n}"), (Message(role="user", content="x" * 100),)) for n in range(20)]
    for said, answers in turns:
        talk.add(said, answers)
    assert talk.messages == (*HEAD, *(message for said, answers in turns for message in (said, *answers)))


def test_the_oldest_results_go_first_and_then_the_oldest_turns() -> None:
    talk = Conversation(HEAD, limit=1200)
    for number in range(4):
        talk.add(Message(role="assistant", content=f"turn {number}"), (Message(role="user", content=f"{number}" * 300),))
    contents = [message.content for message in talk.messages]
    assert contents[3] == LEFT_OUT and contents[2] == "turn 0" and contents[-1] == "3" * 300
    for number in range(150):
        talk.add(Message(role="assistant", content=f"more {number}"), (Message(role="user", content="y"),))
    assert "turn 0" not in [message.content for message in talk.messages]
    assert "earlier turns left out]" in talk.messages[1].content


def test_the_beginning_stays_the_same_for_many_turns_so_that_servers_can_cache_it() -> None:
    talk = Conversation(HEAD, limit=4000)
    changes, before = 0, talk.messages
    for number in range(200):
        talk.add(Message(role="assistant", content=f"{number:3}"), (Message(role="user", content="x" * 50),))
        changes += talk.messages[: len(before)] != before
        before = talk.messages
    assert 0 < changes < 40


def test_a_head_without_room_is_refused() -> None:
    with pytest.raises(TaskError, match="max_context_chars"):
        Conversation(HEAD, limit=200)


def test_every_request_of_an_agent_keeps_the_limit_tools_and_all() -> None:
    env, task = env_of("ERPBench-v0"), task_of("ERPBench-v0")
    look = ToolCall(name="search_products", arguments={"limit": 20})
    for name, limit in (("react", 20_000), ("tool-calling", 36_000), ("constrained", 16_000)):
        said = look.model_dump_json() if name != "tool-calling" else [look, look]
        model = ScriptedModel([said] * 30)
        play(env, agent_of(name, env, model, max_turns=30, max_context_chars=limit, retries=0, max_tokens=64), task)
        sizes = [size_of(r.messages) + sum(len(canonical_json(tool)) for tool in r.tools) for r in model.requests]
        assert len(sizes) == 30 and max(sizes) <= limit
        assert "left out]" in str(model.requests[-1].messages)


def test_a_last_result_that_is_too_long_is_cut_rather_than_lost() -> None:
    talk = Conversation(HEAD, limit=1000)
    talk.add(Message(role="assistant", content="before"), (Message(role="user", content="x"),))
    talk.add(Message(role="assistant", content="now"), (Message(role="user", content="y" * 5000),))
    assert talk.messages[2].content == "now" and size_of(talk.messages) <= 1000
    assert talk.messages[3].content.startswith("y" * 600) and "characters left out" in talk.messages[3].content
