"""What EnterpriseOps gives the environment."""

from __future__ import annotations

import pytest

from opsgym.core.task import Task, ToolCall
from opsgym.data.fixed_sets import slots
from opsgym.data.splits import split_of
from opsgym.envs.enterprise_ops.compiler import company_seed
from opsgym.envs.enterprise_ops.family import EnterpriseOpsFamily, checks_of, setting_of
from opsgym.envs.enterprise_ops.plan import plan_of
from opsgym.envs.enterprise_ops.systems import FIXED, SYSTEMS, fixed_counts, system, template_by_name

FAMILY = EnterpriseOpsFamily()


@pytest.fixture(scope="module")
def task() -> Task:
    return FAMILY.compile(FAMILY.draw(5, tier="easy", pattern="itsm_put_on_hold", overrides={"infeasible": 0.0}), 5)


def test_there_is_as_much_as_the_paper_has() -> None:
    facts = FAMILY.facts()
    assert facts["domains"] == 8
    assert facts["tools of all domains"] == 512
    assert facts["tables with different names"] >= 164
    assert facts["templates"] == len(template_by_name()) >= 60
    assert facts["foreign keys per table"] >= 1.7
    assert facts["templates"] * len(FAMILY.tiers) <= 400  # what one validation covers


def test_the_fixed_set_has_1150_tasks_of_the_test_split() -> None:
    assert sum(FIXED.values()) == sum(fixed_counts().values()) == 1150
    assert FAMILY.fixed_set is not None
    assert {split_of(seed) for _, seeds in slots(FAMILY.fixed_set) for seed in seeds} == {"test"}


def test_a_task_is_small_and_reads_back(task: Task) -> None:
    assert Task.from_json(task.to_json()) == task
    assert len(task.to_json()) < 60_000
    assert len(str(task.world)) < 5_000


def test_the_brief_holds_policy_identity_and_request(task: Task) -> None:
    full, request = (FAMILY.brief(task, disclosure) for disclosure in FAMILY.disclosures)
    part = setting_of(task).parts[0]
    for text in (part.name, part.email, part.role, task.instruction):
        assert text in full
        assert text in request
    assert task.policy.strip() in full
    assert task.policy.strip() not in request


def test_the_tools_on_offer_suffice_and_the_nearest_others_come_first() -> None:
    few, many, every = (
        FAMILY.compile(FAMILY.draw(5, tier="easy", pattern="itsm_put_on_hold", overrides={"distractors": count}), 5).tools
        for count in (0, 3, 100)
    )
    assert set(few) < set(many) < set(every)
    assert len(many) == len(few) + 3
    assert len(every) == len(system("itsm").domain.tools) + 3
    needed = {
        call.name
        for call in FAMILY.compile(
            FAMILY.draw(5, tier="easy", pattern="itsm_put_on_hold", overrides={"distractors": 0}), 5
        ).oracle
    }
    assert needed <= set(few)


def test_what_was_changed_can_be_shown(task: Task) -> None:
    world = FAMILY.open(task)
    session, tools = FAMILY.session(world, task), FAMILY.toolbox("tools", task)
    assert FAMILY.render(world, task) == "0 records changed"
    for call in plan_of(task).compliant():
        tools[call.name].function(session, **tools[call.name].validate(call.arguments))
    assert "itsm: update incident" in FAMILY.render(world, task)
    world.close()


def test_companies_belong_to_the_split_of_the_task() -> None:
    import random

    for seed in range(40):
        assert split_of(company_seed(seed, random.Random(seed))) == split_of(seed)


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_rule_is_in_the_policy_with_its_id(name: str) -> None:
    from opsgym.core.records.policy_text import policy_text

    text = policy_text(system(name).domain)
    assert all(f"[{rule.id}]" in text for rule in system(name).domain.rules)


def test_four_policies_calibrate_a_task(task: Task) -> None:
    assert set(FAMILY.policies()) == {"rule_blind", "first_match", "complying", "refusing"}
    assert [call.name for call in FAMILY.policies()["refusing"](task)][-1] == "refuse"


def test_only_a_due_refusal_with_a_right_reason_is_luck(task: Task) -> None:
    blocked = FAMILY.compile(FAMILY.draw(5, tier="easy", pattern="itsm_put_on_hold", overrides={"infeasible": 1.0}), 5)
    reasons = checks_of(blocked).reasons
    for reason in ("not_permitted", "ambiguous", *reasons):
        call = ToolCall(name="refuse", arguments={"reason_code": reason, "explanation": ""})
        assert FAMILY.is_lucky(blocked, call) == (reason in reasons)
        assert not FAMILY.is_lucky(task, call)
    assert reasons
    assert not FAMILY.is_lucky(blocked, ToolCall(name="submit", arguments={}))
