"""A small Email world for tests: an owner, a delegate of hers, an admin, and some who are neither; its own rules hold in it."""

from __future__ import annotations

import datetime as dt
from functools import cache
from typing import Any

from opsgym.core.records.actor import Actor
from opsgym.core.world import World
from opsgym.envs.enterprise_ops.email.domain import EMAIL
from opsgym.envs.enterprise_ops.email.tables import TABLES
from opsgym.envs.enterprise_ops.email.words import DAY_MS, SYSTEM_LABELS
from opsgym.envs.enterprise_ops.email.world import count
from opsgym.envs.enterprise_ops.worlds import Builder
from tests.envs.enterprise_ops.small import SmallWorld

NOW_MS = 1_777_881_600_000
"""The start, 2026-05-04 08:00:00, in milliseconds."""

PEOPLE: dict[str, tuple[str, str, dict[str, Any]]] = {
    "user_001": ("ann@north.example", "Ann Hale", {}),
    "user_002": ("ben@north.example", "Ben Ode", {}),
    "user_003": ("ada@north.example", "Ada Root", {"is_admin": True}),
    "user_004": ("cas@north.example", "Cas Gone", {"suspended": True}),
    "user_005": ("dan@north.example", "Dan Ray", {}),
}


def _people(rows: Builder) -> None:
    for key, (email, name, more) in PEOPLE.items():
        rows.add("users", id=key, email=email, display_name=name, **more)
        rows.add(
            "send_as_aliases",
            user_id=key,
            send_as_email=email,
            is_primary=True,
            is_default=True,
            treat_as_alias=False,
            verification_status="accepted",
        )
        for table in ("auto_forwarding", "imap_settings", "pop_settings", "language_settings", "vacation_settings"):
            rows.add(table, user_id=key)
    rows.add("delegates", user_id="user_001", delegate_email="ben@north.example")


def _mail(rows: Builder) -> None:
    for key in SYSTEM_LABELS:
        rows.add("labels", id=key, name=key, type="system")
    rows.add("labels", user_id="user_001", name="Invoices")  # Label_15
    rows.add("labels", user_id="user_001", name="Empty", text_color="#ffffff", background_color="#16a766")
    rows.add("labels", user_id="user_005", name="Invoices")
    _message(
        rows, "m1", "t1", "Fay Roe <fay@client.example>", "Invoice 17", "Please pay invoice 17.", ("INBOX", "UNREAD", "Label_15")
    )
    _message(
        rows, "m2", "t1", "Ann Hale <ann@north.example>", "Re: Invoice 17", "It is paid.", ("SENT",), to="fay@client.example"
    )
    _message(rows, "m3", "t3", "Dan Ray <dan@north.example>", "Lunch?", "At noon, the new place.", ("INBOX", "STARRED"), days=40)
    _message(rows, "m4", "t4", "promo@shop.example", "Sale", "50% off, this_week.", ("TRASH",))
    _message(rows, "m5", "t5", "Ann Hale <ann@north.example>", "Plan", "Draft of the plan.", ("DRAFT",), to="dan@north.example")
    _message(rows, "m6", "t6", "Gus Ott <gus@client.example>", "Hello", "For Dan only.", ("INBOX", "Label_17"), user="user_005")
    _message(rows, "m7", "t7", "spam@shop.example", "Win", "Win a prize.", ("SPAM", "UNREAD"))
    rows.add("drafts", user_id="user_001", message_id="m5")
    file = rows.add("attachments", message_id="m1", filename="invoice-17.pdf", mime_type="application/pdf", size=3, data="YWJj")
    part = rows.add("message_parts", message_id="m1", part_id="1", filename="invoice-17.pdf", mime_type="application/pdf")
    rows.add("message_part_bodies", part_id=part["id"], attachment_id=file["id"], size=4)


def _message(
    rows: Builder,
    key: str,
    thread: str,
    sender: str,
    subject: str,
    text: str,
    labels: tuple[str, ...],
    *,
    user: str = "user_001",
    to: str = "",
    days: int = 2,
) -> None:
    if all(row["id"] != thread for row in rows.rows["threads"]):
        rows.add("threads", id=thread, user_id=user)
    date = str(NOW_MS - days * DAY_MS + int(key[1:]))
    rows.add(
        "messages", id=key, user_id=user, thread_id=thread, snippet=text, internal_date=date, size_estimate=1000 * int(key[1:])
    )
    for name, value in (("From", sender), ("To", to or PEOPLE[user][0]), ("Subject", subject)):
        rows.add("message_headers", message_id=key, name=name, value=value)
    part = rows.add("message_parts", message_id=key)
    rows.add("message_part_bodies", part_id=part["id"], size=len(text), data=text)
    for label in labels:
        rows.add("message_labels", message_id=key, label_id=label)


