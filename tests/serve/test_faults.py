"""Clients that break off, send too much or take too long: calls are whole or have not been, and the server stays up."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from urllib.parse import urlsplit

import httpx
import pytest

from opsgym.core.task import JsonDict, Task
from opsgym.serve import ErpServer, Limits, erp_server
from opsgym.serve.connections import listen
from opsgym.serve.databases import CallTimeout, Closed
from tests.serve.doors import database, headers

PARTNERS = {"vals_list": [{"name": f"partner {number}"} for number in range(20_000)]}
"""Arguments of a call that takes many milliseconds."""


@pytest.fixture
def made(server: ErpServer, task: Task) -> Iterator[JsonDict]:
    with database(server, task) as made:
        yield made


def request_of(made: JsonDict, body: bytes, *, length: int | None = None) -> bytes:
    """A request as bytes, which may promise more body than there is."""
    lines = ["POST /json/2/res.partner/create HTTP/1.1", "Host: x", "Content-Type: application/json"]
    lines += [f"{name}: {value}" for name, value in headers(made).items()]
    lines.append(f"Content-Length: {len(body) if length is None else length}")
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def connect(server: ErpServer) -> socket.socket:
    place = urlsplit(server.url)
    return socket.create_connection((str(place.hostname), int(place.port or 0)), timeout=30)


def is_up(server: ErpServer) -> bool:
    return httpx.get(f"{server.url}/web/version").status_code == 200


def test_a_client_that_dies_in_its_body_changes_nothing(server: ErpServer, made: JsonDict) -> None:
    before = server.databases[made["database"]].digest()
    for sent in (0, 1, 20):
        with connect(server) as client:
            client.sendall(request_of(made, b'{"vals_list": {"name": "x"}}'[:sent], length=28))
    assert is_up(server) and server.databases[made["database"]].digest() == before


def test_a_client_that_dies_while_its_call_runs_leaves_it_whole(server: ErpServer, made: JsonDict) -> None:
    target = server.databases[made["database"]]
    for name in ("one", "two"):
        gate = Event()
        target.submit(gate.wait, 30)
        with connect(server) as client:
            client.sendall(request_of(made, json.dumps({"vals_list": [{"name": name}] * 3}).encode()))
            while is_up(server) and target.waiting < 2:  # the gate, and the call behind it
                pass
        gate.set()
    body = {"domain": [["name", "in", ["one", "two"]]]}
    answer = httpx.post(f"{server.url}/json/2/res.partner/search_count", headers=headers(made), json=body)
    assert answer.json() == 6


def test_a_client_that_has_stopped_sending_hears_the_answer(server: ErpServer, made: JsonDict) -> None:
    target = server.databases[made["database"]]
    gate = Event()
    target.submit(gate.wait, 30)
    body = json.dumps({"vals_list": {"name": "half"}}).encode()
    with connect(server) as client:
        client.sendall(request_of(made, body) * 2)
        client.shutdown(socket.SHUT_WR)
        while is_up(server) and target.waiting < 2:
            pass
        gate.set()
        answers = b"".join(iter(lambda: client.recv(4096), b""))
    assert answers.count(b"HTTP/1.1 200") == 2


def test_a_head_that_never_ends_frees_its_connection(task: Task) -> None:
    with erp_server(task, limits=Limits(idle_seconds=1)) as server:
        silent, partial = connect(server), connect(server)
        with silent, partial:
            partial.sendall(b"POST /json/2/x/y HTTP/1.1\r\nX-A: ")
            assert (silent.recv(1), hangs_up(partial)) == (b"", True)


def hangs_up(client: socket.socket) -> bool:
    """Whether the server closes the connection, though the client always has something more to say."""
    client.settimeout(0.1)
    for _ in range(300):
        try:
            client.sendall(b"a")
            return client.recv(1) == b""
        except TimeoutError:
            continue
        except ConnectionError:
            return True
    return False


def test_answers_are_sent_at_once() -> None:
    with listen("127.0.0.1", 0) as listener, socket.create_connection(listener.getsockname()):
        accepted, _ = listener.accept()
        with accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_a_body_beyond_the_limit_is_refused(server: ErpServer, made: JsonDict) -> None:
    before = server.databases[made["database"]].digest()
    for size in (2**20 + 1, 10 * 2**20):
        body = b'{"vals_list": {"name": "' + b"x" * size + b'"}}'
        for content in (body, iter([body[:100], body[100:]])):  # with its length in the header, and in chunks
            sent = {**headers(made), "Content-Type": "application/json"}
            answer = httpx.post(f"{server.url}/json/2/res.partner/create", headers=sent, content=content, timeout=30)
            assert answer.status_code in (413,) and str(2**20) in answer.json()["message"]
    assert is_up(server) and server.databases[made["database"]].digest() == before


def test_a_slow_body_and_a_slow_call_are_broken_off(task: Task) -> None:
    with erp_server(task, limits=Limits(body_seconds=0.2, call_seconds=0.1)) as server:
        target = server.databases[server.database]
        made = target.describe()
        before = target.digest()
        with connect(server) as client:
            client.sendall(request_of(made, b"{", length=28))
            assert client.recv(12) == b"HTTP/1.1 408"
        for _ in range(2):
            answer = httpx.post(f"{server.url}/json/2/res.partner/create", headers=headers(made), json=PARTNERS, timeout=30)
            assert answer.status_code == 503 and "0.1 s" in answer.json()["message"]
            assert target.digest() == before
        assert httpx.post(f"{server.url}/json/2/res.users/context_get", headers=headers(made)).status_code == 200


def test_a_busy_database_does_not_hold_up_another(server: ErpServer, made: JsonDict, task: Task) -> None:
    gate = Event()
    server.databases[made["database"]].submit(gate.wait, 30)
    with database(server, task) as other, ThreadPoolExecutor() as clients:
        path = f"{server.url}/json/2/res.users/context_get"
        waiting = [clients.submit(httpx.post, path, headers=headers(made), timeout=30) for _ in range(4)]
        assert httpx.post(path, headers=headers(other)).status_code == 200
        assert not any(one.done() for one in waiting)
        gate.set()
        assert [one.result().status_code for one in waiting] == [200] * 4


def test_a_server_that_stops_finishes_its_calls(task: Task) -> None:
    with ThreadPoolExecutor() as clients:
        with erp_server(task) as server:
            target = server.databases[server.database]
            gate = Event()
            target.submit(gate.wait, 30)
            path, sent = f"{server.url}/json/2/res.users/context_get", headers(target.describe())
            running = clients.submit(httpx.post, path, headers=sent, timeout=30)
            while target.waiting < 2:
                pass
            server.stop()
            clients.submit(gate.set)
        assert running.result().status_code == 200
        with pytest.raises(httpx.ConnectError):
            httpx.get(f"{server.url}/web/version")


def test_a_database_that_is_deleted_finishes_its_calls(server: ErpServer, task: Task) -> None:
    made = server.admin.create(task)
    target = server.databases[made["database"]]
    gate = Event()
    target.submit(gate.wait, 30)
    path = f"{server.url}/json/2/res.users/context_get"
    with ThreadPoolExecutor() as clients:
        running = clients.submit(httpx.post, path, headers=headers(made), timeout=30)
        while target.waiting < 2:
            pass
        deleting = clients.submit(server.admin.delete, made["database"])
        gate.set()
        assert running.result().status_code == 200 and deleting.result() is None
    assert httpx.post(path, headers=headers(made)).status_code == 404


def test_what_a_deleted_database_is_asked_for_is_not_found(
    server: ErpServer, task: Task, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = server.admin.create(task)
    name, target = made["database"], server.databases[made["database"]]
    server.admin.delete(name)
    known = {name: target, "another": target}  # as looked up just before
    monkeypatch.setattr(server.databases, "get", known.get)
    operator = {"Authorization": f"Bearer {server.admin_key}"}
    for verb, path in (("POST", "/reset"), ("GET", "/verdict"), ("GET", "/snapshot"), ("DELETE", "")):
        answer = httpx.request(verb, f"{server.admin_url}/databases/{name}{path}", headers=operator)
        assert (answer.status_code, answer.json()) == (404, {"error": f"there is no database {name!r}"})
    answer = httpx.post(f"{server.url}/json/2/res.users/context_get", headers=headers(made))
    assert answer.status_code == 404 and answer.headers["content-type"].startswith("text/html")
    with pytest.raises(Closed):
        target.digest()


def test_calls_meet_resets_and_deletion_without_a_fault(server: ErpServer, task: Task) -> None:
    made = server.admin.create(task)
    seeded = server.admin.verdict(made["database"])["digest"]
    body = {"vals_list": [{"name": "x"}] * 3}

    def write(_: int) -> int:
        return httpx.post(f"{server.url}/json/2/res.partner/create", headers=headers(made), json=body, timeout=30).status_code

    with ThreadPoolExecutor(8) as clients:
        writing = clients.map(write, range(40))
        for _ in range(5):
            server.admin.reset(made["database"])
        assert set(writing) == {200}
        assert server.admin.reset(made["database"]) and server.admin.verdict(made["database"])["digest"] == seeded
        writing = clients.map(write, range(40))
        server.admin.delete(made["database"])
        assert set(writing) <= {200, 404}
    assert is_up(server)


def test_a_server_that_must_not_wait_undoes_what_runs(task: Task) -> None:
    with erp_server(task) as server:
        target = server.databases[server.database]
        rows = [{"name": f"partner {number}"} for number in range(10**6)]
        running = target.submit(target.call, "res.partner", "create", (), None, {"vals_list": rows}, seconds=600)
        behind = target.submit(target.digest)
        while not running.running():
            pass
        server.stop(wait=False)
    assert isinstance(running.exception(), CallTimeout) and behind.cancelled()
