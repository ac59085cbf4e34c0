"""A small HR world of two tenants for tests; its own rules hold in it."""

from __future__ import annotations

import json
from typing import Any

from opsgym.core.records.actor import Actor
from opsgym.envs.enterprise_ops.hr.domain import HR
from tests.envs.enterprise_ops.small import SmallWorld

TIME = "2026-05-01 08:00:00"
_PEOPLE = (
    ("Ana", "admin", 1, 1),
    ("Max", "manager", 1, 1),
    ("Ida", "agent", 1, 1),
    ("Oto", "agent", 0, 1),
    ("Eva", "employee", 1, 1),
    ("Mia", "manager", 1, 1),
    ("Leo", "agent", 1, 1),
    ("Sol", "agent", 1, 2),
    ("Tom", "employee", 1, 2),
    ("Ned", "employee", 0, 1),
)
_GROUPS = (("Desk", 1, 1), ("Payroll", 1, 1), ("Board", 1, 1), ("Old", 0, 1), ("Desk", 1, 2), ("Club", 1, 1))
_MEMBERS = ((1, 3), (1, 2), (2, 7), (3, 2), (3, 6), (5, 8), (6, 5))
_CASES: tuple[dict[str, Any], ...] = (
    {"status": "ready", "source": "self-service"},
    {"status": "ready", "hr_service": 2, "assigned_to": 3, "assignment_group": 1},
    {"status": "work_in_progress", "assigned_to": 3, "assignment_group": 1},
    {"status": "awaiting_approval", "hr_service": 2, "approver": 2, "request_status": "requested", "approval_criteria": 1},
    {"status": "closed_complete", "assigned_to": 3, "assignment_group": 1, "worknotes": "Done"},
    {"status": "ready", "hr_service": 3},
    {"status": "ready", "hr_service": 4, "skills": [1]},
    {"status": "awaiting_approval", "opened_for": 2, "opened_by": 5, "approver": 6, "request_status": "requested"},
    {"status": "ready", "approver": 2, "request_status": "approved"},
    {"status": "work_in_progress", "assigned_to": 3, "assignment_group": 1},
)
_TASKS: tuple[dict[str, Any], ...] = (
    {"task_type": "mark when complete", "status": "ready", "parent_case": 3, "assigned_to": 3, "assignment_group": 1},
    {"task_type": "checklist", "status": "work_in_progress", "parent_case": 3},
    {"task_type": "survey", "status": "ready", "parent_case": 3},
    {"task_type": "mark when complete", "status": "closed_complete", "parent_case": 5, "active": 0},
    {"task_type": "checklist", "status": "closed_complete", "parent_case": 5, "active": 0},
    {"task_type": "mark when complete", "status": "closed_complete", "parent_case": 10, "active": 0},
)

