"""Bandit: EXP3.S over the cells, for payoffs that come and go."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from opsgym.core.errors import RegistryError, TaskError
from opsgym.curricula.cells import CellSampler
from opsgym.curricula.sampler import positive
from opsgym.curricula.space import TaskSpace
from opsgym.curricula.ticket import Outcome, Ticket

__all__ = ["Bandit"]

Payoff = Literal["surprise", "abs_advantage", "score"]


class Bandit(CellSampler):
    """Draws cells by exponential weights of their payoff, as against an adversary, and shares weight so that a switch is found.

    After an answer from cell a with payoff r and probability q at the time of the draw, with N cells and t answers so far::

        w[i] = log((1 - 1/t) exp(w[i] + rate * r / q [i = a]) + 1/t / (N - 1) * sum of the others' exp(...))

    and the probabilities are ``(1 - floor) softmax(w) + floor / N``.  ``1/t`` does not fall below ``share``, so that a switch
    is found late in a run too.

    The payoff ``"surprise"`` is how far the success bit was from the cell's moving mean, in expectation 2 p (1 - p);
    ``"abs_advantage"`` is the trainer's mean absolute advantage, in ``outcome.extra``; ``"score"`` is the score.  They should lie
    in [0, 1].

    **Source.**  EXP3.S (Auer et al. 2002) as used by Graves et al. 2017, arXiv 1704.03003, with
    ``rate`` 1e-3 and ``floor`` 0.05; the payoff of absolute advantages is that of SEC (Chen et al. 2025, arXiv 2505.14970).
    ``rate`` 0.01 and ``share`` 1e-4 are ours: runs here are short.  Payoffs are not rescaled by quantiles as in Graves et al.

    Args:
        space: Its grid gives the cells; at least two.
        payoff: What is earned.
        rate: Step of the weights.
        share: Least weight that is shared among the cells per answer.
        floor: Share of tickets spread over all cells.
        refresh: After how many answers the probabilities are taken anew.
        bins: Greatest number of values of an axis.
        seed: Seed of the generator.
        ttl: After how many answers an open ticket is lost.

    Raises:
        RegistryError: Unknown payoff.
        TaskError: A value is out of range; or, on ``tell``, the advantage is not in ``outcome.extra``.
    """

    def __init__(
        self,
        space: TaskSpace,
        *,
        payoff: Payoff = "surprise",
        rate: float = 0.01,
        share: float = 1e-4,
        floor: float = 0.05,
        refresh: int = 8,
        bins: int = 10,
        seed: int = 0,
        ttl: int = 10_000,
    ) -> None:
        if payoff not in get_args(Payoff):
            raise RegistryError("payoff", payoff, get_args(Payoff))
        if not 0 <= share < 1:
            raise TaskError(f"expected a number in [0, 1), got {share!r}", field="share")
        settings = {"payoff": payoff, "rate": positive("rate", rate), "share": share}
        super().__init__(space, floor=positive("floor", floor), refresh=refresh, bins=bins, seed=seed, ttl=ttl, settings=settings)
        if len(self.cells) < 2:
            raise TaskError(f"expected at least two cells, got {len(self.cells)}", field="space")
        self._payoff, self._rate, self._share = payoff, rate, share
        self._log = np.zeros(len(self.cells))
        self._means = [0.5] * len(self.cells)
        self._steps = 0

    def _propose(self) -> Any:
        proposal = super()._propose()
        proposal.info["probability"] = float(self._probabilities[proposal.info["cell"]])
        return proposal

    def _weights(self) -> NDArray[np.float64]:
        return np.asarray(np.exp(self._log - self._log.max()))

    def _learn(self, ticket: Ticket, outcome: Outcome) -> None:
        cell = ticket.info["cell"]
        self._steps += 1
        self._log[cell] += self._rate * self._earned(cell, outcome) / ticket.info["probability"]
        weights = np.exp(self._log - self._log.max())
        shared = max(1 / self._steps if self._steps > 1 else 0.0, self._share)
        mixed = (1 - shared) * weights + shared / (len(weights) - 1) * (weights.sum() - weights)
        self._log = np.log(mixed)
        self._heard_one()

    def _earned(self, cell: int, outcome: Outcome) -> float:
        if self._payoff == "score":
            return outcome.score
        if self._payoff == "abs_advantage":
            if "abs_advantage" not in outcome.extra:
                raise TaskError(f"expected 'abs_advantage', got {sorted(outcome.extra)}", field="outcome.extra")
            return abs(outcome.extra["abs_advantage"])
        surprise = bool(outcome.success) - self._means[cell]
        self._means[cell] += 0.1 * surprise
        return abs(surprise)

    def _state(self) -> dict[str, Any]:
        return {**super()._state(), "log": self._log.tolist(), "means": list(self._means), "steps": self._steps}

    def _load(self, state: Mapping[str, Any]) -> None:
        super()._load(state)
        self._log, self._means, self._steps = np.array(state["log"]), list(state["means"]), state["steps"]
