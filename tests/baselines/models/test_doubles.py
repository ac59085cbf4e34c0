"""ScriptedModel, MockServer and make_model: what stands in for a model does as it is told."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest

import opsgym.baselines.models as models
from opsgym.baselines.chat import ChatReply, ChatRequest, Message, ModelCall, Usage
from opsgym.baselines.models import MockServer, ScriptedModel, make_model
from opsgym.baselines.models.scripted import Line
from opsgym.core.errors import ModelError, RegistryError, TaskError
from opsgym.core.task import ToolCall
from tests.baselines.models.support import APIS, LOOK, ask, client, run, talk


def test_every_kind_of_line() -> None:
    whole = ChatReply(message=Message(role="assistant", content="cut"), finish="length", usage=Usage(completion_tokens=9))
    script: list[Line] = [
        "text",
        ToolCall(name="look", arguments={"name": "é"}),
        [ToolCall(name="a"), ModelCall(id="own", name="b", arguments="{broken")],
        Message(role="assistant", content="said"),
        whole,
        lambda request: lambda again: again.messages[-1].content[::-1],
    ]
    replies = run(ScriptedModel(script, usage=Usage(prompt_tokens=1)), *[ask("abc")] * 6)
    assert [reply.message.content for reply in replies] == ["text", "", "", "said", "cut", "cba"]
    assert [(call.id, call.name, call.arguments) for reply in replies for call in reply.message.calls] == [
        ("call_1_0", "look", '{"name": "é"}'),
        ("call_2_0", "a", "{}"),
        ("own", "b", "{broken"),
    ]
    assert [reply.finish for reply in replies] == ["stop", "tool_calls", "tool_calls", "stop", "length", "stop"]
    assert [reply.usage.prompt_tokens for reply in replies] == [1, 1, 1, 1, 0, 1]


def test_errors_are_raised_and_a_script_ends() -> None:
    model = ScriptedModel([ModelError("timeout", "too late"), "ok"])
    for match in ("too late", None, "used up"):
        if match is None:
            run(model, ask())
        else:
            with pytest.raises(ModelError, match=match):
                run(model, ask())
    assert len(model.requests) == 3


def test_by_turn_any_number_of_conversations_play_one_script() -> None:
    model = ScriptedModel(["first", "second"], by_turn=True)
    later = ChatRequest(
        messages=(*ask().messages, Message(role="assistant", content="first"), Message(role="user", content="go on"))
    )
    assert [reply.message.content for reply in run(model, later, ask(), ask(), later)] == ["second", "first", "first", "second"]


def test_a_script_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "script.jsonl"
    reply = ChatReply(message=Message(role="assistant", content="whole"), usage=Usage(cost=1.5))
    turn = {"content": "I look.", "calls": [{"name": "look", "arguments": {"name": "box"}}]}
    path.write_text("\n".join([json.dumps("Grüße"), "", json.dumps(turn), reply.model_dump_json()]) + "\n", encoding="utf-8")
    model = make_model(f"scripted:{path}")
    assert model.name == "scripted:script.jsonl"
    messages: tuple[Message, ...] = ask().messages
    said = []
    for _ in range(3):
        answer = run(model, ChatRequest(messages=messages))[0]
        said.append((answer.message.content, [call.name for call in answer.message.calls], answer.usage.cost))
        messages = (*messages, answer.message)
    assert said == [("Grüße", [], 0.0), ("I look.", ["look"], 0.0), ("whole", [], 1.5)]
    with pytest.raises(ModelError, match="used up"):
        run(model, ChatRequest(messages=messages))


def test_calls_of_a_script_have_ids_of_their_own(tmp_path: Path) -> None:
    path = tmp_path / "script.jsonl"
    path.write_text('{"calls": [{"name": "a"}, {"name": "b"}]}\n' * 2, encoding="utf-8")
    model = make_model(f"scripted:{path}")
    first = run(model, ask())[0].message
    second = run(model, ChatRequest(messages=(*ask().messages, first)))[0].message
    assert len({call.id for message in (first, second) for call in message.calls}) == 4


@pytest.mark.parametrize("line", ["{", "[1]", '{"contents": "x"}', "17"])
def test_a_broken_script_names_its_line(tmp_path: Path, line: str) -> None:
    path = tmp_path / "script.jsonl"
    path.write_text(f'"fine"\n{line}\n')
    with pytest.raises(TaskError, match="line 2"):
        make_model(f"scripted:{path}")
    with pytest.raises(TaskError, match="absent"):
        make_model("scripted:absent.jsonl")


@pytest.mark.parametrize("spec", ["gpt-5", "", "bedrock:x", "openai", ":x"])
def test_an_unknown_kind_of_model_is_refused_with_what_there_is(spec: str) -> None:
    with pytest.raises(RegistryError, match="openai:NAME"):
        make_model(spec)


@pytest.mark.parametrize(
    ("spec", "options"),
    [
        ("openai:", {}),
        ("openai:m", {"flavour": 1}),
        ("scripted:x", {"base_url": "http://x"}),
        ("anthropic:m", {"max_tokens_field": "x"}),
    ],
)
def test_arguments_that_do_not_fit_are_refused(spec: str, options: dict[str, Any]) -> None:
    with pytest.raises(TaskError):
        make_model(spec, **{"base_url": "http://localhost", **options})


@pytest.mark.parametrize("api", APIS)
def test_an_unknown_way_to_ask_for_a_schema_is_refused(api: str) -> None:
    with pytest.raises(RegistryError, match="json_schema"):
        make_model(f"{api}:m", base_url="http://localhost", structured="xml")


@pytest.mark.parametrize("api", APIS)
def test_the_mock_hears_what_the_client_asks_and_the_client_what_it_answers(api: str) -> None:
    heard: list[ChatRequest] = []

    def answer(request: ChatRequest) -> list[ToolCall]:
        heard.append(request)
        return [ToolCall(name="look", arguments={"name": "box"})]

    with MockServer(answer) as server:
        reply = run(client(api, server), talk())[0]
    assert heard == [talk()]
    assert [(call.name, json.loads(call.arguments)) for call in reply.message.calls] == [("look", {"name": "box"})]
    assert reply.finish == "tool_calls" and reply.model == "mock"
    assert server.received[0].api == api and server.received[0].body["model"] == "some-model"


@pytest.mark.parametrize("api", APIS)
def test_extra_fields_are_added_and_taken_away(api: str) -> None:
    with MockServer(["hi"]) as server:
        run(client(api, server, extra={"reasoning_effort": "low", "temperature": None}), ask(tools=(LOOK,)))
    body = server.received[0].body
    assert body["reasoning_effort"] == "low" and "temperature" not in body and "tools" in body


def test_broken_arguments_come_through_the_mock_as_written() -> None:
    call = ModelCall(id="c", name="look", arguments='{"name": ')
    for api in APIS:
        with MockServer([call]) as server:
            assert run(client(api, server), ask())[0].message.calls == (call,)


@pytest.mark.parametrize("api", APIS)
def test_an_exception_in_the_answer_reaches_the_client(api: str) -> None:
    def answer(request: ChatRequest) -> str:
        raise KeyError("the oracle is lost")

    with MockServer(answer) as server, pytest.raises(ModelError, match="KeyError: 'the oracle is lost'"):
        run(client(api, server), ask())


def test_a_mock_whose_script_is_used_up_says_so() -> None:
    with MockServer(["one"]) as server, pytest.raises(ModelError, match="used up"):
        run(client("openai", server), ask(), ask())


def test_the_mock_turns_down_what_is_no_request() -> None:
    with MockServer() as server:
        for path, body, status in (("/v1/chat/completions", b"{}", 400), ("/v1/messages", b"nonsense", 400), ("/v2", b"{}", 404)):
            with pytest.raises(urllib.error.HTTPError) as caught:
                urllib.request.urlopen(urllib.request.Request(server.url + path, data=body), timeout=30)
            assert caught.value.code == status
            caught.value.close()


def test_an_unknown_fault_is_refused() -> None:
    with pytest.raises(RegistryError, match="cut_off"):
        MockServer(faults=["explode"])


def test_everything_promised_is_there_and_nothing_is_loaded_before_it_is_named() -> None:
    for name in models.__all__:
        assert getattr(models, name) is not None
    with pytest.raises(AttributeError):
        models.Nonsense  # noqa: B018  # asking for it is the test
    code = (
        "import sys; from opsgym.baselines.models import ScriptedModel, make_model, RequestCache, BudgetedModel; "
        "print({'httpx', 'tenacity'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=Path(__file__).parents[3])
    assert done.stdout.strip() == "set()"
