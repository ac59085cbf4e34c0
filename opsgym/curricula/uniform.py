"""Uniform: every cell alike, or by fixed weights."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from opsgym.core.errors import RegistryError, TaskError
from opsgym.curricula.cells import CellSampler
from opsgym.curricula.sampler import Distribution, Proposal, Sampler
from opsgym.curricula.space import TaskSpace

__all__ = ["Fixed", "Uniform", "Weighted"]

LISTED = 10_000
"""Greatest number of points that are listed one by one."""


class Uniform(Sampler):
    """Draws the whole space evenly: plain domain randomisation, and what every other sampler is compared with.

    A space of at most 10,000 points is drawn evenly over them; a larger one, or one with an axis of numbers, over the cube.

    **Source.**  Domain randomisation (Tobin et al. 2017, arXiv 1703.06907).  No settings.

    Args:
        space: Where tasks come from.
        seed: Seed of the generator.
        ttl: After how many answers an open ticket is lost.

    Example:
        >>> sampler = Uniform(TaskSpace({"hidden": (1, 6), "decoys": (0, 6)}), seed=1)
        >>> ticket = sampler.ask()[0]
        >>> ticket.params, ticket.info["key"]
        ({'hidden': 4, 'decoys': 0}, 'hidden=4,decoys=0')
        >>> sampler.tell(ticket.outcome(success=True, turns=5))
        >>> sampler.metrics()["success_rate"]
        1.0
    """

    def __init__(self, space: TaskSpace, *, seed: int = 0, ttl: int = 10_000) -> None:
        super().__init__(space, seed=seed, ttl=ttl)
        self._cells = space.grid(bins=LISTED) if space.size <= LISTED else None
        self._keys = [space.key(cell) for cell in self._cells or ()]

    def distribution(self) -> Distribution:
        """The cells, or the one component ``"space"``."""
        keys = self._keys or ["space"]
        return Distribution(list(keys), np.full(len(keys), 1 / len(keys)))

    def _propose(self) -> Proposal:
        if self._cells is None:
            return Proposal(self.space.sample(self.rng), {"key": "space"})
        index = int(self.rng.random() * len(self._cells))
        return Proposal(self._cells[index], {"key": self._keys[index]})


class Weighted(CellSampler):
    """Draws cells by weights that never change.

    **Source.**  None needed; ``floor`` is ours and 0 by default, because the weights are meant.

    Args:
        space: Its grid gives the cells.
        weights: By key of the cell (``space.key``); cells that are not named weigh 0.
        bins: Greatest number of values of an axis.
        seed: Seed of the generator.
        ttl: After how many answers an open ticket is lost.

    Raises:
        RegistryError: A key is no cell's.
        TaskError: A weight is negative, or all are 0.

    Example:
        >>> sampler = Weighted(TaskSpace({"tier": ["easy", "hard"]}), {"tier=easy": 3, "tier=hard": 1})
        >>> sampler.distribution().probabilities.tolist()
        [0.75, 0.25]
    """

    def __init__(
        self, space: TaskSpace, weights: Mapping[str, float], *, bins: int = 10, seed: int = 0, ttl: int = 10_000
    ) -> None:
        super().__init__(space, floor=0.0, bins=bins, seed=seed, ttl=ttl, settings={"weights": dict(weights)})
        for key, weight in weights.items():
            if key not in self.keys:
                raise RegistryError("cell", key, self.keys)
            if weight < 0:
                raise TaskError(f"expected a weight of at least 0, got {weight!r}", field=f"weights.{key}")
        self._given = np.array([float(weights.get(key, 0.0)) for key in self.keys])
        if not self._given.any():
            raise TaskError("expected at least one weight above 0", field="weights")
        self._renew()

    def _weights(self) -> NDArray[np.float64]:
        return self._given


class Fixed(Sampler):
    """Always the same parameters; the seeds differ.

    **Source.**  None needed.  Training on the target alone is the second thing to compare a curriculum with.

    Args:
        space: Where the point lies.
        point: Values of all axes.
        seed: Seed of the generator.
        ttl: After how many answers an open ticket is lost.

    Raises:
        TaskError: The point is not of the space.
    """

    def __init__(self, space: TaskSpace, point: Mapping[str, Any], *, seed: int = 0, ttl: int = 10_000) -> None:
        super().__init__(space, seed=seed, ttl=ttl, settings={"point": dict(point)})
        self._point = space.decode(space.encode({**space.fixed, **point}).tolist())
        if space.key(self._point) != space.key(point) or not space.holds(self._point):
            raise TaskError(f"expected a valid point of {list(space.axes)}, got {dict(point)!r}", field="point")

    def distribution(self) -> Distribution:
        """The point, with probability 1."""
        return Distribution([self.space.key(self._point)], np.ones(1))

    def _propose(self) -> Proposal:
        return Proposal(self._point, {"key": self.space.key(self._point)})
