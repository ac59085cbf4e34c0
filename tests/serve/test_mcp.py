"""The SDK's own clients play over MCP: the same worlds and verdicts as directly, a world a session, a server that stays up."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import gymnasium as gym
import httpx
import pytest
import uvicorn
from mcp import Client, MCPError, StdioServerParameters
from mcp.types import TextResourceContents
from mcp.types.version import HANDSHAKE_PROTOCOL_VERSIONS

import opsgym
from opsgym.core.task import Task
from opsgym.data.fixed_sets import shipped
from opsgym.data.trajectories import read_trajectories, replay_file
from opsgym.evaluate.entry_points import entry_point_of, load_env
from opsgym.serve.mcp_server import BRIEF_URI, TaskServer
from opsgym.serve.mcp_session import Offer, Sessions
from opsgym.serve.mcp_transports import http_app
from tests.conftest import Cli
from tests.serve.mcp_door import play_mcp, texts

TOY = "McpToy-v0"
MODES = ("auto", "legacy")
"""The newest version of the protocol, which has no handshake, and the one before."""

HEADERS = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}}
INITIALIZE = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO}


@pytest.fixture(scope="module", autouse=True)
def toy_id() -> Iterator[None]:
    gym.register(TOY, entry_point="tests.envs.toy_family:ToyEnv", kwargs={"cache": None})
    yield
    del gym.registry[TOY]


def served(env_id: str = TOY, **offer: Any) -> Sessions:
    return Sessions(Offer(env_id=env_id, **offer))


def tasks() -> list[Task]:
    """Ten tasks of ERP-Bench's fixed set and ten generated ones of ACE-Bench."""
    erp, ace = (load_env(entry_point_of(env_id), cache=None) for env_id in ("ERPBench-v0", "ACEBench-v0"))
    fixed = shipped(erp.family, "test")
    assert fixed is not None
    return [*fixed[::30], *(ace.supply.generate(seed) for seed in range(10))]


# -- in memory


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("env_id", opsgym.ENV_IDS)
def test_a_client_reads_the_brief_and_the_tools_that_the_environment_gives(env_id: str, mode: str) -> None:
    async def ask() -> tuple[Any, ...]:
        async with Client(TaskServer(served(env_id, number=3, env_options={"tier": "easy", "cache": None})), mode=mode) as client:
            (resource,) = (await client.list_resources()).resources
            (prompt,) = (await client.list_prompts()).prompts
            (content,) = (await client.read_resource(resource.uri)).contents
            (message,) = (await client.get_prompt(prompt.name)).messages
            return (await client.list_tools()).tools, content, message, client.instructions

    env = load_env(entry_point_of(env_id), tier="easy", cache=None)
    brief, info = env.reset(seed=3)
    tools, content, message, instructions = asyncio.run(ask())
    functions = [schema["function"] for schema in info["tools"]]
    assert [(tool.name, tool.description, tool.input_schema) for tool in tools] == [
        (function["name"], function["description"], function["parameters"]) for function in functions
    ]
    assert isinstance(content, TextResourceContents)
    assert content.text == message.content.text == brief
    for tool in env.tools.values():
        assert (f"`{tool.name}`" in instructions) == tool.terminal


def test_the_solution_through_mcp_gives_the_digest_and_the_verdict_that_it_gives_directly() -> None:
    for number, task in enumerate(tasks()):
        env = load_env(entry_point_of(task.family), cache=None)
        env.reset(options={"task": task})
        lines = [env.step(call)[0] for call in task.oracle]
        played = play_mcp(task, task.oracle, mode=MODES[number % 2])
        assert played.lines == lines
        assert played.digest == env.world.digest()
        assert env.episode.verdict is not None and played.verdict == env.episode.verdict.as_dict()
        assert played.verdict["reward"] == 1.0


