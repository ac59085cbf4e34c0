"""ThompsonTarget: the cells whose rate of success may be the wanted one, by posterior sampling."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from opsgym.core.errors import OpsGymError, TaskError
from opsgym.curricula.cells import CellSampler
from opsgym.curricula.sampler import share
from opsgym.curricula.space import TaskSpace
from opsgym.curricula.ticket import Outcome, Ticket

__all__ = ["ThompsonTarget", "nearest_probabilities"]

STEPS = 128
"""Distances from the target at which the posteriors are compared."""


class ThompsonTarget(CellSampler):
    """Thompson sampling for a wanted rate of success: each cell by the probability that its rate lies nearest to it.

    The rate of a cell has the posterior Beta(a, b).  An answer with success s (0 or 1) makes it::

        a = decay * a + (1 - decay) + s        b = decay * b + (1 - decay) + 1 - s

    so that old answers fade and the prior Beta(1, 1) comes back.  A cell that was not asked for long is not forgotten, and an
    unknown one is tried, for its rate may be the wanted one.  No axis needs a direction, unlike with
    :class:`~opsgym.curricula.TargetSuccess`.

    Thompson sampling draws a rate from every posterior and takes the nearest.  Here the probability of being that is computed,
    by :func:`nearest_probabilities`, and cells are drawn by it: the same draw, known exactly, at the cost of a bisection.

    **Source.**  MoPPS (Qu et al. 2025, arXiv 2507.04632): Beta posteriors with temporal discounting, posterior sampling, nearest
    to a target of 0.5.  There the best of a batch of candidates are taken; one at a time, ``decay`` 0.95 per answer and ``floor``
    0.05 are ours.  Probabilities are integrated with scipy, of the extra ``train``.

    Args:
        space: Its grid gives the cells.
        success: Wanted rate of success.
        decay: What is left of a cell's counts after another answer from it; 1 forgets nothing.
        floor: Share of tickets spread over all cells.
        refresh: After how many answers the probabilities are taken anew.
        bins: Greatest number of values of an axis.
        seed: Seed of the generator.
        ttl: After how many answers an open ticket is lost.

    Raises:
        TaskError: A value is out of range.

    Example:
        >>> sampler = ThompsonTarget(TaskSpace({"tier": ["easy", "hard", "expert"]}), refresh=1, floor=0.0)
        >>> for _ in range(300):
        ...     ticket = sampler.ask()[0]
        ...     tier = ticket.params["tier"]
        ...     sampler.tell(ticket.outcome(success=tier == "easy" or (tier == "hard" and ticket.id % 2 == 0)))
        >>> bool(sampler.distribution().probabilities[1] > 0.8)
        True
    """

    def __init__(
        self,
        space: TaskSpace,
        *,
        success: float = 0.5,
        decay: float = 0.95,
        floor: float = 0.05,
        refresh: int = 64,
        bins: int = 10,
        seed: int = 0,
        ttl: int = 10_000,
    ) -> None:
        if not 0 < decay <= 1:
            raise TaskError(f"expected a number in (0, 1], got {decay!r}", field="decay")
        settings = {"success": share("success", success), "decay": decay}
        super().__init__(space, floor=floor, refresh=refresh, bins=bins, seed=seed, ttl=ttl, settings=settings)
        self._target, self._decay = success, decay
        self._hits = [1.0] * len(self.cells)
        self._misses = [1.0] * len(self.cells)

    def posteriors(self) -> NDArray[np.float64]:
        """Parameters a and b of each cell's Beta distribution, of shape ``(2, cells)``."""
        return np.array([self._hits, self._misses])

    def _weights(self) -> NDArray[np.float64]:
        return nearest_probabilities(self.posteriors(), self._target)

    def _learn(self, ticket: Ticket, outcome: Outcome) -> None:
        cell, success = ticket.info["cell"], float(bool(outcome.success))
        self._hits[cell] = self._decay * self._hits[cell] + (1 - self._decay) + success
        self._misses[cell] = self._decay * self._misses[cell] + (1 - self._decay) + 1 - success
        self._heard_one()

    def _gauges(self) -> dict[str, float]:
        hits, misses = self.posteriors()
        return {"expected_success": float((hits / (hits + misses)) @ self._probabilities)}

    def _state(self) -> dict[str, Any]:
        return {**super()._state(), "hits": list(self._hits), "misses": list(self._misses)}

    def _load(self, state: Mapping[str, Any]) -> None:
        super()._load(state)
        self._hits, self._misses = list(state["hits"]), list(state["misses"])


def nearest_probabilities(posteriors: NDArray[np.float64], target: float) -> NDArray[np.float64]:
    """Probability for each of several independent Beta variables to be the one nearest to a target.

    With ``F_i(d)`` the probability that variable i lies within d of the target, it is the integral of
    ``prod_{j != i} (1 - F_j(d)) dF_i(d)``, here a sum over 128 intervals of d.

    Args:
        posteriors: Parameters a and b, of shape ``(2, variables)``.
        target: In [0, 1].

    Example:
        >>> nearest_probabilities(np.array([[1.0, 1.0, 90.0], [1.0, 1.0, 1.0]]), 0.5).round(2).tolist()
        [0.5, 0.5, 0.0]
    """
    try:
        from scipy.special import betainc
    except ImportError as error:
        raise OpsGymError('ThompsonTarget needs scipy: pip install "opsgym[train]"') from error

    distances = np.linspace(0.0, max(target, 1 - target), STEPS + 1)
    hits, misses = posteriors[:, :, None]
    inner, outer = np.maximum(target - distances, 0.0), np.minimum(target + distances, 1.0)
    within = betainc(hits, misses, outer) - betainc(hits, misses, inner)
    beyond = np.log(np.maximum(1 - (within[:, 1:] + within[:, :-1]) / 2, 1e-300))
    nearest = (np.diff(within) * np.exp(beyond.sum(axis=0) - beyond)).sum(axis=1)
    return np.asarray(nearest / nearest.sum())
