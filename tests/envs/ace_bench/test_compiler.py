from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from opsgym.core.errors import ToolError
from opsgym.core.task import Task, canonical_json
from opsgym.envs.ace_bench.brief import describe
from opsgym.envs.ace_bench.compiler import compile_params, instance_of, truth_of
from opsgym.envs.ace_bench.engine import AceWorld, Board
from opsgym.envs.ace_bench.oracle import InformedAgent
from opsgym.envs.ace_bench.params import TIERS, draw_params
from opsgym.envs.ace_bench.spec import Solved
from opsgym.envs.ace_bench.tools import toolbox
from opsgym.envs.ace_bench.verifier import judge

Maker = Callable[..., Solved]

GOLDEN = {
    "easy": "48a8d77d86efb646",
    "medium": "536e3869f1b9203a",
    "hard": "b7b1c4862ec3ad3f",
    "expert": "94262945d2660c48",
    "paper": "667dfc5e9a7ef894",
}


@pytest.mark.parametrize("tier", ["easy", "medium", "hard", "expert"])
def test_golden_ids_pin_the_compiler(tier: str) -> None:
    """A change here changes every task: bump the generator's VERSION with it."""
    assert compile_params(draw_params(11, tier=tier), 11, tier=tier).id == GOLDEN[tier]


def test_the_golden_id_of_the_papers_preset() -> None:
    assert compile_params(draw_params(11, preset="paper"), 11).id == GOLDEN["paper"]


@pytest.mark.parametrize("name", ["easy", "medium", "hard", "paper"])
def test_a_task_survives_its_file(tasks: dict[str, Task], name: str) -> None:
    assert Task.from_json(tasks[name].to_json(), family="ACEBench-v0") == tasks[name]


@pytest.mark.parametrize("name", ["easy", "medium", "hard", "paper"])
def test_the_oracle_solves_its_task_through_the_tools(tasks: dict[str, Task], name: str) -> None:
    task = tasks[name]
    world, tools = AceWorld(Board(instance_of(task))), toolbox(instance_of(task).domain)
    for call in task.oracle:
        item = tools.find(call.name)
        item.function(world, **item.validate(call.arguments))
    assert item.terminal
    assert judge(world, task.checks).is_success


@pytest.mark.parametrize("name", ["easy", "medium", "hard", "paper"])
def test_the_public_part_and_the_world_hold_no_mark_of_the_truth(tasks: dict[str, Task], name: str) -> None:
    """The truth stands in the oracle and the checks only; the brief names no candidate at all."""
    task = tasks[name]
    instance = instance_of(task)
    public = canonical_json(task.public())
    candidates = {instance.ids[item] for slot in instance.slots for item in slot.candidates}
    assert not [name for name in candidates if f'"{name}"' in public or name in task.instruction]
    assert not {"truth", "decoy", "filter"} & set(json.dumps(task.world).replace('"', " ").split())


@pytest.mark.parametrize("tier", sorted(TIERS))
def test_an_informed_agent_solves_within_the_budgets(tier: str) -> None:
    """Budgets that bind are still enough: readings by the brief's rules, then an exact search, with no slack at all."""
    for seed in range(3):
        task = compile_params(draw_params(seed, tier=tier, overrides={"query_slack": 0}), seed, tier=tier)
        world = AceWorld(Board(instance_of(task)))
        assert InformedAgent(world).play()
        assert judge(world, task.checks).is_success
        assert max(world.spent) == world.board.instance.query_budget


def test_with_fewer_readings_the_informed_agent_runs_dry(solved: Maker) -> None:
    instance = solved(3, hidden=9, decoys=9, query_slack=0).instance
    assert instance.query_budget is not None
    world = AceWorld(Board(instance.model_copy(update={"query_budget": instance.query_budget - 1})))
    with pytest.raises(ToolError, match="readings"):
        InformedAgent(world).play()


def test_the_brief_states_every_rule_slot_and_budget(tasks: dict[str, Task]) -> None:
    for task in tasks.values():
        instance = instance_of(task)
        for rule in instance.rules:
            assert f"- [{rule.name}] {describe(rule, instance)}" in task.instruction
        for slot in instance.slots:
            row, col = divmod(slot.cell, instance.cols)
            assert f"- ({row}, {col}): " in task.instruction
        assert (f"allows {instance.query_budget} readings" in task.instruction) == (instance.query_budget is not None)
        assert (f"There are {instance.check_budget} global checks" in task.instruction) == (instance.check_budget is not None)


def test_the_truth_can_be_read_back_from_a_task(tasks: dict[str, Task], solved: Maker) -> None:
    for task in tasks.values():
        instance = instance_of(task)
        items = [slot.candidates[held] for slot, held in zip(instance.slots, truth_of(task), strict=True)]
        assert [instance.ids[item] for item in items] == [call.arguments["id"] for call in task.oracle[:-1]]
