"""Worlds of Teams: tenants with people, teams, channels, and months of messages, chats, events and calls."""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Sequence
from typing import Any

from opsgym.core.task import canonical_json
from opsgym.envs.enterprise_ops.company import Company, Organization, Person, Size
from opsgym.envs.enterprise_ops.makers import Maker
from opsgym.envs.enterprise_ops.teams import stock
from opsgym.envs.enterprise_ops.teams.tables import TABLES
from opsgym.envs.enterprise_ops.worlds import Generated, Row

ROWS: dict[Size, int] = {"S": 500, "M": 3500, "L": 10000}
"""Rows of a world; messages, chats and the audit log fill what teams and people leave."""

_DEPARTMENTS: dict[Size, int] = {"S": 3, "M": 8, "L": 8}
_PROJECTS: dict[Size, int] = {"S": 2, "M": 8, "L": 16}
_GUESTS: dict[Size, int] = {"S": 3, "M": 10, "L": 24}
_CHATS: dict[Size, int] = {"S": 6, "M": 60, "L": 200}
_EVENTS: dict[Size, int] = {"S": 3, "M": 8, "L": 10}
_CALLS: dict[Size, int] = {"S": 4, "M": 20, "L": 60}
_ADMINS: dict[Size, int] = {"S": 2, "M": 4, "L": 6}

MEMBER_SETTINGS = (
    "allowCreateUpdateChannels",
    "allowCreatePrivateChannels",
    "allowDeleteChannels",
    "allowAddRemoveApps",
    "allowCreateUpdateRemoveTabs",
    "allowCreateUpdateRemoveConnectors",
)
MESSAGING_SETTINGS = (
    "allowUserEditMessages",
    "allowUserDeleteMessages",
    "allowOwnerDeleteMessages",
    "allowTeamMentions",
    "allowChannelMentions",
)


def generate(company: Company, draw: random.Random, size: Size) -> Generated:
    """The world of a company; see :class:`~opsgym.envs.enterprise_ops.worlds.Generator`."""
    return _Maker(company, draw, size).world()


class _Maker(Maker):
    """Writes a world, tenant by tenant."""

    def __init__(self, company: Company, draw: random.Random, size: Size) -> None:
        super().__init__(company, draw, size, TABLES, days=400)

    def world(self) -> Generated:
        for key, name, about in stock.TEMPLATES:
            self.rows.add("teams_templates", template_id=key, display_name=name, description=about)
        tenants = [_Tenant(self, organization) for organization in self.company.organizations]
        for tenant in tenants:
            tenant.write()
        for place in range(len(tenants[0].channels)):
            tenants[0].talk(place)
        while sum(map(len, self.rows.rows.values())) < ROWS[self.size]:
            for tenant in (tenants[0], self.draw.choice(tenants)):
                tenant.talk()
        for tenant in tenants:
            tenant.list_members()
        self._label()
        return self.rows.done()

    def _label(self) -> None:
        """Label what is easily mistaken."""
        self.label_people("teams_users")
        for name in ("teams", "channels"):
            for row in self.rows.rows[name]:
                if row["is_archived"]:
                    self.rows.trap("archived", name, row[f"{name[:-1]}_id"])
        apps = {row["display_name"]: row for row in self.rows.rows["teams_apps"] if row["org_id"] == "ORG_001"}
        for name, row in apps.items():
            for longer in apps:
                if longer.startswith(f"{name} "):
                    self.rows.trap("similar_name", "teams_apps", row["app_id"], apps[longer]["app_id"])
        names: dict[str, list[str]] = {}
        for row in self.rows.rows["teams"]:
            names.setdefault(row["display_name"], []).append(row["team_id"])
        for keys in names.values():
            if len(keys) > 1:
                self.rows.trap("same_name", "teams", *keys, note="in several tenants")


