"""Keys come from the environment, reach the server, and appear nowhere else."""

from __future__ import annotations

import gc
import json
import logging
import pickle
import traceback
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest

from opsgym.baselines.models import BudgetedModel, Fault, MockServer, OpenAIModel, RequestCache, Retries, Timeouts, make_model
from opsgym.baselines.models.mock_server import FAULTS
from opsgym.core.errors import ModelError, TaskError
from tests.baselines.models.support import APIS, Nap, ask, client, run, together

KEY = "sk-planted-4711-DoNotShow"
VARIABLE = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}


@pytest.fixture(params=APIS)
def api(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    for name in VARIABLE.values():
        monkeypatch.setenv(name, KEY)
    return str(request.param)


def shown(error: BaseException) -> str:
    """All that anyone could print of an error: its chain, its fields, and the local variables of the library on its way."""
    assert error.__cause__ is None and error.__context__ is None
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__) if frame.f_globals["__name__"].startswith("opsgym")]
    assert frames
    seen = [repr(value) for frame in frames for name, value in frame.f_locals.items() if name != "self"]
    return "".join([str(error), repr(error), repr(vars(error)), repr(error.args), *seen])


class Headers:
    """A server's look at the headers, which the mock does not write down."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        from opsgym.baselines.models import mock_server

        self.seen: list[dict[str, str]] = []
        hidden = mock_server._without_keys

        def look(headers: Any) -> dict[str, str]:
            self.seen.append({name.lower(): value for name, value in headers})
            return hidden(self.seen[-1].items())

        monkeypatch.setattr(mock_server, "_without_keys", look)


def test_the_key_reaches_the_server_in_its_header(api: str, monkeypatch: pytest.MonkeyPatch) -> None:
    headers = Headers(monkeypatch)
    with MockServer() as server:
        run(client(api, server), ask())
    sent = headers.seen[0]
    assert sent["authorization"] == f"Bearer {KEY}" if api == "openai" else sent["x-api-key"] == KEY


@pytest.mark.parametrize("fault", [*FAULTS.values(), Fault("echo", 400), Fault("echo", 401), Fault("echo", 500)], ids=repr)
def test_no_failure_shows_the_key(api: str, fault: Fault, caplog: pytest.LogCaptureFixture, capfd: Any) -> None:
    caplog.set_level(logging.DEBUG)
    with MockServer(faults=lambda number: fault) as server:
        model = client(api, server, timeouts=Timeouts(read=0.2), retries=Retries(attempts=2))
        with pytest.raises(ModelError) as caught:
            run(model, ask())
    out, err = capfd.readouterr()
    told = [shown(caught.value), repr(model), str(vars(model)), caplog.text, out, err, repr(server.received)]
    assert all(KEY not in text for text in told)
    assert KEY.encode() not in pickle.dumps(caught.value)
    if fault.kind == "echo":
        assert "***" in str(caught.value)  # the server did repeat it


def test_no_file_and_no_reply_holds_the_key(api: str, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Not even where the server repeats it in its reply."""
    caplog.set_level(logging.DEBUG)
    cache = RequestCache(tmp_path / "replies.sqlite")
    with MockServer([f"your key is {KEY}"], faults=["error", "cut_off"]) as server:
        model = BudgetedModel(client(api, server), dollars=1)
        reply = together(model, lambda: cache.around(model, trial="t/0").complete(ask()))
        (tmp_path / "reply.json").write_text(reply.model_dump_json(), encoding="utf-8")
        (tmp_path / "server.json").write_text(json.dumps([vars(received) for received in server.received], default=repr))
        (tmp_path / "log.txt").write_text(caplog.text)
    assert reply.message.content == "your key is ***"
    cache.close()
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) >= 4
    assert all(KEY.encode() not in path.read_bytes() for path in files)


def test_userinfo_and_query_of_the_url_are_sent_and_never_shown(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    caplog.set_level(logging.DEBUG)
    headers = Headers(monkeypatch)
    secrets = ["p4ssw0rd-planted", "query-planted-99", b64encode(b"someone:p4ssw0rd-planted").decode()]
    with MockServer(faults=["error", Fault("echo", 400)]) as server:
        url = server.openai_url.replace("http://", "http://someone:p4ssw0rd-planted@") + "?api-key=query-planted-99"
        model = OpenAIModel("m", base_url=url, sleep=Nap())
        with pytest.raises(ModelError) as caught:
            run(model, ask())
    assert headers.seen[0]["authorization"] == f"Basic {secrets[2]}"
    assert "/v1/chat/completions?api-key=***" in str(caught.value)  # the server got the query, and repeated it
    assert server.received[0].path == "/v1/chat/completions"
    told = shown(caught.value) + repr(model) + caplog.text + repr(server.received)
    assert all(secret not in told for secret in secrets)


def test_escapes_do_not_carry_a_secret_past_the_mask(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server repeats its path as it got it, percent signs and all."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with MockServer(faults=lambda number: Fault("echo", 400)) as server:
        model = OpenAIModel("m", base_url=f"{server.openai_url}?api-key=planted%2Fquery%2F99")
        with pytest.raises(ModelError) as caught:
            run(model, ask())
    assert "/v1/chat/completions?api-key=***" in str(caught.value) and "planted" not in str(caught.value)


def test_a_model_with_a_key_is_not_pickled(api: str) -> None:
    with MockServer() as server, pytest.raises(TypeError, match="secrets"):
        pickle.dumps(client(api, server))


def test_no_object_that_outlives_a_failure_holds_the_key_in_the_open(api: str) -> None:
    """HTTPX hangs requests on its exceptions; none of them has the header."""
    import httpx

    with MockServer(faults=lambda number: "reset") as server:
        model = client(api, server, retries=Retries(attempts=2))
        with pytest.raises(ModelError):
            run(model, ask())
    gc.collect()
    alive = [thing for thing in gc.get_objects() if isinstance(thing, httpx.Request)]
    assert all(KEY not in str(list(request.headers.raw)) for request in alive)


def test_a_key_in_a_variable_of_another_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GATEWAY_KEY", f"  {KEY}\n")
    headers = Headers(monkeypatch)
    with MockServer() as server:
        run(client("openai", server, key_env="GATEWAY_KEY"), ask())
    assert headers.seen[0]["authorization"] == f"Bearer {KEY}"


def test_a_missing_key_is_told_by_the_name_of_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*VARIABLE.values(), "GATEWAY_KEY"):
        monkeypatch.delenv(name, raising=False)
    for api, variable in VARIABLE.items():
        with pytest.raises(ModelError, match=variable) as caught:
            make_model(f"{api}:m")
        assert caught.value.kind == "unauthorized"
    with pytest.raises(ModelError, match="GATEWAY_KEY"):
        make_model("openai:m", base_url="http://localhost", key_env="GATEWAY_KEY")


def test_a_key_that_no_header_can_hold_is_refused_without_being_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", f"{KEY}é")
    with pytest.raises(TaskError) as caught:
        make_model("openai:m")
    assert KEY not in shown(caught.value)


def test_a_placeholder_for_a_key_leaves_replies_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Servers of one's own are often given the key ``EMPTY``."""
    monkeypatch.setenv("OPENAI_API_KEY", "EMPTY")
    with MockServer(["the box is EMPTY"]) as server:
        assert run(client("openai", server), ask())[0].message.content == "the box is EMPTY"


def test_a_request_is_not_redirected_with_its_key(api: str) -> None:
    with MockServer(faults=lambda number: Fault("status", 302)) as server, pytest.raises(ModelError):
        run(client(api, server), ask())
    assert len(server.received) == 1
