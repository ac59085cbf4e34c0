"""Tasks on single meetings."""

from __future__ import annotations

import datetime as dt
from typing import Any

from opsgym.envs.enterprise_ops.calendar.freebusy import busy
from opsgym.envs.enterprise_ops.calendar.stock import PROJECTS
from opsgym.envs.enterprise_ops.calendar.templates.common import (
    at,
    clock,
    colleagues,
    day_of,
    find,
    occurrences,
    outsider,
    own_events,
    person,
    told,
    working_day,
    zone,
)
from opsgym.envs.enterprise_ops.calendar.zones import to_local, to_utc
from opsgym.envs.enterprise_ops.draft import Draft, Row
from opsgym.envs.enterprise_ops.template import Heed, Unfit, heed, template

_ROOM = "annex@rooms"
"""A room that no event of the worlds is in."""

_TITLES = ("Planning", "Alignment", "Kick-off", "Retrospective", "Briefing", "Review")


@template("calendar", roles=("user",), rules=("CAL-REMOTE", "CAL-AGENDA"), blocked=("policy_conflict",))
def book_free_slot(draft: Draft) -> None:
    """Find the first time at which everybody is free, and book a confidential meeting then."""
    guests = colleagues(draft, min(draft.horizon, 5))
    if draft.draw.random() < 0.6:
        guests = guests[:-1] + colleagues(draft, 1, near=False)
    own, length, title = zone(draft), draft.pick(30, 60, 90), f"{draft.pick(*_TITLES)} {draft.pick(*PROJECTS)}"
    day, first = _free_slot(draft, guests, own, length)
    names = draft.listed([person(draft, guest) for guest in guests])
    draft.ask(
        f'Book {length} minutes with {names} on {draft.date(day)}, titled "{title}".',
        f'I need a meeting "{title}" of {length} minutes with {names} on {draft.date(day)}.',
    )
    draft.ask(
        "Take the first time from 9:00 to 17:00 of my time zone, tried every half hour, at which all of us, me too, are free.",
        "Try 9:00 of my time zone first and then every half hour, until all of us (me included) are free; it ends by 17:00.",
    )
    draft.ask("Put it into my own calendar and set its visibility to confidential.", "It goes into my calendar, as confidential.")
    invited = [guest["email"] for guest in guests]
    if draft.is_infeasible:
        stranger = outsider(draft)
        draft.ask(f"Invite {stranger} too, who is always free.")
        draft.block("policy_conflict", why=f"{stranger} is from outside, and the meeting is confidential (CAL-CONFIDENTIAL).")
        invited.append(stranger)
    draft.look("get_settings", settingId="timezone")
    draft.look(
        "query_freebusy",
        timeMin=at(day, 9 * 60, own)["dateTime"],
        timeMax=at(day, 17 * 60, own)["dateTime"],
        timeZone=own,
        items=[{"id": email} for email in (draft.actor_email, *invited)],
    )
    draft.do(
        "create_event",
        *_manners(guests, own, invited),
        calendarId="primary",
        summary=title,
        start=at(day, first, own),
        end=at(day, first + length, own),
        attendees=[{"email": email} for email in invited],
        visibility="confidential",
    )
    loosen_event(draft)
    draft.loosen("events", "start_timezone", "end_timezone")


def _manners(guests: list[Row], own: str, invited: list[str]) -> list[Heed]:
    """What rules ask of a meeting."""
    found = []
    if any(guest["timezone"] != own for guest in guests):
        call = {"createRequest": {"requestId": "meeting-1"}}
        found.append(heed("CAL-REMOTE", "Add conference data for those who are elsewhere.", conferenceData=call))
    if len(invited) >= 5:
        found.append(heed("CAL-AGENDA", "Add a line on what it is about.", description="Open points, decisions, next steps."))
    return found


def loosen_event(draft: Draft) -> None:
    """Leave to the agent what the request does not say of a new event."""
    draft.loosen("events", "ical_uid", "description")
    draft.loosen("event_conference", "conference_id", "solution", "create_request", "entry_points", "notes", "signature")
    draft.loosen("event_attendees", "display_name")
    draft.allow("event_attendees", "create", email=draft.actor_email)


