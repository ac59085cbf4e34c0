"""Mutation audit: what the verifier says when one promise of a solved task is broken at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from opsgym.core.changes import quoted
from opsgym.core.records.columns import Choice, Key
from opsgym.core.records.diff import Change
from opsgym.core.records.live_judge import changes_since
from opsgym.core.records.table import Table
from opsgym.core.world import Snapshot, World
from opsgym.envs.enterprise_bench.endings import REASONS, Outcome, outcome
from opsgym.envs.enterprise_bench.statements import another
from opsgym.envs.enterprise_bench.system import DOMAIN
from opsgym.envs.enterprise_bench.verifier import Checks, judge_changes


def audit(checks: Checks, before: Snapshot, after: World) -> Sequence[tuple[str, bool]]:
    """By rule, whether the verifier notices that it is broken."""
    changes, ended = changes_since(DOMAIN, before, after), outcome(after.conn) or Outcome("none")
    return [
        (rule, not judge_changes(checks, mutated, ending).is_success)
        for rule, mutated, ending in _mutants(checks, changes, ended, after)
    ]


_Mutant = tuple[str, Sequence[Change], Outcome]


def _mutants(checks: Checks, changes: Sequence[Change], ended: Outcome, after: World) -> Iterator[_Mutant]:
    for ending in _endings(checks):
        yield "refuse", changes, ending
    if checks.form is not None and checks.reason is None:
        for wrong in (None, "wrong", -987654321, [], ["wrong"], *_near(ended.answer)):
            if wrong != ended.answer:
                yield "answer", changes, replace(ended, answer=wrong)
    for place, change in enumerate(changes):
        others = [*changes[:place], *changes[place + 1 :]]
        yield "record", others, ended
        if change.new is not None and change.action == "create":
            again = change.new | {change.table.key[0]: "again"}
            yield "COLLATERAL", [*changes, replace(change, key=_key(change.table, again), new=again)], ended
        for altered in _misdone(checks, change):
            yield "record", [*others, altered], ended
    for table in (item for item in DOMAIN.tables if not item.derived):
        row = after.conn.execute(f"SELECT * FROM {quoted(table.name)} ORDER BY rowid LIMIT 1").fetchone()
        old = row and dict(zip(table.names, row, strict=True))
        if old and all((item.table.name, item.key) != (table.name, _key(table, old)) for item in changes):
            yield "COLLATERAL", [*changes, Change(table, "delete", _key(table, old), old, None)], ended
            yield "COLLATERAL", [*changes, Change(table, "create", ("new",), None, old | {table.key[0]: "new"})], ended
            if (new := _altered(table, old)) is not None:
                yield "COLLATERAL", [*changes, Change(table, "update", _key(table, old), old, new)], ended


def _endings(checks: Checks) -> Iterator[Outcome]:
    """Wrong ways to end the episode."""
    if checks.reason is None:
        yield Outcome("refuse", "not_permitted")
        return
    yield from (Outcome("refuse", reason) for reason in REASONS if reason != checks.reason)
    yield Outcome("submit")


def _near(answer: Any) -> Iterator[Any]:
    """Answers that are nearly right: a number next to it, a list with one more or one less, two texts for one."""
    if isinstance(answer, int | float):
        yield answer + 1
    if isinstance(answer, str):
        yield from (f"{answer} or another", f"not {answer}")
    if isinstance(answer, list):
        yield from (answer[1:], [*answer, "more"])


def _misdone(checks: Checks, change: Change) -> Iterator[Change]:
    """The same change with one fixed value wrong, or with a text that states another answer besides the right one."""
    wanted = next((item for item in checks.wanted if item.met(change)), None)
    if wanted is None or change.new is None:
        return
    for column in (*wanted.values, *wanted.holding):
        yield replace(change, new=change.new | {column: "wrong"})
    for column, needles in wanted.holding.items():
        for other in filter(None, map(another, needles)):
            yield replace(change, new=change.new | {column: f"{change.new[column]} Or {other}"})


def _key(table: Table, row: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(row[name] for name in table.key)


def _altered(table: Table, row: dict[str, Any]) -> dict[str, Any] | None:
    """A row with another word in one column."""
    for column in table.columns:
        if isinstance(column, Key) or column.secret or column.derived or row[column.name] is None:
            continue
        if isinstance(column, Choice):
            return row | {column.name: next(item for item in column.values if item != row[column.name])}
        if column.sql_type == "TEXT":
            return row | {column.name: f"{row[column.name]}."}
    return None
