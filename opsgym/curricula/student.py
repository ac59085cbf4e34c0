"""SimulatedStudent: a learner without a network, to compare samplers in seconds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from opsgym.curricula.axes import IntRange
from opsgym.curricula.sampler import Sampler
from opsgym.curricula.space import TaskSpace

__all__ = ["SimulatedStudent", "episodes_to_mastery"]


class SimulatedStudent:
    """A grid of skills: an episode succeeds with probability sigmoid(skill - difficulty).

    Practice in a cell raises the skill there by ``rate * 4 p (1 - p)``, most where half of the episodes succeed, and that of
    a cell at a distance of d steps by ``exp(-d / reach)`` of it.  Training on the hardest cell alone teaches nothing; easier
    cells lead there.

    Args:
        rate: Greatest gain per episode.
        reach: How far practice carries, in steps of the grid.
        hardest: Difficulty of the hardest cell; the easiest has ``easiest``.
        easiest: Difficulty of the easiest cell.
        seed: Seed of the outcomes.
    """

    def __init__(
        self, *, rate: float = 0.1, reach: float = 0.8, hardest: float = 10.0, easiest: float = 0.0, seed: int = 0
    ) -> None:
        self.space = TaskSpace({"hidden": IntRange(1, 6), "decoys": IntRange(0, 6)})
        self._cells = {self.space.key(cell): index for index, cell in enumerate(self.space.grid())}
        places = np.array([[cell["hidden"] - 1, cell["decoys"]] for cell in self.space.grid()], dtype=float)
        self.difficulty = easiest + (hardest - easiest) * (places[:, 0] / 5 + places[:, 1] / 6) / 2
        distance = np.linalg.norm(places[:, None] - places[None], axis=2)
        self._carried = rate * np.exp(-distance / reach)
        self.skill = np.zeros(len(places))
        self._rng = np.random.default_rng([seed, 1])

    @property
    def success(self) -> NDArray[np.float64]:
        """Probability of success in each cell, of shape ``(42,)``."""
        return np.asarray(1 / (1 + np.exp(self.difficulty - self.skill)))

    def play(self, params: Mapping[str, Any], *, learn: bool = True) -> bool:
        """Play an episode, and learn from it or not."""
        cell = self._cells[self.space.key(params)]
        chance = 1 / (1 + np.exp(self.difficulty[cell] - self.skill[cell]))
        if learn:
            self.skill += 4 * chance * (1 - chance) * self._carried[cell]
        return bool(self._rng.random() < chance)


def episodes_to_mastery(sampler: Sampler, student: SimulatedStudent, *, mastery: float = 0.8, most: int = 20_000) -> int:
    """Episodes until the hardest cell is solved with probability ``mastery``, or ``most``."""
    hardest = int(student.difficulty.argmax())
    for episode in range(most):
        if student.success[hardest] >= mastery:
            return episode
        ticket = sampler.ask()[0]
        sampler.tell(ticket.outcome(success=student.play(ticket.params, learn=ticket.train)))
    return most
