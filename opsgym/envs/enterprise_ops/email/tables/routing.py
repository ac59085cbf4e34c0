"""Filters and forwarding."""

from __future__ import annotations

from opsgym.core.records.columns import Choice, Flag, Json, Key, Text
from opsgym.core.records.table import Table
from opsgym.envs.enterprise_ops.email import words
from opsgym.envs.enterprise_ops.email.tables.shared import OWNER

FILTERS = Table(
    "filters",
    (Key("id", "filter"), OWNER, Json("criteria_json", required=True), Json("action_json", required=True)),
    resource="filters",
    scope="user_id",
)
FORWARDING_ADDRESSES = Table(
    "forwarding_addresses",
    (
        Key("id", "forward"),
        OWNER,
        Text("forwarding_email", 254, "email", required=True),
        Choice("verification_status", words.VERIFICATIONS, required=True, default="pending"),
    ),
    resource="forwarding",
    scope="user_id",
    unique=(("user_id", "forwarding_email"),),
)
AUTO_FORWARDING = Table(
    "auto_forwarding",
    (
        Key("id", "auto"),
        OWNER,
        Flag("enabled", required=True, default=False),
        Text("email_address", 254, "email"),
        Choice("disposition", words.DISPOSITIONS, required=True, default="leaveInInbox"),
    ),
    resource="forwarding",
    scope="user_id",
    unique=(("user_id",),),
)
TABLES = (FILTERS, FORWARDING_ADDRESSES, AUTO_FORWARDING)
