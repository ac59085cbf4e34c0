"""Mixture: one of several samplers for each ticket."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from opsgym.core.errors import TaskError
from opsgym.curricula.compose import Composed, joined
from opsgym.curricula.sampler import Distribution, Proposal, Sampler, positive

__all__ = ["Mixture"]


class Mixture(Composed):
    """Draws each ticket from one of several samplers, by weight; each hears of its own tickets alone.

    **Source.**  None needed; 80 % of a curriculum and 20 % of the uniform distribution is the usual guard against forgetting.

    Args:
        parts: Pairs (weight, sampler); their spaces may differ.
        seed: Seed of the generator.

    Raises:
        TaskError: There is no part, or a weight is not positive.

    Example:
        >>> from opsgym.curricula import Ladder, TaskSpace, Uniform
        >>> space = TaskSpace({"decoys": (0, 9)})
        >>> sampler = Mixture([(0.8, Ladder(space, floor=0.0)), (0.2, Uniform(space))])
        >>> round(float(sampler.distribution().probabilities[0]), 3), len(sampler.distribution().keys)
        (0.8, 20)
    """

    def __init__(self, parts: Sequence[tuple[float, Sampler]], *, seed: int = 0) -> None:
        if not parts:
            raise TaskError("expected at least one part, got none", field="parts")
        weights = np.array([positive("weight", weight) for weight, _ in parts])
        samplers = [sampler for _, sampler in parts]
        super().__init__(joined(samplers), samplers, seed=seed, settings={"weights": weights.tolist()})
        self._weights = weights / weights.sum()
        self._ends: list[float] = np.cumsum(self._weights).tolist()

    def distribution(self) -> Distribution:
        """The keys of every part, with the number of the part before them."""
        keys, shares = [], []
        for index, (weight, part) in enumerate(zip(self._weights, self.parts, strict=True)):
            inner = part.distribution()
            keys += [f"{index}:{key}" for key in inner.keys]
            shares.append(weight * inner.probabilities)
        return Distribution(keys, np.concatenate(shares))

    def _propose(self) -> Proposal:
        place = self.rng.random() * self._ends[-1]
        index = min(next((i for i, end in enumerate(self._ends) if place < end), len(self._ends) - 1), len(self._ends) - 1)
        proposal = self._made_of(self._asked(index))
        proposal.info["key"] = f"{index}:{proposal.info['key']}"
        return proposal
