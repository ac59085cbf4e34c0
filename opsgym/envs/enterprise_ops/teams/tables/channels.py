"""Channels, their members, files and messages."""

from __future__ import annotations

from typing import Any

from opsgym.core.records.columns import Choice, Flag, Json, Key, Moment, Ref, Text, Whole
from opsgym.core.records.table import Table
from opsgym.envs.enterprise_ops.teams import words
from opsgym.envs.enterprise_ops.teams.tables.shared import ORG, SOFT, TIMES, kept

CHANNEL = kept(
    "channels",
    Key("channel_id", "CHAN"),
    Ref("team_id", "teams", required=True),
    Text("display_name", 50, required=True),
    Text("description", 1024),
    Text("email", 320, "email"),
    Choice("membership_type", words.MEMBERSHIP_TYPES, required=True, default="standard"),
    Flag("is_favorite_by_default", required=True, default=False),
    Flag("is_primary", required=True, default=False),
    Flag("is_archived", required=True, default=False),
    resource="channels",
    indexes=(("team_id",),),
)
CHANNEL_MEMBER = kept(
    "channel_members",
    Key("membership_id", "CMEM"),
    Ref("channel_id", "channels", required=True),
    Ref("user_id", "teams_users", required=True),
    Json("roles", shape=list[str], required=True),
    resource="channels",
    indexes=(
        ("channel_id", "user_id"),
        ("user_id",),
    ),
)
SHARED_WITH = kept(
    "shared_channel_teams",
    Key("id", "SHARE"),
    Ref("channel_id", "channels", required=True),
    Ref("team_id", "teams", required=True),
    resource="channels",
    unique=(("channel_id", "team_id"),),
)
FOLDER = Table(
    "channel_files_folders",
    (
        Key("folder_id", "FOLDER"),
        Ref("channel_id", "channels", required=True),
        Text("name", 256, required=True),
        Text("web_url", 512, required=True),
        ORG,
        *TIMES,
        SOFT,
    ),
    resource="files",
    scope="org_id",
    unique=(("channel_id",),),
    derived=True,  # the system makes one with each channel
)
ITEM = kept(
    "drive_items",
    Key("item_id", "ITEM"),
    Ref("channel_id", "channels", required=True),
    Ref("folder_id", "channel_files_folders", required=True),
    Text("name", 256, required=True),
    Whole("size", 0, required=True, default=0),
    Text("web_url", 512, required=True),
    Ref("created_by", "teams_users", by_actor=True),
    resource="files",
)
MESSAGE = kept(
    "channel_messages",
    Key("message_id", "CMSG"),
    Ref("channel_id", "channels", required=True),
    Ref("from_user_id", "teams_users", required=True, by_actor=True),
    Text("subject", 255),
    Text("summary", 1024),
    Json("body_json", required=True),
    Choice("importance", words.IMPORTANCES, required=True, default="normal"),
    Text("locale", 10),
    Ref("reply_to_id", "channel_messages"),
    Json("mentions", shape=list[dict[str, Any]]),
    Json("attachments", shape=list[dict[str, Any]]),
    Json("policy_violation"),
    Moment("deleted_at"),
    resource="messages",
    indexes=(("channel_id",),),
)
REACTION = kept(
    "message_reactions",
    Key("id", "CREACT"),
    Ref("message_id", "channel_messages", required=True),
    Ref("user_id", "teams_users", required=True, by_actor=True),
    Text("reaction_type", 64, required=True),
    resource="messages",
    indexes=(("message_id",),),
)
TABLES = (CHANNEL, CHANNEL_MEMBER, SHARED_WITH, FOLDER, ITEM, MESSAGE, REACTION)
