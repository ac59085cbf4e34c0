"""Mailboxes, their delegates, and who is told of what changes in them."""

from __future__ import annotations

from opsgym.core.records.columns import Choice, Flag, Json, Key, Moment, Ref, Text, Whole
from opsgym.core.records.table import Table
from opsgym.envs.enterprise_ops.email import words
from opsgym.envs.enterprise_ops.email.tables.shared import OWNER

USERS = Table(
    "users",
    (
        Key("id", "user"),
        Text("email", 254, "email", required=True),
        Text("display_name", 120, required=True),
        Flag("is_admin", required=True, default=False),
        Flag("suspended", required=True, default=False),
        Whole("messages_total", 0, required=True, default=0, derived=True),
        Whole("threads_total", 0, required=True, default=0, derived=True),
        Whole("history_id", 0, required=True, default=0, derived=True),
    ),
    resource="profiles",
    unique=(("email",),),
)
DELEGATES = Table(
    "delegates",
    (
        Key("id", "delegate"),
        OWNER,
        Ref("delegate_email", "users", "email", required=True),
        Choice("verification_status", (*words.VERIFICATIONS, "rejected", "expired"), required=True, default="accepted"),
    ),
    resource="delegates",
    scope="user_id",
    unique=(("user_id", "delegate_email"),),
)
WATCHES = Table(
    "watches",
    (
        Key("id", "watch"),
        OWNER,
        Text("topic_name", 255, required=True),
        Choice("label_filter_behavior", words.BEHAVIOURS, required=True, default="include"),
        Whole("history_id", 0, required=True, default=0),
        Text("expiration", 20, required=True, doc="When it ends, in milliseconds since 1970."),
        Flag("active", required=True, default=True),
    ),
    resource="watches",
    scope="user_id",
    unique=(("user_id",),),
)
WATCH_LABELS = Table(
    "watch_labels",
    (Ref("watch_id", "watches", required=True), Ref("label_id", "labels", required=True)),
    resource="watches",
    key=("watch_id", "label_id"),
    indexes=(("label_id",),),
)
HISTORY = Table(
    "history",
    (
        Key("id", whole=True),
        OWNER,
        Text("message_id", required=True),  # no reference: it outlives the message
        Text("thread_id", required=True),
        Choice("change_type", words.HISTORY_TYPES, required=True),
        Json("label_ids", shape=list[str]),
        Moment("created_at", stamp="created"),
    ),
    resource="history",
    scope="user_id",
    derived=True,
    indexes=(("user_id",),),
)
TABLES = (USERS, DELEGATES, WATCHES, WATCH_LABELS, HISTORY)
