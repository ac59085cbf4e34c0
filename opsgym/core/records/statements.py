"""The SQL with which records of a table are read and written; made once a table."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from opsgym.core.changes import quoted
from opsgym.core.records.columns import Key, Serial
from opsgym.core.records.table import Table


def names(columns: Iterable[str]) -> str:
    """Names in a row, as SQL."""
    return ", ".join(map(quoted, columns))


@cache
def select(table: Table) -> str:
    """All columns of a table; a condition may follow."""
    return f"SELECT {names(table.names)} FROM {quoted(table.name)}"


@cache
def insert(table: Table) -> str:
    """Insert one row, values in the order of the columns."""
    marks = ", ".join("?" * len(table.names))
    return f"INSERT INTO {quoted(table.name)} ({names(table.names)}) VALUES ({marks})"


def update(table: Table, columns: Iterable[str]) -> str:
    """Set these columns of the row of a key."""
    changed = ", ".join(f"{quoted(name)} = ?" for name in columns)
    return f"UPDATE {quoted(table.name)} SET {changed} WHERE {by_key(table)}"


def delete(table: Table) -> str:
    """Delete the row of a key."""
    return f"DELETE FROM {quoted(table.name)} WHERE {by_key(table)}"


def by_key(table: Table) -> str:
    """The condition for the row of a key."""
    return equal(table.key)


def equal(columns: Iterable[str]) -> str:
    """The condition that columns equal what is bound."""
    return " AND ".join(f"{quoted(name)} = ?" for name in columns)


@cache
def last_number(table: Table, column: Key | Serial) -> str:
    """The greatest number among keys or serials with the column's prefix."""
    if isinstance(column, Key) and column.whole:
        return f"SELECT coalesce(max({quoted(column.name)}), 0) FROM {quoted(table.name)}"
    start = len(column.prefix) + (2 if isinstance(column, Key) else 1)
    pattern = column.prefix + ("_" if isinstance(column, Key) else "")
    name = quoted(column.name)
    return (
        f"SELECT coalesce(max(CAST(substr({name}, {start}) AS INTEGER)), 0) FROM {quoted(table.name)} "
        f"WHERE substr({name}, 1, {start - 1}) = '{pattern}'"
    )
