"""Worlds of ITSM: tenants with people, assets, articles, and months of incidents, problems and changes."""

from __future__ import annotations

import datetime as dt
import random
from typing import Any

from opsgym.envs.enterprise_ops.access import access_rows
from opsgym.envs.enterprise_ops.company import Company, Organization, Person, Size
from opsgym.envs.enterprise_ops.itsm import words
from opsgym.envs.enterprise_ops.itsm.rules import PRIORITY, RIGHTS
from opsgym.envs.enterprise_ops.itsm.stock import ARTICLES, CHANGES, GROUPS, INCIDENTS, MODELS, OFFERINGS, PROBLEMS, SERVICES
from opsgym.envs.enterprise_ops.itsm.tables import TABLES
from opsgym.envs.enterprise_ops.makers import Maker
from opsgym.envs.enterprise_ops.worlds import Generated, Row

INCIDENTS_OF: dict[Size, int] = {"S": 60, "M": 560, "L": 1800}
"""Incidents over all tenants, of which home has the larger part."""

TARGETS = {"critical": (15, 240), "high": (30, 480), "moderate": (120, 1440), "low": (480, 4320)}
"""Target minutes of response and resolution by priority."""


def generate(company: Company, draw: random.Random, size: Size) -> Generated:
    """The world of a company; see :class:`~opsgym.envs.enterprise_ops.worlds.Generator`."""
    return _Maker(company, draw, size).world()


class _Maker(Maker):
    """Writes a world, tenant by tenant."""

    def __init__(self, company: Company, draw: random.Random, size: Size) -> None:
        super().__init__(company, draw, size, TABLES, days=400)

    def world(self) -> Generated:
        self.rows.rows |= access_rows(RIGHTS, TABLES, "{}_{:03d}".format)
        for organization in self.company.organizations:
            _Tenant(self, organization).write()
        self._label()
        return self.rows.done()

    def _label(self) -> None:
        """Label what is easily mistaken."""
        self.label_people("users")
        for row in self.rows.rows["knowledge"]:
            if row["state"] == "retired":
                self.rows.trap("retired_article", "knowledge", row["knowledge_id"])
        for row in self.rows.rows["configuration_item"]:
            if row["status"] in ("retired", "disposed"):
                self.rows.trap("retired_item", "configuration_item", row["configuration_item_id"])


