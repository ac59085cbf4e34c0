"""Worlds of Email: the mailboxes of a company's home organization."""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from opsgym.envs.enterprise_ops.company import Company, Person, Size
from opsgym.envs.enterprise_ops.email.letters import encoded
from opsgym.envs.enterprise_ops.email.mailbox import milliseconds
from opsgym.envs.enterprise_ops.email.post import opaque
from opsgym.envs.enterprise_ops.email.tables import TABLES
from opsgym.envs.enterprise_ops.email.topics import PROJECTS, TOPICS, Topic
from opsgym.envs.enterprise_ops.email.words import DAY_MS, LANGUAGES, SYSTEM_LABELS, WATCH_DAYS
from opsgym.envs.enterprise_ops.worlds import Builder, Generated

Row = dict[str, Any]

_THREADS: dict[Size, int] = {"S": 18, "M": 165, "L": 520}
_BUSY: dict[Size, int] = {"S": 5, "M": 16, "L": 36}
"""Mailboxes that most mail is in."""
_FIRST_CHANGE = 100_000
"""Number of the first change in the history; keys of earlier messages come from smaller numbers."""
_CHANGES = 3
"""Changes of each busy mailbox that its history still holds."""


def generate(company: Company, draw: random.Random, size: Size) -> Generated:
    """The world of a company: the same for the same arguments.

    About 500, 3,500 or 10,000 rows.  Traps that are labelled: ``namesake`` (two people of one name), ``stale_record`` (people
    who have left, forwarding to addresses outside from before the rule), ``near_name`` (labels that are easily mistaken).
    """
    return _Maker(company, draw, size).world()


@dataclass
class _Box:
    """A mailbox in the making.

    Attributes:
        person: Its owner.
        row: The row of the user.
        labels: Keys of the labels by name.
    """

    person: Person
    row: Row
    labels: dict[str, str]

    @property
    def id(self) -> str:
        return str(self.row["id"])


