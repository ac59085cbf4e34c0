"""What Calendar templates have in common: choosing and describing events and people."""

from __future__ import annotations

import datetime as dt
import json
from typing import Any

from opsgym.envs.enterprise_ops.calendar.occurrences import Occurrence, spread
from opsgym.envs.enterprise_ops.calendar.zones import to_local, to_utc
from opsgym.envs.enterprise_ops.draft import Draft, Row
from opsgym.envs.enterprise_ops.template import Unfit

USERS = "SELECT s.user_id FROM settings s WHERE s.setting_id = 'accountType' AND s.value = 'user'"
"""Accounts without rights of their own kind."""


def sign_in(draft: Draft, sql: str, *bound: Any) -> Any:
    """Sign in one of those that a query gives, who are ordinary users.

    Raises:
        Unfit: It gives none.
    """
    found = draft.rows(
        f"SELECT id FROM users WHERE auth_token IS NOT NULL AND id IN ({USERS}) AND id IN ({sql}) ORDER BY id", *bound
    )
    if not found:
        raise Unfit(f"nobody fits {sql}")
    draft.act_as(draft.pick(*found)["id"])


def zone(draft: Draft) -> str:
    """The zone of the actor's primary calendar."""
    return str(draft.row("calendars", draft.actor_email)["time_zone"])


def own_events(draft: Draft, condition: str, *, count: int) -> list[Row]:
    """Sign in somebody whose primary calendar has enough events that they organize, lie ahead and meet a condition.

    Where nobody has so many, it is somebody who has the most.

    Raises:
        Unfit: Nobody has any.
    """
    where = (
        "start_datetime > ? AND recurrence IS NULL AND recurring_event_id IS NULL AND status = 'confirmed'"
        f" AND event_type = 'default' AND organizer_email = calendar_id AND ({condition})"
    )
    soon = (draft.now + dt.timedelta(days=2)).isoformat(" ")
    sql = f"SELECT u.id FROM users u JOIN events ON calendar_id = u.email WHERE {where} AND u.id IN ({USERS}) GROUP BY u.id"
    most = max((row["n"] for row in draft.rows(f"SELECT count(*) AS n FROM ({sql}, events.id) GROUP BY id", soon)), default=0)
    count = min(count, most)
    sign_in(draft, f"{sql} HAVING count(*) >= ?", soon, count)
    return draft.some(f"SELECT * FROM events WHERE {where} AND calendar_id = ? ORDER BY id", soon, draft.actor_email, count=count)


def day_of(event: Row) -> dt.date:
    """The day of an event, by the clocks of its own zone."""
    return to_local(dt.datetime.fromisoformat(event["start_datetime"]), event["start_timezone"]).date()


def clock(event: Row) -> str:
    """The time of day at which an event starts."""
    return f"{to_local(dt.datetime.fromisoformat(event['start_datetime']), event['start_timezone']):%H:%M}"


def told(draft: Draft, event: Row) -> str:
    """Words for an event in the actor's primary calendar."""
    day = day_of(event)
    low, high = (
        to_utc(dt.datetime.combine(day + dt.timedelta(days=more), dt.time()), event["start_timezone"]) for more in (0, 1)
    )
    mine = "calendar_id = ?"
    first = event["summary"].split()[0]
    span = (low.isoformat(" "), high.isoformat(" "), event["calendar_id"])
    facts: list[tuple[str, str, tuple[Any, ...]]] = [
        (f"on {draft.date(day)}", f"start_datetime >= ? AND start_datetime < ? AND {mine}", span),
        (f'whose title begins with "{first}"', f"summary LIKE ? AND {mine}", (f"{first}%", event["calendar_id"])),
        (
            f"which starts at {clock(event)}",
            f"start_datetime LIKE ? AND {mine}",
            (f"%{event['start_datetime'][11:]}", event["calendar_id"]),
        ),
    ]
    if event["location"]:
        facts.append((f"in {event['location']}", f"location = ? AND {mine}", (event["location"], event["calendar_id"])))
    return "my " + draft.described("events", event["id"], f'event "{event["summary"]}"', facts)


def find(draft: Draft, event: Row) -> None:
    """Look an event up as one would who knows what the request says of it."""
    if draft.conditions <= 1:
        draft.look("list_events", calendarId="primary", q=event["summary"])
    else:
        draft.look("list_events", calendarId="primary", timeMin=draft.now.isoformat(), singleEvents=True, orderBy="startTime")


def at(day: dt.date, minutes: int, name: str) -> Row:
    """A time of a day as tools take it."""
    moment = dt.datetime.combine(day, dt.time()) + dt.timedelta(minutes=minutes)
    return {"dateTime": moment.isoformat(), "timeZone": name}


def working_day(draft: Draft, low: int, high: int) -> dt.date:
    """A working day some days ahead."""
    day = draft.now.date() + dt.timedelta(days=draft.draw.randrange(low, high))
    while day.weekday() > 4:
        day += dt.timedelta(days=1)
    return day


def colleagues(draft: Draft, count: int, *, near: bool = True) -> list[Row]:
    """Colleagues, of the actor's own time zone or of any.

    Raises:
        Unfit: There are too few.
    """
    where = "auth_token IS NOT NULL AND id <> ? AND timezone = (SELECT timezone FROM users WHERE id = ?)"
    if not near:
        where = where.replace("timezone =", "timezone <>")
    return draft.some(f"SELECT * FROM users WHERE {where} ORDER BY id", draft.actor.id, draft.actor.id, count=count)


def person(draft: Draft, user: Row) -> str:
    """Words for a user that fit no other one: the name, with the address where there are namesakes."""
    same = draft.value("SELECT count(*) FROM users WHERE display_name = ?", user["display_name"])
    name = str(user["display_name"])
    return name if same == 1 else f"{name} ({user['email']})"


def outsider(draft: Draft) -> str:
    """The address of a contact of a client's."""
    client = draft.pick(*draft.company.clients)
    return str(client.contacts[0][2])


def occurrences(draft: Draft, calendar: str, low: dt.datetime, high: dt.datetime) -> list[Occurrence]:
    """What is in a calendar within a window, in UTC."""
    rows = [_decoded(row) for row in draft.rows("SELECT * FROM events WHERE calendar_id = ? ORDER BY id", calendar)]
    return spread(rows, draft.row("calendars", calendar)["time_zone"], low, high)


def _decoded(row: Row) -> Row:
    return row | {"recurrence": row["recurrence"] and json.loads(row["recurrence"])}
