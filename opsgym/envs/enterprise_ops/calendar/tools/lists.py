"""Tools for each user's list of calendars."""

from __future__ import annotations

import re
from typing import Any

from opsgym.core.errors import ToolError
from opsgym.core.records.records import Records
from opsgym.envs.enterprise_ops.calendar import words
from opsgym.envs.enterprise_ops.calendar.parts import reminder, sync
from opsgym.envs.enterprise_ops.calendar.tables.calendars import (
    CALENDAR_COLOURS,
    CALENDARS,
    DEFAULT_REMINDERS,
    ENTRIES,
    NOTIFICATIONS,
)
from opsgym.envs.enterprise_ops.calendar.tools.shared import (
    TERMS,
    Row,
    calendar_of,
    email_of,
    full,
    roles_from,
    since,
    sync_token,
    text,
    within,
)
from opsgym.envs.enterprise_ops.paging import page

_MAY = (
    "colorRgbFormat=false summaryOverride colorId backgroundColor foregroundColor hidden=false selected=true defaultReminders"
    " notificationSettings"
)
_PLAIN = {"summaryOverride": "summary_override", "colorId": "color_id", "hidden": "hidden", "selected": "selected"}
_COLOURS = {"backgroundColor": "background_color", "foregroundColor": "foreground_color"}


def _role(records: Records, calendar: Row) -> str:
    """The actor's role on a calendar."""
    email = email_of(records)
    if calendar["owner_id"] == records.actor.id:
        return "owner"
    rows = records.world.execute(
        "SELECT r.role FROM acl_rules r JOIN acl_scopes s ON s.id = r.scope_id WHERE r.calendar_id = ? AND NOT r.deleted"
        " AND (s.type = 'default' OR (s.type = 'user' AND s.value = ?) OR (s.type = 'domain' AND s.value = ?))",
        (calendar["id"], email, email.partition("@")[2]),
    ).fetchall()
    return max((role for (role,) in rows), key=words.ACL_ROLES.index, default="none")


def _entry(records: Records, key: str) -> Row:
    """The entry of a calendar on the actor's list."""
    wanted = email_of(records) if key == "primary" else key
    return records.get(ENTRIES, {"user_id": records.actor.id, "calendar_id": wanted, "deleted": False})


def _shown(records: Records, row: Row) -> Row:
    calendar = records.find(CALENDARS, {"id": row["calendar_id"]})
    told = {name: calendar[0][name] for name in ("summary", "description", "time_zone")} if calendar else {}
    reminders = records.find(DEFAULT_REMINDERS, {"entry_id": row["id"]})
    notices = records.find(NOTIFICATIONS, {"entry_id": row["id"]})
    parts = {
        "defaultReminders": [{"method": item["method"], "minutes": item["minutes"]} for item in reminders],
        "notificationSettings": {"notifications": [{"type": item["type"], "method": item["method"]} for item in notices]},
        "access_role": _role(records, calendar[0]) if calendar else None,
    }
    return full(told | row | parts)


def _values(records: Records, given: Row) -> Row:
    values = {column: given[name] for name, column in _PLAIN.items() if name in given}
    if given.get("colorId"):
        colour = records.find(CALENDAR_COLOURS, {"id": given["colorId"]})
        if not colour:
            raise ToolError("not_found", f"colorId: no calendar colour {given['colorId'][:40]!r}", "get_colors lists them.")
        values |= {"background_color": colour[0]["background"], "foreground_color": colour[0]["foreground"]}
    asked = {column: given[name] for name, column in _COLOURS.items() if name in given}
    if asked and not given.get("colorRgbFormat"):
        raise ToolError("invalid_value", "backgroundColor and foregroundColor need colorRgbFormat true", "Or give colorId.")
    for name, value in asked.items():
        if not re.fullmatch(r"#[0-9a-fA-F]{6}", value):
            raise ToolError("invalid_value", f"{name}: expected #RRGGBB, got {value[:40]!r}")
    return values | asked


def _set_parts(records: Records, entry_id: str, given: Row, *, whole: bool = False) -> bool:
    """Set reminders and notifications that are given; whether any are."""
    owner = {"entry_id": entry_id}
    if "defaultReminders" in given or whole:
        wanted = [{"method": method, "minutes": minutes} for method, minutes in map(reminder, given.get("defaultReminders", ()))]
        sync(records, DEFAULT_REMINDERS, owner, ("method", "minutes"), wanted)
    if "notificationSettings" in given or whole:
        notices = [_notice(item) for item in given.get("notificationSettings", {}).get("notifications", ())]
        sync(records, NOTIFICATIONS, owner, ("type",), notices)
    return "defaultReminders" in given or "notificationSettings" in given


