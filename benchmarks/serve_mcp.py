"""What tasks over MCP cost beside a server of the same stack with one empty tool, timed in the same run.

Run with ``python benchmarks/serve_mcp.py [--sessions 64] [--calls 200]``. Each server is a process of its own on the loopback,
and this process is the client: so many sessions of the official SDK at the same time, each making its calls one after another.
A session plays a task of ERP-Bench's fixed set: it looks around until only the calls of the reference solution are left, makes
them and hands in. Every answer is compared with that of the environment itself, and the recorded episodes are replayed to the
digest of the world after each step, so that one wrong byte, or a world that two sessions see, ends the run with an error. Times
are those of the client, with its own work in them; CPU time is that of the server's process.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from mcp import Client, types
from mcp.server import Server, ServerRequestContext
from rich.console import Console
from rich.table import Table

from opsgym.core.task import Task, ToolCall
from opsgym.data.fixed_sets import shipped
from opsgym.data.trajectories import replay_file
from opsgym.envs.erp_bench.env import ERPBenchEnv
from opsgym.envs.erp_bench.family import ErpBenchFamily

LOOKS = (
    ToolCall(name="get_current_date"),
    ToolCall(name="search_products", arguments={}),
    ToolCall(name="list_purchase_orders", arguments={}),
)
"""What a session does before it plays the solution, again and again."""

Plan = tuple[Sequence[ToolCall], Sequence[str]]
"""Calls of a session, and how each is to be answered; an empty text leaves it open."""


def fixed_tasks(count: int) -> list[Task]:
    """The first tasks of the fixed set."""
    pack = shipped(ErpBenchFamily(), "test")
    assert pack is not None
    return [pack[index] for index in range(count)]


def plan(task: Task, calls: int) -> tuple[str, Plan]:
    """The brief of a task, and what to do with it; one that is longer than ``calls`` is played whole."""
    looks = max(0, calls - len(task.oracle))
    made = [*(LOOKS[number % len(LOOKS)] for number in range(looks)), *task.oracle]
    env = ERPBenchEnv(cache=None)
    brief, _ = env.reset(options={"task": task})
    return brief, (made, [env.step(call)[0] for call in made])


@contextmanager
def server(*command: str) -> Iterator[tuple[str, int]]:
    """URL and process of a server that prints the URL when it is ready."""
    with subprocess.Popen([sys.executable, *command], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        try:
            yield process.stdout.readline().split()[-1], process.pid
        finally:
            process.terminate()


def cpu_seconds(pid: int) -> float:
    """CPU time of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def play(url: str, plans: dict[str, Plan], clock: list[float]) -> None:
    """One session: by its brief it knows what to do."""
    async with Client(url, mode="legacy") as client:
        await client.list_tools()  # the SDK's client asks for them before the first call in any case
        message = (await client.get_prompt("brief")).messages[0].content
        assert isinstance(message, types.TextContent)
        for call, expected in zip(*plans[message.text], strict=True):
            start = time.perf_counter()
            result = await client.call_tool(call.name, call.arguments)
            clock.append(time.perf_counter() - start)
            block = result.content[0]
            assert isinstance(block, types.TextContent) and block.text == (expected or block.text), (call, block)


async def play_all(url: str, plans: dict[str, Plan], sessions: int) -> tuple[float, list[float]]:
    """Seconds in all, and of each call."""
    clock: list[float] = []
    start = time.perf_counter()
    async with asyncio.TaskGroup() as group:
        for _ in range(sessions):
            group.create_task(play(url, plans, clock))
    return time.perf_counter() - start, clock


def serve_empty() -> None:
    """The server with one empty tool, in the process that is started for it."""
    import uvicorn

    from opsgym.serve.connections import listen
    from opsgym.serve.limits import KEEP_ALIVE_SECONDS

    async def call_tool(context: ServerRequestContext, params: types.CallToolRequestParams) -> types.CallToolResult:
        return types.CallToolResult(content=[types.TextContent(text="")])

    async def list_tools(context: ServerRequestContext, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[types.Tool(name="empty", input_schema={"type": "object"})])

    async def get_prompt(context: ServerRequestContext, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=types.TextContent(text=""))])

    app = Server("empty", on_list_tools=list_tools, on_call_tool=call_tool, on_get_prompt=get_prompt).streamable_http_app(
        json_response=True
    )
    with listen("127.0.0.1", 0) as listener:
        print(f"http://127.0.0.1:{listener.getsockname()[1]}/mcp", flush=True)
        config = uvicorn.Config(app, log_config=None, timeout_keep_alive=KEEP_ALIVE_SECONDS, timeout_graceful_shutdown=1)
        uvicorn.Server(config).run(sockets=[listener])


def measure(url: str, pid: int, plans: dict[str, Plan], sessions: int) -> list[str]:
    """Calls, calls a second, median and 99th percentile in milliseconds, and CPU milliseconds of the server a call."""
    before = cpu_seconds(pid)
    seconds, clock = asyncio.run(play_all(url, plans, sessions))
    cpu = cpu_seconds(pid) - before
    p50, p99 = 1000 * np.percentile(clock, [50, 99])
    return [f"{len(clock)}", f"{len(clock) / seconds:.0f}", f"{p50:.1f}", f"{p99:.1f}", f"{1000 * cpu / len(clock):.2f}"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sessions", type=int, default=64)
    parser.add_argument("--calls", type=int, default=200)
    parser.add_argument("--empty", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.empty:
        serve_empty()
        return
    plans = dict(plan(task, arguments.calls) for task in fixed_tasks(arguments.sessions))
    table = Table(title=f"{arguments.sessions} sessions at the same time", title_justify="left")
    for name in ("server", "calls", "calls/s", "p50 ms", "p99 ms", "CPU ms a call"):
        table.add_column(name, justify="left" if name == "server" else "right")
    calls = sum(len(made) for made, _ in plans.values()) // len(plans)
    empty: dict[str, Plan] = {"": ([ToolCall(name="empty")] * calls, [""] * calls)}
    with server(__file__, "--empty") as (url, pid):
        table.add_row("empty tool", *measure(url, pid, empty, arguments.sessions))
    options = ("ERPBench-v0", "--split", "test", "--index", "0", "--task-per-session", "--transport", "http", "--port", "0")
    with server("-m", "opsgym.cli", "serve", "mcp", *options) as (url, pid):
        table.add_row("ERPBench-v0", *measure(url, pid, plans, arguments.sessions))
    with tempfile.TemporaryDirectory() as directory:
        file = f"{directory}/episodes.jsonl"
        with server("-m", "opsgym.cli", "serve", "mcp", *options, "--record", file) as (url, pid):
            table.add_row("ERPBench-v0, recorded", *measure(url, pid, plans, arguments.sessions))
        replayed = replay_file(file)
    Console(width=130).print(table)
    print(f"{replayed.episodes} recorded episodes, {replayed.steps} steps, {len(replayed.differences)} differ when replayed")
    if replayed.differences or replayed.episodes != arguments.sessions:
        sys.exit(1)


if __name__ == "__main__":
    main()
