"""Tools that create and change events."""

from __future__ import annotations

from typing import Any, Literal

from opsgym.core.errors import ToolError
from opsgym.core.records.records import Records
from opsgym.envs.enterprise_ops.calendar.occurrences import Occurrence, single
from opsgym.envs.enterprise_ops.calendar.parts import parts_of, set_parts
from opsgym.envs.enterprise_ops.calendar.recurrence import canonical, parse
from opsgym.envs.enterprise_ops.calendar.tables.events import EVENTS
from opsgym.envs.enterprise_ops.calendar.times import local_start, moment, shown, stored
from opsgym.envs.enterprise_ops.calendar.tools.reading import event_of, shown_event
from opsgym.envs.enterprise_ops.calendar.tools.shared import (
    TERMS,
    ImportedConference,
    Row,
    calendar_of,
    email_of,
)

_COLUMNS = {
    "summary": "summary",
    "description": "description",
    "location": "location",
    "status": "status",
    "eventType": "event_type",
    "transparency": "transparency",
    "visibility": "visibility",
    "colorId": "color_id",
    "recurrence": "recurrence",
    "guestsCanInviteOthers": "guests_can_invite_others",
    "guestsCanModify": "guests_can_modify",
    "guestsCanSeeOtherGuests": "guests_can_see_other_guests",
    "source": "source",
    "workingLocationProperties": "working_location",
    "focusTimeProperties": "focus_time",
    "outOfOfficeProperties": "out_of_office",
    "birthdayProperties": "birthday",
    "locked": "locked",
    "iCalUID": "ical_uid",
    "sequence": "sequence",
}
"""Columns by argument."""

_REPLACED = ("summary", "description", "location", "visibility", "transparency", "colorId", "recurrence", "source", "status")
"""What a full update clears, or sets back to its default, where it is not given."""

_UPDATES = Literal["all", "externalOnly", "none"]
_GUESTS = "guestsCanInviteOthers=true guestsCanModify=false guestsCanSeeOtherGuests=true"


def _values(given: Row, calendar: Row) -> Row:
    """Columns of what is given."""
    values = {column: given[name] for name, column in _COLUMNS.items() if name in given}
    if "recurrence" in values and not values["recurrence"]:
        values["recurrence"] = ""
    if "start" in given and "end" in given:
        values |= stored(given["start"], given["end"], calendar["time_zone"])
    if given.get("originalStartTime"):
        values["original_start"] = _original(given["originalStartTime"], calendar["time_zone"])
    return values


def _original(given: Row, zone: str) -> str:
    own = given.get("timeZone") or zone
    if given.get("dateTime"):
        return moment(given["dateTime"], "originalStartTime.dateTime", own).isoformat(" ")
    if given.get("date"):
        return moment(given["date"], "originalStartTime.date", own).isoformat(" ")
    raise ToolError("missing_field", "originalStartTime: expected either dateTime or date")


def _recurring(values: Row, row: Row, calendar: Row) -> Row:
    """Columns of what is given, with a recurrence in one form.

    Raises:
        ToolError: ``invalid_value``: the rule cannot be read, or no occurrence is left.
    """
    merged = row | values
    if not merged.get("recurrence"):
        return values
    first, zone = local_start(merged, calendar["time_zone"])
    last = first.replace(year=min(first.year + 11, 9999), day=min(first.day, 28))
    if not parse(merged["recurrence"], zone).between(first, first, last, most=1):
        raise ToolError("invalid_value", "recurrence: expected at least one occurrence at or after the start")
    if not values.get("recurrence"):
        return values
    return values | {"recurrence": canonical(values["recurrence"], first, zone)}


def create(records: Records, calendar: Row, given: Row, organizer: str) -> Row:
    """A new event with its parts.

    Args:
        records: The session.
        calendar: Its calendar.
        given: Arguments as those of ``create_event``.
        organizer: Address of the organizer.

    Raises:
        ToolError: ``missing_field``, ``invalid_value``, ``not_allowed``.
    """
    values = _values(given, calendar)
    values = _recurring(values, {}, calendar)
    with records.together():
        made = records.create(
            EVENTS,
            {"calendar_id": calendar["id"], "organizer_email": organizer, "creator_email": email_of(records)} | values,
        )
        if made["ical_uid"] is None:
            uid = f"{made['id'].lower()}@calendar.example"
            sql = "UPDATE events SET ical_uid = ? WHERE id = ?"
            records.world.write("events", sql, [(uid, made["id"])], ((made["id"],),))
        set_parts(records, made["id"], given)
    return _shown(records, calendar, made["id"])


def _shown(records: Records, calendar: Row, key: str) -> Row:
    return shown_event(records, single(records.get(EVENTS, {"id": key}), calendar["time_zone"]), "")


@TERMS.tool(
    "create_event",
    "Create an event",
    "calendarId end start",
    "attachments attendees colorId conferenceData description birthdayProperties eventType extendedProperties focusTimeProperties"
    f" {_GUESTS} iCalUID location originalStartTime outOfOfficeProperties recurrence reminders sequence source status summary"
    " transparency visibility workingLocationProperties conferenceDataVersion maxAttendees sendUpdates supportsAttachments=false",
    mutates=True,
    sendUpdates=_UPDATES,
)
def create_event(records: Records, given: Row) -> Any:
    """The new event; you are its organizer."""
    calendar = calendar_of(records, given["calendarId"])
    return create(records, calendar, given, email_of(records))


