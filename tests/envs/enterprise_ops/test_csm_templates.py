"""CSM tasks: the plan does them, other right ways count as well, and mistakes do not."""

from __future__ import annotations

import json
from typing import Any

import gymnasium as gym
import pytest

from opsgym.core.task import Task, ToolCall
from opsgym.envs.enterprise_ops.compiler import compile_params
from opsgym.envs.enterprise_ops.csm.templates import TEMPLATES
from opsgym.envs.enterprise_ops.params import draw_params
from opsgym.envs.enterprise_ops.plan import plan_of

NAMES = [item.name for item in TEMPLATES]


def task_of(name: str, seed: int = 3, tier: str = "medium", **overrides: Any) -> Task:
    given = {"infeasible": 0.0, "enforcement": "permissive", "size": "S"} | overrides
    return compile_params(draw_params(seed, tier=tier, template=name, overrides=given), seed)


@pytest.fixture(scope="module")
def env() -> Any:
    made = gym.make("EnterpriseOps-v0")
    yield made.unwrapped
    made.close()


def played(env: Any, task: Task, calls: list[ToolCall]) -> tuple[float, set[str]]:
    """Reward, and the rules and checks that fail."""
    env.reset(options={"task": task})
    for call in calls:
        _, reward, terminated, _, info = env.step(json.dumps({"name": call.name, "arguments": call.arguments}))
    assert terminated
    return reward, {check["rule"] for check in info["verdict"]["checks"] if check["status"] == "fail"}


def changed(calls: list[ToolCall], tool: str, **values: Any) -> list[ToolCall]:
    """The calls, with other arguments for a tool; ``None`` drops one."""
    assert any(call.name == tool for call in calls)
    return [
        ToolCall(name=call.name, arguments={k: v for k, v in (call.arguments | values).items() if v is not None})
        if call.name == tool
        else call
        for call in calls
    ]


def test_there_are_at_least_12_templates_and_every_role_acts_in_some() -> None:
    assert len(TEMPLATES) >= 12
    assert {role for item in TEMPLATES for role in item.roles["csm"]} == {"admin", "manager", "agent", "customer"}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("enforcement", ["permissive", "strict"])
def test_the_plan_earns_everything_and_a_refusal_nothing(env: Any, name: str, enforcement: str) -> None:
    task = task_of(name, enforcement=enforcement)
    plan = plan_of(task)
    assert played(env, task, plan.oracle()) == (1.0, set())
    assert played(env, task, plan.refusing())[0] == 0


@pytest.mark.parametrize("name", NAMES)
def test_the_infeasible_twin_is_refused(env: Any, name: str) -> None:
    task = task_of(name, infeasible=1.0)
    plan = plan_of(task)
    assert plan.reasons
    assert played(env, task, plan.oracle()) == (1.0, set())
    assert played(env, task, plan.compliant())[0] == 0


@pytest.mark.parametrize("name", [item.name for item in TEMPLATES if item.rules])
def test_who_does_not_know_the_hidden_rules_breaks_just_them(env: Any, name: str) -> None:
    plan = plan_of(task := task_of(name, tier="expert", horizon=2, traps=0))
    assert plan.hidden
    reward, failed = played(env, task, plan.blind())
    assert reward == 0
    assert failed == set(plan.hidden)


@pytest.mark.parametrize("name", [item.name for item in TEMPLATES if item.traps])
def test_who_takes_the_first_match_fails(env: Any, name: str) -> None:
    found = [
        plan
        for seed in range(3, 9)
        if (plan := plan_of(task := task_of(name, seed, traps=2))).mistakes and played(env, task, plan.mistaken())[0] == 0
    ]
    assert found


@pytest.mark.parametrize("name", NAMES)
def test_requests_name_no_internal_keys_and_differ(name: str) -> None:
    texts = {task_of(name, seed).instruction for seed in range(3, 9)}
    assert len(texts) > 3
    assert not any("_id" in text for text in texts)


# -- other right ways ---------------------------------------------------------------------------------------


