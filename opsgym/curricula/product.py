"""Product: a sampler for each group of axes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from opsgym.core.errors import TaskError
from opsgym.curricula.compose import Composed
from opsgym.curricula.sampler import Distribution, Proposal, Sampler
from opsgym.curricula.space import TaskSpace

__all__ = ["Product"]


class Product(Composed):
    """Draws each axis group from a sampler of its own, such as the task and the failure rate, and tells all of them.

    **Source.**  None needed.  Each part sees the success bit alone: a failure says nothing of which axis was too hard.

    Args:
        parts: Samplers over spaces that share no name; the first gives the tasks' seeds.
        seed: Seed of the generator.

    Raises:
        TaskError: There is no part, or two have an axis or fixed value in common.

    Example:
        >>> from opsgym.curricula import Anneal, TaskSpace, Uniform
        >>> tasks, faults = TaskSpace({"decoys": (0, 9)}), TaskSpace({"failure_rate": (0.0, 0.3)})
        >>> sampler = Product([Uniform(tasks), Anneal(faults, {"failure_rate": [(0, 0.1)]})])
        >>> ticket = sampler.ask()[0]
        >>> list(ticket.params), round(ticket.failure_rate, 2)
        (['decoys'], 0.1)
    """

    def __init__(self, parts: Sequence[Sampler], *, seed: int = 0) -> None:
        if not parts:
            raise TaskError("expected at least one part, got none", field="parts")
        names = [name for part in parts for name in (*part.space.axes, *part.space.fixed)]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise TaskError(f"{', '.join(twice)}: in more than one part", field="parts")
        axes = {name: axis for part in parts for name, axis in part.space.axes.items()}
        fixed = {name: value for part in parts for name, value in part.space.fixed.items()}
        super().__init__(TaskSpace(axes, fixed=fixed), parts, seed=seed, settings={})

    def distribution(self) -> Distribution:
        """All combinations of the parts' keys."""
        keys, shares = [""], np.ones(1)
        for part in self.parts:
            inner = part.distribution()
            keys = [f"{key}|{other}" if key else other for key in keys for other in inner.keys]
            shares = np.outer(shares, inner.probabilities).ravel()
        return Distribution(keys, shares)

    def _propose(self) -> Proposal:
        return self._made_of(*(self._asked(index) for index in range(len(self.parts))))
