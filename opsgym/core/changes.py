"""What was written to a database since one looked last, and a digest that is kept up from it.

Temporary triggers tell of every row that a statement, a foreign key or a trigger writes.  They belong to the connection and
are no part of the database's image.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable
from copy import copy
from dataclasses import dataclass
from typing import Any, Self

BITS = 512
"""Width of row hashes."""

MODULUS = 1 << BITS
"""Their sums are taken modulo this."""


@dataclass(frozen=True, slots=True)
class Table:
    """Layout of a table.

    Attributes:
        name: Its name.
        columns: Names of its columns in their order.
        key: Position of its integer primary key, if it has one.
        select: SQL that lists it in a fixed order.
        select_row: SQL for the row of a key; empty without one.
    """

    name: str
    columns: tuple[str, ...]
    key: int | None
    select: str
    select_row: str = ""


def quoted(name: str) -> str:
    """A name as SQL."""
    return '"' + name.replace('"', '""') + '"'


class Changes:
    """Which tables and rows may have changed.

    A statement that is rolled back leaves its marks: more may be marked than has changed, never less.

    Args:
        conn: The connection, outside of transactions; triggers fire for replaced rows too where they are recursive.
        tables: The tables to watch.

    Attributes:
        stamps: A number for each table, greater after every write.
        rows: Table number and key of the rows written since the reader cleared them; the key is ``None`` in tables without one.
    """

    def __init__(self, conn: sqlite3.Connection, tables: Iterable[Table]) -> None:
        watched = tuple(tables)
        self._numbers = {table.name: number for number, table in enumerate(watched)}
        self.stamps = [0] * len(watched)
        self.rows: set[tuple[int, int | None]] = set()
        conn.create_function("_written", 3, self._note)
        conn.executescript("".join(_triggers(number, table) for number, table in enumerate(watched)))

    def stamp(self, tables: Iterable[str]) -> tuple[int, ...]:
        """The stamps of tables by name."""
        return tuple([self.stamps[self._numbers[name]] for name in tables])

    def mark_all(self) -> None:
        """Every table was written in a way that no trigger tells of; the rows must be read anew."""
        self.rows.clear()
        self.stamps[:] = [stamp + 1 for stamp in self.stamps]

    def _note(self, table: int, before: int | None, after: int | None) -> None:
        self.stamps[table] += 1
        self.rows.add((table, after))
        if before != after:
            self.rows.add((table, before))


def _triggers(number: int, table: Table) -> str:
    """The triggers of one table; they give the key before and after."""
    key = None if table.key is None else quoted(table.columns[table.key])
    old, new = ("NULL", "NULL") if key is None else (f"old.{key}", f"new.{key}")
    return "".join(
        f"CREATE TEMP TRIGGER _written_{number}_{event} AFTER {event} ON main.{quoted(table.name)}"
        f" BEGIN SELECT _written({number}, {before}, {after}); END;\n"
        for event, before, after in (("INSERT", new, new), ("UPDATE", old, new), ("DELETE", old, old))
    )


class RowHashes:
    """A hash of every row and their sum: the sum says what there is, whatever the order in which it came.

    The hash of a set is the sum of the hashes of its elements (Bellare and Micciancio 1997, AdHash); a row that changes costs
    two additions.  Tables without an integer primary key are hashed as a whole.

    Args:
        conn: The connection; every row is read.
        tables: The tables.
    """

    def __init__(self, conn: sqlite3.Connection, tables: Iterable[Table]) -> None:
        self._tables = tuple(tables)
        layout = [(table.name, table.columns) for table in self._tables]
        self._head = hashlib.sha256(repr(layout).encode())
        self._heads = [hashlib.blake2b(repr(each).encode(), digest_size=BITS // 8) for each in layout]
        self._total = 0
        self._hashes: list[dict[int | None, int]] = [{} for _ in self._tables]
        for number, table in enumerate(self._tables):
            self._read_table(conn, number, table)

    def copy(self) -> Self:
        """A copy that shares nothing that changes."""
        twin = copy(self)
        twin._hashes = [hashes.copy() for hashes in self._hashes]
        return twin

    def update(self, conn: sqlite3.Connection, rows: Iterable[tuple[int, int | None]]) -> None:
        """Read anew what may have changed; ``rows`` are as in :class:`Changes`."""
        for number, key in rows:
            table = self._tables[number]
            if key is None:
                self._read_table(conn, number, table)
            else:
                row = conn.execute(table.select_row, (key,)).fetchone()
                self._set(number, key, 0 if row is None else self._hash(number, row))

    def digest(self) -> str:
        """SHA-256 of the tables, their columns and the sum."""
        content = self._head.copy()
        content.update(self._total.to_bytes(BITS // 8, "big"))
        return content.hexdigest()

    def _read_table(self, conn: sqlite3.Connection, number: int, table: Table) -> None:
        rows = conn.execute(table.select).fetchall()
        if table.key is None:
            self._set(number, None, sum(self._hash(number, row) for row in rows) % MODULUS)
            return
        for row in rows:
            self._set(number, row[table.key], self._hash(number, row))

    def _hash(self, number: int, row: tuple[Any, ...]) -> int:
        content = self._heads[number].copy()
        content.update(repr(row).encode())
        return int.from_bytes(content.digest(), "big")

    def _set(self, number: int, key: int | None, value: int) -> None:
        """Give a row its hash; 0 where there is none."""
        hashes = self._hashes[number]
        self._total = (self._total - hashes.pop(key, 0) + value) % MODULUS
        if value:
            hashes[key] = value
