"""Users, their settings, channels and tokens."""

from __future__ import annotations

from opsgym.core.records.columns import Choice, Flag, Json, Key, Moment, Ref, Text
from opsgym.core.records.table import Table
from opsgym.envs.enterprise_ops.calendar import words

USERS = Table(
    "users",
    (
        Key("id", "USER"),
        Text("email", 120, "email", required=True),
        Text("display_name", 120, required=True),
        Text("timezone", 60, required=True, default="UTC"),
        Text("auth_token", secret=True),
        Moment("created_at", stamp="created"),
    ),
    resource="users",
    unique=(("email",),),
)
SETTINGS = Table(
    "settings",
    (
        Key("id", "SET"),
        Ref("user_id", "users", required=True, by_actor=True),
        Text("setting_id", 60, required=True),
        Text("value", 200),
    ),
    resource="settings",
    unique=(("user_id", "setting_id"),),
)
CHANNELS = Table(
    "watch_channels",
    (
        Key("id"),
        Ref("user_id", "users", required=True, by_actor=True),
        Choice("resource_type", words.WATCHED, required=True),
        Ref("calendar_id", "calendars"),
        Text("type", required=True, default="web_hook"),
        Text("address", required=True),
        Text("token", 256),
        Json("params"),
        Text("resource_id"),
        Moment("expiration"),
        Flag("active", required=True, default=True),
    ),
    resource="channels",
)
SYNC_TOKENS = Table(
    "sync_tokens",
    (
        Key("id", "SYNC"),
        Ref("user_id", "users", required=True, by_actor=True),
        Text("resource", required=True),
        Text("token", required=True),
        Moment("created_at", stamp="created"),
    ),
    resource="settings",
)
TABLES = (USERS, SETTINGS, CHANNELS, SYNC_TOKENS)
