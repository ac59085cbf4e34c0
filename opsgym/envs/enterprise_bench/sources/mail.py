"""Mail: threads and their mails."""

from __future__ import annotations

from opsgym.core.records.columns import Choice, Day, Key, Moment, Ref, Text, Whole
from opsgym.core.records.table import Table
from opsgym.envs.enterprise_bench.ledger import Ledger, Row, moment
from opsgym.envs.enterprise_bench.sources.subjects import ask, reply, subjects, talkers

THREAD = Table(
    "mail_thread",
    (
        Key("thread_id", prefix="thread", digits=5),
        Text("subject", required=True, limit=200),
        Moment("date", required=True, doc="When it began."),
        Ref("starter_emp_id", table="employee", required=True, doc="Who began it."),
        Ref("other_emp_id", table="employee", required=True, doc="The other one."),
        Text("about", secret=True, doc="Key of the record that it is about."),
    ),
    resource="mail",
    indexes=(("starter_emp_id",), ("other_emp_id",)),
)
"""Threads of mails between two employees."""

MAIL = Table(
    "mail",
    (
        Key("email_id", prefix="mail", digits=5),
        Ref("thread_id", table="mail_thread", required=True),
        Moment("date", required=True),
        Ref("sender_emp_id", table="employee", required=True),
        Ref("recipient_emp_id", table="employee", required=True),
        Text("subject", required=True, limit=200),
        Text("body", required=True, limit=8000),
        Choice("importance", values=("High", "Normal", "Low"), required=True, default="Normal"),
        Choice("category", values=("INTERNAL", "CLIENT", "VENDOR"), required=True, default="INTERNAL"),
        Day("due_on", secret=True, doc="The day that the body names."),
        Whole("amount", secret=True, doc="The number that the body names."),
    ),
    resource="mail",
    indexes=(("thread_id",), ("sender_emp_id",), ("recipient_emp_id",)),
)
"""Mails."""

TABLES = (THREAD, MAIL)


def fill(book: Ledger) -> None:
    """Write threads of two to three mails; some pairs have several threads with one subject, which is labelled."""
    draw, known = book.draw, subjects(book)
    seen: dict[tuple[str, str, str], list[str]] = {}
    last: tuple[Row, Row, str, str] | None = None
    for _ in range(book.count(1800, 150)):
        one, other, span = talkers(book)
        subject = draw.choice(known[one["department"]])
        topic, about = subject.topic, subject.key
        if last is not None and draw.random() < 0.05:
            one, other, topic, about = last
            span = book.span(one, other) or span
        day, minutes = book.day(span, margin=3), draw.randrange(0, 300)
        thread = book.add(
            "mail_thread",
            subject=topic,
            date=moment(day, minutes),
            starter_emp_id=one["emp_id"],
            other_emp_id=other["emp_id"],
            about=about,
        )
        seen.setdefault((one["emp_id"], other["emp_id"], topic), []).append(thread["thread_id"])
        last = one, other, topic, about
        mails = [(one, other, topic, *ask(book, subject, day)), (other, one, f"Re: {topic}", *reply(book))]
        if draw.random() < 0.5:
            mails.append((one, other, f"Re: {topic}", f"Thank you, {other['name'].split()[0]}.", None, None))
        for number, (sender, recipient, title, text, due, amount) in enumerate(mails):
            book.add(
                "mail",
                thread_id=thread["thread_id"],
                date=moment(day, minutes + 40 * number),
                sender_emp_id=sender["emp_id"],
                recipient_emp_id=recipient["emp_id"],
                subject=title,
                body=f"Dear {recipient['name'].split()[0]},\n\n{text}\n\n{sender['name']}",
                importance=draw.choice(("High", "Normal", "Normal", "Normal", "Low")),
                category="INTERNAL",
                due_on=due,
                amount=amount,
            )
    for keys in seen.values():
        if len(keys) > 1:
            book.trap("matching_threads", "mail_thread", *keys)
