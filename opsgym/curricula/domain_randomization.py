"""DomainRandomization: ranges that widen while the agent copes at their ends (ADR)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from opsgym.core.errors import TaskError
from opsgym.curricula.axes import Choice, FloatRange, IntRange
from opsgym.curricula.sampler import Distribution, Proposal, Sampler, positive, share
from opsgym.curricula.space import TaskSpace
from opsgym.curricula.ticket import Outcome, Ticket

__all__ = ["DomainRandomization"]


class DomainRandomization(Sampler):
    """Draws evenly from a box that starts at the easiest corner, and moves one of its sides at a time.

    A share of the tickets lies on a side of the box, chosen at random: one axis takes its lower or upper bound, the others
    are drawn inside.  Each side keeps a queue of the outcomes there; when it is full, a mean success of at least ``widen``
    moves the side outwards, one of at most ``narrow`` inwards, and the queue is emptied.  Bounds never leave the space.  Axes
    without a direction are drawn over their whole range.

    **Source.**  Automatic domain randomisation (OpenAI 2019, arXiv 1910.07113).  ``boundary`` 0.5 and ``queue`` 10
    are the class defaults of TeachMyAgent (MIT), ``step`` 0.1 that of its command line; its thresholds are returns of one
    environment, so ``widen`` 0.7, ``narrow`` 0.3 and ``floor`` 0.05 are ours.

    Args:
        space: The outermost box.
        start: A point to begin at; by default the easiest corner.
        boundary: Share of tickets that lie on a side.
        queue: Outcomes at a side per decision.
        step: How far a side moves, as a share of the axis; at least one value of a discrete one.
        widen: Mean success from which a side moves outwards.
        narrow: Mean success up to which it moves inwards.
        floor: Share of tickets drawn from the whole space; they teach the sides nothing.
        seed: Seed of the generator.
        ttl: After how many answers an open ticket is lost.

    Raises:
        TaskError: A value is out of range, or no axis has a direction.

    Example:
        >>> sampler = DomainRandomization(TaskSpace({"decoys": (0, 9)}), queue=2, floor=0.0)
        >>> for _ in range(60):
        ...     ticket = sampler.ask()[0]
        ...     sampler.tell(ticket.outcome(success=ticket.params["decoys"] <= 4))
        >>> sampler.bounds()
        {'decoys': (0, 5)}
    """

    def __init__(
        self,
        space: TaskSpace,
        *,
        start: Mapping[str, Any] | None = None,
        boundary: float = 0.5,
        queue: int = 10,
        step: float = 0.1,
        widen: float = 0.7,
        narrow: float = 0.3,
        floor: float = 0.05,
        seed: int = 0,
        ttl: int = 10_000,
    ) -> None:
        self._axes = [name for name, axis in space.axes.items() if axis.harder != "none"]
        if not self._axes:
            raise TaskError("expected an axis with a direction (harder is 'up' or 'down')", field="space")
        if narrow > widen:
            raise TaskError(f"expected at most widen={widen}, got {narrow!r}", field="narrow")
        settings = {
            "start": dict(start) if start is not None else None,
            "boundary": share("boundary", boundary),
            "queue": int(positive("queue", queue)),
            "step": positive("step", share("step", step)),
            "widen": share("widen", widen),
            "narrow": share("narrow", narrow),
            "floor": share("floor", floor),
        }
        super().__init__(space, seed=seed, ttl=ttl, settings=settings)
        self._boundary, self._size, self._floor = boundary, queue, floor
        self._widen, self._narrow = widen, narrow
        self._steps = {name: max(step, _least(space, name)) for name in self._axes}
        self._sides = {name: list(self._first(name, start)) for name in self._axes}
        self._queues: dict[str, list[int]] = {f"{name}:{side}": [] for name in self._axes for side in ("low", "high")}

    def _first(self, name: str, start: Mapping[str, Any] | None) -> tuple[float, float]:
        axis = self.space.axes[name]
        easiest = 1.0 if axis.harder == "down" else 0.0
        place = self._snapped(name, axis.position(start[name]) if start is not None else easiest)
        return place, place

    def bounds(self) -> dict[str, tuple[Any, Any]]:
        """Least and greatest value of each axis that has a direction."""
        return {
            name: (self.space.axes[name].at(low), self.space.axes[name].at(high)) for name, (low, high) in self._sides.items()
        }

    def distribution(self) -> Distribution:
        """The components: ``"floor"``, ``"inside"`` and each side of the box."""
        inside = (1 - self._floor) * (1 - self._boundary)
        each = (1 - self._floor) * self._boundary / len(self._queues)
        keys = ["floor", "inside", *self._queues]
        return Distribution(keys, np.array([self._floor, inside, *[each] * len(self._queues)]))

    def _propose(self) -> Proposal:
        chosen, within = self.rng.random(2).tolist()
        if chosen < self._floor:
            return Proposal(self.space.sample(self.rng), {"key": "floor"})
        if chosen < self._floor + (1 - self._floor) * (1 - self._boundary):
            return Proposal(self.space.nearest(self._inside), {"key": "inside"})
        names = list(self._queues)
        key = names[int(within * len(names))]
        axis, _, side = key.rpartition(":")
        place = self._sides[axis][side == "high"]
        point = self.space.nearest(lambda: self._inside(axis, place))
        return Proposal(point, {"key": key})

    def _inside(self, pinned: str = "", place: float = 0.0) -> list[float]:
        """A position in the box, one axis at a given place."""
        position: list[float] = self.rng.random(len(self.space.axes)).tolist()
        for index, name in enumerate(self.space.axes):
            if name == pinned:
                position[index] = place
            elif name in self._sides:
                low, high = self._sides[name]
                half = 0.0 if isinstance(self.space.axes[name], FloatRange) else _least(self.space, name) / 2
                position[index] = low - half + (high - low + 2 * half) * position[index]
        return position

    def _learn(self, ticket: Ticket, outcome: Outcome) -> None:
        key = ticket.info["key"]
        if key not in self._queues:
            return
        queue = self._queues[key]
        queue.append(int(bool(outcome.success)))
        if len(queue) < self._size:
            return
        mean = sum(queue) / len(queue)
        queue.clear()
        name, _, side = key.rpartition(":")
        outwards = 1 if side == "high" else -1
        if mean >= self._widen:
            self._move(name, side, outwards)
        elif mean <= self._narrow:
            self._move(name, side, -outwards)

    def _move(self, name: str, side: str, direction: int) -> None:
        low, high = self._sides[name]
        moved = self._snapped(name, (high if side == "high" else low) + direction * self._steps[name])
        self._sides[name] = [low, max(low, moved)] if side == "high" else [min(high, moved), high]

    def _snapped(self, name: str, place: float) -> float:
        """A place in [0, 1]; on a discrete axis the middle of a value."""
        axis = self.space.axes[name]
        place = min(max(place, 0.0), 1.0)
        return place if isinstance(axis, FloatRange) else axis.position(axis.at(place))

    def _gauges(self) -> dict[str, float]:
        widths = {name: high - low + (_least(self.space, name)) for name, (low, high) in self._sides.items()}
        return {"volume": float(np.prod(list(widths.values()))), **{f"width/{name}": width for name, width in widths.items()}}

    def _state(self) -> dict[str, Any]:
        sides = {name: list(side) for name, side in self._sides.items()}
        return {"sides": sides, "queues": {key: list(queue) for key, queue in self._queues.items()}}

    def _load(self, state: Mapping[str, Any]) -> None:
        self._sides = {name: list(state["sides"][name]) for name in self._axes}
        self._queues = {key: list(state["queues"][key]) for key in self._queues}


def _least(space: TaskSpace, name: str) -> float:
    """Part of [0, 1] that one value of an axis has."""
    axis = space.axes[name]
    if isinstance(axis, IntRange):
        return 1 / (axis.high - axis.low + 1)
    return 1 / len(axis.values) if isinstance(axis, Choice) else 0.0
