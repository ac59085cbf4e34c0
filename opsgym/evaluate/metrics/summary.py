"""Summary: the headline metrics of some trials."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from opsgym.evaluate.metrics.intervals import CONFIDENCE, NOTHING, RESAMPLES, SEED, Estimate, bootstrap_ratio, known, wilson
from opsgym.evaluate.metrics.pass_at_k import pass_at_k, pass_hat_k
from opsgym.evaluate.metrics.table import Column, TrialTable
from opsgym.evaluate.results import TrialResult


@dataclass(frozen=True, kw_only=True, slots=True)
class Summary:
    """Headline metrics of some trials, as in ERP-Bench, table 12 and appendix G.

    Shares have Wilson intervals over tasks, scores have bootstrap intervals clustered by task.  pass@k and pass^k are means over
    the tasks that have k scored trials; everything else is a mean over scored trials.  Where tasks have unequally many of these,
    Wilson's interval rests on fewer tasks than there are, by Kish 1965, section 11.7: (sum of trials)^2 / sum of trials^2.

    Attributes:
        tasks: Tasks with a scored trial.
        trials: Scored trials.
        masked: Trials left out because an external system failed.
        pass_at: pass@k by k; pass@1 is the rate of success.
        pass_hat: pass^k by k.
        score: Mean score.
        clean: Share of trials that break no constraint.
        perfect: Share of trials with the verifier's full reward.
        optimality: Mean optimality score of the clean trials that have one.
        refused: Share of trials that the agent refused, where the family knows refusal.
        terminated: Share of trials that the agent ended itself.
        calls: Mean tool calls.
        oracle_calls: Mean tool calls of the reference solution.
        turns: Mean steps.
        errors: Mean refused calls.
        faults: Mean injected faults.
        prompt_tokens: Mean tokens read by the model.
        completion_tokens: Mean tokens written by it.
        cost: Mean dollars.
        total_cost: Dollars of all scored trials.
    """

    tasks: int
    trials: int
    masked: int
    pass_at: Mapping[int, Estimate]
    pass_hat: Mapping[int, Estimate]
    score: Estimate
    clean: Estimate
    perfect: Estimate
    optimality: Estimate
    refused: Estimate
    terminated: float
    calls: float
    oracle_calls: float
    turns: float
    errors: float
    faults: float
    prompt_tokens: float
    completion_tokens: float
    cost: float
    total_cost: float

    @property
    def success(self) -> Estimate:
        """pass@1."""
        return self.pass_at[1]

    @property
    def most(self) -> int:
        """The greatest k."""
        return max(self.pass_at)

    def as_dict(self) -> dict[str, Any]:
        """The summary as JSON; ``None`` where there is nothing to measure."""
        return {each.name: _plain(getattr(self, each.name)) for each in fields(self)}


def summarise(
    results: Iterable[TrialResult] | TrialTable,
    *,
    ks: Sequence[int] | None = None,
    confidence: float = CONFIDENCE,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Summary:
    """The headline metrics.

    Args:
        results: The trials.
        ks: Which k, beside 1; by default the most scored trials that a task has.
        confidence: Level of the intervals.
        resamples: Resamples of the bootstrap.
        seed: Seed of the bootstrap.

    Raises:
        TaskError: A k or the number of resamples is not positive, or the level is not in (0, 1).

    Example:
        >>> trials = [TrialResult(task_id="a", trial=i, family="F", tier="easy", pattern="p", is_success=i < 2) for i in range(4)]
        >>> summary = summarise(trials, ks=[2])
        >>> summary.success.value, round(summary.pass_at[2].value, 3), round(summary.pass_hat[2].value, 3)
        (0.5, 0.833, 0.167)
    """
    table = results if isinstance(results, TrialTable) else TrialTable.of(results)
    counts, successes = table.counts(), table.sums(table.success)
    most = max(1, int(counts.max(initial=0)))
    wanted = sorted({1, *([most] if ks is None else ks)})
    clean = table.where((table.clean == 1) & ~np.isnan(table.optimality))

    def mean(some: TrialTable, values: Column) -> Estimate:
        rng = np.random.default_rng(seed)
        return bootstrap_ratio(some.sums(values), some.counts(), confidence=confidence, resamples=resamples, rng=rng)

    def share(values: Column) -> Estimate:
        return _share(table, values, confidence)

    return Summary(
        tasks=int((counts > 0).sum()),
        trials=table.trials,
        masked=table.masked,
        pass_at={k: _over_tasks(pass_at_k(counts, successes, k), confidence) for k in wanted},
        pass_hat={k: _over_tasks(pass_hat_k(counts, successes, k), confidence) for k in wanted},
        score=mean(table, table.score),
        clean=share(table.clean),
        perfect=share(table.perfect),
        optimality=mean(clean, clean.optimality),
        refused=share(table.refused),
        total_cost=float(table.cost.sum()),
        **{name: _mean(getattr(table, name)) for name in _MEANS},
    )


_MEANS = ("terminated", "calls", "oracle_calls", "turns", "errors", "faults", "prompt_tokens", "completion_tokens", "cost")


def _over_tasks(values: Column, confidence: float) -> Estimate:
    """Mean over tasks of values in [0, 1], without those that are NaN."""
    there = values[~np.isnan(values)]
    return wilson(float(there.sum()), len(there), confidence=confidence)


def _share(table: TrialTable, values: Column, confidence: float) -> Estimate:
    """Mean over the trials that have a value, with the interval of the effective number of tasks."""
    there = ~np.isnan(values)
    counts = table.where(there).counts()
    if not counts.any():
        return NOTHING
    effective = float(counts.sum() ** 2 / (counts**2).sum())
    estimate = wilson(_mean(values[there]) * effective, effective, confidence=confidence)
    return replace(estimate, n=int((counts > 0).sum()))


def _mean(values: Column) -> float:
    return float(values.mean()) if len(values) else float("nan")


def _plain(value: Any) -> Any:
    if isinstance(value, Estimate):
        return value.as_dict()
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    return known(value) if isinstance(value, float) else value
