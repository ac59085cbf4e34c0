"""Tools that read events, and tell when people are free."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Any

from opsgym.core.errors import ToolError
from opsgym.core.records import statements
from opsgym.core.records.records import Records
from opsgym.envs.enterprise_ops.calendar.freebusy import busy
from opsgym.envs.enterprise_ops.calendar.occurrences import Occurrence, instance_of, single, spread, window
from opsgym.envs.enterprise_ops.calendar.parts import parts_of
from opsgym.envs.enterprise_ops.calendar.tables.calendars import CALENDARS
from opsgym.envs.enterprise_ops.calendar.tables.events import ATTENDEES, EVENTS
from opsgym.envs.enterprise_ops.calendar.times import moment, shown
from opsgym.envs.enterprise_ops.calendar.tools.shared import TERMS, Row, calendar_of, email_of, full, since, sync_token, within
from opsgym.envs.enterprise_ops.calendar.zones import written, zone_of
from opsgym.envs.enterprise_ops.paging import page

_HIDDEN = {name for part in ("start", "end") for name in (f"{part}_datetime", f"{part}_date", f"{part}_timezone")}
MAX_SPAN = dt.timedelta(days=366)
"""Longest window of a free/busy query."""


def shown_event(records: Records, item: Occurrence, zone: str, most: int | None = None) -> Row:
    """An event as tools show it, with times in a zone."""
    row = {name: value for name, value in full(item.row).items() if name not in _HIDDEN}
    own = zone or item.row["start_timezone"] or "UTC"
    if item.first_day is not None and item.last_day is not None:
        times = {"start": {"date": item.first_day.isoformat()}, "end": {"date": item.last_day.isoformat()}}
    else:
        times = {"start": shown(item.start, False, own), "end": shown(item.end, False, own)}
    if item.id != item.row["id"]:
        row = {name: value for name, value in row.items() if name != "recurrence"}
        row |= {"id": item.id, "recurring_event_id": item.series}
    if item.original is not None:
        row["original_start"] = written(item.original, own)
    return row | times | parts_of(records, item.row["id"], most)


def event_of(records: Records, calendar: Row, key: str) -> Occurrence:
    """The event, or the instance, of an id.

    Raises:
        ToolError: ``not_found``.
    """
    rows = records.find(EVENTS, {"calendar_id": calendar["id"], "id": key})
    if rows:
        return single(rows[0], calendar["time_zone"])
    found = instance_of(records, calendar, key)
    if found is None:
        raise ToolError("not_found", f"no event {key[:60]!r} in calendar {calendar['id']}")
    return found


def _zone(given: Row) -> str:
    zone = given.get("timeZone", "")
    if zone:
        zone_of(zone)
    return str(zone)


def _time(given: Row, name: str, zone: str) -> dt.datetime | None:
    return moment(given[name], name, zone) if given.get(name) else None


@TERMS.tool("get_event", "Read an event, or an instance of a recurring one", "calendarId eventId", "timeZone maxAttendees")
def get_event(records: Records, given: Row) -> Any:
    """One event."""
    calendar = calendar_of(records, given["calendarId"])
    return shown_event(records, event_of(records, calendar, given["eventId"]), _zone(given), given.get("maxAttendees"))


@TERMS.tool(
    "list_events",
    "List the events of a calendar: recurring ones once, or with singleEvents as instances",
    "calendarId",
    "eventTypes iCalUID maxAttendees maxResults orderBy pageToken privateExtendedProperty q sharedExtendedProperty showDeleted"
    " showHiddenInvitations singleEvents syncToken timeMax timeMin timeZone updatedMin",
    maxResults=within(1, 2500),
)
def list_events(records: Records, given: Row) -> Any:
    """Events on a page."""
    calendar = calendar_of(records, given["calendarId"])
    if given.get("orderBy") == "startTime" and not given.get("singleEvents"):
        raise ToolError("invalid_value", "orderBy: startTime needs singleEvents")
    zone = _zone(given) or calendar["time_zone"]
    low, high = window(_time(given, "timeMin", zone), _time(given, "timeMax", zone), records.world.now)
    rows = records.find(EVENTS, {"calendar_id": calendar["id"]})
    deleted = bool(given.get("showDeleted"))
    found = spread(rows, calendar["time_zone"], low, high, cancelled=deleted)
    if not given.get("singleEvents"):
        found = _whole(rows, found, calendar["time_zone"])
    wanted = _filters(records, given, zone)
    kept = [item for item in found if all(test(item) for test in wanted)]
    if given.get("orderBy") == "updated":
        kept.sort(key=lambda item: (item.row["updated_at"], item.id))
    result = page("items", kept, given.get("pageToken"), given.get("maxResults", 250))
    result["items"] = [shown_event(records, item, _zone(given), given.get("maxAttendees")) for item in result["items"]]
    return result | {"timeZone": calendar["time_zone"], "nextSyncToken": sync_token(records)}


def _whole(rows: list[Row], found: list[Occurrence], zone: str) -> list[Occurrence]:
    """Recurring events once each, in place of their instances; exceptions stay."""
    there = {item.row["id"] for item in found}
    return [single(row, zone) for row in rows if row["id"] in there]


def _filters(records: Records, given: Row, zone: str) -> list[Callable[[Occurrence], bool]]:
    tests: list[Callable[[Occurrence], bool]] = []
    if given.get("q"):
        needle = given["q"].lower()
        tests.append(lambda item: needle in _text(records, item.row))
    if given.get("eventTypes"):
        kinds = [kind.strip() for kind in given["eventTypes"].split(",")]
        tests.append(lambda item: item.row["event_type"] in kinds)
    if given.get("iCalUID"):
        tests.append(lambda item: item.row["ical_uid"] == given["iCalUID"])
    changed = max(filter(None, (since(given.get("syncToken")), str(_time(given, "updatedMin", zone) or ""))), default="")
    if changed:
        tests.append(lambda item: item.row["updated_at"] >= changed)
    for name, scope in (("privateExtendedProperty", "private"), ("sharedExtendedProperty", "shared")):
        if given.get(name):
            tests.append(_has_property(records, scope, given[name]))
    return tests


def _has_property(records: Records, scope: str, text: str) -> Callable[[Occurrence], bool]:
    key, equal, value = text.partition("=")
    if not equal:
        raise ToolError("invalid_value", f"{scope}ExtendedProperty: expected key=value, got {text[:40]!r}")
    sql = "SELECT 1 FROM event_extended_properties WHERE event_id = ? AND scope = ? AND key = ? AND value = ?"
    return lambda item: records.world.execute(sql, (item.row["id"], scope, key, value)).fetchone() is not None


def _text(records: Records, row: Row) -> str:
    guests = [
        part for guest in records.find(ATTENDEES, {"event_id": row["id"]}) for part in (guest["email"], guest["display_name"])
    ]
    return " ".join(filter(None, (row["summary"], row["description"], row["location"], *guests))).lower()


@TERMS.tool(
    "get_event_instances",
    "List the instances of a recurring event",
    "calendarId eventId",
    "maxAttendees maxResults originalStart pageToken showDeleted timeMin timeMax timeZone",
    maxResults=within(1, 2500),
)
def get_event_instances(records: Records, given: Row) -> Any:
    """Instances on a page, exceptions among them."""
    calendar = calendar_of(records, given["calendarId"])
    row = records.get(EVENTS, {"calendar_id": calendar["id"], "id": given["eventId"]})
    if not row["recurrence"]:
        raise ToolError("bad_state", f"event {row['id']} does not recur")
    zone = _zone(given) or row["start_timezone"] or calendar["time_zone"]
    low, high = window(_time(given, "timeMin", zone), _time(given, "timeMax", zone), records.world.now)
    rows = [row, *records.find(EVENTS, {"recurring_event_id": row["id"]})]
    found = spread(rows, calendar["time_zone"], low, high, cancelled=bool(given.get("showDeleted")))
    original = _time(given, "originalStart", zone)
    kept = [item for item in found if original is None or item.original == original]
    result = page("items", kept, given.get("pageToken"), given.get("maxResults", 250))
    shown_items = [shown_event(records, item, _zone(given), given.get("maxAttendees")) for item in result["items"]]
    return result | {"items": shown_items}


@TERMS.tool(
    "query_freebusy",
    "Tell when calendars are busy: confirmed, opaque events within a window, merged",
    "timeMin timeMax items",
    "timeZone groupExpansionMax calendarExpansionMax",
)
def query_freebusy(records: Records, given: Row) -> Any:
    """Busy spans by calendar; a calendar that is not there or not to be seen has an error instead."""
    zone = _zone(given) or "UTC"
    low, high = moment(given["timeMin"], "timeMin", zone), moment(given["timeMax"], "timeMax", zone)
    if not low < high or high - low > MAX_SPAN:
        raise ToolError("invalid_value", f"timeMax: expected a time after timeMin and at most {MAX_SPAN.days} days later")
    keys = [item.get("id", "") for item in given["items"]]
    if not keys or not all(keys) or len(keys) > 50:
        raise ToolError("missing_field", "items: expected 1 to 50 calendars, each with id")
    return {
        "timeMin": written(low, zone),
        "timeMax": written(high, zone),
        "calendars": {key: _busy_of(records, key, low, high, zone) for key in keys},
    }


def _busy_of(records: Records, key: str, low: dt.datetime, high: dt.datetime, zone: str) -> Row:
    found = records.find(CALENDARS, {"id": email_of(records) if key == "primary" else key})
    if not found:
        return {"errors": [{"domain": "calendar", "reason": "notFound"}], "busy": []}
    cursor = records.world.execute(f"{statements.select(EVENTS)} WHERE calendar_id = ?", (found[0]["id"],))
    rows = [records.shown(EVENTS, dict(zip(EVENTS.names, row, strict=True))) for row in cursor.fetchall()]
    spans = busy(spread(rows, found[0]["time_zone"], low, high), low, high)
    return {"busy": [{"start": written(start, zone), "end": written(end, zone)} for start, end in spans]}


TOOLS = (get_event, list_events, get_event_instances, query_freebusy)
