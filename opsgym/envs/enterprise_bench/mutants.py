"""Mutation audit: a solved state in which one promise of the verifier is broken at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from opsgym.core.changes import quoted
from opsgym.core.records.columns import Choice, Key
from opsgym.core.records.diff import Change
from opsgym.core.records.live_judge import changes_since
from opsgym.core.records.outcome import TABLE
from opsgym.core.records.statements import by_key
from opsgym.core.records.table import Table
from opsgym.core.task import canonical_json
from opsgym.core.world import Snapshot, World
from opsgym.envs.enterprise_bench.endings import REASONS
from opsgym.envs.enterprise_bench.system import DOMAIN
from opsgym.envs.enterprise_bench.verifier import Checks, judge


def audit(checks: Checks, before: Snapshot, after: World) -> Sequence[tuple[str, bool]]:
    """By rule, whether the verifier notices that it is broken."""
    solved = after.snapshot()
    changes = changes_since(DOMAIN, before, after)
    found = []
    for rule, statements in _mutants(checks, changes, after):
        world = World.from_snapshot(solved)
        try:
            world.execute("PRAGMA foreign_keys = OFF")
            for sql, values in statements:
                world.execute(sql, values)
            found.append((rule, not judge(checks, before, world).is_success))
        finally:
            world.close()
    return found


Statement = tuple[str, Sequence[Any]]


def _mutants(checks: Checks, changes: Sequence[Change], after: World) -> Iterator[tuple[str, list[Statement]]]:
    if checks.reason is not None:
        for reason in REASONS:
            if reason != checks.reason:
                yield "refuse", [(f"UPDATE {TABLE} SET reason = ?", [reason])]
        yield "refuse", [(f"UPDATE {TABLE} SET kind = 'submit', reason = NULL, words = 'null'", [])]
    else:
        yield "refuse", [(f"UPDATE {TABLE} SET kind = 'refuse', reason = 'not_permitted', words = ''", [])]
    if checks.form is not None and checks.reason is None:
        for wrong in (None, "wrong", -987654321, [], ["wrong"]):
            if checks.form.score(wrong) < 1:
                yield "answer", [(f"UPDATE {TABLE} SET words = ?", [canonical_json(wrong)])]
    for change in changes:
        yield "record", [_undone(change)]
    for table in DOMAIN.tables:
        row = after.conn.execute(f"SELECT * FROM {quoted(table.name)} ORDER BY rowid LIMIT 1").fetchone()
        if row is not None:
            key = tuple(row[table.names.index(name)] for name in table.key)
            if all((change.table.name, change.key) != (table.name, key) for change in changes):
                yield "COLLATERAL", [(f"DELETE FROM {quoted(table.name)} WHERE {by_key(table)}", key)]
                if (altered := _altered(table, row, key)) is not None:
                    yield "COLLATERAL", [altered]


def _undone(change: Change) -> Statement:
    """The statement that takes a change back."""
    table, name = change.table, quoted(change.table.name)
    if change.action == "create":
        return f"DELETE FROM {name} WHERE {by_key(table)}", change.key
    old = change.old or {}
    if change.action == "delete":
        return f"INSERT INTO {name} ({', '.join(map(quoted, old))}) VALUES ({', '.join('?' * len(old))})", list(old.values())
    sets = ", ".join(f"{quoted(column)} = ?" for column in change.columns)
    return f"UPDATE {name} SET {sets} WHERE {by_key(table)}", [*(old[column] for column in change.columns), *change.key]


def _altered(table: Table, row: Sequence[Any], key: Sequence[Any]) -> Statement | None:
    """A statement that changes one word of a record."""
    for column, value in zip(table.columns, row, strict=True):
        if isinstance(column, Choice) and not column.secret:
            other = next(item for item in column.values if item != value)
            return f"UPDATE {quoted(table.name)} SET {quoted(column.name)} = ? WHERE {by_key(table)}", [other, *key]
        if column.sql_type == "TEXT" and not isinstance(column, Key) and isinstance(value, str) and not column.sql_check:
            return f"UPDATE {quoted(table.name)} SET {quoted(column.name)} = ? WHERE {by_key(table)}", [f"{value}.", *key]
    return None
