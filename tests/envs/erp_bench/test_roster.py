"""The whole roster: every pattern, in both styles, gives certified tasks that its own replay accepts and no mutant survives."""

from __future__ import annotations

from functools import cache

import pytest

from opsgym.core.task import Task
from opsgym.envs.erp_bench.compiler import MUST_MATTER, compile_params
from opsgym.envs.erp_bench.family import ErpBenchFamily, scenario_of
from opsgym.envs.erp_bench.params import draw_params
from opsgym.envs.erp_bench.regions import PATTERNS, RELEASED_TIERS, STRUCTURE, TIERS
from opsgym.envs.erp_bench.solver import solve
from opsgym.envs.erp_bench.spec import SCALE, Problem

FAMILY = ErpBenchFamily()
NAMES = sorted(PATTERNS)
RELEASED = [name for name in NAMES if PATTERNS[name].tier in RELEASED_TIERS]
CEILINGS = {"easy": 1.0, "medium": 0.40, "hard": 0.15, "expert": 0.10}
"""Largest share of tasks that the best of the four heuristics may solve, by tier."""


@cache
def compiled(seed: int, pattern: str, style: str = "coverage") -> Task:
    return compile_params(draw_params(seed, pattern=pattern, overrides={"style": style}), seed)


def survivors(task: Task) -> list[str]:
    """Rules of which a mutant of the solved state goes unnoticed."""
    before = FAMILY.open(task)
    after = before.fork()
    session, tools = FAMILY.session(after, task), FAMILY.toolbox("tools", task)
    for call in task.oracle:
        tool = tools.find(call.name)
        tool.function(session, **tool.validate(call.arguments))
    outcomes = FAMILY.audit(before, after, task)
    before.close()
    after.close()
    assert outcomes
    return [rule for rule, is_killed in outcomes if not is_killed]


@pytest.mark.parametrize("pattern", NAMES)
def test_no_mutant_of_a_generated_task_survives(pattern: str) -> None:
    assert survivors(compiled(0, pattern)) == []


@pytest.mark.slow
@pytest.mark.parametrize("pattern", NAMES)
def test_no_mutant_of_more_generated_tasks_survives(pattern: str) -> None:
    for seed in range(1, 5):
        assert survivors(compiled(seed, pattern)) == []
    if pattern in RELEASED:
        assert survivors(compiled(0, pattern, "release")) == []


@pytest.mark.parametrize("pattern", RELEASED)
def test_every_pattern_compiles_in_the_style_of_the_release(pattern: str) -> None:
    """Compilation replays each task: the reference solution earns everything, doing nothing earns nothing."""
    task = compiled(1, pattern, "release")
    assert (task.tier, task.pattern) == (PATTERNS[pattern].tier, pattern)
    assert scenario_of(task).style == "release"


@pytest.mark.parametrize("pattern", [name for name in NAMES if PATTERNS[name].structure.get("objective") in MUST_MATTER])
def test_a_plan_of_least_spend_misses_the_certified_objective(pattern: str) -> None:
    """As in the release: on the frontier of least spend the objective is at least one unit worse."""
    task = compiled(0, pattern)
    problem = scenario_of(task).problem
    fields = {name: getattr(problem, name) for name in Problem.model_fields}
    spending = solve(Problem(**{**fields, "objective": "min_new_spend"}), style="coverage")
    assert task.certificate.secondary is not None and spending.values.spend < task.certificate.secondary * 100
    assert spending.values.primary(problem.objective) / SCALE[problem.objective] >= task.certificate.value + 1


def test_redraws_leave_fewer_tasks_to_the_heuristics() -> None:
    pattern, solved = "05_screened_buy_only_all_seeded", {}
    for redraws in (0, 12):
        tasks = [compile_params(draw_params(s, pattern=pattern, overrides={"greedy_redraws": redraws}), s) for s in range(12)]
        solved[redraws] = sum(max(task.metadata["heuristics"].values()) == 1 for task in tasks)
        assert all(task.metadata["discarded"] <= redraws for task in tasks)
    assert solved[12] <= 1 and solved[0] >= 4


@pytest.mark.parametrize("tier", [tier for tier in TIERS if tier != "easy"])
def test_few_tasks_are_solved_by_a_heuristic_and_none_needs_no_supply(tier: str) -> None:
    """A small sample of the tier; the slow test below takes the whole roster."""
    tasks = [compiled(0, pattern) for pattern in NAMES if PATTERNS[pattern].tier == tier]
    solved = sum(max(task.metadata["heuristics"].values()) == 1 for task in tasks)
    assert solved <= CEILINGS[tier] * len(tasks)
    assert all(task.metadata["counts"]["purchases"] + task.metadata["counts"]["productions"] for task in tasks)


@pytest.mark.slow
@pytest.mark.parametrize("tier", TIERS)
def test_heuristics_stay_below_their_ceiling_on_the_roster(tier: str) -> None:
    """With the release's counts, seeds of their own."""
    jobs = [(1000 + n, name) for name, item in PATTERNS.items() if item.tier == tier for n in range(item.weight)]
    tasks = [compile_params(draw_params(seed, pattern=name), seed) for seed, name in jobs]
    solved = sum(max(task.metadata["heuristics"].values()) == 1 for task in tasks)
    idle = sum(task.metadata["counts"]["purchases"] + task.metadata["counts"]["productions"] == 0 for task in tasks)
    assert solved <= CEILINGS[tier] * len(tasks) and idle <= 0.02 * len(tasks)


def test_the_release_leaves_most_screened_buying_without_a_purchase() -> None:
    """Stock is scaled to all requests there, so that what screening keeps needs no supply; ours always needs some."""
    pattern = "05_screened_buy_only_all_seeded"
    theirs = [compiled(seed, pattern, "release").metadata["counts"]["purchases"] for seed in range(8)]
    ours = [compiled(seed, pattern).metadata["counts"]["purchases"] for seed in range(8)]
    assert theirs.count(0) >= 6 and ours.count(0) == 0


def test_pattern_structures_name_only_structural_parameters() -> None:
    """What a pattern fixes beyond the common structure is the number of work centers, or that there are no decoys."""
    extra = {key for item in PATTERNS.values() for key in item.structure if key not in STRUCTURE}
    assert extra == {"work_centers", "decoys"}


def test_a_problem_on_which_a_faster_search_went_wrong_compiles() -> None:
    """Search by lower-bound trees (OR-Tools 9.15) stops the process here, over a plan that it wrongly calls optimal."""
    assert compile_params(draw_params(775196979, pattern="18_manufacture_only_policy_forbidden"), 775196979).oracle
