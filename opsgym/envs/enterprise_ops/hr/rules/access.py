"""Who may do and see what."""

from __future__ import annotations

from opsgym.core.records.rights import Rights
from opsgym.core.records.sight import Mask, Sight

RIGHTS = Rights(
    {
        "admin": {
            "hr_cases": "edit",
            "hr_case_tasks": "read",
            "survey_instances": "read",
            "case_knowledge": "read",
            "notifications": "read",
            "*": "crud",
        },
        "manager": {
            "hr_cases": "edit",
            "hr_case_tasks": "edit",
            "survey_instances": "edit",
            "case_knowledge": "crud",
            "notifications": "crud",
            "knowledge": "edit",
            "hr_profiles": "edit",
            "group_members": "crud",
            "user_skills": "crud",
            "*": "read",
        },
        "agent": {
            "hr_cases": "edit",
            "hr_case_tasks": "edit",
            "survey_instances": "edit",
            "case_knowledge": "crud",
            "notifications": "edit",
            "knowledge": "edit",
            "*": "read",
        },
        "employee": {
            "hr_cases": "edit",
            "survey_instances": "edit",
            "hr_case_tasks": "read",
            "hr_profiles": "read",
            "hr_services": "read",
            "knowledge": "read",
            "notifications": "read",
            "surveys": "read",
            "topics": "read",
            "users": "read",
        },
    }
)

_OWN_CASE = "IN (SELECT c.hr_case_id FROM hr_case c WHERE c.opened_for = :actor)"


def _own(short: str, table: str, what: str, condition: str) -> Sight:
    return Sight(f"HR-SEE-{short}", f"An employee sees only {what}.", "employee", table, condition)


SIGHTS = (
    _own("USER", "user", "their own user record", "user_id = :actor"),
    _own("PROFILE", "hr_profile", "their own profile", "user_id = :actor"),
    _own("CASE", "hr_case", "cases that were opened for them", "opened_for = :actor"),
    _own("TASK", "hr_case_task", "tasks of cases that were opened for them", f"parent_case {_OWN_CASE}"),
    _own("NOTICE", "notification", "notifications about cases that were opened for them", f"hr_case_id {_OWN_CASE}"),
    _own("SURVEY", "survey_instance", "surveys that were handed to them", "assigned_to = :actor"),
    _own("PUBLIC", "knowledge", "published articles that are external", "state = 'published' AND visibility = 'external'"),
)
MASKS = (
    Mask(
        "HR-MASK-PII",
        "Tax number, birth date, marital status and personal email of a profile are masked for agents.",
        ("agent",),
        "hr_profile",
        ("national_tax_id", "dob", "marital_status", "personal_email"),
    ),
)
