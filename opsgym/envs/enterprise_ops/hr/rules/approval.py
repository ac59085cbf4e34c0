"""Which cases need approval, who gives it, and what may follow."""

from __future__ import annotations

from opsgym.core.records.rules import Rule
from opsgym.envs.enterprise_ops.hr.rules.shared import ME, STEP, named_by

_DECIDED = "new.request_status IN ('approved', 'rejected') AND new.request_status IS NOT old.request_status"
_CRITERIA = (
    "EXISTS (SELECT 1 FROM hr_service s JOIN hr_criteria c ON c.hr_criteria_id = s.hr_criteria"
    " WHERE s.hr_service_id = new.hr_service AND c.active AND c.type = 'approval'{0})"
)
_PASSED = (
    "old.status = 'awaiting_approval' AND ((new.status IN ('work_in_progress', 'closed_complete')"
    " AND new.request_status IS NOT 'approved')"
    " OR (new.status = 'closed_incomplete' AND new.request_status IS NOT 'rejected'))"
)
_SECTION = "approval"

RULES = (
    Rule(
        "HR-APPROVE-DUE",
        "A case of a service with active approval criteria, or that names such criteria itself, is closed complete only when it"
        " was approved.",
        "hr_case",
        "new.status = 'closed_complete' AND new.request_status IS NOT 'approved'"
        f" AND (new.approval_criteria IS NOT NULL OR {_CRITERIA.format('')})",
        section=_SECTION,
    ),
    Rule(
        "HR-APPROVE-CRITERIA",
        "A case that awaits approval names the approval criteria of its service, where it has any; criteria that a case names"
        " are active and of type approval.",
        "hr_case",
        "(new.status = 'awaiting_approval' AND "
        + _CRITERIA.format(" AND new.approval_criteria IS NOT c.hr_criteria_id")
        + ") OR (new.approval_criteria IS NOT NULL AND new.approval_criteria IS NOT old.approval_criteria AND NOT EXISTS"
        " (SELECT 1 FROM hr_criteria c WHERE c.hr_criteria_id = new.approval_criteria AND c.active AND c.type = 'approval'))",
        section=_SECTION,
    ),
    Rule(
        "HR-APPROVE-BY",
        "The approver of a case is an active manager or admin, is not the person for whom it was opened,"
        " and is named by its approval criteria, where it has any.",
        "hr_case",
        "new.approver IS NOT NULL AND (new.approver IS NOT old.approver OR new.approval_criteria IS NOT old.approval_criteria)"
        " AND (new.approver = new.opened_for"
        " OR NOT EXISTS (SELECT 1 FROM user u WHERE u.user_id = new.approver AND u.active AND u.role IN ('manager', 'admin'))"
        " OR EXISTS (SELECT 1 FROM hr_criteria c WHERE c.hr_criteria_id = new.approval_criteria"
        f" AND NOT {named_by('c', 'new.approver')}))",
        section=_SECTION,
    ),
    Rule(
        "HR-APPROVE-ROLE",
        "A case is approved or rejected only by its approver, or by an admin.",
        "hr_case",
        f"{_DECIDED} AND NOT (:role = 'admin' OR (:role = 'manager' AND new.approver = {ME}))",
        on=("update",),
        section=_SECTION,
    ),
    Rule(
        "HR-APPROVE-SELF",
        "Nobody decides on a case that was opened for them.",
        "hr_case",
        f"{_DECIDED} AND new.opened_for = {ME}",
        f"{_DECIDED} AND new.opened_for = {ME}",
        on=("update",),
        section=_SECTION,
    ),
    Rule(
        "HR-APPROVE-ASKED",
        "A decision is made only while the case awaits approval and its approval is requested.",
        "hr_case",
        f"{_DECIDED} AND (old.request_status IS NOT 'requested' OR old.status IS NOT 'awaiting_approval')",
        STEP,
        on=("update",),
        section=_SECTION,
    ),
    Rule(
        "HR-APPROVE-WAIT",
        "From awaiting_approval a case goes to work or to closed_complete only when it was approved, and to closed_incomplete"
        " only when it was rejected.",
        "hr_case",
        _PASSED,
        _PASSED,
        on=("update",),
        section=_SECTION,
    ),
)
