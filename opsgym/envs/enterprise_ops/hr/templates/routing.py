"""Tasks of giving cases to those who can handle them."""

from __future__ import annotations

from typing import Any

from opsgym.envs.enterprise_ops.draft import Draft, Row
from opsgym.envs.enterprise_ops.hr.templates.common import (
    find,
    handlers,
    look_up,
    name_of,
    namesake,
    new_case,
    new_skill,
    person,
    team,
    told,
    twin,
    user,
)
from opsgym.envs.enterprise_ops.template import Unfit, heed, template

_AGENT = "SELECT user_id FROM \"user\" WHERE org_id = ? AND active AND role = 'agent' ORDER BY user_id"
_SKILLED = "The assignee has to have the skills that the case asks for."


@template("hr", roles=("manager", "agent"), rules=("HR-CASE-SKILLS",), traps=("same_title",), blocked=("policy_conflict",))
def assign_case(draft: Draft) -> None:
    """Assign cases to members of a group who have the skills that the cases ask for."""
    group, skill = team(draft), new_skill(draft)
    cases = [new_case(draft, "ready", skills=[skill["skill_id"]]) for _ in range(draft.horizon)]
    able, unable = _split(draft, group, {case["opened_for"] for case in cases})
    if not draft.is_infeasible:
        draft.add("user_skill", skill=skill["skill_id"], user=able["user_id"])
    for case in cases:
        twin(draft, case)
        draft.ask(
            f"Assign the {told(draft, case)} to somebody of the group {group['name']}.",
            f"Somebody of {group['name']} is to get the {told(draft, case)}.",
        )
    if draft.is_infeasible:
        draft.block("policy_conflict", why=f"Nobody in {group['name']} has the skill {skill['name']} (HR-CASE-SKILLS).")
    draft.look("find_group_by_name", name=group["name"])
    draft.look("list_group_members", group_id=group["group_id"])
    draft.look("list_user_skills", skill=str(skill["skill_id"]))
    for case in cases:
        find(draft, case)
        draft.do(
            "update_hr_case",
            heed("HR-CASE-SKILLS", _SKILLED, assigned_to=str(able["user_id"]), blindly={"assigned_to": str(unable["user_id"])}),
            hr_case_id=str(case["hr_case_id"]),
            assignment_group=str(group["group_id"]),
        )
    draft.loosen("hr_case", "assigned_to")


def _split(draft: Draft, group: Row, others: set[int]) -> tuple[Row, Row]:
    """Two members of a group who can handle cases."""
    found = handlers(draft, group["group_id"], *others)
    if len(found) < 2:
        raise Unfit("the group is too small")
    first, second = draft.draw.sample(found, 2)
    return first, second


@template(
    "hr",
    roles=("manager",),
    rules=("HR-CASE-FOLLOW",),
    traps=("same_title", "namesake"),
    blocked=("no_permission", "policy_conflict"),
)
def hand_over(draft: Draft) -> None:
    """Take cases from somebody who is away, and give them to a colleague; their open tasks go along."""
    by_agent = draft.is_infeasible and draft.pick(True, False)
    if by_agent:
        draft.act_as(draft.one(_AGENT, draft.actor.scope)["user_id"])
    group = team(draft)
    away, taker = _split(draft, group, {int(draft.actor.id)})
    if draft.is_infeasible and not by_agent:
        member = "SELECT user_id FROM user_group_member WHERE group_id = ?"
        taker = user(draft, f"role = 'agent' AND user_id NOT IN ({member})", group["group_id"])
    namesake(draft, taker, "user_id <> ?", away["user_id"])
    held = {"assignment_group": group["group_id"], "assigned_to": away["user_id"]}
    cases = [new_case(draft, "work_in_progress", **held) for _ in range(draft.horizon)]
    tasks = [_task(draft, case, held) for case in cases]
    for case in cases:
        twin(draft, case)
    what = draft.listed([f"the {told(draft, case)}" for case in cases])
    draft.ask(
        f"{person(draft, away)} is ill. Give {what} to {person(draft, taker)}, in the same group.",
        f"{person(draft, taker)} has to take over {what} from {person(draft, away)}; the group stays the same.",
    )
    if by_agent:
        draft.block("no_permission", "policy_conflict", why="Only a manager takes a case from somebody (HR-CASE-REASSIGN).")
    elif draft.is_infeasible:
        draft.block("policy_conflict", why=f"{name_of(taker)} is no member of {group['name']} (HR-CASE-ASSIGN).")
    look_up(draft, taker)
    for case, task in zip(cases, tasks, strict=True):
        find(draft, case)
        draft.look("list_hr_case_tasks", parent_case=str(case["hr_case_id"]))
        draft.do("update_hr_case", hr_case_id=str(case["hr_case_id"]), assigned_to=str(taker["user_id"]))
        draft.oblige(
            "HR-CASE-FOLLOW",
            "The open tasks of the one go to the other too.",
            "update_hr_case_task",
            hr_case_task_id=str(task["hr_case_task_id"]),
            assigned_to=str(taker["user_id"]),
        )


