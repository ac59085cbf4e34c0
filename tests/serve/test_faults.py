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
from opsgym.serve.databases import CallTimeout
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
