"""Policy of ITSM: lifecycles, priority, rights and rules.

Source: the published policy of EnterpriseOps-Gym's ITSM tasks, in our words.  Where it is silent (moves of
problems and changes) or contradicts itself, the choice is ours and noted.
"""

from __future__ import annotations

from opsgym.core.records.lifecycle import Lifecycle
from opsgym.core.records.matrix import Matrix
from opsgym.core.records.rights import Rights
from opsgym.core.records.rules import Rule
from opsgym.core.records.sight import Sight

_ORDER = ("low", "medium", "high")
_GRID = (("planning", "low", "moderate"), ("low", "moderate", "high"), ("moderate", "high", "critical"))
PRIORITY: dict[tuple[str, ...], str] = {
    (impact, urgency): _GRID[row][column] for row, impact in enumerate(_ORDER) for column, urgency in enumerate(_ORDER)
}
"""Priority by impact and urgency."""

MATRICES = tuple(
    Matrix(f"ITSM-{short}-PRIORITY", table, ("impact", "urgency"), "priority", PRIORITY)
    for short, table in (("INC", "incident"), ("PRB", "problem"))
)

LIFECYCLES = (
    Lifecycle(
        "ITSM-INC",
        "incident",
        "status",
        start=("new",),
        moves={
            "new": ("in_progress", "on_hold", "resolved"),
            "in_progress": ("on_hold", "resolved"),
            "on_hold": ("in_progress",),
            "resolved": ("closed", "in_progress"),
        },
        needs={"on_hold": ("on_hold_reason",), "resolved": ("resolution_code", "resolution_notes")},
        stamps={"resolved": "resolved"},
    ),
    Lifecycle(
        "ITSM-PRB",
        "problem",
        "status",
        start=("new",),
        moves={
            "new": ("assess", "root_cause", "fix_in_progress"),
            "assess": ("root_cause", "fix_in_progress"),
            "root_cause": ("fix_in_progress",),
            "fix_in_progress": ("resolved",),
            "resolved": ("closed", "fix_in_progress"),
        },
        needs={"resolved": ("fix_notes",)},
    ),
    Lifecycle(
        "ITSM-CHG",
        "change",
        "status",
        start=("new",),
        moves={
            "new": ("assess", "canceled"),
            "assess": ("authorize", "canceled"),
            "authorize": ("scheduled", "canceled"),
            "scheduled": ("implement", "canceled"),
            "implement": ("review",),
            "review": ("closed",),
        },
        needs={"scheduled": ("implementation_plan", "testing_plan"), "closed": ("close_code", "close_notes")},
    ),
)

RIGHTS = Rights(
    {
        "admin": {"*": "crud"},
        "manager": {
            "incidents": "crud",
            "problems": "crud",
            "changes": "crud",
            "knowledge": "crud",
            "incident_slas": "crud",
            "incident_affected_cis": "crud",
            "change_mappings": "crud",
            "notifications": "crud",
            "*": "read",
        },
        "agent": {
            "incidents": "crud",
            "problems": "crud",
            "changes": "crud",
            "knowledge": "crud",
            "configuration_items": "crud",
            "incident_slas": "crud",
            "incident_affected_cis": "crud",
            "change_mappings": "crud",
            "notifications": "crud",
            "*": "read",
        },
        "reporter": {"incidents": "edit", "knowledge": "read", "services": "read", "service_offerings": "read"},
    }
)
"""The policy's text, which the official data contradict; records that hang on incidents go with them."""

_IN_SERVICE = (
    "EXISTS (SELECT 1 FROM configuration_item c"
    " WHERE c.configuration_item_id = new.configuration_item AND c.status IN ('in_use', 'maintenance'))"
)
_OPEN = "('new', 'in_progress', 'on_hold')"
_APPROVED = "('scheduled', 'implement', 'review', 'closed')"

SIGHTS = (
    Sight(
        "ITSM-SEE-OWN",
        "A reporter sees only incidents of which they are the caller.",
        "reporter",
        "incident",
        "caller_id = :actor",
    ),
    Sight(
        "ITSM-SEE-PUBLIC",
        "A reporter sees only published knowledge articles that are external.",
        "reporter",
        "knowledge",
        "state = 'published' AND visibility = 'external'",
    ),
)

