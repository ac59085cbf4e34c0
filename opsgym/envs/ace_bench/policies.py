"""Four fixed policies that do not search, on complete information: how easy is an instance without joint reasoning?

They see the locally feasible candidates of every slot and all rules, as arrays, and nothing of the truth.  What they
reach bounds from above what the same idea reaches through the tools, where readings cost.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
from numpy.typing import NDArray

from opsgym.core.errors import RegistryError
from opsgym.envs.ace_bench.rules import Bools, Ints, Matrix
from opsgym.envs.ace_bench.spec import Rule

Choices = tuple[int, ...]
Floats = NDArray[np.float64]

POLICIES = ("uniform", "frugal", "extremum", "one_opt")
"""Names of the policies, weakest idea first."""

ADDITIVE = ("sum", "count", "count_at_least")
"""Kinds of rules for which "the best candidate of a slot" has a meaning."""

DESCENT_STEPS = 200
"""Most moves of one descent; every move lowers the violation, so it ends before."""


class Table:
    """A matrix over the feasible candidates with all slots' candidates stacked, for fast moves.

    Args:
        matrix: Global rules over the locally feasible candidates.
        rules: The rules from which the matrix was compiled.
    """

    def __init__(self, matrix: Matrix, rules: Sequence[Rule]) -> None:
        sizes = [len(weights) for weights in matrix.weights]
        stacked = np.vstack(matrix.weights)
        low = matrix.base + sum(weights.min(axis=0) for weights in matrix.weights)
        high = matrix.base + sum(weights.max(axis=0) for weights in matrix.weights)
        biting = (low < matrix.low) | (high > matrix.high)
        self.sizes = sizes
        self.starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        self.slot_of = np.repeat(np.arange(len(sizes)), sizes)
        self.weights = stacked[:, biting]
        self.base, self.low, self.high = matrix.base[biting], matrix.low[biting], matrix.high[biting]
        self.directions: list[Ints] = []
        for number, rule in enumerate(rules):
            mine = (matrix.owner == number) & biting
            if rule.kind in ADDITIVE and mine.any():
                worth = stacked[:, mine].sum(axis=1)
                self.directions += [worth] if rule.high is not None else []
                self.directions += [-worth] if rule.low is not None else []

    def solved(self, choices: Sequence[int]) -> bool:
        """Whether all rules hold."""
        sums = self.base + self.weights[self.starts + np.array(choices)].sum(axis=0)
        return bool(((sums >= self.low) & (sums <= self.high)).all())

    def extremes(self, scores: Floats) -> list[Choices]:
        """For each row of scores, per slot the candidate of least score, the first one among equals."""
        picks = [
            scores[:, start : start + size].argmin(axis=1) for start, size in zip(self.starts.tolist(), self.sizes, strict=True)
        ]
        return [tuple(row) for row in np.array(picks).T.tolist()]


def frugal(table: Table) -> Choices:
    """Per slot the candidate that is best when all bounds are added up, each on its own scale."""
    score = np.zeros(len(table.weights))
    for weights in table.directions:
        spread = float(weights.std())
        score += weights / spread if spread else 0.0
    return table.extremes(score[None, :])[0]


def extremum(table: Table) -> list[Choices]:
    """For every bound, the candidate that is best for it alone, in every slot."""
    if not table.directions:
        return []
    return list(dict.fromkeys(table.extremes(np.array(table.directions, dtype=np.float64))))


def descend(table: Table, starts: Sequence[Choices]) -> tuple[Choices, float]:
    """Steepest descent on the summed relative violation by changing one slot at a time, from all starts at once.

    Returns:
        The choices that violate least of those where the descents end, and their violation: 0 when all rules hold.
    """
    low_scale = np.maximum(1.0, np.abs(table.low))
    high_scale = np.maximum(1.0, np.abs(table.high))

    def violation(sums: Ints) -> Floats:
        total: Floats = (np.maximum(table.low - sums, 0) / low_scale + np.maximum(sums - table.high, 0) / high_scale).sum(axis=-1)
        return total

    picks = table.starts + np.array(starts)
    sums = table.base + table.weights[picks].sum(axis=1)
    value = violation(sums)
    active: Bools = np.ones(len(picks), dtype=np.bool_)
    for _ in range(DESCENT_STEPS):
        rows = np.flatnonzero(active)
        if not value.all() or not len(rows):
            break
        moved = sums[rows, None, :] - table.weights[picks[rows][:, table.slot_of]] + table.weights[None, :, :]
        values = violation(moved)
        best = values.argmin(axis=1)
        gain = values[np.arange(len(rows)), best] < value[rows] - 1e-12
        active[rows[~gain]] = False
        rows, best, moved, values = rows[gain], best[gain], moved[gain], values[gain]
        order = np.arange(len(rows))
        picks[rows, table.slot_of[best]] = best
        sums[rows], value[rows] = moved[order, best], values[order, best]
    least = int(value.argmin())
    return tuple((picks[least] - table.starts).tolist()), float(value[least])


def one_opt(table: Table, starts: Sequence[Choices]) -> bool:
    """Whether one of the descents from the starts ends with all rules kept."""
    return descend(table, starts)[1] == 0.0


def choose(name: str, table: Table) -> Choices:
    """The completion that a policy hands in: ``frugal``, or ``one_opt`` from the frugal and the extremum completions.

    Raises:
        RegistryError: There is no such policy, or it hands in more than one completion.
    """
    start = frugal(table)
    completions = {"frugal": lambda: start, "one_opt": lambda: descend(table, [start, *extremum(table)])[0]}
    if name not in completions:
        raise RegistryError("policy", name, completions)
    return completions[name]()


def success(matrix: Matrix, rules: Sequence[Rule]) -> dict[str, float]:
    """Chance that each of the four policies solves an instance with one completion.

    ``uniform`` picks among the locally feasible candidates, so its chance is one in their number of combinations;
    the others are deterministic.  ``extremum`` may try one completion per bound, as with an unlimited checker.
    """
    table = Table(matrix, rules)
    tried = extremum(table)
    start = frugal(table)
    return {
        "uniform": 1.0 / prod(table.sizes),
        "frugal": float(table.solved(start)),
        "extremum": float(any(table.solved(choices) for choices in tried) or table.solved(start)),
        "one_opt": float(one_opt(table, list(dict.fromkeys([start, *tried])))),
    }