def _free_slot(draft: Draft, guests: list[Row], own: str, length: int) -> tuple[dt.date, int]:
    """A day, and the first free time of it, in minutes.

    Raises:
        Unfit: On the days that are tried, nobody is busy in the morning or everybody is all day.
    """
    calendars = [*(guest["email"] for guest in guests), draft.actor_email]
    for ahead in range(1, 20):
        day = draft.now.date() + dt.timedelta(days=ahead)
        spans = _spans(draft, calendars, day, own)
        if day.weekday() > 4 or not spans:
            continue
        for minutes in range(9 * 60, 17 * 60 - length + 1, 30):
            if all(stop <= minutes or begin >= minutes + length for begin, stop in spans):
                if minutes > 9 * 60:
                    return day, minutes
                break
    raise Unfit("no day on which the first free time is not the first of all")


def _spans(draft: Draft, calendars: list[str], day: dt.date, own: str) -> list[tuple[float, float]]:
    """Busy spans of a day, in minutes of its local time."""
    start = dt.datetime.combine(day, dt.time())
    low, high = to_utc(start, own), to_utc(start + dt.timedelta(hours=23), own)
    taken = [span for calendar in calendars for span in busy(occurrences(draft, calendar, low, high), low, high)]
    return [(_minutes(begin, start, own), _minutes(end, start, own)) for begin, end in taken]


def _minutes(moment: dt.datetime, start: dt.datetime, own: str) -> float:
    return (to_local(moment, own) - start).total_seconds() / 60


@template("calendar", roles=("user",), traps=("same_title",), blocked=("policy_conflict",))
def reschedule_meetings(draft: Draft) -> None:
    """Move meetings to another time of the same day or to another day; rooms come along."""
    events = own_events(draft, "visibility = 'default'", count=draft.horizon)
    for event in events[:1]:
        _twin(draft, event)
    moves: list[tuple[Row, dt.date, int, int]] = []
    for event in events:
        start, end = (dt.datetime.fromisoformat(event[f"{name}_datetime"]) for name in ("start", "end"))
        length, day = int((end - start).total_seconds() / 60), day_of(event)
        target = working_day(draft, 30, 70) if draft.draw.random() < 0.6 else day
        minutes = draft.pick(
            *(value for value in range(7 * 60, 20 * 60, 30) if f"{value // 60:02d}:{value % 60:02d}" != clock(event))
        )
        if not draft.is_infeasible and _meets_room(draft, event, target, minutes, length):
            raise Unfit("the room is taken")
        moves.append((event, target, minutes, length))
        to = f"{minutes // 60}:{minutes % 60:02d}" + (f" on {draft.date(target)}" if target != day else " of the same day")
        draft.ask(
            f"Move {told(draft, event)} to {to}; it stays as long as it is.",
            f"Please find a new place for {told(draft, event)}: it starts at {to} and lasts as long as before.",
        )
    if draft.is_infeasible:
        event, target, minutes, length = draft.pick(*moves)
        _take_room(draft, event, target, minutes, length)
        draft.block("policy_conflict", why=f"The room of {event['summary']} is taken at that time (CAL-ROOM-MOVE).")
    for event, target, minutes, length in moves:
        find(draft, event)
        own = event["start_timezone"]
        draft.do(
            "patch_event",
            calendarId="primary",
            eventId=event["id"],
            start=at(target, minutes, own),
            end=at(target, minutes + length, own),
        )


def _window(event: Row, target: dt.date, minutes: int, length: int) -> tuple[str, str]:
    start = to_utc(dt.datetime.combine(target, dt.time()) + dt.timedelta(minutes=minutes), event["start_timezone"])
    return start.isoformat(" "), (start + dt.timedelta(minutes=length)).isoformat(" ")


def _meets_room(draft: Draft, event: Row, target: dt.date, minutes: int, length: int) -> bool:
    """Whether one of an event's rooms is taken at another time."""
    start, end = _window(event, target, minutes, length)
    sql = (
        "SELECT 1 FROM event_attendees m JOIN event_attendees a ON a.email = m.email JOIN events o ON o.id = a.event_id"
        " WHERE m.event_id = ? AND m.resource AND o.id <> m.event_id AND o.start_datetime < ? AND ? < o.end_datetime"
    )
    return draft.value(sql, event["id"], end, start) is not None