def _notice(given: Row) -> Row:
    if given.get("type") not in words.NOTICES:
        wanted = ", ".join(words.NOTICES)
        raise ToolError("invalid_value", f"notifications.type: expected one of {wanted}, got {str(given.get('type'))[:40]!r}")
    if given.get("method", "email") != "email":
        raise ToolError("invalid_value", f"notifications.method: expected email, got {given['method'][:40]!r}")
    return {"type": given["type"], "method": "email"}


@TERMS.tool(
    "get_calendar_list",
    "List the calendars on your list",
    "",
    "maxResults=100 minAccessRole pageToken showDeleted=false showHidden=false syncToken",
    maxResults=within(0, 250),
)
def get_calendar_list(records: Records, given: Row) -> Any:
    """Entries on a page."""
    since(given.get("syncToken"))
    equal: Row = {"user_id": records.actor.id} | ({} if given["showDeleted"] else {"deleted": False})
    rows = [row for row in records.find(ENTRIES, equal) if given["showHidden"] or not row["hidden"]]
    shown = [_shown(records, row) for row in rows]
    if "minAccessRole" in given:
        shown = [row for row in shown if row.get("access_role") in roles_from(given["minAccessRole"])]
    return page("items", shown, given.get("pageToken"), given["maxResults"] or 100) | {"nextSyncToken": sync_token(records)}


@TERMS.tool("get_calendar_from_list", "Read one calendar of your list", "calendarId")
def get_calendar_from_list(records: Records, given: Row) -> Any:
    """One entry."""
    return _shown(records, _entry(records, given["calendarId"]))


@TERMS.tool(
    "add_calendar_to_list",
    "Put a calendar on your list, with colour, reminders and notifications of your own",
    "id",
    _MAY,
    mutates=True,
    colorId=text(50),
)
def add_calendar_to_list(records: Records, given: Row) -> Any:
    """The entry."""
    calendar = calendar_of(records, given["id"])
    there = records.find(ENTRIES, {"user_id": records.actor.id, "calendar_id": calendar["id"]})
    if there and not there[0]["deleted"]:
        raise ToolError("bad_state", f"calendar {calendar['id']} is on your list already", "Use update_calendar_in_list.")
    values = _values(records, given)
    with records.together():
        if there:
            row = records.update(ENTRIES, {"id": there[0]["id"]}, values | {"deleted": False})
        else:
            row = records.create(ENTRIES, {"calendar_id": calendar["id"], "access_role": _role(records, calendar)} | values)
        _set_parts(records, row["id"], given)
    return _shown(records, row)


def _change(records: Records, given: Row, *, whole: bool) -> Row:
    row = _entry(records, given["calendarId"])
    values = _values(records, given)
    if whole:
        names = ("summary_override", "color_id", "background_color", "foreground_color")
        values = {name: "" for name in names if row[name] is not None} | values
    values = {name: value for name, value in values.items() if row[name] != value}
    before = _shown(records, row)
    with records.together():
        _set_parts(records, row["id"], given, whole=whole)
        if values:
            row = records.update(ENTRIES, {"id": row["id"]}, values)
        elif _shown(records, row) == before:
            raise ToolError("invalid_value", "nothing would change", "Give at least one new value.")
    return _shown(records, row)


@TERMS.tool(
    "update_calendar_in_list",
    "Change how a calendar is on your list; hidden and selected that are not given become false and true",
    "calendarId",
    _MAY,
    mutates=True,
    colorId=text(50),
)
def update_calendar_in_list(records: Records, given: Row) -> Any:
    """The entry after the change."""
    return _change(records, given, whole=False)


@TERMS.tool(
    "replace_calendar_in_list",
    "Replace how a calendar is on your list: what is not given is cleared",
    "calendarId",
    f"{_MAY} conferenceProperties",
    mutates=True,
    colorId=text(50),
)
def replace_calendar_in_list(records: Records, given: Row) -> Any:
    """The entry after the change."""
    return _change(records, given, whole=True)


@TERMS.tool("remove_calendar_from_list", "Take a calendar off your list; the calendar stays", "calendarId", mutates=True)
def remove_calendar_from_list(records: Records, given: Row) -> Any:
    """The entry that is gone."""
    row = _entry(records, given["calendarId"])
    if row["is_primary"]:
        raise ToolError("bad_state", "your primary calendar cannot be taken off your list", "Hide it.")
    shown = _shown(records, row)
    with records.together():
        for table in (DEFAULT_REMINDERS, NOTIFICATIONS):
            sync(records, table, {"entry_id": row["id"]}, (), [])
        records.delete(ENTRIES, {"id": row["id"]})
    return {"deleted": shown}


TOOLS = (
    get_calendar_list,
    get_calendar_from_list,
    add_calendar_to_list,
    update_calendar_in_list,
    replace_calendar_in_list,
    remove_calendar_from_list,
)
