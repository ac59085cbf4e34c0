"""TargetSuccess: the difficulty at which a wanted share of episodes succeeds."""

from __future__ import annotations

from collections.abc import Mapping
from math import tanh
from typing import Any

import numpy as np
from numpy.typing import NDArray

from opsgym.curricula.cells import CellSampler
from opsgym.curricula.sampler import positive, share
from opsgym.curricula.space import TaskSpace
from opsgym.curricula.ticket import Outcome, Ticket

__all__ = ["TargetSuccess"]


class TargetSuccess(CellSampler):
    """Moves a target difficulty up while more than a wanted share succeeds, down while less, and draws cells near it.

    After every ``batch`` answers the target T in [0, 1] becomes ``T + rate * tanh(gain * (mean success - success))``, clipped.
    A cell of difficulty d (``space.difficulty``) weighs ``exp(-|d - T| / width)``.

    **Source.**  AdaRFT (Shi et al. 2025, arXiv 2504.05520).  ``success`` 0.5 and ``gain`` 2 are its recipe's, as
    kept in verl (Apache-2.0); there ``rate`` is 50 on a scale of 0 to 100 with batches of prompts that lie nearest to T.
    ``rate`` 0.05 with ``batch`` 16, the kernel of ``width`` 0.1 and ``floor`` 0.05 are ours.

    Args:
        space: Its grid gives the cells; needs an axis with a direction.
        success: Wanted mean success.
        start: First target difficulty.
        rate: Greatest move per batch.
        gain: How sharply it reacts.
        batch: Answers per move.
        width: Scale of the kernel, in difficulty.
        floor: Share of tickets spread over all cells.
        bins: Greatest number of values of an axis.
        seed: Seed of the generator.
        ttl: After how many answers an open ticket is lost.

    Raises:
        TaskError: A value is out of range.

    Example:
        >>> sampler = TargetSuccess(TaskSpace({"decoys": (0, 9)}), batch=1, rate=0.5, seed=3)
        >>> sampler.tell(sampler.ask()[0].outcome(success=True))
        >>> round(sampler.target, 2)
        0.38
    """

    def __init__(
        self,
        space: TaskSpace,
        *,
        success: float = 0.5,
        start: float = 0.0,
        rate: float = 0.05,
        gain: float = 2.0,
        batch: int = 16,
        width: float = 0.1,
        floor: float = 0.05,
        bins: int = 10,
        seed: int = 0,
        ttl: int = 10_000,
    ) -> None:
        settings = {
            "success": share("success", success),
            "start": share("start", start),
            "rate": positive("rate", rate),
            "gain": positive("gain", gain),
            "width": positive("width", width),
        }
        super().__init__(space, floor=floor, refresh=batch, bins=bins, seed=seed, ttl=ttl, settings=settings)
        self.target = start
        self._success, self._rate, self._gain, self._width = success, rate, gain, width
        self._difficulty = np.array([space.difficulty(cell) for cell in self.cells])
        self._hits = 0
        self._renew()

    def _weights(self) -> NDArray[np.float64]:
        distance = np.abs(self._difficulty - self.target) / self._width
        return np.asarray(np.exp(distance.min() - distance))

    def _learn(self, ticket: Ticket, outcome: Outcome) -> None:
        self._hits += bool(outcome.success)
        if self._heard + 1 >= self._every:
            mean = self._hits / self._every
            self.target = min(1.0, max(0.0, self.target + self._rate * tanh(self._gain * (mean - self._success))))
            self._hits = 0
        self._heard_one()

    def _gauges(self) -> dict[str, float]:
        return {"target_difficulty": self.target}

    def _state(self) -> dict[str, Any]:
        return {**super()._state(), "target": self.target, "hits": self._hits}

    def _load(self, state: Mapping[str, Any]) -> None:
        super()._load(state)
        self.target, self._hits = state["target"], state["hits"]
