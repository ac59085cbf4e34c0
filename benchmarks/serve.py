"""Speed of ``opsgym serve erp`` beside an empty-handler server of the same stack, timed in the same run.

Run with ``python benchmarks/serve.py [--sessions 64] [--calls 200]``.  The server, the empty one and the clients are processes of
their own on loopback; a session is a connection that makes its calls one after another, a plan's bookings with reads between.
Wall figures depend on what else the machine does; the server's CPU time a call does not.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import cycle
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from opsgym.core.task import Task
from opsgym.data.fixed_sets import shipped
from opsgym.envs.erp_bench.erp import Erp
from opsgym.envs.erp_bench.family import ErpBenchFamily
from opsgym.envs.erp_bench.raw_calls import raw_calls
from opsgym.serve import Admin

TICKS = os.sysconf("SC_CLK_TCK")

EMPTY = """
import asyncio, json, sys, uvicorn
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route
from opsgym.serve.connections import listen
from opsgym.serve.limits import Limits
from opsgym.serve.server import _Server, _config

async def call(request):
    await request.body()
    return JSONResponse(None)

port = listen("127.0.0.1", 0)
print(json.dumps({"url": f"http://127.0.0.1:{port.getsockname()[1]}"}), flush=True)
app = Starlette(routes=[Route("/json/2/{model}/{method}", call, methods=["POST"])])
asyncio.run(_Server(_config(app, Limits())).serve([port]))
"""
"""A server of the same stack that answers every call with null."""


READS: tuple[dict[str, Any], ...] = (
    {
        "model": "product.product",
        "method": "search_read",
        "kwargs": {"domain": [], "fields": ["name", "qty_available"], "limit": 20},
    },
    {"model": "sale.order", "method": "search_read", "kwargs": {"domain": [["state", "!=", "cancel"]], "limit": 5}},
    {"model": "product.supplierinfo", "method": "search_read", "kwargs": {"domain": [["price", ">", 10]], "limit": 10}},
    {"model": "res.partner", "method": "name_search", "kwargs": {"name": "a", "limit": 5}},
    {"model": "purchase.order", "method": "search_count", "kwargs": {"domain": []}},
)
"""What an agent looks at between its bookings."""


@dataclass(frozen=True, slots=True)
class Session:
    """One client: where it connects, its headers, and its requests as pairs of path and body."""

    host: str
    port: int
    headers: dict[str, str]
    requests: list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Report:
    """What came of the sessions: wall seconds, statuses, and the times of calls in milliseconds."""

    calls: int
    seconds: float
    statuses: dict[str, int]
    p50: float
    p99: float


def spread(bookings: list[dict[str, Any]], count: int) -> list[dict[str, Any]]:
    """``count`` calls: bookings in order, with reads spread among them where there are not enough."""
    reads = cycle(READS)
    bookings = bookings[:count]
    return [
        bookings[number * len(bookings) // count]
        if number * len(bookings) // count != (number - 1) * len(bookings) // count
        else next(reads)
        for number in range(count)
    ]


def session(url: str, key: str, database: str, calls: Iterable[dict[str, Any]]) -> Session:
    """The session that makes calls of a database."""
    host, _, port = url.removeprefix("http://").rpartition(":")
    sent = {"Authorization": f"Bearer {key}", "X-Odoo-Database": database, "Content-Type": "application/json"}
    requests = [
        (f"/json/2/{call['model']}/{call['method']}", json.dumps({**call.get("kwargs", {}), "ids": call.get("ids", [])}))
        for call in calls
    ]
    return Session(host, int(port), sent, requests)


async def _play(one: Session, times: list[float], statuses: Counter[str]) -> None:
    reader, writer = await asyncio.open_connection(one.host, one.port)
    head = "".join(f"{name}: {value}\r\n" for name, value in {"Host": one.host, **one.headers}.items())
    for path, body in one.requests:
        content = body.encode()
        start = time.perf_counter()
        writer.write(f"POST {path} HTTP/1.1\r\n{head}Content-Length: {len(content)}\r\n\r\n".encode() + content)
        answer = await reader.readuntil(b"\r\n\r\n")
        length = next(line for line in answer.lower().split(b"\r\n") if line.startswith(b"content-length:"))
        await reader.readexactly(int(length.partition(b":")[2]))
        times.append(time.perf_counter() - start)
        statuses[answer[9:12].decode()] += 1
    writer.close()
    await writer.wait_closed()


async def play(sessions: list[Session]) -> Report:
    """Play all sessions at once."""
    times: list[float] = []
    statuses: Counter[str] = Counter()
    start = time.perf_counter()
    await asyncio.gather(*(_play(one, times, statuses) for one in sessions))
    seconds = time.perf_counter() - start
    cuts = statistics.quantiles([1000 * one for one in times], n=100)
    return Report(len(times), seconds, dict(statuses), cuts[49], cuts[98])


def drive(sessions: list[Session]) -> Report:
    """Play sessions from another process."""
    lines = "\n".join(json.dumps(asdict(one)) for one in sessions)
    done = subprocess.run([sys.executable, __file__, "--play"], input=lines, stdout=subprocess.PIPE, text=True, check=True)
    return Report(**json.loads(done.stdout))


@contextmanager
def process(*arguments: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """A server as a process of its own: its id, and the line of JSON that it prints when ready."""
    running = subprocess.Popen([sys.executable, *arguments], stdout=subprocess.PIPE, text=True)
    assert running.stdout is not None
    try:
        yield running.pid, json.loads(running.stdout.readline())
    finally:
        running.send_signal(signal.SIGTERM)
        try:
            running.wait(10)
        except subprocess.TimeoutExpired:
            running.kill()
            running.wait()
        running.stdout.close()


def cpu_seconds(pid: int) -> float:
    """CPU time that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def in_process_ms(plans: list[list[dict[str, Any]]], tasks: list[Task]) -> float:
    """CPU milliseconds of a call without any server."""
    worlds = [ErpBenchFamily().open(task) for task in tasks]
    start = time.process_time()
    for world, plan in zip(worlds, plans, strict=True):
        erp = Erp(world)
        for call in plan:
            erp.call(call["model"], call["method"], call.get("ids", []), **call.get("kwargs", {}))
    spent = time.process_time() - start
    for world in worlds:
        world.close()
    return 1000 * spent / sum(map(len, plans))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sessions", type=int, default=64)
    parser.add_argument("--calls", type=int, default=200)
    parser.add_argument("--play", action="store_true", help="play the sessions on standard input, a line of JSON each")
    given = parser.parse_args()
    if given.play:
        print(json.dumps(asdict(asyncio.run(play([Session(**json.loads(line)) for line in sys.stdin])))))
        return
    pack = shipped(ErpBenchFamily(), "test")
    assert pack is not None
    tasks = [pack[number * (len(pack) // given.sessions)] for number in range(given.sessions)]
    plans = [spread([call.arguments for call in raw_calls(task)[:-1]], given.calls) for task in tasks]

    title = f"{given.calls} calls a session, CPython {sys.version.split()[0]}, load {os.getloadavg()[0]:.1f}"
    table = Table(title=title, title_justify="left")
    for name in ("server", "sessions", "calls/s", "p50 ms", "p99 ms", "server CPU ms a call"):
        table.add_column(name, justify="left" if name == "server" else "right")

    def row(name: str, pid: int, sessions: list[Session]) -> None:
        before = cpu_seconds(pid)
        report = drive(sessions)
        cpu = 1000 * (cpu_seconds(pid) - before) / report.calls
        assert report.statuses == {"200": report.calls}, report.statuses
        rate = report.calls / report.seconds
        table.add_row(name, str(len(sessions)), f"{rate:,.0f}", f"{report.p50:.1f}", f"{report.p99:.1f}", f"{cpu:.2f}")

    serve = ("-m", "opsgym.cli", "serve", "erp", "--port", "0", "--admin-port", "0", "--json")
    with (
        process("-c", EMPTY) as (empty_pid, empty),
        process(*serve) as (pid, erp),
        Admin(erp["admin_url"], erp["admin_key"]) as admin,
    ):
        made = [admin.create(task) for task in tasks]
        bare = [session(empty["url"], "key", "bench", plan) for plan in plans]
        full = [session(erp["url"], one["key"], one["database"], plan) for one, plan in zip(made, plans, strict=True)]
        for count in dict.fromkeys((1, given.sessions)):
            row("empty handler", empty_pid, bare[:count])
            row("opsgym serve erp", pid, full[:count])
            admin.reset(made[0]["database"])
    table.add_section()
    table.add_row("no server, in process", "1", "", "", "", f"{in_process_ms(plans[:16], tasks[:16]):.2f}")
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
