"""What Email templates have in common: whose mailbox it is, and letters and records that lie there."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from opsgym.core.changes import quoted
from opsgym.core.records import journal
from opsgym.core.records.actor import Actor
from opsgym.core.records.records import Records
from opsgym.envs.enterprise_ops.draft import Draft, Row
from opsgym.envs.enterprise_ops.email import post
from opsgym.envs.enterprise_ops.email.domain import EMAIL
from opsgym.envs.enterprise_ops.email.letters import Letter, Part
from opsgym.envs.enterprise_ops.email.mailbox import ME, milliseconds
from opsgym.envs.enterprise_ops.email.words import DAY_MS
from opsgym.envs.enterprise_ops.template import Unfit

Fact = tuple[str, str, Sequence[Any]]
"""Words that follow a noun, the same as a condition in SQL, and what is bound in it."""


@dataclass(frozen=True)
class Box:
    """A mailbox that a request is about.

    Attributes:
        key: Key of its owner.
        email: Address of its owner.
        name: Name of its owner.
        user: What ``userId`` is for the actor.
    """

    key: str
    email: str
    name: str
    user: str

    def whose(self, draft: Draft) -> str:
        """Words for the mailbox."""
        if self.user == ME:
            return "my mailbox"
        return str(draft.pick(f"the mailbox of {self.name} ({self.email})", f"the mailbox {self.email}"))

    @property
    def my(self) -> str:
        """``my`` or ``the``."""
        return "my" if self.user == ME else "the"


def boxes(draft: Draft, condition: str, *bound: Any, count: int = 1) -> list[Box]:
    """Mailboxes that the actor works with and that meet a condition over ``u``, a row of users; fewer where there are too few.

    An owner's is the own one; a delegate's are those delegated; an admin's are all.

    Raises:
        Unfit: There is none.
    """
    sql = f"SELECT u.* FROM users u WHERE NOT u.suspended AND ({condition})"
    actor = draft.actor
    if actor.role == "owner":
        candidates = draft.rows(
            f"{sql} AND EXISTS (SELECT 1 FROM messages m WHERE m.user_id = u.id) AND NOT u.is_admin ORDER BY u.id", *bound
        )
        if not candidates:
            raise Unfit("no owner has such a mailbox")
        chosen = draft.pick(*candidates)
        draft.act_as(chosen["id"])
        return [_box(chosen, ME)]
    if actor.role == "delegate":
        sql += (
            " AND EXISTS (SELECT 1 FROM delegates d JOIN users me ON me.email = d.delegate_email"
            " WHERE d.user_id = u.id AND me.id = ? AND d.verification_status = 'accepted')"
        )
        bound = (*bound, actor.id)
    else:
        sql += " AND u.id <> ?"
        bound = (*bound, actor.id)
    rows = draft.rows(f"{sql} ORDER BY u.id", *bound)
    if not rows:
        raise Unfit("there is no such mailbox")
    return [_box(row, row["email"]) for row in draft.draw.sample(rows, min(count, len(rows)))]


def _box(row: Row, user: str) -> Box:
    return Box(row["id"], row["email"], row["display_name"], user)


def colleague(draft: Draft, *but: str) -> Row:
    """An active user other than these."""
    marks = ", ".join("?" * (len(but) + 1))
    return draft.one(f"SELECT * FROM users WHERE NOT suspended AND id NOT IN ({marks}) ORDER BY id", draft.actor.id, *but)


def opened(draft: Draft, box: Box) -> Records:
    """The mailbox, to arrange things in it before the episode."""
    world = draft._arranging("email").world  # the draft's own check that the episode has not begun
    return Records(EMAIL, world, Actor(box.key, "owner", box.key))


def receive(
    draft: Draft,
    box: Box,
    sender: str,
    subject: str,
    text: str,
    labels: Sequence[str] = ("INBOX", "UNREAD"),
    *,
    days: float | None = None,
) -> Row:
    """Have a letter lie in the mailbox."""
    ago = dt.timedelta(days=draft.draw.uniform(1, 25) if days is None else days)
    headers = (("From", sender), ("To", box.email), ("Subject", subject))
    letter = Letter(headers, "text/plain", (Part("text/plain", text),))
    records = opened(draft, box)
    message = post.stored(records, letter, labels, date=milliseconds((draft.now - ago).replace(microsecond=0)))
    records.world.execute(f"DELETE FROM {journal.TABLE}")
    return message


def told(draft: Draft, table: str, box: Box, key: Any, name: str, facts: Sequence[Fact]) -> str:
    """Words for a record of a mailbox: its name, or where more conditions are asked for, facts that single it out there.

    Raises:
        Unfit: All facts together fit other records too.
    """
    if draft.conditions <= 1:
        return name
    chosen: list[Fact] = []
    for fact in draft.draw.sample(list(facts), len(facts)):
        chosen.append(fact)
        where = " AND ".join(f"({sql})" for _, sql, _ in chosen)
        bound = [value for _, _, values in chosen for value in values]
        found = draft.rows(f"SELECT id FROM {quoted(table)} WHERE user_id = ? AND {where} ORDER BY id", box.key, *bound)
        if [row["id"] for row in found] == [key] and len(chosen) >= min(draft.conditions, len(facts)):
            return f"the {name.split()[0]} {draft.listed([words for words, _, _ in chosen])}"
    raise Unfit(f"{table} {key!r} cannot be told from others")


def header_is(name: str) -> str:
    """A condition over messages: a header holds what is bound."""
    return f"EXISTS (SELECT 1 FROM message_headers h WHERE h.message_id = messages.id AND h.name = '{name}' AND h.value LIKE ?)"


@dataclass(frozen=True)
class Contact:
    """Somebody outside.

    Attributes:
        name: First and last name.
        email: Address.
        firm: Name of the firm.
    """

    name: str
    email: str
    firm: str

    @property
    def sender(self) -> str:
        """What stands in the header From."""
        return f"{self.name} <{self.email}>"

    def told(self, draft: Draft) -> str:
        """Words for them: the address, or where more conditions are asked for, name and firm."""
        return self.email if draft.conditions <= 1 else f"{self.name} of {self.firm}"

    def query(self, draft: Draft) -> str:
        """How to find what they wrote, by what the request says of them."""
        return f"from:{self.email}" if draft.conditions <= 1 else f'from:"{self.name}"'


def contacts(draft: Draft, count: int) -> list[Contact]:
    """People outside, of different firms; fewer where there are too few firms."""
    firms = list(draft.company.clients)
    found = []
    for firm in draft.draw.sample(firms, min(count, len(firms))):
        first, last, address, _ = draft.pick(*firm.contacts)
        found.append(Contact(f"{first} {last}", address, firm.name))
    return found


def day_start(day: dt.date) -> str:
    """The first moment of a day, as settings have it."""
    return str(milliseconds(dt.datetime.combine(day, dt.time())))


def day_end(day: dt.date) -> str:
    """The last second of a day, as settings have it."""
    return str(milliseconds(dt.datetime.combine(day, dt.time())) + DAY_MS - 1000)


def lookalike(address: str) -> str:
    """An address that is easily taken for another one."""
    name, host = address.split("@")
    swaps = (("o", "0"), ("l", "1"), ("i", "1"), ("e", "3"), ("a", "4"))
    for letter, digit in swaps:
        if letter in host.split(".")[0]:
            return f"{name}@{host.replace(letter, digit, 1)}"
    return f"{name}@{host.replace('.', '-mail.', 1)}"
