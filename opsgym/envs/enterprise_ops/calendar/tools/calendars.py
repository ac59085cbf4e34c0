"""Tools for calendars."""

from __future__ import annotations

from typing import Any

from opsgym.core.errors import ToolError
from opsgym.core.records.records import Records
from opsgym.envs.enterprise_ops.calendar.scopes import scope_id
from opsgym.envs.enterprise_ops.calendar.tables.calendars import ACL_RULES, CALENDARS
from opsgym.envs.enterprise_ops.calendar.tables.events import EVENTS
from opsgym.envs.enterprise_ops.calendar.tools.shared import TERMS, Row, calendar_of, email_of, full, text
from opsgym.envs.enterprise_ops.calendar.zones import zone_of

_COLUMNS = {
    "summary": "summary",
    "description": "description",
    "location": "location",
    "timeZone": "time_zone",
    "conferenceProperties": "conference_properties",
}
_LIMITS = {"summary": text(255), "description": text(1000), "location": text(500)}
_MAY = "summary description location timeZone conferenceProperties"
_PARTS = ("event_attendees", "event_reminders", "event_attachments", "event_conference", "event_extended_properties")


def _values(given: Row) -> Row:
    if given.get("timeZone"):
        zone_of(given["timeZone"])
    return {column: given[name] for name, column in _COLUMNS.items() if name in given}


@TERMS.tool("get_calendar", "Read a calendar; primary means your own", "calendarId")
def get_calendar(records: Records, given: Row) -> Any:
    """One calendar."""
    return full(calendar_of(records, given["calendarId"]))


@TERMS.tool(
    "create_calendar",
    "Create a secondary calendar that you own; it is not on your list of calendars until you add it",
    "summary",
    "description location timeZone=UTC conferenceProperties",
    mutates=True,
    **_LIMITS,
)
def create_calendar(records: Records, given: Row) -> Any:
    """The new calendar."""
    row = records.create(CALENDARS, _values(given))
    scope = scope_id(records, "user", email_of(records))
    records.create(ACL_RULES, {"calendar_id": row["id"], "scope_id": scope, "role": "owner"})
    return full(row)


@TERMS.tool("patch_calendar", "Change what is given of a calendar", "calendarId", _MAY, mutates=True, **_LIMITS)
def patch_calendar(records: Records, given: Row) -> Any:
    """The calendar after the change."""
    return full(records.update(CALENDARS, {"id": calendar_of(records, given["calendarId"])["id"]}, _values(given)))


@TERMS.tool(
    "update_calendar",
    "Replace what is known of a calendar: what is not given is cleared",
    "calendarId",
    _MAY,
    mutates=True,
    **_LIMITS,
)
def update_calendar(records: Records, given: Row) -> Any:
    """The calendar after the change."""
    calendar = calendar_of(records, given["calendarId"])
    cleared = {"description": "", "location": "", "conference_properties": ""}
    cleared = {name: value for name, value in cleared.items() if calendar[name] is not None}
    return full(records.update(CALENDARS, {"id": calendar["id"]}, cleared | _values(given)))


@TERMS.tool("delete_calendar", "Delete a secondary calendar with all its events for good", "calendarId", mutates=True)
def delete_calendar(records: Records, given: Row) -> Any:
    """The calendar that is gone."""
    calendar = calendar_of(records, given["calendarId"])
    if calendar["is_primary"]:
        raise ToolError("bad_state", "a primary calendar cannot be deleted", "clear_calendar removes its events.")
    with records.world.savepoint():
        records.world.execute("PRAGMA defer_foreign_keys = ON")
        records.delete(CALENDARS, {"id": calendar["id"]})
        _forget(records, calendar["id"])
        entries = "SELECT id FROM calendar_list_entries WHERE calendar_id = ?"
        for table in ("calendar_default_reminders", "calendar_notifications"):
            _write(records, table, f"DELETE FROM {table} WHERE entry_id IN ({entries})", calendar["id"])
        for table in ("calendar_list_entries", "acl_rules", "watch_channels"):
            _write(records, table, f"DELETE FROM {table} WHERE calendar_id = ?", calendar["id"])
    return {"deleted": full(calendar)}


@TERMS.tool("clear_calendar", "Remove all events of your primary calendar for good", "calendarId", mutates=True)
def clear_calendar(records: Records, given: Row) -> Any:
    """How many events are gone."""
    calendar = calendar_of(records, given["calendarId"])
    if not calendar["is_primary"]:
        raise ToolError("bad_state", "only a primary calendar can be cleared", "delete_calendar removes a secondary one.")
    rows = records.find(EVENTS, {"calendar_id": calendar["id"]})
    with records.world.savepoint():
        records.world.execute("PRAGMA defer_foreign_keys = ON")
        for row in rows:
            _drop_parts(records, "= ?", row["id"])
            records.delete(EVENTS, {"id": row["id"]})
    return {"deleted": len(rows)}


def _forget(records: Records, calendar_id: str) -> None:
    """Remove the events of a calendar that is gone."""
    _drop_parts(records, "IN (SELECT id FROM events WHERE calendar_id = ?)", calendar_id)
    _write(records, "events", "DELETE FROM events WHERE calendar_id = ?", calendar_id)


def _drop_parts(records: Records, which: str, key: str) -> None:
    for table in _PARTS:
        _write(records, table, f"DELETE FROM {table} WHERE event_id {which}", key)


def _write(records: Records, table: str, sql: str, key: str) -> None:
    records.world.write(table, sql, [(key,)], (None,))


TOOLS = (get_calendar, create_calendar, patch_calendar, update_calendar, delete_calendar, clear_calendar)
