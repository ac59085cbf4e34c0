"""Ladder: one level at a time, up on success and down on failure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from opsgym.core.errors import TaskError
from opsgym.curricula.sampler import Distribution, Proposal, Sampler, positive, share
from opsgym.curricula.space import TaskSpace
from opsgym.curricula.ticket import Outcome, Ticket

__all__ = ["Ladder"]


class Ladder(Sampler):
    """Plays the highest level that was reached, and some of the lower ones so that they are not forgotten.

    After ``window`` answers at the current level their mean success decides: above ``promote`` the next level, below ``demote``
    the one before.  The windows do not overlap, so that the chance of a wrong step is exactly a binomial tail.

    **Source.**  reasoning-gym's curricula (Apache-2.0): promotion above 0.7 and demotion below 0.1 of the last 20 scores.
    ``replay`` (0.3) and ``floor`` (0.02, spread over all levels) are ours.

    Args:
        space: Where the levels lie.
        levels: Points from the easiest to the hardest, or their number on the diagonal of the space.
        window: Answers at the current level per decision.
        promote: Success above which the level rises.
        demote: Success below which it falls.
        replay: Share of tickets from lower levels, evenly.
        floor: Share of tickets spread over all levels.
        seed: Seed of the generator.
        ttl: After how many answers an open ticket is lost.

    Raises:
        TaskError: A value is out of range, or there are fewer than two levels.

    Example:
        >>> sampler = Ladder(TaskSpace({"decoys": (0, 3)}), levels=4, window=2, replay=0.0, floor=0.0)
        >>> for _ in range(4):
        ...     sampler.tell(sampler.ask()[0].outcome(success=True))
        >>> sampler.level, sampler.ask()[0].params
        (2, {'decoys': 2})
    """

    def __init__(
        self,
        space: TaskSpace,
        *,
        levels: int | Sequence[Mapping[str, Any]] = 10,
        window: int = 20,
        promote: float = 0.7,
        demote: float = 0.1,
        replay: float = 0.3,
        floor: float = 0.02,
        seed: int = 0,
        ttl: int = 10_000,
    ) -> None:
        points = space.ladder(levels) if isinstance(levels, int) else [{**space.fixed, **level} for level in levels]
        if len(points) < 2:
            raise TaskError(f"expected at least two levels, got {len(points)}", field="levels")
        for point in points:
            space.encode(point)
        if demote > promote:
            raise TaskError(f"expected at most promote={promote}, got {demote!r}", field="demote")
        settings = {
            "levels": points,
            "window": int(positive("window", window)),
            "promote": share("promote", promote),
            "demote": share("demote", demote),
            "replay": share("replay", replay),
            "floor": share("floor", floor),
        }
        super().__init__(space, seed=seed, ttl=ttl, settings=settings)
        self.levels = points
        self.level = 0
        self._window, self._promote, self._demote = window, promote, demote
        self._replay, self._floor = replay, floor
        self._trials = self._hits = 0

    def distribution(self) -> Distribution:
        """The levels and their probabilities."""
        count = len(self.levels)
        probabilities = np.zeros(count)
        replay = self._replay if self.level else 0.0
        probabilities[: self.level] = replay / max(1, self.level)
        probabilities[self.level] = 1 - replay
        keys = [f"{index}:{self.space.key(level)}" for index, level in enumerate(self.levels)]
        return Distribution(keys, self._floor / count + (1 - self._floor) * probabilities)

    def _propose(self) -> Proposal:
        chosen, within = self.rng.random(2).tolist()
        if chosen < self._floor:
            index = int(within * len(self.levels))
        elif self.level and chosen < self._floor + (1 - self._floor) * self._replay:
            index = int(within * self.level)
        else:
            index = self.level
        point = self.levels[index]
        return Proposal(point, {"key": f"{index}:{self.space.key(point)}", "level": index})

    def _learn(self, ticket: Ticket, outcome: Outcome) -> None:
        if ticket.info["level"] != self.level:
            return
        self._trials += 1
        self._hits += bool(outcome.success)
        if self._trials < self._window:
            return
        mean = self._hits / self._trials
        self._trials = self._hits = 0
        if mean > self._promote:
            self.level = min(self.level + 1, len(self.levels) - 1)
        elif mean < self._demote:
            self.level = max(self.level - 1, 0)

    def _gauges(self) -> dict[str, float]:
        return {"level": float(self.level)}

    def _state(self) -> dict[str, Any]:
        return {"level": self.level, "trials": self._trials, "hits": self._hits}

    def _load(self, state: Mapping[str, Any]) -> None:
        self.level, self._trials, self._hits = state["level"], state["trials"], state["hits"]
