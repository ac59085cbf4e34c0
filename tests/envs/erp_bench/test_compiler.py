"""The compiler: certified, replayed tasks that are the same in every process, and a reason where there is none."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import pytest

from opsgym.core.errors import TaskError
from opsgym.core.task import Task, content_hash
from opsgym.envs.erp_bench import compiler
from opsgym.envs.erp_bench.brief import policy_documents
from opsgym.envs.erp_bench.compiler import accept, certify, compile_params, compile_scenario
from opsgym.envs.erp_bench.heuristics import HEURISTICS
from opsgym.envs.erp_bench.params import ERPParams, draw_params
from opsgym.envs.erp_bench.regions import PATTERNS
from opsgym.envs.erp_bench.spec import Scenario
from tests.envs.erp_bench import scenarios as hand_made
from tests.envs.erp_bench.draws import drawn

LABELS: dict[str, Any] = {"seed": 0, "tier": "custom", "pattern": "custom", "params": {}}
GOLDEN = (
    ("01_buy_only_baseline", 11),
    ("04_buy_only_percentage_downpayment", 12),
    ("09_single_bom_lowest_cost", 13),
    ("16_serial_subassemblies_branch_assigned", 14),
    ("24_single_subassembly_shared_overflow_capacity_screened_invoicing", 15),
    ("repair_plan_hard", 16),
)
WORLDS = (
    "82cdb506513002f3",
    "b08623230224e093",
    "5f960de3410e6070",
    "c5147cbc9cc02922",
    "9af31b545bb82e8a",
    "e86ebca2caaa5c6b",
)
TASKS = (
    "cf9160d723218dea",
    "2b7cccadffa584ff",
    "3bb58eed8e69da77",
    "4bd6446e29ce8d8f",
    "127d96da78dc57d8",
    "b83e238688b27509",
)
"""Hashes of the golden tasks' worlds and of the whole tasks.  A change here changes tasks: raise the family's version."""

PRINT_IDS = """
from opsgym.core.task import content_hash
from opsgym.envs.erp_bench.compiler import compile_params
from opsgym.envs.erp_bench.params import draw_params
for pattern, seed in {golden!r}:
    task = compile_params(draw_params(seed, pattern=pattern), seed)
    print(task.id, content_hash(task.to_json()))