@pytest.mark.parametrize("mode", MODES)
def test_an_invalid_call_is_a_tool_error_that_teaches_and_changes_nothing(mode: str) -> None:
    sessions = served()

    async def ask() -> None:
        async with Client(TaskServer(sessions), mode=mode) as client:
            await client.call_tool("add", {"name": "red", "amount": 1})
            (session,) = sessions.open_sessions
            before = session.env.world.digest()
            refused: list[tuple[str, dict[str, Any], str]] = [
                ("ad", {}, "unknown_tool"),
                ("add", {"name": "red"}, "invalid_arguments"),
                ("add", {"name": "red", "amount": 100}, "invalid_value"),
                ("move", {"source": "none", "target": "red", "amount": 1}, "not_found"),
            ]
            for name, arguments, code in refused:
                result = await client.call_tool(name, arguments)
                error = json.loads(texts(result)[0])["error"]
                assert result.is_error and error["code"] == code and error["message"]
            assert session.env.world.digest() == before
            assert not (await client.call_tool("submit")).is_error
            result = await client.call_tool("add", {"name": "red", "amount": 1})
            assert result.is_error and "over" in texts(result)[0]
            assert session.env.world.digest() == before

    asyncio.run(ask())
    assert not sessions.open_sessions


@pytest.mark.parametrize("reveal", [False, True])
def test_the_score_reaches_the_agent_only_where_the_operator_says_so(reveal: bool) -> None:
    async def ask() -> str:
        async with Client(TaskServer(served(reveal_score=reveal))) as client:
            return (await client.call_tool("submit")).model_dump_json()

    said = asyncio.run(ask())
    assert '\\"episode\\":\\"over\\"' in said
    assert ("reward" in said) == ("success" in said) == reveal


def test_what_does_not_exist_is_named() -> None:
    async def ask() -> list[str]:
        said = []
        async with Client(TaskServer(served())) as client:
            for request in (client.read_resource("opsgym://solution"), client.get_prompt("solution")):
                with pytest.raises(MCPError, match="solution") as caught:
                    await request
                said.append(caught.value.message)
        return said

    said = asyncio.run(ask())
    assert BRIEF_URI in said[0] and "'brief'" in said[1]


@pytest.mark.parametrize("mode", MODES)
def test_a_bug_in_a_tool_does_not_reach_the_client_in_words(mode: str, monkeypatch: pytest.MonkeyPatch, caplog: Any) -> None:
    async def ask() -> str:
        sessions = served()
        async with Client(TaskServer(sessions), mode=mode) as client:
            await client.list_tools()
            (session,) = sessions.open_sessions
            monkeypatch.setattr(session, "call", lambda *_: dict[str, Any]()["the solution"])
            with pytest.raises(MCPError) as caught:
                await client.call_tool("look")
            return str(caught.value)

    assert "solution" not in asyncio.run(ask())
    assert "the solution" in caplog.text  # the operator is told


def test_a_client_hears_that_the_next_task_has_other_tools() -> None:
    heard: list[str] = []

    async def hear(message: Any) -> None:
        heard.append(getattr(message, "method", ""))

    async def ask() -> set[str]:
        sessions = served("ACEBench-v0", next_task=True, env_options={"tier": "easy", "cache": None})
        async with Client(TaskServer(sessions), mode="legacy", message_handler=hear) as client:
            assert client.server_capabilities.tools and client.server_capabilities.tools.list_changed
            domains = set()
            for number in range(8):
                await client.call_tool("next_task", {"number": number})
                domains.add(" ".join(tool.name for tool in (await client.list_tools()).tools))
            return domains

    domains = asyncio.run(ask())
    assert len(domains) > 1 and len(domains) - 1 <= heard.count("notifications/tools/list_changed") < 8


# -- over HTTP


