"""Clients over real loopback HTTP: what is tried again, how long they wait, how they give up."""

from __future__ import annotations

import asyncio
import pickle
import random
import socket
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opsgym.baselines.models import FAULTS, Fault, MockServer, Retries, Timeouts, make_model
from opsgym.baselines.models.endpoint import Endpoint
from opsgym.baselines.models.http import HttpClient, retry_after
from opsgym.core.errors import ModelError, TaskError
from tests.baselines.models.support import APIS, Highest, Nap, ask, client, run, talk, together

KINDS = {
    "rate_limited": "rate_limited",
    "error": "server",
    "unavailable": "server",
    "overloaded": "server",
    "slow": "timeout",
    "cut_off": "connection",
    "reset": "connection",
    "malformed": "malformed",
    "wrong_type": "malformed",
    "empty": "malformed",
}
SOON = Timeouts(read=0.4)


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(params=APIS)
def api(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def refused(model: Any) -> ModelError:
    with pytest.raises(ModelError) as caught:
        run(model, ask())
    return caught.value


def test_every_fault_that_may_pass_has_a_kind() -> None:
    assert set(KINDS) == set(FAULTS)


@pytest.mark.parametrize("fault", sorted(FAULTS))
def test_a_fault_that_passes_is_survived(api: str, fault: str) -> None:
    with MockServer(["fine"], faults=[fault, fault]) as server:
        model = client(api, server, timeouts=SOON, retries=Retries(attempts=12))
        assert run(model, talk())[0].message.content == "fine"
    # A busy machine may be late with the good answer too, so that a slow one is not counted to the letter.
    assert len(server.received) >= 3 if fault == "slow" else len(server.received) == 3


@pytest.mark.parametrize("fault", sorted(FAULTS))
def test_a_fault_that_stays_ends_as_an_error_of_its_kind(api: str, fault: str) -> None:
    with MockServer(faults=lambda number: fault) as server:
        model = client(api, server, timeouts=SOON, retries=Retries(attempts=3))
        error = refused(model)
    assert error.kind == KINDS[fault]
    assert len(server.received) == 3
    assert "attempt 3" in str(error) and "127.0.0.1" in str(error)


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 504, 529])
def test_statuses_that_may_pass_are_tried_again(api: str, status: int) -> None:
    with MockServer(faults=[Fault("status", status)]) as server:
        run(client(api, server), ask())
    assert len(server.received) == 2


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, "rejected"),
        (401, "unauthorized"),
        (402, "budget"),
        (403, "unauthorized"),
        (404, "rejected"),
        (413, "rejected"),
        (422, "rejected"),
        (307, "rejected"),
    ],
)
def test_statuses_that_stay_are_not_tried_again(api: str, status: int, kind: str) -> None:
    with MockServer(faults=lambda number: Fault("status", status, message="no such luck")) as server:
        error = refused(client(api, server))
    assert error.kind == kind
    assert len(server.received) == 1
    assert "no such luck" in str(error)


def test_an_empty_account_is_not_waited_for() -> None:
    with MockServer(faults=lambda number: Fault("status", 429, message="insufficient_quota")) as server:
        assert refused(client("openai", server)).kind == "budget"
    assert len(server.received) == 1


def test_nobody_listening_is_a_connection_error(api: str) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound but not listening: connecting is refused
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        nap = Nap()
        assert refused(make_model(f"{api}:m", base_url=url, sleep=nap, retries=Retries(attempts=4))).kind == "connection"
    assert len(nap.waits) == 3


def test_an_answer_as_a_whole_has_a_time_limit() -> None:
    with MockServer(faults=lambda number: "slow") as server:
        model = client("openai", server, timeouts=Timeouts(read=60, total=0.2), retries=Retries(attempts=2))
        assert refused(model).kind == "timeout"
    assert len(server.received) == 2


def test_waits_double_up_to_a_cap() -> None:
    nap = Nap()
    with MockServer(faults=lambda number: "error") as server:
        model = client("openai", server, sleep=nap, rng=Highest(), retries=Retries(attempts=8, base=0.5, cap=10))
        refused(model)
    assert nap.waits == [0.5, 1.0, 2.0, 4.0, 8.0, 10.0, 10.0]


def test_waits_are_jittered_over_the_whole_range_without_the_global_generator() -> None:
    nap = Nap()
    state = random.getstate()
    with MockServer(faults=lambda number: "error") as server:
        model = client("openai", server, sleep=nap, rng=random.Random(1), retries=Retries(attempts=41, base=1, cap=1))
        refused(model)
    assert random.getstate() == state
    assert all(0 <= wait <= 1 for wait in nap.waits)
    assert min(nap.waits) < 0.2 and max(nap.waits) > 0.8


