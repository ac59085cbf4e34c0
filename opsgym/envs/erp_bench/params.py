"""Difficulty parameters of ERPBench, its patterns and its tiers: what varies between tasks, as data.

A pattern fixes the structure (what may be bought and made, objective, screening, invoicing, disruption) and belongs to
a tier; its block bounds everything else.  Structures and blocks are regions of the space of :class:`ERPParams`:
tables of values and ranges (:mod:`opsgym.envs.erp_bench.regions`).
Source: Anchor / ERP-Bench, tables 5-7 (29 patterns, three tiers); the tier ``"expert"`` is our own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from opsgym.core.errors import RegistryError, TaskError
from opsgym.core.params import Params, knob
from opsgym.envs.erp_bench.regions import BLOCKS, STRUCTURE
from opsgym.envs.erp_bench.regions import PATTERNS as PATTERNS  # so that parameters, patterns and tiers come from one place
from opsgym.envs.erp_bench.regions import RELEASED_TIERS as RELEASED_TIERS
from opsgym.envs.erp_bench.regions import TIERS as TIERS
from opsgym.envs.erp_bench.topology import PATHS

Topology = Literal["none", "single_bom", "restricted_subassembly", "single_subassembly", "parallel", "serial", "shared_component"]
CapacityPath = Literal["lowest_cost", "split_by_capacity", "qualified", "shared_overflow", "branch_assigned"]
MakeOnly = Literal["none", "policy_forbidden", "no_buy_route", "no_available_vendors"]
ScreeningRules = Literal[
    "none", "budget", "quantity", "lead", "budget_quantity", "budget_lead", "quantity_lead", "budget_quantity_lead"
]
Disruption = Literal["none", "supplier_cancellation", "workcenter_outage"]
SamplingStyle = Literal["coverage", "release"]
InvoicingMode = Literal["none", "immediate", "net_30", "net_30_fixed_downpayment", "net_30_percentage_downpayment"]
Objective = Literal["constraint_only", "min_new_spend", "vendor_consolidation", "capacity_preservation", "repair_plan"]
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
    """Difficulty parameters of an ERPBench task.

    Any combination of values in range is valid, but for structures that contradict themselves, which the compiler refuses
    with a reason.  From ``components`` on, all but ``finished_products`` act only where ``topology`` lets the finished
    products be made.  In style ``"release"`` the paper's own ranges stand in for ``price_pressure``, ``lead_pressure``,
    ``moq_pressure``, ``component_stock``, ``component_capacity``, ``center_capacity``, ``production_lead`` and ``closeness``.
    """

    style: SamplingStyle = knob(
        "coverage", unit="choice", harder="none", description="How tasks are sampled and balanced: ours, or as in the release."
    )
    topology: Topology = knob(
        "none",
        unit="choice",
        harder="none",
        description="Bill of materials of the finished product; 'none': it can only be bought.",
    )
    capacity_path: CapacityPath = knob(
        "lowest_cost", unit="choice", harder="none", description="How products share work centers; goes with the topology."
    )
    make_only: MakeOnly = knob(
        "none", unit="choice", harder="none", description="Why the finished product must be made, if it must."
    )
    screening: ScreeningRules = knob(
        "none", unit="choice", harder="none", description="Rules by which requests are accepted or rejected."
    )
    rejected_share: float = knob(
        0.35, low=0.1, high=0.7, unit="share", harder="none", description="Requests that the screening rules reject."
    )
    seeded_share: float = knob(
        0.0, low=0.0, high=1.0, unit="share", harder="up", description="Requests that stand in the ERP already, as drafts."
    )
    disruption: Disruption = knob(
        "none", unit="choice", harder="none", description="What broke in a plan that was booked before; goes with 'repair_plan'."
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
        low=0.05,
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
    greedy_redraws: int = knob(
        0, low=0, high=20, unit="draws", harder="up", description="Draws to discard because a fixed heuristic solves them."
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
    finished_products: int = knob(
        1,
        low=1,
        high=4,
        unit="products",
        harder="up",
        is_late=True,
        description="Finished products that share customers' demand, work centers and components.",
    )
    capacity_buckets: int = knob(
        1,
        low=1,
        high=5,
        unit="periods",
        harder="up",
        is_late=True,
        description="Periods into which the minutes of work centers are divided; a start draws on its own.",
    )


def draw_params(
    seed: int, tier: str | None = None, pattern: str | None = None, overrides: Mapping[str, Any] | None = None
) -> ERPParams:
    """Difficulty parameters for ``seed``, from the region that ``tier`` and ``pattern`` name.

    Args:
        seed: Any non-negative integer.
        tier: Name of a tier, or ``None`` for the pattern's own (every tier of the release when there is no pattern either).
        pattern: Name of a pattern, or ``None`` for one drawn from the tier's with the release's weights.
        overrides: Values that replace drawn ones; ``style`` also picks the ranges to draw from.

    Raises:
        RegistryError: Unknown tier, pattern or parameter, or a pattern of another tier.
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
    values = dict(overrides or {})
    style = ERPParams.build({"style": values["style"]}).style if "style" in values else "coverage"
    region = region_of(name, style)
    drawn = {key: _draw(rng, region[key]) for key in ERPParams.model_fields if key in region}
    return ERPParams.build(drawn).override(values)


