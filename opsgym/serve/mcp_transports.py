"""How an MCP server meets its clients: standard input and output, or streamable HTTP."""

from __future__ import annotations

import signal
import socket
from collections.abc import Callable, Sequence
from types import FrameType
from typing import NoReturn

import anyio
import uvicorn
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette

from opsgym.core.errors import TaskError
from opsgym.serve.connections import listen
from opsgym.serve.limits import KEEP_ALIVE_SECONDS
from opsgym.serve.mcp_server import TaskServer
from opsgym.serve.mcp_session import Sessions

__all__ = ["LOOPBACK", "http_app", "serve_http", "serve_stdio"]

LOOPBACK = ("127.0.0.1", "localhost", "::1")
"""Addresses that only this machine reaches."""

SHUTDOWN_SECONDS = 3
"""How long requests may take to end after a signal."""


def serve_stdio(sessions: Sessions) -> None:
    """Serve the process that started this one, until it closes standard input.

    Standard output belongs to the protocol: whatever else is printed meanwhile goes to standard error.
    """
    # A reader that waits for input cannot be interrupted from Python; without input there is nothing to be finished either.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    anyio.run(_serve_stdio, TaskServer(sessions))


async def _serve_stdio(server: TaskServer) -> None:
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


def http_app(
    sessions: Sessions,
    *,
    allowed_hosts: Sequence[str] = (),
    idle_timeout: float = 1800.0,
    max_sessions: int = 256,
) -> Starlette:
    """The server as an ASGI application with one path, ``/mcp``.

    Args:
        sessions: What is played.
        allowed_hosts: Names, beside those of the loopback, by which clients may address the server; others are refused, so that a
            page in a browser cannot reach it under a name of its own.
        idle_timeout: Seconds after which a session without a request or an open stream is ended and its world freed.
        max_sessions: Greatest number of sessions at a time; another one is answered with status 503.
    """
    names = ["127.0.0.1", "localhost", "[::1]", *allowed_hosts]
    security = TransportSecuritySettings(
        enable_dns_rebinding_protection=True,
        allowed_hosts=[host for name in names for host in (name, f"{name}:*")],
        allowed_origins=[f"{scheme}://{name}{port}" for name in names for scheme in ("http", "https") for port in ("", ":*")],
    )
    return TaskServer(sessions, many=True).streamable_http_app(
        json_response=True, transport_security=security, session_idle_timeout=idle_timeout, max_sessions=max_sessions
    )


def serve_http(
    sessions: Sessions,
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    allowed_hosts: Sequence[str] = (),
    idle_timeout: float = 1800.0,
    max_sessions: int = 256,
    on_ready: Callable[[str], None] = lambda url: None,
) -> None:
    """Serve many clients until SIGINT or SIGTERM.

    Args:
        sessions: What is played.
        host: Address to listen at.
        port: Port to listen at; 0 takes a free one.
        allowed_hosts: See :func:`http_app`; needed where ``host`` is not the loopback.
        idle_timeout: See :func:`http_app`.
        max_sessions: See :func:`http_app`.
        on_ready: Called with the URL as soon as clients are answered.

    Raises:
        TaskError: ``host`` is not the loopback and no name is allowed.
        OSError: The address cannot be listened at.
    """
    if host not in LOOPBACK and not allowed_hosts:
        raise TaskError(f"expected the names by which clients address {host}, got none", field="allowed_hosts")
    app = http_app(sessions, allowed_hosts=allowed_hosts, idle_timeout=idle_timeout, max_sessions=max_sessions)
    with listen(host, port) as listener:
        url = f"http://{f'[{host}]' if ':' in host else host}:{listener.getsockname()[1]}/mcp"
        config = uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            timeout_keep_alive=KEEP_ALIVE_SECONDS,
            timeout_graceful_shutdown=SHUTDOWN_SECONDS,
        )
        # uvicorn ends in order and then raises the signal again, for these to receive.
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, _leave)
        _Uvicorn(config, on_ready=lambda: on_ready(url)).run(sockets=[listener])


class _Uvicorn(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, *, on_ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_ready = on_ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._on_ready()


def _leave(number: int, frame: FrameType | None) -> NoReturn:
    raise SystemExit(0)