class _Tenant:
    """Writes the records of one organization."""

    def __init__(self, maker: _Maker, organization: Organization) -> None:
        self.maker = maker
        self.draw = maker.draw
        self.rows = maker.rows
        self.organization = organization
        self.org = f"ORG_{organization.number:03d}"
        self.is_home = organization.number == 1
        self.people = maker.company.people_of(organization.number)
        self.active = [person for person in self.people if person.is_active]
        self.apps: list[Row] = []
        self.guests: list[str] = []
        self.teams: list[Row] = []
        self.members: dict[str, dict[str, str]] = {}
        self.channels: list[tuple[Row, list[str]]] = []
        self.messages: dict[str, list[Row]] = {}
        self.chats: list[tuple[Row, list[str]]] = []
        self.pairs: set[tuple[str, str]] = set()
        self.names: dict[str, str] = {}

    def write(self) -> None:
        self._organization()
        for person in self.people:
            self._user(person)
        if self.is_home:
            self._guests()
        self.names = {row["user_id"]: row["display_name"] for row in self.rows.rows["teams_users"] if row["org_id"] == self.org}
        self._roles()
        for number, name in enumerate(stock.APPS if self.is_home else stock.APPS[::3], 1):
            self.apps.append(
                self.add(
                    "teams_apps",
                    display_name=name,
                    distribution_method=self.draw.choice(("store", "store", "organization")),
                    external_id=f"app-{self.organization.number}-{number:02d}",
                )
            )
        self._teams()
        self._groups()
        for _ in range(_CHATS[self.maker.size] // (1 if self.is_home else 4)):
            self._chat()
        self._events()
        self._calls()

    # -- people ------------------------------------------------------------------------------------------------

    def _organization(self) -> None:
        self.rows.add(
            "teams_orgs",
            org_id=self.org,
            tenant_id=f"tenant-{self.organization.number:03d}",
            display_name=self.organization.name,
            domain_name=self.organization.domain,
            country_letter_code="GB",
            preferred_language="en-GB",
        )

    def _user(self, person: Person) -> None:
        site = self.maker.company.site(person.site)
        hired = dt.datetime.combine(person.hired, dt.time(9))
        row = self.add(
            "teams_users",
            at=hired,
            updated=hired if person.left is None else dt.datetime.combine(person.left, dt.time(17)),
            user_principal_name=person.email,
            display_name=person.name,
            job_title=person.job_title,
            mail=person.email,
            given_name=person.first_name,
            surname=person.last_name,
            mail_nickname=person.email.partition("@")[0],
            account_enabled=person.is_active,
            business_phones=[person.phone],
            office_location=site.name,
            preferred_language="en-GB",
            department=person.department,
            company_name=self.organization.name,
            usage_location="GB",
            city=site.city,
            state=site.state,
            country=site.country,
            street_address=f"{site.plot_no} {site.street}",
            employee_id=f"E{person.number:05d}",
            employee_type="Employee",
            user_type="Member",
            employee_hire_date=hired,
            skills=sorted(self.draw.sample(stock.SKILLS, 2)),
            static_token=f"token-{person.number}",
        )
        self.maker.users[person.number] = row
        if person.is_active:
            self.add("presences", user_id=row["user_id"], availability=self.draw.choice(("Available", "Away", "Busy", "Offline")))
            if self.draw.random() < 0.1:
                message = self.draw.choice(stock.STATUSES)
                self.add("user_status_messages", at=self.ago(1, 9), user_id=row["user_id"], message=message)

    def _guests(self) -> None:
        """Contacts of clients, who are guests."""
        contacts = [(client, contact) for client in self.maker.company.clients for contact in client.contacts]
        for client, (first, last, email, phone) in contacts[: _GUESTS[self.maker.size]]:
            row = self.add(
                "teams_users",
                at=self.ago(30, 300),
                user_principal_name=email,
                display_name=f"{first} {last}",
                mail=email,
                given_name=first,
                surname=last,
                mail_nickname=email.partition("@")[0],
                business_phones=[phone],
                company_name=client.name,
                city=client.city,
                user_type="Guest",
            )
            self.guests.append(row["user_id"])

    def _roles(self) -> None:
        people = self.active
        admins = [person for person in people if person.department == "IT"][: _ADMINS[self.maker.size]] or people[:1]
        for person in people:
            role = "admin" if person in admins else "member"
            self.add("teams_user_roles", user_id=self.key(person), role=role)
        for guest in self.guests:
            self.add("teams_user_roles", user_id=guest, role="guest")

    def key(self, person: Person) -> str:
        """The key of a person's user."""
        return str(self.maker.users[person.number]["user_id"])

    # -- teams -------------------------------------------------------------------------------------------------

    def _teams(self) -> None:
        departments = list(dict.fromkeys(person.department for person in self.active))
        for department in departments[: _DEPARTMENTS[self.maker.size] if self.is_home else 2]:
            people = [person for person in self.active if person.department == department]
            owners = [person for person in people if person.level in ("executive", "head", "lead")][:3] or people[:1]
            self._team(department, owners, [*people, *self._leavers(department)])
        projects = self.draw.sample(stock.PROJECTS, _PROJECTS[self.maker.size] // (1 if self.is_home else 2))
        for number, name in enumerate(projects):
            people = self.draw.sample(self.active, min(len(self.active), self.draw.randrange(5, 12)))
            self._team(f"Project {name}", people[: self.draw.randrange(1, 4)], people, is_archived=number == 0)
        for channel, name in zip(self._standard(2), stock.SHARED, strict=False):
            self._share(channel["team_id"], name)

    def _leavers(self, department: str) -> list[Person]:
        """Some who have left, and whom nobody has removed."""
        return [person for person in self.people if not person.is_active and person.department == department][:1]

    def _standard(self, count: int) -> list[Row]:
        """The primary channels of some teams in use."""
        found = [row for row, _ in self.channels if row["is_primary"] and not self._is_archived(row["team_id"])]
        return found[:count]

    def _is_archived(self, team_id: str) -> bool:
        return any(team["is_archived"] for team in self.teams if team["team_id"] == team_id)

    def _team(self, name: str, owners: Sequence[Person], people: Sequence[Person], *, is_archived: bool = False) -> None:
        born = self.ago(120, 380)
        is_project = name.startswith("Project")
        group = self.add(
            "groups_m365",
            at=born,
            display_name=name,
            description=f"Everybody of {name}",
            mail_nickname=f"{name.lower().replace(' ', '-')}-{self.organization.number}",
            mail_enabled=True,
            security_enabled=False,
            group_types=["Unified"],
            visibility="Private" if is_project else "Public",
        )
        team = self.add(
            "teams",
            at=born,
            group_id=group["group_id"],
            template_id="manageAProject" if is_project else "standard",
            display_name=name,
            description=f"Where {name} works together",
            visibility="private" if is_project else "public",
            is_archived=is_archived,
            member_settings={
                setting: self.draw.random() < (0.75 if "Create" in setting else 0.25) for setting in MEMBER_SETTINGS
            },
            guest_settings={"allowCreateUpdateChannels": False, "allowDeleteChannels": False},
            messaging_settings={setting: self.draw.random() < 0.85 for setting in MESSAGING_SETTINGS},
            fun_settings={"allowGiphy": True, "giphyContentRating": "moderate"},
            discovery_settings={"showInTeamsSearchAndSuggestions": not is_project},
            created_by=self.key(owners[0]),
        )
        self.teams.append(team)
        key = team["team_id"]
        self.members[key] = {self.key(person): "owner" if person in owners else "member" for person in people}
        if is_project and self.guests:
            self.members[key] |= dict.fromkeys(self.draw.sample(self.guests, min(len(self.guests), 2)), "guest")
        for user, role in self.members[key].items():
            self.add("team_members", at=born, team_id=key, user_id=user, roles=[role])
            if role == "owner":
                self.add("group_owners", at=born, group_id=group["group_id"], user_id=user)
                self.add("resource_access", user_id=user, resource_type="team", resource_id=key, role="owner")
        self.add("team_settings", team_id=key, name="retention_days", value=str(self.draw.choice((90, 180, 365))))
        installed = self.draw.sample(self.apps, min(len(self.apps), self.draw.randrange(2, 6)))
        for app in sorted(installed, key=lambda row: str(row["app_id"])):
            self.add("team_installed_apps", at=born, team_id=key, app_id=app["app_id"])
        self._channels(key, born, installed)
        self._tags(key)

    def _channels(self, team: str, born: dt.datetime, installed: Sequence[Row]) -> None:
        self._channel(team, "General", "", born, installed, is_primary=True)
        small = self.maker.size == "S"
        chosen = self.draw.sample(stock.CHANNELS, 1 if small else self.draw.randrange(2, 6))
        for number, (name, about) in enumerate(chosen):
            is_archived = number == 1 and self.draw.random() < 0.5
            self._channel(team, name, about, born, installed, is_archived=is_archived)
        if self.draw.random() < (0.4 if small else 0.6):
            insiders = [user for user, role in self.members[team].items() if role == "owner" or self.draw.random() < 0.25]
            name = self.draw.choice(stock.PRIVATE)
            self._channel(team, name, "Only for a few", born, installed, kind="private", insiders=insiders)

    def _channel(
        self,
        team: str,
        name: str,
        about: str,
        born: dt.datetime,
        installed: Sequence[Row],
        *,
        kind: str = "standard",
        insiders: Sequence[str] = (),
        is_primary: bool = False,
        is_archived: bool = False,
    ) -> Row:
        row = self.add(
            "channels",
            at=born + dt.timedelta(hours=0 if is_primary else self.draw.randrange(1, 600)),
            team_id=team,
            display_name=name,
            description=about or None,
            membership_type=kind,
            is_primary=is_primary,
            is_archived=is_archived,
        )
        key = row["channel_id"]
        if self.draw.random() < 0.2:
            row["email"] = f"{name.lower().replace(' ', '-')}-{key[-3:]}@{self.organization.domain}"
        folder = self.add(
            "channel_files_folders",
            at=born,
            channel_id=key,
            name=name,
            web_url=f"https://files.{self.organization.domain}/{key.lower()}",
        )
        self._files(key, folder)
        roles = self.members[team]
        for user in insiders:
            self.add("channel_members", at=born, channel_id=key, user_id=user, roles=["owner"] if roles[user] == "owner" else [])
        for app in installed[: self.draw.randrange(0, 3)]:
            self.add(
                "teams_channel_tabs",
                at=born,
                channel_id=key,
                display_name=app["display_name"],
                app_id=app["app_id"],
                configuration={"contentUrl": f"https://apps.{self.organization.domain}/{app['external_id']}/{key.lower()}"},
            )
        self.channels.append((row, list(insiders or roles)))
        return row

    def _files(self, channel: str, folder: Row) -> None:
        for name in self.draw.sample(stock.FILES, self.draw.randrange(0, 3)):
            self.add(
                "drive_items",
                at=self.ago(2, 100),
                channel_id=channel,
                folder_id=folder["folder_id"],
                name=name,
                size=self.draw.randrange(2_000, 900_000),
                web_url=f"{folder['web_url']}/{name}",
            )

    def _share(self, team: str, name: str) -> None:
        """A channel that two teams share."""
        others = [row["team_id"] for row in self.teams if row["team_id"] != team and not row["is_archived"]]
        owners = [user for user, role in self.members[team].items() if role == "owner"]
        row = self._channel(team, name, "Shared with another team", self.ago(60, 100), (), kind="shared", insiders=owners)
        if others:
            self.add("shared_channel_teams", channel_id=row["channel_id"], team_id=self.draw.choice(others))

    def _tags(self, team: str) -> None:
        enabled = self._enabled(team)
        small = self.maker.size == "S"  # where there must be enough of them to make one tag too large
        for name in self.draw.sample(stock.TAGS, 2 if small else self.draw.randrange(0, 3)):
            tag = self.add(
                "teamwork_tags", at=self.ago(20, 100), team_id=team, display_name=name, description=f"The {name.lower()}"
            )
            for user in self.draw.sample(enabled, min(len(enabled), self.draw.randrange(3 if small else 1, 5))):
                self.add("teamwork_tag_members", tag_id=tag["tag_id"], user_id=user)

    def _enabled(self, team: str) -> list[str]:
        """Members of a team who can sign in."""
        stale = {self.key(person) for person in self.people if not person.is_active}
        return [user for user in self.members[team] if user not in stale]

    def _groups(self) -> None:
        """Groups without a team."""
        count = {"S": 2, "M": 4, "L": 6}[self.maker.size] if self.is_home else 1
        for name in stock.GROUPS[:count]:
            is_security = name == "Building Access"
            group = self.add(
                "groups_m365",
                at=self.ago(100, 390),
                display_name=name,
                description=f"List of {name.lower()}",
                mail_nickname=f"{name.lower().replace(' ', '-')}-{self.organization.number}",
                mail_enabled=not is_security,
                security_enabled=is_security,
                group_types=[] if is_security else ["Unified"],
                visibility="Private",
            )
            people = self.draw.sample(self.active, min(len(self.active), 6))
            self.add("group_owners", group_id=group["group_id"], user_id=self.key(people[0]))
            for person in people:
                self.add("group_members", group_id=group["group_id"], user_id=self.key(person))

    def list_members(self) -> None:
        """Have ``teams.members`` say what the memberships say."""
        for team in self.teams:
            listed = [
                {"displayName": self.names[user], "roles": [role], "userId": user}
                for user, role in self.members[team["team_id"]].items()
            ]
            team["members"] = canonical_json(listed)

    # -- messages ----------------------------------------------------------------------------------------------

    def talk(self, place: int | None = None) -> None:
        """One more message in a channel or a chat, or in the channel of a place, perhaps with a reaction or an audit row."""
        if self.chats and place is None and self.draw.random() < 0.35:
            chat, users = self.draw.choice(self.chats)
            self._write("chat_messages", "chat_id", chat["chat_id"], users, "chat_message_reactions", self.ago(0.1, 60))
        else:
            channel, users = self.draw.choice(self.channels) if place is None else self.channels[place]
            age = (90, 119) if channel["is_archived"] or self._is_archived(channel["team_id"]) else (0.1, 90)
            self._write("channel_messages", "channel_id", channel["channel_id"], users, "message_reactions", self.ago(*age))

    def _write(self, table: str, column: str, place: str, users: Sequence[str], reactions: str, at: dt.datetime) -> None:
        author = self.draw.choice(list(users))
        before = self.messages.setdefault(place, [])
        values: dict[str, Any] = {column: place, "from_user_id": author, "subject": None}
        values["body_json"] = {"content": self.draw.choice(stock.LINES), "contentType": "text"}
        values["importance"] = self.draw.choice(("normal", "normal", "normal", "normal", "high", "urgent"))
        roots = [row for row in before if row["reply_to_id"] is None and not row["soft_deleted"]]
        if roots and self.draw.random() < 0.3:
            root = self.draw.choice(roots)
            values["reply_to_id"] = root["message_id"]
            at = min(max(at, dt.datetime.fromisoformat(root["created_at"]) + dt.timedelta(minutes=5)), self.maker.now)
        elif table == "channel_messages" and self.draw.random() < 0.4:
            values["subject"] = self.draw.choice(stock.SUBJECTS)
        if table == "channel_messages" and self.draw.random() < 0.15:
            mentioned = self.draw.choice(list(users))
            values["mentions"] = [{"id": 0, "mentionText": self.names[mentioned], "mentioned": {"user": {"id": mentioned}}}]
        row = self.add(table, at=at, **values)
        before.append(row)
        if self.draw.random() < 0.04:
            row["soft_deleted"], row["deleted_at"] = 1, row["created_at"]
        elif self.draw.random() < 0.3:
            kind = self.draw.choice(stock.REACTIONS)
            self.add(reactions, at=at, message_id=row["message_id"], user_id=self.draw.choice(list(users)), reaction_type=kind)
        if self.draw.random() < 0.3:
            self.add("audit_logs", user_id=author, timestamp=at, resource_id=row["message_id"], operation=f"send_{table[:-1]}")

    def _chat(self) -> None:
        is_pair = self.draw.random() < 0.6 or len(self.active) < 4
        users = [self.key(person) for person in self.draw.sample(self.active, 2 if is_pair else self.draw.randrange(3, 6))]
        pair = (min(users), max(users))
        if is_pair and pair in self.pairs:
            return
        at = self.ago(61, 200)
        topic = None if is_pair else self.draw.choice(stock.CHAT_TOPICS)
        chat = self.add("chats", at=at, chat_type="oneOnOne" if is_pair else "group", topic=topic, created_by=users[0])
        key = chat["chat_id"]
        if is_pair:
            self.pairs.add(pair)
        for user in users:
            self.add("chat_members", at=at, chat_id=key, user_id=user, roles=["owner"])
        self.chats.append((chat, users))
        for _ in range(self.draw.randrange(1, 3)):
            self._write("chat_messages", "chat_id", key, users, "chat_message_reactions", self.ago(0.1, 60))
        if not is_pair and self.draw.random() < 0.5:
            app = self.draw.choice(self.apps)
            self.add("chat_installed_apps", chat_id=key, app_id=app["app_id"])
            if self.draw.random() < 0.6:
                self.add("chat_tabs", chat_id=key, display_name=app["display_name"], app_id=app["app_id"], configuration={})
        if self.draw.random() < 0.2 and not self.messages[key][0]["soft_deleted"]:
            self.add("pinned_messages", chat_id=key, message_id=self.messages[key][0]["message_id"])

    # -- events and calls --------------------------------------------------------------------------------------

    def _events(self) -> None:
        count = _EVENTS[self.maker.size] if self.is_home else 1
        for number, name in enumerate(self.draw.sample(stock.WEBINARS, count)):
            status = ("draft", "published", "published", "draft", "canceled")[number % 5]
            event = self._event("virtual_event_webinars", "webinar_id", name, status, is_past=number % 5 == 2)
            if status == "published":
                self._register(event, is_past=number % 5 == 2)
        for number, name in enumerate(self.draw.sample(stock.TOWNHALLS, min(count, len(stock.TOWNHALLS)))):
            status = ("published", "draft", "canceled")[number % 3]
            event = self._event("virtual_event_townhalls", "townhall_id", name, status)
            if event["audience"] == "organization" and self.draw.random() < 0.5:
                event["is_invite_only"] = 1
                for person in self.draw.sample(self.active, min(5, len(self.active))):
                    self.add("virtual_event_invitees", event_id=event["townhall_id"], user_id=self.key(person))

    def _event(self, table: str, key: str, name: str, status: str, *, is_past: bool = False) -> Row:
        day = self.maker.company.today + dt.timedelta(
            days=self.draw.randrange(-60, -5) if is_past else self.draw.randrange(4, 70)
        )
        start = dt.datetime.combine(day, dt.time(self.draw.randrange(8, 17)))
        organizer, *others = self.draw.sample(self.active, 3)
        event = self.add(
            table,
            at=self.ago(61, 90),
            display_name=name,
            description={"content": f"All about {name.lower()}", "contentType": "text"},
            start_time=start,
            end_time=start + dt.timedelta(minutes=self.draw.choice((45, 60, 90))),
            audience=self.draw.choice(("organization", "organization", "everyone")),
            status=status,
            settings={"isAttendeeEmailNotificationEnabled": True},
            created_by=self.key(organizer),
        )
        for person in others[: self.draw.randrange(0, 3)]:
            self.add("virtual_event_co_organizers", user_id=self.key(person), **{key: event[key]})
        return event

    def _register(self, event: Row, *, is_past: bool) -> None:
        people = self.draw.sample(self.active, min(len(self.active), self.draw.randrange(3, 9)))
        for person in people:
            self.add("virtual_event_registrations", at=self.ago(61, 64), event_id=event["webinar_id"], user_id=self.key(person))
        if is_past:
            report = self.add("meeting_attendance_reports", event_id=event["webinar_id"], total_participants=len(people))
            for person in people:
                self.add(
                    "attendance_records",
                    report_id=report["report_id"],
                    user_id=self.key(person),
                    email=person.email,
                    total_seconds=self.draw.randrange(300, 3600),
                )

    def _calls(self) -> None:
        count = _CALLS[self.maker.size] // (1 if self.is_home else 4)
        for number in range(count):
            is_live = number % 5 == 0
            caller, *others = [self.key(person) for person in self.draw.sample(self.active, self.draw.randrange(2, 5))]
            start = self.maker.now - dt.timedelta(minutes=20) if is_live else self.ago(1, 25)
            modalities = ["audio"] if self.draw.random() < 0.5 else ["audio", "video"]
            call = self.add(
                "calls",
                at=start,
                state="established" if is_live else "terminated",
                callback_uri=f"https://calls.{self.organization.domain}/notify",
                requested_modalities=modalities,
                subject=self.draw.choice(stock.SUBJECTS),
                created_by=caller,
            )
            key = call["call_id"]
            for user in others:
                self.add("call_participants", at=start, call_id=key, user_id=user)
            if is_live:
                if len(others) > 1:
                    self.add(
                        "audio_routing_groups",
                        at=start,
                        call_id=key,
                        routing_mode="oneToOne",
                        sources=[caller],
                        receivers=[others[0]],
                    )
                continue
            end = start + dt.timedelta(minutes=self.draw.randrange(3, 70))
            self._record(key, caller, others, start, end, modalities)

    def _record(
        self, call: str, caller: str, others: Sequence[str], start: dt.datetime, end: dt.datetime, modalities: list[str]
    ) -> None:
        record = self.add(
            "call_records",
            at=end,
            call_id=call,
            organizer_id=caller,
            type="peerToPeer" if len(others) == 1 else "groupCall",
            start_time=start,
            end_time=end,
            modalities=modalities,
        )
        for user in others:
            self.add(
                "call_sessions",
                at=end,
                record_id=record["record_id"],
                caller_id=caller,
                callee_id=user,
                start_time=start,
                end_time=end,
                modalities=modalities,
            )
        if self.draw.random() < 0.4:
            self.add("call_recordings", at=end, call_id=call, expires_at=end + dt.timedelta(days=self.draw.randrange(7, 30)))
            self.add("call_transcripts", at=end, call_id=call, content=self.draw.choice(stock.LINES))

    # -- rows --------------------------------------------------------------------------------------------------

    def add(self, table: str, *, at: dt.datetime | None = None, updated: dt.datetime | None = None, **values: Any) -> Row:
        """Add a row of this tenant."""
        return self.rows.add(table, at=at, updated=updated, org_id=self.org, **values)

    def ago(self, low: float, high: float) -> dt.datetime:
        """A moment some days ago."""
        return self.maker.ago(low, high)
