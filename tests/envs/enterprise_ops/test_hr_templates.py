"""HR tasks: the plan solves them, other right ways do too, and what is nearly right does not."""

from __future__ import annotations

from functools import partial

import pytest

from opsgym.core.records.invariants import violations
from opsgym.core.task import ToolCall
from opsgym.core.world import World
from opsgym.envs.enterprise_ops.hr.domain import HR
from opsgym.envs.enterprise_ops.hr.templates import TEMPLATES
from opsgym.envs.enterprise_ops.plan import plan_of
from opsgym.envs.enterprise_ops.play import Player, played
from opsgym.envs.enterprise_ops.template import Template
from tests.envs.enterprise_ops import rewriting
from tests.envs.enterprise_ops.rewriting import Rewrite, rewritten, with_arguments

compiled = partial(rewriting.compiled, "hr")

each = pytest.mark.parametrize("template", TEMPLATES, ids=lambda item: item.name)


def test_there_are_16_kinds_of_tasks_for_every_role() -> None:
    assert len({item.name for item in TEMPLATES}) == 16
    assert {role for item in TEMPLATES for role in item.roles["hr"]} == set(HR.rights.roles)


@each
@pytest.mark.parametrize("infeasible", [0.0, 1.0])
def test_the_world_of_a_task_keeps_every_rule(template: Template, infeasible: float) -> None:
    world = rewriting.FAMILY.open(compiled(template.name, "easy", 3, infeasible=infeasible))
    assert isinstance(world, World)
    assert violations(HR, world) == []
    world.close()


@each
def test_a_request_tells_no_keys_and_no_rules(template: Template) -> None:
    task = compiled(template.name, "hard", 1)
    assert "HR-" not in task.instruction
    assert "_id" not in task.instruction


@pytest.mark.parametrize("template", [item for item in TEMPLATES if item.rules], ids=lambda item: item.name)
def test_who_does_not_know_the_hidden_rules_breaks_nothing_but_policy(template: Template) -> None:
    task = compiled(template.name, "hard", 2, enforcement="permissive", traps=0)
    plan = plan_of(task)
    assert plan.hidden
    found = played(task, plan.blind())
    assert set(found.failed) & set(plan.hidden)
    assert set(found.failed.values()) == {"policy"}


@pytest.mark.parametrize("template", [item for item in TEMPLATES if item.traps], ids=lambda item: item.name)
def test_who_takes_the_first_match_fails(template: Template) -> None:
    task = compiled(template.name, "hard", 2, traps=1)
    plan = plan_of(task)
    assert plan.mistakes
    assert not played(task, plan.mistaken()).verdict.is_success


# -- other right ways -------------------------------------------------------------------------------------------


def _cancelled(call: ToolCall) -> list[ToolCall]:
    """Tasks cancelled rather than completed, their items left."""
    if call.name == "update_checklist":
        return []
    return [with_arguments(call, status="cancelled")] if call.name == "update_hr_case_task" else [call]


def _own_words(call: ToolCall) -> list[ToolCall]:
    """Other words and another kind of task where nothing was said of them."""
    if call.name != "create_hr_case_task":
        return [call]
    return [with_arguments(call, short_description="Ask them", worknotes="By mail", status="draft")]


def _whole_case(call: ToolCall) -> list[ToolCall]:
    """All values of a case that the policy sets anyway, said."""
    if call.name != "create_new_hr_case":
        return [call]
    given = {"status": "draft", "account_number": "N/A"} | call.arguments
    return [ToolCall(name=call.name, arguments=given)]


def _by_update(call: ToolCall) -> list[ToolCall]:
    """A service deactivated by its general update."""
    if call.name != "delete_hr_service":
        return [call]
    return [ToolCall(name="update_hr_service", arguments={"hr_service_id": call.arguments["hr_service_id"], "active": False})]


@pytest.mark.parametrize(
    ("name", "rewrite"),
    [
        ("wrap_up", _cancelled),
        ("wrap_up", _own_words),
        ("start_work", _own_words),
        ("register_case", _whole_case),
        ("retire_service", _by_update),
    ],
)
def test_other_right_ways_are_right(name: str, rewrite: Rewrite) -> None:
    for seed in range(2):
        task = compiled(name, "medium", seed, obligations=3, distractors=100)
        calls = rewritten(task, rewrite)
        assert calls != plan_of(task).compliant()
        found = played(task, calls)
        assert (found.verdict.reward, found.errors) == (1.0, ()), found.failed


def test_a_leaver_may_go_in_another_order() -> None:
    task = compiled("offboard_employee", "medium", 1)
    calls = plan_of(task).compliant()
    backwards = [*reversed([call for call in calls if call.name != "submit"]), calls[-1]]
    found = played(task, backwards)
    assert (found.verdict.reward, found.errors) == (1.0, ()), found.failed


def test_a_personal_address_in_a_note_counts_even_if_it_is_taken_back() -> None:
    task = compiled("wrap_up", "easy", 1, enforcement="permissive", distractors=100)
    calls = plan_of(task).compliant()
    close = next(call for call in calls if call.name == "update_hr_case")
    with Player(task) as player:
        world = player.restart()
        assert isinstance(world, World)
        (tax,) = world.execute("SELECT national_tax_id FROM hr_profile WHERE org_id = 1 LIMIT 1").fetchone()
        leak = ToolCall(
            name="update_hr_case", arguments={"hr_case_id": close.arguments["hr_case_id"], "worknotes": f"Number {tax}"}
        )
        found = player.play([leak, *calls])
    assert found.verdict.reward == 0
    assert found.failed == {"HR-CASE-PII": "policy"}