@contextmanager
def http(sessions: Sessions, **options: Any) -> Iterator[str]:
    """The URL of a server in a thread of this process."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = uvicorn.Server(uvicorn.Config(http_app(sessions, **options), log_config=None, timeout_graceful_shutdown=1))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}/mcp"
        finally:
            server.should_exit = True
            thread.join()


def wait_for(what: Any, seconds: float = 20.0) -> None:
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, "it does not come"
        time.sleep(0.02)


@pytest.mark.parametrize("mode", MODES)
def test_sessions_over_http_do_not_see_each_other(mode: str) -> None:
    sessions = served(task_per_session=True)

    async def play(url: str, number: int) -> list[int]:
        async with Client(url, mode=mode) as client:
            assert client.protocol_version in HANDSHAKE_PROTOCOL_VERSIONS  # only there a session has an end
            counters = json.loads(texts(await client.call_tool("look"))[0])["result"]
            first = next(iter(counters))
            values = []
            for _ in range(5):
                answer = texts(await client.call_tool("add", {"name": first, "amount": number}))[0]
                values.append(json.loads(answer)["result"])
            return values

    async def play_all(url: str) -> list[list[int]]:
        return await asyncio.gather(*(play(url, number) for number in range(1, 9)))

    with http(sessions) as url:
        values = asyncio.run(play_all(url))
        assert values == [[number * step for step in range(1, 6)] for number in range(1, 9)]
        wait_for(lambda: not sessions.open_sessions)  # each client has said goodbye


def test_a_request_without_a_session_is_told_which_versions_have_them() -> None:
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
    sessions = served()
    with http(sessions) as url:
        for method, params in [
            ("server/discover", {}),
            ("tools/list", {}),
            ("tools/call", {"name": "submit", "arguments": {"a": 1}}),
        ]:
            headers = {**HEADERS, "mcp-protocol-version": "2026-07-28", "mcp-method": method, "mcp-name": "submit"}
            body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": meta}}
            answer = httpx.post(url, headers=headers, json=body)
            assert answer.status_code == 400
            assert answer.json()["error"]["data"]["supported"] == list(HANDSHAKE_PROTOCOL_VERSIONS)
    assert not sessions.open_sessions


CLIENT = """
import asyncio, sys
from mcp import Client

async def hang(url):
    async with Client(url) as client:
        await client.call_tool("look")
        print("playing", flush=True)
        while True:
            await client.call_tool("look")

