"""Entries: the lines of a report, one for each run and family, with what is measured of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from opsgym.evaluate.metrics import Paired, RobustnessPoint, Summary, TrialTable, compare, grouped, holm, robustness, summarise
from opsgym.evaluate.metrics.groups import Key
from opsgym.evaluate.report.runs import Run
from opsgym.evaluate.results import TrialResult


@dataclass(frozen=True, kw_only=True)
class Entry:
    """The trials of one family in one run.

    Attributes:
        label: Name of the run, with the family where the run has several.
        run: The run.
        family: The family; empty for a run without results.
        results: Its trials.
        summary: Their headline metrics.
        number: Position among the entries of its family, by which its colour and mark are chosen.
    """

    label: str
    run: Run
    family: str
    results: tuple[TrialResult, ...]
    summary: Summary
    number: int = 0

    def groups(self, key: Key) -> dict[str, Summary]:
        """Summaries by tier or pattern, easiest first, with the k of the whole."""
        ks = [self.summary.most]
        return {name: summarise(results, ks=ks, resamples=500) for name, results in grouped(self.results, key).items()}


@dataclass(frozen=True, kw_only=True)
class Pair:
    """Two entries of one family, compared task by task.

    Attributes:
        left: The first.
        right: The second.
        success: By success.
        score: By score.
        adjusted: p-value by success, adjusted by Holm for all pairs of the report.
    """

    left: Entry
    right: Entry
    success: Paired
    score: Paired
    adjusted: float


def make_entries(runs: Sequence[Run]) -> list[Entry]:
    """The entries of some runs, in their order; all with the same k, the least number of trials of a run with several."""
    entries: list[Entry] = []
    k = min((most for run in runs if (most := _most_trials(run)) > 1), default=1)
    for run in runs:
        families = grouped(run.results, "family") or {"": []}
        for family, results in families.items():
            entries.append(
                Entry(
                    label=run.name if len(families) == 1 else f"{run.name}, {family}",
                    run=run,
                    family=family,
                    results=tuple(results),
                    summary=summarise(results, ks=[k]),
                    number=sum(entry.family == family for entry in entries),
                )
            )
    return entries


def _most_trials(run: Run) -> int:
    """The most scored trials that a task has."""
    return int(TrialTable.of(run.results).counts().max(initial=0))


def make_pairs(entries: Sequence[Entry]) -> list[Pair]:
    """Every two entries of one family that have tasks in common."""
    tables = [TrialTable.of(entry.results) for entry in entries]
    found = []
    for i, j in combinations(range(len(entries)), 2):
        if entries[i].family == entries[j].family:
            success = compare(tables[i], tables[j])
            if success.tasks:
                found.append((entries[i], entries[j], success, compare(tables[i], tables[j], metric="score")))
    adjusted = holm([success.p_value for _, _, success, _ in found])
    return [
        Pair(left=left, right=right, success=success, score=score, adjusted=p)
        for (left, right, success, score), p in zip(found, adjusted, strict=True)
    ]


def make_curves(entries: Sequence[Entry]) -> dict[tuple[str, str], list[RobustnessPoint]]:
    """Robustness by (policy and model, family), where a policy was run at two failure rates or more.

    Runs of one policy, family and rate are put together.
    """
    curves: dict[tuple[str, str], dict[float, list[TrialResult]]] = {}
    for entry in entries:
        rate = entry.run.failure_rate
        if rate is not None and entry.results:
            name = " ".join(part for part in (entry.run.policy, entry.run.model) if part)
            curves.setdefault((name, entry.family), {}).setdefault(rate, []).extend(entry.results)
    return {place: robustness(rates) for place, rates in curves.items() if len(rates) > 1}
