"""Parts of an event that are records of their own: set as a whole, written only where they differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from opsgym.core.errors import ToolError
from opsgym.core.records.records import Records
from opsgym.core.records.table import Table
from opsgym.envs.enterprise_ops.calendar import words
from opsgym.envs.enterprise_ops.calendar.tables.events import ATTACHMENTS, ATTENDEES, CONFERENCE, PROPERTIES, REMINDERS

Row = dict[str, Any]

MAX_REMINDERS = 5
MAX_MINUTES = 40320
"""Four weeks."""


def sync(records: Records, table: Table, owner: Row, keys: Sequence[str], wanted: Sequence[Row]) -> None:
    """Make the records of an owner those that are wanted: delete, change and create as few as will do.

    Args:
        records: The session.
        table: Their table.
        owner: The column that names the owner, with its value.
        keys: Columns that tell one from another.
        wanted: The records.

    Raises:
        ToolError: ``invalid_value``: two of those wanted are the same.
    """
    left = {tuple(row[name] for name in keys): row for row in records.find(table, owner)}
    seen = set()
    for row in wanted:
        key = tuple(row[name] for name in keys)
        if key in seen:
            raise ToolError("invalid_value", f"expected each {' and '.join(keys)} once, got {str(key[0])[:60]!r} twice")
        seen.add(key)
    for key in [key for key in left if key not in seen]:
        records.delete(table, {table.id: left[key][table.id]})
    for row in wanted:
        old = left.get(tuple(row[name] for name in keys))
        if old is None:
            records.create(table, owner | row)
        elif changed := {name: value for name, value in row.items() if old[name] != value}:
            records.update(table, {table.id: old[table.id]}, changed)


def set_parts(records: Records, event_id: str, given: Mapping[str, Any], *, whole: bool = False) -> None:
    """Set the parts of an event that are given; where it is replaced as a whole, the others go.

    Raises:
        ToolError: ``missing_field``, ``invalid_value``.
    """
    owner = {"event_id": event_id}
    if "attendees" in given or whole:
        sync(records, ATTENDEES, owner, ("email",), _attendees(records, event_id, given.get("attendees", ())))
    if "reminders" in given or whole:
        sync(records, REMINDERS, owner, ("method", "minutes"), _reminders(given.get("reminders", {"useDefault": True})))
    if "attachments" in given or whole:
        sync(records, ATTACHMENTS, owner, ("file_url",), [_attachment(item) for item in given.get("attachments", ())])
    if "conferenceData" in given or whole:
        sync(records, CONFERENCE, owner, (), [_conference(given["conferenceData"])] if given.get("conferenceData") else [])
    if "extendedProperties" in given or whole:
        sync(records, PROPERTIES, owner, ("scope", "key"), _properties(given.get("extendedProperties", {})))


def _attendees(records: Records, event_id: str, listed: Sequence[Mapping[str, Any]]) -> list[Row]:
    """Rows of attendees; the organizer among them has accepted, others keep the answer they gave."""
    found = []
    organizer = records.world.execute("SELECT organizer_email FROM events WHERE id = ?", (event_id,)).fetchone()[0]
    answers = dict(records.world.execute("SELECT email, response_status FROM event_attendees WHERE event_id = ?", (event_id,)))
    for item in listed:
        if not item.get("email"):
            raise ToolError("missing_field", "attendees: each needs email")
        email = item["email"].lower()
        is_own, is_room = email == organizer, item.get("resource", False)
        row = {
            "email": email,
            "optional": item.get("optional", False),
            "resource": is_room,
            "organizer": is_own,
            "response_status": item.get("responseStatus", answers.get(email, "accepted" if is_own or is_room else "needsAction")),
            "additional_guests": item.get("additionalGuests", 0),
        }
        named = {"display_name": item.get("displayName"), "comment": item.get("comment")}
        found.append(row | {name: value for name, value in named.items() if value})
    return found


def _reminders(given: Mapping[str, Any]) -> list[Row]:
    """Rows of reminders; none where the calendar's own count."""
    listed = given.get("overrides", ())
    if given.get("useDefault") and listed:
        raise ToolError("invalid_value", "reminders: expected useDefault or overrides, not both")
    if len(listed) > MAX_REMINDERS:
        raise ToolError("invalid_value", f"reminders: expected at most {MAX_REMINDERS}, got {len(listed)}")
    return [{"method": method, "minutes": minutes} for method, minutes in map(reminder, listed)]


def reminder(given: Mapping[str, Any]) -> tuple[str, int]:
    """Method and minutes of a reminder.

    Raises:
        ToolError: ``missing_field`` or ``invalid_value``.
    """
    if "method" not in given or "minutes" not in given:
        raise ToolError("missing_field", "reminders: each needs method and minutes")
    if given["method"] not in words.METHODS:
        raise ToolError("invalid_value", f"method: expected one of {', '.join(words.METHODS)}, got {given['method'][:40]!r}")
    if not 0 <= given["minutes"] <= MAX_MINUTES:
        raise ToolError("invalid_value", f"minutes: expected 0 to {MAX_MINUTES}, got {given['minutes']}")
    return given["method"], given["minutes"]


def _attachment(given: Mapping[str, Any]) -> Row:
    if not given.get("fileUrl"):
        raise ToolError("missing_field", "attachments: each needs fileUrl")
    return {"file_url": given["fileUrl"]}


_CONFERENCE = {
    "conferenceId": "conference_id",
    "conferenceSolution": "solution",
    "createRequest": "create_request",
    "entryPoints": "entry_points",
    "notes": "notes",
    "signature": "signature",
}


def _conference(given: Mapping[str, Any]) -> Row:
    return {column: given[name] for name, column in _CONFERENCE.items() if name in given}


def _properties(given: Mapping[str, Any]) -> list[Row]:
    return [
        {"scope": scope, "key": key, "value": str(value)}
        for scope in words.PROPERTY_SCOPES
        for key, value in given.get(scope, {}).items()
        if value is not None
    ]


def parts_of(records: Records, event_id: str, most: int | None = None) -> Row:
    """The parts of an event as tools show them."""
    owner = {"event_id": event_id}
    attendees = [_clean(row) for row in records.find(ATTENDEES, owner)]
    reminders = [{"method": row["method"], "minutes": row["minutes"]} for row in records.find(REMINDERS, owner)]
    properties: dict[str, dict[str, str]] = {}
    for row in records.find(PROPERTIES, owner):
        properties.setdefault(row["scope"], {})[row["key"]] = row["value"]
    conference = records.find(CONFERENCE, owner)
    shown: Row = {
        "attendees": attendees[:most] if most is not None else attendees,
        "reminders": {"useDefault": not reminders, **({"overrides": reminders} if reminders else {})},
        "attachments": [_clean(row) for row in records.find(ATTACHMENTS, owner)],
        "conferenceData": _clean(conference[0]) if conference else None,
        "extendedProperties": properties,
    }
    if most is not None and len(attendees) > most:
        shown["attendeesOmitted"] = True
    return {name: value for name, value in shown.items() if value}


def _clean(row: Row) -> Row:
    return {name: value for name, value in row.items() if value is not None and name not in ("id", "event_id")}
