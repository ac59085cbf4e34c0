"""ACEBench as a family: what it gives the environment and the examination of every promise."""

from __future__ import annotations

import pytest

from opsgym.core.errors import RegistryError, TaskError
from opsgym.core.task import Task
from opsgym.envs.ace_bench.compiler import truth_of
from opsgym.envs.ace_bench.family import AceBenchFamily, board_of
from opsgym.envs.ace_bench.mutants import audit
from opsgym.envs.ace_bench.params import PAPER_TIER, TIERS, AceParams, tier_of
from opsgym.evaluate.selection import regions
from opsgym.evaluate.validate import validate

FAMILY = AceBenchFamily()


def altered(task: Task, **world: object) -> Task:
    """The task with parts of its world replaced, and so with another id."""
    return Task.from_dict({**task.model_dump(exclude={"id"}), "world": {**task.world, **world}})


@pytest.mark.parametrize("tier", [*TIERS, PAPER_TIER])
def test_a_compiled_task_names_the_tier_and_pattern_it_was_drawn_from(tier: str) -> None:
    task = FAMILY.compile(FAMILY.draw(3, tier=tier), 3)
    assert (task.tier, task.pattern) == (tier, "paper" if tier == PAPER_TIER else "coupled")
    assert (tier, task.pattern) in regions(FAMILY)


def test_what_lies_in_no_tier_is_custom() -> None:
    assert tier_of(AceParams()) == "custom"
    assert tier_of(AceParams.build({"preset": "paper", "rows": 5, "cols": 5, "hidden": 5, "decoys": 4})) == "custom"


def test_the_seed_picks_among_the_coupled_tiers_only() -> None:
    assert {FAMILY.draw(seed).preset for seed in range(30)} == {"coupled"}
    assert {tier_of(FAMILY.draw(seed)) for seed in range(30)} == set(TIERS)


def test_a_tier_of_another_pattern_is_refused() -> None:
    with pytest.raises(RegistryError, match="tiers of the paper preset"):
        FAMILY.draw(0, tier="hard", pattern="paper")
    with pytest.raises(RegistryError, match="tiers of the coupled preset"):
        FAMILY.draw(0, tier="paper", pattern="coupled")


def test_boards_are_compiled_once_a_task(tasks: dict[str, Task]) -> None:
    assert board_of(tasks["hard"]) is board_of(tasks["hard"])


def test_both_counters_confirm_that_the_completion_is_unique(tasks: dict[str, Task]) -> None:
    for task in tasks.values():
        assert FAMILY.invariants(FAMILY.open(task), task) == ()


def test_both_counters_notice_a_second_completion(tasks: dict[str, Task]) -> None:
    """Without its global rules every locally feasible combination is a completion."""
    loose = altered(tasks["easy"], rules=[])
    faults = FAMILY.invariants(FAMILY.open(loose), loose)
    assert [fault.split(" finds")[0] for fault in faults] == ["branch and bound", "CP-SAT"]


def test_both_counters_notice_a_wrong_oracle(tasks: dict[str, Task]) -> None:
    task = tasks["easy"]
    board = board_of(task)
    other = next(name for i, name in enumerate(board.candidates[0]) if i != truth_of(task)[0])
    first = task.oracle[0]
    wrong = first.model_copy(update={"arguments": {**first.arguments, "id": other}})
    cheated = Task.from_dict({**task.model_dump(exclude={"id"}), "oracle": [wrong, *task.oracle[1:]]})
    assert len(FAMILY.invariants(FAMILY.open(cheated), cheated)) == 2


def test_the_audit_catches_every_mutant_and_notices_a_lenient_check(tasks: dict[str, Task]) -> None:
    task = tasks["medium"]
    found = FAMILY.audit(FAMILY.open(task), FAMILY.open(task), task)
    assert {rule for rule, _ in found} == {"slot_rules", "global_rule", "right_item"}
    assert all(caught for _, caught in found)
    blunt = tuple(check.model_copy(update={"args": {"row": 0, "col": 0, "id": "-"}}) for check in task.checks[:0])
    assert audit(board_of(task), truth_of(task), blunt) == [("slot_rules", False)] * len(board_of(task).candidates)


def test_every_promise_holds_on_a_few_tasks() -> None:
    report = validate("ACEBench-v0", 5)
    assert report.passed, "\n".join(map(str, report.lines))


@pytest.mark.slow
def test_every_promise_holds_on_four_hundred_tasks() -> None:
    report = validate("ACEBench-v0", 400)
    assert report.passed, "\n".join(map(str, report.lines))


def test_more_decoys_than_fit_name_the_most() -> None:
    with pytest.raises(TaskError, match="decoys must be 0 to"):
        FAMILY.draw(0, tier="easy", overrides={"decoys": 200})