@TERMS.tool(
    "import_event",
    "Import an event of another calendar as a copy; iCalUID tells that it is the same",
    "calendarId start end iCalUID",
    "summary description location organizer status transparency visibility attendees attendeesOmitted=false colorId recurrence"
    " reminders attachments conferenceData extendedProperties focusTimeProperties outOfOfficeProperties originalStartTime source"
    f" sequence {_GUESTS} conferenceDataVersion supportsAttachments=false",
    mutates=True,
    conferenceData=ImportedConference,
    conferenceDataVersion=int,
)
def import_event(records: Records, given: Row) -> Any:
    """The copy."""
    calendar = calendar_of(records, given["calendarId"])
    if records.find(EVENTS, {"calendar_id": calendar["id"], "ical_uid": given["iCalUID"]}):
        raise ToolError("bad_state", f"iCalUID: calendar {calendar['id']} has event {given['iCalUID'][:60]!r} already")
    organizer = given.get("organizer", {}).get("email") or email_of(records)
    return create(records, calendar, given, organizer)


def _update(records: Records, given: Row, *, whole: bool) -> Row:
    """Change an event, or make an exception of an instance."""
    calendar = calendar_of(records, given["calendarId"])
    item = event_of(records, calendar, given["eventId"])
    values = _values(_times(item, given), calendar)
    if whole:
        gone = {column: "" for name, column in _COLUMNS.items() if name in _REPLACED and name not in given}
        defaults = {"status": "confirmed", "visibility": "default", "transparency": "opaque"}
        values = {name: defaults.get(name, value) for name, value in gone.items()} | values
    with records.together():
        row = item.row if item.id == item.row["id"] else make_exception(records, item)
        values = _recurring(values, row, calendar)
        values = {name: value for name, value in values.items() if (row[name] if row[name] is not None else "") != value}
        before = parts_of(records, row["id"])
        set_parts(records, row["id"], given, whole=whole)
        if values:
            records.update(EVENTS, {"id": row["id"]}, {"sequence": row["sequence"] + 1} | values)
        elif before == parts_of(records, row["id"]) and item.id == item.row["id"]:
            raise ToolError("invalid_value", "nothing would change", "Give at least one new value.")
    return _shown(records, calendar, row["id"])


def _times(item: Occurrence, given: Row) -> Row:
    """What is given, with the start or the end as it was where only the other one is given."""
    if ("start" in given) == ("end" in given):
        return given
    return given | {name: value for name, value in _both(item).items() if name not in given}


def _both(item: Occurrence) -> Row:
    """Start and end as tools take them."""
    if item.first_day is not None and item.last_day is not None:
        return {"start": {"date": item.first_day.isoformat()}, "end": {"date": item.last_day.isoformat()}}
    zone = item.row["start_timezone"] or "UTC"
    return {"start": shown(item.start, False, zone), "end": shown(item.end, False, zone)}


_COPIED = (
    "calendar_id",
    "ical_uid",
    "summary",
    "description",
    "location",
    "status",
    "event_type",
    "transparency",
    "visibility",
    "color_id",
    "organizer_email",
    "creator_email",
    "guests_can_invite_others",
    "guests_can_modify",
    "guests_can_see_other_guests",
    "locked",
)


def make_exception(records: Records, item: Occurrence) -> Row:
    """A record of its own for an instance of a recurring event, with the same parts."""
    times = _both(item)
    values = {name: item.row[name] for name in _COPIED if item.row[name] is not None}
    values |= stored(times["start"], times["end"], item.row["start_timezone"] or "UTC")
    row = records.create(
        EVENTS, values | {"id": item.id, "recurring_event_id": item.row["id"], "original_start": str(item.original)}
    )
    parts = parts_of(records, item.row["id"])
    set_parts(records, row["id"], _as_given(parts))
    return row


def _as_given(parts: Row) -> Row:
    """Parts as tools show them, in the form in which they take them."""
    given: Row = {}
    if "attendees" in parts:
        names = {"display_name": "displayName", "response_status": "responseStatus", "additional_guests": "additionalGuests"}
        given["attendees"] = [
            {names.get(name, name): value for name, value in row.items() if name != "organizer"} for row in parts["attendees"]
        ]
    if "attachments" in parts:
        given["attachments"] = [{"fileUrl": row["file_url"]} for row in parts["attachments"]]
    if "conferenceData" in parts:
        names = {"conference_id": "conferenceId", "solution": "conferenceSolution", "create_request": "createRequest"}
        names["entry_points"] = "entryPoints"
        given["conferenceData"] = {names.get(name, name): value for name, value in parts["conferenceData"].items()}
    return given | {name: parts[name] for name in ("reminders", "extendedProperties") if name in parts}


_ALL = (
    "summary description location attachments attendees colorId conferenceData birthdayProperties eventType extendedProperties"
    f" focusTimeProperties {_GUESTS} hangoutLink iCalUID outOfOfficeProperties locked privateCopy recurrence reminders sequence"
    " source status transparency visibility workingLocationProperties conferenceDataVersion maxAttendees sendUpdates"
)


@TERMS.tool(
    "patch_event",
    "Change what is given of an event or of one instance; the guests' rights that are not given go back to their defaults",
    "calendarId eventId",
    f"{_ALL} start end supportsAttachments=false",
    mutates=True,
    sendUpdates=_UPDATES,
)
def patch_event(records: Records, given: Row) -> Any:
    """The event after the change."""
    return _update(records, given, whole=False)


@TERMS.tool(
    "update_event",
    "Replace an event, or one instance: what is not given is cleared",
    "calendarId eventId start end",
    f"{_ALL} supportsAttachments",
    mutates=True,
    sendUpdates=_UPDATES,
)
def update_event(records: Records, given: Row) -> Any:
    """The event after the change."""
    return _update(records, given, whole=True)


TOOLS = (create_event, import_event, patch_event, update_event)
