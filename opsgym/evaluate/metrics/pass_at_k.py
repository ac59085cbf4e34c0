"""pass@k and pass^k of tasks that were tried n times, of which c succeeded."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from opsgym.core.errors import TaskError


def pass_at_k(trials: ArrayLike, successes: ArrayLike, k: int) -> NDArray[np.float64]:
    """Chance that at least one of ``k`` trials succeeds: 1 - C(n-c, k) / C(n, k), the unbiased estimate.

    Source: Chen et al. 2021, "Evaluating Large Language Models Trained on Code", section 2.1.

    Args:
        trials: Trials n of each task, of any shape.
        successes: Successful trials c, 0 <= c <= n, of a shape that broadcasts with ``trials``.
        k: Number of trials that are drawn without replacement.

    Returns:
        One estimate a task; NaN where n < k, since fewer trials give no unbiased estimate.

    Raises:
        TaskError: k is not positive, or a task has more successes than trials.

    Example:
        >>> pass_at_k([5, 5, 5, 3], [0, 1, 5, 3], k=4).tolist()
        [0.0, 0.8, 1.0, nan]
    """
    n, c = _checked(trials, successes, k)
    return np.where(n < k, np.nan, 1.0 - _ratio(n - c, n, k))


def pass_hat_k(trials: ArrayLike, successes: ArrayLike, k: int) -> NDArray[np.float64]:
    """Chance that all of ``k`` trials succeed: C(c, k) / C(n, k), the unbiased estimate; written pass^k.

    Source: Yao et al. 2024, "tau-bench", section 5; ERP-Bench, appendix G.5, has the case k = n.

    Args:
        trials: Trials n of each task, of any shape.
        successes: Successful trials c, 0 <= c <= n, of a shape that broadcasts with ``trials``.
        k: Number of trials that are drawn without replacement.

    Returns:
        One estimate a task; NaN where n < k.

    Raises:
        TaskError: k is not positive, or a task has more successes than trials.

    Example:
        >>> pass_hat_k([4, 4, 4], [0, 3, 4], k=2).tolist()
        [0.0, 0.5, 1.0]
    """
    n, c = _checked(trials, successes, k)
    return np.where(n < k, np.nan, _ratio(c, n, k))


def _checked(trials: ArrayLike, successes: ArrayLike, k: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    if k < 1:
        raise TaskError(f"expected at least 1, got {k}", field="k")
    n, c = np.broadcast_arrays(np.asarray(trials, float), np.asarray(successes, float))
    if np.any((c < 0) | (c > n)):
        raise TaskError("expected between 0 and as many successes as trials", field="successes")
    return n, c


def _ratio(part: NDArray[np.float64], whole: NDArray[np.float64], k: int) -> NDArray[np.float64]:
    """C(part, k) / C(whole, k) as a product of k factors in [0, 1]: no factorial, so nothing overflows."""
    ratio = np.ones(whole.shape)
    for i in range(k):
        ratio *= np.clip(part - i, 0, None) / np.clip(whole - i, 1, None)
    return ratio
