"""Rules by which cases find their group, and by which groups hand them on."""

from __future__ import annotations

from opsgym.core.records.columns import Choice, Flag, Json, Key, Ref, Text
from opsgym.core.records.table import Table
from opsgym.envs.enterprise_ops.hr import words
from opsgym.envs.enterprise_ops.hr.tables.shared import ORG, STAMPS

ASSIGNMENT_RULE = Table(
    "assignment_rules",
    (
        Key("assignment_rule_id", whole=True),
        Text("name", 120, required=True),
        Json("based_on_skills", shape=list[int]),
        Choice("based_on_country", words.COUNTRIES),
        Choice("based_on_priority", words.PRIORITIES, required=True, default="planning"),
        Flag("active", required=True, default=False),
        Ref("user_group", "user_group", whole=True),
        Json("users", shape=list[int]),
        ORG,
        *STAMPS,
    ),
    resource="assignment_rules",
    scope="org_id",
    unique=(("org_id", "name"),),
)
ESCALATION_RULE = Table(
    "escalation_rule",
    (
        Key("escalation_rule_id", whole=True),
        Ref("escalate_from", "user_group", whole=True, required=True),
        Ref("escalate_to", "user_group", whole=True, required=True),
        ORG,
        *STAMPS,
    ),
    resource="escalation_rules",
    scope="org_id",
    unique=(("escalate_from", "escalate_to"),),
    checks={"escalate_from <> escalate_to": "A group does not escalate to itself."},
)
TABLES = (ASSIGNMENT_RULE, ESCALATION_RULE)
