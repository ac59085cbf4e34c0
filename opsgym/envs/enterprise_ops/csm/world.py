"""Worlds of CSM: the company's staff serves its clients, whose cases have a past that keeps every rule."""

from __future__ import annotations

import datetime as dt
import random
from itertools import count

from opsgym.envs.enterprise_ops.company import CITIES, Client, Company, Person, Size
from opsgym.envs.enterprise_ops.csm import nouns, words
from opsgym.envs.enterprise_ops.csm.tables import TABLES
from opsgym.envs.enterprise_ops.worlds import Builder, Generated, Row

_COUNTS: dict[Size, dict[str, int]] = {
    "S": {"groups": 6, "products": 18, "assets": 4, "cases": 10},
    "M": {"groups": 11, "products": 60, "assets": 7, "cases": 30},
    "L": {"groups": 16, "products": 130, "assets": 9, "cases": 37},
}
"""Groups and products; installed products and cases per client."""

_DAY = dt.timedelta(days=1)
_HOURS = {"standard": "h8x5", "premium": "h12x6", "enterprise": "h24x7"}
_OPEN = ("new", "in_progress", "pending")


def generate(company: Company, draw: random.Random, size: Size) -> Generated:
    """The world of a company; see :class:`~opsgym.envs.enterprise_ops.worlds.Generator`."""
    maker = _Maker(company, draw, _COUNTS[size])
    maker.people()
    maker.groups()
    maker.products()
    maker.service_levels()
    maker.articles()
    for client in company.clients:
        maker.client(client)
    maker.renewals()
    return maker.build.done()


