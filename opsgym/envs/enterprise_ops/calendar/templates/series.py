"""Tasks on recurring meetings."""

from __future__ import annotations

import datetime as dt

from opsgym.envs.enterprise_ops.calendar import words
from opsgym.envs.enterprise_ops.calendar.stock import PROJECTS
from opsgym.envs.enterprise_ops.calendar.templates.common import at, colleagues, occurrences, person, sign_in, working_day
from opsgym.envs.enterprise_ops.calendar.templates.meetings import loosen_event
from opsgym.envs.enterprise_ops.calendar.zones import to_local
from opsgym.envs.enterprise_ops.draft import Draft, Row
from opsgym.envs.enterprise_ops.template import Unfit, heed, template

_NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_SHARED = "SELECT k.owner_id FROM calendars k WHERE NOT k.is_primary"


@template("calendar", roles=("user",), rules=("CAL-REMOTE",), blocked=("no_permission", "policy_conflict"))
def plan_series(draft: Draft) -> None:
    """Plan recurring meetings in a shared calendar, with colour, guests and reminders."""
    sign_in(draft, _SHARED)
    calendar = draft.one("SELECT * FROM calendars WHERE owner_id = ? AND NOT is_primary ORDER BY id", draft.actor.id)
    plans = [_plan(draft, calendar, number) for number in range(max(1, draft.horizon // 2))]
    for plan in plans:
        draft.ask(plan["said"])
    draft.ask(f'All that goes into the calendar "{calendar["summary"]}".', f'Put it into the calendar "{calendar["summary"]}".')
    if draft.is_infeasible:
        heir = colleagues(draft, 1)[0]
        draft.change("calendars", calendar["id"], owner_id=heir["id"])
        scope = draft.value("SELECT id FROM acl_scopes WHERE type = 'user' AND value = ?", draft.actor_email)
        rule = draft.value("SELECT id FROM acl_rules WHERE calendar_id = ? AND scope_id = ?", calendar["id"], scope)
        draft.change("acl_rules", rule, role="reader")
        draft.block("no_permission", "policy_conflict", why=f"You only read {calendar['summary']} (CAL-WRITE).")
    draft.look("get_calendar_list")
    draft.look("get_colors")
    for plan in plans:
        draft.do("create_event", *plan["heeds"], calendarId=calendar["id"], **plan["arguments"])
    loosen_event(draft)


def _plan(draft: Draft, calendar: Row, number: int) -> Row:
    """A series: how the request says it, and the call."""
    guests = colleagues(draft, draft.pick(1, 2, 3))
    if draft.draw.random() < 0.5:
        guests.append(colleagues(draft, 1, near=False)[0])
    mine = draft.row("users", draft.actor.id)["timezone"]
    remote = any(guest["timezone"] != mine for guest in guests)
    title = f"{draft.pick('Launch planning', 'Status round', 'Steering', 'Office hour')} {draft.pick(*PROJECTS)} {number + 1}"
    day, start, length, times = (
        working_day(draft, 4, 40),
        draft.pick(*range(9 * 60, 16 * 60, 30)),
        draft.pick(30, 60, 90),
        draft.pick(3, 4, 6, 8),
    )
    every = draft.pick(1, 1, 2)
    rule = f"RRULE:FREQ=WEEKLY;{f'INTERVAL={every};' if every > 1 else ''}COUNT={times}"
    colour = draft.draw.randrange(len(words.EVENT_COLOURS))
    minutes = draft.pick(5, 10, 15, 30, 45)
    own = calendar["time_zone"]
    weekly = "every week" if every == 1 else "every second week"
    names = draft.listed([person(draft, guest) for guest in guests])
    said = (
        f'From {draft.date(day)} on there is to be a meeting "{title}" {weekly}, {_NUMBERS[times]} times in all, at'
        f" {start // 60}:{start % 60:02d} (time of the calendar) for {length} minutes, with {names}, in the colour"
        f" {words.EVENT_COLOURS[colour][0]}, with an e-mail an hour before and a pop-up {minutes} minutes before."
    )
    call = {"createRequest": {"requestId": f"series-{number + 1}"}}
    told = "Whoever is elsewhere gets conference data."
    return {
        "said": said,
        "heeds": [heed("CAL-REMOTE", told, conferenceData=call)] if remote else [],
        "arguments": {
            "summary": title,
            "start": at(day, start, own),
            "end": at(day, start + length, own),
            "recurrence": [rule],
            "colorId": str(colour + 1),
            "attendees": [{"email": guest["email"]} for guest in guests],
            "reminders": {"overrides": [{"method": "email", "minutes": 60}, {"method": "popup", "minutes": minutes}]},
        },
    }


@template("calendar", roles=("user",), blocked=("no_permission", "policy_conflict"))
def cancel_occurrences(draft: Draft) -> None:
    """Cancel single occurrences of a recurring meeting."""
    series = "recurrence IS NOT NULL AND organizer_email = calendar_id AND status = 'confirmed'"
    sign_in(draft, f"SELECT u.id FROM users u JOIN events ON calendar_id = u.email WHERE {series}")
    event = draft.one(f"SELECT * FROM events WHERE {series} AND calendar_id = ? ORDER BY id", draft.actor_email)
    until = draft.now + dt.timedelta(days=120)
    found = occurrences(draft, draft.actor_email, draft.now + dt.timedelta(days=1), until)
    items = [item for item in found if item.series == event["id"]]
    if len(items) < draft.horizon:
        raise Unfit("too few occurrences lie ahead")
    chosen = draft.draw.sample(items, draft.horizon)
    days = draft.listed([draft.date(to_local(item.start, event["start_timezone"]).date()) for item in chosen])
    draft.ask(
        f'My meeting "{event["summary"]}" is off on {days}; all other dates stay.',
        f'Cancel "{event["summary"]}" in my calendar on {days}, but not the rest of the series.',
        f'There is no "{event["summary"]}" on {days}. Please cancel only that.',
    )
    if draft.is_infeasible:
        calendar, key = _shared_event(draft)
        draft.ask(f'Cancel the event "{key["summary"]}" in the calendar "{calendar["summary"]}" too.')
        draft.block("no_permission", "policy_conflict", why=f"{key['summary']} is organized by somebody else (CAL-ORGANIZER).")
    draft.look("list_events", calendarId="primary", q=event["summary"])
    draft.look("get_event_instances", calendarId="primary", eventId=event["id"])
    for item in chosen:
        draft.do("delete_event", calendarId="primary", eventId=item.id)


def _shared_event(draft: Draft) -> tuple[Row, Row]:
    """An event of a shared calendar on which the actor has only the role reader."""
    calendar = draft.one("SELECT * FROM calendars WHERE NOT is_primary AND owner_id <> ? ORDER BY id", draft.actor.id)
    scope = draft.value("SELECT id FROM acl_scopes WHERE type = 'user' AND value = ?", draft.actor_email)
    there = draft.rows("SELECT id FROM acl_rules WHERE calendar_id = ? AND scope_id = ? ORDER BY id", calendar["id"], scope)
    if there:
        draft.change("acl_rules", there[0]["id"], role="reader")
    else:
        draft.add("acl_rules", calendar_id=calendar["id"], scope_id=scope, role="reader")
    return calendar, draft.one("SELECT * FROM events WHERE calendar_id = ? AND status = 'confirmed' ORDER BY id", calendar["id"])


TEMPLATES = (plan_series, cancel_occurrences)
