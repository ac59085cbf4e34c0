"""ALPGMM: regions of a continuous space in which success changes, as a mixture of Gaussians."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from opsgym.core.errors import OpsGymError, TaskError
from opsgym.curricula.sampler import Distribution, Proposal, Sampler, Signal, positive, share, signal_of
from opsgym.curricula.space import TaskSpace
from opsgym.curricula.ticket import Outcome, Ticket

__all__ = ["ALPGMM"]

LEAST = 6
"""Stored tasks without which a nearest one says little."""


class _Component(NamedTuple):
    """A Gaussian over the cube: its mean, a Cholesky factor of its covariance, and its mean progress."""

    mean: NDArray[np.float64]
    factor: NDArray[np.float64]
    progress: float


class ALPGMM(Sampler):
    """Draws from Gaussians fitted to (task, absolute learning progress), each by its mean progress.

    The progress of an episode is the difference between its success and that of the nearest earlier task in the unit cube.
    After every ``fit`` answers mixtures of 2 to ``components`` Gaussians are fitted to the last ``fit`` of them and Akaike's
    criterion picks one.  A Gaussian is drawn by its mean progress, a task from it, clipped to the cube.  Where all progress is
    0, and before the first fit, the draw is uniform.

    **Source.**  Portelas et al. 2019, arXiv 1910.07224.  ``fit`` 250, 2 to 10 ``components`` and ``random`` 0.2
    are the class defaults of TeachMyAgent (MIT).  It searches all earlier tasks; ``memory`` bounds them here.  Mixtures are
    fitted by scikit-learn, of the extra ``train``.

    Args:
        space: Where tasks come from.
        fit: Answers per fit.
        components: Greatest number of Gaussians.
        random: Share of tickets drawn evenly from the space.
        signal: What progresses: the ``"success"`` bit or the ``"score"``.
        memory: How many earlier tasks are searched.
        seed: Seed of the generator.
        ttl: After how many answers an open ticket is lost.

    Raises:
        TaskError: A value is out of range.
    """

    def __init__(
        self,
        space: TaskSpace,
        *,
        fit: int = 250,
        components: int = 10,
        random: float = 0.2,
        signal: Signal = "success",
        memory: int = 10_000,
        seed: int = 0,
        ttl: int = 10_000,
    ) -> None:
        if fit <= components:
            raise TaskError(f"expected more than components={components}, got {fit!r}", field="fit")
        settings = {
            "fit": fit,
            "components": int(positive("components", components)),
            "random": share("random", random),
            "signal": signal,
            "memory": int(positive("memory", memory)),
        }
        super().__init__(space, seed=seed, ttl=ttl, settings=settings)
        self._fit, self._most, self._random, self._signal, self._memory = fit, components, random, signal, memory
        self._past: list[list[float]] = []
        """Positions and signals that the tree does not hold yet, then the tree's, in order of arrival."""
        self._recent: list[list[float]] = []
        self._indexed = 0
        self._tree: Any = None
        self._mixture: list[_Component] = []
        self._shares: list[float] = []

    def distribution(self) -> Distribution:
        """The components: ``"uniform"`` and each Gaussian."""
        keys = ["uniform", *(f"gaussian {index}" for index in range(len(self._mixture)))]
        rest = 1 - self._random if self._shares else 0.0
        return Distribution(keys, np.array([1 - rest, *(rest * part for part in self._shares)]))

    def _propose(self) -> Proposal:
        chosen, within = self.rng.random(2).tolist()
        if not self._shares or chosen < self._random:
            return Proposal(self.space.sample(self.rng), {"key": "uniform"})
        ends = np.cumsum(self._shares)
        index = min(int(np.searchsorted(ends, within * ends[-1], side="right")), len(ends) - 1)
        component = self._mixture[index]

        def draw() -> list[float]:
            moved = component.mean + component.factor @ self.rng.standard_normal(len(component.mean))
            return [min(max(place, 0.0), 1.0) for place in moved.tolist()]

        return Proposal(self.space.nearest(draw), {"key": f"gaussian {index}"})

    def _learn(self, ticket: Ticket, outcome: Outcome) -> None:
        point = dict(ticket.params)
        if ticket.failure_rate is not None:
            point["failure_rate"] = ticket.failure_rate
        place, value = self.space.encode(point).tolist(), signal_of(outcome, self._signal)
        progress = abs(value - self._nearest(place)) if len(self._past) >= LEAST else 0.0
        self._past.append([*place, value])
        self._recent.append([*place, progress])
        if len(self._recent) >= self._fit:
            self._refit()

    def _nearest(self, place: list[float]) -> float:
        """Signal of the nearest earlier task: from a tree of most of them, and the newest by search."""
        best, value = np.inf, 0.0
        if self._tree is not None:
            distance, index = self._tree.query(place)
            best, value = float(distance) ** 2, self._past[int(index)][-1]
        if self._indexed < len(self._past):
            newest = np.array(self._past[self._indexed :])
            distances = ((newest[:, :-1] - place) ** 2).sum(axis=1)
            index = int(distances.argmin())
            if distances[index] <= best:
                value = float(newest[index, -1])
        return value

    def _refit(self) -> None:
        """Fit mixtures to the last answers, and index all tasks anew."""
        data = np.array(self._recent)
        self._recent = []
        self._past = self._past[-self._memory :]
        self._index(len(self._past))
        self._mixture, self._shares = [], []
        if not data[:, -1].any():
            return
        model = _best_mixture(data, self._most, int(self.rng.integers(2**31)))
        progress = np.maximum(model.means_[:, -1], 0.0)
        if not progress.sum() > 0:
            return
        for mean, covariance, own in zip(model.means_, model.covariances_, progress, strict=True):
            factor = np.linalg.cholesky(covariance[:-1, :-1])
            self._mixture.append(_Component(mean[:-1], factor, float(own)))
        self._shares = (progress / progress.sum()).tolist()

    def _index(self, count: int) -> None:
        try:
            from scipy.spatial import cKDTree
        except ImportError as error:
            raise OpsGymError('ALPGMM needs scipy and scikit-learn: pip install "opsgym[train]"') from error

        self._indexed = count
        self._tree = cKDTree(np.array(self._past[:count])[:, :-1]) if count else None

    def _gauges(self) -> dict[str, float]:
        return {"components": float(len(self._mixture)), "best_progress": max((c.progress for c in self._mixture), default=0.0)}

    def _state(self) -> dict[str, Any]:
        mixture = [[component.mean.tolist(), component.factor.tolist(), component.progress] for component in self._mixture]
        past, recent = [list(row) for row in self._past], [list(row) for row in self._recent]
        return {"past": past, "recent": recent, "indexed": self._indexed, "mixture": mixture, "shares": list(self._shares)}

    def _load(self, state: Mapping[str, Any]) -> None:
        self._past = [list(row) for row in state["past"]]
        self._recent = [list(row) for row in state["recent"]]
        self._mixture = [_Component(np.array(mean), np.array(factor), own) for mean, factor, own in state["mixture"]]
        self._shares = list(state["shares"])
        self._index(state["indexed"])


def _best_mixture(data: NDArray[np.float64], most: int, seed: int) -> Any:
    """The mixture that Akaike's criterion likes best."""
    try:
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.mixture import GaussianMixture
        from threadpoolctl import threadpool_limits
    except ImportError as error:
        raise OpsGymError('ALPGMM needs scipy and scikit-learn: pip install "opsgym[train]"') from error

    sizes = range(min(2, most), most + 1)
    # Threads gain nothing on so few rows, and where cores are busy they wait for each other.
    with warnings.catch_warnings(), threadpool_limits(limits=1):
        warnings.simplefilter("ignore", ConvergenceWarning)  # few distinct tasks are a poor fit and no fault
        models = [GaussianMixture(size, random_state=seed).fit(data) for size in sizes]
    return min(models, key=lambda model: float(model.aic(data)))
