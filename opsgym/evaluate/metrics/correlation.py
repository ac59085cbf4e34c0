"""Rank correlation of difficulty parameters with success and with the turns that success takes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from opsgym.core.errors import OpsGymError, TaskError
from opsgym.evaluate.metrics.intervals import CONFIDENCE, known
from opsgym.evaluate.results import TrialResult

Outcome = Literal["success", "turns"]


@dataclass(frozen=True, slots=True)
class Correlation:
    """Spearman's rank correlation.

    Attributes:
        rho: The coefficient in [-1, 1]; NaN where a column is constant or holds NaN, or there are fewer than 3 observations.
        low: Lower end of its interval; NaN below 4 observations.
        high: Upper end.
        p_value: Two-sided p-value of no association.
        n: Observations.
    """

    rho: float
    low: float
    high: float
    p_value: float
    n: int

    def as_dict(self) -> dict[str, Any]:
        """The correlation as JSON."""
        names = ("rho", "low", "high", "p_value")
        return {**{name: known(getattr(self, name)) for name in names}, "n": self.n}


def spearman(x: ArrayLike, y: ArrayLike, *, confidence: float = CONFIDENCE) -> Correlation:
    """Spearman's rank correlation of two columns; ties share their mean rank.

    The p-value is that of Student's t with n - 2 degrees of freedom, but never below 2 / n!, the least that any order of n
    observations can have (t would give 0 to three observations in a row); the interval is Fisher's with the standard error of
    Bonett and Wright 2000, sqrt((1 + rho^2 / 2) / (n - 3)).

    Args:
        x: Column, shape ``(n,)``.
        y: Column, shape ``(n,)``.
        confidence: Level of the interval.

    Raises:
        OpsGymError: scipy is missing.
        TaskError: The columns are not of one length.

    Example:
        >>> result = spearman([1, 2, 3, 4, 5], [2, 1, 4, 3, 5])
        >>> round(result.rho, 3), round(result.p_value, 3), result.n
        (0.8, 0.104, 5)
    """
    left, right = np.asarray(x, float), np.asarray(y, float)
    if left.shape != right.shape or left.ndim != 1:
        raise TaskError(f"expected two columns of one length, got shapes {left.shape} and {right.shape}", field="y")
    n = len(left)
    if n < 3 or np.isnan(left).any() or np.isnan(right).any() or np.ptp(left) == 0 or np.ptp(right) == 0:
        return Correlation(math.nan, math.nan, math.nan, math.nan, n)
    a, b = (ranks - ranks.mean() for ranks in (_ranks(left), _ranks(right)))
    rho = float(np.clip(a @ b / math.sqrt((a @ a) * (b @ b)), -1.0, 1.0))
    return Correlation(rho, *_interval(rho, n, confidence), _p_value(rho, n), n)


def correlations(
    results: Iterable[TrialResult], outcome: Outcome = "success", *, confidence: float = CONFIDENCE
) -> dict[str, Correlation]:
    """Correlation of each numeric parameter with an outcome; one observation a task.

    Source: ERP-Bench, figure 4 (success) and figure 6 (turns to resolve, of resolved trials).

    Args:
        results: Trials, of one family.
        outcome: ``"success"``, the mean over a task's trials; or ``"turns"``, the mean over those that solved it.
        confidence: Level of the intervals.

    Returns:
        One entry for each parameter that is a number or a truth value in every task; rho is NaN where it never varies.

    Raises:
        OpsGymError: scipy is missing.
    """
    tasks: dict[str, list[TrialResult]] = {}
    for result in results:
        if result.status == "scored" and (outcome == "success" or result.is_success):
            tasks.setdefault(result.task_id, []).append(result)
    groups = list(tasks.values())
    value = "is_success" if outcome == "success" else "turns"
    y = np.array([np.mean([getattr(result, value) for result in group]) for group in groups], float)
    return {name: spearman(x, y, confidence=confidence) for name, x in _columns([group[0].params for group in groups]).items()}


def _columns(params: Sequence[dict[str, Any]]) -> dict[str, NDArray[np.float64]]:
    """The parameters that are numbers everywhere, one value a task."""
    names = list(params[0]) if params else []
    numeric = [name for name in names if all(isinstance(row.get(name), int | float) for row in params)]
    return {name: np.array([row[name] for row in params], float) for name in numeric}


def _ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Ranks from 1; equal values share the mean of theirs."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    ranks: NDArray[np.float64] = (last - (counts - 1) / 2)[inverse]
    return ranks


def _interval(rho: float, n: int, confidence: float) -> tuple[float, float]:
    if n < 4:
        return math.nan, math.nan
    if abs(rho) == 1:
        return rho, rho
    reach = NormalDist().inv_cdf(0.5 + confidence / 2) * math.sqrt((1 + rho * rho / 2) / (n - 3))
    centre = math.atanh(rho)
    return math.tanh(centre - reach), math.tanh(centre + reach)


def _p_value(rho: float, n: int) -> float:
    try:
        from scipy.stats import t
    except ImportError as error:
        raise OpsGymError('p-values of correlations need scipy: pip install "opsgym[report]"') from error
    least = 2 / math.factorial(n)
    if abs(rho) == 1:
        return least
    return max(least, float(2 * t.sf(abs(rho) * math.sqrt((n - 2) / (1 - rho * rho)), n - 2)))
