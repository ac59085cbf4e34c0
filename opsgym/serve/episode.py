"""Serving the world of a running episode over JSON-2 at a unix socket, for the programs of a coding agent."""

from __future__ import annotations

import asyncio
import socket
import tempfile
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Thread

from starlette.applications import Starlette
from uvicorn.config import Config
from uvicorn.server import ServerState

from opsgym.core.errors import BackendError
from opsgym.core.world import World
from opsgym.serve.connections import Connection
from opsgym.serve.databases import Served
from opsgym.serve.json2 import json2_app
from opsgym.serve.limits import Limits

_LIMITS = Limits()

_Running = tuple[asyncio.AbstractEventLoop, asyncio.Event]


@contextmanager
def serve_world(world: World, *, database: str, key: str) -> Iterator[Path]:
    """Serve a world from a thread of this process, until the context is left; the caller must not touch it meanwhile.

    A call that is being carried out when the context is left is finished first.

    Args:
        world: The world.
        database: Name of the database that it is to clients.
        key: The clients' key.

    Yields:
        Path of the socket.

    Raises:
        BackendError: The socket cannot be opened.
    """
    app = json2_app({database: (served := Served(database, key, world))}, _LIMITS)
    with ExitStack() as stack:
        stack.callback(served.close)
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="opsgym-api-")))
        listening = stack.enter_context(_listen(folder / "api.sock"))
        started: Future[_Running] = Future()
        thread = Thread(target=_run, args=(_config(app), listening, started), name="episode server", daemon=True)
        thread.start()
        stack.callback(thread.join)
        loop, stop = started.result()
        stack.callback(loop.call_soon_threadsafe, stop.set)
        yield folder / "api.sock"


def _listen(path: Path) -> socket.socket:
    listening = socket.socket(socket.AF_UNIX)
    try:
        listening.bind(str(path))
        listening.listen()
    except OSError as error:
        listening.close()
        raise BackendError(f"cannot open a socket at {path}: {error}") from error
    # the sandbox may run as a user of its own; nobody else knows the folder's name or can list it
    path.parent.chmod(0o711)
    path.chmod(0o666)
    return listening


def _config(app: Starlette) -> Config:
    return Config(
        app,
        lifespan="off",
        loop="asyncio",
        http=Connection,
        ws="none",
        log_config=None,  # else every command would set the process's logging up anew
        access_log=False,
        server_header=False,
        timeout_keep_alive=_LIMITS.idle_seconds,
        limit_concurrency=_LIMITS.connections,
    )


def _run(config: Config, listening: socket.socket, started: Future[_Running]) -> None:
    try:
        asyncio.run(_serve(config, listening, started))
    except BaseException as error:
        if started.done():
            raise
        started.set_exception(error)


async def _serve(config: Config, listening: socket.socket, started: Future[_Running]) -> None:
    """Answer until asked to stop; uvicorn's own loop would look for that ten times a second only."""
    config.load()
    state, loop, stop = ServerState(), asyncio.get_running_loop(), asyncio.Event()
    server = await loop.create_unix_server(lambda: Connection(config, state, {}, loop), sock=listening)
    started.set_result((loop, stop))
    await stop.wait()
    server.close()
    for connection in list(state.connections):
        connection.shutdown()
    if state.tasks:
        await asyncio.wait(state.tasks)
