"""Verdicts: what a verifier says of an end state, and how it becomes a reward."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from opsgym.core.task import CheckSpec

Status = Literal["pass", "fail", "na"]


@dataclass(frozen=True, slots=True)
class CheckResult:
    """Outcome of one check.

    Attributes:
        spec: The check that was run.
        status: ``"pass"``, ``"fail"`` or ``"na"`` (does not apply: leaves both sides of the fraction).
        expected: What the check wanted, as JSON.
        actual: What it found, as JSON.
        message: One sentence; empty when passed.
    """

    spec: CheckSpec
    status: Status
    expected: Any = None
    actual: Any = None
    message: str = ""

    def as_dict(self) -> dict[str, Any]:
        """The result as JSON, for ``info["verdict"]["checks"]``."""
        return {
            "rule": self.spec.rule,
            "dimension": self.spec.dimension,
            "group": self.spec.group,
            "args": _fresh(self.spec.args),
            "status": self.status,
            "expected": _fresh(self.expected),
            "actual": _fresh(self.actual),
            "message": self.message,
        }


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a verifier says of an end state.

    Attributes:
        reward: In [0, 1], before the environment's ``reward_mode`` is applied.
        is_success: Whether the task counts as solved.
        scores: Fraction earned per dimension, each in [0, 1].
        checks: Every check, passed or not.
        gates: Names of the hard gates that failed; any one makes the reward 0.
        failure_families: Families of failure that the failed checks belong to, sorted.
        metrics: Measured quantities of the end state (spend, vendors, ...).
        canary: A feasible state that beats the certificate: a bug of ours, reported loudly.
    """

    reward: float
    is_success: bool
    scores: dict[str, float]
    checks: tuple[CheckResult, ...]
    gates: tuple[str, ...] = ()
    failure_families: tuple[str, ...] = ()
    metrics: dict[str, Any] = field(default_factory=dict)
    canary: bool = False

    def as_dict(self) -> dict[str, Any]:
        """The verdict as JSON, for ``info["verdict"]``; fresh objects at every call."""
        return {
            "reward": self.reward,
            "is_success": self.is_success,
            "scores": dict(self.scores),
            "checks": [check.as_dict() for check in self.checks],
            "gates": list(self.gates),
            "failure_families": list(self.failure_families),
            "metrics": _fresh(self.metrics),
            "canary": self.canary,
        }


def _fresh(value: Any) -> Any:
    """A copy of a JSON value that shares nothing with it that can change."""
    if isinstance(value, dict):
        return {key: _fresh(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_fresh(item) for item in value]
    return value


def grouped_score(results: Sequence[CheckResult]) -> float:
    """Fraction of the applicable checks that is earned, with the group semantics.

    A group of mode ``"all"`` is earned whole, with a weight equal to its number of applicable checks, when
    none of them fails, and not at all otherwise.  In mode ``"each"`` every check counts alone.
    Checks that do not apply leave both sides.  1.0 when nothing applies.
    """
    earned = total = 0
    groups: dict[str, list[bool]] = {}
    for result in results:
        if result.status == "na":
            continue
        total += 1
        passed = result.status == "pass"
        if result.spec.mode == "each":
            earned += passed
        else:
            groups.setdefault(result.spec.group, []).append(passed)
    earned += sum(len(members) for members in groups.values() if all(members))
    return earned / total if total else 1.0
