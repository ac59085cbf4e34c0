"""Cases, and what was said about them."""

from __future__ import annotations

from opsgym.core.records.columns import Choice, Flag, Key, Moment, Ref, Serial, Text, Whole
from opsgym.core.records.table import Table
from opsgym.envs.enterprise_ops.csm import words
from opsgym.envs.enterprise_ops.csm.tables.shared import CREATED, STAMPS

CASE = Table(
    "customer_case",
    (
        Key("case_id", whole=True),
        Serial("number", "CS-"),
        Ref("account_id", "account", required=True, whole=True),
        Ref("contact_id", "contact", required=True, whole=True),
        Ref("product_id", "product", whole=True),
        Ref("installed_product_id", "installed_product", whole=True),
        Choice("channel", words.CHANNELS, required=True),
        Choice("priority", words.PRIORITIES, required=True),
        Choice("state", words.CASE_STATES, required=True),
        Text("short_description", 500, required=True),
        Ref("assignment_group_id", "user_group", whole=True),
        Ref("assigned_to", "user", whole=True),
        Flag("escalation", required=True, default=False),
        Choice("escalation_reason", words.ESCALATION_REASONS),
        Whole("reopen_count", 0, required=True, default=0, shown=False),
        *STAMPS,
        Moment("closed_on"),
    ),
    resource="cases",
    indexes=(("account_id",), ("assigned_to",), ("installed_product_id",)),
)
NOTIFICATION = Table(
    "notification",
    (
        Key("notification_id", whole=True),
        Ref("case_id", "customer_case", required=True, whole=True),
        Ref("knowledge_id", "knowledge", whole=True),
        Text("email", None, "email", required=True, shown=False),
        Choice("type", words.NOTICE_TYPES, required=True),
        Choice("status", words.NOTICE_STATUSES, required=True, default="success"),
        CREATED,
    ),
    resource="notifications",
)
INTERACTION = Table(
    "interaction",
    (
        Key("interaction_id", whole=True),
        Choice("channel", words.CHANNELS, required=True),
        Ref("account_id", "account", whole=True),
        Ref("contact_id", "contact", whole=True),
        Ref("case_id", "customer_case", whole=True),
        Ref("interacted_user", "user", whole=True),
        Choice("status", words.INTERACTION_STATUSES, required=True),
        Moment("started_at"),
        Moment("ended_at"),
        CREATED,
    ),
    resource="interactions",
    indexes=(("case_id",),),
)
TABLES = (CASE, NOTIFICATION, INTERACTION)
