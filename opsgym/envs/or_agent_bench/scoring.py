"""Scoring: from an objective to quality, pass and reward.

Source: ORAgentBench, section 3.4 and appendix B.1.  With d the signed improvement over the reference r, and w the width between
the reference and a valid bound:

- width meaningful (w larger than the accepted gap):  q = 1/2 + 1/2 * d / w, the reference is the midpoint and the bound 1;
- otherwise (reference as good as optimal, or no bound):  q = 1 + 1/2 * d / (gap * abs(r)), the reference is 1 and the accepted
  gap the midpoint;

both clipped to [0, 1].  A plan passes when it is feasible and q is at least one half.  The text of the paper that is public lost
the formula of the scalar Harbor reward; here it is the mean of feasibility and quality.
"""

from __future__ import annotations

from dataclasses import dataclass

from opsgym.envs.or_agent_bench.contract import Sense

PASS = 0.5
"""Least quality that passes."""
CLOSE = 1e-6
"""Relative difference of objectives that counts as none."""


@dataclass(frozen=True, slots=True)
class Scale:
    """By what an objective is measured.

    Attributes:
        sense: Whether small or large objectives are good.
        reference: Objective of the reference plan.
        bound: Valid bound: no feasible plan is better; ``None`` when there is none.
        gap: Accepted relative gap.

    Example:
        >>> scale = Scale("min", reference=100.0, bound=90.0, gap=0.02)
        >>> scale.quality(100.0), scale.quality(90.0), scale.quality(110.0)
        (0.5, 1.0, 0.0)
        >>> Scale("min", reference=100.0, bound=100.0, gap=0.02).quality(102.0)
        0.5
    """

    sense: Sense
    reference: float
    bound: float | None
    gap: float

    def improvement(self, objective: float, over: float) -> float:
        """How much better an objective is than another."""
        return over - objective if self.sense == "min" else objective - over

    @property
    def unit(self) -> float:
        """The accepted gap in units of the objective."""
        return self.gap * max(abs(self.reference), 1.0)

    def quality(self, objective: float) -> float:
        """Quality of a feasible plan, in [0, 1]."""
        better = self.improvement(objective, self.reference)
        width = 0.0 if self.bound is None else self.improvement(self.bound, self.reference)
        quality = 0.5 + 0.5 * better / width if width > self.unit else 1.0 + 0.5 * better / self.unit
        return round(min(1.0, max(0.0, quality)), 9)

    def beats_bound(self, objective: float) -> bool:
        """Whether a feasible objective is better than the bound, which is a bug of ours: the canary."""
        if self.bound is None:
            return False
        return self.improvement(objective, self.bound) > CLOSE * max(1.0, abs(self.bound))


def harbor(feasibility: float, quality: float) -> float:
    """The scalar reward stored for a trial."""
    return (feasibility + quality) / 2
