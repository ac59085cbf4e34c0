"""LearningProgress: cells whose success changes, in either direction."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from opsgym.core.errors import TaskError
from opsgym.curricula.cells import CellSampler
from opsgym.curricula.sampler import Signal, share, signal_of
from opsgym.curricula.space import TaskSpace
from opsgym.curricula.ticket import Outcome, Ticket

__all__ = ["LearningProgress", "reweighted"]

NONE = 1e-6
"""Progress below this is none: the draw is even again once nothing changes any more."""


class LearningProgress(CellSampler):
    """Draws cells by how far a fast average of their success is from a slow one, so that forgotten cells come back too.

    ``fast += alpha (x - fast)``, ``slow += alpha (fast - slow)``; the progress of a cell is ``|f(fast) - f(slow)|``, where
    ``f(p) = (1 - theta) p / (p + theta (1 - 2 p))`` stretches small probabilities.  Both averages start at 0, so that a cell
    has progress only after its first success; ``floor`` finds it.  Progress below 1e-6 counts as none, so that the rounding of a
    mastered cell does not outweigh cells of which nothing is known.

    **Source.**  Bidirectional learning progress (Kanitscheider et al. 2021, arXiv 2106.14876).  ``alpha`` 0.1,
    ``theta`` 0.1 and ``floor`` 0.25 are the defaults of Syllabus (MIT; its ``uniform_prob``).  Both sharpen the distribution
    by a z-score and a sigmoid; here it is proportional to the progress.

    Args:
        space: Its grid gives the cells.
        alpha: Weight of the newest answer, in (0, 1].
        theta: Strength of the stretching, in (0, 1).
        signal: What is averaged: the ``"success"`` bit, or a ``"score"`` in [0, 1].
        floor: Share of tickets spread over all cells.
        refresh: After how many answers the weights are taken anew.
        bins: Greatest number of values of an axis.
        seed: Seed of the generator.
        ttl: After how many answers an open ticket is lost.

    Raises:
        TaskError: A value is out of range.
    """

    def __init__(
        self,
        space: TaskSpace,
        *,
        alpha: float = 0.1,
        theta: float = 0.1,
        signal: Signal = "success",
        floor: float = 0.25,
        refresh: int = 64,
        bins: int = 10,
        seed: int = 0,
        ttl: int = 10_000,
    ) -> None:
        if not 0 < alpha <= 1:
            raise TaskError(f"expected a number in (0, 1], got {alpha!r}", field="alpha")
        if not 0 < theta < 1:
            raise TaskError(f"expected a number in (0, 1), got {theta!r}", field="theta")
        settings = {"alpha": alpha, "theta": theta, "signal": signal}
        super().__init__(space, floor=floor, refresh=refresh, bins=bins, seed=seed, ttl=ttl, settings=settings)
        self._alpha, self._theta, self._signal = alpha, theta, signal
        self._fast = [0.0] * len(self.cells)
        self._slow = [0.0] * len(self.cells)

    def progress(self) -> NDArray[np.float64]:
        """Learning progress of each cell, of shape ``(cells,)``."""
        fast, slow = np.array(self._fast), np.array(self._slow)
        return np.abs(reweighted(fast, self._theta) - reweighted(slow, self._theta))

    def _weights(self) -> NDArray[np.float64]:
        progress = self.progress()
        return np.where(progress < NONE, 0.0, progress)  # else the rounding of a mastered cell would outweigh what is 0

    def _learn(self, ticket: Ticket, outcome: Outcome) -> None:
        cell = ticket.info["cell"]
        value = share("score", signal_of(outcome, self._signal))
        self._fast[cell] += self._alpha * (value - self._fast[cell])
        self._slow[cell] += self._alpha * (self._fast[cell] - self._slow[cell])
        self._heard_one()

    def _gauges(self) -> dict[str, float]:
        return {"progress": float(self.progress().mean())}

    def _state(self) -> dict[str, Any]:
        return {**super()._state(), "fast": list(self._fast), "slow": list(self._slow)}

    def _load(self, state: Mapping[str, Any]) -> None:
        super()._load(state)
        self._fast, self._slow = list(state["fast"]), list(state["slow"])


def reweighted(probability: NDArray[np.float64], theta: float) -> NDArray[np.float64]:
    """Probabilities stretched so that a change near 0 counts for more; 0 and 1 stay.

    Example:
        >>> reweighted(np.array([0.0, 0.1, 1.0]), 0.1).round(3).tolist()
        [0.0, 0.5, 1.0]
    """
    return np.asarray((1 - theta) * probability / (probability + theta * (1 - 2 * probability)))
