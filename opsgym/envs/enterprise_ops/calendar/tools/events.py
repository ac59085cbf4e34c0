"""Tools that delete, move and quickly add events."""

from __future__ import annotations

import datetime as dt
from typing import Any

from opsgym.core.errors import ToolError
from opsgym.core.records.records import Records
from opsgym.envs.enterprise_ops.calendar import quick
from opsgym.envs.enterprise_ops.calendar.occurrences import single
from opsgym.envs.enterprise_ops.calendar.tables.events import EVENTS
from opsgym.envs.enterprise_ops.calendar.tools.reading import event_of, shown_event
from opsgym.envs.enterprise_ops.calendar.tools.shared import TERMS, Row, calendar_of, email_of
from opsgym.envs.enterprise_ops.calendar.tools.writing import create, make_exception
from opsgym.envs.enterprise_ops.calendar.zones import to_local

_UPDATES = ("all", "externalOnly", "none")


def _check_updates(given: Row) -> None:
    if given.get("sendUpdates", "none") not in _UPDATES:
        raise ToolError("invalid_value", f"sendUpdates: expected one of {', '.join(_UPDATES)}, got {given['sendUpdates'][:40]!r}")


@TERMS.tool(
    "delete_event",
    "Delete an event or one instance; it stays as a cancelled one",
    "calendarId eventId",
    "sendUpdates",
    mutates=True,
)
def delete_event(records: Records, given: Row) -> Any:
    """The id of what is cancelled."""
    _check_updates(given)
    calendar = calendar_of(records, given["calendarId"])
    item = event_of(records, calendar, given["eventId"])
    if item.row["status"] == "cancelled":
        raise ToolError("bad_state", f"event {item.id} is cancelled already")
    with records.together():
        row = item.row if item.id == item.row["id"] else make_exception(records, item)
        records.update(EVENTS, {"id": row["id"]}, {"status": "cancelled", "sequence": row["sequence"] + 1})
    return {"deleted": item.id}


@TERMS.tool(
    "move_event",
    "Move an event to another calendar; it keeps its id, and the owner of that calendar becomes its organizer",
    "calendarId eventId destination",
    "sendUpdates",
    mutates=True,
)
def move_event(records: Records, given: Row) -> Any:
    """The event in its new calendar."""
    _check_updates(given)
    source, target = calendar_of(records, given["calendarId"]), calendar_of(records, given["destination"])
    item = event_of(records, source, given["eventId"])
    if item.id != item.row["id"] or item.row["recurring_event_id"]:
        raise ToolError("unsupported", "an instance of a recurring event cannot be moved", "Move the recurring event.")
    if item.row["event_type"] != "default":
        raise ToolError("unsupported", f"events of type {item.row['event_type']} cannot be moved")
    if source["id"] == target["id"]:
        raise ToolError("invalid_value", f"destination: the event is in calendar {target['id']} already")
    owner = records.world.execute("SELECT email FROM users WHERE id = ?", (target["owner_id"],)).fetchone()[0]
    with records.together():
        row = records.update(EVENTS, {"id": item.id}, {"calendar_id": target["id"], "organizer_email": owner})
        for exception in records.find(EVENTS, {"recurring_event_id": item.id}):
            records.update(EVENTS, {"id": exception["id"]}, {"calendar_id": target["id"], "organizer_email": owner})
    return shown_event(records, single(row, target["time_zone"]), "")


@TERMS.tool(
    "quick_add_event",
    "Create an event from a line of text that says what, when, how long and where",
    "calendarId text",
    "sendUpdates",
    mutates=True,
)
def quick_add_event(records: Records, given: Row) -> Any:
    """The new event."""
    _check_updates(given)
    calendar = calendar_of(records, given["calendarId"])
    zone = calendar["time_zone"]
    said = quick.read(given["text"], to_local(records.world.now, zone).date())
    wanted: Row = {"summary": said.summary} | ({"location": said.place} if said.place else {})
    if said.start is None:
        wanted |= {"start": {"date": said.day.isoformat()}, "end": {"date": (said.day + dt.timedelta(days=1)).isoformat()}}
    else:
        start = dt.datetime.combine(said.day, said.start)
        ends = {"start": start, "end": start + said.length}
        wanted |= {name: {"dateTime": at.isoformat(), "timeZone": zone} for name, at in ends.items()}
    return create(records, calendar, wanted, email_of(records))


TOOLS = (delete_event, move_event, quick_add_event)