RULES = (
    Rule(
        "ITSM-INC-DATED",
        "The time of resolution is the time at which the resolution is recorded.",
        "incident",
        "new.resolved IS NOT NULL AND new.resolved IS NOT old.resolved"
        " AND (datetime(new.resolved) BETWEEN datetime(:start) AND datetime(:now)) IS NOT TRUE",
    ),
    Rule(
        "ITSM-INC-ASSIGN",
        "An incident is assigned to an active agent or manager, who is a member of its assignment group where one is named.",
        "incident",
        "new.assigned_to IS NOT NULL"
        " AND (new.assigned_to IS NOT old.assigned_to OR new.assignment_group IS NOT old.assignment_group)"
        " AND (NOT EXISTS (SELECT 1 FROM users u WHERE u.user_id = new.assigned_to AND u.active"
        " AND u.role IN ('agent', 'manager'))"
        " OR (new.assignment_group IS NOT NULL AND NOT EXISTS (SELECT 1 FROM user_group_member m"
        " WHERE m.user_id = new.assigned_to AND m.group_id = new.assignment_group)))",
    ),
    Rule(
        "ITSM-INC-OWN",
        "A reporter creates and changes only incidents of which they are the caller.",
        "incident",
        ":role = 'reporter' AND (new.caller_id <> :actor OR coalesce(old.caller_id, :actor) <> :actor)",
    ),
    Rule(
        "ITSM-INC-CLOSE",
        "A resolved incident is closed at the earliest 72 hours after it was resolved.",
        "incident",
        "new.status = 'closed' AND old.status <> 'closed'"
        " AND coalesce(julianday(:now) - julianday(new.resolved), 0) * 24 < 72 - 1e-6",
        on=("update",),
    ),
    Rule(
        "ITSM-INC-CI",
        "Only a configuration item that is in use or in maintenance is linked to an open incident.",
        "incident",
        f"new.configuration_item IS NOT NULL AND new.configuration_item IS NOT old.configuration_item"
        f" AND new.status IN {_OPEN} AND NOT {_IN_SERVICE}",
    ),
    Rule(
        "ITSM-CI-AFFECTED",
        "Only a configuration item that is in use or in maintenance is listed as affected by an open incident.",
        "incident_affected_cis",
        f"new.configuration_item IS NOT old.configuration_item AND NOT {_IN_SERVICE}"
        f" AND EXISTS (SELECT 1 FROM incident i WHERE i.incident_id = new.incident_id AND i.status IN {_OPEN})",
    ),
    Rule(
        "ITSM-SLA-PAUSE",
        "While an incident is on hold, its running SLAs are paused where their definition says so.",
        "incident",
        None,
        end="new.status = 'on_hold' AND EXISTS (SELECT 1 FROM incident_sla s JOIN sla_definition d USING (sla_def_id)"
        " WHERE s.incident_id = new.incident_id AND d.pause_on_pending AND s.stage = 'in_progress')",
    ),
    Rule(
        "ITSM-SLA-ALIGN",
        "When the priority of an incident changes, an active SLA for the new priority is started, where one is defined.",
        "incident",
        None,
        end="new.priority <> old.priority AND EXISTS (SELECT 1 FROM sla_definition d WHERE d.org_id = new.org_id AND d.active"
        " AND d.applies_to_priority = new.priority) AND NOT EXISTS (SELECT 1 FROM incident_sla s JOIN sla_definition d"
        " USING (sla_def_id) WHERE s.incident_id = new.incident_id AND d.active AND d.applies_to_priority = new.priority"
        " AND s.stage NOT IN ('completed', 'cancelled'))",
        on=("update",),
    ),
    Rule(
        "ITSM-SLA-PRIORITY",
        "An SLA that is started for an incident is active and fits its priority.",
        "incident_sla",
        "EXISTS (SELECT 1 FROM sla_definition d, incident i WHERE d.sla_def_id = new.sla_def_id"
        " AND i.incident_id = new.incident_id"
        " AND (NOT d.active OR d.applies_to_priority <> i.priority))",
        on=("create",),
    ),
    Rule(
        "ITSM-KB-USE",
        "A retired article is not linked to an incident; only a published one is applied or its resolution.",
        "incident_knowledge",
        "EXISTS (SELECT 1 FROM knowledge k WHERE k.knowledge_id = new.knowledge_id"
        " AND (k.state = 'retired' OR (k.state <> 'published' AND new.used_as <> 'suggested')))",
    ),
    Rule(
        "ITSM-PRB-WORKAROUND",
        "When a workaround of a problem is found, its status becomes fix_in_progress.",
        "problem",
        "coalesce(new.workaround, '') <> '' AND new.workaround IS NOT old.workaround"
        " AND new.status IN ('new', 'assess', 'root_cause')",
    ),
    Rule(
        "ITSM-PRB-CLOSE",
        "A problem is closed only after a change that is mapped to it was closed as successful.",
        "problem",
        "new.status = 'closed' AND old.status <> 'closed' AND NOT EXISTS (SELECT 1 FROM change_request_mapping m"
        " JOIN change c USING (change_id) WHERE m.problem_id = new.problem_id AND c.status = 'closed'"
        " AND c.close_code IN ('successful', 'successful_with_issues'))",
        on=("update",),
    ),
    Rule(
        "ITSM-CHG-APPROVE",
        "Only a manager or an admin approves a change, that is, moves it from authorize to scheduled.",
        "change",
        "old.status = 'authorize' AND new.status = 'scheduled' AND :role NOT IN ('manager', 'admin')",
        end=f"old.status NOT IN {_APPROVED} AND new.status IN {_APPROVED} AND :role NOT IN ('manager', 'admin')",
        on=("update",),
    ),
)

NOTES = {
    "conduct": (
        "Look up who you act for before you change anything.",
        "If a request breaks a rule, stop, change nothing, and give the rule.",
        "Do not ask back. Where a request fits several records, list them and say that it is ambiguous.",
        "Never make up keys or values: look them up.",
    ),
}
