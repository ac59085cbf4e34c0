"""What a client may take of a server."""

from __future__ import annotations

from dataclasses import dataclass

KEEP_ALIVE_SECONDS = 75
"""How long a connection stays open without a request: longer than clients keep theirs (5 s in httpx), so that it is never closed
under a request that is on its way."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of the two HTTP ports.

    Attributes:
        body_bytes: Greatest length of a body; a longer one is answered with 413.
        idle_seconds: How long a connection may stay open without the whole head of a request.
        body_seconds: Time within which a body must have arrived, else 408.
        call_seconds: Running time of a call, after which it is undone and answered with 503.
        waiting: Calls of one database that may wait for their turn; more are answered with 503.
        connections: Connections and running requests of a port; more are answered with 503.
        shutdown_seconds: How long running calls may go on after the server was asked to stop.
    """

    body_bytes: int = 4 * 2**20
    idle_seconds: int = KEEP_ALIVE_SECONDS
    body_seconds: float = 30.0
    call_seconds: float = 30.0
    waiting: int = 256
    connections: int = 1000
    shutdown_seconds: int = 60
