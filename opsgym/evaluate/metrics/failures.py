"""Failures: of the trials that did not solve their task, how many broke what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from typing import Any

from opsgym.evaluate.results import TrialResult


@dataclass(frozen=True, slots=True)
class FailureShare:
    """How many failed trials belong to a failure family or broke a rule; one trial may stand in several.

    Attributes:
        name: The family or rule.
        trials: Failed trials that belong to it.
        tasks: Tasks of these trials.
        share: Of all failed trials.
    """

    name: str
    trials: int
    tasks: int
    share: float

    def as_dict(self) -> dict[str, Any]:
        """The share as JSON."""
        return asdict(self)


def failure_families(results: Iterable[TrialResult]) -> list[FailureShare]:
    """Failure families of the failed scored trials, most frequent first, as in ERP-Bench, table 13."""
    return _shares(results, lambda result: result.failure_families)


def failed_rules(results: Iterable[TrialResult]) -> list[FailureShare]:
    """Rules with a failed check in the failed scored trials, most frequent first."""
    return _shares(results, lambda result: result.failed_rules)


def _shares(results: Iterable[TrialResult], names: Callable[[TrialResult], Iterable[str]]) -> list[FailureShare]:
    failed = [result for result in results if result.status == "scored" and not result.is_success]
    trials = Counter(name for result in failed for name in names(result))
    tasks = Counter(name for name, _ in {(name, result.task_id) for result in failed for name in names(result)})
    order = sorted(trials, key=lambda name: (-trials[name], name))
    return [FailureShare(name, trials[name], tasks[name], trials[name] / len(failed)) for name in order]
