"""Tasks of closing cases and telling people."""

from __future__ import annotations

from opsgym.envs.enterprise_ops.draft import Draft, Row
from opsgym.envs.enterprise_ops.hr import stock
from opsgym.envs.enterprise_ops.hr.templates.common import approved_service, find, new_case, person, team, told, twin, user
from opsgym.envs.enterprise_ops.template import heed, template

_TOLD_TASKS = "Check the open items and close the open tasks as complete first."
_TOLD_SURVEY = "Hand the person for whom a case was opened any of our surveys, on a task of type survey that is ready."
_TOLD_NOTICE = "Send the person for whom a case was opened a closure notification."


@template(
    "hr",
    roles=("manager", "agent"),
    rules=("HR-CLOSE-TASKS", "HR-CLOSE-SURVEY", "HR-CLOSE-NOTICE"),
    traps=("same_title",),
    blocked=("policy_conflict",),
)
def wrap_up(draft: Draft) -> None:
    """Close cases complete, with their tasks, a survey and a notification."""
    group = team(draft)
    cases = [new_case(draft, "work_in_progress", assigned=group) for _ in range(draft.horizon)]
    if draft.is_infeasible:
        offer = approved_service(draft)
        values = {"hr_service": offer["hr_service_id"], "coe_type": offer["coe_type"]}
        draft.change("hr_case", cases[-1]["hr_case_id"], **values)
        cases[-1] |= values
    work = [_work(draft, case) for case in cases]
    notes = [draft.pick(*stock.ENDINGS) for _ in cases]
    for case, note in zip(cases, notes, strict=True):
        twin(draft, case)
        draft.ask(
            f'The {told(draft, case)} is finished: close it as complete with the work note "{note}"',
            f'Wrap up the {told(draft, case)} as complete. The work note is "{note}"',
        )
    if draft.is_infeasible:
        draft.block("policy_conflict", why=f"Case {cases[-1]['number']} needs an approval that was not given (HR-APPROVE-DUE).")
    survey = draft.one("SELECT survey_id FROM survey WHERE org_id = ? ORDER BY survey_id", draft.actor.scope)["survey_id"]
    for case, tasks, note in zip(cases, work, notes, strict=True):
        find(draft, case)
        draft.look("list_hr_case_tasks", parent_case=str(case["hr_case_id"]))
        for task in tasks:
            _finish(draft, task)
        _close(draft, case, note, survey)
    draft.loosen("hr_case_task", "status", "short_description", "worknotes", "assigned_to", "assignment_group", "hr_service")
    draft.loosen("survey_instance", "survey_id")
    draft.loosen("notification", "status")


def _work(draft: Draft, case: Row) -> list[Row]:
    """Open tasks of a case, one of them perhaps a checklist."""
    common = {"parent_case": case["hr_case_id"], "assigned_to": case["assigned_to"], "assignment_group": case["assignment_group"]}
    tasks = [draft.add("hr_case_task", status="ready", short_description="Confirm the result", **common)]
    if draft.pick(True, False):
        tasks.append(
            draft.add(
                "hr_case_task", status="work_in_progress", task_type="checklist", short_description="Go through it", **common
            )
        )
        for item, checked in zip(draft.draw.sample(stock.ITEMS, 2), (True, False), strict=True):
            draft.add("checklist", checklist_item_description=item, checked=checked, case_task_id=tasks[-1]["hr_case_task_id"])
    return tasks


def _finish(draft: Draft, task: Row) -> None:
    """Close a task, after its items."""
    key = task["hr_case_task_id"]
    for item in draft.rows("SELECT * FROM checklist WHERE case_task_id = ? AND NOT checked ORDER BY checklist_id", key):
        draft.oblige("HR-CLOSE-TASKS", _TOLD_TASKS, "update_checklist", checklist_id=item["checklist_id"], checked=True)
    draft.oblige(
        "HR-CLOSE-TASKS", _TOLD_TASKS, "update_hr_case_task", hr_case_task_id=str(key), status="closed_complete", active=False
    )


def _close(draft: Draft, case: Row, note: str, survey: int) -> None:
    """Hand out the survey, close the case, and tell."""
    key = case["hr_case_id"]
    task = draft.oblige(
        "HR-CLOSE-SURVEY",
        _TOLD_SURVEY,
        "create_hr_case_task",
        status="ready",
        task_type="survey",
        short_description="Ask how it went",
        parent_case=str(key),
    )
    draft.oblige(
        "HR-CLOSE-SURVEY",
        _TOLD_SURVEY,
        "create_survey_instance",
        survey_id=survey,
        case_task_id=task["hr_case_task_id"],
        assigned_to=case["opened_for"],
    )
    draft.allow("hr_case_task", "create", parent_case=key, task_type="survey")
    draft.do("update_hr_case", hr_case_id=str(key), status="closed_complete", worknotes=note)
    draft.oblige(
        "HR-CLOSE-NOTICE",
        _TOLD_NOTICE,
        "send_notification",
        hr_case_id=key,
        email=draft.row("user", case["opened_for"])["email"],
        type="closure",
    )


@template("hr", roles=("manager", "agent"), rules=("HR-NOTICE-TO",), traps=("same_title",), blocked=("policy_conflict",))
def notify_requester(draft: Draft) -> None:
    """Tell people about their cases, at their work address."""
    cases = [new_case(draft, draft.pick("ready", "draft")) for _ in range(draft.horizon)]
    kinds = [draft.pick("update", "reminder") for _ in cases]
    stranger = user(draft, "role = 'employee' AND user_id <> ?", cases[-1]["opened_for"])
    for case, kind in zip(cases, kinds, strict=True):
        twin(draft, case, whole=True)
        what = {"update": ("an update", "a notification of type update"), "reminder": ("a reminder",) * 2}[kind]
        draft.ask(
            f"Send the person for whom the {told(draft, case)} was opened {draft.pick(*what)} about it.",
            f"The person behind the {told(draft, case)} should get {draft.pick(*what)}.",
        )
    if draft.is_infeasible:
        draft.ask(f"Send the same about the last one to {person(draft, stranger)}, who is curious about it.")
        draft.block("policy_conflict", why=f"{person(draft, stranger)} has no part in the case (HR-NOTICE-TO).")
    for case, kind in zip(cases, kinds, strict=True):
        find(draft, case)
        requester = draft.row("user", case["opened_for"])
        private = draft.value("SELECT personal_email FROM hr_profile WHERE user_id = ?", requester["user_id"])
        draft.look("get_user", user_id=str(requester["user_id"]))
        draft.do(
            "send_notification",
            heed("HR-NOTICE-TO", "Use their work address.", email=requester["email"], blindly={"email": private}),
            hr_case_id=case["hr_case_id"],
            type=kind,
        )
    draft.loosen("notification", "status")
    if draft.is_infeasible:
        draft.do("send_notification", hr_case_id=cases[-1]["hr_case_id"], email=stranger["email"], type=kinds[-1])


TEMPLATES = (wrap_up, notify_requester)
