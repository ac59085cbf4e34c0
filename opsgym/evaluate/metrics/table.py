"""TrialTable: the scored trials of a run as columns, so that every metric is a few array operations."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

from opsgym.evaluate.results import TrialResult

Column = NDArray[np.float64]

_PLAIN = (
    *("score", "clean", "perfect", "terminated", "calls", "oracle_calls", "turns"),
    *("prompt_tokens", "completion_tokens", "cost"),
)


@dataclass(frozen=True, eq=False)
class TrialTable:
    """Scored trials; masked ones are counted and left out.

    Attributes:
        task_ids: The tasks, in the order in which they first stand in the results.
        masked: Number of masked trials.
        task: Position in ``task_ids`` of each trial, shape ``(trials,)``, as the columns below.
        success: 1 where the task was solved.
        score: Reward.
        clean: 1 where every constraint holds.
        perfect: 1 where the verifier's own reward is 1.
        optimality: Optimality score, NaN where the family has none.
        refused: 1 where the agent refused, NaN where the family knows no refusal.
        terminated: 1 where the agent ended the episode itself.
        calls: Tool calls.
        oracle_calls: Tool calls of the reference solution.
        turns: Steps.
        errors: Refused calls.
        faults: Injected faults.
        prompt_tokens: Tokens read.
        completion_tokens: Tokens written.
        cost: Dollars.
    """

    task_ids: tuple[str, ...]
    masked: int
    task: NDArray[np.int64]
    success: Column
    score: Column
    clean: Column
    perfect: Column
    optimality: Column
    refused: Column
    terminated: Column
    calls: Column
    oracle_calls: Column
    turns: Column
    errors: Column
    faults: Column
    prompt_tokens: Column
    completion_tokens: Column
    cost: Column

    @classmethod
    def of(cls, results: Iterable[TrialResult]) -> TrialTable:
        """The table of some results."""
        every = list(results)
        scored = [result for result in every if result.status == "scored"]
        places: dict[str, int] = {}
        task = [places.setdefault(result.task_id, len(places)) for result in scored]
        columns = {
            "success": [result.is_success for result in scored],
            "refused": [np.nan if result.refused is None else result.refused for result in scored],
            "optimality": [np.nan if result.optimality is None else result.optimality for result in scored],
            "errors": [sum(result.errors.values()) for result in scored],
            "faults": [sum(result.faults.values()) for result in scored],
        }
        columns |= {name: [getattr(result, name) for result in scored] for name in _PLAIN}
        return cls(
            task_ids=tuple(places),
            masked=len(every) - len(scored),
            task=np.array(task, np.int64),
            **{name: np.array(values, float) for name, values in columns.items()},
        )

    @property
    def trials(self) -> int:
        """Number of scored trials."""
        return len(self.task)

    def where(self, mask: NDArray[np.bool_]) -> TrialTable:
        """The trials where ``mask`` is true; tasks keep their positions."""
        columns = [each.name for each in fields(self) if each.name not in ("task_ids", "masked")]
        return replace(self, **{name: getattr(self, name)[mask] for name in columns})

    def counts(self) -> Column:
        """Trials of each task, shape ``(tasks,)``."""
        return self.sums(np.ones(self.trials))

    def sums(self, values: Column) -> Column:
        """Sum of a column over the trials of each task, shape ``(tasks,)``."""
        return np.asarray(np.bincount(self.task, weights=values, minlength=len(self.task_ids)), np.float64)

    def means(self, values: Column) -> Column:
        """Mean of a column over the trials of each task, shape ``(tasks,)``; NaN for a task without trials."""
        counts = self.counts()
        means: Column = np.divide(self.sums(values), counts, out=np.full(len(counts), np.nan), where=counts > 0)
        return means
