"""Company: who there is and where, by seed; the same people in every system of a task.

A domain's world is made from a company: each system holds records of the same people, told by e-mail address, which is unique.
Namesakes are deliberate and labelled (:attr:`Person.namesake`); no two other people have one first and one last name.
"""

from __future__ import annotations

import datetime as dt
import random
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

from opsgym.core.errors import RegistryError
from opsgym.envs.enterprise_ops.words import FIRM_FIRST, FIRM_KIND, FIRST, LAST, STREETS

Size = Literal["S", "M", "L"]
"""About 500, 3,500 or 10,000 rows a system."""

Level = Literal["executive", "head", "lead", "staff"]

_PEOPLE: dict[Size, tuple[int, ...]] = {"S": (20, 8), "M": (72, 28, 20), "L": (150, 60, 40)}
"""People of each organization; the first one is home."""
_CLIENTS: dict[Size, int] = {"S": 6, "M": 20, "L": 48}
_NAMESAKES: dict[Size, tuple[int, int]] = {"S": (1, 1), "M": (3, 2), "L": (6, 3)}
"""Pairs of namesakes within home, and between home and another organization."""

CITIES: dict[str, tuple[str, str, str, str]] = {
    "New York": ("NY", "USA", "America/New_York", "1"),
    "London": ("England", "UK", "Europe/London", "4"),
    "Mumbai": ("Maharashtra", "India", "Asia/Kolkata", "9"),
    "Tokyo": ("Tokyo", "Japan", "Asia/Tokyo", "8"),
    "Sydney": ("NSW", "Australia", "Australia/Sydney", "6"),
}
"""State, country, time zone and telephone code of each city."""

JOBS: dict[str, tuple[str, ...]] = {
    "IT": ("Service Desk Analyst", "Systems Engineer", "Network Engineer", "Database Administrator", "Security Analyst"),
    "Customer Service": ("Support Agent", "Support Engineer", "Field Technician", "Case Coordinator"),
    "Human Resources": ("HR Specialist", "Recruiter", "Payroll Specialist", "Benefits Advisor"),
    "Finance": ("Accountant", "Financial Analyst", "Controller"),
    "Sales": ("Account Executive", "Sales Engineer", "Sales Representative"),
    "Marketing": ("Content Strategist", "Brand Designer", "Campaign Planner"),
    "Engineering": ("Software Engineer", "Test Engineer", "Product Designer", "Data Engineer"),
    "Legal": ("Counsel", "Compliance Officer", "Paralegal"),
}
"""Departments, each with its job titles."""


@dataclass(frozen=True, slots=True)
class Organization:
    """A tenant.

    Attributes:
        number: 1 for home, then 2, 3, ...
        name: Its name.
        domain: Host of its e-mail addresses.
    """

    number: int
    name: str
    domain: str


