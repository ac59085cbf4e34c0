"""Desk: hands the trials of one sampler to many environments, in this process."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Protocol

from opsgym.core.errors import TaskError
from opsgym.curricula.sampler import Sampler
from opsgym.curricula.ticket import Outcome, Ticket

__all__ = ["Desk", "Source", "replay"]


class Source(Protocol):
    """Where an environment gets its trials: a :class:`Desk`, or a stand-in for one in another process."""

    def draw(self) -> tuple[Ticket, int]:
        """The next ticket to play, and the number of the trial in its group."""

    def tell(self, outcome: Outcome) -> None:
        """How a trial went."""


class Desk:
    """Hands out the trials of a sampler's tickets one after the other: all of a group, then the next ticket.

    It may be shared by any number of environments and threads; a lock keeps its calls in one order.

    Args:
        sampler: The one owner of the curriculum.
        group: How many times each ticket is played.
        log: Every call is appended to it as JSON, so that :func:`replay` makes the sampler's state again.

    Raises:
        TaskError: ``group`` is not positive.

    Example:
        >>> from opsgym.curricula import TaskSpace, Uniform
        >>> desk = Desk(Uniform(TaskSpace({"decoys": (0, 9)})), group=2)
        >>> [(ticket.id, trial) for ticket, trial in (desk.draw() for _ in range(3))]
        [(0, 0), (0, 1), (1, 0)]
    """

    def __init__(self, sampler: Sampler, *, group: int = 1, log: list[dict[str, Any]] | None = None) -> None:
        if group < 1:
            raise TaskError(f"expected at least 1, got {group!r}", field="group")
        self.sampler, self.group, self.log = sampler, group, log
        self._lock = threading.Lock()
        self._ticket: Ticket | None = None
        self._trial = 0

    def __getstate__(self) -> None:
        """Refuse to be copied.

        Raises:
            TaskError: Always: a copy would be another curriculum.
        """
        raise TaskError("a Desk cannot be sent to another process: give the workers Server(desk).client()", field="source")

    def draw(self) -> tuple[Ticket, int]:
        """See :class:`Source`."""
        with self._lock:
            if self._ticket is None or self._trial == self.group:
                self._ticket, self._trial = self.sampler.ask(1, self.group)[0], 0
                self._note({"ask": self.group})
            self._trial += 1
            return self._ticket, self._trial - 1

    def tell(self, outcome: Outcome) -> None:
        """See :class:`Source`."""
        with self._lock:
            self._pass_on(outcome)
            current = self._ticket
            if outcome.status == "infeasible" and current is not None and current.id == outcome.ticket_id:
                for trial in range(self._trial, self.group):  # nobody need try the rest of the group
                    self._pass_on(replace(outcome, trial=trial))
                self._trial = self.group

    def metrics(self) -> dict[str, float]:
        """Those of the sampler."""
        with self._lock:
            return self.sampler.metrics()

    def state_dict(self) -> dict[str, Any]:
        """State of the sampler and of the group that is being handed out, as JSON."""
        with self._lock:
            current = None if self._ticket is None else self._ticket.as_dict()
            return {"sampler": self.sampler.state_dict(), "ticket": current, "trial": self._trial}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Take up what :meth:`state_dict` gave.

        Raises:
            TaskError: The state is of another sampler.
        """
        with self._lock:
            self.sampler.load_state_dict(state["sampler"])
            self._ticket = None if state["ticket"] is None else Ticket.from_dict(state["ticket"])
            self._trial = state["trial"]

    def _pass_on(self, outcome: Outcome) -> None:
        self.sampler.tell(outcome)
        self._note({"tell": outcome.as_dict()})

    def _note(self, event: dict[str, Any]) -> None:
        if self.log is not None:
            self.log.append(event)


def replay(sampler: Sampler, log: Iterable[Mapping[str, Any]]) -> None:
    """Make the calls of a desk's log again; a sampler with the same arguments ends in the same state."""
    for event in log:
        if "ask" in event:
            sampler.ask(1, event["ask"])
        else:
            sampler.tell(Outcome.from_dict(event["tell"]))
