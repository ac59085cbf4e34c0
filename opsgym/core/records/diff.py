"""What differs between two states of a world, record by record."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from opsgym.core.changes import quoted
from opsgym.core.records.rules import Action
from opsgym.core.records.statements import names
from opsgym.core.records.table import Table


@dataclass(frozen=True)
class Change:
    """One record that was created, updated or deleted.

    Attributes:
        table: Its table.
        action: What became of it.
        key: Its key.
        old: The row as it was; ``None`` for a created one.
        new: The row as it is; ``None`` for a deleted one.
    """

    table: Table
    action: Action
    key: tuple[Any, ...]
    old: dict[str, Any] | None
    new: dict[str, Any] | None

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that differ, without the time of the last update and what is derived."""
        old, new = self.old or {}, self.new or {}
        stamp = self.table.stamp("updated")
        kept = {name for name, column in self.table.by_name.items() if name != stamp and not column.derived}
        return tuple(name for name in self.table.names if name in kept and old.get(name) != new.get(name))

    def __str__(self) -> str:
        detail = f" ({', '.join(self.columns)})" if self.action == "update" else ""
        return f"{self.action} {self.table.name} {'/'.join(map(str, self.key))}{detail}"


def changes(conn: sqlite3.Connection, tables: Iterable[Table], *, derived: bool = False) -> tuple[Change, ...]:
    """The changes from the schema ``before`` to the schema ``main``, by table and key.

    Args:
        conn: A connection to which both are attached.
        tables: The tables to compare.
        derived: Whether changes of nothing but derived values count.
    """
    return tuple(
        change
        for table in tables
        if derived or not table.derived
        for change in _changed(conn, table)
        if derived or counts(change)
    )


def counts(change: Change) -> bool:
    """Whether more than derived values differ."""
    return change.action != "update" or bool(change.columns) or not any(column.derived for column in change.table.columns)


def _changed(conn: sqlite3.Connection, table: Table) -> list[Change]:
    return differing(table, _only(conn, table, "before", "main"), _only(conn, table, "main", "before"))


def differing(table: Table, was: Iterable[tuple[Any, ...]], now: Iterable[tuple[Any, ...]]) -> list[Change]:
    """The changes from rows that only were to rows that only are, in the order of their keys."""
    old, new = _by_key(table, was), _by_key(table, now)
    found = []
    for key in sorted({*old, *new}, key=lambda key: tuple(map(str, key))):
        action: Action = "create" if key not in old else "update" if key in new else "delete"
        found.append(Change(table, action, key, old.get(key), new.get(key)))
    return found


def _by_key(table: Table, rows: Iterable[tuple[Any, ...]]) -> dict[tuple[Any, ...], dict[str, Any]]:
    named = (dict(zip(table.names, row, strict=True)) for row in rows)
    return {tuple(row[part] for part in table.key): row for row in named}


def _only(conn: sqlite3.Connection, table: Table, here: str, there: str) -> list[tuple[Any, ...]]:
    """Rows of one schema that the other has not."""
    columns, name = names(table.names), quoted(table.name)
    return conn.execute(f"SELECT {columns} FROM {here}.{name} EXCEPT SELECT {columns} FROM {there}.{name}").fetchall()