"""


def compiled(seed: int, pattern: str) -> Task:
    return compile_params(draw_params(seed, pattern=pattern), seed)


def scenario_of(task: Task) -> Scenario:
    return Scenario.model_validate(task.world)


@pytest.mark.parametrize("pattern", sorted(PATTERNS))
def test_a_compiled_task_is_complete_and_says_what_it_is(pattern: str) -> None:
    for seed in range(1, 3):
        task = compiled(seed, pattern)
        params = draw_params(seed, pattern=pattern)
        assert (task.pattern, task.tier, task.seed) == (pattern, PATTERNS[pattern].tier, seed)
        assert ERPParams.build(task.params) == params
        assert Task.from_json(task.to_json()) == task
        assert task.oracle[-1].name == "submit" and {call.name for call in task.oracle} <= set(task.tools)
        assert task.checks and task.certificate.status == ("feasible" if params.objective == "constraint_only" else "optimal")
        assert task.metadata["counts"]["purchases"] > 0
        assert set(task.metadata["heuristics"]) == set(HEURISTICS)
        assert scenario_of(task).documents == policy_documents(scenario_of(task))


def test_what_the_agent_may_see_holds_no_reference_to_the_solution() -> None:
    task = compiled(5, "08_single_bom_single_workcenter")
    text = str(task.public())
    assert f"{task.certificate.value:,.2f}" not in text and f"{task.certificate.value:g}" not in text
    assert all(offer.vendor not in text for offer in scenario_of(task).problem.offers)


def test_tasks_are_byte_identical_across_processes_and_hash_seeds() -> None:
    outputs = []
    for hash_seed in ("0", "4242"):
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        command = [sys.executable, "-c", PRINT_IDS.format(golden=GOLDEN)]
        outputs.append(subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout)
    here = [compiled(seed, pattern) for pattern, seed in GOLDEN]
    assert outputs[0] == outputs[1] == "".join(f"{task.id} {content_hash(task.to_json())}\n" for task in here)


def test_golden_tasks_have_not_changed() -> None:
    tasks = [compiled(seed, pattern) for pattern, seed in GOLDEN]
    assert tuple(content_hash(task.world) for task in tasks) == WORLDS
    assert tuple(task.id for task in tasks) == TASKS


def test_a_given_scenario_and_plan_become_a_task_that_its_own_replay_accepts() -> None:
    for make in (hand_made.buying, hand_made.making):
        scenario, plan = make()
        own, certificate = certify(scenario)
        for booked in (plan, own):
            task = compile_scenario(
                scenario, booked, certificate, seed=0, tier="custom", pattern="custom", params={}, metadata={"a": 1}
            )
            accept(task)
            assert task.metadata["a"] == 1


def test_a_plan_that_misses_the_certificate_is_not_accepted() -> None:
    scenario, _ = hand_made.buying()
    plan, certificate = certify(scenario)
    lower = certificate.model_copy(update={"value": certificate.value - 100})
    task = compile_scenario(scenario, plan, lower, **LABELS)
    with pytest.raises(TaskError, match="the reference solution"):
        accept(task)
    higher = certificate.model_copy(update={"value": certificate.value + 100})
    task = compile_scenario(scenario, plan, higher, **LABELS)
    with pytest.raises(TaskError, match="canary"):
        accept(task)


def test_impossible_parameters_say_what_was_tried_and_what_conflicts() -> None:
    scarce = ERPParams(customers=30, stock_ratio=0.0, finished_vendors=2, vendor_capacity=0.2)
    with pytest.raises(
        TaskError, match=rf"no solvable task in {compiler.ATTEMPTS} draws of seed 0.*(deadline coverage|total supply)"
    ):
        compile_params(scarce, 0)


def test_what_only_the_solver_refuses_is_tried_a_few_times(monkeypatch: pytest.MonkeyPatch) -> None:
    tried = []

    def refuse(scenario: Scenario) -> None:
        tried.append(scenario.name)
        raise TaskError("no plan exists because of the margin rule", field="problem.margin_bps")

    monkeypatch.setattr(compiler, "certify", refuse)
    with pytest.raises(TaskError, match=f"{compiler.SOLVES} x problem.margin_bps: no plan exists because of the margin rule"):
        compile_params(draw_params(0, "easy"), 0)
    assert len(tried) == compiler.SOLVES


def test_a_failing_draw_is_followed_by_another(monkeypatch: pytest.MonkeyPatch) -> None:
    """The next attempt has a stream of its own, so a task does not depend on what failed before it."""
    real, seen = compiler.certify, []

    def fussy(scenario: Scenario) -> object:
        seen.append(scenario.today)
        if len(seen) < 3:
            raise TaskError("not this one", field="test")
        return real(scenario)

    monkeypatch.setattr(compiler, "certify", fussy)
    task = compiled(3, "26_buy_only_net_30_no_adjacent_data")
    assert task.metadata["attempts"] == 3 and len({*seen}) == 3


def test_a_plan_that_buys_nothing_is_no_task() -> None:
    scenario = drawn(0, "easy", objective="min_new_spend")
    problem = scenario.problem.model_copy(update={"stock": {scenario.problem.product: 10_000}})
    idle = Scenario.model_validate({**scenario.model_dump(), "problem": problem.model_dump()})
    with pytest.raises(TaskError, match="buys nothing"):
        certify(idle)


def test_a_structure_that_contradicts_itself_is_refused_before_anything_is_drawn() -> None:
    with pytest.raises(TaskError, match="'repair_plan' goes with a disruption"):
        compile_params(ERPParams(objective="repair_plan"), 0)


def test_an_objective_that_the_plan_of_least_spend_reaches_too_is_no_task() -> None:
    """Of two vendors the cheap one can deliver everything, so the least spend already has the fewest vendors."""
    scenario, _ = hand_made.buying(objective="vendor_consolidation", orders=hand_made.buying()[0].problem.orders[1:])
    with pytest.raises(TaskError, match="a plan of least spend reaches the objective too"):
        certify(scenario)


def test_negative_seeds_are_refused() -> None:
    with pytest.raises(TaskError, match="seed"):
        compile_params(ERPParams(), -3)
