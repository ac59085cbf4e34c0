"""Rules of what agents and customers may do with records that they may change."""

from __future__ import annotations

from opsgym.core.records.rules import Rule
from opsgym.envs.enterprise_ops.csm.rules.shared import ME, OWN

_MINE = (
    f"(old.assigned_to IS {ME} OR old.assignment_group_id IN (SELECT m.group_id FROM user_group_member m"
    f" WHERE m.user_id = {ME}) OR (old.assigned_to IS NULL AND old.assignment_group_id IS NULL))"
)
RULES = (
    Rule(
        "CSM-AGENT-CASE",
        "An agent changes only cases that are assigned to them, to a group of theirs, or to nobody.",
        "customer_case",
        f":role = 'agent' AND NOT {_MINE}",
        on=("update",),
    ),
    Rule(
        "CSM-AGENT-REROUTE",
        "Only managers and admins move a case from one group to another.",
        "customer_case",
        ":role = 'agent' AND old.assignment_group_id IS NOT NULL AND new.assignment_group_id IS NOT old.assignment_group_id",
        on=("update",),
    ),
    Rule(
        "CSM-AGENT-PRIORITY",
        "Only managers and admins change the priority of a case.",
        "customer_case",
        ":role IN ('agent', 'customer') AND new.priority <> old.priority",
        on=("update",),
    ),
    Rule(
        "CSM-AGENT-ESCALATE",
        "Only managers and admins escalate a case.",
        "customer_case",
        ":role IN ('agent', 'customer') AND new.escalation AND NOT coalesce(old.escalation, 0)",
    ),
    Rule(
        "CSM-AGENT-ARTICLE",
        "An agent changes only articles that they own.",
        "knowledge",
        f":role = 'agent' AND old.owner_id IS NOT {ME}",
        on=("update",),
    ),
    Rule(
        "CSM-CUST-CASE",
        "A customer registers cases only for their own account, as new and unassigned, and changes only their description.",
        "customer_case",
        f":role = 'customer' AND (NOT new.{OWN} OR new.assigned_to IS NOT old.assigned_to"
        " OR new.assignment_group_id IS NOT old.assignment_group_id OR new.state IS NOT coalesce(old.state, 'new'))",
    ),
    Rule(
        "CSM-CUST-INT",
        "A customer registers interactions only of their own account.",
        "interaction",
        f":role = 'customer' AND (new.account_id IS NULL OR NOT new.{OWN})",
    ),
    Rule(
        "CSM-CUST-PROFILE",
        "A customer changes only their own profile, and neither role nor activity.",
        "user",
        f":role = 'customer' AND (old.user_id IS NOT {ME} OR new.role IS NOT old.role OR new.active IS NOT old.active)",
    ),
)