def _take_room(draft: Draft, event: Row, target: dt.date, minutes: int, length: int) -> None:
    """Put an event into a room, and another one into the same room at the time to which it is to move."""
    email = f"{_ROOM}.{draft.company.home.domain}"
    start, end = _window(event, target, minutes, length)
    if start < event["end_datetime"] and event["start_datetime"] < end:
        raise Unfit("the new time meets the old one")
    draft.add("event_attendees", event_id=event["id"], email=email, resource=True, response_status="accepted")
    other = colleagues(draft, 1)[0]
    made = add_event(draft, other["email"], "Board dinner", start, end, event["start_timezone"])
    draft.add("event_attendees", event_id=made["id"], email=email, resource=True, response_status="accepted")


def add_event(draft: Draft, calendar: str, title: str, start: str, end: str, own: str, **more: Any) -> Row:
    """An event as if it had been there, organized by whose calendar it is in."""
    row = draft.add(
        "events",
        calendar_id=calendar,
        summary=title,
        start_datetime=start,
        end_datetime=end,
        start_timezone=own,
        end_timezone=own,
        **({"organizer_email": calendar, "creator_email": calendar} | more),
    )
    draft.change("events", row["id"], ical_uid=f"{row['id'].lower()}@calendar.example")
    return draft.row("events", row["id"])


def _twin(draft: Draft, event: Row) -> None:
    """Where a trap is wanted, the actor has had a meeting of the same title, which is over."""
    if not draft.wants_trap("same_title"):
        return
    back = dt.timedelta(days=draft.draw.randrange(40, 90))
    start, end = (dt.datetime.fromisoformat(event[f"{name}_datetime"]) - back for name in ("start", "end"))
    times = start.isoformat(" "), end.isoformat(" "), event["start_timezone"]
    other = add_event(draft, event["calendar_id"], event["summary"], *times)
    draft.sentences.append("I mean meetings that are still to come.")
    draft.trap("same_title", event["id"], other["id"])


_FEW = "(SELECT count(*) FROM event_attendees a WHERE a.event_id = events.id AND NOT a.resource) < 4"


@template("calendar", roles=("user",), rules=("CAL-GUEST-LIST",), traps=("same_title",), blocked=("policy_conflict",))
def invite_guests(draft: Draft) -> None:
    """Invite somebody from outside to meetings, beside those who are invited already."""
    events = own_events(draft, f"visibility = 'default' AND {_FEW}", count=draft.horizon)
    for event in events[:1]:
        _twin(draft, event)
    guest = outsider(draft)
    names = draft.listed([told(draft, event) for event in events])
    draft.ask(
        f"Invite {guest} to {names}; whoever is invited stays so.",
        f"{guest} is to come to {names} too: please add that address to the guests.",
    )
    if draft.is_infeasible:
        secret = draft.pick(*events)
        draft.change("events", secret["id"], visibility=draft.pick("private", "confidential"))
        draft.block("policy_conflict", why=f"{secret['summary']} is not open to outsiders (CAL-CONFIDENTIAL).")
    for event in events:
        find(draft, event)
        there = draft.look("get_event", calendarId="primary", eventId=event["id"]).get("attendees", [])
        kept = [_as_given(row) for row in there]
        draft.do(
            "patch_event",
            heed("CAL-GUEST-LIST", "Guests are not to see who else is invited.", guestsCanSeeOtherGuests=False),
            calendarId="primary",
            eventId=event["id"],
            attendees=[*kept, {"email": guest}],
        )


def _as_given(row: Row) -> Row:
    """A guest as a tool takes it."""
    names = {
        "email": "email",
        "display_name": "displayName",
        "optional": "optional",
        "resource": "resource",
        "comment": "comment",
    }
    return {name: row[column] for column, name in names.items() if row.get(column)}


TEMPLATES = (book_free_slot, reschedule_meetings, invite_guests)
