"""Doors: the ways in which a list of business calls can be carried out; whatever the door, the end is to be the same."""

from __future__ import annotations

import importlib
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import httpx

from opsgym.core.task import JsonDict, Task, ToolCall
from opsgym.envs.erp_bench.env import ERPBenchEnv
from opsgym.envs.erp_bench.raw_calls import raw_calls
from opsgym.serve import ErpServer
from tests.serve.mcp_door import play_mcp


class Outcome(NamedTuple):
    """What is left of an episode."""

    digest: str
    reward: float
    verdict: JsonDict


Door = Callable[[Task, Sequence[ToolCall], ErpServer], Outcome]
"""Carries out calls of business tools on a fresh world of a task; the server has no part in doors that need none."""


def tools(task: Task, calls: Sequence[ToolCall], server: ErpServer | None) -> Outcome:
    """The business tools of the environment."""
    return _stepped(task, calls, "tools")


def api(task: Task, calls: Sequence[ToolCall], server: ErpServer | None) -> Outcome:
    """The raw API as a tool of the environment."""
    return _stepped(task, raw_calls(task, calls), "api")


def http(task: Task, calls: Sequence[ToolCall], server: ErpServer) -> Outcome:
    """JSON-2 requests, written by hand."""
    with database(server, task) as made, httpx.Client(base_url=server.url, headers=headers(made)) as client:
        for call in raw_calls(task, calls):
            if call.name == "call":
                arguments = call.arguments
                body = {**arguments.get("kwargs", {}), "ids": arguments.get("ids", [])}
                answer = client.post(f"/json/2/{arguments['model']}/{arguments['method']}", json=body)
                assert answer.status_code == 200, answer.text
        return judged(server, made)


def odoo_client(task: Task, calls: Sequence[ToolCall], server: ErpServer) -> Outcome:
    """The client library that Odoo publishes, as it is."""
    with database(server, task) as made:
        connection = connect(server, made)
        for call in raw_calls(task, calls):
            if call.name == "call":
                method = getattr(connection.get_model(call.arguments["model"]), call.arguments["method"])
                ids = {"ids": call.arguments["ids"]} if "ids" in call.arguments else {}
                method(**ids, **call.arguments.get("kwargs", {}))
        return judged(server, made)


def mcp(task: Task, calls: Sequence[ToolCall], server: ErpServer) -> Outcome:
    """The tools of the MCP server, through the client of the official SDK."""
    played = play_mcp(task, calls)
    return Outcome(played.digest, played.verdict["reward"], played.verdict)


DOORS: dict[str, Door] = {"tools": tools, "api": api, "http": http, "odoo_client": odoo_client, "mcp": mcp}
"""Every door by name."""


def _stepped(task: Task, calls: Sequence[ToolCall], harness: str) -> Outcome:
    env = ERPBenchEnv(harness=harness, cache=None)
    env.reset(options={"task": task})
    for call in calls:
        env.step(call)
        if env.episode.over:
            break
    outcome = Outcome(env.world.digest(), env.verdict().reward, env.verdict().as_dict())
    env.close()
    return outcome


# -- help for doors on HTTP -----------------------------------------------------------------------------------


@contextmanager
def database(server: ErpServer, task: Task) -> Iterator[JsonDict]:
    """A database of a task, deleted afterwards."""
    made = server.admin.create(task, f"t{uuid.uuid4().hex}")
    try:
        yield made
    finally:
        server.admin.delete(made["database"])


def headers(made: JsonDict) -> dict[str, str]:
    """Headers of a request to a database."""
    return {"Authorization": f"Bearer {made['key']}", "X-Odoo-Database": made["database"]}


def connect(server: ErpServer, made: JsonDict) -> Any:
    """A connection of Odoo's client library."""
    place = urlsplit(server.url)
    odoolib: Any = importlib.import_module("odoolib")
    return odoolib.get_connection(
        hostname=place.hostname, protocol="json2", port=place.port, database=made["database"], password=made["key"]
    )


def judged(server: ErpServer, made: JsonDict) -> Outcome:
    """What the operator reads."""
    found = server.admin.verdict(made["database"])
    return Outcome(found["digest"], found["reward"], found["verdict"])
