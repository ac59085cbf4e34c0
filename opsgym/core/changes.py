"""What was written to a database since one looked last, and a digest that is kept up from it.

A world whose writers tell of what they write is watched by counting: SQLite counts the rows that it changes, and as long as
that is as many as were told, nothing else was written.  Once it is not, temporary triggers tell of every row that a
statement, a foreign key or a trigger writes.  They belong to the connection and are no part of the database's image; but each
restored world costs their parsing, and each statement their compilation.

SQLite counts a statement once it is done: one with ``RETURNING`` when its last row was fetched or its cursor was closed.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable, Collection, Iterable, Mapping
from copy import copy
from dataclasses import dataclass
from operator import itemgetter
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


Key = int | tuple[Any, ...] | None
"""Key of a written row: an integer primary key; in other tables the values of the primary key, or ``None`` for any row."""


def quoted(name: str) -> str:
    """A name as SQL."""
    return '"' + name.replace('"', '""') + '"'


class Feed:
    """What was written since its reader looked last.

    Attributes:
        everything: Whether any row may have changed, as in a world that was restored.
        rows: Keys of the rows written, by number of the table; ``None`` in tables without a key, where all may have changed.
    """

    __slots__ = ("_tables", "everything", "rows")

    def __init__(self, tables: tuple[str, ...]) -> None:
        self._tables = tables
        self.everything = True
        self.rows: dict[int, set[Key]] = {}

    def written(self) -> dict[str, set[Key]]:
        """The keys by name of the table."""
        return {self._tables[number]: keys for number, keys in self.rows.items()}

    def clear(self) -> None:
        """The reader has seen it all."""
        self.everything = False
        self.rows.clear()


class Changes:
    """Which tables and rows may have changed.

    A statement that is rolled back leaves its marks: more may be marked than has changed, never less.

    Args:
        conn: The connection, outside of transactions; triggers fire for replaced rows too where they are recursive.
        tables: The tables to watch.

    Attributes:
        has_triggers: Whether triggers tell of the writes, since one was not told.
    """

    def __init__(self, conn: sqlite3.Connection, tables: Iterable[Table]) -> None:
        watched = tuple(tables)
        self._numbers = {table.name: number for number, table in enumerate(watched)}
        self._tables = watched
        self._stamps = [0] * len(watched)
        self._picks: dict[tuple[str, ...], Callable[[Any], tuple[Any, ...]]] = {}
        self._written = [False] * len(watched)
        self._fresh: tuple[set[Key], ...] = tuple([set() for _ in watched])
        self._told: set[int] = set()
        self._since: dict[int, set[Key]] | None = None
        self._feeds: list[Feed] = []
        self._conn = conn
        self._counted = conn.total_changes
        self.has_triggers = False

    def feed(self) -> Feed:
        """A new feed, for one reader; filled by :meth:`collect`."""
        feed = Feed(tuple(self._numbers))
        self._feeds.append(feed)
        return feed

    def tell(self, table: str, keys: Iterable[Key], rows: int, counted: int) -> None:
        """Take up what a statement wrote.

        Args:
            table: The table.
            keys: Keys of the rows that it may have written.
            rows: How many rows it wrote there.
            counted: How many rows SQLite wrote on its behalf, with foreign keys and triggers.
        """
        if rows != counted:
            self.mark_all()
        number = self._numbers[table]
        self._fresh[number].update(keys)
        self._told.add(number)
        self._counted += counted

    def stamp(self, tables: tuple[str, ...]) -> tuple[int, ...]:
        """Numbers of tables by name, each greater than it was after a write, the first one once more."""
        if not tables:
            return ()
        pick = self._picks.get(tables)
        if pick is None:
            numbers = [self._numbers[name] for name in tables]
            pick = self._picks[tables] = itemgetter(*numbers, numbers[0])
        if self.has_triggers:
            if any(pick(self._fresh)):
                self.collect()
        elif self._told or self._conn.total_changes != self._counted:
            self.collect()
        return pick(self._stamps)

    def collect(self) -> None:
        """Hand on to the feeds what was written."""
        if self.has_triggers:
            numbers: Iterable[int] = [number for number, keys in enumerate(self._fresh) if keys]
        else:
            if self._conn.total_changes != self._counted:
                self._watch()
            numbers = self._told
        for number in numbers:
            keys = self._fresh[number]
            if self._since is not None:
                self._since.setdefault(number, set()).update(keys)
            self._stamps[number] += 1
            self._written[number] = True
            for feed in self._feeds:
                known = feed.rows.get(number)
                if known is None:
                    feed.rows[number] = keys.copy()
                else:
                    known |= keys
            keys.clear()
        self._told.clear()

    def _watch(self) -> None:
        """Something was written that nobody told of: from now on triggers tell."""
        self.mark_all()
        for number, keys in enumerate(self._fresh):  # a method written in C: a write does not enter Python
            self._conn.create_function(f"_written_{number}", 1, keys.add)
        self._conn.executescript("".join(_triggers(number, table) for number, table in enumerate(self._tables)))
        self.has_triggers = True  # only now: where something fails or interrupts, the next one starts again

    def prepare(self, conn: sqlite3.Connection) -> None:
        """Have SQLite compile again what reads the rows of the tables that were ever written; a restored world forgot it."""
        for number, table in enumerate(self._tables):
            if table.select_row and self._written[number]:
                conn.execute(table.select_row, (None,)).fetchone()

    def mark_all(self) -> None:
        """Every table was written in a way that nothing tells of; the rows must be read anew."""
        self._stamps = [stamp + 1 for stamp in self._stamps]
        for feed in self._feeds:
            feed.everything = True
        self._since = None

    def restored(self) -> None:
        """The world was restored: rows must be read anew, but from now on it is known which tables differ from the snapshot."""
        self.mark_all()
        self._since = {}

    def written(self) -> dict[str, set[Key]] | None:
        """Tables that may have been written since the world was restored, and the keys that were told.

        Returns:
            Keys by table; ``None`` where something else was written too.
        """
        self.collect()
        return None if self._since is None else {self._tables[number].name: keys for number, keys in self._since.items()}


def _triggers(number: int, table: Table) -> str:
    """The triggers of one table; they give the key, after an update the one before too where it was another."""
    key = None if table.key is None else quoted(table.columns[table.key])
    written = f"_written_{number}"
    old, new = (f"{written}(NULL)",) * 2 if key is None else (f"{written}(old.{key})", f"{written}(new.{key})")
    both = new if key is None else f"{new}, CASE WHEN old.{key} <> new.{key} THEN {old} END"
    create, name = "CREATE TEMP TRIGGER IF NOT EXISTS", quoted(table.name)
    return "".join(
        f"{create} {written}_{event} AFTER {event} ON main.{name} BEGIN SELECT {said}; END;\n"
        for event, said in (("INSERT", new), ("UPDATE", both), ("DELETE", old))
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

    def update(self, conn: sqlite3.Connection, rows: Mapping[int, Collection[Key]]) -> None:
        """Read anew what may have changed; ``rows`` are as in :class:`Changes`."""
        for number, keys in rows.items():
            table, known = self._tables[number], self._hashes[number]
            if table.key is None or None in keys:
                self._read_table(conn, number, table)
            for key in keys if table.key is not None else ():
                if not isinstance(key, int):
                    continue
                row = conn.execute(table.select_row, (key,)).fetchone()
                value = 0 if row is None else self._hash(number, row)
                self._set(known, key, value)

    def digest(self) -> str:
        """SHA-256 of the tables, their columns and the sum."""
        content = self._head.copy()
        content.update(self._total.to_bytes(BITS // 8, "big"))
        return content.hexdigest()

    def _read_table(self, conn: sqlite3.Connection, number: int, table: Table) -> None:
        rows, known = conn.execute(table.select).fetchall(), self._hashes[number]
        if table.key is None:
            self._set(known, None, sum(self._hash(number, row) for row in rows) % MODULUS)
            return
        for row in rows:
            self._set(known, row[table.key], self._hash(number, row))

    def _hash(self, number: int, row: tuple[Any, ...]) -> int:
        content = self._heads[number].copy()
        content.update(repr(row).encode())
        return int.from_bytes(content.digest(), "big")

    def _set(self, known: dict[int | None, int], key: int | None, value: int) -> None:
        """Give a row its hash; 0 where there is none."""
        self._total = (self._total - known.pop(key, 0) + value) % MODULUS
        if value:
            known[key] = value