class _Maker:
    """Writes the rows, subject by subject."""

    def __init__(self, company: Company, draw: random.Random, size: Size) -> None:
        self.company = company
        self.draw = draw
        self.size: Size = size
        self.start = dt.datetime.combine(company.today, dt.time(8))
        self.rows = Builder(TABLES, self.start - dt.timedelta(days=200))
        operators = [person for person in company.people_of(1, "IT", active=True) if person.level != "executive"]
        self.admins = {person.number for person in operators[:2]}
        self.boxes = [self._box(person) for person in company.people_of(1)]
        self.active = [box for box in self.boxes if box.person.is_active]
        heads = [box for box in self.active if box.person.level in ("executive", "head")]
        others = [box for box in self.active if box not in heads]
        self.busy = (heads + self.draw.sample(others, len(others)))[: _BUSY[size]]
        self.messages = 0

    def world(self) -> Generated:
        for key in SYSTEM_LABELS:
            self.rows.add("labels", id=key, user_id=None, name=key, type="system")
        for box in self.boxes:
            self._settings(box)
        for box in self.busy:
            self._labels(box)
            self._aliases(box)
            self._forwarding(box)
            self._filters(box)
            self._vacation(box)
        self._delegates()
        self._keys()
        self._watches()
        for number in range(_THREADS[self.size]):
            self._thread(self.busy[number % len(self.busy)])
        self._history()
        count(self.rows.rows)
        self._label_traps()
        return self.rows.done()

    # -- people --------------------------------------------------------------------------------------------

    def _box(self, person: Person) -> _Box:
        row = self.rows.add(
            "users",
            id=f"user_{person.number:03d}",
            email=person.email,
            display_name=person.name,
            is_admin=person.number in self.admins,
            suspended=not person.is_active,
        )
        return _Box(person, row, {})

    def _settings(self, box: _Box) -> None:
        """What every mailbox has."""
        draw = self.draw
        self.rows.add(
            "send_as_aliases",
            user_id=box.id,
            send_as_email=box.row["email"],
            display_name=box.row["display_name"],
            is_primary=True,
            is_default=True,
            treat_as_alias=False,
            verification_status="accepted",
            signature=f"{box.person.name}\n{box.person.job_title}, {self.company.home.name}" if draw.random() < 0.7 else None,
        )
        self.rows.add("auto_forwarding", user_id=box.id)
        self.rows.add(
            "imap_settings",
            user_id=box.id,
            enabled=draw.random() < 0.6,
            auto_expunge=draw.random() < 0.7,
            expunge_behavior=draw.choice(("archive", "trash")),
            max_folder_size=draw.choice((0, 0, 1000, 5000)),
        )
        window = draw.choice(("disabled", "disabled", "fromNowOn", "allMail"))
        kept = draw.choice(("leaveInInbox", "archive", "markRead"))
        self.rows.add("pop_settings", user_id=box.id, access_window=window, disposition=kept)
        self.rows.add("language_settings", user_id=box.id, display_language=draw.choice(("en", "en", "en-GB", *LANGUAGES[2:])))
        self.rows.add("vacation_settings", user_id=box.id)

    def _delegates(self) -> None:
        """Heads have somebody of their department open their mail."""
        for box in self.busy:
            if box.person.level not in ("executive", "head", "lead"):
                continue
            staff = [other for other in self.active if other.person.department == box.person.department and other is not box]
            staff = [other for other in staff if other.person.level == "staff"] or staff
            for other in self.draw.sample(staff, min(len(staff), self.draw.randint(1, 2))):
                self.rows.add("delegates", user_id=box.id, delegate_email=other.row["email"])
        left = [box for box in self.boxes if not box.person.is_active]
        for box, stale in zip(self.busy, left, strict=False):
            row = self.rows.add("delegates", user_id=box.id, delegate_email=stale.row["email"])
            self.rows.trap("stale_record", "delegates", row["id"], note="a delegate who has left")
        for first, second in self.company.namesakes:
            if second.organization == 1:
                keys = [f"user_{person.number:03d}" for person in (first, second)]
                self.rows.trap("namesake", "users", *keys, note=first.name)

    # -- labels --------------------------------------------------------------------------------------------

    def _labels(self, box: _Box) -> None:
        """Labels of the topics that the owner reads, and one that is easily taken for another."""
        firms = self.draw.sample(list(self.company.clients), 2)
        projects = self.draw.sample(list(PROJECTS), 2)
        names = ["Invoices", "Complaints", "Travel", "Hiring"]
        names += [f"Clients/{firm.name}" for firm in firms] + [f"Projects/{project}" for project in projects]
        twin = self.draw.choice((f"Invoices {self.start.year - 1}", "Travel requests", "Hiring (closed)"))
        for name in [*self.draw.sample(names, 6 if self.size != "S" else 3), twin]:
            color = self.draw.choice((None, "#16a766", "#ffad47", "#4a86e8"))
            row = self.rows.add(
                "labels",
                user_id=box.id,
                name=name,
                text_color="#ffffff" if color else None,
                background_color=color,
                label_list_visibility=self.draw.choice(("labelShow", "labelShow", "labelShowIfUnread")),
            )
            box.labels[name] = row["id"]

    def _label_traps(self) -> None:
        for box in self.busy:
            for name, key in box.labels.items():
                twin = next((other for other in box.labels if other != name and other.startswith(name)), None)
                if twin:
                    self.rows.trap("near_name", "labels", key, box.labels[twin], note=f"{name} and {twin}")

    # -- addresses to send from ----------------------------------------------------------------------------

    def _aliases(self, box: _Box) -> None:
        host = self.company.home.domain
        team = box.person.department.lower().replace(" ", "-")
        names = self.draw.sample([f"{team}@{host}", f"{team}-news@{host}", f"events@{host}"], self.draw.randint(1, 2))
        for address in names:
            row = self.rows.add(
                "send_as_aliases",
                user_id=box.id,
                send_as_email=address,
                display_name=f"{self.company.home.name} {box.person.department}",
                reply_to_address=self.draw.choice((None, box.row["email"])),
                signature=self.draw.choice((None, f"The {box.person.department} team")),
                verification_status="accepted" if self.draw.random() < 0.6 else "pending",
            )
            if self.draw.random() < 0.3:
                self.rows.add("smtp_msa", alias_id=row["id"], host=f"smtp.{host}", port=587, username=address, password="set")
        primary = next(row for row in self.rows.rows["send_as_aliases"] if row["user_id"] == box.id and row["is_primary"])
        if self.draw.random() < 0.5:
            for place, days in enumerate((-self.draw.randint(20, 90), self.draw.randint(100, 500))):
                self.rows.add(
                    "smime_configs",
                    user_id=box.id,
                    alias_id=primary["id"],
                    issuer_cn=self.draw.choice(("Harbor Trust CA", "Northern Root CA", "Meridian Issuing CA")),
                    expiration=str(milliseconds(self.start) + days * DAY_MS),
                    is_default=place == 1,
                    pem="-----BEGIN CERTIFICATE-----",
                    pkcs12=encoded(f"{box.id}/{place}".encode()),
                )

    # -- filters and forwarding ----------------------------------------------------------------------------

    def _forwarding(self, box: _Box) -> None:
        """Colleagues who have accepted or not yet; sometimes an address outside, from before the rule."""
        others = self.draw.sample([other for other in self.active if other is not box], 2)
        for other, status in zip(others, ("accepted", self.draw.choice(("accepted", "pending"))), strict=True):
            self.rows.add("forwarding_addresses", user_id=box.id, forwarding_email=other.row["email"], verification_status=status)
        if self.draw.random() < 0.4:
            outside = f"{box.person.first_name.lower()}.private@{self.draw.choice(('postbox', 'mailhaven', 'letterbox'))}.example"
            outside = outside.encode("ascii", "ignore").decode()
            row = self.rows.add("forwarding_addresses", user_id=box.id, forwarding_email=outside, verification_status="accepted")
            self.rows.trap("stale_record", "forwarding_addresses", row["id"], note="an address outside, from before the rule")

    def _filters(self, box: _Box) -> None:
        firm = self.draw.choice(list(self.company.clients))
        inside = self._accepted(box)[0]
        label = self.draw.choice(list(box.labels.values()))
        found: list[tuple[Row, Row]] = [
            ({"from": f"@{firm.domain}"}, {"addLabelIds": [label]}),
            ({"subject": "newsletter"}, {"removeLabelIds": ["INBOX"]}),
            ({"hasAttachment": True, "subject": "invoice"}, {"addLabelIds": ["IMPORTANT"]}),
            ({"subject": "complaint"}, {"forward": inside}),
            ({"query": "is:unread older_than:30d"}, {"removeLabelIds": ["UNREAD"]}),
        ]
        chosen = self.draw.sample(found, self.draw.randint(1, 3))
        outside = [address for address in self._accepted(box) if not address.endswith(f"@{self.company.home.domain}")]
        if outside:
            chosen.append(({"from": f"@{self.draw.choice(list(self.company.clients)).domain}"}, {"forward": outside[0]}))
        for criteria, action in chosen:
            self.rows.add("filters", user_id=box.id, criteria_json=criteria, action_json=action)

    def _accepted(self, box: _Box) -> list[str]:
        return [
            row["forwarding_email"]
            for row in self.rows.rows["forwarding_addresses"]
            if row["user_id"] == box.id and row["verification_status"] == "accepted"
        ]

    def _vacation(self, box: _Box) -> None:
        """Some are away now, some have the text of the last time."""
        if self.draw.random() < 0.6:
            return
        row = next(row for row in self.rows.rows["vacation_settings"] if row["user_id"] == box.id)
        first = self.start - dt.timedelta(days=self.draw.choice((2, 200)), hours=8)
        last = first + dt.timedelta(days=self.draw.randint(5, 14)) - dt.timedelta(seconds=1)
        row["enable_auto_reply"] = int(last > self.start)
        row["response_subject"] = "Out of office"
        row["response_body_plain_text"] = f"I am away. For urgent matters write to {self.draw.choice(self.active).row['email']}."
        row["start_time"], row["end_time"] = str(milliseconds(first)), str(milliseconds(last))

    # -- keys and watches ----------------------------------------------------------------------------------

    def _keys(self) -> None:
        """Some encrypt: with a key pair in use, and old ones that are disabled for long or not so long."""
        for box in self.busy[: max(3, len(self.busy) // 2)]:
            for place, days in enumerate((None, self.draw.randint(35, 120), self.draw.randint(3, 20))):
                disabled = None if days is None else self.start - dt.timedelta(days=days)
                row = self.rows.add(
                    "cse_keypairs",
                    user_id=box.id,
                    pkcs7=f"-----BEGIN PKCS7-----\nserial={self.draw.randrange(10**8):08d}\nemailAddress={box.row['email']}",
                    subject_email_addresses=[box.row["email"]],
                    enablement_state="enabled" if disabled is None else "disabled",
                    disable_time=disabled,
                )
                if place == 0:
                    uri = f"https://keys.{self.company.home.domain}/v1"
                    self.rows.add("cse_private_key_metadata", keypair_id=row["id"], kacls_uri=uri, kacls_data="wrapped")
                    email = box.row["email"]
                    self.rows.add("cse_identities", user_id=box.id, email_address=email, primary_key_pair_id=row["id"])

    def _watches(self) -> None:
        for box in self.busy[::3]:
            began = milliseconds(self.start) - self.draw.randint(1, 12) * DAY_MS
            ends = began + WATCH_DAYS * DAY_MS
            row = self.rows.add(
                "watches",
                user_id=box.id,
                topic_name=f"projects/mail-sync/topics/{box.id}",
                expiration=str(ends),
                active=ends > milliseconds(self.start),
            )
            self.rows.add("watch_labels", watch_id=row["id"], label_id="INBOX")

    # -- mail ----------------------------------------------------------------------------------------------

    def _thread(self, box: _Box) -> None:
        """One to three messages on a topic: somebody writes, the owner may answer."""
        draw = self.draw
        topic = draw.choice(TOPICS)
        firm, project = draw.choice(list(self.company.clients)), draw.choice(PROJECTS)
        first, last, address, _ = draw.choice(firm.contacts)
        if not topic.outside:
            other = draw.choice([item for item in self.active if item is not box])
            first, last, address = other.person.first_name, other.person.last_name, other.row["email"]
        words = {"firm": firm.name, "project": project, "number": draw.randrange(100, 9999), "city": box_city(self.company, box)}
        when = self.start - dt.timedelta(minutes=draw.randrange(60, 90 * 24 * 60))
        thread = opaque(self.messages + 1)
        self.rows.add("threads", id=thread, user_id=box.id)
        sender = f"{first} {last} <{address}>"
        labels = self._labels_for(box, topic, words)
        fate = draw.random()
        if fate < 0.06:
            labels = ["TRASH"]
        elif fate < 0.10 and topic.outside:
            labels = ["SPAM", "UNREAD"]
        self._message(box, thread, topic, words, sender, box.row["email"], when, labels)
        kept = labels[0] not in ("TRASH", "SPAM")
        if kept and draw.random() < 0.45:
            when += dt.timedelta(minutes=draw.randrange(20, 2000))
            if when < self.start:
                self._answer(box, thread, topic, words, address, when, ["SENT"])
        elif kept and draw.random() < 0.2:
            self._answer(box, thread, topic, words, address, self.start - dt.timedelta(minutes=draw.randrange(5, 60)), ["DRAFT"])

    def _labels_for(self, box: _Box, topic: Topic, words: Row) -> list[str]:
        draw = self.draw
        labels = ["INBOX"] if draw.random() < 0.8 else ["IMPORTANT"]
        labels += [name for name, share in (("UNREAD", 0.4), ("STARRED", 0.1)) if draw.random() < share]
        own = box.labels.get(topic.label.format(**words)) if topic.label else None
        if own and draw.random() < 0.7:
            labels.append(own)
        return labels

    def _answer(self, box: _Box, thread: str, topic: Topic, words: Row, to: str, when: dt.datetime, labels: list[str]) -> None:
        reply = Topic("", f"Re: {topic.subject}", "Thank you, I will look into it and come back to you.")
        sender = f"{box.row['display_name']} <{box.row['email']}>"
        key = self._message(box, thread, reply, words, sender, to, when, labels)
        if labels == ["DRAFT"]:
            self.rows.add("drafts", user_id=box.id, message_id=key)

    def _message(
        self,
        box: _Box,
        thread: str,
        topic: Topic,
        words: Row,
        sender: str,
        to: str,
        when: dt.datetime,
        labels: Sequence[str],
    ) -> str:
        self.messages += 1
        key = opaque(self.messages)
        subject, text = topic.subject.format(**words), topic.text.format(**words)
        self.rows.add(
            "messages",
            id=key,
            user_id=box.id,
            thread_id=thread,
            snippet=text[:120],
            internal_date=str(milliseconds(when)),
            size_estimate=200 + len(subject) + len(text) + (self.draw.randrange(20_000, 3_000_000) if topic.file else 0),
        )
        for name, value in (("From", sender), ("To", to), ("Subject", subject)):
            self.rows.add("message_headers", message_id=key, name=name, value=value)
        root = None
        if topic.file:
            root = self.rows.add("message_parts", message_id=key, mime_type="multipart/mixed")["id"]
        place = "0" if root else ""
        part = self.rows.add("message_parts", message_id=key, part_id=place, parent_part_id=root)["id"]
        self.rows.add("message_part_bodies", part_id=part, size=len(text.encode()), data=text)
        if root:
            self._file(key, root, topic.file.format(**words))
        for label in dict.fromkeys(labels):
            self.rows.add("message_labels", message_id=key, label_id=label)
        return key

    def _file(self, message: str, root: int, name: str) -> None:
        kind = {"pdf": "application/pdf"}.get(name.rsplit(".", 1)[-1], "application/octet-stream")
        data = encoded(f"content of {name}".encode())
        values = {"message_id": message, "filename": name, "mime_type": kind}
        file = self.rows.add("attachments", **values, size=len(data) * 3 // 4, data=data)["id"]
        part = self.rows.add("message_parts", **values, part_id="1", parent_part_id=root)["id"]
        self.rows.add("message_part_bodies", part_id=part, attachment_id=file, size=len(data))

    def _history(self) -> None:
        """The last changes of the busy mailboxes, oldest first."""
        number = _FIRST_CHANGE
        for box in self.busy:
            own = [row for row in self.rows.rows["messages"] if row["user_id"] == box.id]
            for row in sorted(own, key=lambda row: int(row["internal_date"]))[-_CHANGES:]:
                number += 1
                row["history_id"] = number
                thread = next(item for item in self.rows.rows["threads"] if item["id"] == row["thread_id"])
                thread["history_id"] = box.row["history_id"] = number
                self.rows.add(
                    "history",
                    id=number,
                    user_id=box.id,
                    message_id=row["id"],
                    thread_id=row["thread_id"],
                    change_type="messageAdded",
                    label_ids=["INBOX"],
                    at=dt.datetime(1970, 1, 1) + dt.timedelta(milliseconds=int(row["internal_date"])),
                )


def box_city(company: Company, box: _Box) -> str:
    """The city in which the owner works."""
    return company.site(box.person.site).city


def count(rows: dict[str, list[Row]]) -> None:
    """Fill in what is derived: counts of labels and mailboxes, labels and first words of threads."""
    labels = {row["id"]: row for row in rows["labels"]}
    users = {row["id"]: row for row in rows["users"]}
    borne: dict[str, list[str]] = {}
    for row in rows["message_labels"]:
        borne.setdefault(row["message_id"], []).append(row["label_id"])
    by_thread: dict[str, list[Row]] = {}
    for row in rows["messages"]:
        by_thread.setdefault(row["thread_id"], []).append(row)
        users[row["user_id"]]["messages_total"] += 1
    rows["thread_labels"] = []
    for thread in rows["threads"]:
        messages = by_thread[thread["id"]]
        users[thread["user_id"]]["threads_total"] += 1
        thread["snippet"] = max(messages, key=lambda row: int(row["internal_date"]))["snippet"]
        own = {row["id"]: borne.get(row["id"], []) for row in messages}
        for key in sorted({label for found in own.values() for label in found}):
            rows["thread_labels"].append({"thread_id": thread["id"], "label_id": key})
            bearing = [found for found in own.values() if key in found]
            unread = sum("UNREAD" in found for found in bearing)
            if labels[key]["type"] == "user":
                labels[key]["messages_total"] += len(bearing)
                labels[key]["messages_unread"] += unread
                labels[key]["threads_total"] += 1
                labels[key]["threads_unread"] += unread > 0