def _task(draft: Draft, case: Row, held: dict[str, Any]) -> Row:
    about = draft.pick("Call back", "Check the documents", "Prepare the answer")
    return draft.add("hr_case_task", status="ready", short_description=about, parent_case=case["hr_case_id"], **held)


@template(
    "hr",
    roles=("manager",),
    rules=("HR-CASE-ESCALATE",),
    traps=("same_title",),
    blocked=("policy_conflict", "no_permission"),
)
def escalate_case(draft: Draft) -> None:
    """Escalate cases to where the rule of their group leads."""
    by_agent = draft.is_infeasible and draft.pick(True, False)
    if by_agent:
        draft.act_as(draft.one(_AGENT, draft.actor.scope)["user_id"])
    group = team(draft)
    rule = draft.one("SELECT * FROM escalation_rule WHERE escalate_from = ? ORDER BY escalation_rule_id", group["group_id"])
    taker = draft.pick(*handlers(draft, rule["escalate_to"]))
    elsewhere = _elsewhere(draft, taker, group, rule["escalate_to"])
    cases = [new_case(draft, "work_in_progress", assigned=group) for _ in range(draft.horizon)]
    if any(taker["user_id"] in (case["opened_for"], case["assigned_to"]) for case in cases):
        raise Unfit("the taker has the case already")
    if draft.is_infeasible and not by_agent:
        draft.remove("escalation_rule", rule["escalation_rule_id"])
    for case in cases:
        twin(draft, case)
        draft.ask(
            f"Escalate the {told(draft, case)}; {person(draft, taker)} takes it on.",
            f"The {told(draft, case)} is stuck: escalate it, and let {person(draft, taker)} handle it.",
        )
    if by_agent:
        draft.block("no_permission", "policy_conflict", why="Only a manager gives a case to another group (HR-CASE-REASSIGN).")
    elif draft.is_infeasible:
        draft.block("policy_conflict", why=f"No escalation rule leads away from {group['name']} (HR-CASE-ESCALATE).")
    draft.look("list_escalation_rules", escalate_from=str(group["group_id"]))
    for case in cases:
        find(draft, case)
        draft.do(
            "update_hr_case",
            heed(
                "HR-CASE-ESCALATE",
                "It goes to the group to which the escalation rule of its group leads.",
                assignment_group=str(rule["escalate_to"]),
                blindly={"assignment_group": str(elsewhere)},
            ),
            hr_case_id=str(case["hr_case_id"]),
            assigned_to=str(taker["user_id"]),
        )


def _elsewhere(draft: Draft, taker: Row, group: Row, target: int) -> int:
    """Another group of which the taker is a member, to which nothing leads."""
    sql = (
        "SELECT g.group_id FROM user_group g WHERE g.org_id = ? AND g.active AND g.group_id NOT IN (?, ?)"
        " AND g.group_id NOT IN (SELECT escalate_to FROM escalation_rule) ORDER BY g.group_id"
    )
    other = draft.one(sql, draft.actor.scope, group["group_id"], target)["group_id"]
    member = "SELECT 1 FROM user_group_member WHERE group_id = ? AND user_id = ?"
    if draft.value(member, other, taker["user_id"]) is None:
        draft.add("user_group_member", group_id=other, user_id=taker["user_id"])
    return int(other)


TEMPLATES = (assign_case, hand_over, escalate_case)
