"""The problem classes by name, in the order of the documentation."""

from __future__ import annotations

from importlib import import_module

from opsgym.core.errors import RegistryError
from opsgym.envs.or_agent_bench.contract import Problem

NAMES: tuple[str, ...] = (
    "machine_setups",
    "lot_sizing",
    "cutting_stock",
    "vehicle_routing",
    "linehaul_design",
    "bus_blocks",
    "nurse_rostering",
    "operating_rooms",
    "blood_supply",
    "unit_commitment",
    "microgrid_battery",
    "outage_planning",
    "shelf_assortment",
    "warehouse_location",
    "markdown_plan",
    "vm_packing",
    "backbone_design",
    "frequency_assignment",
    "harvest_planning",
    "crop_rotation",
    "reservoir_release",
    "shelter_location",
    "ambulance_posts",
    "relief_distribution",
)
"""Names of the classes: their folders under ``problems``."""


def find_problem(name: str) -> Problem:
    """The class of that name.

    Raises:
        RegistryError: There is none.
    """
    if name not in NAMES:
        raise RegistryError("problem class", name, NAMES)
    problem: Problem = import_module(f"opsgym.envs.or_agent_bench.problems.{name}").PROBLEM
    return problem