ROWS: dict[str, list[dict[str, Any]]] = {
    "organization": [{"org_id": n, "name": name, "active": 1} for n, name in ((1, "North"), (2, "South"))],
    "role": [{"role_id": n, "name": name} for n, name in enumerate(HR.rights.roles, 1)],
    "user": [
        {
            "user_id": n,
            "first_name": first,
            "last_name": "Hale",
            "email": f"{first.lower()}@{'north' if org == 1 else 'south'}.com",
            "phone": f"+1-415-555-010{n}",
            "role": role,
            "active": active,
            "static_token": "secret",
            "org_id": org,
        }
        for n, (first, role, active, org) in enumerate(_PEOPLE, 1)
    ],
    "user_group": [
        {"group_id": n, "name": name, "type": "Service Desk", "active": active, "org_id": org}
        for n, (name, active, org) in enumerate(_GROUPS, 1)
    ],
    "user_group_member": [
        {"member_id": n, "group_id": group, "user_id": user, "org_id": 2 if group == 5 else 1}
        for n, (group, user) in enumerate(_MEMBERS, 1)
    ],
    "skill": [{"skill_id": n, "name": name, "active": n < 3, "org_id": 1} for n, name in enumerate(("Tax", "Visa", "Fax"), 1)],
    "user_skill": [{"user_skill_id": 1, "skill": 1, "user": 7, "org_id": 1}],
    "hr_profile": [
        {
            "hr_profile_id": n,
            "number": f"HRP{n:05d}",
            "gender": "Other",
            "user_id": n,
            "personal_email": f"{_PEOPLE[n - 1][0].lower()}@home.org",
            "marital_status": "Single",
            "type": "full-time",
            "dob": "1990-02-03",
            "nationality": "GB",
            "employment_start_date": "2020-01-01",
            "employment_end_date": "2026-01-31" if n == 4 else None,
            "manager": 2 if n in (3, 4) else 6 if n == 5 else None,
            "location_type": "Remote",
            "national_tax_id": f"TAX-{n:04d}",
            "position": "HR",
            "org_id": 1,
        }
        for n in range(1, 8)
        if n != 7
    ],
    "topic_category": [
        {"topic_category_id": n, "name": name, "coe_type": coe, "active": 1, "org_id": 1}
        for n, (name, coe) in enumerate((("Pay", "Payroll"), ("Benefits", "Total Rewards"), ("Idle", "HRIT")), 1)
    ],
    "topic_detail": [
        {"topic_detail_id": n, "name": f"Detail {n}", "topic_category": n, "active": n < 3, "org_id": 1} for n in (1, 2, 3)
    ],
    "service_template": [
        {
            "service_template_id": n,
            "name": f"Template {n}",
            "change_request_values": json.dumps({"short_description": "Check the pay slip", "category": "pay"}),
            "active": 1,
            "coe_type": coe,
            "org_id": 1,
        }
        for n, coe in ((1, "Payroll"), (2, "Total Rewards"))
    ],
    "hr_criteria": [
        {"hr_criteria_id": 1, "name": "Board", "type": "approval", "active": 1, "user_group": 3, "org_id": 1},
        {"hr_criteria_id": 2, "name": "Payroll", "type": "case_visibility", "active": 1, "user_group": 2, "org_id": 1},
        {"hr_criteria_id": 3, "name": "Idle", "type": "approval", "active": 1, "users": "[6]", "org_id": 1},
        {"hr_criteria_id": 4, "name": "Gone", "type": "approval", "active": 0, "users": "[6]", "org_id": 1},
    ],
    "hr_service": [
        {
            "hr_service_id": n,
            "service_name": name,
            "fulfillment_type": kind,
            "topic_detail": 1,
            "service_template": template,
            "hr_criteria": criteria,
            "active": active,
            "org_id": 1,
        }
        for n, (name, kind, template, criteria, active) in enumerate(
            (
                ("Pay slip", "service_activity", 1, None, 1),
                ("Pay rise", "workflow", 1, 1, 1),
                ("Pay secret", "manual", None, 2, 1),
                ("Pay abroad", "lifecycle event", 1, None, 1),
                ("Pay by cheque", "manual", None, None, 0),
                ("Pay by hand", "manual", None, None, 1),
            ),
            1,
        )
    ],
    "hr_case": [
        {
            "hr_case_id": n,
            "number": f"HRC{n:07d}",
            "hr_service": 1,
            "opened_for": 5,
            "opened_by": 3,
            "priority": "moderate",
            "source": "email",
            "short_description": "The pay slip is wrong",
            "coe_type": "Payroll",
            "account_number": "N/A",
            "org_id": 1,
        }
        | {name: json.dumps(value) if isinstance(value, list) else value for name, value in case.items()}
        for n, case in enumerate(_CASES, 1)
    ],
    "hr_case_task": [
        {"hr_case_task_id": n, "number": f"HRT{n:07d}", "short_description": "Check", "active": 1, "org_id": 1} | task
        for n, task in enumerate(_TASKS, 1)
    ],
    "checklist": [
        {"checklist_id": n, "checklist_item_description": "Read it", "checked": task == 5, "case_task_id": task, "org_id": 1}
        for n, task in enumerate((2, 5), 1)
    ],
    "survey": [{"survey_id": 1, "question_1": "Was it good?", "org_id": 1}],
    "survey_instance": [{"survey_instance_id": 1, "survey_id": 1, "case_task_id": 3, "assigned_to": 5, "org_id": 1}],
    "assignment_rules": [
        {"assignment_rule_id": 1, "name": "Tax", "based_on_skills": "[1]", "based_on_priority": "high", "active": 1}
        | {"user_group": 2, "users": "[7]", "org_id": 1}
    ],
    "escalation_rule": [{"escalation_rule_id": 1, "escalate_from": 1, "escalate_to": 2, "org_id": 1}],
    "knowledge": [
        {
            "knowledge_id": n,
            "kb_number": f"KB{n:07d}",
            "title": "Read a pay slip",
            "body": "From top to bottom.",
            "state": state,
            "visibility": "external" if n == 1 else "internal",
            "owner_id": 3,
            "org_id": 1,
        }
        for n, state in enumerate(("published", "retired", "draft", "published"), 1)
    ],
    "hr_case_knowledge": [{"hr_case_kb_id": 1, "hr_case_id": 3, "knowledge_id": 1, "used_as": "suggested", "org_id": 1}],
    "notification": [
        {"notification_id": 1, "hr_case_id": 3, "email": "eva@north.com", "type": "update", "status": "sent", "org_id": 1}
    ],
}
ACTORS = {role: Actor(str(n), role, "1") for role, n in (("admin", 1), ("manager", 2), ("agent", 3), ("employee", 5))}
_STAMPS = {"created_at": TIME, "updated_at": TIME}

SMALL = SmallWorld(HR, ROWS, ACTORS, acting="agent", stamps=_STAMPS)
open_world, session, call = SMALL.open, SMALL.session, SMALL.call
refused, forbidden, broken = SMALL.refused, SMALL.forbidden, SMALL.broken
