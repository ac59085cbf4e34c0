"""A small Calendar world for tests; its own rules hold in it."""

from __future__ import annotations

import datetime as dt
from typing import Any

from opsgym.core.records.actor import Actor
from opsgym.envs.enterprise_ops.calendar import words
from opsgym.envs.enterprise_ops.calendar.domain import CALENDAR
from opsgym.envs.enterprise_ops.worlds import Builder
from tests.envs.enterprise_ops.small import SmallWorld

PEOPLE = (
    ("Ana Hale", "ana@north.example", "Europe/London"),
    ("Ben Ek", "ben@north.example", "America/New_York"),
    ("Cia Lund", "cia@north.example", "America/New_York"),
    ("Dan Roe", "dan@north.example", "America/New_York"),
    ("Eva Auster", "eva@north.example", "America/New_York"),
)


def rows() -> dict[str, list[dict[str, Any]]]:
    """The rows, by table."""
    made = Builder(CALENDAR.tables, dt.datetime(2026, 5, 1, 8))
    for table, colours in (("calendar_colors", words.CALENDAR_COLOURS), ("event_colors", words.EVENT_COLOURS)):
        for number, (name, background) in enumerate(colours, 1):
            made.add(table, id=str(number), name=name, background=background, foreground="#1d1d1d")
    for number, (name, email, zone) in enumerate(PEOPLE, 1):
        user = made.add("users", display_name=name, email=email, timezone=zone)
        made.add("calendars", id=email, owner_id=user["id"], summary=name, time_zone=zone, is_primary=True)
        _allow(made, email, "user", email, "owner")
        _allow(made, email, "domain", "north.example", "freeBusyReader")
        made.add("calendar_list_entries", user_id=user["id"], calendar_id=email, is_primary=True, access_role="owner")
        made.add("settings", user_id=user["id"], setting_id="timezone", value=zone)
        made.add("settings", user_id=user["id"], setting_id="weekStart", value=str(number % 2))
    made.add("calendars", owner_id="USER_002", summary="Launch", time_zone="America/New_York", description="All on the launch")
    made.add("calendars", owner_id="USER_003", summary="Offsites", time_zone="Europe/London")
    _allow(made, "CAL_006", "user", "ben@north.example", "owner")
    _allow(made, "CAL_006", "user", "cia@north.example", "writer")
    _allow(made, "CAL_006", "user", "eva@north.example", "reader")
    _allow(made, "CAL_007", "user", "cia@north.example", "owner")
    _allow(made, "CAL_007", "user", "ben@north.example", "reader")
    made.add("calendar_list_entries", user_id="USER_002", calendar_id="CAL_006", color_id="8", access_role="owner")
    made.add("calendar_default_reminders", entry_id="ENTRY_006", method="email", minutes=30)
    made.add("calendar_notifications", entry_id="ENTRY_006", type="eventCreation")
    _events(made)
    made.add(
        "watch_channels",
        id="chan-1",
        user_id="USER_002",
        resource_type="events",
        calendar_id="CAL_006",
        address="https://hooks.north.example",
        resource_id="events/CAL_006",
        expiration="2026-05-10 08:00:00",
    )
    made.add("sync_tokens", user_id="USER_002", resource="events", token="sync-20260501080000")
    return dict(made.done().rows)


def _allow(made: Builder, calendar: str, kind: str, value: str, role: str) -> None:
    scope = next((row for row in made.rows["acl_scopes"] if (row["type"], row["value"]) == (kind, value)), None)
    scope = scope or made.add("acl_scopes", type=kind, value=value)
    made.add("acl_rules", calendar_id=calendar, scope_id=scope["id"], role=role)


def _event(made: Builder, calendar: str, organizer: int, summary: str, start: str, end: str, **more: Any) -> None:
    email = PEOPLE[organizer - 1][1]
    number = len(made.rows["events"]) + 1
    zone = next(row["time_zone"] for row in made.rows["calendars"] if row["id"] == calendar)
    times = {"start_date": start, "end_date": end} if len(start) == 10 else {"start_datetime": start, "end_datetime": end}
    zones = {} if len(start) == 10 else {"start_timezone": zone, "end_timezone": zone}
    uid = f"evt_{number:03d}@calendar.example"
    made.add(
        "events",
        calendar_id=calendar,
        summary=summary,
        ical_uid=uid,
        organizer_email=email,
        creator_email=email,
        **times,
        **zones,
        **more,
    )


def _events(made: Builder) -> None:
    ben = "ben@north.example"
    _event(made, ben, 2, "Standup", "2026-05-04 13:00:00", "2026-05-04 13:30:00", recurrence=["RRULE:FREQ=DAILY;COUNT=5"])  # 9:00
    _event(made, ben, 2, "Review", "2026-05-05 14:00:00", "2026-05-05 15:00:00")  # 2: 10:00 in New York
    _event(made, ben, 2, "Maybe", "2026-05-05 15:00:00", "2026-05-05 16:00:00", transparency="transparent")
    _event(made, ben, 2, "Holiday", "2026-05-08", "2026-05-09", event_type="outOfOffice")
    _event(made, ben, 3, "Cia's talk", "2026-05-06 18:00:00", "2026-05-06 19:00:00")  # 5: organized by somebody else
    _event(made, "CAL_006", 2, "Planning", "2026-05-07 14:00:00", "2026-05-07 16:00:00", color_id="10")  # 6: with guests
    _event(made, "CAL_006", 2, "Locked", "2026-05-07 17:00:00", "2026-05-07 18:00:00", locked=True)  # 7
    _event(made, "CAL_007", 3, "Retreat", "2026-06-01", "2026-06-04", visibility="private")  # 8
    _event(made, "cia@north.example", 3, "Board", "2026-05-05 14:30:00", "2026-05-05 15:30:00", visibility="confidential")  # 9
    for email, answer in ((ben, "accepted"), ("cia@north.example", "needsAction")):
        made.add("event_attendees", event_id="EVT_006", email=email, organizer=email == ben, response_status=answer)
    made.add(
        "event_attendees", event_id="EVT_006", email="harbour@rooms.north.example", resource=True, response_status="accepted"
    )
    made.add("event_reminders", event_id="EVT_006", method="popup", minutes=10)
    made.add("event_attachments", event_id="EVT_006", file_url="https://drive.north.example/plan")
    made.add("event_conference", event_id="EVT_006", conference_id="abc", solution={"name": "Meet"})
    made.add("event_extended_properties", event_id="EVT_006", scope="private", key="project", value="launch")


ROWS = rows()
ACTORS = {
    role: Actor(f"USER_00{number}", kind)
    for role, number, kind in (
        ("admin", 1, "admin"),
        ("user", 2, "user"),
        ("cia", 3, "user"),
        ("assistant", 3, "assistant"),
        ("auditor", 5, "auditor"),
    )
}

SMALL = SmallWorld(CALENDAR, ROWS, ACTORS, acting="user")
open_world, session, call = SMALL.open, SMALL.session, SMALL.call
refused, forbidden, broken = SMALL.refused, SMALL.forbidden, SMALL.broken
