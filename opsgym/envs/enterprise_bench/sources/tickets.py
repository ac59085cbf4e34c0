"""IT service management: tickets."""

from __future__ import annotations

import datetime as dt

from opsgym.core.records.columns import Choice, Day, Key, Ref, Text
from opsgym.core.records.table import Table
from opsgym.envs.enterprise_bench.ledger import Ledger, Row

TOPICS = ("vpn", "password", "laptop", "printer", "email", "software", "access")
"""What tickets are about."""

TICKET = Table(
    "it_ticket",
    (
        Key("id", prefix="tick", digits=5),
        Choice("priority", values=("high", "medium", "low"), required=True, default="medium"),
        Ref("raised_by_emp_id", table="employee", required=True),
        Ref("emp_id", table="employee", doc="Employee of IT who works on it."),
        Day("raised_date", required=True),
        Day("assigned_date"),
        Text("issue", required=True, limit=2000),
        Text("resolution", limit=2000),
        Day("resolved_date"),
        Choice("status", values=("open", "resolved"), required=True, default="open"),
        Choice("topic", values=TOPICS, secret=True, doc="What it is about."),
    ),
    resource="it_ticket",
    indexes=(("raised_by_emp_id",), ("emp_id",)),
    checks={
        "(status = 'resolved') = (resolution IS NOT NULL)": "status: expected resolved exactly where there is a resolution",
        "(status = 'resolved') = (resolved_date IS NOT NULL)": "resolved_date: expected exactly where it is resolved",
        "(emp_id IS NULL) = (assigned_date IS NULL)": "assigned_date: expected exactly where somebody is assigned",
    },
)
"""Tickets."""

TABLES = (TICKET,)


_ISSUES = {
    "vpn": ("The VPN drops after {number} minutes.", "A new profile keeps the VPN connected."),
    "password": ("I am locked out after {number} wrong passwords.", "The password was reset; it must have 12 characters."),
    "laptop": ("My laptop shuts down at {number} % of its battery.", "The battery of the laptop was replaced."),
    "printer": ("The printer on floor {number} jams.", "The rollers of the printer were cleaned."),
    "email": ("Mails beyond {number} MB do not leave my outbox.", "The limit of mails was raised."),
    "software": ("The report tool closes after {number} rows.", "The report tool was updated."),
    "access": ("I cannot open the shared folder number {number}.", "The right to the folder was granted."),
}


def fill(book: Ledger) -> None:
    """Write tickets."""
    for _ in range(book.count(163, 60)):
        raiser, assignee, span = book.pair(book.staff, book.of("Information Technology"))
        _ticket(book, raiser, assignee, book.day(span, margin=10))


def _ticket(book: Ledger, raiser: Row, assignee: Row, day: dt.date) -> None:
    draw = book.draw
    topic = draw.choice(TOPICS)
    issue, resolution = _ISSUES[topic]
    state = draw.choice(("new", "open", "resolved", "resolved"))
    if assignee["dol"] is not None or raiser["dol"] is not None:
        state = "resolved"
    row = book.add(
        "it_ticket",
        priority=draw.choice(("high", "high", "medium", "low")),
        raised_by_emp_id=raiser["emp_id"],
        raised_date=day.isoformat(),
        issue=f"Hello, this is {raiser['name']} of {raiser['department']}. {issue.format(number=draw.randrange(2, 30))}",
        topic=topic,
    )
    if state != "new":
        row |= {"emp_id": assignee["emp_id"], "assigned_date": (day + dt.timedelta(days=draw.randrange(0, 4))).isoformat()}
    if state == "resolved":
        done = min(day + dt.timedelta(days=draw.randrange(4, 10)), book.today - dt.timedelta(days=1))
        row |= {"status": "resolved", "resolved_date": done.isoformat(), "resolution": resolution}
