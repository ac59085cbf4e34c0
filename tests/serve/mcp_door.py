"""The door of MCP: plays calls through the SDK's own client, in memory, and tells what became of the world."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, NamedTuple

from mcp import Client
from mcp.types import CallToolResult, TextContent

from opsgym.core.task import Task, ToolCall
from opsgym.serve.mcp_server import TaskServer
from opsgym.serve.mcp_session import Offer, Sessions


class Played(NamedTuple):
    """Digest of the end world, what the verifier says of it, and the line of each answer."""

    digest: str
    verdict: dict[str, Any]
    lines: list[str]


def play_mcp(task: Task, calls: Sequence[ToolCall], *, mode: str = "auto") -> Played:
    """Make the calls, in order, in a session of its own."""
    return asyncio.run(_play(task, calls, mode))


async def _play(task: Task, calls: Sequence[ToolCall], mode: str) -> Played:
    sessions = Sessions(Offer(env_id=task.family, env_options={"tasks": task, "cache": None}))
    async with Client(TaskServer(sessions), mode=mode) as client:
        lines = [texts(await client.call_tool(call.name, call.arguments))[0] for call in calls]
        (session,) = sessions.open_sessions
        return Played(session.env.world.digest(), session.env.verdict().as_dict(), lines)


def texts(result: CallToolResult) -> list[str]:
    """The texts of an answer."""
    return [block.text for block in result.content if isinstance(block, TextContent)]
