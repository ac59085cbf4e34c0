"""CellSampler: the base of samplers that keep a weight for each cell of a finite grid."""

from __future__ import annotations

from abc import abstractmethod
from bisect import bisect_right
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from opsgym.curricula.sampler import Distribution, Proposal, Sampler, positive, share
from opsgym.curricula.space import TaskSpace

__all__ = ["CellSampler"]


class CellSampler(Sampler):
    """Draws cells by weights that are renewed every ``refresh`` answers, so that an ask costs one bisection.

    Every cell keeps at least the probability ``floor / number of cells``: a cell that nobody solves yet is still tried.

    Args:
        space: Its grid gives the cells.
        floor: Share of tickets that is spread evenly over all cells.
        refresh: After how many answers the weights are taken anew.
        bins: Greatest number of values of an axis.
        seed: Seed of the generator.
        ttl: After how many answers an open ticket is lost.
        settings: Arguments of the subclass.

    Raises:
        TaskError: A value is out of range, or there are too many cells.
    """

    def __init__(
        self,
        space: TaskSpace,
        *,
        floor: float,
        refresh: int = 64,
        bins: int = 10,
        seed: int = 0,
        ttl: int = 10_000,
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        own = {"floor": share("floor", floor), "refresh": int(positive("refresh", refresh)), "bins": bins}
        super().__init__(space, seed=seed, ttl=ttl, settings={**(settings or {}), **own})
        self.cells = space.grid(bins)
        self.keys = [space.key(cell) for cell in self.cells]
        self._floor, self._every, self._heard = floor, refresh, 0
        self._probabilities: NDArray[np.float64] = np.full(len(self.cells), 1 / len(self.cells))
        self._cumulative: list[float] = np.cumsum(self._probabilities).tolist()

    def distribution(self) -> Distribution:
        """The cells and their probabilities."""
        return Distribution(list(self.keys), self._probabilities.copy())

    @abstractmethod
    def _weights(self) -> NDArray[np.float64]:
        """A weight that is not negative for each cell; all zero means evenly."""

    def _renew(self) -> None:
        """Take the weights anew."""
        weights = self._weights()
        total, even = float(weights.sum()), 1 / len(weights)
        wanted = weights / total if total > 0 else np.full(len(weights), even)
        self._set(self._floor * even + (1 - self._floor) * wanted)
        self._heard = 0

    def _set(self, probabilities: NDArray[np.float64]) -> None:
        self._probabilities = probabilities
        self._cumulative = np.cumsum(probabilities).tolist()

    def _heard_one(self) -> None:
        """Count an answer, and renew the weights when it is time."""
        self._heard += 1
        if self._heard >= self._every:
            self._renew()

    def _propose(self) -> Proposal:
        index = self._draw()
        return Proposal(self.cells[index], {"key": self.keys[index], "cell": index})

    def _draw(self) -> int:
        place = bisect_right(self._cumulative, self.rng.random() * self._cumulative[-1])
        return min(place, len(self._cumulative) - 1)

    def _state(self) -> dict[str, Any]:
        return {"probabilities": self._probabilities.tolist(), "heard": self._heard}

    def _load(self, state: Mapping[str, Any]) -> None:
        self._set(np.array(state["probabilities"]))
        self._heard = state["heard"]
