"""Worlds of Drive: people with folders of their own, shared drives, and who has access to what."""

from __future__ import annotations

import datetime as dt
import random
from typing import Any

from opsgym.envs.enterprise_ops.company import Company, Person, Size
from opsgym.envs.enterprise_ops.drive import words
from opsgym.envs.enterprise_ops.drive.stock import (
    APPS,
    COMMENTS,
    DOCUMENTS,
    FOLDERS,
    LABELS,
    PROJECTS,
    REPLIES,
    REQUESTS,
)
from opsgym.envs.enterprise_ops.drive.tables import TABLES
from opsgym.envs.enterprise_ops.makers import Maker
from opsgym.envs.enterprise_ops.worlds import Generated, Row

OWNERS: dict[Size, int] = {"S": 3, "M": 14, "L": 30}
"""People who keep many files."""
FILES: dict[Size, int] = {"S": 9, "M": 17, "L": 24}
"""Files of each of them."""
DRIVES: dict[Size, int] = {"S": 1, "M": 4, "L": 8}
"""Shared drives."""


def generate(company: Company, draw: random.Random, size: Size) -> Generated:
    """The world of a company; see :class:`~opsgym.envs.enterprise_ops.worlds.Generator`."""
    return _Maker(company, draw, size).world()


class _Maker(Maker):
    """Writes a world: people, their files, shared drives, and what hangs on files."""

    def __init__(self, company: Company, draw: random.Random, size: Size) -> None:
        super().__init__(company, draw, size, TABLES, days=400)
        self.guests: list[Row] = []
        self.above: dict[str, list[tuple[str, int]]] = {}
        self.names: set[str] = set()

    def world(self) -> Generated:
        self._people()
        for key, name, kind, options, required in LABELS:
            self.rows.add("labels", key=key, name=name, type=kind, options=options, required=required)
        for name, kind, types, extensions in APPS:
            rows: dict[str, Any] = {
                "primary_mime_types": types,
                "primary_file_extensions": extensions,
                "installed": True,
                "authorized": True,
            }
            self.rows.add("apps", name=name, object_type=kind, installed_by="USER_001", **rows)
        active = [person for person in self.company.people_of(active=True) if person.number in self.users]
        ranked = sorted(active, key=lambda person: ("head", "lead", "staff", "executive").index(person.level))
        for person in ranked[: OWNERS[self.size]]:
            self._files_of(person)
        for number in range(DRIVES[self.size]):
            self._drive(number, active)
        self._feed()
        self._system()
        self._label(active)
        return self.rows.done()

    # -- people --------------------------------------------------------------------------------------------

    def _people(self) -> None:
        for person in self.company.people_of():
            row = self._user(person.name, person.email, "drive#user", active=person.is_active)
            self.users[person.number] = row
            self._root(row)
        for client in self.company.clients:
            for first, last, email, _ in client.contacts[:1]:
                self.guests.append(self._user(f"{first} {last}", email, "drive#guest"))
        domain = self.company.home.domain
        self._user("Sync service", f"sync@{domain}", "drive#serviceAccount")
        self._user("Backup service", f"backup@{domain}", "drive#serviceAccount")
        admins = self.rows.add("groups", name="Drive administrators", email=f"drive-admins@{domain}")
        helpers = [person for person in self.company.people_of(department="IT", active=True) if person.level != "head"][:4]
        for person in helpers or self.company.people_of(active=True)[1:3]:
            self._member(admins, person)
        departments = list(dict.fromkeys(person.department for person in self.company.people_of()))
        for department in departments if self.size != "S" else departments[:1]:
            email = f"{department.lower().replace(' ', '-')}@{domain}"
            group = self.rows.add("groups", name=department, email=email)
            for person in self.company.people_of(department=department, active=True):
                self._member(group, person)

    def _user(self, name: str, email: str, kind: str, *, active: bool = True) -> Row:
        token = f"token-{len(self.rows.rows['users']) + 1:04d}" if active else None
        return self.rows.add("users", display_name=name, email=email, kind=kind, auth_token=token)

    def _member(self, group: Row, person: Person) -> None:
        role = "manager" if person.level == "head" else "member"
        self.rows.add("group_memberships", group_id=group["id"], user_id=self.users[person.number]["id"], role=role)

    def _root(self, user: Row) -> Row:
        row = self._place("My Drive", words.FOLDER, user, None, None, self.rows.start)
        self._share(row, user, "owner")
        return row

    # -- files ---------------------------------------------------------------------------------------------

    def _place(
        self, name: str, kind: str, owner: Row, parent: Row | None, drive: Row | None, at: dt.datetime, **more: Any
    ) -> Row:
        """A file or folder and its place in the tree."""
        up = parent and parent["id"]
        row = self.rows.add(
            "files",
            at=at,
            name=name,
            mime_type=kind,
            parent_id=up,
            parent_ids=[key for key in (up or (drive and drive["id"]),) if key],
            drive_id=drive and drive["id"],
            created_by=owner["id"],
            modified_by=owner["id"],
            **more,
        )
        row["web_view_link"] = f"https://drive.example/file/{row['id']}"
        self.above[row["id"]] = [(row["id"], 0), *((key, depth + 1) for key, depth in self.above.get(up or "", ()))]
        for key, depth in self.above[row["id"]]:
            self.rows.add("path_closure", ancestor_id=key, descendant_id=row["id"], depth=depth)
        return row

    def _share(self, file: Row, user: Row, role: str, at: dt.datetime | None = None, **more: Any) -> Row:
        return self.rows.add(
            "permissions",
            at=at or self.now - dt.timedelta(days=120),
            file_id=file["id"],
            role=role,
            type="user",
            user_id=user["id"],
            email_address=user["email"],
            **more,
        )

    def _file(self, owner: Row, parent: Row, drive: Row | None = None) -> Row:
        """A document with a unique name, its revisions and its owner."""
        name, kind = self._name()
        at, size = self.ago(60, 350), self.draw.randrange(20, 9000) * 1000 * (40 if name.endswith((".mp4", ".zip")) else 1)
        row = self._place(name, kind, owner, parent, drive, at, size_bytes=size, original_filename=name)
        if drive is None:
            self._share(row, owner, "owner", at)
        for number in range(1, self.draw.choice((1, 1, 2, 3)) + 1):
            self._revision(row, number, owner, at + dt.timedelta(days=9 * (number - 1), hours=number))
        return row

    def _name(self) -> tuple[str, str]:
        while True:
            title, kind, extension = self.draw.choice(DOCUMENTS)
            name = f"{title} {self.draw.choice(PROJECTS)}{self.draw.choice(('', '', ' 2024', ' 2025', ' 2026'))}{extension}"
            if name not in self.names:
                self.names.add(name)
                return name, kind

    def _revision(self, file: Row, number: int, user: Row, at: dt.datetime) -> None:
        size = max(1000, file["size_bytes"] - 700 * (3 - number))
        digest = f"{self.draw.randrange(16**32):032x}"
        blob = self.rows.add("blobs", at=at, digest=digest, size_bytes=size, storage="local", key=f"{file['id']}/{number}")
        row = self.rows.add(
            "revisions",
            at=at,
            file_id=file["id"],
            revision_number=number,
            blob_id=blob["id"],
            md5_checksum=digest,
            size_bytes=size,
            mime_type=file["mime_type"],
            last_modifying_user_id=user["id"],
        )
        latest = {"head_revision_id": row["id"], "md5_checksum": digest, "modified_time": row["created_time"]}
        file.update(latest | {"size_bytes": size, "version": number})

    # -- files of one's own --------------------------------------------------------------------------------

    def _files_of(self, person: Person) -> None:
        owner = self.users[person.number]
        root = next(row for row in self.rows.rows["files"] if row["created_by"] == owner["id"] and row["parent_id"] is None)
        folders = []
        for name in FOLDERS[: 3 if self.size == "S" else 5]:
            folder = self._place(name, words.FOLDER, owner, root, None, self.ago(350, 380))
            self._share(folder, owner, "owner")
            folders.append(folder)
        for _ in range(FILES[self.size]):
            self._dress(self._file(owner, self.draw.choice(folders)), owner)

    def _dress(self, file: Row, owner: Row) -> None:
        """What hangs on a file: classification, colleagues and guests with access, comments."""
        chance = self.draw.random()
        kind = "Confidential" if chance < 0.12 else "Restricted" if chance < 0.16 else "Internal" if chance < 0.4 else "Public"
        if chance < 0.5:
            self.rows.add("file_labels", file_id=file["id"], label_id="LABEL_001", value_enum=kind)
        if self.draw.random() < 0.06:
            self.rows.add("file_labels", file_id=file["id"], label_id="LABEL_002", value_boolean=True)
        colleagues = [row for row in self.users.values() if row["id"] != owner["id"]]
        for user in self.draw.sample(colleagues, self.draw.choice((0, 1, 1, 2))):
            self._share(file, user, self.draw.choice(("reader", "commenter", "writer")), deleted=user["auth_token"] is None)
            if user["auth_token"] is not None and self.draw.random() < 0.3:
                self._comment(file, user, owner)
        if kind in ("Internal", "Public") and self.draw.random() < 0.2:
            self._share(file, self.draw.choice(self.guests), "reader")
        if kind == "Public" and chance < 0.5 and self.draw.random() < 0.25:
            self._link(file, owner)
        if self.draw.random() < 0.12:
            self._request(file, owner, colleagues)
        if self.draw.random() < 0.05:
            self.rows.add("thumbnails", file_id=file["id"], revision_id=file["head_revision_id"], width=220, height=160)

    def _link(self, file: Row, owner: Row) -> None:
        """A link for anyone to a public file."""
        self.rows.add("permissions", file_id=file["id"], role="reader", type="anyone", allow_file_discovery=False)
        link = {"file_id": file["id"], "permission_role": "reader", "created_by": owner["id"]}
        self.rows.add("share_links", link_token=f"{self.draw.randrange(16**12):012x}", **link)

    def _comment(self, file: Row, author: Row, owner: Row) -> None:
        at = self.ago(2, 50)
        row = self.rows.add("comments", at=at, file_id=file["id"], author_id=author["id"], content=self.draw.choice(COMMENTS))
        if self.draw.random() < 0.4:
            reply = {"comment_id": row["id"], "author_id": owner["id"], "content": self.draw.choice(REPLIES)}
            self.rows.add("replies", at=at + dt.timedelta(hours=3), **reply)

    def _request(self, file: Row, owner: Row, colleagues: list[Row]) -> None:
        there = {row["email_address"] for row in self.rows.rows["permissions"] if row["file_id"] == file["id"]}
        waiting = [row for row in colleagues if row["email"] not in there and row["auth_token"] is not None]
        self.rows.add(
            "access_proposals",
            at=self.ago(0.5, 9),
            file_id=file["id"],
            requester_email=self.draw.choice(waiting)["email"],
            recipient_email=owner["email"],
            proposed_roles=[self.draw.choice(("reader", "commenter"))],
            request_message=self.draw.choice(REQUESTS),
        )

    # -- shared drives -------------------------------------------------------------------------------------

    def _drive(self, number: int, people: list[Person]) -> None:
        name = f"{self.draw.choice(PROJECTS)} team {number + 1}"
        drive = self.rows.add("drives", name=name, domain_users_only=number % 2 == 0, drive_members_only=number % 4 == 3)
        members = self.draw.sample(people, min(len(people), 5))
        for place, person in enumerate(members):
            self._join(drive, self.users[person.number], ("organizer", "fileOrganizer", "writer", "commenter", "reader")[place])
        lead = self.users[members[0].number]
        folder = self._place("Shared", words.FOLDER, lead, None, drive, self.ago(300, 350))
        for _ in range(3 if self.size == "S" else 8):
            self._file(lead, folder, drive)

    def _join(self, drive: Row, user: Row, role: str) -> None:
        who = {"drive_id": drive["id"], "role": role, "type": "user", "user_id": user["id"]}
        row = self.rows.add("permissions", email_address=user["email"], **who)
        self.rows.add("drive_memberships", id=row["id"], **who)

    # -- what the system keeps -----------------------------------------------------------------------------

    def _feed(self) -> None:
        """The feed of changes: one for each file, in the order of time."""
        files = sorted(
            (row for row in self.rows.rows["files"] if row["parent_id"]), key=lambda row: (row["modified_time"], row["id"])
        )
        last: dict[str, int] = {}
        for row in files[:: 1 if self.size != "S" else 3]:
            change = self.rows.add("changes", at=row["modified_time"], file_id=row["id"], drive_id=row["drive_id"])
            last[row["drive_id"] or "user"] = change["token"]
        for scope, token in last.items():
            self.rows.add("change_tokens", scope=scope, last_token=token)

    def _system(self) -> None:
        """Channels that stand, operations and uploads under way."""
        watched = [row for row in self.rows.rows["files"] if row["mime_type"] == words.DOCUMENT][:2]
        for number, row in enumerate(watched, 1):
            end, address = self.now + dt.timedelta(days=number), f"https://hooks.{self.company.home.domain}/drive/{number}"
            channel = {"resource_id": f"res-{number}", "address": address, "expiration": end, "user_id": row["created_by"]}
            made = self.rows.add("channels", at=self.ago(1, 3), id=f"docs-{number}", **channel)
            told = {"channel_id": made["id"], "resource_id": row["id"], "callback_url": address, "expires_time": end}
            self.rows.add("subscriptions", at=self.ago(1, 3), **told)
            name = {"name": f"operations/export-{number:04d}", "operation_type": "export"}
            self.rows.add("operations", at=self.ago(0.1, 2), status=self.draw.choice(("running", "error")), **name)
            self.rows.add("uploads", at=self.ago(0.1, 2), file_id=row["id"], total_size=9000, received_bytes=4000, state="active")

    def _label(self, people: list[Person]) -> None:
        """Label what is easily mistaken."""
        self.label_people("users")
        by_title: dict[str, list[str]] = {}
        for row in self.rows.rows["files"]:
            if row["mime_type"] != words.FOLDER:
                by_title.setdefault(row["name"].removesuffix(" 2024").removesuffix(" 2025").removesuffix(" 2026"), []).append(
                    row["id"]
                )
        for keys in by_title.values():
            if len(keys) > 1:
                self.rows.trap("near_duplicate", "files", *keys, note="same title, other years")
