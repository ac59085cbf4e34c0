"""Topologies and layouts: which sub-assemblies a finished product has, and which work centers make what, as tables.

Roles: ``F`` is the finished product, other letters are sub-assemblies.
Source: ERP-Bench release, manufacturing graphs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

FINISHED = "F"


@dataclass(frozen=True, slots=True)
class Topology:
    """Shape of the bills of materials.

    Attributes:
        inputs: Sub-assemblies that go into each role, parents first.
        deal: Roles to which bought components are dealt, in turn.
        common: Roles that all take the first component.
    """

    inputs: Mapping[str, str]
    deal: str
    common: str = ""

    @property
    def below(self) -> dict[str, int]:
        """Levels of sub-assemblies under each role."""
        depths: dict[str, int] = {}
        for role in reversed(list(self.inputs)):
            depths[role] = max((1 + depths[child] for child in self.inputs[role]), default=0)
        return depths


TOPOLOGIES: dict[str, Topology] = {
    "single_bom": Topology({"F": ""}, "F"),
    "restricted_subassembly": Topology({"F": "R", "R": ""}, "RF"),
    "single_subassembly": Topology({"F": "S", "S": ""}, "SF"),
    "parallel": Topology({"F": "AB", "A": "", "B": ""}, "ABFAB"),
    "serial": Topology({"F": "A", "A": "B", "B": ""}, "BFB"),
    "shared_component": Topology({"F": "AB", "A": "", "B": ""}, "FAB", common="AB"),
}
"""Shapes by value of the parameter ``topology``."""


class Route(NamedTuple):
    """A way to make the product of a role.

    Attributes:
        role: What is made.
        center: Index of the work center.
        cost: Cost relative to the role's usual cost.
        share: Part of the role's units for which this route reserves minutes on its center.
    """

    role: str
    center: int
    cost: float
    share: float


LAYOUTS: dict[tuple[str, str], tuple[Route, ...]] = {
    ("restricted_subassembly", "qualified"): (
        Route("R", 0, 1.0, 1.0),
        Route("F", 0, 0.9, 0.3),
        Route("F", 1, 1.08, 0.8),
    ),
    ("single_subassembly", "lowest_cost"): (
        Route("S", 0, 0.95, 0.7),
        Route("S", 1, 1.1, 0.4),
        Route("F", 1, 1.0, 1.0),
    ),
    ("single_subassembly", "qualified"): (
        Route("S", 0, 1.0, 1.0),
        Route("F", 1, 0.95, 0.6),
        Route("F", 2, 1.1, 0.5),
    ),
    ("single_subassembly", "shared_overflow"): (
        Route("S", 0, 0.9, 0.7),
        Route("F", 1, 0.95, 0.7),
        Route("S", 2, 1.15, 0.25),
        Route("F", 2, 1.1, 0.25),
    ),
    ("parallel", "branch_assigned"): (
        Route("F", 0, 1.0, 1.0),
        Route("A", 1, 1.0, 1.0),
        Route("B", 2, 1.0, 1.0),
    ),
    ("serial", "branch_assigned"): (
        Route("F", 2, 1.0, 1.0),
        Route("A", 1, 1.0, 1.0),
        Route("B", 0, 1.0, 1.0),
    ),
    ("shared_component", "branch_assigned"): (
        Route("F", 0, 1.0, 1.0),
        Route("A", 1, 1.0, 1.0),
        Route("B", 2, 1.0, 1.0),
    ),
}
"""Routes by topology and capacity path; those of a single bill of materials depend on the number of work centers."""

PATHS: dict[str, tuple[str, ...]] = {
    "none": (),
    "single_bom": ("lowest_cost", "split_by_capacity"),
    **{name: tuple(path for topology, path in LAYOUTS if topology == name) for name, _ in LAYOUTS},
}
"""Capacity paths that each topology supports."""

SUB_ASSEMBLIES = (
    "Core Module",
    "Frame Assembly",
    "Housing Assembly",
    "Carrier Module",
    "Base Assembly",
    "Mounting Module",
    "Body Assembly",
    "Inner Module",
    "Support Assembly",
    "Front Module",
)
"""What sub-assemblies are called, before the name of the finished product."""
