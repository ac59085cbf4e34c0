"""Worlds of HR: tenants with people and their profiles, a catalogue of services, and months of cases."""

from __future__ import annotations

import datetime as dt
import random
from typing import Any

from opsgym.envs.enterprise_ops.access import access_rows
from opsgym.envs.enterprise_ops.company import Company, Organization, Person, Size
from opsgym.envs.enterprise_ops.hr import stock, words
from opsgym.envs.enterprise_ops.hr.rules import RIGHTS
from opsgym.envs.enterprise_ops.hr.tables import TABLES
from opsgym.envs.enterprise_ops.makers import Maker
from opsgym.envs.enterprise_ops.worlds import Generated, Row

CASES: dict[Size, int] = {"S": 9, "M": 520, "L": 1800}
"""Cases over all tenants, of which home has the larger part."""
_TEAMS: dict[Size, tuple[int, int]] = {"S": (10, 6), "M": (12, 9), "L": (15, 9)}
"""Teams of home and of each other tenant."""
_COUNTRIES = {"USA": "US", "UK": "GB", "India": "IN", "Japan": "JP", "Australia": "AU"}
_POSITIONS = {"IT": "IT Support", "Human Resources": "HR", "Sales": "Sales", "Engineering": "Software Engineer"}
_WORKED = ("work_in_progress", "awaiting_acceptance", "closed_complete", "closed_incomplete")
_ENDED = ("closed_complete", "closed_incomplete", "cancelled")
_STATUSES = {
    "closed_complete": 50,
    "closed_incomplete": 6,
    "cancelled": 5,
    "work_in_progress": 14,
    "ready": 10,
    "draft": 5,
    "suspended": 4,
    "awaiting_acceptance": 6,
}


def generate(company: Company, draw: random.Random, size: Size) -> Generated:
    """The world of a company; see :class:`~opsgym.envs.enterprise_ops.worlds.Generator`."""
    maker = _Maker(company, draw, size)
    maker.rows.rows |= access_rows(RIGHTS, TABLES, lambda kind, number: number)
    for organization in company.organizations:
        _Tenant(maker, organization).write()
    maker.label()
    return maker.rows.done()


class _Maker(Maker):
    """What the tenants of a world share."""

    def __init__(self, company: Company, draw: random.Random, size: Size) -> None:
        super().__init__(company, draw, size, TABLES, days=900)

    def label(self) -> None:
        """Label what is easily mistaken."""
        self.label_people("user")
        for row in self.rows.rows["knowledge"]:
            if row["state"] == "retired":
                self.rows.trap("retired_article", "knowledge", row["knowledge_id"])
        for name in ("hr_service", "skill"):
            for row in self.rows.rows[name]:
                if not row["active"]:
                    self.rows.trap("retired_item", name, row[f"{name}_id"])
        by_number: dict[str, list[int]] = {}
        for row in self.rows.rows["hr_case"]:
            by_number.setdefault(row["number"], []).append(row["hr_case_id"])
        for keys in by_number.values():
            if len(keys) > 1:
                self.rows.trap("same_number", "hr_case", *keys)


