"""End states are held against the same rules, and against what a task allows."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import Any

import pytest

from opsgym.core.records.actor import Actor
from opsgym.core.records.allowance import Allowance
from opsgym.core.records.invariants import violations
from opsgym.core.records.judge import Judge
from opsgym.core.records.records import Records
from opsgym.core.records.sql_check import SqlCheck
from tests.core.records.help_desk import AGENT, DOMAIN, NOTE, REPORTER, TICKET, desk, open_world


def judged(play: Callable[[Records], Any], actor: Actor = AGENT) -> Judge:
    records = desk("permissive", actor)
    before = records.world.snapshot()
    play(records)
    return Judge(DOMAIN, before, records.world.snapshot(), actor)


def failed(judge: Judge, *allowed: Allowance) -> set[str]:
    with judge:
        return {result.spec.rule for result in judge.results((), allowed) if result.status == "fail"}


def edit(key: str, **values: Any) -> Callable[[Records], Any]:
    return lambda records: records.update(TICKET, {"ticket_id": key}, values)


ANYTHING = Allowance(table="ticket", action="update", columns=TICKET.names, most=9)


def test_nothing_done_breaks_nothing() -> None:
    assert failed(judged(lambda records: None)) == set()


@pytest.mark.parametrize(
    ("play", "rules"),
    [
        (edit("TKT_001", impact="high"), {"HD-PRIO"}),
        (edit("TKT_001", assigned_to="USER_004"), {"HD-ASSIGN"}),
        (edit("TKT_003", status="new"), {"HD-LIFE-MOVE"}),
        (edit("TKT_003", answer=""), {"HD-LIFE-NEED-DONE"}),
        (edit("TKT_001", status="done", answer="x"), {"HD-NOTE", "HD-LIFE-MOVE"}),
        (edit("TKT_001", status="open"), set()),
    ],
)
def test_an_end_state_breaks_exactly_its_rules(play: Callable[[Records], Any], rules: set[str]) -> None:
    assert failed(judged(play), ANYTHING) == rules


def test_a_step_that_the_end_state_does_not_show_is_noted() -> None:
    assert "HD-LIFE-MOVE" in failed(judged(edit("TKT_001", status="done", answer="x")), ANYTHING)
    made = Allowance(table="ticket", action="create")
    assert failed(judged(lambda records: records.create(TICKET, {"title": "x", "status": "open"})), made) == {"HD-LIFE-START"}


def test_steps_by_the_rules_are_not_noted() -> None:
    def play(records: Records) -> None:
        made = records.create(TICKET, {"title": "x"})
        records.update(TICKET, {"ticket_id": made["ticket_id"]}, {"status": "open"})

    assert failed(judged(play), Allowance(table="ticket", action="create")) == set()


def test_an_end_state_without_a_journal_is_judged_by_where_moves_lead() -> None:
    def reached(status: str) -> Callable[[Records], Any]:
        return lambda records: records.world.execute("UPDATE ticket SET status = ? WHERE ticket_id = 'TKT_003'", (status,))

    assert failed(judged(reached("open")), ANYTHING) == set()
    assert failed(judged(reached("new")), ANYTHING) == {"HD-LIFE-MOVE"}


def test_what_is_undone_is_not_noted() -> None:
    records = desk()
    before = records.world.digest()
    with pytest.raises(RuntimeError), records.world.savepoint():
        edit("TKT_001", status="done", answer="x")(records)
        raise RuntimeError
    assert records.world.digest() == before


def test_seeded_breaches_are_not_the_agents() -> None:
    def play(records: Records) -> None:
        records.create(NOTE, {"ticket_id": "TKT_001", "text": "hello"})

    records = desk()
    records.world.execute("UPDATE ticket SET priority = 'p1'")
    before = records.world.snapshot()
    play(records)
    judge = Judge(DOMAIN, before, records.world.snapshot(), AGENT)
    assert failed(judge, Allowance(table="note", action="create")) == set()


def test_deletions_are_judged_by_what_was() -> None:
    def play(records: Records) -> None:
        records.delete(NOTE, {"note_id": "NOTE_001"})
        records.delete(TICKET, {"ticket_id": "TKT_003"})

    gone = (Allowance(table="note", action="delete"), Allowance(table="ticket", action="delete"))
    assert failed(judged(play), *gone) == {"HD-KEEP"}


def test_rights_are_judged() -> None:
    made = Allowance(table="note", action="create")
    play = lambda records: records.create(NOTE, {"ticket_id": "TKT_001", "text": "hello"})  # noqa: E731  # short and local
    assert failed(judged(play, REPORTER), made) == {"RIGHTS"}
    assert failed(judged(play), made) == set()


@pytest.mark.parametrize(
    ("allowed", "covers"),
    [
        (Allowance(table="ticket", action="update", match={"number": "TKT0000001"}, columns=("status",)), True),
        (Allowance(table="ticket", action="update", match={"status": "new"}, columns=("status", "impact")), True),
        (Allowance(table="ticket", action="update", columns=("status",), values={"status": "open", "impact": "low"}), True),
        (Allowance(table="ticket", action="update", columns=("status",), values={"status": "done"}), False),
        (Allowance(table="ticket", action="update", match={"status": "open"}, columns=("status",)), False),
        (Allowance(table="ticket", action="update", columns=("impact",)), False),
        (Allowance(table="ticket", action="create", columns=("status",)), False),
        (Allowance(table="note", action="update", columns=("status",)), False),
        (Allowance(table="ticket", action="update", columns=("status",), most=0), False),
    ],
)
def test_what_nothing_grants_is_collateral(allowed: Allowance, covers: bool) -> None:
    assert (failed(judged(edit("TKT_001", status="open")), allowed) == set()) is covers


def test_an_allowance_is_used_up() -> None:
    def play(records: Records) -> None:
        for text in ("one", "two"):
            records.create(NOTE, {"ticket_id": "TKT_001", "text": text})

    assert failed(judged(play), Allowance(table="note", action="create")) == {"COLLATERAL"}
    assert failed(judged(play), Allowance(table="note", action="create", most=2)) == set()
    narrow = Allowance(table="note", action="create", match={"text": "two"})
    assert failed(judged(play), Allowance(table="note", action="create"), narrow) == set()


@pytest.mark.parametrize(
    ("query", "expected", "comparison", "passes"),
    [
        ("SELECT count(*) FROM ticket", 3, "equals", True),
        ("SELECT count(*) FROM ticket", "3", "equals", False),
        ("SELECT count(*) FROM ticket", 2, "greater_than", True),
        ("SELECT count(*) FROM ticket", 3, "less_than", False),
        ("SELECT title FROM ticket WHERE ticket_id = 'TKT_003'", "cree", "contains", True),
        ("SELECT title, minutes FROM ticket WHERE ticket_id = 'TKT_003'", {"title": "screen", "minutes": 9}, "equals", True),
        ("SELECT title FROM ticket ORDER BY ticket_id", ["printer", "printer", "screen"], "equals", True),
        ("SELECT title FROM ticket WHERE 0", [], "equals", True),
        ("SELECT title FROM ticket WHERE 0", 0, "equals", False),
        ("SELECT title FROM ticket WHERE ticket_id = 'TKT_003'", 0, "greater_than", False),
        ("SELECT nothing FROM ticket", 0, "equals", False),
        ("SELECT concat('a', NULL, 1)", "a1", "equals", True),
        ("SELECT sum(value) FROM json_each('[1, 2]')", 3, "equals", True),
        ("SELECT count(*) FROM json_tree('[1, [2]]')", 4, "equals", True),
    ],
)
def test_checks_have_the_official_semantics(query: str, expected: object, comparison: Any, passes: bool) -> None:
    with judged(lambda records: None) as judge:
        result = judge.check(SqlCheck(name="c", query=query, expected=expected, comparison=comparison))
    assert (result.status == "pass") is passes


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM ticket",
        "UPDATE ticket SET title = 'x'",
        "DROP TABLE ticket",
        "CREATE TABLE t (x)",
        "ATTACH '/tmp/x' AS y",
        "PRAGMA query_only = OFF",
        "SELECT load_extension('x')",
        "BEGIN",
    ],
)
def test_a_judge_only_reads(sql: str) -> None:
    with judged(lambda records: None) as judge, pytest.raises(sqlite3.Error, match=r"authorized|prohibited"):
        judge.conn.execute(sql)


def test_the_world_is_not_touched_by_judging() -> None:
    records = desk()
    digest = records.world.digest()
    with Judge(DOMAIN, records.world.snapshot(), records.world.snapshot(), AGENT) as judge:
        judge.results((), ())
    assert records.world.digest() == digest


def test_a_sound_world_has_no_violations_and_a_broken_one_tells_each() -> None:
    world = open_world()
    assert violations(DOMAIN, world) == []
    world.execute("UPDATE ticket SET priority = 'p1' WHERE ticket_id = 'TKT_001'")
    world.execute("UPDATE users SET email = 'nobody' WHERE user_id = 'USER_001'")
    world.execute("DELETE FROM note WHERE note_id = 'NOTE_001'")
    found = violations(DOMAIN, world)
    assert len(found) == 3
    assert any("TKT_001 breaks HD-PRIO" in item for item in found)
    assert any("TKT_003 breaks HD-NOTE" in item for item in found)
    assert any("USER_001: email" in item for item in found)