def test_what_the_server_asks_to_wait_is_waited_in_full(api: str) -> None:
    nap = Nap()
    with MockServer(faults=["rate_limited", Fault("status", 503, retry_after="7"), None]) as server:
        run(client(api, server, sleep=nap, rng=Highest(), retries=Retries(base=0.25)), ask())
    assert nap.waits == [2.25, 7.5]


def test_a_date_to_wait_for_is_read_against_the_clock() -> None:
    nap = Nap()
    date = format_datetime(datetime(2026, 3, 1, 12, 0, 30, tzinfo=UTC), usegmt=True)

    async def post(server: MockServer) -> Any:
        now = datetime(2026, 3, 1, 12, 0, 10, tzinfo=UTC).timestamp()
        http = HttpClient(Endpoint(server.url), sleep=nap, rng=Highest(), now=lambda: now, retries=Retries(base=0.0))
        try:
            return await http.post("/v1/messages", {"messages": [], "max_tokens": 1}, bytes)
        finally:
            await http.aclose()

    with MockServer(faults=[Fault("status", 429, retry_after=date)]) as server:
        asyncio.run(post(server))
    assert nap.waits == [20.0]


def test_a_server_that_asks_for_too_long_is_given_up() -> None:
    nap = Nap()
    with MockServer(faults=[Fault("status", 429, retry_after="3600")]) as server:
        assert refused(client("openai", server, sleep=nap)).kind == "rate_limited"
    assert nap.waits == []


@given(st.text(max_size=40) | st.floats(allow_nan=True, allow_infinity=True).map(str))
def test_any_text_to_wait_for_gives_a_time_or_nothing(value: str) -> None:
    seconds = retry_after(value, 1e9)
    assert seconds is None or 0 <= seconds < float("inf")


def test_at_most_so_many_requests_are_under_way() -> None:
    """Three of eight arrive and no more, until they are answered."""
    with MockServer(lambda request: "ok", faults=lambda number: "slow") as server:
        model = client("openai", server, concurrency=3, timeouts=Timeouts(read=60))

        async def job() -> list[str]:
            tasks = [asyncio.create_task(model.complete(ask(str(number)))) for number in range(8)]
            while len(server.received) < 3:
                await asyncio.sleep(0.01)
            await asyncio.sleep(0.1)
            assert len(server.received) == 3
            server.closing.set()  # the slow ones are answered now
            return [(await task).message.content for task in tasks]

        assert together(model, job) == ["ok"] * 8
    assert len(server.received) == 8


def test_a_cancelled_request_frees_its_slot() -> None:
    with MockServer(lambda request: "ok", faults=["slow"]) as server:
        model = client("openai", server, concurrency=1, timeouts=Timeouts(read=60))

        async def job() -> str:
            task = asyncio.create_task(model.complete(ask()))
            while not server.received:
                await asyncio.sleep(0.01)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            return str((await model.complete(ask())).message.content)

        assert together(model, job) == "ok"


def test_a_client_serves_one_event_loop_after_another(api: str) -> None:
    with MockServer(lambda request: "ok") as server:
        model = client(api, server)
        assert [run(model, ask())[0].message.content for _ in range(2)] == ["ok", "ok"]


def test_connections_are_kept_open() -> None:
    """Keys are checked and connections made once, not once a turn."""
    with MockServer(lambda request: "ok") as server:
        run(client("openai", server), *[ask()] * 5)
        assert {received.headers["connection"] for received in server.received} == {"keep-alive"}


def test_an_error_survives_the_way_between_processes() -> None:
    with MockServer(faults=lambda number: Fault("status", 404)) as server:
        error = refused(client("openai", server))
    again = pickle.loads(pickle.dumps(error))
    assert (again.kind, str(again)) == (error.kind, str(error))


@pytest.mark.parametrize("url", ["localhost:8000", "ftp://host/v1", "", "http://", "file:///etc/passwd"])
def test_a_base_url_that_is_none_is_refused(api: str, url: str) -> None:
    with pytest.raises(TaskError, match="base_url"):
        make_model(f"{api}:m", base_url=url)


@pytest.mark.parametrize("options", [{"concurrency": 0}, {"retries": None, "name": ""}])
def test_senseless_limits_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(TaskError):
        make_model("openai:m", base_url="http://localhost", **options)
    with pytest.raises(TaskError):
        Retries(attempts=0)


def test_a_deeply_nested_answer_is_malformed() -> None:
    """No body may take the process down."""
    from opsgym.baselines.models.openai_wire import decode_reply

    with pytest.raises(ValueError, match="recursion"):
        decode_reply(b'{"choices":' * 100_000, ask())


def test_a_proxy_that_the_environment_names_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with MockServer(lambda request: "through the proxy") as proxy:
        monkeypatch.setenv("http_proxy", proxy.url)
        model = make_model("openai:m", base_url="http://models.invalid/v1", sleep=Nap())
        assert run(model, ask())[0].message.content == "through the proxy"