class _Maker:
    """Draws a world, part by part."""

    def __init__(self, company: Company, draw: random.Random, counts: dict[str, int]) -> None:
        self.company = company
        self.draw = draw
        self.counts = counts
        self.now = dt.datetime.combine(company.today, dt.time(8))
        self.build = Builder(TABLES, self.now - 900 * _DAY)
        self.staff: list[Row] = []
        self.leavers: list[Row] = []
        self.teams: list[tuple[Row, list[Row]]] = []
        self.active_products: list[Row] = []
        self.slas: list[Row] = []
        self.serials = count(self.draw.randrange(100, 200) * 1000)
        self.published: dict[int, list[Row]] = {}

    def ago(self, least: int, most: int) -> dt.datetime:
        """A moment so many days back, in working hours."""
        day = self.company.today - self.draw.randrange(least, most) * _DAY
        return dt.datetime.combine(day, dt.time(self.draw.randrange(7, 18), self.draw.randrange(60), self.draw.randrange(60)))

    # -- home ----------------------------------------------------------------------------------------------

    def people(self) -> None:
        """Home's sites, and its people as users: executive and heads of IT administer, heads and leads manage."""
        sites = {}
        for site in self.company.sites:
            if site.organization == 1:
                row = self._location(site.name, site.city, site.plot_no, site.street)
                sites[site.number] = row["location_id"]
        users: dict[int, Row] = {}
        for person in self.company.people_of(1):
            users[person.number] = user = self.build.add(
                "user",
                at=dt.datetime.combine(person.hired, dt.time(9)),
                first_name=person.first_name,
                last_name=person.last_name,
                email=person.email,
                phone=person.phone,
                role=_role(person),
                location_id=sites[person.site],
                active=person.is_active,
            )
            if person.is_active:
                self.staff.append(user)
            else:
                self.build.trap("stale_record", "user", user["user_id"], note="has left")
        for first, second in self.company.namesakes:
            if second.number in users:
                self.build.trap("namesake", "user", users[first.number]["user_id"], users[second.number]["user_id"])
        self.leavers = [row for row in users.values() if not row["active"]]
        self.build.add("account", name=self.company.home.name, account_type="internal", email_domain=self.company.home.domain)

    def _location(self, name: str, city: str, plot: str, street: str, *, active: bool = True) -> Row:
        code = words.CITIES[list(CITIES).index(city)]
        country = next(country for country, found in words.CITY_OF.items() if found == code)
        return self.build.add(
            "location",
            name=name,
            plot_no=f"Plot {plot}",
            street=street,
            city=code,
            country=country,
            active=active,
        )

    def groups(self) -> None:
        """Groups of agents with a manager; everybody who handles cases is in one or two."""
        handlers = [user for user in self.staff if user["role"] == "agent"]
        managers = [user for user in self.staff if user["role"] == "manager"]
        for name, kind in nouns.GROUPS[: self.counts["groups"]]:
            group = self.build.add("user_group", name=name, type=kind)
            members = [self.draw.choice(managers), *self.draw.sample(handlers, min(len(handlers), self.draw.randrange(3, 7)))]
            self._team(group, members)
        for agent in handlers:
            if not any(agent in members for _, members in self.teams):
                group, members = self.draw.choice(self.teams)
                self._join(group, agent)
                members.append(agent)
        name, kind = self.draw.choice(nouns.GROUPS[self.counts["groups"] :])
        closed = self.build.add("user_group", name=name, type=kind, active=False)
        self.build.trap("stale_record", "user_group", closed["group_id"], note="is no longer active")

    def _team(self, group: Row, members: list[Row]) -> None:
        for user in members:
            self._join(group, user)
        self.teams.append((group, members))

    def _join(self, group: Row, user: Row) -> None:
        self.build.add("user_group_member", at=self.ago(200, 600), group_id=group["group_id"], user_id=user["user_id"])

    def products(self) -> None:
        """Products; some are retired, some have a successor of nearly the same name."""
        names = [
            (f"{series} {number} {kind}", category)
            for category, kinds in nouns.KINDS.items()
            for kind in kinds
            for series in nouns.SERIES
            for number in (120, 340)
        ]
        for place, (name, category) in enumerate(self.draw.sample(names, self.counts["products"])):
            retired = place % 9 == 4
            row = self._product(name, category, retired=retired)
            if place % 7 == 3:
                twin = self._product(f"{name} Plus", category, retired=False)
                self.build.trap("similar_name", "product", row["product_id"], twin["product_id"])

    def _product(self, name: str, category: str, *, retired: bool) -> Row:
        row = self.build.add(
            "product",
            name=name,
            category=category,
            product_price=self.draw.randrange(5, 400) * 100,
            lifecycle_state="retired" if retired else "active",
        )
        if retired:
            self.build.trap("retired_product", "product", row["product_id"])
        else:
            self.active_products.append(row)
        return row

    def service_levels(self) -> None:
        """Two SLAs a priority, two that never pause, and an old one for each metric."""
        for metric, targets in nouns.TARGETS.items():
            for priority, target in zip(words.PRIORITIES, targets, strict=True):
                name = f"{metric.capitalize()} {priority}"
                self.slas.append(self._sla(name, metric, target, priority))
        for metric, target, priority in (("response", 25, "high"), ("resolution", 1200, "moderate")):
            self._sla(f"{metric.capitalize()} {priority}, no pause", metric, target, priority, pauses=False)
        for metric, target in (("response", 45), ("resolution", 720)):
            old = self._sla(f"{metric.capitalize()} moderate, former", metric, target, "moderate", active=False)
            self.build.trap("stale_record", "sla_definition", old["sla_def_id"], note="is no longer active")

    def _sla(self, name: str, metric: str, target: int, priority: str, *, pauses: bool = True, active: bool = True) -> Row:
        return self.build.add(
            "sla_definition",
            name=name,
            metric=metric,
            target_mins=target,
            pause_on_pending=pauses,
            applies_to_priority=priority,
            active=active,
        )

    def articles(self) -> None:
        """One to three articles a product; some were retired for a newer one of the same title."""
        for product in self.active_products:
            for trouble in self.draw.sample(nouns.TROUBLES, self.draw.choice((1, 1, 2, 3))):
                title = f"What to do when {product['name']} {trouble}"
                state = self.draw.choice(("published",) * 5 + ("draft",))
                row = self._article(title, product, state)
                if state == "published":
                    self.published.setdefault(product["product_id"], []).append(row)
                    if self.draw.random() < 0.2:
                        old = self._article(title, product, "retired")
                        self.build.trap("retired_article", "knowledge", row["knowledge_id"], old["knowledge_id"])

    def _article(self, title: str, product: Row, state: str) -> Row:
        owners = [*self.staff, *self.leavers] if state == "retired" else self.staff
        return self.build.add(
            "knowledge",
            at=self.ago(250, 700),
            title=title,
            body=self.draw.choice(nouns.REMEDIES),
            state=state,
            visibility=self.draw.choice(("external", "internal")),
            product_id=product["product_id"],
            owner_id=self.draw.choice(owners)["user_id"],
        )

    # -- clients -------------------------------------------------------------------------------------------

    def client(self, client: Client) -> None:
        """An account with its contacts, sites, contracts, installed products and cases."""
        account = self.build.add("account", name=client.name, account_type=client.kind, email_domain=client.domain)
        sites = [
            self._location(
                f"{client.name} {label}", client.city, str(self.draw.randrange(1, 200)), f"{self.draw.choice(nouns.SERIES)} Road"
            )
            for label in ("Headquarters", "Warehouse")
        ]
        contacts = [self._contact(account, sites[0], person, place) for place, person in enumerate(client.contacts)]
        products = self.draw.sample(self.active_products, min(5, len(self.active_products)))
        entitlements = self._contracts(account, products)
        assets = [self._asset(account, sites, products) for _ in range(self.counts["assets"])]
        for _ in range(self.counts["cases"]):
            self._case(account, contacts, products, assets, entitlements)

    def _contact(self, account: Row, site: Row, person: tuple[str, str, str, str], place: int) -> tuple[Row, Row]:
        first, last, email, phone = person
        user = self.build.add(
            "user",
            first_name=first,
            last_name=last,
            email=email,
            phone=phone,
            role="customer",
            location_id=site["location_id"],
        )
        contact = self.build.add(
            "contact", account_id=account["account_id"], portal_user_id=user["user_id"], is_primary=place == 0
        )
        return contact, user

    def _contracts(self, account: Row, products: list[Row]) -> list[Row]:
        """A contract in force with entitlements for some products, another for one, and one that has run out."""
        today = self.company.today
        found = []
        for share, length in ((products[:3], 365), (products[3:4], 730)):
            start = today - self.draw.randrange(40, 300) * _DAY
            contract = self._contract(account, "active", start, start + length * _DAY)
            for product in share:
                found.append(self._entitlement(account, contract, product, active=True))
        start = today - self.draw.randrange(500, 700) * _DAY
        old = self._contract(account, "expired", start, start + 365 * _DAY)
        row = self._entitlement(account, old, products[4], active=False)
        self.build.trap("stale_record", "entitlement", row["entitlement_id"], note="its contract has run out")
        return found

    def _contract(self, account: Row, status: str, start: dt.date, end: dt.date) -> Row:
        return self.build.add(
            "contract",
            at=dt.datetime.combine(start, dt.time(10)),
            account_id=account["account_id"],
            contract_type=self.draw.choice(words.CONTRACT_TYPES),
            status=status,
            contract_price=self.draw.randrange(20, 900) * 50,
            start_date=start,
            end_date=end,
        )

    def _entitlement(self, account: Row, contract: Row, product: Row, *, active: bool) -> Row:
        level = self.draw.choice(words.SUPPORT_LEVELS)
        return self.build.add(
            "entitlement",
            at=contract["sys_created_on"],
            account_id=account["account_id"],
            product_id=product["product_id"],
            contract_id=contract["contract_id"],
            support_level=level,
            coverage_hours=_HOURS[level],
            max_cases_per_month=self.draw.choice((0, 0, 20, 50)),
            active=active,
        )

    def renewals(self) -> None:
        """A draft contract for every third account."""
        for account in self.build.rows["account"][1::3]:
            start = self.company.today + self.draw.randrange(10, 60) * _DAY
            self._contract(account, "draft", start, start + 365 * _DAY)

    def _asset(self, account: Row, sites: list[Row], products: list[Row]) -> Row:
        product = self.draw.choice([row for row in products if row["category"] != "service"] or products)
        status = self.draw.choice(("in_use",) * 7 + ("in_stock", "repair", "retired"))
        return self.build.add(
            "installed_product",
            account_id=account["account_id"],
            product_id=product["product_id"],
            location_id=self.draw.choice(sites)["location_id"],
            serial_number=f"{product['name'][:3].upper()}-{next(self.serials) * 7 % 900001 + 100000}",
            status=status,
            warranty_end=self.company.today + self.draw.randrange(-300, 900) * _DAY,
        )

    # -- cases ---------------------------------------------------------------------------------------------

    def _case(
        self,
        account: Row,
        contacts: list[tuple[Row, Row]],
        products: list[Row],
        assets: list[Row],
        entitlements: list[Row],
    ) -> None:
        at = self.ago(1, 40) if self.draw.random() < 0.3 else self.ago(40, 260)
        state = self._state((self.now - at).days)
        contact, user = self.draw.choice(contacts)
        asset = self.draw.choice(assets) if self.draw.random() < 0.6 else None
        if asset is not None and asset["status"] != "in_use" and state in _OPEN:
            asset = None
        product = self.draw.choice(products)
        if asset is not None:
            product = next(row for row in products if row["product_id"] == asset["product_id"])
        ended = at + dt.timedelta(minutes=self.draw.randrange(60, 60 * 30))
        escalated = self.draw.random() < 0.08
        case = self.build.add(
            "customer_case",
            at=at,
            updated=min(ended, self.now),
            account_id=account["account_id"],
            contact_id=contact["contact_id"],
            product_id=product["product_id"],
            installed_product_id=asset and asset["installed_product_id"],
            channel=self.draw.choice(words.CHANNELS),
            priority=self.draw.choice(words.PRIORITIES),
            state=state,
            short_description=f"{product['name']} {self.draw.choice(nouns.TROUBLES)}",
            escalation=escalated,
            escalation_reason=self.draw.choice(words.ESCALATION_REASONS) if escalated else None,
            closed_on=min(ended, self.now) if state in ("closed", "canceled") else None,
        )
        if state != "new":
            self._assign(case)
            if any(row["product_id"] == product["product_id"] for row in entitlements):
                self._clock(case, at, min(ended, self.now))
        self._talk(case, user, at)
        self._refer(case, user, at)

    def _state(self, age: int) -> str:
        if age > 40:
            return self.draw.choice(("closed",) * 8 + ("canceled", "resolved"))
        return self.draw.choice(("new", "in_progress", "in_progress", "pending", "resolved", "closed"))

    def _assign(self, case: Row) -> None:
        group, members = self.draw.choice(self.teams)
        case["assignment_group_id"] = group["group_id"]
        user = self.draw.choice(self.leavers) if self.leavers and self.draw.random() < 0.05 else self.draw.choice(members)
        if user["active"] or case["state"] not in _OPEN:
            case["assigned_to"] = user["user_id"]

    def _clock(self, case: Row, at: dt.datetime, ended: dt.datetime) -> None:
        """SLAs of the case's priority, as its state leaves them."""
        state = case["state"]
        fitting = [row for row in self.slas if row["applies_to_priority"] == case["priority"]]
        stage = {"in_progress": "in_progress", "pending": "paused", "canceled": "canceled"}.get(state, "completed")
        for sla in fitting[: self.draw.choice((1, 2, 2))]:
            start = at + dt.timedelta(minutes=self.draw.randrange(1, 20))
            limit = start + dt.timedelta(minutes=sla["target_mins"])
            done = min(ended, start + dt.timedelta(minutes=self.draw.randrange(5, 2 * sla["target_mins"])))
            self.build.add(
                "case_sla",
                case_id=case["case_id"],
                sla_def_id=sla["sla_def_id"],
                stage=stage,
                start_time=start,
                breach_time=limit,
                has_breached=limit < (done if stage == "completed" else self.now) and stage in ("completed", "in_progress"),
                completed_time=max(done, start) if stage == "completed" else None,
            )

    def _talk(self, case: Row, user: Row, at: dt.datetime) -> None:
        """The interaction with which the case began, and perhaps a notification."""
        waiting = case["state"] == "new"
        self.build.add(
            "interaction",
            at=at,
            channel=case["channel"],
            account_id=case["account_id"],
            contact_id=case["contact_id"],
            case_id=case["case_id"],
            interacted_user=case["assigned_to"] or self.draw.choice(self.staff)["user_id"],
            status="open" if waiting else self.draw.choice(("handled", "closed")),
            started_at=at,
            ended_at=None if waiting else at + dt.timedelta(minutes=self.draw.randrange(3, 40)),
        )
        if self.draw.random() < 0.45:
            articles = [row for row in self.published.get(case["product_id"], ()) if row["visibility"] == "external"]
            with_article = articles and self.draw.random() < 0.4
            self.build.add(
                "notification",
                at=at + dt.timedelta(minutes=self.draw.randrange(10, 600)) if not waiting else at,
                case_id=case["case_id"],
                knowledge_id=self.draw.choice(articles)["knowledge_id"] if with_article else None,
                email=user["email"],
                type=self.draw.choice(words.NOTICE_TYPES),
                status=self.draw.choice(("success",) * 9 + ("failed",)),
            )

    def _refer(self, case: Row, user: Row, at: dt.datetime) -> None:
        """Articles that were used; a closed case has one if its product has one."""
        articles = self.published.get(case["product_id"], [])
        done = case["state"] in ("resolved", "closed")
        if not articles or not (case["state"] == "closed" or self.draw.random() < 0.3):
            return
        self.build.add(
            "case_knowledge",
            case_id=case["case_id"],
            knowledge_id=self.draw.choice(articles)["knowledge_id"],
            used_as=self.draw.choice(("resolution", "applied") if done else ("suggested", "applied")),
        )


def _role(person: Person) -> str:
    """The role of somebody of home."""
    if person.level == "executive" or (person.level == "head" and person.department in ("IT", "Customer Service")):
        return "admin"
    return "manager" if person.level in ("head", "lead") else "agent"
