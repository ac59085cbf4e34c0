"""Regions: the 29 patterns of the release, two of our own, and the blocks of ranges that they draw from, as tables.

A range is ``(low, high)``, both included; ``(low, high, tightness)`` is drawn by the release's biased draw, which
leans to the lower end as tightness rises.  Anything else is a fixed value.
Source: Anchor / ERP-Bench, tables 5-7, and the release's configurations; the ranges of style ``"coverage"`` are our own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Region = Mapping[str, Any]

RELEASED_TIERS = ("easy", "medium", "hard")
"""Tiers of the paper's release, whose counts of tasks are the weights of the patterns."""
TIERS = (*RELEASED_TIERS, "expert")
"""Names of the tiers, easiest first."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """A structural pattern.

    Attributes:
        tier: Tier it belongs to.
        weight: Its share in its tier; in the release's tiers the number of tasks there.
        block: Name of the ranges for everything but the structure.
        structure: What differs from :data:`STRUCTURE`.
    """

    tier: str
    weight: int
    block: str
    structure: Region


STRUCTURE: Region = {
    "topology": "none",
    "capacity_path": "lowest_cost",
    "make_only": "none",
    "screening": "none",
    "seeded_share": 0.0,
    "invoicing": "none",
    "disruption": "none",
    "objective": "min_new_spend",
    "finished_products": 1,
    "capacity_buckets": 1,
}
"""The structure of a pattern, but for what it changes: firm orders for one product that can only be bought."""

_ONE = {"topology": "single_bom", "work_centers": 1}
_MANY = {"topology": "single_bom", "work_centers": (2, 6)}
_SPLIT = {"topology": "single_bom", "capacity_path": "split_by_capacity", "work_centers": (2, 3)}
_RESTRICTED = {"topology": "restricted_subassembly", "capacity_path": "qualified", "work_centers": 2}
_OVERFLOW = {"topology": "single_subassembly", "capacity_path": "shared_overflow"}
_SHARED = {"topology": "shared_component", "capacity_path": "branch_assigned"}
_MIXED = {"seeded_share": (0.25, 0.75)}
_ALL = {"seeded_share": 1.0}
_CANCELLED = {"disruption": "supplier_cancellation", "objective": "repair_plan"}
_MIX = {
    "topology": "single_bom",
    "capacity_path": "split_by_capacity",
    "work_centers": 3,
    "finished_products": (2, 3),
    "capacity_buckets": (2, 3),
}
_OUTAGE = {"disruption": "workcenter_outage", "objective": "repair_plan"}

PATTERNS: dict[str, Pattern] = {
    "01_buy_only_baseline": Pattern("easy", 8, "easy", {"objective": "constraint_only"}),
    "02_buy_only_immediate_invoicing": Pattern("easy", 8, "easy", {"objective": "constraint_only", "invoicing": "immediate"}),
    "03_buy_only_fixed_downpayment": Pattern(
        "easy", 8, "easy", {"objective": "constraint_only", "invoicing": "net_30_fixed_downpayment"}
    ),
    "04_buy_only_percentage_downpayment": Pattern("easy", 8, "easy", {"invoicing": "net_30_percentage_downpayment"}),
    "05_screened_buy_only_all_seeded": Pattern("medium", 10, "triage", {"screening": "budget_quantity_lead", **_ALL}),
    "06_screened_buy_only_mixed_seeded": Pattern("medium", 11, "triage", {"screening": "budget_quantity", **_MIXED}),
    "07_screened_buy_only_mixed_seeded_invoicing": Pattern(
        "medium", 11, "triage", {"screening": "quantity_lead", "invoicing": "net_30", **_MIXED}
    ),
    "08_single_bom_single_workcenter": Pattern("medium", 11, "medium", _ONE),
    "09_single_bom_lowest_cost": Pattern("medium", 11, "medium", _MANY),
    "10_single_bom_split_by_capacity": Pattern("medium", 11, "minutes", {**_SPLIT, "objective": "capacity_preservation"}),
    "11_restricted_subassembly_qualified_workcenters": Pattern("hard", 10, "hard", _RESTRICTED),
    "12_single_subassembly_lowest_cost": Pattern("medium", 11, "assembly", {"topology": "single_subassembly"}),
    "13_single_subassembly_qualified_workcenters": Pattern(
        "medium", 11, "assembly", {"topology": "single_subassembly", "capacity_path": "qualified"}
    ),
    "14_single_subassembly_shared_overflow_capacity": Pattern("medium", 11, "assembly", _OVERFLOW),
    "15_parallel_subassemblies_branch_assigned": Pattern(
        "hard",
        10,
        "large_minutes",
        {"topology": "parallel", "capacity_path": "branch_assigned", "objective": "capacity_preservation"},
    ),
    "16_serial_subassemblies_branch_assigned": Pattern(
        "hard",
        10,
        "large_minutes",
        {"topology": "serial", "capacity_path": "branch_assigned", "objective": "capacity_preservation"},
    ),
    "17_shared_component_subassemblies_branch_assigned": Pattern("hard", 11, "large", _SHARED),
    "18_manufacture_only_policy_forbidden": Pattern("medium", 11, "make_only", {**_ONE, "make_only": "policy_forbidden"}),
    "19_manufacture_only_no_buy_route": Pattern("medium", 11, "make_only", {**_ONE, "make_only": "no_buy_route"}),
    "20_manufacture_only_no_available_vendors": Pattern("medium", 12, "make_only", {**_ONE, "make_only": "no_available_vendors"}),
    "21_single_bom_lowest_cost_screened_mixed_seeded": Pattern(
        "medium", 12, "vendors", {**_MANY, "screening": "budget_lead", "objective": "vendor_consolidation", **_MIXED}
    ),
    "22_single_bom_split_by_capacity_invoicing": Pattern("medium", 12, "medium", {**_SPLIT, "invoicing": "immediate"}),
    "23_restricted_subassembly_qualified_workcenters_screened_all_seeded": Pattern(
        "hard", 11, "hard_vendors", {**_RESTRICTED, "screening": "budget", "objective": "vendor_consolidation", **_ALL}
    ),
    "24_single_subassembly_shared_overflow_capacity_screened_invoicing": Pattern(
        "hard",
        11,
        "hard_overflow",
        {**_OVERFLOW, "screening": "quantity", "invoicing": "net_30", "objective": "vendor_consolidation", **_MIXED},
    ),
    "25_shared_component_subassemblies_branch_assigned_screened_all_seeded": Pattern(
        "hard", 11, "large", {**_SHARED, "screening": "lead", **_ALL}
    ),
    "26_buy_only_net_30_no_adjacent_data": Pattern("easy", 10, "easy", {"invoicing": "net_30", "decoys": 0}),
    "repair_plan_easy": Pattern("easy", 8, "repair_easy", _CANCELLED),
    "repair_plan_medium": Pattern("medium", 10, "repair_medium", {**_SPLIT, **_CANCELLED}),
    "repair_plan_hard": Pattern("hard", 10, "repair_hard", {**_SPLIT, **_OUTAGE}),
    "27_product_mix_dated_capacity_supplier_cancellation": Pattern("expert", 10, "mix_bought", {**_MIX, **_CANCELLED}),
    "28_product_mix_dated_capacity_workcenter_outage": Pattern("expert", 10, "mix_made", {**_MIX, **_OUTAGE}),
}
"""All patterns: those of the release with its names and counts, then those of our own tier."""

# -- our own ranges -----------------------------------------------------------------------------------------

_EASY: Region = {
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
    "greedy_redraws": 0,
    "decoys": (6, 12),
}
_MEDIUM: Region = {
    **_EASY,
    "customers": (8, 10),
    "first_deadline": (7, 9),
    "deadline_span": (5, 7),
    "least_demand": (8, 14),
    "demand_span": (8, 12),
    "stock_ratio": (0.2, 0.4),
    "price_pressure": (0.3, 0.8),
    "finished_vendors": (4, 6),
    "vendor_capacity": (0.2, 0.4),
    "lead_pressure": (0.4, 0.9),
    "moq_pressure": (0.3, 0.7),
    "greedy_redraws": 3,
    "decoys": (12, 24),
    "components": (4, 6),
    "component_offers": (3, 4),
    "component_stock": (0.05, 0.25),
    "component_capacity": (0.4, 0.7),
    "work_centers": (2, 3),
    "center_capacity": (0.6, 1.0),
    "production_lead": (2, 3),
    "closeness": (0.01, 0.06),
}
_HARD: Region = {
    **_MEDIUM,
    "customers": (8, 12),
    "first_deadline": (8, 10),
    "deadline_span": (6, 8),
    "least_demand": (10, 16),
    "stock_ratio": (0.15, 0.3),
    "finished_vendors": (5, 7),
    "vendor_capacity": (0.12, 0.25),
    "moq_pressure": (0.4, 0.8),
    "greedy_redraws": 6,
    "decoys": (20, 36),
    "components": (5, 8),
    "component_capacity": (0.35, 0.55),
    "center_capacity": (0.7, 1.0),
}
_TRIAGE: Region = {"customers": (10, 13), "rejected_share": (0.3, 0.45)}
_MINUTES: Region = {"vendor_capacity": (0.12, 0.2), "center_capacity": (1.0, 1.3), "price_pressure": (0.5, 0.9)}
_LARGE: Region = {**_HARD, **_TRIAGE, "customers": (20, 32)}
_MIX_RANGES: Region = {
    **_HARD,
    "customers": (8, 12),
    "stock_ratio": (0.1, 0.25),
    "finished_vendors": (3, 5),
    "vendor_capacity": (0.2, 0.4),
    "components": (4, 5),
    "component_offers": 3,
    "center_capacity": (1.0, 1.4),
}

COVERAGE: dict[str, Region] = {
    "easy": _EASY,
    "medium": _MEDIUM,
    "assembly": _MEDIUM,
    "triage": {**_MEDIUM, **_TRIAGE, "finished_vendors": (6, 9), "vendor_capacity": (0.2, 0.4)},
    "minutes": {**_MEDIUM, **_MINUTES},
    "make_only": {**_MEDIUM, "center_capacity": (1.05, 1.3), "component_capacity": (0.5, 0.8)},
    "vendors": {**_MEDIUM, **_TRIAGE},
    "hard": _HARD,
    "hard_vendors": {**_HARD, **_TRIAGE},
    "hard_overflow": {**_HARD, **_TRIAGE},
    "large": _LARGE,
    "large_minutes": {**_LARGE, **_MINUTES},
    "repair_easy": {
        **_EASY,
        "customers": 4,
        "stock_ratio": (0.1, 0.25),
        "finished_vendors": (5, 7),
        "vendor_capacity": (0.3, 0.6),
    },
    "repair_medium": {
        **_MEDIUM,
        "customers": (4, 5),
        "least_demand": (4, 8),
        "stock_ratio": (0.05, 0.2),
        "finished_vendors": (5, 7),
        "components": (3, 5),
        "decoys": (8, 16),
    },
    "repair_hard": {**_HARD, "customers": (10, 12), "stock_ratio": (0.1, 0.3), "work_centers": 3, "center_capacity": (1.2, 1.6)},
    "mix_bought": _MIX_RANGES,
    "mix_made": {**_MIX_RANGES, "center_capacity": (1.3, 1.8)},
}
"""Blocks of style ``"coverage"``."""

# -- the release's ranges -----------------------------------------------------------------------------------


def _release(tightness: float, stock: tuple[float, float], vendors: tuple[float, float], **more: Any) -> Region:
    """A block of the release: ratios lean as its tightness says, margins and decoys are the same everywhere."""
    ratios = {"stock_ratio": (*stock, tightness), "vendor_capacity": (*vendors, tightness)}
    return {"margin_bps": (2400, 3000), "decoys": 50, "greedy_redraws": 0, **ratios, **more}


_BUYING: Region = {"customers": 4, "first_deadline": 5, "deadline_span": 4, "least_demand": 1, "demand_span": 11}
_MIDDLE: Region = {
    "customers": (8, 10),
    "first_deadline": 8,
    "deadline_span": 6,
    "least_demand": 14,
    "demand_span": 12,
    "finished_vendors": (4, 5),
    "components": (5, 8),
    "component_offers": (3, 4),
    "work_centers": (2, 3),
}
_WIDE: Region = {
    **_MIDDLE,
    "customers": (20, 32),
    "deadline_span": 5,
    "least_demand": 18,
    "demand_span": 14,
    "finished_vendors": (5, 6),
    "components": (8, 10),
}
_middle = _release(0.55, (0.38, 0.52), (0.10, 0.36), **_MIDDLE)
_scarce = _release(0.55, (0.20, 0.25), (0.10, 0.36), **_MIDDLE)
_wide = _release(0.72, (0.40, 0.42), (0.07, 0.26), **_WIDE)

RELEASE: dict[str, Region] = {
    "easy": _release(0.25, (0.75, 0.9), (0.4, 0.9), **_BUYING, finished_vendors=3),
    **dict.fromkeys(("medium", "triage", "minutes", "vendors"), _middle),
    **dict.fromkeys(("hard", "hard_vendors"), _scarce),
    "assembly": {**_middle, "stock_ratio": 0.52},
    "hard_overflow": {**_middle, "stock_ratio": (0.40, 0.52, 0.55)},
    "make_only": _release(0.55, (0.10, 0.23), (0.30, 0.36), **_MIDDLE),
    **dict.fromkeys(("large", "large_minutes"), _wide),
    "repair_easy": _release(
        0.25,
        (0.08, 0.18),
        (0.55, 0.60),
        customers=4,
        first_deadline=6,
        deadline_span=3,
        least_demand=4,
        demand_span=7,
        finished_vendors=3,
    ),
    "repair_medium": _release(
        0.35,
        (0.05, 0.18),
        (0.20, 0.55),
        customers=(4, 5),
        first_deadline=7,
        deadline_span=3,
        least_demand=5,
        demand_span=8,
        finished_vendors=(3, 4),
        components=(2, 5),
        component_offers=(2, 4),
    ),
    "repair_hard": _release(
        0.62,
        (0.25, 0.30),
        (0.12, 0.24),
        customers=(10, 12),
        first_deadline=8,
        deadline_span=4,
        least_demand=15,
        demand_span=12,
        finished_vendors=(4, 5),
        components=(4, 7),
        component_offers=(3, 4),
        work_centers=3,
    ),
}
"""Blocks of style ``"release"``; ranges hold what the released generator really draws, its off-by-one included.

Where most of a range never yields a plan (vendors that can deliver too little to make or to repair everything), it is
cut to the part that the released generator's own rejection leaves.
"""

BLOCKS: dict[str, dict[str, Region]] = {"coverage": COVERAGE, "release": RELEASE}
"""Blocks by style: the ranges of everything that a pattern's structure leaves open."""