class _Tenant:
    """Writes the records of one organization."""

    def __init__(self, maker: _Maker, organization: Organization) -> None:
        self.maker = maker
        self.draw = maker.draw
        self.rows = maker.rows
        self.organization = organization
        self.org = f"ORG_{organization.number:03d}"
        self.people = maker.company.people_of(organization.number)
        self.share = len(self.people) / len(maker.company.people)
        self.members: dict[str, list[str]] = {}

    def write(self) -> None:
        """All records."""
        founded = self.maker.now - dt.timedelta(days=900)
        self.rows.add("organization", at=founded, org_id=self.org, name=self.organization.name, active=True)
        self._locations(founded)
        self._users()
        self._groups(founded)
        self._services(founded)
        self._items()
        self._articles()
        self._agreements(founded)
        self._templates()
        self._problems()
        self._changes()
        self._incidents()
        self._mappings()

    def add(self, table: str, **values: Any) -> Row:
        """Add a row of the tenant."""
        return self.rows.add(table, org_id=self.org, **values)

    def user(self, *roles: str) -> str:
        """Key of an active user with one of the roles, by default any."""
        return str(self.draw.choice([row["user_id"] for row in self.staff if not roles or row["role"] in roles]))

    # -- people and places -----------------------------------------------------------------------------------

    def _locations(self, founded: dt.datetime) -> None:
        self.places = {}
        for site in self.maker.company.sites:
            if site.organization == self.organization.number:
                row = self.add(
                    "location",
                    at=founded,
                    name=site.name,
                    plot_no=site.plot_no,
                    street=site.street,
                    city=site.city,
                    state=site.state,
                    country=site.country,
                    active=True,
                )
                self.places[site.number] = row["location_id"]

    def _users(self) -> None:
        roles = {row["name"]: row["role_id"] for row in self.rows.rows["role"]}
        listed = []
        for person in self.people:
            role = self._role(person)
            hired = dt.datetime.combine(person.hired, dt.time(9))
            number = len(self.rows.rows["users"]) + 1
            row = self.add(
                "users",
                at=hired,
                updated=hired if person.left is None else dt.datetime.combine(person.left, dt.time(17)),
                user_name=person.email.partition("@")[0],
                first_name=person.first_name,
                last_name=person.last_name,
                email=person.email,
                phone=person.phone,
                role=role,
                active=person.is_active,
                static_token=f"token-{number:04d}-{self.draw.getrandbits(48):012x}",
                location_id=self.places[person.site],
            )
            self.maker.users[person.number] = row
            self.add("user_role", user_id=row["user_id"], role_id=roles[role])
            listed.append(row)
        self.staff = [row for row in listed if row["active"]]

    def _role(self, person: Person) -> str:
        """The role of a person: people of IT and of customer service work here, others report."""
        if person.department == "IT":
            if person.level == "head":
                return "admin"
            return "manager" if person.level == "lead" or person.number % 5 == 0 else "agent"
        if person.department == "Customer Service":
            return "manager" if person.level in ("head", "lead") else "agent"
        return "reporter"

    def _groups(self, founded: dt.datetime) -> None:
        count = {"S": 4, "M": 10, "L": 18}[self.maker.size] if self.organization.number == 1 else 4
        workers = [row["user_id"] for row in self.staff if row["role"] in ("agent", "manager")]
        self.groups = []
        for name, kind in GROUPS[:count]:
            host = self.organization.domain
            row = self.add(
                "user_group",
                at=founded,
                name=name,
                type=kind,
                active=True,
                email=f"{name.lower().replace(' ', '-')}@{host}",
                description=f"{name} of {self.organization.name}",
                manager_id=self.user("manager", "admin"),
            )
            chosen = self.draw.sample(workers, min(len(workers), self.draw.randrange(3, 7)))
            for user in chosen:
                self.add("user_group_member", at=founded, group_id=row["group_id"], user_id=user)
            self.members[row["group_id"]] = chosen
            self.groups.append(row["group_id"])

    # -- services, items, articles, agreements ---------------------------------------------------------------------

    def _services(self, founded: dt.datetime) -> None:
        count = {"S": 4, "M": 16, "L": len(SERVICES)}[self.maker.size] if self.organization.number == 1 else 4
        self.offerings: list[tuple[str, str]] = []
        for name, about in SERVICES[:count]:
            retired = len(self.offerings) > 2 and self.draw.random() < 0.1
            service = self.add(
                "service",
                at=founded,
                name=name,
                owned_by=self.user("manager", "admin"),
                used_for="production",
                status="retired" if retired else self.draw.choice(("operational", "operational", "operational", "ready")),
                service_classification=self.draw.choice(words.CLASSIFICATIONS),
                business_criticality=self.draw.choice(words.CRITICALITIES),
                description=about,
            )
            for label in self.draw.sample(list(OFFERINGS), self.draw.randrange(1, 4)):
                offering = self.add(
                    "service_offering",
                    at=founded,
                    name=f"{name} {label}",
                    short_description=f"{label} level of {name}",
                    owned_by=service["owned_by"],
                    business_service=service["service_id"],
                    used_for=self.draw.choice(words.USED_FOR),
                    status=service["status"],
                    service_classification=service["service_classification"],
                    business_criticality=service["business_criticality"],
                )
                if not retired:
                    self.offerings.append((service["service_id"], offering["service_offering_id"]))

    def _items(self) -> None:
        count = round({"S": 30, "M": 260, "L": 800}[self.maker.size] * self.share)
        weighted = ("in_use",) * 12 + ("maintenance",) * 3 + ("in_stock",) * 3 + ("retired",) * 2 + ("disposed",)
        self.items: list[tuple[str, str]] = []
        for number in range(count):
            owner = self.draw.choice(self.staff)
            kind, model = self.draw.choice(MODELS)
            status = ("in_use", "maintenance", "retired")[number] if number < 3 else self.draw.choice(weighted)
            row = self.add(
                "configuration_item",
                at=self.maker.ago(100, 800),
                name=f"{model} {kind} {len(self.rows.rows['configuration_item']) + 1:03d}",
                serial_number=f"{model[:2].upper()}-{self.draw.randrange(10**6):06d}-{len(self.items):03d}{self.organization.number}",
                owner_id=owner["user_id"],
                location_id=owner["location_id"],
                status=status,
                cost=float(self.draw.randrange(20, 900) * 10),
            )
            self.items.append((row["configuration_item_id"], status))
        self.usable = [key for key, status in self.items if status in ("in_use", "maintenance")]

    def _articles(self) -> None:
        count = round({"S": 16, "M": 110, "L": 300}[self.maker.size] * self.share) + 3
        states = ("published",) * 6 + ("draft", "draft", "review", "retired", "retired")
        self.articles: dict[str, list[str]] = {state: [] for state in words.ARTICLE_STATES}
        for number in range(count):
            title, body = ARTICLES[number % len(ARTICLES)]
            again = number // len(ARTICLES)
            state = words.ARTICLE_STATES[number] if number < 4 else self.draw.choice(states)
            row = self.add(
                "knowledge",
                at=self.maker.ago(20, 500),
                title=f"{title} (part {again + 1})" if again else title,
                short_description=title,
                body=body,
                state=state,
                visibility=self.draw.choice(words.VISIBILITIES),
                owner_id=self.user("agent", "manager"),
            )
            self.articles[state].append(row["knowledge_id"])

    def _agreements(self, founded: dt.datetime) -> None:
        self.agreements: dict[str, list[Row]] = {}
        for priority, minutes in TARGETS.items():
            for metric, target in zip(words.METRICS, minutes, strict=True):
                row = self.add(
                    "sla_definition",
                    at=founded,
                    name=f"{priority.capitalize()} {metric}",
                    metric=metric,
                    target_mins=target,
                    pause_on_pending=metric == "resolution",
                    applies_to_priority=priority,
                    active=True,
                    schedule="24x7" if priority == "critical" else "business hours",
                )
                self.agreements.setdefault(priority, []).append(row)
            self.add(
                "sla_definition",
                at=founded - dt.timedelta(days=300),
                name=f"{priority.capitalize()} resolution (old)",
                metric="resolution",
                target_mins=minutes[1] * 2,
                pause_on_pending=False,
                applies_to_priority=priority,
                active=False,
                schedule="business hours",
            )

    def _templates(self) -> None:
        for name, category, text in INCIDENTS[: {"S": 3, "M": 8, "L": 12}[self.maker.size]]:
            impact, urgency = self.draw.choice(words.LEVELS), self.draw.choice(words.LEVELS)
            service, offering = self.draw.choice(self.offerings)
            self.add(
                "incident_template",
                at=self.maker.ago(200, 500),
                name=f"{name} template",
                active=self.draw.random() < 0.85,
                caller_id=self.user("agent", "manager"),
                channel=self.draw.choice(words.CHANNELS),
                short_description=text,
                category=category,
                impact=impact,
                urgency=urgency,
                priority=PRIORITY[impact, urgency],
                service=service,
                service_offering=offering,
            )

    # -- work ------------------------------------------------------------------------------------------------------

    def _assigned(self) -> dict[str, Any]:
        group = self.draw.choice(self.groups)
        return {"assignment_group": group, "assigned_to": self.draw.choice(self.members[group])}

    def _problems(self) -> None:
        count = max(4, round({"S": 6, "M": 44, "L": 120}[self.maker.size] * self.share))
        self.problems: list[Row] = []
        for number in range(count):
            statement, category, cause, around = self.draw.choice(PROBLEMS)
            status = words.PROBLEM_STATUSES[number] if number < 5 else self.draw.choice(words.PROBLEM_STATUSES[:5])
            impact, urgency = self.draw.choice(words.LEVELS), self.draw.choice(words.LEVELS)
            service, offering = self.draw.choice(self.offerings)
            at = self.maker.ago(10, 200)
            known = status in ("fix_in_progress", "resolved", "closed")
            self.problems.append(
                self.add(
                    "problem",
                    at=at,
                    updated=at + dt.timedelta(hours=self.draw.randrange(1, 60)),
                    problem_statement=statement,
                    short_description=statement,
                    opened_by=self.user("agent", "manager"),
                    service=service,
                    service_offering=offering,
                    **self._assigned(),
                    status=status,
                    category=category,
                    worknotes=cause if status not in ("new", "assess") else None,
                    workaround=around if known else None,
                    fix_notes=f"Fixed: {cause}" if status in ("resolved", "closed") else None,
                    impact=impact,
                    urgency=urgency,
                    priority=PRIORITY[impact, urgency],
                )
            )

    def _changes(self) -> None:
        count = max(8, round({"S": 12, "M": 90, "L": 260}[self.maker.size] * self.share))
        self.changes: list[Row] = []
        for number in range(count):
            title, category = self.draw.choice(CHANGES)
            status = words.CHANGE_STATUSES[number] if number < 8 else self.draw.choice(words.CHANGE_STATUSES)
            planned = status in ("scheduled", "implement", "review", "closed") or self.draw.random() < 0.5
            service, offering = self.draw.choice(self.offerings)
            at = self.maker.ago(3, 240)
            self.changes.append(
                self.add(
                    "change",
                    at=at,
                    updated=at + dt.timedelta(hours=self.draw.randrange(1, 48)),
                    short_description=title,
                    requested_by=self.user("agent", "manager"),
                    service=service,
                    service_offering=offering,
                    configuration_item=self.draw.choice(self.usable),
                    **self._assigned(),
                    status=status,
                    category=category,
                    description=f"{title}, as discussed with the owner",
                    implementation_plan=f"{title}: step by step, with a way back" if planned else None,
                    testing_plan="Smoke test, then one working day of watching" if planned else None,
                    close_notes="Done as planned" if status == "closed" else None,
                    close_code=self.draw.choice(words.CLOSE_CODES) if status == "closed" else None,
                    cab_required=self.draw.random() < 0.3,
                    impact=self.draw.choice(words.LEVELS),
                    priority=self.draw.choice(words.WORKING_PRIORITIES),
                    risk=self.draw.choice(words.LEVELS),
                )
            )

    def _incidents(self) -> None:
        count = round(INCIDENTS_OF[self.maker.size] * self.share)
        weighted = ("new",) * 4 + ("in_progress",) * 6 + ("on_hold",) * 2 + ("resolved",) * 4 + ("closed",) * 6 + ("canceled",)
        self.incidents: list[Row] = []
        for number in range(count):
            status = words.INCIDENT_STATUSES[number % 6] if number < 12 else self.draw.choice(weighted)
            self.incidents.append(self._incident(status, is_fresh=number == words.INCIDENT_STATUSES.index("in_progress")))
        for parent, child in zip(self.incidents[0::17], self.incidents[5::17], strict=False):
            if parent is not child:
                self.rows.add(
                    "child_incident",
                    at=child["created_at"],
                    parent_incident=parent["incident_id"],
                    child_incident=child["incident_id"],
                )

    def _incident(self, status: str, *, is_fresh: bool) -> Row:
        """An incident; a fresh one has just been taken up, and all its agreements run."""
        name, category, text = self.draw.choice(INCIDENTS)
        impact, urgency = self.draw.choice(words.LEVELS), self.draw.choice(words.LEVELS)
        at = self.maker.ago(
            *{"new": (0.1, 3), "in_progress": (0.5, 12), "on_hold": (2, 25), "resolved": (1, 14)}.get(status, (10, 220))
        )
        if is_fresh:  # of an impact for which there are agreements
            at, impact = self.maker.now - dt.timedelta(minutes=10), "medium"
        ended = status in ("resolved", "closed")
        resolved = min(at + dt.timedelta(minutes=self.draw.randrange(30, 6000)), self.maker.now - dt.timedelta(minutes=30))
        assigned = self._assigned() if status != "new" or self.draw.random() < 0.4 else {}
        service, offering = self.draw.choice(self.offerings)
        item = self.draw.choice(self.usable) if self.draw.random() < 0.6 else None
        row = self.add(
            "incident",
            at=at,
            updated=resolved if ended else at + (self.maker.now - at) / 3,
            short_description=text,
            caller_id=self.user(),
            service=service,
            service_offering=offering if self.draw.random() < 0.7 else None,
            configuration_item=item,
            **assigned,
            resolved_by=assigned.get("assigned_to") if ended else None,
            channel=self.draw.choice(words.CHANNELS[:-1]),
            status=status,
            category=category,
            description=f"{text}; {self.draw.choice(('since this morning', 'since the last update', 'now and then', 'all day'))}",
            resolution_notes=f"{name} solved" if ended else None,
            resolution_code=self.draw.choice(words.RESOLUTION_CODES) if ended else None,
            close_notes="Confirmed by the caller" if status == "closed" else None,
            on_hold_reason=self.draw.choice(words.HOLD_REASONS) if status == "on_hold" else None,
            impact=impact,
            urgency=urgency,
            priority=PRIORITY[impact, urgency],
            resolved=resolved if ended else None,
        )
        self._around(row, at, resolved, is_fresh=is_fresh)
        return row

    def _around(self, incident: Row, at: dt.datetime, resolved: dt.datetime, *, is_fresh: bool) -> None:
        """Agreements, affected items, articles and notifications of an incident."""
        key, status = incident["incident_id"], incident["status"]
        running = self.agreements.get(incident["priority"], [])
        for agreement in running[: 2 if is_fresh else self.draw.choice((1, 2, 2))]:
            due = at + dt.timedelta(minutes=agreement["target_mins"])
            ended = status in ("resolved", "closed", "canceled")
            late = (resolved if ended else self.maker.now) > due
            paused = status == "on_hold" and agreement["pause_on_pending"]
            stage = {"canceled": "cancelled"}.get(
                status, "completed" if ended else "paused" if paused else "breached" if late else "in_progress"
            )
            self.add(
                "incident_sla",
                at=at,
                incident_id=key,
                sla_def_id=agreement["sla_def_id"],
                stage=stage,
                has_breached=late and not paused,
                start_time=at,
                breach_time=due if late and not paused else None,
                completed_time=resolved if stage == "completed" else None,
            )
        if self.draw.random() < 0.35:
            for item in self.draw.sample(self.usable, 1):
                self.add("incident_affected_cis", at=at, configuration_item=item, incident_id=key)
        if self.draw.random() < 0.3 and self.articles["published"]:
            article = self.draw.choice(self.articles["published"])
            self.add("incident_knowledge", at=at, incident_id=key, knowledge_id=article, used_as=self.draw.choice(words.USES))
        if self.draw.random() < 0.55:
            reader = next(row for row in self.staff if row["user_id"] == incident["caller_id"])
            self.add(
                "notification",
                at=at + dt.timedelta(minutes=5),
                incident_id=key,
                email=reader["email"],
                subject=f"{incident['number']}: {incident['short_description']}"[:250],
                message="Your incident has been recorded.",
                type=self.draw.choice(words.NOTICE_TYPES[:4]),
                status=self.draw.choice(words.NOTICE_STATUSES),
            )

    def _mappings(self) -> None:
        """Changes of problems and incidents; a closed problem has a change that succeeded."""
        done = [row for row in self.changes if row["status"] == "closed" and row["close_code"] != "unsuccessful"]
        pairs: set[tuple[str, str]] = set()
        for problem in self.problems:
            options = done if problem["status"] == "closed" else self.changes
            if options and (problem["status"] == "closed" or self.draw.random() < 0.6):
                change = self.draw.choice(options)
                self.add(
                    "change_request_mapping",
                    at=problem["created_on"],
                    change_id=change["change_id"],
                    problem_id=problem["problem_id"],
                )
        for change in self.changes:
            incident = self.draw.choice(self.incidents)
            pair = change["change_id"], incident["incident_id"]
            if pair not in pairs and self.draw.random() < 0.5:
                pairs.add(pair)
                self.add("change_request_mapping", at=change["created_on"], change_id=pair[0], incident_id=pair[1])
