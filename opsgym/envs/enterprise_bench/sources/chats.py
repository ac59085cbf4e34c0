"""Chats: conversations between two employees, and their messages."""

from __future__ import annotations

from opsgym.core.records.columns import Choice, Day, Key, Moment, Ref, Text, Whole
from opsgym.core.records.table import Table
from opsgym.envs.enterprise_bench.ledger import Ledger, moment
from opsgym.envs.enterprise_bench.sources.people import DEPARTMENTS
from opsgym.envs.enterprise_bench.sources.subjects import Subject, ask, reply, subjects, talkers

CONVERSATION = Table(
    "conversation",
    (
        Key("conversation_id", prefix="conv", digits=5),
        Ref("sender_emp_id", table="employee", required=True, doc="Who began it."),
        Ref("recipient_emp_id", table="employee", required=True, doc="The other one."),
        Choice("category", values=tuple(DEPARTMENTS), required=True, doc="Department of who began it."),
        Text("topic", required=True, limit=200),
        Moment("date", required=True, doc="When it began."),
        Text("about", secret=True, doc="Key of the record that is talked about."),
    ),
    resource="conversation",
    indexes=(("sender_emp_id",), ("recipient_emp_id",)),
    checks={"sender_emp_id <> recipient_emp_id": "recipient_emp_id: expected somebody else"},
)
"""Conversations of two employees."""

MESSAGE = Table(
    "message",
    (
        Key("message_id", prefix="msg", digits=5),
        Ref("conversation_id", table="conversation", required=True),
        Ref("emp_id", table="employee", required=True, doc="Who wrote it."),
        Moment("sent_at", required=True),
        Text("text", required=True, limit=4000),
        Day("due_on", secret=True, doc="The day that the text names."),
        Whole("amount", secret=True, doc="The number that the text names."),
    ),
    resource="conversation",
    indexes=(("conversation_id",),),
)
"""Messages of conversations."""

TABLES = (CONVERSATION, MESSAGE)


def fill(book: Ledger) -> None:
    """Write conversations of two to three messages, about records that both might speak of."""
    draw, known = book.draw, subjects(book)
    for _ in range(book.count(3000, 240)):
        one, other, span = talkers(book)
        subject: Subject = draw.choice(known[one["department"]])
        day, minutes = book.day(span, margin=3), draw.randrange(0, 400)
        talk = book.add(
            "conversation",
            sender_emp_id=one["emp_id"],
            recipient_emp_id=other["emp_id"],
            category=one["department"],
            topic=subject.topic,
            date=moment(day, minutes),
            about=subject.key,
        )
        texts = [(one, *ask(book, subject, day)), (other, *reply(book))]
        if draw.random() < 0.4:
            texts.append((one, f"Thank you, {other['name'].split()[0]}.", None, None))
        for number, (author, text, due, amount) in enumerate(texts):
            listener = other if author is one else one
            book.add(
                "message",
                conversation_id=talk["conversation_id"],
                emp_id=author["emp_id"],
                sent_at=moment(day, minutes + 7 * number),
                text=f"Hi {listener['name'].split()[0]}. {text}" if number < 2 else text,
                due_on=due,
                amount=amount,
            )