def region_of(pattern: str, style: str) -> Mapping[str, Any]:
    """Values and ranges of all parameters of a known pattern in a known style.

    Raises:
        RegistryError: The pattern is not one of the release, and so has no ranges in its style.
    """
    item = PATTERNS[pattern]
    if item.block not in BLOCKS[style]:
        known = [name for name, other in PATTERNS.items() if other.block in BLOCKS[style]]
        raise RegistryError("pattern", pattern, known, note=f"(in style {style!r})")
    return {"style": style, "domain": "any", **BLOCKS[style][item.block], **STRUCTURE, **item.structure}


def patterns_of(tier: str | None) -> tuple[str, ...]:
    """Names of the patterns of ``tier``, or all.

    Raises:
        RegistryError: Unknown tier.
    """
    if tier is not None and tier not in TIERS:
        raise RegistryError("tier", tier, TIERS)
    return tuple(name for name, item in PATTERNS.items() if tier in (None, item.tier))


def labels(params: ERPParams) -> tuple[str, str]:
    """Tier and pattern whose regions hold ``params``; ``"custom"`` where there is none."""
    values = dict(params)
    for name, item in PATTERNS.items():
        if _within(values, {**STRUCTURE, **item.structure}) and item.block in BLOCKS[params.style]:
            free = {key: bounds for key, bounds in region_of(name, params.style).items() if key != "domain"}
            return (item.tier if _within(values, free) else "custom"), name
    return "custom", "custom"


def check_structure(params: ERPParams) -> None:
    """Refuse structures that contradict themselves.

    Raises:
        TaskError: Names the parameter, what it was and what it goes with.
    """
    making = params.topology != "none"
    repairing = params.disruption != "none"
    released = params.style == "release"
    paths = PATHS[params.topology]
    conflicts = (
        ("capacity_path", making and params.capacity_path not in paths, f"topology {params.topology!r} goes with {paths}"),
        ("make_only", params.make_only != "none" and not making, "a product without a topology can only be bought"),
        ("objective", params.objective == "capacity_preservation" and not making, "nothing is made without a topology"),
        (
            "objective",
            (params.objective == "repair_plan") != repairing,
            "'repair_plan' goes with a disruption and with nothing else",
        ),
        ("screening", params.screening != "none" and repairing, "orders of a booked plan are all accepted"),
        ("disruption", params.disruption == "workcenter_outage" and not making, "a work center needs a topology"),
        (
            "disruption",
            params.disruption == "supplier_cancellation" and params.make_only != "none",
            "no vendor delivers a product that must be made",
        ),
        ("finished_products", released and params.finished_products > 1, "the release plans for one product"),
        ("finished_products", params.finished_products > params.customers, f"{params.customers} customers have one order each"),
        ("capacity_buckets", released and params.capacity_buckets > 1, "the release has no dated capacity"),
        ("capacity_buckets", params.capacity_buckets > 1 and not making, "nothing is made without a topology"),
    )
    for name, is_wrong, reason in conflicts:
        if is_wrong:
            raise TaskError(f"{getattr(params, name)!r} does not fit: {reason}", field=f"params.{name}")


def _draw_pattern(rng: np.random.Generator, tier: str | None) -> str:
    names = patterns_of(tier) if tier else [name for name, item in PATTERNS.items() if item.tier in RELEASED_TIERS]
    weights = np.array([PATTERNS[name].weight for name in names], dtype=float)
    return names[int(rng.choice(len(names), p=weights / weights.sum()))]


def _draw(rng: np.random.Generator, bounds: Any) -> Any:
    """A value of a region: fixed, from an inclusive range, or from a range by the release's biased draw (with tightness)."""
    if not isinstance(bounds, tuple):
        return bounds
    low, high, *tightness = bounds
    if tightness:
        return round(low + (high - low) * float(rng.beta(1 + 5 * (1 - tightness[0]), 1 + 5 * tightness[0])), 3)
    if isinstance(low, int):
        return int(rng.integers(low, high + 1))
    return round(float(rng.uniform(low, high)), 3)


def _within(values: Mapping[str, Any], region: Mapping[str, Any]) -> bool:
    return all(
        bounds[0] <= values[key] <= bounds[1] if isinstance(bounds, tuple) else values[key] == bounds
        for key, bounds in region.items()
    )
