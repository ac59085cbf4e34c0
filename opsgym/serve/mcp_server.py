"""The MCP server: a session's tools, its brief as a resource and as a prompt, and nothing else.

A server is made for one client, over standard input and output or in memory, or for many over HTTP.  For one client
the world lives as long as the connection, whatever version of the protocol is spoken.  Over HTTP a session is that of
the protocol: it begins with the handshake (``initialize``) and ends when the client deletes it or has been silent for too
long.  Version 2026-07-28 of the protocol knows no sessions over HTTP: there a client is told which versions have them, and
those that speak both go back to the handshake by themselves.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import anyio
from anyio import to_thread
from mcp import MCPError, types
from mcp.server import NotificationOptions, Server, ServerRequestContext
from mcp.server.models import InitializationOptions
from mcp.types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

import opsgym
from opsgym.core.errors import OpsGymError
from opsgym.core.task import canonical_json
from opsgym.core.tools import Tool
from opsgym.serve.mcp_session import Answer, Session, Sessions

__all__ = ["BRIEF_URI", "TaskServer"]

BRIEF_URI = "opsgym://brief"
"""Where the brief is read as a resource; the prompt is named ``brief``."""

R = TypeVar("R")

_log = logging.getLogger(__name__)


class _Seat:
    """A session, whose requests are carried out one at a time, in the order in which they came, beside the event loop."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._lock = anyio.Lock()

    async def do(self, work: Callable[[Session], R]) -> R:
        """The result of ``work``; what it raises reaches the client without the inside of the server."""
        try:
            async with self._lock:
                return await to_thread.run_sync(work, self.session)
        except OpsGymError as error:
            raise MCPError(types.INTERNAL_ERROR, str(error)) from error
        except Exception as error:
            _log.exception("a request failed")
            raise MCPError(types.INTERNAL_ERROR, "internal error; the log of the server says more") from error


Context = ServerRequestContext[_Seat | None, Any]
Page = types.PaginatedRequestParams | None


