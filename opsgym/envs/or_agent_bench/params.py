"""Difficulty parameters of ORAgentBench: the six construction-time dimensions of the paper, each from 0 to 3."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, WithJsonSchema

from opsgym.core.errors import RegistryError
from opsgym.core.params import Params, knob
from opsgym.core.stream import Stream
from opsgym.envs.or_agent_bench.catalogue import NAMES

DIMENSIONS = ("strategy", "formulation", "coupling", "dynamics", "scale", "understanding")
"""Names of the six dimensions."""

ROLLING = 3
"""Level of ``dynamics`` from which classes that have a rolling form are played in it."""


def _known(name: str) -> str:
    if name not in NAMES:
        raise ValueError(f"expected one of {', '.join(NAMES)}")
    return name


ProblemName = Annotated[str, AfterValidator(_known), WithJsonSchema({"enum": list(NAMES), "type": "string"})]


def _level(description: str) -> Any:
    return knob(1, low=0, high=3, unit="level", harder="up", description=description)


class OrParams(Params):
    """Parameters of one task.

    Source: ORAgentBench, section 3.2 (principle P1 and figure 2); what a level does in a class is on the page of the class.
    """

    problem: ProblemName = knob(NAMES[0], unit="choice", harder="none", description="Problem class.")
    strategy: int = _level("Solving strategy: tighter accepted gap, shorter solve limit, tighter resources.")
    formulation: int = _level("Formulation structure: rules that need logic, steps or sequences in the model.")
    coupling: int = _level("Constraint coupling: resources that several decisions share.")
    dynamics: int = _level("Dynamic structure: longer horizons and carried state; at 3 the rolling form where there is one.")
    scale: int = _level("Data scale: more orders, people, places, periods.")
    understanding: int = _level("Problem understanding: superseded and cancelled records, mixed units, rules in memos.")

    @property
    def total(self) -> int:
        """Sum of the six levels, 0 to 18."""
        return sum(int(getattr(self, name)) for name in DIMENSIONS)

    @property
    def tolerance(self) -> float:
        """Accepted relative gap to the reference, where that is as good as proven optimal."""
        return (0.05, 0.03, 0.02, 0.01)[self.strategy]

    @property
    def solve_seconds(self) -> int:
        """Limit of the program's final run, in CPU seconds."""
        return (60, 45, 30, 20)[self.strategy]


TIERS: dict[str, tuple[int, int]] = {"easy": (0, 5), "medium": (6, 11), "hard": (12, 18)}
"""Range of the sum of the levels in each tier; the levels of a drawn task are 0-1, 1-2 and 2-3."""


def tier_of(params: OrParams) -> str:
    """The tier of a point: by the sum of its levels."""
    return next(name for name, (low, high) in TIERS.items() if low <= params.total <= high)


def draw_params(
    seed: int, *, tier: str | None = None, problem: str | None = None, overrides: Mapping[str, Any] | None = None
) -> OrParams:
    """Parameters for a seed.

    Args:
        seed: Seed of the draw.
        tier: Name of a tier; by default the seed picks one.
        problem: Name of a class; by default the seed picks one.
        overrides: Values that replace the drawn ones.

    Raises:
        RegistryError: Unknown tier, class or parameter.
        TaskError: A value is out of range.
    """
    if tier is not None and tier not in TIERS:
        raise RegistryError("tier", tier, TIERS)
    if problem is not None and problem not in NAMES:
        raise RegistryError("problem class", problem, NAMES)
    stream = Stream("or_agent_bench.params", tier, problem, seed)
    base = list(TIERS).index(tier or stream.pick(list(TIERS)))
    chosen = problem or stream.pick(NAMES)
    levels = [base + stream.below(2) for _ in DIMENSIONS]
    if base < 2 and min(levels) == base + 1:  # the highest corner belongs to the next tier
        levels[stream.below(len(levels))] = base
    return OrParams.build({"problem": chosen, **dict(zip(DIMENSIONS, levels, strict=True)), **(overrides or {})})