def _settings(rows: Builder) -> None:
    for address, status in (("sales@north.example", "accepted"), ("news@north.example", "pending")):
        rows.add("send_as_aliases", user_id="user_001", send_as_email=address, verification_status=status)
    rows.add("smtp_msa", alias_id="alias_006", host="smtp.north.example", port=587, password="hush")
    for address, status in (
        ("dan@north.example", "accepted"),
        ("ben@north.example", "pending"),
        ("ann@outside.example", "accepted"),
    ):
        rows.add("forwarding_addresses", user_id="user_001", forwarding_email=address, verification_status=status)
    rows.add(
        "filters", user_id="user_001", criteria_json={"from": "@client.example"}, action_json={"forward": "ann@outside.example"}
    )
    for place, days in enumerate((100, -5)):
        rows.add(
            "smime_configs",
            user_id="user_001",
            alias_id="alias_001",
            issuer_cn="Root",
            expiration=str(NOW_MS + days * DAY_MS),
            is_default=place == 0,
            pkcs12="YWJj",
        )
    ann, news = "ann@north.example", "news@north.example"
    pairs = (("enabled", 0, [ann]), ("disabled", 40, [ann]), ("disabled", 10, [ann]), ("enabled", 0, [ann, news]))
    for state, days, names in pairs:
        when = None if state == "enabled" else dt.datetime(2026, 5, 4, 8) - dt.timedelta(days=days)
        rows.add(
            "cse_keypairs",
            user_id="user_001",
            pkcs7="x",
            subject_email_addresses=names,
            enablement_state=state,
            disable_time=when,
        )
    rows.add("cse_private_key_metadata", keypair_id="key_002", kacls_uri="https://keys.example", kacls_data="hush")
    rows.add("cse_identities", user_id="user_001", email_address="ann@north.example", primary_key_pair_id="key_001")
    rows.add("watches", user_id="user_001", topic_name="topics/ann", expiration=str(NOW_MS + DAY_MS))
    rows.add("watch_labels", watch_id="watch_001", label_id="INBOX")


@cache
def rows() -> dict[str, list[dict[str, Any]]]:
    made = Builder(TABLES, dt.datetime(2026, 5, 1, 8))
    _people(made)
    _mail(made)
    _settings(made)
    count(made.rows)
    return {name: listed for name, listed in made.rows.items() if listed}


ACTORS = {
    "owner": Actor("user_001", "owner", "user_001"),
    "delegate": Actor("user_002", "delegate", "user_002"),
    "admin": Actor("user_003", "admin", "user_003"),
    "stranger": Actor("user_005", "owner", "user_005"),
}

SMALL = SmallWorld(EMAIL, rows(), ACTORS, acting="owner")
open_world, session, call = SMALL.open, SMALL.session, SMALL.call
refused, forbidden, broken = SMALL.refused, SMALL.forbidden, SMALL.broken


def letter(
    *, to: str = "fay@client.example", subject: str = "Hello", text: str = "Good day.", sender: str = ""
) -> dict[str, Any]:
    """A payload."""
    headers = [("To", to), ("Subject", subject), ("From", sender)]
    return {"headers": [{"name": name, "value": value} for name, value in headers if value], "body": {"data": text}}


Counts = dict[str, tuple[int, ...]]


def recounted(world: World) -> tuple[Counts, Counts]:
    """Counts of users' labels and of mailboxes, counted by other means than the domain's."""
    labels = {
        key: counts
        for key, *counts in world.execute(
            "SELECT l.id, (SELECT count(*) FROM message_labels x WHERE x.label_id = l.id),"
            " (SELECT count(*) FROM message_labels x JOIN message_labels u ON u.message_id = x.message_id"
            " AND u.label_id = 'UNREAD' WHERE x.label_id = l.id),"
            " (SELECT count(DISTINCT m.thread_id) FROM messages m JOIN message_labels x ON x.message_id = m.id"
            " WHERE x.label_id = l.id) FROM labels l WHERE l.type = 'user'"
        )
    }
    users = {
        key: counts
        for key, *counts in world.execute(
            "SELECT u.id, (SELECT count(*) FROM messages m WHERE m.user_id = u.id),"
            " (SELECT count(*) FROM threads t WHERE t.user_id = u.id) FROM users u"
        )
    }
    return {key: tuple(found) for key, found in labels.items()}, {key: tuple(found) for key, found in users.items()}
