"""Anneal: axes that follow a schedule, whatever the agent does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, get_args

import numpy as np

from opsgym.core.errors import RegistryError, TaskError
from opsgym.curricula.sampler import Distribution, Proposal, Sampler
from opsgym.curricula.space import TaskSpace

__all__ = ["Anneal"]

By = Literal["asks", "tells"]
Draw = Literal["value", "up_to"]


class Anneal(Sampler):
    """Moves axes along points (count, value), linearly between them, and draws the other axes evenly.

    **Source.**  A schedule by hand, as in ACE-Bench's proposal to raise the tool-failure rate during training, and in every
    trainer's linear schedule.  It is the open-loop comparison to a curriculum that listens.

    Args:
        space: Where tasks come from.
        schedules: By axis, points (count, value) by ascending count; values of the axis.  Before the first point and after
            the last the value stays.  Whole numbers are those of the place; choices move along their order.
        by: What counts: tickets that were issued or answers that came.
        draw: Whether an axis takes the ``"value"`` itself, or is drawn between its easiest end and the value (``"up_to"``).
        seed: Seed of the generator.
        ttl: After how many answers an open ticket is lost.

    Raises:
        RegistryError: Unknown axis or choice.
        TaskError: A schedule is empty, out of order, or leaves the axis.

    Example:
        >>> space = TaskSpace({"hidden": (1, 9), "failure_rate": (0.0, 0.3)})
        >>> sampler = Anneal(space, {"hidden": [(0, 1), (4, 9)], "failure_rate": [(0, 0.0), (2, 0.0), (4, 0.2)]})
        >>> [(ticket.params["hidden"], round(ticket.failure_rate, 2)) for ticket in sampler.ask(5)]
        [(1, 0.0), (3, 0.0), (5, 0.0), (7, 0.1), (9, 0.2)]
    """

    def __init__(
        self,
        space: TaskSpace,
        schedules: Mapping[str, Sequence[tuple[int, Any]]],
        *,
        by: By = "asks",
        draw: Draw = "value",
        seed: int = 0,
        ttl: int = 10_000,
    ) -> None:
        if by not in get_args(By):
            raise RegistryError("count", by, get_args(By))
        if draw not in get_args(Draw):
            raise RegistryError("draw", draw, get_args(Draw))
        self._points: dict[str, tuple[list[int], list[float]]] = {}
        for name, points in schedules.items():
            if name not in space.axes:
                raise RegistryError("axis", name, space.axes)
            counts = [int(count) for count, _ in points]
            if not counts or counts != sorted(set(counts)):
                raise TaskError(f"expected points by ascending count, got {list(points)}", field=f"schedules.{name}")
            self._points[name] = counts, [space.axes[name].position(value) for _, value in points]
        settings = {"schedules": {name: [list(point) for point in points] for name, points in schedules.items()}}
        super().__init__(space, seed=seed, ttl=ttl, settings={**settings, "by": by, "draw": draw})
        self._by, self._up_to = by, draw == "up_to"

    def distribution(self) -> Distribution:
        """The one component ``"schedule"``."""
        return Distribution(["schedule"], np.ones(1))

    def places(self) -> dict[str, float]:
        """Where each scheduled axis stands, in [0, 1]."""
        count = self.tells if self._by == "tells" else self._ledger.next_id
        return {name: float(np.interp(count, counts, places)) for name, (counts, places) in self._points.items()}

    def _propose(self) -> Proposal:
        places = self.places()
        easiest = {name: 1.0 if self.space.axes[name].harder == "down" else 0.0 for name in places}

        def draw() -> list[float]:
            position: list[float] = self.rng.random(len(self.space.axes)).tolist()
            for index, name in enumerate(self.space.axes):
                if name in places:
                    within = position[index] if self._up_to else 1.0
                    position[index] = easiest[name] + (places[name] - easiest[name]) * within
            return position

        return Proposal(self.space.nearest(draw), {"key": "schedule"})

    def _gauges(self) -> dict[str, float]:
        return {f"place/{name}": place for name, place in self.places().items()}
