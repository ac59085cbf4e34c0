"""How cases are registered, assigned and handled, and by whom."""

from __future__ import annotations

from opsgym.core.records.rules import Rule
from opsgym.envs.enterprise_ops.hr.rules.shared import CLOSED, ME, STEP, changed, handler, named_by
from opsgym.envs.enterprise_ops.hr.tables.cases import CASE

_ASSIGNED = "(new.assigned_to IS NOT old.assigned_to OR new.assignment_group IS NOT old.assignment_group)"
_FROZEN = f"old.status IN {CLOSED} AND {changed(CASE, ('status', 'worknotes'))}"
_DECISION = ("status", "request_status", "worknotes")
_LEAKS = (
    "EXISTS (SELECT 1 FROM hr_profile p WHERE p.org_id = new.org_id AND (instr(new.{0}, p.national_tax_id) > 0"
    " OR instr(lower(new.{0}), lower(p.personal_email)) > 0))"
)


def _leak() -> str:
    return " OR ".join(
        f"(new.{name} IS NOT old.{name} AND new.{name} IS NOT NULL AND {_LEAKS.format(name)})"
        for name in ("short_description", "worknotes")
    )


_LEAK = _leak()
_TAKEN = (
    "((old.assigned_to IS NOT NULL AND new.assigned_to IS NOT old.assigned_to)"
    " OR (old.assignment_group IS NOT NULL AND new.assignment_group IS NOT old.assignment_group)) AND :role <> 'manager'"
)
RULES = (
    Rule(
        "HR-CASE-REGISTER",
        "A new case names its service and whom it is opened for.",
        "hr_case",
        "new.hr_service IS NULL OR new.opened_for IS NULL",
        on=("create",),
    ),
    Rule(
        "HR-CASE-FOR",
        "A case is opened only for an active user who has a profile.",
        "hr_case",
        "NOT EXISTS (SELECT 1 FROM user u JOIN hr_profile p USING (user_id) WHERE u.user_id = new.opened_for AND u.active)",
        on=("create",),
    ),
    Rule(
        "HR-CASE-SERVICE",
        "A case is of an active service.",
        "hr_case",
        "new.hr_service IS NOT NULL AND new.hr_service IS NOT old.hr_service"
        " AND NOT EXISTS (SELECT 1 FROM hr_service s WHERE s.hr_service_id = new.hr_service AND s.active)",
    ),
    Rule(
        "HR-CASE-CENTRE",
        "The coe_type of a case is that of the topic category of its service.",
        "hr_case",
        "EXISTS (SELECT 1 FROM hr_service s JOIN topic_detail d ON d.topic_detail_id = s.topic_detail"
        " JOIN topic_category c ON c.topic_category_id = d.topic_category"
        " WHERE s.hr_service_id = new.hr_service AND c.coe_type <> new.coe_type)",
    ),
    Rule(
        "HR-CASE-ACCOUNT",
        "An account number is N/A or starts with ACC-, and an account type is given exactly where the number is not N/A.",
        "hr_case",
        "(new.account_number <> 'N/A' AND new.account_number NOT GLOB 'ACC-*')"
        " OR (new.account_number = 'N/A') = (new.account_type IS NOT NULL)",
    ),
    Rule(
        "HR-CASE-ASSIGN",
        "An open case is assigned to an active agent or manager, who is a member of its active assignment group.",
        "hr_case",
        f"new.assigned_to IS NOT NULL AND {_ASSIGNED} AND new.status NOT IN {CLOSED} AND NOT {handler('new')}",
    ),
    Rule(
        "HR-CASE-SELF",
        "Nobody handles a case that was opened for them.",
        "hr_case",
        "new.assigned_to = new.opened_for",
    ),
    Rule(
        "HR-CASE-SKILLS",
        "Whoever an open case is assigned to has every skill that the case asks for.",
        "hr_case",
        "new.assigned_to IS NOT NULL AND (new.assigned_to IS NOT old.assigned_to OR new.skills IS NOT old.skills)"
        f" AND new.status NOT IN {CLOSED} AND EXISTS (SELECT 1 FROM json_each(coalesce(new.skills, '[]')) j WHERE NOT EXISTS"
        " (SELECT 1 FROM user_skill k WHERE k.user = new.assigned_to AND k.skill = j.value))",
    ),
    Rule(
        "HR-CASE-VISIBLE",
        "A case of a service with active criteria of type case_visibility is assigned only to somebody whom these name.",
        "hr_case",
        f"new.assigned_to IS NOT NULL AND new.assigned_to IS NOT old.assigned_to AND new.status NOT IN {CLOSED}"
        " AND EXISTS (SELECT 1 FROM hr_service s JOIN hr_criteria c ON c.hr_criteria_id = s.hr_criteria"
        " WHERE s.hr_service_id = new.hr_service AND c.active AND c.type = 'case_visibility'"
        f" AND NOT {named_by('c', 'new.assigned_to')})",
    ),
    Rule(
        "HR-CASE-REASSIGN",
        "Only a manager takes a case from whom it is assigned to, or gives it to another group.",
        "hr_case",
        _TAKEN,
        _TAKEN,
        on=("update",),
    ),
    Rule(
        "HR-CASE-FOLLOW",
        "When a case is given to somebody else, the open tasks that the former assignee has in it are not left with them.",
        "hr_case",
        None,
        end="old.assigned_to IS NOT NULL AND new.assigned_to IS NOT old.assigned_to AND EXISTS (SELECT 1 FROM hr_case_task t"
        f" WHERE t.parent_case = new.hr_case_id AND t.assigned_to = old.assigned_to AND t.status NOT IN {CLOSED})",
        on=("update",),
    ),
    Rule(
        "HR-CASE-ESCALATE",
        "A case moves from one group to another only where an escalation rule leads from the one to the other.",
        "hr_case",
        "old.assignment_group IS NOT NULL AND new.assignment_group IS NOT old.assignment_group AND NOT EXISTS"
        " (SELECT 1 FROM escalation_rule e WHERE e.escalate_from = old.assignment_group"
        " AND e.escalate_to = new.assignment_group)",
        STEP,
        on=("update",),
    ),
    Rule(
        "HR-CASE-FROZEN",
        "Of a case that is closed or cancelled nothing but the work notes is changed.",
        "hr_case",
        _FROZEN,
        _FROZEN,
        on=("update",),
    ),
    Rule(
        "HR-CASE-ADMIN",
        "An admin does no casework: they open no case, and of a case that awaits approval they change only the decision,"
        " the status and the work notes.",
        "hr_case",
        f":role = 'admin' AND (old.status IS NOT 'awaiting_approval' OR {changed(CASE, _DECISION)})",
    ),
    Rule(
        "HR-CASE-OWN",
        "An employee opens and changes only cases that are opened for them, leaves assignment and approval alone,"
        " and sets no status but draft, ready or cancelled.",
        "hr_case",
        f":role = 'employee' AND (new.opened_for IS NOT {ME} OR coalesce(old.opened_for, {ME}) <> {ME}"
        " OR new.assigned_to IS NOT old.assigned_to OR new.assignment_group IS NOT old.assignment_group"
        " OR new.approver IS NOT old.approver OR new.request_status IS NOT old.request_status"
        " OR (new.status IS NOT old.status AND new.status NOT IN ('draft', 'ready', 'cancelled')))",
    ),
    Rule(
        "HR-CASE-PII",
        "No tax number or personal email address stands in the description or the work notes of a case.",
        "hr_case",
        _LEAK,
        _LEAK,
    ),
    Rule(
        "HR-TASK-PII",
        "No tax number or personal email address stands in the description or the work notes of a task.",
        "hr_case_task",
        _LEAK,
        _LEAK,
    ),
    Rule(
        "HR-NOTICE-TO",
        "A notification goes to the work address of somebody who has part in the case: for whom it was opened, who opened it,"
        " to whom it is assigned, or who approves it.",
        "notification",
        "NOT EXISTS (SELECT 1 FROM hr_case c JOIN user u ON u.user_id IN (c.opened_for, c.opened_by, c.assigned_to, c.approver)"
        " WHERE c.hr_case_id = new.hr_case_id AND lower(u.email) = lower(new.email))",
    ),
)
