"""Robustness: how success falls as the tools fail more often."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from opsgym.evaluate.metrics.intervals import CONFIDENCE, Estimate, known
from opsgym.evaluate.metrics.summary import summarise
from opsgym.evaluate.results import TrialResult


@dataclass(frozen=True, slots=True)
class RobustnessPoint:
    """One policy under one failure rate.

    Attributes:
        failure_rate: Share of tool calls that fail on purpose.
        success: pass@1.
        retained: Its ratio to pass@1 at the least rate; NaN where that is 0.
        faults: Mean injected faults a trial.
    """

    failure_rate: float
    success: Estimate
    retained: float
    faults: float

    def as_dict(self) -> dict[str, Any]:
        """The point as JSON."""
        return {**asdict(self), "success": self.success.as_dict(), "retained": known(self.retained), "faults": known(self.faults)}


def robustness(runs: Mapping[float, Iterable[TrialResult]], *, confidence: float = CONFIDENCE) -> list[RobustnessPoint]:
    """Success by failure rate, least rate first, as in ACE-Bench, figure 9.

    Args:
        runs: Trials of one policy by failure rate.
        confidence: Level of the intervals.
    """
    points: list[RobustnessPoint] = []
    for rate in sorted(runs):
        summary = summarise(runs[rate], ks=[1], confidence=confidence, resamples=1)
        first = points[0].success.value if points else summary.success.value
        retained = summary.success.value / first if first else float("nan")
        points.append(RobustnessPoint(rate, summary.success, retained, summary.faults))
    return points