class _Tenant:
    """Writes the records of one organization."""

    def __init__(self, maker: _Maker, organization: Organization) -> None:
        self.maker = maker
        self.draw = maker.draw
        self.rows = maker.rows
        self.organization = organization
        self.is_home = organization.number == 1
        self.people = maker.company.people_of(organization.number)
        self.share = len(self.people) / len(maker.company.people)
        self.members: dict[int, list[int]] = {}
        self.skills_of: dict[int, list[int]] = {}
        self.counts = dict.fromkeys(("hr_case", "hr_case_task", "hr_profile", "knowledge"), 0)

    def write(self) -> None:
        """All records."""
        self.rows.add("organization", org_id=self.organization.number, name=self.organization.name, active=True)
        self._users()
        self._profiles()
        self._groups()
        self._skills()
        self._catalogue()
        self._routing()
        self._articles()
        self._surveys()
        for _ in range(round(CASES[self.maker.size] * self.share)):
            self._case()

    def add(self, table: str, **values: Any) -> Row:
        """Add a row of the tenant."""
        return self.rows.add(table, org_id=self.organization.number, **values)

    def number(self, table: str, form: str) -> str:
        """The tenant's next number: tenants count for themselves."""
        self.counts[table] += 1
        return form.format(self.counts[table])

    # -- people ----------------------------------------------------------------------------------------------

    def _users(self) -> None:
        roles = {row["name"]: row["role_id"] for row in self.rows.rows["role"]}
        computing = [person.number for person in self.people if person.department == "IT"]
        self.role: dict[int, str] = {}
        for person in self.people:
            role = _role(person, person.number in computing[::3])
            hired = dt.datetime.combine(person.hired, dt.time(9))
            row = self.add(
                "user",
                at=hired,
                updated=hired if person.left is None else dt.datetime.combine(person.left, dt.time(17)),
                first_name=person.first_name,
                last_name=person.last_name,
                email=person.email,
                phone=person.phone,
                role=role,
                active=person.is_active,
                static_token=f"token-{person.number:04d}-{self.draw.getrandbits(48):012x}",
            )
            self.maker.users[person.number] = row
            self.role[row["user_id"]] = role
            self.add("user_role", user_id=row["user_id"], role_id=roles[role])
        self.staff = [self.maker.users[person.number] for person in self.people if person.is_active]
        self.workers = [row["user_id"] for row in self.staff if row["role"] in ("agent", "manager")]
        self.managers = [row["user_id"] for row in self.staff if row["role"] == "manager"]

    def _profiles(self) -> None:
        for person in self.people:
            hired = dt.datetime.combine(person.hired, dt.time(9))
            country = _COUNTRIES[self.maker.company.site(person.site).country]
            if self.draw.random() < 0.2:
                country = self.draw.choice(words.COUNTRIES)
            position = "Manager" if person.level != "staff" else _POSITIONS.get(person.department, "Administration")
            self.add(
                "hr_profile",
                at=hired,
                number=self.number("hr_profile", "HRP{:05d}"),
                gender=self.draw.choice(("Male", "Female", "Male", "Female", "Other")),
                user_id=self.maker.users[person.number]["user_id"],
                personal_email=f"{person.email.partition('@')[0]}.{person.number}@post.example",
                marital_status=self.draw.choice(words.MARITAL_STATUSES),
                type=self.draw.choice(("full-time", "full-time", "full-time", "part-time", "contractor")),
                dob=person.hired - dt.timedelta(days=self.draw.randrange(19 * 366, 45 * 366)),
                nationality=country,
                employment_start_date=person.hired,
                employment_end_date=person.left,
                manager=self.maker.users[person.manager]["user_id"] if person.manager else None,
                location_type=self.draw.choice(words.LOCATION_TYPES),
                national_tax_id=f"{country}-{100_000 + person.number * 37}-{self.draw.randrange(1000):03d}",
                position="QA" if "Test" in person.job_title else position,
            )

    def _groups(self) -> None:
        self.groups: dict[str, int] = {}
        self.takes: dict[str, list[int]] = {centre: [] for centre in words.CENTRES}
        for name, kind, centre in stock.TEAMS[: _TEAMS[self.maker.size][not self.is_home]]:
            group = self.add("user_group", name=name, type=kind, active=True)["group_id"]
            self.groups[name] = group
            if centre:
                self.takes[centre].append(group)
            pool = self.managers if name.endswith("Board") else self.workers
            self._join(group, self.draw.sample(pool, min(len(pool), self.draw.randrange(3, 6))))
        clubs = stock.CLUBS if self.is_home else ()
        for name, kind in clubs:
            group = self.add("user_group", name=name, type=kind, active=True)["group_id"]
            users = [row["user_id"] for row in self.staff]
            self._join(group, self.draw.sample(users, min(len(users), self.draw.randrange(3, 9))))
        self.add("user_group", name="Mail Room", type="Service Desk", active=False)

    def _join(self, group: int, users: list[int]) -> None:
        self.members[group] = users
        for user in users:
            self.add("user_group_member", group_id=group, user_id=user)

    def _skills(self) -> None:
        count = len(stock.SKILLS) if self.is_home else 6
        skills = [self.add("skill", name=name, active=True)["skill_id"] for name in stock.SKILLS[:count]]
        for name in stock.RETIRED_SKILLS:
            self.add("skill", name=name, active=False)
        self.skills = skills
        for user in self.workers:
            chosen = sorted(self.draw.sample(skills, self.draw.randrange(1, 4)))
            self.skills_of[user] = chosen
            for skill in chosen:
                self.add("user_skill", skill=skill, user=user)

    # -- catalogue and routes --------------------------------------------------------------------------------

    def _catalogue(self) -> None:
        self.criteria = {name: self._criteria(name, kind, group) for name, kind, group in stock.CRITERIA}
        self.services: list[tuple[Row, str]] = []
        categories = stock.CATALOGUE if self.is_home and self.maker.size != "S" else stock.CATALOGUE[:5]
        for category, centre, topics in categories:
            template = self._template(f"{category} request", centre, category)
            key = self.add("topic_category", name=category, coe_type=centre, active=True)["topic_category_id"]
            for topic, services in topics[: None if self.is_home else 1]:
                detail = self.add("topic_detail", name=topic, topic_category=key, active=True)["topic_detail_id"]
                for name, kind in services:
                    self._service(name, kind, centre, detail, template)
            for place, retired in stock.RETIRED:
                if place == category:
                    self._service(retired, "manual", centre, detail, template, active=False)
        self.add("topic_category", name="Canteen", coe_type="Total Rewards", active=False)
        self._template("Paper form", "HRIT", "paper", active=False)

    def _template(self, name: str, centre: str, category: str, *, active: bool = True) -> int:
        values = {"short_description": f"Handle the {category.lower()} request", "category": category.lower()}
        row = self.add("service_template", name=name, change_request_values=values, coe_type=centre, active=active)
        return int(row["service_template_id"])

    def _criteria(self, name: str, kind: str, group: str) -> int:
        who: dict[str, Any] = (
            {"user_group": self.groups[group]} if group in self.groups else {"users": sorted(self.managers[-3:])}
        )
        if kind == "case_visibility" and group not in self.groups:
            who = {"users": sorted(self.workers[:3])}
        return int(self.add("hr_criteria", name=name, type=kind, active=True, **who)["hr_criteria_id"])

    def _service(self, name: str, kind: str, centre: str, detail: int, template: int, *, active: bool = True) -> None:
        criteria = stock.APPROVED.get(name) or stock.CONFIDENTIAL.get(name)
        row = self.add(
            "hr_service",
            service_name=name,
            fulfillment_type=kind,
            topic_detail=detail,
            service_template=None if kind == "manual" else template,
            hr_criteria=self.criteria[criteria] if criteria else None,
            active=active,
        )
        if active:
            self.services.append((row, centre))

    def _routing(self) -> None:
        teams = [group for listed in self.takes.values() for group in listed]
        for group in teams:
            self.add("escalation_rule", escalate_from=group, escalate_to=self.groups["HR Escalations"])
        for group in teams[: 8 if self.is_home else 3]:
            name = next(key for key, value in self.groups.items() if value == group)
            self.add(
                "assignment_rules",
                name=f"{name} by skill",
                based_on_skills=[self.draw.choice(self.skills)],
                based_on_country=self.draw.choice((None, "US", "GB", "IN")),
                based_on_priority=self.draw.choice(words.PRIORITIES),
                active=True,
                user_group=group,
                users=sorted(self.members[group][:2]),
            )

    def _articles(self) -> None:
        self.articles: dict[str, list[int]] = {centre: [] for centre in words.CENTRES}
        count = {"S": 8, "M": 16, "L": 16}[self.maker.size] if self.is_home else 4
        for title, centre in stock.ARTICLES[:count]:
            twice = self.draw.random() < 0.3  # an older version under the same title
            for state in ("retired", "published") if twice else ("published",):
                row = self.add(
                    "knowledge",
                    kb_number=self.number("knowledge", "KB{:07d}"),
                    title=title,
                    body=f"{title}: what to do, whom to ask, and how long it takes.",
                    state=state,
                    visibility=self.draw.choice(words.VISIBILITIES),
                    owner_id=self.draw.choice(self.workers),
                )
                if state == "published":
                    self.articles[centre].append(row["knowledge_id"])

    def _surveys(self) -> None:
        self.surveys = [
            self.add("survey", **{f"question_{place}": text for place, text in enumerate(asked, 1)})["survey_id"]
            for asked in stock.QUESTIONS[: None if self.is_home else 2]
        ]

    # -- cases -----------------------------------------------------------------------------------------------

    def _case(self) -> None:
        service, centre = self.draw.choice(self.services)
        (status,) = self.draw.choices(list(_STATUSES), list(_STATUSES.values()))
        requester = self.draw.choice(self.staff)
        group, handler, skills = self._handler(service, centre, requester["user_id"])
        approval = self._approval(service, requester["user_id"])
        if approval and status in ("work_in_progress", "ready") and self.draw.random() < 0.6:
            status = "awaiting_approval"
        if approval is None and service["hr_criteria"] in self._approvals() and status == "closed_complete":
            status = "cancelled"  # nobody is left who might approve it
        is_own = self.draw.random() < 0.3
        is_assigned = status in _WORKED or (status not in ("draft", "cancelled") and self.draw.random() < 0.5)
        opened = self.maker.ago(15, 320) if status in _ENDED else self.maker.ago(0.5, 30)
        paid = centre == "Payroll" and self.draw.random() < 0.6
        case = self.add(
            "hr_case",
            at=opened,
            updated=min(self.maker.now, opened + dt.timedelta(hours=self.draw.randrange(2, 200))),
            number=self.number("hr_case", "HRC{:07d}"),
            status=status,
            hr_service=service["hr_service_id"],
            opened_for=requester["user_id"],
            opened_by=requester["user_id"] if is_own else self.draw.choice(self.workers),
            priority=self.draw.choice(("critical", "high", "moderate", "moderate", "low", "planning")),
            source="self-service" if is_own else self.draw.choice(words.SOURCES[1:]),
            assigned_to=handler if is_assigned else None,
            assignment_group=group if is_assigned else None,
            short_description=self.draw.choice(stock.ASKS).format(service["service_name"], requester["first_name"]),
            worknotes=self._notes(status),
            skills=skills if is_assigned and skills else None,
            coe_type=centre,
            account_number=f"ACC-{self.draw.randrange(10_000, 100_000)}" if paid else "N/A",
            account_type=self.draw.choice(words.ACCOUNT_TYPES) if paid else None,
            **(self._request(status, approval) if approval else {}),
        )
        if status in _WORKED:
            self._tasks(case, service)
        self._follow_up(case, centre, requester)

    def _approvals(self) -> set[int]:
        return {key for name, key in self.criteria.items() if name.endswith("approvals")}

    def _handler(self, service: Row, centre: str, requester: int) -> tuple[int, int, list[int]]:
        """Group and member that may handle a case, with a skill that the member has."""
        confidential = stock.CONFIDENTIAL.get(service["service_name"])
        group = self.draw.choice(self.takes[centre])
        if confidential:
            group = self.groups[
                "Ethics Office" if confidential == "Ethics only" and "Ethics Office" in self.groups else "Employee Relations"
            ]
        able = [user for user in self.members[group] if user != requester]
        handler = self.draw.choice(able)
        skills = self.draw.sample(self.skills_of[handler], 1) if self.draw.random() < 0.3 else []
        return group, handler, skills

    def _approval(self, service: Row, requester: int) -> dict[str, int] | None:
        """Criteria and approver of a service that needs approval."""
        name = stock.APPROVED.get(service["service_name"])
        if name is None:
            return None
        _, _, group = next(item for item in stock.CRITERIA if item[0] == name)
        pool = self.members[self.groups[group]] if group in self.groups else self.managers[-3:]
        able = [user for user in pool if user != requester]
        return {"approval_criteria": self.criteria[name], "approver": self.draw.choice(able)} if able else None

    def _request(self, status: str, approval: dict[str, int]) -> dict[str, Any]:
        """What a case says of its approval in a status."""
        if status in ("draft", "ready", "cancelled", "suspended"):
            return {}
        decision = {"awaiting_approval": "requested", "closed_incomplete": "rejected"}.get(status, "approved")
        return {**approval, "request_status": decision}

    def _notes(self, status: str) -> str | None:
        if status == "closed_complete":
            return self.draw.choice(stock.ENDINGS)
        if status in ("closed_incomplete", "cancelled"):
            return self.draw.choice(stock.STOPS)
        return self.draw.choice(stock.NOTES) if status == "suspended" or self.draw.random() < 0.5 else None

    def _tasks(self, case: Row, service: Row) -> None:
        is_ended = case["status"] != "work_in_progress"
        for kind in words.GENERATED.get(service["fulfillment_type"], ("mark when complete",)):
            status = self._task_status(case["status"], is_ended)
            task = self._task(case, kind, status, f"Handle {service['service_name'].lower()}")
            if kind == "checklist":
                for item in self.draw.sample(stock.ITEMS, self.draw.randrange(1, 4)):
                    checked = status == "closed_complete" or self.draw.random() < 0.4
                    self.add(
                        "checklist", at=case["created_at"], checklist_item_description=item, checked=checked, case_task_id=task
                    )

    def _task_status(self, case: str, is_ended: bool) -> str:
        if case == "closed_incomplete":
            return self.draw.choice(("closed_incomplete", "cancelled", "closed_complete"))
        return "closed_complete" if is_ended else self.draw.choice(("ready", "work_in_progress", "closed_complete"))

    def _task(self, case: Row, kind: str, status: str, about: str) -> int:
        row = self.add(
            "hr_case_task",
            at=case["created_at"],
            updated=case["updated_at"],
            number=self.number("hr_case_task", "HRT{:07d}"),
            status=status,
            assigned_to=case["assigned_to"],
            assignment_group=case["assignment_group"],
            short_description=about,
            task_type=kind,
            hr_service=case["hr_service"],
            worknotes=self.draw.choice(stock.STOPS) if status == "closed_incomplete" else None,
            active=status not in _ENDED,
            parent_case=case["hr_case_id"],
        )
        return int(row["hr_case_task_id"])

    def _follow_up(self, case: Row, centre: str, requester: Row) -> None:
        """Surveys, notifications and articles."""
        at = case["updated_at"]
        if case["status"] == "closed_complete":
            answered = self.draw.random() < 0.6
            task = self._task(case, "survey", "closed_complete" if answered else "ready", "Ask how it went")
            answers = {f"answer_{place}": self.draw.choice(stock.ANSWERS) for place in (1, 2)} if answered else {}
            self.add(
                "survey_instance",
                at=at,
                survey_id=self.draw.choice(self.surveys),
                case_task_id=task,
                assigned_to=requester["user_id"],
                **answers,
            )
        if case["status"] in ("closed_complete", "closed_incomplete") or self.draw.random() < 0.4:
            kind = "closure" if case["status"] in ("closed_complete", "closed_incomplete") else "update"
            self.add(
                "notification",
                at=at,
                hr_case_id=case["hr_case_id"],
                email=requester["email"],
                type=kind,
                status=self.draw.choice(("sent", "delivered", "delivered", "failed")),
            )
        articles = self.articles[centre]
        if articles and case["status"] in _WORKED and self.draw.random() < 0.35:
            used = "suggested" if case["source"] == "self-service" else self.draw.choice(words.USES)
            self.add(
                "hr_case_knowledge", at=at, hr_case_id=case["hr_case_id"], knowledge_id=self.draw.choice(articles), used_as=used
            )


def _role(person: Person, is_admin: bool) -> str:
    """The role of a person: some of IT are admins; who leads others is a manager; HR, IT and Finance handle cases."""
    if is_admin:
        return "admin"
    if person.level != "staff":
        return "manager"
    return "agent" if person.department in ("Human Resources", "IT", "Finance") else "employee"
