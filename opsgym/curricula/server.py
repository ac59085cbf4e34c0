"""Server and Client: one desk for environments in other processes."""

from __future__ import annotations

import contextlib
import os
import threading
from multiprocessing.connection import Client as connect
from multiprocessing.connection import Connection, Listener
from types import TracebackType
from typing import Any, Self

from opsgym.core.errors import BackendError
from opsgym.curricula.desk import Desk
from opsgym.curricula.ticket import Outcome, Ticket

__all__ = ["Client", "Server"]


class Server:
    """Answers the clients of a desk from threads of this process, over a local socket with a key.

    The sampler stays here, its single owner.  When a worker dies, the trials that it has drawn and not answered are told as
    lost at once.  Use it in a ``with`` statement, or call :meth:`close`.

    Args:
        desk: What hands out the trials.
        address: As for :class:`multiprocessing.connection.Listener`; by default a local socket with a name of its own.

    Example:
        >>> from opsgym.curricula import Desk, TaskSpace, Uniform
        >>> desk = Desk(Uniform(TaskSpace({"decoys": (0, 9)})))
        >>> with Server(desk) as server:
        ...     client = server.client()  # picklable: give it to the workers
        ...     ticket, trial = client.draw()
        ...     client.tell(ticket.outcome(success=True, trial=trial))
        ...     client.close()
        >>> desk.sampler.metrics()["done"]
        1.0
    """

    def __init__(self, desk: Desk, *, address: Any = None) -> None:
        self.desk = desk
        self._key = os.urandom(16)  # a secret, on which no result depends
        self._listener = Listener(address, backlog=128, authkey=self._key)
        self._closing = False
        self._threads: list[threading.Thread] = []
        self._door = threading.Thread(target=self._accept, daemon=True)
        self._door.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def client(self) -> Client:
        """A picklable stand-in for the desk; each process that uses it opens a connection of its own."""
        return Client(self._listener.address, self._key)

    def close(self) -> None:
        """Stop listening; connections end when their workers close them."""
        if self._closing:
            return
        self._closing = True
        with contextlib.suppress(OSError):
            # Wakes the thread that waits for a connection.  Without the key, for it may have stopped waiting just now.
            connect(self._listener.address).close()
        self._door.join(timeout=5)
        self._listener.close()
        for thread in self._threads:
            thread.join(timeout=5)

    def _accept(self) -> None:
        while not self._closing:
            try:
                connection = self._listener.accept()
            except Exception:  # a stranger without the key, or one that hung up at once: wait for the next
                continue
            thread = threading.Thread(target=self._serve, args=(connection,), daemon=True)
            self._threads.append(thread)
            thread.start()

    def _serve(self, connection: Connection[Any, Any]) -> None:
        """Answer one client until it hangs up."""
        drawn: dict[tuple[int, int], Ticket] = {}
        with connection, contextlib.suppress(EOFError, ConnectionError):
            while True:
                try:
                    connection.send((True, self._answer(connection.recv(), drawn)))
                except (EOFError, ConnectionError):
                    raise
                except Exception as error:  # the worker learns of it, the others go on
                    connection.send((False, f"{type(error).__name__}: {error}"))
        for (_, trial), ticket in drawn.items():
            self.desk.tell(ticket.outcome(success=None, trial=trial, status="lost"))

    def _answer(self, request: Any, drawn: dict[tuple[int, int], Ticket]) -> Any:
        if request is None:
            ticket, trial = self.desk.draw()
            drawn[ticket.id, trial] = ticket
            return ticket.as_dict(), trial
        outcome = Outcome.from_dict(request)
        drawn.pop((outcome.ticket_id, outcome.trial), None)
        return self.desk.tell(outcome)


class Client:
    """A :class:`~opsgym.curricula.desk.Source` that asks a :class:`Server`; made by its ``client`` method.

    Args:
        address: Of the server.
        key: Of the server.
    """

    def __init__(self, address: Any, key: bytes) -> None:
        self._address, self._key = address, key
        self._connection: Connection[Any, Any] | None = None
        self._pid = 0

    def __getstate__(self) -> dict[str, Any]:
        """The address alone: a connection belongs to one process."""
        return {"_address": self._address, "_key": self._key, "_connection": None, "_pid": 0}

    def draw(self) -> tuple[Ticket, int]:
        """See :class:`~opsgym.curricula.desk.Source`."""
        ticket, trial = self._ask(None)
        return Ticket.from_dict(ticket), trial

    def tell(self, outcome: Outcome) -> None:
        """See :class:`~opsgym.curricula.desk.Source`."""
        self._ask(outcome.as_dict())

    def close(self) -> None:
        """Hang up; what was drawn and not answered is lost."""
        if self._connection is not None and self._pid == os.getpid():
            self._connection.close()
        self._connection = None

    def _ask(self, request: Any) -> Any:
        if self._connection is None or self._pid != os.getpid():
            self._connection, self._pid = connect(self._address, authkey=self._key), os.getpid()
        try:
            self._connection.send(request)
            ok, answer = self._connection.recv()
        except (EOFError, ConnectionError) as error:
            raise BackendError(f"the curriculum's server at {self._address!r} is gone") from error
        if not ok:
            raise BackendError(f"the curriculum's server refused: {answer}")
        return answer
