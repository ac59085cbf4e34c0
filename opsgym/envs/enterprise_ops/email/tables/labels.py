"""Labels, and what bears them."""

from __future__ import annotations

from opsgym.core.records.columns import Choice, Key, Ref, Text, Whole
from opsgym.core.records.table import Table
from opsgym.envs.enterprise_ops.email import words

LABELS = Table(
    "labels",
    (
        Key("id", "Label", digits=1),
        Ref("user_id", "users", doc="The mailbox; empty for system labels, which all mailboxes share."),
        Text("name", 100, required=True),
        Choice("type", words.LABEL_TYPES, required=True, default="user"),
        Choice("message_list_visibility", words.MESSAGE_VISIBILITIES, required=True, default="show"),
        Choice("label_list_visibility", words.LABEL_VISIBILITIES, required=True, default="labelShow"),
        Text("text_color", 9),
        Text("background_color", 9),
        Whole("messages_total", 0, required=True, default=0, derived=True),
        Whole("messages_unread", 0, required=True, default=0, derived=True),
        Whole("threads_total", 0, required=True, default=0, derived=True),
        Whole("threads_unread", 0, required=True, default=0, derived=True),
    ),
    resource="labels",
    unique=(("user_id", "name"),),
    checks={"(type = 'system') = (user_id IS NULL)": "System labels belong to no mailbox, others to one."},
)
MESSAGE_LABELS = Table(
    "message_labels",
    (Ref("message_id", "messages", required=True), Ref("label_id", "labels", required=True)),
    resource="mail",
    key=("message_id", "label_id"),
    indexes=(("label_id",),),
)
THREAD_LABELS = Table(
    "thread_labels",
    (Ref("thread_id", "threads", required=True), Ref("label_id", "labels", required=True)),
    resource="mail",
    key=("thread_id", "label_id"),
    indexes=(("label_id",),),
    derived=True,
)
TABLES = (LABELS, MESSAGE_LABELS, THREAD_LABELS)