def test_the_interaction_may_be_a_finished_one(env: Any) -> None:
    plan = plan_of(task := task_of("csm_register_cases", obligations=1))
    ended = changed(plan.oracle(), "register_new_interaction", status="closed", ended_at="2030-01-01 09:00:00")
    assert played(env, task, ended) == (1.0, set())


def test_any_sla_for_the_priority_will_do_where_none_is_named(env: Any) -> None:
    plan = plan_of(task := task_of("csm_register_and_assign", obligations=3, horizon=1))
    assert "CSM-SLA-FIRST" in plan.hidden
    (link,) = [call for call in plan.oracle() if call.name == "link_new_case_sla"]
    resolution = changed(plan.oracle(), "link_new_case_sla", sla_def_id=link.arguments["sla_def_id"] + 4)
    assert played(env, task, resolution) == (1.0, set())
    both = [*plan.oracle()[:-1], next(c for c in resolution if c.name == "link_new_case_sla"), plan.oracle()[-1]]
    assert played(env, task, both) == (1.0, set())
    wrong = changed(plan.oracle(), "link_new_case_sla", sla_def_id=11)
    assert "CSM-SLA-FIT" in played(env, task, wrong)[1] or link.arguments["sla_def_id"] == 2


def test_an_article_may_be_linked_as_applied_but_not_as_suggested(env: Any) -> None:
    plan = plan_of(task := task_of("csm_close_cases", obligations=3))
    assert "CSM-CASE-ARTICLE" in plan.hidden
    assert played(env, task, changed(plan.oracle(), "link_case_knowledge", used_as="applied")) == (1.0, set())
    assert played(env, task, changed(plan.oracle(), "link_case_knowledge", used_as="suggested"))[1] == {"CSM-CASE-ARTICLE"}


def test_a_leavers_cases_may_go_to_anybody_fit_where_nobody_says_to_whom(env: Any) -> None:
    plan = plan_of(task := task_of("csm_offboard_staff", obligations=3, horizon=1))
    calls = changed(plan.oracle(), "assign_case_to_user", assigned_to_user_id=1)
    failed = played(env, task, calls)[1]
    assert failed == {"CSM-CASE-ASSIGNEE"} or "CSM-CASE-MEMBER" in failed


def test_a_change_beyond_the_request_is_noticed(env: Any) -> None:
    plan = plan_of(task := task_of("csm_escalate_cases"))
    extra = ToolCall(name="update_case", arguments={"case_id": 1, "channel": "community", "short_description": "x" * 40})
    assert "COLLATERAL" in played(env, task, [*plan.oracle()[:-1], extra, plan.oracle()[-1]])[1]


def test_a_case_may_be_registered_as_new_and_assigned_afterwards(env: Any) -> None:
    plan = plan_of(task := task_of("csm_register_and_assign", enforcement="strict", horizon=1, tier="easy"))
    calls: list[ToolCall] = []
    for call in plan.oracle():
        if call.name != "create_new_case":
            calls.append(call)
            continue
        later = ("state", "assignment_group_id", "assigned_to")
        first = {name: value for name, value in call.arguments.items() if name not in later}
        calls.append(ToolCall(name=call.name, arguments=first | {"state": "new"}))
        key = next(c.arguments["case_id"] for c in plan.oracle() if c.name == "link_new_case_sla")
        calls.append(ToolCall(name="update_case", arguments={"case_id": key} | {name: call.arguments[name] for name in later}))
    offered = task.model_copy(update={"tools": (*task.tools, *(["update_case"] if "update_case" not in task.tools else []))})
    assert played(env, offered, calls) == (1.0, set())


def test_an_escalation_may_take_several_calls(env: Any) -> None:
    plan = plan_of(task := task_of("csm_escalate_cases", enforcement="strict"))
    calls: list[ToolCall] = []
    for call in plan.oracle():
        if call.name == "update_case":
            given = dict(call.arguments)
            calls.append(ToolCall(name=call.name, arguments={"case_id": given["case_id"], "priority": given.pop("priority")}))
            call = ToolCall(name=call.name, arguments=given)
        calls.append(call)
    assert played(env, task, calls) == (1.0, set())
