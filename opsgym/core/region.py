"""Regions: the parts of a parameter space that difficulty tiers name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from opsgym.core.params import Params


@dataclass(frozen=True, slots=True)
class Region:
    """A part of a space of parameters: ranges of whole numbers, and choices.

    Attributes:
        ranges: Least and greatest value, both inclusive, by the parameter's name.
        choices: Possible values by the parameter's name.
    """

    ranges: Mapping[str, tuple[int, int]]
    choices: Mapping[str, Sequence[Any]] = field(default_factory=dict)

    def holds(self, params: Params) -> bool:
        """Whether a point lies in the region."""
        within = all(low <= getattr(params, name) <= high for name, (low, high) in self.ranges.items())
        return within and all(getattr(params, name) in known for name, known in self.choices.items())

    def draw(self, between: Callable[[int, int], int], pick: Callable[[Sequence[Any]], Any]) -> dict[str, Any]:
        """A point of the region: first its ranges, then its choices, in their order.

        Args:
            between: Draws a whole number between two, both inclusive.
            pick: Draws one of a sequence.
        """
        values = {name: between(*bounds) for name, bounds in self.ranges.items()}
        return {**values, **{name: pick(known) for name, known in self.choices.items()}}


def region_holding(regions: Mapping[str, Region], params: Params) -> str:
    """Name of the first region that holds a point, or ``custom``."""
    return next((name for name, region in regions.items() if region.holds(params)), "custom")
