"""Chats, their members and messages."""

from __future__ import annotations

from typing import Any

from opsgym.core.records.columns import Choice, Json, Key, Moment, Ref, Text
from opsgym.envs.enterprise_ops.teams import words
from opsgym.envs.enterprise_ops.teams.tables.shared import kept

CHAT = kept(
    "chats",
    Key("chat_id", "CHAT"),
    Choice("chat_type", words.CHAT_TYPES, required=True),
    Text("topic", 255),
    Ref("created_by", "teams_users", by_actor=True),
    resource="chats",
)
CHAT_MEMBER = kept(
    "chat_members",
    Key("membership_id", "CHMEM"),
    Ref("chat_id", "chats", required=True),
    Ref("user_id", "teams_users", required=True),
    Json("roles", shape=list[str], required=True),
    resource="chats",
    indexes=(
        ("chat_id", "user_id"),
        ("user_id",),
    ),
)
CHAT_MESSAGE = kept(
    "chat_messages",
    Key("message_id", "CHMSG"),
    Ref("chat_id", "chats", required=True),
    Ref("from_user_id", "teams_users", required=True, by_actor=True),
    Text("subject", 255),
    Text("summary", 1024),
    Json("body_json", required=True),
    Choice("importance", words.IMPORTANCES, required=True, default="normal"),
    Choice("message_type", words.MESSAGE_TYPES, required=True, default="message"),
    Text("locale", 10),
    Ref("reply_to_id", "chat_messages"),
    Json("mentions", shape=list[dict[str, Any]]),
    Json("attachments", shape=list[dict[str, Any]]),
    Json("policy_violation"),
    Moment("deleted_at"),
    resource="messages",
    indexes=(("chat_id",),),
)
CHAT_REACTION = kept(
    "chat_message_reactions",
    Key("id", "CHREACT"),
    Ref("message_id", "chat_messages", required=True),
    Ref("user_id", "teams_users", required=True, by_actor=True),
    Text("reaction_type", 64, required=True),
    resource="messages",
    indexes=(("message_id",),),
)
PIN = kept(
    "pinned_messages",
    Key("id", "PIN"),
    Ref("chat_id", "chats", required=True),
    Ref("message_id", "chat_messages", required=True),
    resource="chats",
)
TABLES = (CHAT, CHAT_MEMBER, CHAT_MESSAGE, CHAT_REACTION, PIN)
