"""Optimality and reward: how close a feasible state comes to the certificate, and what a verdict is worth.

Source: ERP-Bench release, verifier; here one-sided for every objective, because a certificate bounds from below.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from opsgym.core.task import Certificate
from opsgym.envs.erp_bench.rules.context import Context
from opsgym.envs.erp_bench.spec import SCALE, ObjectiveKind

SPEND_TOLERANCE = 0.25
"""Dollars of spend that never matter."""
TOLERANCE: dict[ObjectiveKind, float] = {
    "constraint_only": 0.0,
    "min_new_spend": SPEND_TOLERANCE,
    "vendor_consolidation": 0.0,
    "capacity_preservation": 0.01,
    "repair_plan": 0.0,
}
"""Difference to the certified value that counts as none, in natural units."""
DECAY: dict[ObjectiveKind, float] = {
    "constraint_only": 0.0,
    "min_new_spend": 5.0,
    "vendor_consolidation": 2.0,
    "capacity_preservation": 5.0,
    "repair_plan": 2.0,
}
"""Rate at which the score falls with the relative gap to the certified value."""
SECONDARY_BAND = 0.10
"""Share of the optimality score that goes to the tie-break, once the primary objective is met."""
CONSTRAINT_WEIGHT, OPTIMALITY_WEIGHT, TRACEABILITY_WEIGHT = 25, 60, 15
SUCCESS = 99.0
"""Score, of 100, from which a task counts as solved."""
TINY = 1e-9


@dataclass(frozen=True, slots=True)
class Optimality:
    """How a state compares with the certificate.

    Attributes:
        score: In [0, 1].
        beats: Whether it is better than what was proven to be best.
    """

    score: float
    beats: bool


def measured(context: Context, objective: ObjectiveKind) -> float | None:
    """The value that ``objective`` minimises, in natural units; ``None`` where bad records leave it undefined."""
    values = {
        "constraint_only": 0.0,
        "min_new_spend": context.spend,
        "vendor_consolidation": float(context.vendors),
        "capacity_preservation": context.minutes,
        "repair_plan": context.repair_distance,
    }
    value = values[objective]
    return None if value is None else value / SCALE[objective]


def optimality(context: Context, certificate: Certificate) -> Optimality:
    """Compare a state with the certificate.

    Args:
        context: The state.
        certificate: Certified value of the primary objective, and of the tie-break where there is one.
    """
    objective = context.tables.problem.objective
    return compare(objective, measured(context, objective), context.spend / SCALE["min_new_spend"], certificate)


def compare(objective: ObjectiveKind, actual: float | None, spend: float, certificate: Certificate) -> Optimality:
    """Compare measured values with the certificate.

    Args:
        objective: What is minimised.
        actual: Its value in natural units, ``None`` where bad records leave it undefined.
        spend: New spend in dollars.
        certificate: Certified value of the primary objective, and of the tie-break where there is one.
    """
    if objective == "constraint_only":
        return Optimality(1.0, beats=False)
    if actual is None:
        return Optimality(0.0, beats=False)
    gap = actual - certificate.value
    primary = _closeness(gap, certificate.value, objective)
    better = gap < -TOLERANCE[objective] - TINY
    if certificate.secondary is None:
        return Optimality(primary, beats=better)
    spend_gap = spend - certificate.secondary
    tie = _closeness(spend_gap, certificate.secondary, "min_new_spend")
    score = (1 - SECONDARY_BAND) * primary + (SECONDARY_BAND * tie if primary == 1.0 else 0.0)
    ties = gap <= TOLERANCE[objective] + TINY
    return Optimality(score, beats=better or (ties and spend_gap < -SPEND_TOLERANCE - TINY))


def _closeness(gap: float, certified: float, objective: ObjectiveKind) -> float:
    """1 within the tolerance or below, else falling exponentially with the relative gap; spend over a certified 0 is 0."""
    if gap <= TOLERANCE[objective] + TINY:
        return 1.0
    scale = certified if objective == "min_new_spend" else max(certified, 1.0)
    return math.exp(-DECAY[objective] * gap / scale) if scale > 0 else 0.0


def reward(constraint: float, optimal: float, traceability: float) -> float:
    """The reward of a state that passed all gates: a quarter of the constraint score until every constraint holds.

    Args:
        constraint: Constraint score in [0, 1].
        optimal: Optimality score in [0, 1].
        traceability: Traceability score in [0, 1].
    """
    if constraint < 1:
        return CONSTRAINT_WEIGHT * constraint / 100
    return (CONSTRAINT_WEIGHT + OPTIMALITY_WEIGHT * optimal + TRACEABILITY_WEIGHT * traceability) / 100
