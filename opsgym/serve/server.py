"""ErpServer: the two ports in one event loop, on the command line or in a thread."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
from collections.abc import Iterator
from threading import Thread

import uvicorn
from starlette.applications import Starlette

from opsgym.core.errors import TaskError
from opsgym.serve.admin import admin_app
from opsgym.serve.admin_client import Admin
from opsgym.serve.connections import Connection, listen
from opsgym.serve.databases import Databases, check_key, fresh_key
from opsgym.serve.json2 import json2_app
from opsgym.serve.limits import Limits
from opsgym.serve.task_names import TaskName


class ErpServer:
    """The ERP of ERPBench tasks behind HTTP: JSON-2 for agents on one port, databases for the operator on another.

    The ports are open from the moment it is made; connections wait until it runs.

    Args:
        host: Address of both ports.
        port: The agent's port; 0 takes a free one.
        admin_port: The operator's port; 0 takes a free one.
        admin_key: The operator's key; a fresh one by default.
        limits: What a client may take.

    Raises:
        OSError: A port cannot be opened.
        TaskError: The key is unsuitable.

    Attributes:
        url: Where agents connect.
        admin_url: Where the operator connects.
        admin_key: The operator's key.
        databases: What is served.
        admin: A client of the operator's port.
    """

    def __init__(
        self,
        *,
        host: str = "127.0.0.1",
        port: int = 8069,
        admin_port: int = 8070,
        admin_key: str | None = None,
        limits: Limits | None = None,
    ) -> None:
        limits = limits or Limits()
        self.admin_key = check_key(admin_key or fresh_key())
        self.databases = Databases(reserved=(self.admin_key,))
        self._sockets = _open_ports(host, port, admin_port)
        self.url, self.admin_url = (_url(host, one) for one in self._sockets)
        self.admin = Admin(self.admin_url, self.admin_key)
        apps = (json2_app(self.databases, limits), admin_app(self.databases, self.admin_key, self.url, limits))
        self._servers = tuple(_Server(_config(app, limits)) for app in apps)

    def __repr__(self) -> str:
        return f"ErpServer({self.url!r}, databases={list(self.databases)})"

    @property
    def database(self) -> str:
        """Name of the first database.

        Raises:
            TaskError: There is none.
        """
        for name in self.databases:
            return name
        raise TaskError("the server has no database yet; name a task or create one")

    @property
    def key(self) -> str:
        """The agent's key of the first database."""
        return self.databases[self.database].key

    def run(self) -> None:
        """Serve until SIGTERM or SIGINT, which let running calls finish; a second signal does not wait for them."""
        asyncio.run(self._serve(signals=(signal.SIGTERM, signal.SIGINT)))

    def stop(self, *, wait: bool = True) -> None:
        """Ask a running server to return; may be called from any thread.

        Args:
            wait: Whether running calls may finish first.
        """
        for server in self._servers:
            server.should_exit = True
            server.force_exit = server.force_exit or not wait

    def close(self) -> None:
        """Free everything; a running server must have returned."""
        self.admin.close()
        for port in self._sockets:
            port.close()
        self.databases.close()

    async def _serve(self, signals: tuple[signal.Signals, ...] = ()) -> None:
        for one in signals:
            asyncio.get_running_loop().add_signal_handler(one, lambda: self.stop(wait=not self._servers[0].should_exit))
        await asyncio.gather(*(server.serve([port]) for server, port in zip(self._servers, self._sockets, strict=True)))


@contextlib.contextmanager
def erp_server(
    *tasks: TaskName,
    host: str = "127.0.0.1",
    port: int = 0,
    admin_port: int = 0,
    admin_key: str | None = None,
    limits: Limits | None = None,
) -> Iterator[ErpServer]:
    """Serve tasks of ERPBench from a thread of this process.

    Args:
        *tasks: Tasks, or what names them, such as ``"split=test,index=12"``; each becomes a database.
        host: Address of both ports.
        port: The agent's port; 0 takes a free one.
        admin_port: The operator's port; 0 takes a free one.
        admin_key: The operator's key; a fresh one by default.
        limits: What a client may take.

    Yields:
        The running server; leaving the context lets running calls finish.

    Raises:
        TaskError: A task cannot be found or is invalid.
        OSError: A port cannot be opened.

    Example:
        >>> import httpx
        >>> with erp_server("split=test,index=0") as server:
        ...     headers = {"Authorization": f"Bearer {server.key}", "X-Odoo-Database": server.database}
        ...     answer = httpx.post(f"{server.url}/json/2/res.users/context_get", headers=headers)
        ...     answer.json(), server.admin.verdict(server.database)["reward"]
        ({'lang': 'en_US', 'tz': False, 'uid': 2}, 0.0)
    """
    server = ErpServer(host=host, port=port, admin_port=admin_port, admin_key=admin_key, limits=limits)
    thread = Thread(target=lambda: asyncio.run(server._serve()), name="erp server", daemon=True)
    try:
        for task in tasks:
            server.databases.create(task)
        thread.start()
        yield server
    finally:
        server.stop()
        if thread.ident is not None:
            thread.join()
        server.close()


class _Server(uvicorn.Server):
    """A server that leaves the signals to its owner, who has two of them."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def _config(app: Starlette, limits: Limits) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        lifespan="off",
        loop="asyncio",
        http=Connection,
        ws="none",
        log_level="warning",
        access_log=False,
        server_header=False,
        limit_concurrency=limits.connections,
        timeout_keep_alive=limits.idle_seconds,
        timeout_graceful_shutdown=limits.shutdown_seconds,
    )


def _open_ports(host: str, *ports: int) -> tuple[socket.socket, ...]:
    with contextlib.ExitStack() as opened:
        sockets = tuple(opened.enter_context(listen(host, port)) for port in ports)
        opened.pop_all()
    return sockets


def _url(host: str, port: socket.socket) -> str:
    return f"http://{f'[{host}]' if ':' in host else host}:{port.getsockname()[1]}"
