"""Social platform: posts."""

from __future__ import annotations

import datetime as dt

from opsgym.core.records.columns import Choice, Day, Key, Ref, Text, Whole
from opsgym.core.records.table import Table
from opsgym.envs.enterprise_bench.ledger import Ledger, spoken

KINDS = ("event", "launch", "award", "training", "notice")
"""What posts are about."""

POST = Table(
    "post",
    (
        Key("post_id", prefix="post", digits=4),
        Ref("emp_id", table="employee", required=True, by_actor=True, doc="Who posted it."),
        Text("title", required=True, limit=200),
        Text("post", required=True, limit=4000, doc="Text of the post."),
        Day("posted_on", required=True),
        Whole("likes", required=True, least=0, default=0),
        Choice("kind", values=KINDS, secret=True, doc="What it is about."),
        Day("due_on", secret=True, doc="The day that the text names."),
    ),
    resource="post",
    indexes=(("emp_id",),),
)
"""Posts."""

TABLES = (POST,)


_POSTS = {
    "event": ("{what} meetup", "The {what} meetup is on {day}. Everybody is welcome."),
    "launch": ("{what} launch", "We launch {what} on {day}. Thanks to the whole team."),
    "award": ("Award for {what}", "Our {what} team receives its award on {day}."),
    "training": ("Training in {what}", "The next training in {what} takes place on {day}. Places are few."),
    "notice": ("Notice about {what}", "Please hand in your papers on {what} by {day}."),
}
_WHAT = (
    "accessibility",
    "analytics",
    "cloud",
    "compliance",
    "cycling",
    "data",
    "design",
    "payroll",
    "robotics",
    "safety",
    "travel",
)


def fill(book: Ledger) -> None:
    """Write posts."""
    draw = book.draw
    for _ in range(book.count(1000, 60)):
        author, _, span = book.pair(book.staff, book.staff)
        kind, what = draw.choice(KINDS), draw.choice(_WHAT)
        title, text = _POSTS[kind]
        posted = book.day(span)
        due = posted + dt.timedelta(days=draw.randrange(3, 40))
        book.add(
            "post",
            emp_id=author["emp_id"],
            title=title.format(what=what).capitalize(),
            post=text.format(what=what, day=spoken(due)),
            posted_on=posted.isoformat(),
            likes=draw.randrange(0, 200),
            kind=kind,
            due_on=due.isoformat(),
        )
