"""Ticket and Outcome: what a sampler hands out and what it hears back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, TypeVar, get_args

from opsgym.core.errors import RegistryError, TaskError
from opsgym.curricula.space import SELECTORS

__all__ = ["Outcome", "Status", "Ticket"]

T = TypeVar("T")

Status = Literal["done", "error", "lost", "infeasible"]
"""``done``: the episode ran to its end; ``error``: an external system broke; ``lost``: nobody will finish it;
``infeasible``: there is no such task."""


@dataclass(frozen=True, slots=True)
class Ticket:
    """A task to play.

    Attributes:
        id: Number, ascending in the order of issue.
        params: Values of the axes and the fixed ones; JSON.
        seed: Seed of the environment's reset: with ``params`` it names one task.
        failure_rate: Probability that a tool call fails, or ``None`` where the curriculum does not say.
        group: How many times the task is to be played; every trial has a number from 0.
        info: What the sampler says of the draw: ``key``, its name in ``distribution()``, and what learning needs; JSON.
    """

    id: int
    params: Mapping[str, Any]
    seed: int
    failure_rate: float | None = None
    group: int = 1
    info: Mapping[str, Any] = field(default_factory=dict)

    @property
    def train(self) -> bool:
        """Whether the policy should learn from the episode; robust PLR only probes new levels."""
        return bool(self.info.get("train", True))

    def options(self) -> dict[str, Any]:
        """Options of ``reset`` that, with ``seed``, start the episode.

        Example:
            >>> Ticket(0, {"tier": "easy", "customers": 3}, seed=7, failure_rate=0.1).options()
            {'tier': 'easy', 'params': {'customers': 3}, 'progress': 0.1}
        """
        options: dict[str, Any] = {name: self.params[name] for name in SELECTORS if name in self.params}
        params = {name: value for name, value in self.params.items() if name not in SELECTORS}
        if params:
            options["params"] = params
        if self.failure_rate is not None:
            options["progress"] = self.failure_rate
        return options

    def outcome(
        self,
        *,
        success: bool | None,
        score: float | None = None,
        turns: int = 0,
        trial: int = 0,
        status: Status = "done",
        **extra: float,
    ) -> Outcome:
        """The outcome of one trial; arguments as for :class:`Outcome`, the score is the success bit by default."""
        value = float(bool(success)) if score is None else float(score)
        return Outcome(self.id, self.seed, trial, success, value, turns, status, extra)

    def as_dict(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "id": self.id,
            "params": dict(self.params),
            "seed": self.seed,
            "failure_rate": self.failure_rate,
            "group": self.group,
            "info": dict(self.info),
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Ticket:
        """From JSON.

        Raises:
            TaskError: A field is missing or unknown.
        """
        return _build(cls, values)


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one trial of a ticket went.

    Attributes:
        ticket_id: The ticket's id.
        seed: The ticket's seed, by which a ticket of another run is told apart.
        trial: Number of the trial in the ticket's group, from 0.
        success: The verifier's bit; ``None`` unless the status is ``done``.
        score: Return of the episode, shaped or not; samplers look at it only when told to.
        turns: Length of the episode in turns.
        status: See :data:`Status`; samplers learn from ``done`` alone.
        extra: Numbers that some samplers can use: ``abs_advantage``, ``value_loss``.

    Raises:
        TaskError: A done episode has no success bit, or a number is not finite.
        RegistryError: Unknown status.
    """

    ticket_id: int
    seed: int
    trial: int = 0
    success: bool | None = None
    score: float = 0.0
    turns: int = 0
    status: Status = "done"
    extra: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.status not in get_args(Status):
            raise RegistryError("status", self.status, get_args(Status))
        if self.status == "done" and self.success is None:
            raise TaskError("expected True or False for an episode that is done, got None", field="success")
        for name, value in (("score", self.score), *self.extra.items()):
            if value - value != 0:  # neither infinite nor not a number
                raise TaskError(f"expected a finite number, got {value!r}", field=name)

    def as_dict(self) -> dict[str, Any]:
        """As JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Outcome:
        """From JSON.

        Raises:
            TaskError: A field is missing or unknown.
        """
        return _build(cls, values)


def _build(cls: type[T], values: Mapping[str, Any]) -> T:
    try:
        return cls(**values)
    except TypeError as error:
        raise TaskError(f"expected the fields of {cls.__name__}, got {sorted(values)}", field=cls.__name__.lower()) from error
