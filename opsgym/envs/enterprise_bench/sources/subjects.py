"""Subjects: what people of a department write about, and the sentences that state facts."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from opsgym.envs.enterprise_bench.ledger import Ledger, Row, Span, spoken
from opsgym.envs.enterprise_bench.sources.people import DEPARTMENTS

Said = tuple[str, str | None, int | None]
"""A text, the day that it names, and the number that it names."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What is written about.

    Attributes:
        key: Key of a record.
        topic: What it is called.
    """

    key: str
    topic: str


def subjects(book: Ledger) -> dict[str, list[Subject]]:
    """Subjects of each department, made of the records that there are."""
    rows = book.rows
    documents = [Subject(row["document_id"], row["title"]) for row in rows["policy_document"]]
    own = {
        "Engineering": [Subject(row["repo_id"], f"Release of {row['repo_name']}") for row in rows["repository"]],
        "Information Technology": [Subject(row["id"], f"Ticket {row['id']}") for row in rows["it_ticket"]],
        "Sales": [Subject(row["product_id"], f"Offer for {row['product_name']}") for row in rows["product"]],
        "Business Development": [Subject(row["client_id"], f"Trial at {row['business_name']}") for row in rows["client"]],
        "Finance": [Subject(row["invoice_id"], f"Invoice {row['invoice_id']}") for row in rows["invoice"]],
        "Management": [Subject(row["vendor_id"], f"Contract with {row['business_name']}") for row in rows["vendor"]],
        "BPO": [Subject(row["product_id"], f"Calls about {row['product_name']}") for row in rows["product"]],
    }
    return {name: own.get(name, documents) + documents[:6] for name in DEPARTMENTS}


def talkers(book: Ledger) -> tuple[Row, Row, Span]:
    """Two people who write to each other, mostly of one department."""
    one = book.draw.choice(book.staff)
    pool = book.of(one["department"]) if book.draw.random() < 0.7 else book.staff
    for _ in range(20):
        other = book.draw.choice(pool)
        span = book.span(one, other) if other is not one else None
        if span:
            return one, other, span
    return book.pair(book.staff, book.staff)


_ASKS = (
    "Could you send me the figures on {topic} by {day}?",
    "We need to settle {topic} until {day}.",
    "Let us meet about {topic} on {day}.",
)
_REPLIES = (
    "That works. It will take {amount} hours.",
    "I can do that; the estimate is {amount} hours.",
    "Fine with me. So far {amount} points are open.",
)


def ask(book: Ledger, subject: Subject, day: dt.date) -> Said:
    """A first text; it names a day."""
    due = day + dt.timedelta(days=book.draw.randrange(2, 30))
    text = book.draw.choice(_ASKS).format(topic=subject.topic, day=spoken(due))
    return text, due.isoformat(), None


def reply(book: Ledger) -> Said:
    """A reply; it names a number."""
    amount = book.draw.randrange(2, 80)
    return book.draw.choice(_REPLIES).format(amount=amount), None, amount
