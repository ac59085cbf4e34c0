"""Paired comparison: two runs over the same tasks, tested by flipping the signs of the tasks' differences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from opsgym.core.errors import TaskError
from opsgym.evaluate.metrics.intervals import CONFIDENCE, RESAMPLES, SEED, Estimate, bootstrap_mean, known
from opsgym.evaluate.metrics.table import TrialTable
from opsgym.evaluate.results import TrialResult

PERMUTATIONS = 10_000
"""Default number of random sign flips; all of them where there are not more."""
_CELLS = 2_000_000

Metric = Literal["success", "score"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Paired:
    """How two runs differ on the tasks that both played.

    Attributes:
        metric: What is compared.
        tasks: Tasks with scored trials in both.
        left_only: Tasks with scored trials in the first only; not compared.
        right_only: The same for the second.
        left: Mean over the common tasks in the first.
        right: Mean in the second.
        difference: ``right - left``, with a bootstrap interval over tasks.
        better: Tasks on which the second has the greater mean.
        worse: Tasks on which it has the smaller.
        p_value: Two-sided p-value of no difference; NaN without common tasks.
    """

    metric: Metric
    tasks: int
    left_only: int
    right_only: int
    left: float
    right: float
    difference: Estimate
    better: int
    worse: int
    p_value: float

    def as_dict(self) -> dict[str, Any]:
        """The comparison as JSON."""
        plain = {name: known(value) if isinstance(value, float) else value for name, value in asdict(self).items()}
        return {**plain, "difference": self.difference.as_dict()}


def compare(
    left: Iterable[TrialResult] | TrialTable,
    right: Iterable[TrialResult] | TrialTable,
    *,
    metric: Metric = "success",
    confidence: float = CONFIDENCE,
    resamples: int = RESAMPLES,
    permutations: int = PERMUTATIONS,
    seed: int = SEED,
) -> Paired:
    """Compare two runs task by task; all trials of a task are one observation.

    Args:
        left: Trials of the first run.
        right: Trials of the second.
        metric: ``"success"`` or ``"score"``.
        confidence: Level of the interval.
        resamples: Resamples of the bootstrap.
        permutations: Random sign flips, see :func:`sign_flip`.
        seed: Seed of both.
    """
    mine, theirs = _means(left, metric), _means(right, metric)
    common = [task for task in mine if task in theirs]
    before, after = (np.array([means[task] for task in common], float) for means in (mine, theirs))
    gain = after - before
    rng = np.random.default_rng(seed)
    return Paired(
        metric=metric,
        tasks=len(common),
        left_only=len(mine) - len(common),
        right_only=len(theirs) - len(common),
        left=float(before.mean()) if common else float("nan"),
        right=float(after.mean()) if common else float("nan"),
        difference=bootstrap_mean(gain, confidence=confidence, resamples=resamples, rng=rng),
        better=int((gain > 1e-12).sum()),
        worse=int((gain < -1e-12).sum()),
        p_value=sign_flip(gain, permutations=permutations, rng=rng),
    )


def sign_flip(differences: ArrayLike, *, permutations: int = PERMUTATIONS, rng: np.random.Generator | None = None) -> float:
    """Two-sided p-value that paired differences are symmetric about 0.

    All sign flips are tried where there are at most ``permutations`` of them; else that many random ones, of which the
    observed one counts as one more, so that the p-value is never 0.  Source: Good 2005, "Permutation, Parametric and
    Bootstrap Tests", section 3.2; Phipson and Smyth 2010 for the count.

    Args:
        differences: One difference a task, shape ``(tasks,)``.
        permutations: Random flips.
        rng: Random stream; one of seed 0 by default.

    Returns:
        The p-value; 1 where no task differs, NaN without tasks or where a difference is NaN.

    Raises:
        TaskError: There is no permutation.

    Example:
        >>> sign_flip([1, 1, 1, 1, 0])
        0.125
    """
    if permutations < 1:
        raise TaskError(f"expected at least 1, got {permutations}", field="permutations")
    column = np.asarray(differences, float)
    if not len(column) or np.isnan(column).any():
        return float("nan")
    # A difference of 0 is the same under both signs: leaving it out changes nothing and makes more cases exact.
    moved = column[np.abs(column) > 1e-12]
    observed = abs(moved.sum()) - 1e-9 * max(1.0, np.abs(moved).sum())
    if 2 ** min(len(moved), 60) <= permutations:
        return float(np.mean(np.abs(_all_signs(len(moved)) @ moved) >= observed))
    extreme, stream = 1, rng or np.random.default_rng(SEED)
    block = max(1, _CELLS // len(moved))
    for start in range(0, permutations, block):
        signs = stream.integers(0, 2, size=(min(block, permutations - start), len(moved)), dtype=np.int8) * 2.0 - 1.0
        extreme += int((np.abs(signs @ moved) >= observed).sum())
    return extreme / (permutations + 1)


def holm(p_values: Sequence[float]) -> list[float]:
    """p-values of several comparisons, adjusted so that a false finding among all of them is as rare as in one.

    Source: Holm 1979.  NaN stays NaN and is not counted.

    Example:
        >>> [round(p, 3) for p in holm([0.01, 0.04, 0.03])]
        [0.03, 0.06, 0.06]
    """
    places = sorted((i for i, p in enumerate(p_values) if p == p), key=lambda i: p_values[i])
    adjusted, least = [float("nan")] * len(p_values), 0.0
    for rank, place in enumerate(places):
        least = max(least, min(1.0, p_values[place] * (len(places) - rank)))
        adjusted[place] = least
    return adjusted


def _means(results: Iterable[TrialResult] | TrialTable, metric: Metric) -> dict[str, float]:
    table = results if isinstance(results, TrialTable) else TrialTable.of(results)
    means = table.means(getattr(table, metric))
    return {task: float(mean) for task, mean in zip(table.task_ids, means, strict=True) if mean == mean}


def _all_signs(count: int) -> NDArray[np.float64]:
    """Every combination of signs, shape ``(2 ** count, count)``."""
    bits = np.arange(2**count)[:, None] >> np.arange(count)
    return np.asarray((bits & 1) * 2 - 1, np.float64)
