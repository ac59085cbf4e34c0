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
        """The columns that differ, without the time of the last update."""
        old, new = self.old or {}, self.new or {}
        stamp = self.table.stamp("updated")
        return tuple(name for name in self.table.names if old.get(name) != new.get(name) and name != stamp)

    def __str__(self) -> str:
        detail = f" ({', '.join(self.columns)})" if self.action == "update" else ""
        return f"{self.action} {self.table.name} {'/'.join(map(str, self.key))}{detail}"


def changes(conn: sqlite3.Connection, tables: Iterable[Table]) -> tuple[Change, ...]:
    """The changes from the schema ``before`` to the schema ``main``, by table and key.

    Args:
        conn: A connection to which both are attached.
        tables: The tables to compare.
    """
    return tuple(change for table in tables for change in _changed(conn, table))


def _changed(conn: sqlite3.Connection, table: Table) -> list[Change]:
    was, now = _only(conn, table, "before", "main"), _only(conn, table, "main", "before")
    found = []
    for key in sorted({*was, *now}, key=lambda key: tuple(map(str, key))):
        action: Action = "create" if key not in was else "update" if key in now else "delete"
        found.append(Change(table, action, key, was.get(key), now.get(key)))
    return found


def _only(conn: sqlite3.Connection, table: Table, here: str, there: str) -> dict[tuple[Any, ...], dict[str, Any]]:
    """Rows of one schema that the other has not, by key."""
    columns, name = names(table.names), quoted(table.name)
    sql = f"SELECT {columns} FROM {here}.{name} EXCEPT SELECT {columns} FROM {there}.{name}"
    rows = (dict(zip(table.names, row, strict=True)) for row in conn.execute(sql))
    return {tuple(row[part] for part in table.key): row for row in rows}
