"""What both HTTP servers have in common below HTTP, and how connections of the ERP's ports are held."""

from __future__ import annotations

import asyncio
import socket

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

_BACKLOG = 2048  # connections that wait to be accepted


def listen(host: str, port: int) -> socket.socket:
    """A listening socket whose connections send small answers at once.

    Args:
        host: Address to listen at.
        port: Port to listen at; 0 takes a free one.

    Raises:
        OSError: The port cannot be opened.
    """
    opened = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
    try:
        # asyncio does this for sockets that it makes itself; without it the body of an answer waits 40 ms for the client to
        # acknowledge the head (Nagle's algorithm and delayed acknowledgements: RFC 1122, sections 4.2.3.4 and 4.2.3.2)
        opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind((host, port))
        opened.listen(_BACKLOG)
    except OSError as error:
        opened.close()
        raise OSError(error.errno, f"cannot open port {port} at {host}: {error.strerror}") from error
    return opened


class Connection(H11Protocol):
    """A connection that waits for a head no longer than for a new request, and answers clients that have stopped sending."""

    _client_sends: bool = True
    _head_due: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as in the base class
        """Begin to wait for a head."""
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        """Read, and look whether a head is still to come."""
        super().data_received(data)
        self._watch()

    def eof_received(self) -> bool:  # type: ignore[override]  # the base class always hangs up
        """Whether to keep the connection, to send the answer that is still due."""
        self._client_sends = False
        return self._owes_answer()

    def on_response_complete(self) -> None:
        """Begin with the next request that is here; close behind the last one of a client that has stopped sending."""
        super().on_response_complete()
        if not self._client_sends and not self._owes_answer():
            self.transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing any more."""
        self._unwatch()
        super().connection_lost(exc)

    def _owes_answer(self) -> bool:
        return self.cycle is not None and not self.cycle.more_body and not self.cycle.response_complete

    def _watch(self) -> None:
        if self.conn.their_state is not h11.IDLE:
            self._unwatch()
        elif self._head_due is None:
            self._head_due = self.loop.call_later(self.timeout_keep_alive, self.timeout_keep_alive_handler)

    def _unwatch(self) -> None:
        if self._head_due is not None:
            self._head_due.cancel()
            self._head_due = None
