"""Internal questions and answers."""

from __future__ import annotations

import datetime as dt

from opsgym.core.records.columns import Day, Flag, Key, Ref, Text, Whole
from opsgym.core.records.table import Table
from opsgym.envs.enterprise_bench.ledger import Ledger

QUESTION = Table(
    "question",
    (
        Key("question_id", prefix="q", digits=5),
        Ref("emp_id", table="employee", required=True, by_actor=True, doc="Who asks."),
        Text("title", required=True, limit=200),
        Text("body", required=True, limit=4000),
        Text("tags", required=True, limit=100, doc="Tags, with commas between."),
        Day("asked_on", required=True),
        Whole("score", required=True, default=0, doc="Votes."),
    ),
    resource="question",
    indexes=(("emp_id",),),
)
"""Questions."""

ANSWER = Table(
    "answer",
    (
        Key("answer_id", prefix="a", digits=5),
        Ref("question_id", table="question", required=True),
        Ref("emp_id", table="employee", required=True, by_actor=True, doc="Who answers."),
        Text("body", required=True, limit=4000),
        Day("answered_on", required=True),
        Whole("score", required=True, default=0, doc="Votes."),
        Flag("is_accepted", required=True, default=0),
    ),
    resource="question",
    indexes=(("question_id",), ("emp_id",)),
)
"""Answers."""

TABLES = (QUESTION, ANSWER)


_TAGS = ("build", "charts", "database", "deploy", "excel", "git", "logging", "network", "python", "regex", "security", "testing")
_ASKS = (
    "How do I set a limit of {number} for {tag}?",
    "Why does {tag} stop after {number} seconds?",
    "Is there a template for {tag} with {number} columns?",
)
_TELLS = (
    "Set the option to {number}, then start it again.",
    "Split the work into {number} parts.",
    "The guide of our team has it on page {number}.",
)


def fill(book: Ledger) -> None:
    """Write questions with their answers; at most one of them is accepted."""
    draw = book.draw
    experts = book.of("Engineering", "Information Technology", "Sales", "BPO")
    for _ in range(book.count(1700, 60)):
        asker, first, span = book.pair(book.staff, experts)
        tag, other = draw.sample(_TAGS, 2)
        title = draw.choice(_ASKS).format(number=draw.randrange(2, 90), tag=tag)
        day = book.day(span, margin=20)
        question = book.add(
            "question",
            emp_id=asker["emp_id"],
            title=title,
            body=f"I work with {tag} and {other} in {asker['department']}. {title}",
            tags=f"{tag}, {other}",
            asked_on=day.isoformat(),
            score=draw.randrange(0, 40),
        )
        has_accepted = draw.random() < 0.6
        for number in range(draw.choice((0, 1, 2, 2, 3, 4))):
            helper = first if number == 0 else draw.choice(experts)
            later = day + dt.timedelta(days=1 + number)
            if not helper["doj"] <= later.isoformat() <= (helper["dol"] or "9") or helper is asker or later >= book.today:
                continue
            book.add(
                "answer",
                question_id=question["question_id"],
                emp_id=helper["emp_id"],
                body=draw.choice(_TELLS).format(number=draw.randrange(2, 60)),
                answered_on=later.isoformat(),
                score=draw.randrange(0, 30),
                is_accepted=int(has_accepted),
            )
            has_accepted = False
