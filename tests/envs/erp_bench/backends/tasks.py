"""Tasks of the fixed set: for each pattern the one with the shortest reference solution."""

from __future__ import annotations

from opsgym.core.task import Task
from opsgym.data.fixed_sets import shipped
from opsgym.envs.erp_bench.family import ErpBenchFamily, scenario_of
from opsgym.envs.erp_bench.spec import Problem

PLACES = {
    "01_buy_only_baseline": 2,
    "02_buy_only_immediate_invoicing": 8,
    "03_buy_only_fixed_downpayment": 17,
    "04_buy_only_percentage_downpayment": 24,
    "05_screened_buy_only_all_seeded": 32,
    "06_screened_buy_only_mixed_seeded": 50,
    "07_screened_buy_only_mixed_seeded_invoicing": 53,
    "08_single_bom_single_workcenter": 69,
    "09_single_bom_lowest_cost": 80,
    "10_single_bom_split_by_capacity": 92,
    "11_restricted_subassembly_qualified_workcenters": 104,
    "12_single_subassembly_lowest_cost": 115,
    "13_single_subassembly_qualified_workcenters": 119,
    "14_single_subassembly_shared_overflow_capacity": 134,
    "15_parallel_subassemblies_branch_assigned": 141,
    "16_serial_subassemblies_branch_assigned": 152,
    "17_shared_component_subassemblies_branch_assigned": 170,
    "18_manufacture_only_policy_forbidden": 180,
    "19_manufacture_only_no_buy_route": 182,
    "20_manufacture_only_no_available_vendors": 202,
    "21_single_bom_lowest_cost_screened_mixed_seeded": 211,
    "22_single_bom_split_by_capacity_invoicing": 218,
    "23_restricted_subassembly_qualified_workcenters_screened_all_seeded": 238,
    "24_single_subassembly_shared_overflow_capacity_screened_invoicing": 240,
    "25_shared_component_subassemblies_branch_assigned_screened_all_seeded": 260,
    "26_buy_only_net_30_no_adjacent_data": 267,
    "repair_plan_easy": 272,
    "repair_plan_hard": 291,
    "repair_plan_medium": 287,
}
"""Place in the fixed set by pattern."""

SHORT = ("04_buy_only_percentage_downpayment", "10_single_bom_split_by_capacity", "repair_plan_hard")
"""Patterns that between them buy, make, invoice, and change what is confirmed."""


def task_of(pattern: str) -> Task:
    """The task of a pattern."""
    pack = shipped(ErpBenchFamily(), "test")
    assert pack is not None
    return pack[PLACES[pattern]]


def problem_of(task: Task) -> Problem:
    """The planning problem of a task."""
    return scenario_of(task).problem
