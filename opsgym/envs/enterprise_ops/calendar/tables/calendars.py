"""Calendars, colours, who may see and change a calendar, and each user's list of calendars."""

from __future__ import annotations

from opsgym.core.records.columns import Choice, Flag, Json, Key, Moment, Ref, Text, Whole
from opsgym.core.records.table import Table
from opsgym.envs.enterprise_ops.calendar import words

_COLOUR = (Key("id"), Text("name", required=True), Text("background", required=True), Text("foreground", required=True))

CALENDAR_COLOURS = Table("calendar_colors", _COLOUR, resource="colors")
EVENT_COLOURS = Table("event_colors", _COLOUR, resource="colors")
CALENDARS = Table(
    "calendars",
    (
        Key("id", "CAL"),
        Ref("owner_id", "users", required=True, by_actor=True),
        Text("summary", 255, required=True),
        Text("description", 1000),
        Text("location", 500),
        Text("time_zone", 60, required=True, default="UTC"),
        Json("conference_properties"),
        Flag("is_primary", required=True, default=False),
        Flag("deleted", required=True, default=False),
        Text("etag", derived=True),
        Moment("created_at", stamp="created"),
        Moment("updated_at", stamp="updated"),
    ),
    resource="calendars",
)
ENTRIES = Table(
    "calendar_list_entries",
    (
        Key("id", "ENTRY"),
        Ref("user_id", "users", required=True, by_actor=True),
        Ref("calendar_id", "calendars", required=True),
        Text("summary_override", 255),
        Ref("color_id", "calendar_colors"),
        Text("background_color", 7),
        Text("foreground_color", 7),
        Flag("hidden", required=True, default=False),
        Flag("selected", required=True, default=True),
        Choice("access_role", words.ACL_ROLES, derived=True),
        Flag("is_primary", required=True, default=False),
        Flag("deleted", required=True, default=False),
    ),
    resource="calendar_list",
    unique=(("user_id", "calendar_id"),),
)
DEFAULT_REMINDERS = Table(
    "calendar_default_reminders",
    (
        Key("id", "DREM"),
        Ref("entry_id", "calendar_list_entries", required=True),
        Choice("method", words.METHODS, required=True),
        Whole("minutes", 0, required=True),
    ),
    resource="calendar_list",
    unique=(("entry_id", "method", "minutes"),),
)
NOTIFICATIONS = Table(
    "calendar_notifications",
    (
        Key("id", "CNOT"),
        Ref("entry_id", "calendar_list_entries", required=True),
        Choice("type", words.NOTICES, required=True),
        Text("method", required=True, default="email"),
    ),
    resource="calendar_list",
    unique=(("entry_id", "type"),),
)
ACL_SCOPES = Table(
    "acl_scopes",
    (Key("id", "SCOPE"), Choice("type", words.SCOPES, required=True), Text("value", 120)),
    resource="acl",
    derived=True,
)
ACL_RULES = Table(
    "acl_rules",
    (
        Key("id", "ACL"),
        Ref("calendar_id", "calendars", required=True),
        Ref("scope_id", "acl_scopes", required=True),
        Choice("role", words.ACL_ROLES, required=True),
        Flag("deleted", required=True, default=False),
        Text("etag", derived=True),
    ),
    resource="acl",
    unique=(("calendar_id", "scope_id"),),
)
TABLES = (CALENDAR_COLOURS, EVENT_COLOURS, CALENDARS, ENTRIES, DEFAULT_REMINDERS, NOTIFICATIONS, ACL_SCOPES, ACL_RULES)
