"""Worlds of Calendar: people's days, shared calendars, rooms, and who may see them."""

from __future__ import annotations

import datetime as dt
import random
from typing import Any

from opsgym.envs.enterprise_ops.calendar import words
from opsgym.envs.enterprise_ops.calendar.stock import AGENDAS, PROJECTS, ROOMS, SERIES, SHARED, SINGLE
from opsgym.envs.enterprise_ops.calendar.tables import TABLES
from opsgym.envs.enterprise_ops.calendar.zones import to_utc
from opsgym.envs.enterprise_ops.company import Company, Person, Size
from opsgym.envs.enterprise_ops.makers import Maker
from opsgym.envs.enterprise_ops.worlds import Generated, Row

EVENTS: dict[Size, int] = {"S": 4, "M": 13, "L": 20}
"""Single events of each person."""
CALENDARS: dict[Size, int] = {"S": 4, "M": 24, "L": 60}
"""Secondary calendars."""
SLOTS = tuple(range(9 * 60, 17 * 60, 30))
"""Minutes of the day at which meetings start."""


def generate(company: Company, draw: random.Random, size: Size) -> Generated:
    """The world of a company; see :class:`~opsgym.envs.enterprise_ops.worlds.Generator`."""
    return _Maker(company, draw, size).world()


class _Maker(Maker):
    """Writes a world: people and their calendars, shared calendars, then events."""

    def __init__(self, company: Company, draw: random.Random, size: Size) -> None:
        super().__init__(company, draw, size, TABLES, days=300)
        self.scopes: dict[tuple[str, str | None], str] = {}
        self.rooms: dict[str, list[tuple[dt.datetime, dt.datetime]]] = {}
        self.titles: set[str] = set()

    def world(self) -> Generated:
        for table, colours in (("calendar_colors", words.CALENDAR_COLOURS), ("event_colors", words.EVENT_COLOURS)):
            for number, (name, background) in enumerate(colours, 1):
                self.rows.add(table, id=str(number), name=name, background=background, foreground="#1d1d1d")
        for room in ROOMS[: 2 if self.size == "S" else 6]:
            self.rooms[f"{room.lower()}@rooms.{self.company.home.domain}"] = []
        for person in self.company.people_of():
            self._person(person)
        active = self.company.people_of(active=True)
        for number in range(CALENDARS[self.size]):
            self._shared(number, active)
        for person in active:
            self._days(person, active)
        self._system(active)
        self._label()
        return self.rows.done()

    # -- people and calendars ------------------------------------------------------------------------------

    def _person(self, person: Person) -> None:
        """A user with a primary calendar, whose colleagues see when it is busy."""
        number = len(self.users) + 1
        zone, token = self.company.site(person.site).time_zone, f"token-{number:04d}" if person.is_active else None
        user = self.rows.add("users", email=person.email, display_name=person.name, timezone=zone, auth_token=token)
        self.users[person.number] = user
        primary = {"id": person.email, "owner_id": user["id"], "summary": person.name, "time_zone": zone}
        self.rows.add("calendars", is_primary=True, **primary)
        self._allow(person.email, "user", person.email, "owner")
        self._allow(person.email, "domain", self.company.home.domain, "freeBusyReader")
        self._list(user, person.email, "owner", is_primary=True)
        kind = "admin" if number in (2, 3) else "auditor" if number % 9 == 4 else "user"
        if number % 9 == 5:
            kind = "assistant"
        for setting, value in (("timezone", zone), ("weekStart", str(number % 2)), ("accountType", kind)):
            self.rows.add("settings", user_id=user["id"], setting_id=setting, value=value)

    def _allow(self, calendar: str, kind: str, value: str | None, role: str) -> None:
        if (kind, value) not in self.scopes:
            self.scopes[kind, value] = self.rows.add("acl_scopes", type=kind, value=value)["id"]
        self.rows.add("acl_rules", calendar_id=calendar, scope_id=self.scopes[kind, value], role=role)

    def _list(self, user: Row, calendar: str, role: str, **more: Any) -> Row:
        return self.rows.add("calendar_list_entries", user_id=user["id"], calendar_id=calendar, access_role=role, **more)

    def _shared(self, number: int, people: list[Person]) -> None:
        """A secondary calendar with an owner, writers and readers."""
        owner, *others = self.draw.sample(people, min(5, len(people)))
        zone = self.company.site(owner.site).time_zone
        title = f"{SHARED[number % len(SHARED)]} {PROJECTS[number % len(PROJECTS)]}"
        row = self.rows.add(
            "calendars",
            owner_id=self.users[owner.number]["id"],
            summary=title,
            time_zone=zone,
            description=f"{title}: who, when and where.",
        )
        self._allow(row["id"], "user", owner.email, "owner")
        for person, role in zip(others, ("writer", "reader", "reader", "writer"), strict=False):
            self._allow(row["id"], "user", person.email, role)
        entry = self._list(self.users[owner.number], row["id"], "owner", color_id=str(number % 24 + 1))
        self.rows.add("calendar_default_reminders", entry_id=entry["id"], method="popup", minutes=15)
        self.rows.add("calendar_notifications", entry_id=entry["id"], type="eventChange")
        for place in range(2 if self.size == "S" else 4):
            day = self.company.today + dt.timedelta(days=self.draw.randrange(3, 60))
            name = self._title(SHARED[number % len(SHARED)])
            self._event(
                row, owner, name, *((day, day + dt.timedelta(days=1 + place % 2)) if place % 2 else self._slot(zone, 60, day))
            )

    # -- events --------------------------------------------------------------------------------------------

    def _title(self, base: str) -> str:
        """A title that no other event has."""
        while True:
            title = f"{base} {self.draw.choice(PROJECTS)}"
            if title in self.titles:
                title = f"{title} {self.draw.randrange(2, 400)}"
            if title not in self.titles:
                self.titles.add(title)
                return title

    def _slot(self, zone: str, minutes: int, day: dt.date | None = None) -> tuple[dt.datetime, dt.datetime]:
        """A time on a working day of the weeks around today, in UTC."""
        while day is None or day.weekday() > 4:
            day = self.company.today + dt.timedelta(days=self.draw.randrange(-20, 25))
        shown = dt.datetime.combine(day, dt.time()) + dt.timedelta(minutes=self.draw.choice(SLOTS))
        start = to_utc(shown, zone)
        return start, start + dt.timedelta(minutes=minutes)

    def _event(self, calendar: Row, organizer: Person, title: str, start: dt.date, end: dt.date, **more: Any) -> Row:
        times: dict[str, Any] = {"start_date": start, "end_date": end}
        if isinstance(start, dt.datetime):
            times = {"start_datetime": start, "end_datetime": end}
            times |= {f"{name}_timezone": calendar["time_zone"] for name in ("start", "end")}
        number = len(self.rows.rows["events"]) + 1
        return self.rows.add(
            "events",
            at=self.ago(25, 60),
            calendar_id=calendar["id"],
            summary=title,
            ical_uid=f"evt_{number:03d}@calendar.example",
            organizer_email=organizer.email,
            creator_email=organizer.email,
            **times,
            **more,
        )

    def _days(self, person: Person, people: list[Person]) -> None:
        """What is in somebody's primary calendar."""
        primary = next(row for row in self.rows.rows["calendars"] if row["id"] == person.email)
        near = [other for other in people if other.site == person.site and other.number != person.number]
        for _ in range(EVENTS[self.size]):
            title, minutes = self.draw.choice(SINGLE)
            start, end = self._slot(primary["time_zone"], minutes)
            more = {"description": self.draw.choice(AGENDAS)} if self.draw.random() < 0.5 else {}
            if self.draw.random() < 0.15:
                more["visibility"] = "private"
            row = self._event(primary, person, self._title(title), start, end, location=self.draw.choice((None, *ROOMS)), **more)
            if near and self.draw.random() < 0.45:
                self._invite(row, person, self.draw.sample(near, min(len(near), self.draw.choice((1, 1, 2, 3)))), start, end)
        if person.level != "staff" or self.draw.random() < 0.4:
            title, minutes, rule = self.draw.choice(SERIES)
            start, end = self._slot(primary["time_zone"], minutes, self._working_day(self.company.today - dt.timedelta(days=9)))
            self._event(primary, person, self._title(title), start, end, recurrence=[rule])
        if self.draw.random() < 0.2:
            day = self.company.today + dt.timedelta(days=self.draw.randrange(5, 40))
            away = day + dt.timedelta(days=self.draw.randrange(1, 6))
            self._event(primary, person, self._title("Leave"), day, away, event_type="outOfOffice", visibility="public")

    @staticmethod
    def _working_day(day: dt.date) -> dt.date:
        while day.weekday() > 4:
            day += dt.timedelta(days=1)
        return day

    def _invite(self, event: Row, person: Person, others: list[Person], start: dt.datetime, end: dt.datetime) -> None:
        """Colleagues of the same office, and sometimes a room that is free."""
        answers = ("accepted", "accepted", "tentative", "declined", "needsAction")
        for guest in (person, *others):
            own = guest.number == person.number
            answer = "accepted" if own else self.draw.choice(answers)
            named: dict[str, Any] = {
                "email": guest.email,
                "display_name": guest.name,
                "organizer": own,
                "response_status": answer,
            }
            self.rows.add("event_attendees", event_id=event["id"], **named)
        free = [room for room, taken in self.rooms.items() if all(stop <= start or begin >= end for begin, stop in taken)]
        if free and self.draw.random() < 0.5:
            room = self.draw.choice(free)
            self.rooms[room].append((start, end))
            self.rows.add("event_attendees", event_id=event["id"], email=room, resource=True, response_status="accepted")
        if self.draw.random() < 0.4:
            self.rows.add("event_reminders", event_id=event["id"], method="popup", minutes=self.draw.choice((5, 10, 30)))
        if self.draw.random() < 0.25:
            self.rows.add(
                "event_conference", event_id=event["id"], conference_id=f"meet-{event['id'].lower()}", solution={"name": "Meet"}
            )
        if self.draw.random() < 0.15:
            url = f"https://drive.example/file/{event['id'].lower()}"
            self.rows.add("event_attachments", event_id=event["id"], file_url=url, title="Agenda")
        if self.draw.random() < 0.15:
            project = {"scope": "private", "key": "project", "value": self.draw.choice(PROJECTS)}
            self.rows.add("event_extended_properties", event_id=event["id"], **project)

    # -- the rest ------------------------------------------------------------------------------------------

    def _system(self, people: list[Person]) -> None:
        shared = [row for row in self.rows.rows["calendars"] if not row["is_primary"]]
        for number, row in enumerate(shared[:3], 1):
            place = {"calendar_id": row["id"], "resource_type": "events", "resource_id": f"events/{row['id']}"}
            address = f"https://hooks.{self.company.home.domain}/calendar/{number}"
            end = self.now + dt.timedelta(days=3 * number)
            self.rows.add(
                "watch_channels", id=f"events-{number}", user_id=row["owner_id"], address=address, expiration=end, **place
            )
            token = f"sync-{self.now - dt.timedelta(days=number):%Y%m%d%H%M%S}"
            self.rows.add("sync_tokens", user_id=row["owner_id"], resource=f"events/{row['id']}", token=token)

    def _label(self) -> None:
        """Label what is easily mistaken."""
        self.label_people("users")
        by_name: dict[str, list[str]] = {}
        for row in self.rows.rows["events"]:
            by_name.setdefault(str(row["summary"]).rstrip("0123456789 "), []).append(row["id"])
        for keys in by_name.values():
            if len(keys) > 1:
                self.rows.trap("near_duplicate", "events", *keys, note="nearly the same title")