@dataclass(frozen=True, slots=True)
class Site:
    """An office.

    Attributes:
        number: From 1, over all organizations.
        organization: Number of its organization.
        name: Its name, unique.
        plot_no: House number.
        street: Its street.
        city: One of :data:`CITIES`.
        state: State or region.
        country: Country.
        time_zone: IANA name.
    """

    number: int
    organization: int
    name: str
    plot_no: str
    street: str
    city: str
    state: str
    country: str
    time_zone: str


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who works for an organization.

    Attributes:
        number: From 1, over all organizations; home's people come first.
        organization: Number of the organization.
        first_name: First name.
        last_name: Last name.
        email: Unique, in lower case.
        phone: Unique, ``+X-XXX-XXX-XXXX``.
        job_title: What they do.
        level: ``"executive"`` (one an organization), ``"head"`` (of a department), ``"lead"`` or ``"staff"``.
        department: One of :data:`JOBS`.
        manager: Number of whom they report to; ``None`` for the executive.
        site: Number of their office.
        hired: First day.
        left: Last day of somebody who has left, whose records are stale; else ``None``.
        namesake: Number of another person of the same name; ``None`` for nearly everybody.
    """

    number: int
    organization: int
    first_name: str
    last_name: str
    email: str
    phone: str
    job_title: str
    level: Level
    department: str
    manager: int | None
    site: int
    hired: dt.date
    left: dt.date | None = None
    namesake: int | None = None

    @property
    def name(self) -> str:
        """First and last name."""
        return f"{self.first_name} {self.last_name}"

    @property
    def is_active(self) -> bool:
        """Whether they have not left."""
        return self.left is None


@dataclass(frozen=True, slots=True)
class Client:
    """A firm that home works with.

    Attributes:
        number: From 1.
        name: Its name, unique.
        domain: Host of its e-mail addresses.
        kind: ``"customer"`` or ``"partner"``.
        city: One of :data:`CITIES`.
        contacts: Its people, as first name, last name, e-mail address and phone; the first is the primary contact.
    """

    number: int
    name: str
    domain: str
    kind: Literal["customer", "partner"]
    city: str
    contacts: tuple[tuple[str, str, str, str], ...]


@dataclass(frozen=True)
class Company:
    """The identity layer of a world.

    Attributes:
        seed: What it was made from.
        size: Its size.
        today: First day of episodes; everything recorded lies before it, appointments may lie after.
        organizations: The tenants; the first is home, where most tasks play.
        sites: All offices.
        people: All people; ``people[n - 1].number == n``.
        clients: Firms that home works with.
    """

    seed: int
    size: Size
    today: dt.date
    organizations: tuple[Organization, ...]
    sites: tuple[Site, ...]
    people: tuple[Person, ...]
    clients: tuple[Client, ...]

    @property
    def home(self) -> Organization:
        """The first organization."""
        return self.organizations[0]

    def person(self, number: int) -> Person:
        """The person of a number."""
        return self.people[number - 1]

    def site(self, number: int) -> Site:
        """The office of a number."""
        return self.sites[number - 1]

    def people_of(self, organization: int = 1, department: str | None = None, *, active: bool | None = None) -> list[Person]:
        """People of an organization, of a department where one is named, by activity where it is asked."""
        return [
            person
            for person in self.people
            if person.organization == organization
            and department in (None, person.department)
            and active in (None, person.is_active)
        ]

    def reports(self, number: int) -> list[Person]:
        """Who reports to a person."""
        return [person for person in self.people if person.manager == number]

    @cached_property
    def namesakes(self) -> tuple[tuple[Person, Person], ...]:
        """Pairs of people of one name."""
        return tuple(
            (person, self.person(person.namesake))
            for person in self.people
            if person.namesake is not None and person.number < person.namesake
        )


def company(seed: int, size: Size = "M") -> Company:
    """The company of a seed and size: the same in any process.

    Raises:
        RegistryError: Unknown size.
    """
    if size not in _PEOPLE:
        raise RegistryError("size", size, _PEOPLE)
    return _Maker(seed, size).company()


class _Maker:
    """Draws a company, part by part."""

    def __init__(self, seed: int, size: Size) -> None:
        self.seed = seed
        self.size: Size = size
        self.draw = random.Random(f"company/{size}/{seed}")
        self._names: set[tuple[str, str]] = set()
        self._emails: set[str] = set()
        self._phones: set[str] = set()
        self._firms: set[str] = set()

    def company(self) -> Company:
        today = dt.date(2026, 1, 5) + dt.timedelta(days=self.draw.randrange(330))
        while today.weekday() > 4:
            today += dt.timedelta(days=1)
        counts = _PEOPLE[self.size]
        organizations = tuple(Organization(number, *self._firm()) for number, _ in enumerate(counts, 1))
        sites = self._sites(organizations)
        people: list[Person] = []
        for organization, count in zip(organizations, counts, strict=True):
            people += self._staff(organization, count, sites, len(people), today)
        clients = tuple(self._client(number) for number in range(1, _CLIENTS[self.size] + 1))
        return Company(self.seed, self.size, today, organizations, sites, self._twinned(people, organizations), clients)

    # -- organizations and offices -------------------------------------------------------------------------

    def _firm(self) -> tuple[str, str]:
        while True:
            name = f"{self.draw.choice(FIRM_FIRST)} {self.draw.choice(FIRM_KIND)}"
            if name not in self._firms:
                self._firms.add(name)
                return name, f"{_plain(name)}.example"

    def _sites(self, organizations: Sequence[Organization]) -> tuple[Site, ...]:
        per_city = {"S": 1, "M": 2, "L": 3}[self.size]
        sites: list[Site] = []
        for organization in organizations:
            for city, (state, country, zone, _) in CITIES.items():
                for label in ("Office", "Campus", "Annex")[: per_city if organization.number == 1 else 1]:
                    name = f"{city} {label}" if organization.number == 1 else f"{organization.name} {city}"
                    plot, street = str(self.draw.randrange(1, 200)), self.draw.choice(STREETS)
                    sites.append(Site(len(sites) + 1, organization.number, name, plot, street, city, state, country, zone))
        return tuple(sites)

    # -- people --------------------------------------------------------------------------------------------

    def _staff(self, organization: Organization, count: int, sites: Sequence[Site], taken: int, today: dt.date) -> list[Person]:
        """One executive, a head for each department, a lead for every seven of the rest."""
        own_sites = [site for site in sites if site.organization == organization.number]
        departments = list(JOBS)[: max(3, min(len(JOBS), count // 3 - 1))]
        people = [self._person(taken + 1, organization, "executive", "Finance", None, own_sites, today)]
        heads: dict[str, int] = {}
        managers: dict[str, list[int]] = {}
        for place in range(1, count):
            number, department = taken + 1 + place, departments[(place - 1) % len(departments)]
            if department not in heads:
                heads[department] = number
                people.append(self._person(number, organization, "head", department, taken + 1, own_sites, today))
                managers[department] = [number]
            elif len(managers[department]) <= (place // len(departments)) // 4:
                managers[department].append(number)
                people.append(self._person(number, organization, "lead", department, heads[department], own_sites, today))
            else:
                manager = self.draw.choice(managers[department])
                people.append(self._person(number, organization, "staff", department, manager, own_sites, today))
        return people

    def _person(
        self,
        number: int,
        organization: Organization,
        level: Level,
        department: str,
        manager: int | None,
        sites: Sequence[Site],
        today: dt.date,
    ) -> Person:
        first, last = self._name()
        site = self.draw.choice(sites)
        trade = self.draw.choice(JOBS[department])
        titles = {
            "executive": "Chief Executive Officer",
            "head": f"Head of {department}",
            "lead": f"Lead {trade}",
            "staff": trade,
        }
        hired = today - dt.timedelta(days=self.draw.randrange(200, 4000))
        left = None
        if level == "staff" and self.draw.random() < 0.08:
            left = today - dt.timedelta(days=self.draw.randrange(5, 180))
        email = self._email(first, last, organization.domain)
        phone = self._phone(CITIES[site.city][3])
        return Person(
            number,
            organization.number,
            first,
            last,
            email,
            phone,
            titles[level],
            level,
            department,
            manager,
            site.number,
            hired,
            left,
        )

    def _name(self) -> tuple[str, str]:
        while True:
            name = self.draw.choice(FIRST), self.draw.choice(LAST)
            if name not in self._names:
                self._names.add(name)
                return name

    def _email(self, first: str, last: str, domain: str) -> str:
        base, number = f"{_plain(first)}.{_plain(last)}", 1
        while True:
            email = f"{base}{number if number > 1 else ''}@{domain}"
            if email not in self._emails:
                self._emails.add(email)
                return email
            number += 1

    def _phone(self, code: str) -> str:
        while True:
            digits = f"{self.draw.randrange(200, 1000)}-555-{self.draw.randrange(10000):04d}"
            phone = f"+{code}-{digits}"
            if phone not in self._phones:
                self._phones.add(phone)
                return phone

    def _twinned(self, people: list[Person], organizations: Sequence[Organization]) -> tuple[Person, ...]:
        """Give some people the name of another one: same firm, other department; or another firm."""
        within, across = _NAMESAKES[self.size]
        home = [
            person for person in people if person.organization == 1 and person.is_active and person.level in ("staff", "lead")
        ]
        away = [person for person in people if person.organization > 1 and person.is_active and person.level == "staff"]
        self.draw.shuffle(home)
        self.draw.shuffle(away)
        pairs: list[tuple[Person, Person]] = []
        for _ in range(within):
            first = home.pop()
            second = next(person for person in reversed(home) if person.department != first.department)
            home.remove(second)
            pairs.append((first, second))
        pairs += [(home.pop(), away.pop()) for _ in range(across)]
        for first, second in pairs:
            self._rename(people, first, second, organizations)
        return tuple(people)

    def _rename(self, people: list[Person], first: Person, second: Person, organizations: Sequence[Organization]) -> None:
        email = self._email(first.first_name, first.last_name, organizations[second.organization - 1].domain)
        people[first.number - 1] = _with(first, namesake=second.number)
        people[second.number - 1] = _with(
            second, first_name=first.first_name, last_name=first.last_name, email=email, namesake=first.number
        )

    # -- clients -------------------------------------------------------------------------------------------

    def _client(self, number: int) -> Client:
        name, domain = self._firm()
        city = self.draw.choice(list(CITIES))
        contacts = []
        for _ in range(self.draw.randrange(1, 4)):
            first, last = self._name()
            contacts.append((first, last, self._email(first, last, domain), self._phone(CITIES[city][3])))
        return Client(number, name, domain, "partner" if number % 5 == 0 else "customer", city, tuple(contacts))


def _with(person: Person, **changed: object) -> Person:

    return replace(person, **changed)  # type: ignore[arg-type]  # names and types are those of the callers above


def _plain(text: str) -> str:
    """Lower-case ASCII letters, for addresses."""
    folded = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return "".join(letter for letter in folded.lower() if letter.isalnum())
