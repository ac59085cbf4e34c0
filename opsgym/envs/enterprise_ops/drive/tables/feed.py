"""Changes, and the channels on which they are told."""

from __future__ import annotations

from opsgym.core.records.columns import Choice, Flag, Json, Key, Moment, Ref, Text, Whole
from opsgym.core.records.table import Table
from opsgym.envs.enterprise_ops.drive import words
from opsgym.envs.enterprise_ops.drive.tables.people import CREATED

_CHANNEL = (Text("resource_id", 120), Text("resource_uri"), Text("address", required=True))

CHANGES = Table(
    "changes",
    (
        Key("token", whole=True),
        Moment("change_time", stamp="created"),
        Text("file_id"),  # no reference: a change outlives its file
        Text("drive_id"),
        Choice("change_type", words.CHANGE_TYPES, required=True, default="file"),
        Json("payload"),
        Text("kind", default="drive#change"),
        Flag("removed", required=True, default=False),
    ),
    resource="changes",
    derived=True,
)
TOKENS = Table(
    "change_tokens", (Key("scope"), Whole("last_token", 0, required=True, default=0)), resource="changes", derived=True
)
DRIVE_CHANNELS = Table(
    "drive_channels",
    (
        Key("id"),
        *_CHANNEL,
        Moment("expiration"),
        Text("type", required=True, default="web_hook"),
        Text("token", 256),
        Json("params"),
        CREATED,
    ),
    resource="channels",
)
CHANNELS = Table(
    "channels",
    (
        Key("id"),
        *_CHANNEL,
        Text("type", required=True, default="web_hook"),
        Text("token", 256),
        Flag("payload", required=True, default=False),
        Json("params"),
        Moment("expiration"),
        Flag("active", required=True, default=True),
        Ref("user_id", "users", by_actor=True),
        CREATED,
    ),
    resource="channels",
)
SUBSCRIPTIONS = Table(
    "subscriptions",
    (
        Key("id", "SUB"),
        Ref("channel_id", "channels", required=True),
        Choice("resource_type", words.CHANGE_TYPES, required=True, default="file"),
        Text("resource_id", required=True),
        Text("callback_url"),
        CREATED,
        Moment("expires_time"),
        Flag("active", required=True, default=True),
    ),
    resource="channels",
    derived=True,
)
DELIVERIES = Table(
    "webhook_deliveries",
    (
        Key("id", "HOOK"),
        Ref("subscription_id", "subscriptions", required=True),
        Ref("channel_id", "channels"),
        Ref("change_token", "changes", whole=True),
        Choice("status", words.DELIVERY_STATES, required=True, default="pending"),
        Whole("attempts", 0, required=True, default=0),
        Text("last_error"),
        Moment("next_retry_time"),
        CREATED,
        Moment("updated_time", stamp="updated"),
    ),
    resource="changes",
    derived=True,
)
TABLES = (CHANGES, TOKENS, DRIVE_CHANNELS, CHANNELS, SUBSCRIPTIONS, DELIVERIES)
