"""Tools for users, settings, colours and channels."""

from __future__ import annotations

import datetime as dt
from typing import Any, Literal

from opsgym.core.errors import ToolError
from opsgym.core.records.records import Records
from opsgym.envs.enterprise_ops.calendar.tables.calendars import CALENDAR_COLOURS, EVENT_COLOURS
from opsgym.envs.enterprise_ops.calendar.tables.people import CHANNELS, SETTINGS, USERS
from opsgym.envs.enterprise_ops.calendar.tools.shared import TERMS, URI, Row, calendar_of, full, text

WEEK = 7 * 24 * 3600
"""Seconds for which a channel stands where nothing else is said."""


@TERMS.tool("get_user_by_email", "Read a user by address", "email")
def get_user_by_email(records: Records, given: Row) -> Any:
    """One user."""
    return full(records.get(USERS, {"email": given["email"].lower()}))


@TERMS.tool("list_settings", "List your settings")
def list_settings(records: Records, given: Row) -> Any:
    """All settings of the actor."""
    rows = records.find(SETTINGS, {"user_id": records.actor.id})
    return {"items": [{"id": row["setting_id"], "value": row["value"]} for row in rows]}


@TERMS.tool("get_settings", "Read one of your settings, such as timezone", "settingId")
def get_settings(records: Records, given: Row) -> Any:
    """One setting."""
    row = records.get(SETTINGS, {"user_id": records.actor.id, "setting_id": given["settingId"]})
    return {"id": row["setting_id"], "value": row["value"]}


@TERMS.tool("get_colors", "List the colours of calendars and of events, by id")
def get_colors(records: Records, given: Row) -> Any:
    """Colours by kind and id."""
    tables = {"calendar": CALENDAR_COLOURS, "event": EVENT_COLOURS}
    return {
        kind: {row["id"]: {name: row[name] for name in ("name", "background", "foreground")} for row in records.find(table, {})}
        for kind, table in tables.items()
    }


def _watch(records: Records, given: Row, kind: str, calendar: Row | None = None) -> Row:
    """Set up a channel."""
    if records.find(CHANNELS, {"id": given["id"]}):
        raise ToolError("bad_state", f"id: there is a channel {given['id'][:60]!r} already")
    if given.get("type", "web_hook") not in ("web_hook", "webhook"):
        raise ToolError("invalid_value", f"type: expected web_hook, got {given['type'][:40]!r}")
    ttl = given.get("params", {}).get("ttl", str(WEEK))
    if not (ttl.isascii() and ttl.isdecimal()) or not 0 < len(ttl) <= 9 or int(ttl) == 0:
        raise ToolError("invalid_value", f"params.ttl: expected seconds as digits, got {ttl[:40]!r}")
    values = {name: given[name] for name in ("id", "address", "token", "params") if name in given}
    place = {"calendar_id": calendar["id"]} if calendar else {}
    return full(
        records.create(
            CHANNELS,
            values
            | place
            | {
                "resource_type": kind,
                "type": "web_hook",
                "resource_id": f"{kind}/{calendar['id']}" if calendar else f"{kind}/{records.actor.id}",
                "expiration": (records.world.now + dt.timedelta(seconds=int(ttl))).isoformat(" "),
            },
        )
    )


@TERMS.tool(
    "watch_events",
    "Set up a channel on which changes of a calendar's events are told",
    "calendarId id type address",
    "token params eventTypes",
    mutates=True,
)
def watch_events(records: Records, given: Row) -> Any:
    """The channel."""
    return _watch(records, given, "events", calendar_of(records, given["calendarId"]))


@TERMS.tool(
    "watch_acl",
    "Set up a channel on which changes of access to a calendar are told",
    "calendarId id type=web_hook address",
    "token params",
    mutates=True,
)
def watch_acl(records: Records, given: Row) -> Any:
    """The channel."""
    return _watch(records, given, "acl", calendar_of(records, given["calendarId"]))


@TERMS.tool(
    "watch_calendar_list",
    "Set up a channel on which changes of your list of calendars are told",
    "id type=web_hook address",
    "token params",
    mutates=True,
    type=Literal["web_hook", "webhook"],
    address=URI,
    token=text(256),
)
def watch_calendar_list(records: Records, given: Row) -> Any:
    """The channel."""
    return _watch(records, given, "calendar_list")


@TERMS.tool(
    "watch_settings",
    "Set up a channel on which changes of your settings are told",
    "id type=web_hook address",
    "token params",
    mutates=True,
    type=Literal["web_hook"],
    address=URI,
)
def watch_settings(records: Records, given: Row) -> Any:
    """The channel."""
    return _watch(records, given, "settings")


TOOLS = (
    get_user_by_email,
    list_settings,
    get_settings,
    get_colors,
    watch_events,
    watch_acl,
    watch_calendar_list,
    watch_settings,
)