class TaskServer(Server["_Seat | None"]):
    """An MCP server whose clients play tasks, each in a world of its own.

    Args:
        sessions: What is played.
        many: Whether it serves many clients over HTTP, a session a connection, or one client for its whole life.

    Example:
        >>> import asyncio
        >>> from mcp import Client
        >>> from opsgym.serve.mcp_session import Offer, Sessions
        >>> server = TaskServer(Sessions(Offer(env_id="ERPBench-v0", env_options={"tier": "easy", "cache": None})))
        >>> async def ask() -> list[str]:
        ...     async with Client(server) as client:
        ...         return [tool.name for tool in (await client.list_tools()).tools]
        >>> "submit" in asyncio.run(ask())
        True
    """

    def __init__(self, sessions: Sessions, *, many: bool = False) -> None:
        self._sessions, self._many = sessions, many
        super().__init__(
            "opsgym",
            title=sessions.offer.env_id,
            version=opsgym.__version__,
            instructions=_instructions(sessions.terminal),
            lifespan=self._live,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_list_resources=self._list_resources,
            on_read_resource=self._read_resource,
            on_list_prompts=self._list_prompts,
            on_get_prompt=self._get_prompt,
        )
        if many:
            # Asked where there is no session, before the refusal; without it the SDK lists the tools, and logs that it cannot.
            self.get_tool_input_schema = lambda name: None
            self.add_request_handler("server/discover", types.RequestParams, self._discover)

    def create_initialization_options(
        self, notification_options: NotificationOptions | None = None, *arguments: Any, **named: Any
    ) -> InitializationOptions:
        """See the SDK; where a session may go on to another task, its tools and brief may change."""
        changes = self._sessions.offer.next_task
        options = NotificationOptions(tools_changed=changes, resources_changed=False, prompts_changed=False)
        return super().create_initialization_options(notification_options or options, *arguments, **named)

    # -- sessions -----------------------------------------------------------------------------------------

    @asynccontextmanager
    async def _live(self, server: Server[Any]) -> AsyncIterator[_Seat | None]:
        """The session of the one client, or none where each connection has its own."""
        if self._many:
            yield None
            return
        session = self._sessions.open()
        try:
            yield _Seat(session)
        finally:
            session.close()

    def _seat(self, context: Context) -> _Seat:
        """The session of a request.

        Raises:
            MCPError: The protocol of the request has no sessions.
        """
        if context.lifespan_context is not None:
            return context.lifespan_context
        if context.protocol_version in MODERN_PROTOCOL_VERSIONS:
            raise _no_sessions(context.protocol_version)
        # The SDK keeps ``state`` and ``exit_stack`` for such use, but leads to them by no public name (2.2, 2.3).
        connection = context.session._connection
        seat: _Seat | None = connection.state.get("opsgym")
        if seat is None:
            seat = connection.state["opsgym"] = _Seat(self._sessions.open())
            connection.exit_stack.callback(seat.session.close)
        return seat

    async def _discover(self, context: Context, params: types.RequestParams | None) -> types.DiscoverResult:
        raise _no_sessions(context.protocol_version)

    # -- requests -----------------------------------------------------------------------------------------

    async def _list_tools(self, context: Context, params: Page) -> types.ListToolsResult:
        tools = await self._seat(context).do(lambda session: session.tools)
        return types.ListToolsResult(tools=[_tool(each) for each in tools])

    async def _call_tool(self, context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        def call(session: Session) -> tuple[Answer, bool]:
            before = [each.name for each in session.tools]
            answer = session.call(params.name, params.arguments or {})
            return answer, before != [each.name for each in session.tools]

        answer, changed = await self._seat(context).do(call)
        if changed:
            await context.session.send_tool_list_changed()
        lines = [answer.line, *([canonical_json(answer.ending)] if answer.ending else [])]
        return types.CallToolResult(content=[types.TextContent(text=line) for line in lines], is_error=answer.is_error)

    async def _list_resources(self, context: Context, params: Page) -> types.ListResourcesResult:
        brief = types.Resource(uri=BRIEF_URI, name="brief", description="What is to be done.", mime_type="text/plain")
        return types.ListResourcesResult(resources=[brief])

    async def _read_resource(self, context: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        if params.uri != BRIEF_URI:
            raise MCPError(types.INVALID_PARAMS, f"there is no resource {params.uri!r}; expected {BRIEF_URI!r}")
        text = await self._seat(context).do(lambda session: session.brief)
        return types.ReadResourceResult(contents=[types.TextResourceContents(uri=BRIEF_URI, mime_type="text/plain", text=text)])

    async def _list_prompts(self, context: Context, params: Page) -> types.ListPromptsResult:
        return types.ListPromptsResult(prompts=[types.Prompt(name="brief", description="What is to be done.")])

    async def _get_prompt(self, context: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        if params.name != "brief":
            raise MCPError(types.INVALID_PARAMS, f"there is no prompt {params.name!r}; expected 'brief'")
        text = await self._seat(context).do(lambda session: session.brief)
        message = types.PromptMessage(role="user", content=types.TextContent(text=text))
        return types.GetPromptResult(description="What is to be done.", messages=[message])


def _tool(tool: Tool) -> types.Tool:
    changes = tool.mutates or tool.terminal
    hints = types.ToolAnnotations(read_only_hint=not changes, open_world_hint=False)
    return types.Tool(name=tool.name, description=tool.description, input_schema=tool.parameters, annotations=hints)


def _instructions(terminal: tuple[str, ...]) -> str:
    ends = " or ".join(f"`{name}`" for name in terminal)
    return (
        f"The task is in the prompt `brief`, which is also the resource {BRIEF_URI}. Work on it with the tools; then call {ends},"
        " and it is over. A call that is refused says why and changes nothing."
    )


def _no_sessions(version: str) -> MCPError:
    message = f"version {version} of the protocol has no sessions over HTTP; begin with initialize"
    data = types.UnsupportedProtocolVersionErrorData(supported=list(HANDSHAKE_PROTOCOL_VERSIONS), requested=version)
    return MCPError(types.UNSUPPORTED_PROTOCOL_VERSION, message, data.model_dump(mode="json"))
