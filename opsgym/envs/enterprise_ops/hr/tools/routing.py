"""Tools for assignment rules and escalation rules."""

from __future__ import annotations

from opsgym.core.records.signature import Argument
from opsgym.core.records.tools import creating, listing, removing, updating
from opsgym.envs.enterprise_ops.hr.tables.routing import ASSIGNMENT_RULE, ESCALATION_RULE
from opsgym.envs.enterprise_ops.hr.tools.shared import Search, texts

_BASIS = "based_on_country based_on_priority active user_group"
_ALL = "based_on_skills based_on_country based_on_priority active user_group users"
_IDS = texts("escalation_rule_id escalate_from escalate_to")

TOOLS = (
    creating(
        "add_new_assignment_rule",
        "Create an assignment rule",
        ASSIGNMENT_RULE,
        "name",
        _ALL,
        defaults={"based_on_priority": "planning", "active": False},
    ),
    updating("update_assignment_rules", "Change an assignment rule", ASSIGNMENT_RULE, "assignment_rule_id", f"name {_ALL}"),
    Search(
        ASSIGNMENT_RULE,
        f"assignment_rule_id name {_BASIS}",
        (
            Argument("based_on_skills", str, "Keys of skills, with commas between.", False),
            Argument("users", str, "Keys of users, with commas between.", False),
        ),
        is_paged=True,
    ).tool("list_assignment_rules", "List assignment rules; all arguments given must match"),
    creating(
        "add_new_escalation_rule", "Let a group escalate to another", ESCALATION_RULE, "escalate_from escalate_to", kinds=_IDS
    ),
    listing(
        "list_escalation_rules",
        "List escalation rules; all arguments given must match",
        ESCALATION_RULE,
        "escalation_rule_id escalate_from escalate_to",
        kinds=_IDS,
    ),
    removing("remove_escalation_rule", "Delete an escalation rule", ESCALATION_RULE, need="escalation_rule_id", kinds=_IDS),
)
