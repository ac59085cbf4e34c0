"""Sampler: the protocol of every curriculum, ask for tickets and tell how they went."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from opsgym.core.errors import TaskError
from opsgym.core.task import content_hash
from opsgym.curricula.space import FAILURE_RATE, TaskSpace
from opsgym.curricula.ticket import Outcome, Ticket

__all__ = ["Distribution", "Proposal", "Sampler", "Signal", "signal_of"]

SCHEMA = 1
"""Version of the layout of ``state_dict()``."""

REMEMBERED = 4096
"""How many lost tickets are remembered, to tell a late answer from a duplicate."""

COUNTED = ("done", "error", "lost", "infeasible", "duplicate", "late", "unknown")

Signal = Literal["success", "score"]


class Distribution(NamedTuple):
    """What the next ticket will be.

    Attributes:
        keys: Names of the cells, levels or components, as in ``ticket.info["key"]``.
        probabilities: Their probabilities, of shape ``(len(keys),)``; they sum to 1.
    """

    keys: list[str]
    probabilities: NDArray[np.float64]


class Proposal(NamedTuple):
    """A draw of a sampler, not yet a ticket.

    Attributes:
        params: The point, with ``failure_rate`` where that is an axis.
        info: See :class:`~opsgym.curricula.ticket.Ticket`.
        seed: Seed of the task, or ``None`` for a fresh one.
    """

    params: Mapping[str, Any]
    info: dict[str, Any]
    seed: int | None = None


@dataclass(slots=True)
class _Open:
    """A ticket that waits for answers: which trials (a bit each) and when it was issued, in tells."""

    ticket: Ticket
    pending: int
    issued: int


@dataclass(slots=True)
class _Ledger:
    """Which tickets are open, and what became of the others."""

    next_id: int = 0
    tells: int = 0
    open: dict[int, _Open] = field(default_factory=dict)
    lost: dict[int, None] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(COUNTED, 0))
    successes: int = 0


class Sampler(ABC):
    """Hands out tasks and follows how they went.

    ``ask`` issues tickets, ``tell`` takes their outcomes, in any order, one by one or in batches, complete groups or not.  The
    sampler lives in one process; workers get tickets by value (see :mod:`opsgym.curricula.desk`).

    **What an answer can be.**  A trial is answered once.  The first answer counts; what comes after it is a *duplicate* and is
    ignored.  A ticket that is still open more than ``ttl`` answers after it was issued is *lost*, which is no failure of the
    agent: the sampler learns nothing from it, and an answer that still comes is *late* and ignored.  An answer to a ticket that
    was never issued, to a trial beyond the group, or with another seed (a ticket of another run) is *unknown* and ignored.
    Answers with the status ``error``, ``lost`` or ``infeasible`` close their trial and teach nothing.  ``metrics()`` counts each
    kind.

    **Determinism.**  All randomness comes from the sampler's own generator.  The same seed and the same sequence of calls give
    the same tickets; ``load_state_dict(state_dict())`` into a sampler made with the same arguments goes on bit for bit.

    Args:
        space: Where tasks come from.
        seed: Seed of the generator.
        ttl: After how many answers an open ticket is lost.
        settings: Arguments of the subclass, JSON; a state is only loaded into a sampler with equal ones.

    Raises:
        TaskError: A value is out of range.
    """

    def __init__(self, space: TaskSpace, *, seed: int = 0, ttl: int = 10_000, settings: Mapping[str, Any] | None = None) -> None:
        if ttl < 1:
            raise TaskError(f"expected at least 1, got {ttl!r}", field="ttl")
        self.space = space
        self.settings = dict(settings or {})
        self.reseed(np.random.SeedSequence(seed))
        self._ttl = ttl
        self._ledger = _Ledger()
        self._has_rate = FAILURE_RATE in space.axes or FAILURE_RATE in space.fixed
        self._owner = os.getpid()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self.settings.items())})"

    # -- the protocol -------------------------------------------------------------------------------------

    def ask(self, n: int = 1, group: int = 1) -> list[Ticket]:
        """Issue tickets.

        Args:
            n: How many.
            group: How many times each is to be played.

        Raises:
            TaskError: A number is not positive, or this is a copy of the sampler in another process.
        """
        if n < 1 or group < 1:
            raise TaskError(f"expected positive numbers, got n={n!r}, group={group!r}", field="ask")
        if os.getpid() != self._owner:
            message = "this is a copy of a sampler of another process; workers get tickets from a Server (or call adopt())"
            raise TaskError(message, field="sampler")
        return [self._issue(self._propose(), group) for _ in range(n)]

    def tell(self, outcomes: Outcome | Iterable[Outcome]) -> None:
        """Take outcomes; see the class for what becomes of late, duplicate, unknown and lost ones."""
        for outcome in [outcomes] if isinstance(outcomes, Outcome) else outcomes:
            self._hear(outcome)

    @abstractmethod
    def distribution(self) -> Distribution:
        """What the next ticket will be, exactly."""

    def metrics(self) -> dict[str, float]:
        """Numbers to log: counts of answers, open tickets, rate of success, entropy in nats, and the sampler's own."""
        ledger = self._ledger
        share = self.distribution().probabilities
        entropy = float(-(share * np.log(np.where(share > 0, share, 1.0))).sum())
        done = ledger.counts["done"]
        return {
            "asked": float(ledger.next_id),
            "open": float(len(ledger.open)),
            **{name: float(count) for name, count in ledger.counts.items()},
            "success_rate": ledger.successes / done if done else 0.0,
            "entropy": entropy,
            "effective_tasks": float(np.exp(entropy)),
            **self._gauges(),
        }

    def state_dict(self) -> dict[str, Any]:
        """Everything that later tickets depend on, as JSON."""
        ledger = self._ledger
        return {
            "schema": SCHEMA,
            "sampler": type(self).__name__,
            "config": self.config_hash,
            "rng": self.rng.bit_generator.state,
            "ledger": {
                "next_id": ledger.next_id,
                "tells": ledger.tells,
                "open": [[item.ticket.as_dict(), item.pending, item.issued] for item in ledger.open.values()],
                "lost": list(ledger.lost),
                "counts": dict(ledger.counts),
                "successes": ledger.successes,
            },
            "state": self._state(),
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on where a sampler with the same arguments stood.

        Raises:
            TaskError: The state is of another layout, kind of sampler or configuration.
        """
        for name, expected in (("schema", SCHEMA), ("sampler", type(self).__name__), ("config", self.config_hash)):
            if state.get(name) != expected:
                raise TaskError(f"expected {expected!r}, got {state.get(name)!r}", field=f"state.{name}")
        ledger = state["ledger"]
        self._ledger = _Ledger(
            next_id=ledger["next_id"],
            tells=ledger["tells"],
            open={item["id"]: _Open(Ticket.from_dict(item), pending, issued) for item, pending, issued in ledger["open"]},
            lost=dict.fromkeys(ledger["lost"]),
            counts=dict(ledger["counts"]),
            successes=ledger["successes"],
        )
        self.rng.bit_generator.state = state["rng"]
        self._load(state["state"])

    # -- around it ----------------------------------------------------------------------------------------

    @property
    def config_hash(self) -> str:
        """Hash of the kind of sampler, its space and its settings."""
        return content_hash([type(self).__name__, self.space.as_dict(), self.settings])

    @property
    def tells(self) -> int:
        """How many trials were answered."""
        return self._ledger.tells

    @property
    def open_tickets(self) -> list[Ticket]:
        """Tickets that wait for answers, oldest first; after a resume they may be played again."""
        return [item.ticket for item in self._ledger.open.values()]

    def adopt(self) -> None:
        """Make a copy that came from another process a sampler of its own."""
        self._owner = os.getpid()

    def reseed(self, seeds: np.random.SeedSequence) -> None:
        """Start the generator anew; compositions do this, so that parts with equal seeds draw apart."""
        self.rng = np.random.Generator(np.random.PCG64(seeds))

    # -- for subclasses -----------------------------------------------------------------------------------

    @abstractmethod
    def _propose(self) -> Proposal:
        """Draw a task from ``distribution()``."""

    def _learn(self, ticket: Ticket, outcome: Outcome) -> None:  # noqa: B027  # a hook
        """Take in a done trial."""

    def _drop(self, ticket: Ticket, outcome: Outcome) -> None:  # noqa: B027  # a hook
        """Take note of a trial that ended without being done."""

    def _gauges(self) -> dict[str, float]:
        return {}

    def _state(self) -> dict[str, Any]:
        return {}

    def _load(self, state: Mapping[str, Any]) -> None:  # noqa: B027  # a hook
        """Take up what :meth:`_state` gave."""

    # -- inside -------------------------------------------------------------------------------------------

    def _issue(self, proposal: Proposal, group: int) -> Ticket:
        ledger = self._ledger
        seed = int(self.rng.integers(2**31)) if proposal.seed is None else proposal.seed
        params, rate = proposal.params, None
        if self._has_rate:
            params = dict(params)
            rate = params.pop(FAILURE_RATE, None)
        ticket = Ticket(ledger.next_id, params, seed, rate, group, proposal.info)
        ledger.open[ticket.id] = _Open(ticket, (1 << group) - 1, ledger.tells)
        ledger.next_id += 1
        return ticket

    def _hear(self, outcome: Outcome) -> None:
        ledger = self._ledger
        item = ledger.open.get(outcome.ticket_id)
        verdict = self._judge(outcome, item)
        ledger.counts[verdict] += 1
        if item is None or verdict in ("duplicate", "late", "unknown"):
            return
        ledger.tells += 1
        item.pending &= ~(1 << outcome.trial)
        if not item.pending:
            del ledger.open[outcome.ticket_id]
        if verdict == "done":
            ledger.successes += bool(outcome.success)
            self._learn(item.ticket, outcome)
        else:
            self._drop(item.ticket, outcome)
        self._expire()

    def _judge(self, outcome: Outcome, item: _Open | None) -> str:
        """The kind of answer: a status, or why it is ignored."""
        number = outcome.ticket_id
        if item is None:
            issued = 0 <= number < self._ledger.next_id
            return "unknown" if not issued else "late" if number in self._ledger.lost else "duplicate"
        if outcome.seed != item.ticket.seed or not 0 <= outcome.trial < item.ticket.group:
            return "unknown"
        return outcome.status if item.pending >> outcome.trial & 1 else "duplicate"

    def _expire(self) -> None:
        """Give up tickets that are open for too long; the oldest are first."""
        ledger = self._ledger
        while ledger.open:
            item = next(iter(ledger.open.values()))
            if item.issued + self._ttl >= ledger.tells:
                return
            ticket = item.ticket
            del ledger.open[ticket.id]
            ledger.lost[ticket.id] = None
            if len(ledger.lost) > REMEMBERED:
                del ledger.lost[next(iter(ledger.lost))]
            for trial in range(ticket.group):
                if item.pending >> trial & 1:
                    ledger.counts["lost"] += 1
                    self._drop(ticket, ticket.outcome(success=None, trial=trial, status="lost"))


def signal_of(outcome: Outcome, signal: Signal) -> float:
    """The number that a sampler learns from: the success bit as 0 or 1, or the score."""
    return float(bool(outcome.success)) if signal == "success" else outcome.score


def share(name: str, value: float) -> float:
    """A number in [0, 1].

    Raises:
        TaskError: It is not.
    """
    if not 0 <= value <= 1:
        raise TaskError(f"expected a number in [0, 1], got {value!r}", field=name)
    return value


def positive(name: str, value: float) -> float:
    """A number above 0.

    Raises:
        TaskError: It is not.
    """
    if not value > 0:
        raise TaskError(f"expected a number above 0, got {value!r}", field=name)
    return value
