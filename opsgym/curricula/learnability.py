"""Learnability: cells that are solved sometimes, weighed by p (1 - p)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from opsgym.core.errors import RegistryError
from opsgym.curricula.cells import CellSampler
from opsgym.curricula.sampler import positive, share
from opsgym.curricula.space import TaskSpace
from opsgym.curricula.ticket import Outcome, Ticket

__all__ = ["Learnability"]

Mode = Literal["proportional", "top"]


class Learnability(CellSampler):
    """Draws cells by the variance of their success bit, p (1 - p), which is greatest where half of the episodes succeed.

    A cell's p is a moving average of its success bits, because the agent changes; it starts at 0.5, so that cells without
    answers come first.

    **Source.**  Sampling for learnability (Rutherford et al. 2024, arXiv 2408.15099), which ranks levels by p (1 -
    p) and trains on the top ones (``mode="top"``).  ``"proportional"``, ``alpha`` 0.1 and ``floor`` 0.15 are ours.

    Args:
        space: Its grid gives the cells.
        mode: ``"proportional"`` to p (1 - p), or evenly over the ``top`` cells.
        top: Number of cells in the mode ``"top"``.
        alpha: Weight of the newest answer, in (0, 1].
        floor: Share of tickets spread over all cells.
        refresh: After how many answers the weights are taken anew.
        bins: Greatest number of values of an axis.
        seed: Seed of the generator.
        ttl: After how many answers an open ticket is lost.

    Raises:
        RegistryError: Unknown mode.
        TaskError: A value is out of range.

    Example:
        >>> sampler = Learnability(TaskSpace({"tier": ["easy", "hard"]}), refresh=1, floor=0.0)
        >>> for _ in range(200):
        ...     ticket = sampler.ask()[0]
        ...     sampler.tell(ticket.outcome(success=ticket.params["tier"] == "easy" or ticket.id % 2 == 0))
        >>> bool(sampler.distribution().probabilities[1] > 0.9)
        True
    """

    def __init__(
        self,
        space: TaskSpace,
        *,
        mode: Mode = "proportional",
        top: int = 10,
        alpha: float = 0.1,
        floor: float = 0.15,
        refresh: int = 64,
        bins: int = 10,
        seed: int = 0,
        ttl: int = 10_000,
    ) -> None:
        if mode not in get_args(Mode):
            raise RegistryError("mode", mode, get_args(Mode))
        settings = {"mode": mode, "top": int(positive("top", top)), "alpha": positive("alpha", share("alpha", alpha))}
        super().__init__(space, floor=floor, refresh=refresh, bins=bins, seed=seed, ttl=ttl, settings=settings)
        self._mode, self._top, self._alpha = mode, top, alpha
        self._success = [0.5] * len(self.cells)

    def learnability(self) -> NDArray[np.float64]:
        """Estimated p (1 - p) of each cell, of shape ``(cells,)``."""
        success = np.array(self._success)
        return np.asarray(success * (1 - success))

    def _weights(self) -> NDArray[np.float64]:
        value = self.learnability()
        if self._mode == "proportional":
            return value
        best = np.argsort(-value, kind="stable")[: self._top]
        weights = np.zeros(len(value))
        weights[best] = 1.0
        return weights

    def _learn(self, ticket: Ticket, outcome: Outcome) -> None:
        cell = ticket.info["cell"]
        self._success[cell] += self._alpha * (bool(outcome.success) - self._success[cell])
        self._heard_one()

    def _gauges(self) -> dict[str, float]:
        return {"learnability": float(self.learnability() @ self._probabilities)}

    def _state(self) -> dict[str, Any]:
        return {**super()._state(), "success": list(self._success)}

    def _load(self, state: Mapping[str, Any]) -> None:
        super()._load(state)
        self._success = list(state["success"])
