"""Composed: the base of samplers made of samplers."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from opsgym.core.errors import TaskError
from opsgym.curricula.sampler import Proposal, Sampler
from opsgym.curricula.space import FAILURE_RATE, TaskSpace
from opsgym.curricula.ticket import Outcome, Ticket

__all__ = ["Composed", "joined"]


class Composed(Sampler):
    """Issues tickets of its own for those of its parts, and hands each answer on to the part that asked.

    The parts draw from streams of the composition's seed; their own seeds do not matter.  A composed ticket has the tickets that
    it was made of in ``info["parts"]``, as [part, id, seed].
    """

    def __init__(self, space: TaskSpace, parts: Sequence[Sampler], *, seed: int, settings: Mapping[str, Any]) -> None:
        if len({id(part) for part in parts}) < len(parts):
            raise TaskError("the parts must be different samplers", field="parts")
        self.parts = tuple(parts)
        configs = [part.config_hash for part in parts]
        super().__init__(space, seed=seed, ttl=max(part._ttl for part in parts), settings={**settings, "parts": configs})

    def reseed(self, seeds: np.random.SeedSequence) -> None:
        """Start the generators of this sampler and of its parts anew."""
        own, *others = seeds.spawn(1 + len(self.parts))
        super().reseed(own)
        for part, other in zip(self.parts, others, strict=True):
            part.reseed(other)

    def adopt(self) -> None:
        """See :meth:`Sampler.adopt`."""
        super().adopt()
        for part in self.parts:
            part.adopt()

    def ask(self, n: int = 1, group: int = 1) -> list[Ticket]:
        """See :meth:`Sampler.ask`."""
        self._group = group
        return super().ask(n, group)

    def _made_of(self, *drawn: tuple[int, Ticket]) -> Proposal:
        """A proposal made of tickets of parts; the first gives the seed."""
        params: dict[str, Any] = {}
        for _, ticket in drawn:
            params |= ticket.params
            if ticket.failure_rate is not None:
                params[FAILURE_RATE] = ticket.failure_rate
        info = {
            "key": "|".join(str(ticket.info["key"]) for _, ticket in drawn),
            "train": all(ticket.train for _, ticket in drawn),
            "parts": [[index, ticket.id, ticket.seed] for index, ticket in drawn],
        }
        return Proposal(params, info, drawn[0][1].seed)

    def _asked(self, index: int) -> tuple[int, Ticket]:
        return index, self.parts[index].ask(1, self._group)[0]

    def _learn(self, ticket: Ticket, outcome: Outcome) -> None:
        for index, number, seed in ticket.info["parts"]:
            self.parts[index].tell(replace(outcome, ticket_id=number, seed=seed))

    def _drop(self, ticket: Ticket, outcome: Outcome) -> None:
        self._learn(ticket, outcome)

    def _gauges(self) -> dict[str, float]:
        return {f"{index}/{name}": value for index, part in enumerate(self.parts) for name, value in part.metrics().items()}

    def _state(self) -> dict[str, Any]:
        return {"parts": [part.state_dict() for part in self.parts]}

    def _load(self, state: Mapping[str, Any]) -> None:
        for part, own in zip(self.parts, state["parts"], strict=True):
            part.load_state_dict(own)

    @abstractmethod
    def _propose(self) -> Proposal: ...


def joined(samplers: Sequence[Sampler]) -> TaskSpace:
    """A space with the axes of all; only their names and the failure rate matter."""
    axes = {name: axis for sampler in samplers for name, axis in sampler.space.axes.items()}
    fixed = {name: value for sampler in samplers for name, value in sampler.space.fixed.items() if name not in axes}
    return TaskSpace({name: replace(axis, when={}) for name, axis in axes.items()}, fixed=fixed)
