"""Intervals: Wilson's for shares, and the percentile bootstrap clustered by task for means.

Trials of one task are not independent, so the number of observations is the number of tasks.  For a share that is a mean
over tasks of values in [0, 1], such as pass@k, Wilson's interval with n = tasks is conservative: a value in [0, 1] of mean p
varies at most as much as a coin of that p.  It keeps a width at 0 and at 1, where a bootstrap has none.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from opsgym.core.errors import TaskError

CONFIDENCE = 0.95
"""Default level of every interval."""
RESAMPLES = 2_000
"""Default number of bootstrap resamples."""
SEED = 0
"""Default seed of resamples and permutations, so that a report made twice is equal."""
_CELLS = 2_000_000  # drawn at once; bounds the memory


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value and its interval.

    Attributes:
        value: The estimate; NaN where there is nothing to estimate from.
        low: Lower end; NaN where there is none, as for the bootstrap of a single task.
        high: Upper end.
        n: Observations (tasks) that it rests on.
    """

    value: float
    low: float
    high: float
    n: int

    def as_dict(self) -> dict[str, float | int | None]:
        """The estimate as JSON; ``None`` for NaN."""
        return {"value": known(self.value), "low": known(self.low), "high": known(self.high), "n": self.n}


NOTHING = Estimate(math.nan, math.nan, math.nan, 0)
"""The estimate from no observation."""


def known(value: float) -> float | None:
    """A number for JSON, which has no NaN."""
    return None if math.isnan(value) else float(value)


def wilson(successes: float, n: float, *, confidence: float = CONFIDENCE) -> Estimate:
    """Wilson's score interval of a share.

    Source: Wilson 1927; ERP-Bench, figure 3, draws these.

    Args:
        successes: Successes; may be a sum of values in [0, 1].
        n: Observations; an effective number of them need not be whole.
        confidence: Level in (0, 1).

    Raises:
        TaskError: The level is not in (0, 1), or there are more successes than observations.

    Example:
        >>> share = wilson(8, 10)
        >>> share.value, round(share.low, 3), round(share.high, 3)
        (0.8, 0.49, 0.943)
    """
    z = NormalDist().inv_cdf(0.5 + _level(confidence) / 2)
    if not -1e-9 <= successes <= n + 1e-9:
        raise TaskError(f"expected between 0 and {n} successes, got {successes}", field="successes")
    if n == 0:
        return NOTHING
    p = min(max(successes / n, 0.0), 1.0)
    scale = 1 + z * z / n
    centre = (p + z * z / (2 * n)) / scale
    reach = z / scale * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    # At 0 and 1 the ends are exact; rounding would leave 1e-17.
    return Estimate(p, 0.0 if p == 0 else max(centre - reach, 0.0), 1.0 if p == 1 else min(centre + reach, 1.0), int(n))


def bootstrap_ratio(
    sums: ArrayLike,
    counts: ArrayLike,
    *,
    confidence: float = CONFIDENCE,
    resamples: int = RESAMPLES,
    rng: np.random.Generator | None = None,
) -> Estimate:
    """Mean over trials, with the percentile bootstrap interval of resampled tasks (clusters).

    Source: Efron and Tibshirani 1993, chapter 13; Davison and Hinkley 1997, section 3.8 (whole clusters are drawn).

    Args:
        sums: Sum over the trials of each task, shape ``(tasks,)``.
        counts: Trials of each task, shape ``(tasks,)``; tasks of 0 trials are left out.
        confidence: Level in (0, 1).
        resamples: Number of resamples.
        rng: Random stream; one of seed 0 by default.

    Raises:
        TaskError: The level is not in (0, 1), or the number of resamples is not positive.
    """
    tail = (1 - _level(confidence)) / 2
    if resamples < 1:
        raise TaskError(f"expected at least 1, got {resamples}", field="resamples")
    total, number = np.asarray(sums, float), np.asarray(counts, float)
    total, number = total[number > 0], number[number > 0]
    if not len(total):
        return NOTHING
    value = float(total.sum() / number.sum())
    if len(total) == 1:  # every resample is this one task: a width of 0 would claim certainty
        return Estimate(value, math.nan, math.nan, 1)
    means = _resampled(total, number, resamples, rng or np.random.default_rng(SEED))
    low, high = np.quantile(means, [tail, 1 - tail])
    return Estimate(value, float(low), float(high), len(total))


def bootstrap_mean(
    values: ArrayLike,
    *,
    confidence: float = CONFIDENCE,
    resamples: int = RESAMPLES,
    rng: np.random.Generator | None = None,
) -> Estimate:
    """Mean of one value a task with its percentile bootstrap interval; arguments as in :func:`bootstrap_ratio`.

    Example:
        >>> mean = bootstrap_mean([0.2, 0.4, 0.9, 1.0], resamples=500)
        >>> mean.value, mean.low < 0.625 < mean.high, mean.n
        (0.625, True, 4)
    """
    column = np.asarray(values, float)
    return bootstrap_ratio(column, np.ones(len(column)), confidence=confidence, resamples=resamples, rng=rng)


def _resampled(
    sums: NDArray[np.float64], counts: NDArray[np.float64], resamples: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """The ratio of sums in each resample, shape ``(resamples,)``."""
    tasks, block = len(sums), max(1, _CELLS // len(sums))
    parts = []
    for start in range(0, resamples, block):
        drawn = rng.integers(0, tasks, size=(min(block, resamples - start), tasks))
        parts.append(sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1))
    return np.concatenate(parts)


def _level(confidence: float) -> float:
    if not 0 < confidence < 1:
        raise TaskError(f"expected a level between 0 and 1, got {confidence}", field="confidence")
    return confidence
