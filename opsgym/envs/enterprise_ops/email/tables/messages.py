"""Threads, messages with their headers, parts and attachments, and drafts."""

from __future__ import annotations

from opsgym.core.records.columns import Key, Ref, Text, Whole
from opsgym.core.records.table import Table
from opsgym.envs.enterprise_ops.email.tables.shared import OWNER

THREADS = Table(
    "threads",
    (Key("id"), OWNER, Text("snippet"), Whole("history_id", 0, required=True, default=0)),
    resource="mail",
    scope="user_id",
    indexes=(("user_id",),),
    derived=True,
)
MESSAGES = Table(
    "messages",
    (
        Key("id"),
        OWNER,
        Ref("thread_id", "threads", required=True),
        Text("snippet", derived=True),
        Text("internal_date", 20, required=True, doc="Milliseconds since 1970."),
        Whole("history_id", 0, required=True, default=0, derived=True),
        Whole("size_estimate", 0, required=True, default=0, derived=True),
        Text("raw"),
    ),
    resource="mail",
    scope="user_id",
    indexes=(("user_id",), ("thread_id",)),
)
MESSAGE_HEADERS = Table(
    "message_headers",
    (
        Key("id", whole=True),
        Ref("message_id", "messages", required=True),
        Text("name", 100, required=True),
        Text("value", 4000, required=True),
    ),
    resource="mail",
    indexes=(("message_id",),),
)
MESSAGE_PARTS = Table(
    "message_parts",
    (
        Key("id", whole=True),
        Ref("message_id", "messages", required=True),
        Text("part_id", 20, required=True, default=""),
        Text("mime_type", 120, required=True, default="text/plain"),
        Text("filename", 255),
        Ref("parent_part_id", "message_parts", whole=True),
    ),
    resource="mail",
    indexes=(("message_id",), ("parent_part_id",)),
)
ATTACHMENTS = Table(
    "attachments",
    (
        Key("id", "att"),
        Ref("message_id", "messages", required=True),
        Text("filename", 255, required=True),
        Text("mime_type", 120, required=True, default="application/octet-stream"),
        Whole("size", 0, required=True, default=0, derived=True),
        Text("data", required=True, default=""),
    ),
    resource="mail",
    indexes=(("message_id",),),
)
MESSAGE_PART_BODIES = Table(
    "message_part_bodies",
    (
        Key("id", whole=True),
        Ref("part_id", "message_parts", required=True, whole=True),
        Ref("attachment_id", "attachments"),
        Whole("size", 0, required=True, default=0, derived=True),
        Text("data"),
    ),
    resource="mail",
    indexes=(("part_id",), ("attachment_id",)),
)
DRAFTS = Table(
    "drafts",
    (Key("id", "draft"), OWNER, Ref("message_id", "messages", required=True)),
    resource="mail",
    scope="user_id",
    unique=(("message_id",),),
)
TABLES = (THREADS, MESSAGES, MESSAGE_HEADERS, MESSAGE_PARTS, ATTACHMENTS, MESSAGE_PART_BODIES, DRAFTS)
