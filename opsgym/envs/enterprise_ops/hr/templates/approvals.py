"""Tasks of asking for approval and of deciding."""

from __future__ import annotations

from opsgym.envs.enterprise_ops.draft import Draft, Row
from opsgym.envs.enterprise_ops.hr.templates.common import (
    approved_service,
    approvers,
    find,
    look_up,
    name_of,
    namesake,
    new_case,
    person,
    told,
    twin,
    user,
)
from opsgym.envs.enterprise_ops.template import Unfit, heed, template

_NO = ("There is no budget for it.", "The conditions are not met.", "It was asked for too late.")


@template(
    "hr",
    roles=("manager", "agent"),
    rules=("HR-APPROVE-CRITERIA", "HR-CASE-NEED-AWAITING_APPROVAL"),
    traps=("namesake", "same_title"),
    blocked=("policy_conflict",),
)
def request_approval(draft: Draft) -> None:
    """Ask the right manager to approve cases."""
    asked = []
    for number in range(draft.horizon):
        offer = approved_service(draft)
        case = new_case(draft, "ready", of=offer)
        named = approvers(draft, offer["hr_criteria"], case["opened_for"], draft.actor.id)  # type: ignore[arg-type]  # keys are whole
        if not named:
            raise Unfit("nobody can approve")
        approver = draft.pick(*named)
        if number == 0:
            namesake(draft, approver)
        asked.append((case, approver, offer["hr_criteria"]))
    if draft.is_infeasible:
        case, _, criteria = asked[-1]
        strangers = {row["user_id"] for row in approvers(draft, criteria)} | {case["opened_for"]}
        marks = ", ".join("?" * len(strangers))
        asked[-1] = case, user(draft, f"role = 'manager' AND user_id NOT IN ({marks})", *sorted(strangers)), criteria
    for case, approver, _ in asked:
        twin(draft, case)
        draft.ask(
            f"The {told(draft, case)} has to be approved: ask {person(draft, approver)} for it.",
            f"Send the {told(draft, case)} to {person(draft, approver)} for approval.",
            f"{person(draft, approver)} is to approve the {told(draft, case)}; let it wait until then.",
        )
    if draft.is_infeasible:
        draft.block("policy_conflict", why=f"The criteria of the service do not name {name_of(asked[-1][1])} (HR-APPROVE-BY).")
    for case, approver, criteria in asked:
        find(draft, case)
        look_up(draft, approver)
        draft.look("find_hr_services", hr_service_id=str(case["hr_service"]))
        draft.do(
            "update_hr_case",
            heed("HR-APPROVE-CRITERIA", "Name the approval criteria of the service.", approval_criteria=str(criteria)),
            heed("HR-CASE-NEED-AWAITING_APPROVAL", "Mark the approval as requested.", request_status="requested"),
            hr_case_id=str(case["hr_case_id"]),
            status="awaiting_approval",
            approver=str(approver["user_id"]),
        )


@template(
    "hr",
    roles=("manager",),
    rules=("HR-CLOSE-NOTICE", "HR-STOP-TASKS"),
    traps=("same_title",),
    blocked=("no_permission", "policy_conflict"),
)
def decide_on_request(draft: Draft) -> None:
    """Approve cases, or reject and close them."""
    offer = approved_service(draft)
    named = approvers(draft, offer["hr_criteria"])
    if len(named) < 2:
        raise Unfit("too few can approve")
    me, other = draft.draw.sample(named, 2)
    draft.act_as(me["user_id"])
    waiting = {"approver": me["user_id"], "request_status": "requested", "approval_criteria": offer["hr_criteria"]}
    cases = [new_case(draft, "awaiting_approval", of=offer, **waiting) for _ in range(draft.horizon)]
    tasks = [_open_task(draft, cases[0])]
    rejected = [True, *(draft.pick(True, False) for _ in cases[1:])]
    notes = [draft.pick(*_NO) for _ in cases]
    if draft.is_infeasible:
        draft.change("hr_case", cases[-1]["hr_case_id"], approver=other["user_id"])
    for case, is_no, note in zip(cases, rejected, notes, strict=True):
        twin(draft, case)
        if is_no:
            draft.ask(
                f'I reject the {told(draft, case)}. Close it as incomplete with the work note "{note}"',
                f'Turn down the {told(draft, case)} and close it incomplete; the work note is "{note}"',
            )
        else:
            draft.ask(f"I approve the {told(draft, case)}.", f"The {told(draft, case)} is fine with me, approve it.")
    if draft.is_infeasible:
        draft.block(
            "no_permission", "policy_conflict", why=f"{name_of(other)} has to decide on {cases[-1]['number']} (HR-APPROVE-ROLE)."
        )
    draft.look("find_my_cases_to_approve")
    for case, is_no, note in zip(cases, rejected, notes, strict=True):
        key = case["hr_case_id"]
        if not is_no:
            draft.do("update_hr_case", hr_case_id=str(key), request_status="approved")
            continue
        draft.do("update_hr_case", hr_case_id=str(key), request_status="rejected", status="closed_incomplete", worknotes=note)
        for task in tasks:
            if task["parent_case"] == key:
                draft.oblige(
                    "HR-STOP-TASKS",
                    "Cancel the open tasks of what is rejected.",
                    "update_hr_case_task",
                    hr_case_task_id=str(task["hr_case_task_id"]),
                    status="cancelled",
                    active=False,
                )
        draft.oblige(
            "HR-CLOSE-NOTICE",
            "Send a closure notification to those whose cases are closed.",
            "send_notification",
            hr_case_id=key,
            email=draft.row("user", case["opened_for"])["email"],
            type="closure",
        )
    draft.loosen("notification", "status")
    draft.loosen("hr_case_task", "worknotes")


def _open_task(draft: Draft, case: Row) -> Row:
    about = draft.pick("Collect the papers", "Ask the team lead", "Compute the amount")
    return draft.add("hr_case_task", status="ready", short_description=about, parent_case=case["hr_case_id"])


TEMPLATES = (request_approval, decide_on_request)
