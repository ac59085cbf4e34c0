"""Difficulty parameters of ERPBench, its patterns and its tiers: what varies between tasks, as data.

A pattern fixes the structure (what may be bought and made, objective, invoicing); a tier bounds everything else.
Both are regions of the space of :class:`ERPParams`: a table of values and inclusive ranges.
Source: Anchor / ERP-Bench, tables 5-7 (29 patterns, three tiers); the ranges here are our own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from opsgym.core.errors import RegistryError, TaskError
from opsgym.core.params import Params, knob

Topology = Literal["none", "single_bom"]
InvoicingMode = Literal["none", "immediate", "net_30", "net_30_fixed_downpayment", "net_30_percentage_downpayment"]
Objective = Literal["constraint_only", "min_new_spend"]
DomainName = Literal[
    "any",
    "sound_panels",
    "server_racks",
    "conveyor_modules",
    "workstations",
    "lab_benches",
    "cable_assemblies",
    "hvac_units",
    "led_fixtures",
    "packaging_machines",
    "safety_enclosures",
    "solar_panels",
    "robotic_arms",
    "water_filters",
    "elevator_parts",
    "battery_packs",
    "air_compressors",
    "fire_systems",
    "clean_rooms",
    "dock_levelers",
    "transformer_units",
]


class ERPParams(Params):
    """Difficulty parameters of an ERPBench task.  Any combination of values in range is valid.

    The last eight act only where ``topology`` lets the finished product be made.
    """

    topology: Topology = knob(
        "none",
        unit="choice",
        harder="none",
        description="Bill of materials of the finished product; 'none': it can only be bought.",
    )
    objective: Objective = knob("min_new_spend", unit="choice", harder="none", description="What the best plan minimises.")
    invoicing: InvoicingMode = knob("none", unit="choice", harder="none", description="Invoice policy for the sales orders.")
    domain: DomainName = knob("any", unit="choice", harder="none", description="Product domain; 'any': drawn from the seed.")
    customers: int = knob(4, low=2, high=40, unit="customers", harder="up", description="Number of customers, one order each.")
    first_deadline: int = knob(6, low=4, high=30, unit="days", harder="down", description="Day of the earliest delivery.")
    deadline_span: int = knob(
        4, low=0, high=30, unit="days", harder="up", description="Days from the earliest to the latest delivery."
    )
    least_demand: int = knob(2, low=1, high=50, unit="units", harder="none", description="Smallest order.")
    demand_span: int = knob(9, low=0, high=50, unit="units", harder="none", description="Largest order less smallest order.")
    stock_ratio: float = knob(
        0.5, low=0.0, high=0.9, unit="share of demand", harder="down", description="Finished units on hand."
    )
    margin_bps: int = knob(
        2700,
        low=0,
        high=6000,
        unit="basis points",
        harder="none",
        description="Least margin on the revenue of newly supplied units.",
    )
    price_pressure: float = knob(
        0.5,
        low=0.0,
        high=1.0,
        unit="share",
        harder="up",
        description="How near the usual cost of a unit comes to what the margin allows.",
    )
    finished_vendors: int = knob(
        4, low=2, high=10, unit="vendors", harder="up", description="Vendors that offer the finished product."
    )
    vendor_capacity: float = knob(
        0.5,
        low=0.2,
        high=1.5,
        unit="share of net need",
        harder="down",
        description="What an average finished vendor can deliver.",
    )
    lead_pressure: float = knob(
        0.5, low=0.0, high=1.0, unit="share", harder="up", description="How far into the horizon the cheap offers arrive."
    )
    moq_pressure: float = knob(
        0.5,
        low=0.0,
        high=1.0,
        unit="share",
        harder="up",
        description="Minimum order quantities as a share of maximum quantities.",
    )
    decoys: int = knob(12, low=0, high=60, unit="situations", harder="up", description="Misleading records around the task.")
    components: int = knob(5, low=2, high=10, unit="components", harder="up", description="Components of the finished product.")
    component_offers: int = knob(3, low=2, high=6, unit="offers", harder="up", description="Vendors of each component.")
    component_stock: float = knob(
        0.15, low=0.0, high=0.8, unit="share of need", harder="down", description="Component units on hand, on average."
    )
    component_capacity: float = knob(
        0.6, low=0.3, high=1.5, unit="share of need", harder="down", description="What an average component vendor can deliver."
    )
    work_centers: int = knob(
        1, low=1, high=6, unit="work centers", harder="up", description="Work centers that can make the product."
    )
    center_capacity: float = knob(
        0.8,
        low=0.2,
        high=3.0,
        unit="share of net need",
        harder="down",
        description="Units that all work centers together can make.",
    )
    production_lead: int = knob(2, low=1, high=8, unit="days", harder="up", description="Days from start to end of production.")
    closeness: float = knob(
        0.06,
        low=0.0,
        high=0.6,
        unit="share",
        harder="down",
        description="Largest gap between the usual costs of making and buying.",
    )


@dataclass(frozen=True, slots=True)
class Pattern:
    """A structural pattern of the release.

    Attributes:
        tier: Tier it belongs to.
        weight: Its share in the release (number of tasks).
        region: Values and inclusive ranges of parameters that define it.
    """

    tier: str
    weight: int
    region: Mapping[str, Any]


_BUY = {"topology": "none"}
_BOM = {"topology": "single_bom", "objective": "min_new_spend", "invoicing": "none"}

PATTERNS: dict[str, Pattern] = {
    "01_buy_only_baseline": Pattern("easy", 8, {**_BUY, "objective": "constraint_only", "invoicing": "none"}),
    "02_buy_only_immediate_invoicing": Pattern("easy", 8, {**_BUY, "objective": "constraint_only", "invoicing": "immediate"}),
    "03_buy_only_fixed_downpayment": Pattern(
        "easy", 8, {**_BUY, "objective": "constraint_only", "invoicing": "net_30_fixed_downpayment"}
    ),
    "04_buy_only_percentage_downpayment": Pattern(
        "easy", 8, {**_BUY, "objective": "min_new_spend", "invoicing": "net_30_percentage_downpayment"}
    ),
    "26_buy_only_net_30_no_adjacent_data": Pattern(
        "easy", 10, {**_BUY, "objective": "min_new_spend", "invoicing": "net_30", "decoys": 0}
    ),
    "08_single_bom_single_workcenter": Pattern("medium", 11, {**_BOM, "work_centers": 1}),
    "09_single_bom_lowest_cost": Pattern("medium", 11, {**_BOM, "work_centers": (2, 6)}),
}
"""Patterns that can be generated, with the names of the release."""

TIERS: dict[str, Mapping[str, Any]] = {
    "easy": {
        "domain": "any",
        "customers": (3, 5),
        "first_deadline": (5, 6),
        "deadline_span": (2, 4),
        "least_demand": (1, 3),
        "demand_span": (6, 10),
        "stock_ratio": (0.35, 0.7),
        "margin_bps": (2400, 3000),
        "price_pressure": (0.4, 0.9),
        "finished_vendors": (3, 5),
        "vendor_capacity": (0.5, 1.0),
        "lead_pressure": (0.2, 0.7),
        "moq_pressure": (0.3, 0.8),
        "decoys": (6, 12),
    },
    "medium": {
        "domain": "any",
        "customers": (8, 10),
        "first_deadline": (7, 9),
        "deadline_span": (5, 7),
        "least_demand": (8, 14),
        "demand_span": (8, 12),
        "stock_ratio": (0.2, 0.4),
        "margin_bps": (2400, 3000),
        "price_pressure": (0.3, 0.8),
        "finished_vendors": (4, 6),
        "vendor_capacity": (0.2, 0.4),
        "lead_pressure": (0.4, 0.9),
        "moq_pressure": (0.3, 0.7),
        "decoys": (12, 24),
        "components": (4, 6),
        "component_offers": (3, 4),
        "component_stock": (0.05, 0.25),
        "component_capacity": (0.4, 0.7),
        "work_centers": (3, 3),
        "center_capacity": (0.6, 1.0),
        "production_lead": (2, 3),
        "closeness": (0.01, 0.06),
    },
}
"""Regions of difficulty, easiest first."""

LATER_TIERS = ("hard",)
"""Tiers that exist in the paper and come with the full roster."""


def draw_params(
    seed: int, tier: str | None = None, pattern: str | None = None, overrides: Mapping[str, Any] | None = None
) -> ERPParams:
    """Difficulty parameters for ``seed``, from the region that ``tier`` and ``pattern`` name.

    Args:
        seed: Any non-negative integer.
        tier: Name of a tier, or ``None`` for the pattern's own (every tier when there is no pattern either).
        pattern: Name of a pattern, or ``None`` for one drawn from the tier's with the release's weights.
        overrides: Values that replace drawn ones.

    Raises:
        RegistryError: Unknown tier, pattern or parameter, a tier of a later version, or a pattern of another tier.
        TaskError: A negative seed, or overrides that do not fit the model.
    """
    if seed < 0:
        raise TaskError(f"expected a non-negative integer, got {seed}", field="seed")
    rng = np.random.default_rng([seed, 1])
    name = pattern or _draw_pattern(rng, tier)
    known = patterns_of(tier)
    if name not in known:
        note = f"(of tier {tier!r}; {name!r} is of tier {PATTERNS[name].tier!r})" if name in PATTERNS else ""
        raise RegistryError("pattern", name, known, note=note)
    region = {**TIERS[PATTERNS[name].tier], **PATTERNS[name].region}
    drawn = {key: _draw(rng, region[key]) for key in ERPParams.model_fields if key in region}
    return ERPParams.build(drawn).override(overrides or {})


def patterns_of(tier: str | None) -> tuple[str, ...]:
    """Names of the patterns of ``tier``, or all.

    Raises:
        RegistryError: Unknown tier, or one that comes with the full roster.
    """
    if tier in LATER_TIERS:
        raise RegistryError("tier", tier, TIERS, note=f"(tier {tier!r} comes with the full roster of 29 patterns)")
    if tier is not None and tier not in TIERS:
        raise RegistryError("tier", tier, (*TIERS, *LATER_TIERS))
    return tuple(name for name, item in PATTERNS.items() if tier in (None, item.tier))


def labels(params: ERPParams) -> tuple[str, str]:
    """Tier and pattern whose regions hold ``params``; ``"custom"`` where there is none."""
    values = params.model_dump()
    pattern = next((name for name, item in PATTERNS.items() if _within(values, item.region)), "custom")
    if pattern == "custom":
        return "custom", "custom"
    tier = PATTERNS[pattern].tier
    free = {key: bounds for key, bounds in TIERS[tier].items() if key not in PATTERNS[pattern].region and key != "domain"}
    return (tier if _within(values, free) else "custom"), pattern


def _draw_pattern(rng: np.random.Generator, tier: str | None) -> str:
    names = patterns_of(tier)
    weights = np.array([PATTERNS[name].weight for name in names], dtype=float)
    return names[int(rng.choice(len(names), p=weights / weights.sum()))]


def _draw(rng: np.random.Generator, bounds: Any) -> Any:
    if not isinstance(bounds, tuple):
        return bounds
    low, high = bounds
    if isinstance(low, int):
        return int(rng.integers(low, high + 1))
    return round(float(rng.uniform(low, high)), 3)


def _within(values: Mapping[str, Any], region: Mapping[str, Any]) -> bool:
    return all(
        bounds[0] <= values[key] <= bounds[1] if isinstance(bounds, tuple) else values[key] == bounds
        for key, bounds in region.items()
    )
