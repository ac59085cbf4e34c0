"""Cases, their tasks, and notifications about them."""

from __future__ import annotations

from opsgym.core.records.columns import Choice, Flag, Json, Key, Ref, Serial, Text
from opsgym.core.records.table import Table
from opsgym.envs.enterprise_ops.hr import words
from opsgym.envs.enterprise_ops.hr.tables.shared import ASSIGNMENT, ORG, STAMPS

CASE = Table(
    "hr_case",
    (
        Key("hr_case_id", whole=True),
        Serial("number", "HRC", 7),
        Choice("status", words.CASE_STATUSES, required=True, default="draft"),
        Ref("hr_service", "hr_service", whole=True),
        Ref("opened_for", "user", whole=True),
        Ref("opened_by", "user", whole=True, required=True, by_actor=True),
        Choice("priority", words.PRIORITIES, required=True, default="moderate"),
        Choice("source", words.SOURCES, required=True, default="email"),
        *ASSIGNMENT,
        Text("short_description", 160, required=True, shown=False),
        Text("worknotes", 2000, shown=False),
        Json("skills", shape=list[int]),
        Ref("approval_criteria", "hr_criteria", whole=True),
        Choice("coe_type", words.CENTRES, required=True),
        Ref("approver", "user", whole=True),
        Choice("request_status", words.DECISIONS),
        Text("account_number", 40, required=True, default="N/A", shown=False),
        Choice("account_type", words.ACCOUNT_TYPES),
        *STAMPS,
        ORG,
    ),
    resource="hr_cases",
    scope="org_id",
    indexes=(("assigned_to",), ("hr_service",)),
    unique=(("org_id", "number"),),
)
TASK = Table(
    "hr_case_task",
    (
        Key("hr_case_task_id", whole=True),
        Serial("number", "HRT", 7),
        Choice("status", words.TASK_STATUSES, required=True, default="draft"),
        *ASSIGNMENT,
        Text("short_description", 160, required=True, shown=False),
        Choice("task_type", words.TASK_TYPES, required=True, default="mark when complete"),
        Ref("hr_service", "hr_service", whole=True),
        Text("external_url", 255, shown=False),
        Text("worknotes", 2000, shown=False),
        Flag("active", required=True, default=True),
        Ref("parent_case", "hr_case", whole=True),
        ORG,
        *STAMPS,
    ),
    resource="hr_case_tasks",
    scope="org_id",
    indexes=(("parent_case",), ("assigned_to",)),
    unique=(("org_id", "number"),),
)
CHECKLIST = Table(
    "checklist",
    (
        Key("checklist_id", whole=True),
        Text("checklist_item_description", 255, required=True, shown=False),
        Flag("checked", required=True, default=False),
        Ref("case_task_id", "hr_case_task", whole=True, required=True),
        ORG,
        *STAMPS,
    ),
    resource="hr_case_tasks",
    scope="org_id",
    indexes=(("case_task_id",),),
)
NOTIFICATION = Table(
    "notification",
    (
        Key("notification_id", whole=True),
        Ref("hr_case_id", "hr_case", whole=True, required=True),
        Text("email", 120, "email", required=True, shown=False),
        Choice("type", words.NOTICE_TYPES, required=True, default="update", shown=False),
        Choice("status", words.NOTICE_STATUSES, required=True, default="queued", shown=False),
        STAMPS[0],
        ORG,
        STAMPS[1],
    ),
    resource="notifications",
    scope="org_id",
    indexes=(("hr_case_id",),),
)
TABLES = (CASE, TASK, CHECKLIST, NOTIFICATION)
