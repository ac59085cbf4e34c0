"""Tools for cases, their tasks and checklists; work on a case generates the tasks that its service asks for."""

from __future__ import annotations

from typing import Any

from opsgym.core.errors import ToolError
from opsgym.core.records.records import Records
from opsgym.core.records.signature import Argument, declared, fields
from opsgym.core.records.tools import aggregating, creating, listing, updating
from opsgym.envs.enterprise_ops.hr import words
from opsgym.envs.enterprise_ops.hr.tables.cases import CASE, CHECKLIST, TASK
from opsgym.envs.enterprise_ops.hr.tables.catalogue import SERVICE, TEMPLATE
from opsgym.envs.enterprise_ops.hr.tools.shared import CREATED, Limited, Search, texts

_IDS = texts(
    "hr_case_id hr_service opened_for opened_by assigned_to assignment_group approval_criteria approver hr_case_task_id"
    " parent_case"
)
_NUMBER = {"number": Limited("number", 10)}
_WORK = "hr_service opened_for priority source assigned_to assignment_group"
_REST = "approver request_status account_number account_type"
_SKILLS = Argument("skills", list[int], "Keys of skills.", False)
_TASK = "assigned_to assignment_group task_type hr_service external_url"

_NEEDED = fields(CASE, "short_description coe_type", required=True, searching=False)
_NEW = fields(CASE, f"status {_WORK} worknotes skills approval_criteria {_REST}", required=False, searching=False, kinds=_IDS)
_CHANGED = fields(
    CASE,
    f"number status {_WORK} short_description worknotes skills approval_criteria coe_type {_REST}",
    required=False,
    searching=False,
    kinds=_IDS | {"number": Limited("number", 10)},
)


def _create_case(records: Records, given: dict[str, Any]) -> Any:
    row = records.create(CASE, given)
    return _begun(records, row) if row["status"] == "work_in_progress" else row


def _update_case(records: Records, given: dict[str, Any]) -> Any:
    key = {"hr_case_id": given["hr_case_id"]}
    found = records.find(CASE, key, after=given.get("created_after"), before=given.get("created_before"))
    if not found:
        raise ToolError("not_found", f"no hr case with hr_case_id {given['hr_case_id'][:60]!r} that was created then")
    was = found[0]["status"]
    row = records.update(CASE, key, _CHANGED.values(given))
    return _begun(records, row) if row["status"] == "work_in_progress" != was else row


def _begun(records: Records, case: dict[str, Any]) -> dict[str, Any]:
    """A case on which work begins, with the tasks that its service generates and that it does not have yet."""
    services = records.find(SERVICE, {"hr_service_id": case["hr_service"]}) if case["hr_service"] else []
    templates = records.find(TEMPLATE, {"service_template_id": services[0]["service_template"]}) if services else []
    if not templates or not templates[0]["active"]:
        return case | {"generated_tasks": []}
    have = {task["task_type"] for task in records.find(TASK, {"parent_case": case["hr_case_id"]})}
    common = {
        "status": "ready",
        "short_description": templates[0]["change_request_values"].get("short_description") or services[0]["service_name"],
        "assignment_group": case["assignment_group"],
        "hr_service": case["hr_service"],
        "parent_case": case["hr_case_id"],
    }
    wanted = [kind for kind in words.GENERATED.get(services[0]["fulfillment_type"], ()) if kind not in have]
    made = [records.create(TASK, common | {"task_type": kind}) for kind in wanted]
    return case | {"generated_tasks": [task["number"] for task in made]}


def _to_approve(records: Records, given: dict[str, Any]) -> Any:
    return records.find(CASE, {"approver": records.actor.id, "status": "awaiting_approval", "request_status": "requested"})


def _count_cases(records: Records, given: dict[str, Any]) -> Any:
    equal = {"assignment_group": given["assignment_group_id"]} | ({"source": given["source"]} if "source" in given else {})
    rows = records.find(CASE, equal)
    for name, column in (("statuses", "status"), ("priority_list", "priority")):
        if given.get(name):
            rows = [row for row in rows if row[column] in given[name]]
    return {"count": len(rows)}


def _count_tasks(records: Records, given: dict[str, Any]) -> Any:
    rows = records.find(TASK, {"assignment_group": given["assignment_group_id"]})
    return {"count": sum(not given.get("statuses") or row["status"] in given["statuses"] for row in rows)}


_GROUP = Argument("assignment_group_id", int, "Key of the group.")
_STATUSES = Argument("statuses", list[str], "Only these statuses.", False)

TOOLS = (
    declared(
        "create_new_hr_case",
        "Create a case",
        (*_NEEDED.arguments, *_NEW.arguments),
        _create_case,
        mutates=True,
    ),
    declared(
        "update_hr_case",
        "Change a case; when its work begins, the tasks of its service are generated",
        (Argument("hr_case_id", str, "Key of the case."), *_CHANGED.arguments, *CREATED),
        _update_case,
        mutates=True,
    ),
    declared(
        "find_hr_case_by_number",
        "Read a case by number",
        (Argument("number", Limited("number", 10).annotation, "The number."),),
        lambda records, given: records.get(CASE, given),
    ),
    Search(
        CASE,
        f"hr_case_id number status {_WORK} opened_by short_description worknotes approval_criteria coe_type {_REST}",
        (_SKILLS,),
        _IDS | _NUMBER,
        is_dated=True,
        is_paged=True,
    ).tool("list_hr_cases", "List cases; all arguments given must match; the last entry tells when there are more"),
    listing(
        "get_cases_assigned_to",
        "List the cases of a user, of a group, or of both",
        CASE,
        "assignment_group assigned_to",
        kinds=_IDS,
    ),
    declared("find_my_cases_to_approve", "List the cases that wait for your approval", (), _to_approve),
    declared(
        "count_case_for_assignment_group",
        "Count the cases of a group",
        (
            _GROUP,
            _STATUSES,
            Argument("priority_list", list[str], "Only these priorities.", False),
            Argument("source", str, "Only this source.", False),
        ),
        _count_cases,
    ),
    declared("count_case_task_for_assignment_group", "Count the tasks of a group", (_GROUP, _STATUSES), _count_tasks),
    aggregating(
        "get_count_of_case_priority_wise", "Count cases by priority", CASE, "priority_list=priority", kinds=texts("priority_list")
    ),
    creating(
        "create_hr_case_task",
        "Create a task of a case",
        TASK,
        "status short_description",
        f"{_TASK} worknotes active parent_case",
        kinds=_IDS,
        defaults={"active": True},
    ),
    updating(
        "update_hr_case_task",
        "Change a task of a case",
        TASK,
        "hr_case_task_id",
        f"number status {_TASK} short_description worknotes active parent_case",
        kinds=_IDS,
    ),
    listing(
        "list_hr_case_tasks",
        "List tasks of cases; all arguments given must match",
        TASK,
        f"hr_case_task_id number status {_TASK} short_description worknotes active parent_case",
        kinds=_IDS,
    ),
    creating(
        "create_checklist",
        "Add an item to the checklist of a task",
        CHECKLIST,
        "checklist_item_description case_task_id",
        "checked",
        defaults={"checked": False},
    ),
    updating(
        "update_checklist",
        "Change an item of a checklist",
        CHECKLIST,
        "checklist_id",
        "checklist_item_description checked case_task_id",
    ),
    listing(
        "list_checklists",
        "List items of checklists; all arguments given must match",
        CHECKLIST,
        "checklist_id checklist_item_description checked case_task_id",
    ),
)