asyncio.run(hang(sys.argv[1]))
"""


def test_a_killed_client_frees_its_session_and_the_server_stays_up() -> None:
    sessions = served(env_options={"max_steps": 1_000_000})
    with http(sessions, idle_timeout=0.3) as url:
        with subprocess.Popen([sys.executable, "-c", CLIENT, url], stdout=subprocess.PIPE) as client:
            assert client.stdout and client.stdout.readline() == b"playing\n"
            assert len(sessions.open_sessions) == 1
            client.kill()
        wait_for(lambda: not sessions.open_sessions)
        asyncio.run(_greet(url))


async def _greet(url: str) -> None:
    async with Client(url) as client:
        assert not (await client.call_tool("look")).is_error


def test_bad_requests_are_refused_and_the_server_stays_up() -> None:
    sessions = served()
    with http(sessions, allowed_hosts=["erp.example"], idle_timeout=0.5) as url:
        assert httpx.post(url, headers={**HEADERS, "host": "erp.example:80"}, json=INITIALIZE).status_code == 200
        assert httpx.post(url, headers={**HEADERS, "host": "elsewhere.example"}, json=INITIALIZE).status_code == 421
        assert httpx.post(url, headers={**HEADERS, "origin": "http://elsewhere.example"}, json=INITIALIZE).status_code == 403
        assert httpx.post(url, headers=HEADERS, content=b'{"jsonrpc": "2.0", ').status_code == 400
        assert httpx.post(url, headers=HEADERS, content=b" " * 10_000_000).status_code == 413
        assert httpx.post(url, headers={**HEADERS, "mcp-session-id": "nobody"}, json=INITIALIZE).status_code == 404
        address = url.removeprefix("http://").removesuffix("/mcp").split(":")
        with socket.create_connection((address[0], int(address[1]))) as half:
            half.sendall(b"POST /mcp HTTP/1.1\r\nhost: 127.0.0.1:1\r\ncontent-length: 100\r\n\r\n{")
        asyncio.run(_greet(url))
        wait_for(lambda: not sessions.open_sessions)


def test_there_are_no_more_sessions_than_allowed() -> None:
    async def two(url: str) -> None:
        async with Client(url, mode="legacy"):
            assert httpx.post(url, headers=HEADERS, json=INITIALIZE).status_code == 503

    with http(served(), max_sessions=1) as url:
        asyncio.run(two(url))
        asyncio.run(_greet(url))


# -- the command


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "opsgym.cli", "serve", "mcp", *arguments]


@pytest.mark.parametrize("mode", [MODES[0], pytest.param(MODES[1], marks=pytest.mark.slow)])
def test_an_agent_plays_over_standard_input_and_output_and_what_it_did_replays(mode: str, tmp_path: Path) -> None:
    path = tmp_path / "episodes.jsonl"
    env = load_env(entry_point_of("ACEBench-v0"), tier="easy", cache=None)
    env.reset(seed=3)
    line = command("ACEBench-v0", "--tier", "easy", "--seed", "3", "--record", str(path), "--reveal-score")

    async def play() -> str:
        parameters = StdioServerParameters(command=line[0], args=line[1:], env={"XDG_CACHE_HOME": str(tmp_path)}, cwd=Path.cwd())
        async with Client(parameters, mode=mode) as client:
            await client.call_tool("nothing", {})
            for call in env.task.oracle:
                result = await client.call_tool(call.name, call.arguments)
                assert not result.is_error
            return texts(result)[-1]

    assert json.loads(asyncio.run(play()))["score"] == {"reward": 1.0, "is_success": True}
    replayed = replay_file(path)
    assert (replayed.episodes, replayed.differences) == (1, {})
    (episode,) = read_trajectories(path)
    assert episode.task_id == env.task.id and episode.is_success


def test_nothing_but_the_protocol_is_on_standard_output(tmp_path: Path) -> None:
    """The environment prints what happens, in vain; the end of the input ends the server."""
    messages = [
        INITIALIZE,
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "done", "arguments": {}}},
    ]
    line = command("ACEBench-v0", "--tier", "easy", "--env-option", "render_mode=human")
    env = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    with subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env) as server:
        assert server.stdin and server.stdout and server.stderr
        server.stdin.write(b"no JSON\n" + b"".join(json.dumps(message).encode() + b"\n" for message in messages))
        server.stdin.flush()
        answers: dict[int, Any] = {}
        while 2 not in answers:
            answer = json.loads(server.stdout.readline())
            assert answer["jsonrpc"] == "2.0"
            answers[answer.get("id", 0)] = answer
        server.stdin.close()
        assert (server.wait(), server.stdout.read()) == (0, b"")
        assert b"verdict: reward" in server.stderr.read()
    assert not answers[2]["result"]["isError"] and "reward" not in json.dumps(answers[2])


@pytest.mark.parametrize("number", [signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.slow)])
def test_a_signal_ends_the_server_in_order_with_a_client_connected(number: signal.Signals, tmp_path: Path) -> None:
    line = command("ACEBench-v0", "--tier", "easy", "--transport", "http", "--port", "0")
    env = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env) as server:
        assert server.stdout and server.stderr
        said = server.stdout.readline().decode()
        assert said.startswith("ACEBench-v0 at http://127.0.0.1:")

        async def play() -> None:
            async with Client(said.split()[-1], mode="legacy") as client:
                await client.list_tools()
                server.send_signal(number)
                while server.poll() is None:
                    await asyncio.sleep(0.02)

        logging.getLogger("mcp").setLevel(logging.CRITICAL)  # the client finds the server gone when it says goodbye
        asyncio.run(play())
        assert server.returncode == 0
        assert b"Traceback" not in server.stderr.read()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("Nothing-v0",), "unknown environment 'Nothing-v0'"),
        (("ACEBench-v0", "--tier", "none"), "unknown tier 'none'"),
        (("ACEBench-v0", "--env-option", "max_steps"), "expected name=value"),
        (("ACEBench-v0", "--transport", "http", "--host", "0.0.0.0"), "allowed_hosts: expected the names"),
    ],
)
def test_what_cannot_be_served_is_one_line_on_standard_error(arguments: tuple[str, ...], message: str, cli: Cli) -> None:
    assert cli("serve", "mcp", *arguments, code=2) == ""
    assert message in cli.err and cli.err.count("\n") == 1


def test_a_port_that_is_taken_is_one_line_on_standard_error(cli: Cli) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        cli("serve", "mcp", "ACEBench-v0", "--transport", "http", "--port", str(taken.getsockname()[1]), code=2)
    assert "in use" in cli.err
