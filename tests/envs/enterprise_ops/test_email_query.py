"""Search queries of Email find what they say, and refuse what they cannot read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opsgym.core.errors import ToolError
from opsgym.envs.enterprise_ops.email.query import compiled
from tests.envs.enterprise_ops.small_email import call, open_world, session


def found(query: str) -> str:
    told = call(session(), "list_messages", userId="me", q=query)
    return " ".join(sorted(item["id"] for item in told["messages"]))


@pytest.mark.parametrize(
    ("query", "messages"),
    [
        ("", "m1 m2 m3 m5"),
        ("invoice", "m1 m2"),
        ("INVOICE -re", "m1"),
        ('"pay invoice"', "m1"),
        ('subject:"re: invoice"', "m2"),
        ("from:fay", "m1"),
        ("from:fay@client.example", "m1"),
        ("to:fay", "m2"),
        ("is:unread", "m1"),
        ("is:read", "m2 m3 m5"),
        ("is:starred OR is:unread", "m1 m3"),
        ("is:starred is:unread", ""),
        ("(from:fay OR from:dan) in:inbox", "m1 m3"),
        ("-(from:fay OR from:dan)", "m2 m5"),
        ("in:sent", "m2"),
        ("in:drafts", "m5"),
        ("in:trash", "m4"),
        ("in:spam", "m7"),
        ("in:anywhere", "m1 m2 m3 m4 m5 m7"),
        ("label:invoices", "m1"),
        ("label:Label_15", "m1"),
        ("has:attachment", "m1"),
        ("-has:attachment in:inbox", "m3"),
        ("filename:pdf", "m1"),
        ("after:2026/05/01", "m1 m2 m5"),
        ("before:2026-05-01", "m3"),
        ("older_than:1m", "m3"),
        ("newer_than:3d in:inbox", "m1"),
        ("larger:2k", "m3 m5"),
        ("smaller:1500", "m1"),
        ("in:anywhere 50%", "m4"),
        ("in:anywhere this_week", "m4"),
        ("thisXweek in:anywhere", ""),
        ("lunch AND noon", "m3"),
    ],
)
def test_a_query_finds_what_it_says(query: str, messages: str) -> None:
    assert found(query) == messages


@pytest.mark.parametrize(
    "query",
    [
        "(",
        ")",
        "after:2026/13/01",
        "older_than:3",
        "larger:big",
        "x " * 61,
        "x" * 1001,
        "a )",
        "(a",
        "OR",
        "a OR",
        "from:",
        "colour:red",
        "in:nowhere",
        "is:odd",
        "has:wings",
        "after:yesterday",
    ],
)
def test_a_query_that_cannot_be_read_is_refused(query: str) -> None:
    with pytest.raises(ToolError, match="q: "):
        found(query)


_WORLD = open_world()
_WORDS = st.sampled_from(["a", "OR", "AND", "-", "(", ")", "from:", "is:unread", "label:x", '"', "';--", "%", "after:2026/01/01"])


@given(st.one_of(st.text(max_size=60), st.lists(_WORDS, max_size=8).map(" ".join)))
def test_any_text_gives_a_query_that_runs_or_a_refusal(text: str) -> None:
    try:
        condition = compiled(text, _WORLD.now)
    except ToolError:
        return
    sql = f"SELECT count(*) FROM messages m WHERE {condition.sql}"
    assert 0 <= _WORLD.execute(sql, condition.bound).fetchone()[0] <= 7
