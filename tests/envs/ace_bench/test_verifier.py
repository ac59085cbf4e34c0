from __future__ import annotations

import pytest

from opsgym.core.errors import RegistryError
from opsgym.core.task import Task
from opsgym.envs.ace_bench.compiler import instance_of, truth_of
from opsgym.envs.ace_bench.engine import AceSnapshot, AceWorld, Board
from opsgym.envs.ace_bench.mutants import emptied, mutants
from opsgym.envs.ace_bench.verifier import COST_WEIGHT, REWARD_MODES, judge, reward_of

NAMES = ("easy", "medium", "hard", "paper")


def state(task: Task, held: tuple[int, ...] | None = None) -> AceWorld:
    """A world that holds the truth, or the given candidates."""
    board = Board(instance_of(task))
    held = truth_of(task) if held is None else held
    return AceSnapshot(board, held, (0,) * len(held), 0).open()


@pytest.mark.parametrize("name", NAMES)
def test_the_solved_state_passes_every_check(tasks: dict[str, Task], name: str) -> None:
    verdict = judge(state(tasks[name]), tasks[name].checks)
    assert verdict.is_success
    assert {check.status for check in verdict.checks} == {"pass"}
    assert {reward_of(verdict, mode) for mode in REWARD_MODES} == {1.0}
    assert not verdict.canary


@pytest.mark.parametrize("name", NAMES)
def test_an_untouched_grid_earns_nothing(tasks: dict[str, Task], name: str) -> None:
    verdict = judge(AceWorld(Board(instance_of(tasks[name]))), tasks[name].checks)
    assert {reward_of(verdict, mode) for mode in REWARD_MODES} == {0.0}
    assert not verdict.is_success


@pytest.mark.parametrize("name", NAMES)
def test_every_check_is_tripped_by_the_mutant_made_for_it(tasks: dict[str, Task], name: str) -> None:
    task = tasks[name]
    made = mutants(Board(instance_of(task)), truth_of(task), task.checks)
    assert [spec for spec, _ in made] == list(task.checks)
    for spec, snapshot in made:
        verdict = judge(snapshot.open(), task.checks)
        assert next(result.status for result in verdict.checks if result.spec == spec) == "fail", spec
        assert verdict.reward == 0.0


@pytest.mark.parametrize("name", NAMES)
def test_a_missing_slot_is_never_solved(tasks: dict[str, Task], name: str) -> None:
    task = tasks[name]
    for snapshot in emptied(Board(instance_of(task)), truth_of(task)):
        assert not judge(snapshot.open(), task.checks).is_success


def test_partial_work_earns_a_fraction(tasks: dict[str, Task]) -> None:
    task = tasks["hard"]
    world = state(task)
    for slot in instance_of(task).slots[:3]:
        world.set_slot(*divmod(slot.cell, world.board.cols), None)
    verdict = judge(world, task.checks)
    slots = len(instance_of(task).slots)
    assert verdict.scores["slots"] == pytest.approx((slots - 3) / slots)
    assert 0 < reward_of(verdict, "fraction") < 1
    assert reward_of(verdict, "exact") == 0.0


def test_costs_lower_the_reward_by_at_most_their_weight(tasks: dict[str, Task]) -> None:
    task = tasks["easy"]
    world = state(task)
    budget, checks = world.board.instance.query_budget, world.board.instance.check_budget
    assert budget is not None
    assert checks is not None
    rewards = []
    for share in (0, 1, 2):
        world.spent = [budget * share // 2] * len(world.spent)
        world.checks = checks * share // 2
        rewards.append(reward_of(judge(world, task.checks), "exact_cost"))
    assert rewards[0] == 1.0 > rewards[1] > rewards[2] == pytest.approx(1.0 - COST_WEIGHT)
    assert reward_of(judge(world, task.checks), "exact") == 1.0


def test_a_feasible_state_that_is_not_the_truth_is_reported_loudly(tasks: dict[str, Task]) -> None:
    """Cannot happen on a certified task: made to happen with a check that names another item."""
    task = tasks["easy"]
    wrong = tuple(
        spec.model_copy(update={"args": {**spec.args, "id": "other"}}) if spec.rule == "right_item" else spec
        for spec in task.checks
    )
    assert judge(state(task), wrong).canary


def test_an_unknown_reward_mode_is_refused(tasks: dict[str, Task]) -> None:
    verdict = judge(state(tasks["easy"]), tasks["easy"].checks)
    with pytest.raises(RegistryError, match="exact, exact_cost, fraction, fraction_cost"):
        reward_of(verdict, "shaped")
