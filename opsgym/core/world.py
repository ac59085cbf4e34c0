"""World: the state that an agent changes, as an SQLite database in memory with a virtual clock.

Any family describes its records in DDL and gets transactions, snapshots, forks and a content digest.  Nothing
here reads the wall clock: the date and the time of day are rows of the database and move by :meth:`World.advance`.
A family that has no records may bring a world of its own: :class:`WorldLike` is all that an environment asks of one.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Protocol, Self
from weakref import WeakKeyDictionary, ref

from opsgym.core.changes import Changes, Feed, Key, RowHashes, Table, quoted
from opsgym.core.errors import OpsGymError, RegistryError, TaskError

CLOCK = "_clock"
"""Name of the table that holds the virtual clock; no table of a family may have it."""

OPENING = dt.time(8)
"""Time of day at which a new world starts."""

_CLOCK_DDL = f"CREATE TABLE {CLOCK} (id INTEGER PRIMARY KEY CHECK (id = 1), now TEXT NOT NULL) STRICT;"
_TABLE_NAMES = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY name"
_MAGIC = b"SQLite format 3\0"
_PAGE_SIZE = 1024  # bytes; worlds have many tables of few rows, and small pages keep snapshots small
_CACHED_STATEMENTS = 1024
_LARGE = 1 << 20  # bytes; copying such an image page by page takes longer than setting up a new connection


class SnapshotLike(Protocol):
    """A world's whole state at one moment: immutable and picklable."""

    @property
    def schema(self) -> str:
        """Names the kind of world; a world restores snapshots of its own schema only."""

    def open(self) -> WorldLike:
        """A new world in this state."""


class WorldLike(Protocol):
    """What an environment asks of a world; :class:`World` is one, a family may have another."""

    @property
    def schema(self) -> str:
        """Names the kind of world."""

    def snapshot(self) -> SnapshotLike:
        """The whole state, detached from this world."""

    def restore(self, snapshot: Any) -> None:
        """Return to the state of a snapshot of the same schema."""

    def fork(self) -> Self:
        """An independent copy."""

    def savepoint(self) -> AbstractContextManager[object]:
        """A context in which everything is undone when an exception leaves it; contexts nest."""

    def digest(self) -> str:
        """Hash of the content, whatever the way in which it came about."""

    def check(self) -> list[str]:
        """What is wrong with the state, one sentence each; empty when it is sound."""

    def close(self) -> None:
        """Free the memory; the world cannot be used afterwards."""


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Snapshot:
    """A world's whole state, for :meth:`World.restore`; picklable and immutable.

    Attributes:
        schema: Hash of the DDL; a world restores snapshots of its own schema only.
        data: Image of the database.
        now: The virtual clock.
    """

    schema: str
    data: bytes = field(repr=False)
    now: dt.datetime

    @property
    def is_large(self) -> bool:
        """Whether it is quicker to open a new world than to restore one."""
        return len(self.data) > _LARGE

    def open(self) -> World:
        """A new world in this state; see :meth:`World.from_snapshot`."""
        return World.from_snapshot(self)


_HASHES: WeakKeyDictionary[Snapshot, RowHashes] = WeakKeyDictionary()
"""Hashes of the rows of snapshots that worlds were restored to."""


class World:
    """A small relational world with savepoints, snapshots and a virtual clock.

    The tables are those of the DDL.  Foreign keys are enforced, triggers are recursive.  Statements run in autocommit mode;
    group them with :meth:`savepoint`.

    Args:
        ddl: SQL that creates the tables, and may fill them.
        today: Day on which the virtual clock starts, at :data:`OPENING`.

    Raises:
        TaskError: SQLite refuses the DDL.

    Attributes:
        conn: The connection, for SQL that the methods below do not cover.
        schema: Hash of the DDL.

    Example:
        >>> world = World("CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT)", today=dt.date(2026, 5, 4))
        >>> before = world.snapshot()
        >>> _ = world.execute("INSERT INTO item (name) VALUES (?)", ("bolt",))
        >>> world.rows("item")
        {1: (1, 'bolt')}
        >>> world.restore(before)
        >>> world.rows("item")
        {}
    """

    def __init__(self, ddl: str, *, today: dt.date) -> None:
        self._open(hashlib.sha256(ddl.encode()).hexdigest())
        try:
            self.conn.executescript(_CLOCK_DDL + ddl)
        except sqlite3.Error as error:
            self.close()
            raise TaskError(f"expected SQL that creates the world's tables; SQLite says: {error}", field="ddl") from error
        self.execute(f"INSERT INTO {CLOCK} VALUES (1, ?)", (dt.datetime.combine(today, OPENING).isoformat(" "),))

    def _open(self, schema: str) -> None:
        self.schema = schema
        self.conn = sqlite3.connect(
            ":memory:", isolation_level=None, cached_statements=_CACHED_STATEMENTS, check_same_thread=False
        )
        self.conn.execute(f"PRAGMA page_size = {_PAGE_SIZE}")
        self.conn.execute("PRAGMA foreign_keys = ON")
        self.conn.execute("PRAGMA recursive_triggers = ON")  # else nothing tells of rows that REPLACE removes
        self._depth = 0
        self._restored = 0
        self._layout: dict[str, Table] | None = None
        self._changes: Changes | None = None
        self._feed: Feed | None = None
        self._hashes: RowHashes | None = None
        self._asked = False
        self._origin: tuple[ref[Snapshot], tuple[int, int]] | None = None
        self._restored_to: ref[Snapshot] | None = None

    def __repr__(self) -> str:
        try:
            return f"World(tables={len(self.tables())}, now='{self.now}')"
        except OpsGymError:
            return "World(closed)"

    # -- statements ---------------------------------------------------------------------------------------

    def execute(self, sql: str, params: Sequence[Any] = ()) -> sqlite3.Cursor:
        """Run one statement and return its cursor.

        Raises:
            sqlite3.Error: SQLite refuses it; the state is as before.
        """
        return self.conn.execute(sql, params)

    def executemany(self, sql: str, params: Iterable[Sequence[Any]]) -> sqlite3.Cursor:
        """Run one statement for each row of parameters, all or none."""
        with self.savepoint():
            return self.conn.executemany(sql, params)

    def write(self, table: str, sql: str, rows: Sequence[Sequence[Any]], keys: Iterable[Key]) -> None:
        """Run one statement that writes one table for each row of parameters, and note what it wrote.

        It does what statements do in any case; but a world whose writes all come this way is watched for less, see
        :mod:`opsgym.core.changes`.

        Args:
            table: The table.
            sql: The statement; no ``REPLACE``, since SQLite does not count the rows that it removes.
            rows: The parameters.
            keys: Keys of the rows that it may write; in a table without an integer primary key the values of the key as a tuple,
                or ``None``, for any row.

        Raises:
            sqlite3.Error: SQLite refuses it; rows before the one refused may be written.
        """
        changes, conn = self._changes, self.conn
        if changes is None:
            conn.executemany(sql, rows)
            return
        before = conn.total_changes
        written = conn.executemany(sql, rows).rowcount
        changes.tell(table, keys, written, conn.total_changes - before)

    def insert(self, table: str, sql: str, row: Sequence[Any]) -> int:
        """Run one statement that inserts one row, note it as :meth:`write` does, and return its key."""
        changes, conn = self._changes, self.conn
        if changes is None:
            return conn.execute(sql, row).lastrowid or 0
        before = conn.total_changes
        key = conn.execute(sql, row).lastrowid or 0
        changes.tell(table, (key,), 1, conn.total_changes - before)
        return key

    def alter(self, table: str, sql: str, params: Sequence[Any] = ()) -> list[int]:
        """Run one statement that writes rows of one table, note it as :meth:`write` does, and return their keys.

        Args:
            table: The table, with an integer primary key ``id``.
            sql: The statement, without ``RETURNING``; it is added.  It changes no keys.
            params: The parameters.
        """
        changes, conn = self._changes, self.conn
        before = conn.total_changes
        keys = [key for (key,) in conn.execute(f"{sql} RETURNING id", params).fetchall()]
        if changes is not None:
            changes.tell(table, keys, len(keys), conn.total_changes - before)
        return keys

    def savepoint(self) -> Savepoint:
        """A context in which everything is undone when an exception leaves it; contexts nest."""
        return Savepoint(self)

    # -- the virtual clock --------------------------------------------------------------------------------

    @property
    def now(self) -> dt.datetime:
        """The virtual date and time, without time zone."""
        return dt.datetime.fromisoformat(self._query(f"SELECT now FROM {CLOCK}")[0][0])

    @property
    def today(self) -> dt.date:
        """The virtual date."""
        return self.now.date()

    def advance(self, *, days: int = 0, minutes: int = 0) -> dt.datetime:
        """Move the clock forward and return the new time.

        Raises:
            OpsGymError: The step is negative.
        """
        if days < 0 or minutes < 0:
            raise OpsGymError(f"the clock only moves forward, got days={days}, minutes={minutes}")
        later = self.now + dt.timedelta(days=days, minutes=minutes)
        self.write(CLOCK, f"UPDATE {CLOCK} SET now = ?", [(later.isoformat(" "),)], (1,))
        return later

    # -- copies -------------------------------------------------------------------------------------------

    def snapshot(self) -> Snapshot:
        """The whole state, detached from this world."""
        self._outside_savepoint("snapshot")
        snapshot = Snapshot(self.schema, self.conn.serialize(), self.now)
        if not self._in_transaction():  # else what the image holds may be rolled back, which counts as no change
            self._origin = ref(snapshot), self.version
        return snapshot

    def restore(self, snapshot: Snapshot) -> None:
        """Return to the state of a snapshot, of this world or of another one with the same schema.

        Raises:
            OpsGymError: Called inside a savepoint, or while a cursor with unread rows is alive.
            TaskError: The snapshot is no database or of another schema.
        """
        self._outside_savepoint("restore")
        if snapshot.schema != self.schema:
            raise TaskError("the snapshot was taken of a world with another schema", field="snapshot")
        # Loading the image into this connection would be faster, but SQLite (seen in 3.40) then crashes on statements
        # and virtual tables that remember the old schema; the backup interface tells them.
        if not snapshot.data.startswith(_MAGIC):
            raise TaskError("the snapshot's data is no database", field="snapshot")
        source = sqlite3.connect(":memory:", isolation_level=None)
        try:
            source.deserialize(snapshot.data)
            source.backup(self.conn)
        except sqlite3.OperationalError as error:
            raise OpsGymError(f"cannot restore while a cursor has unread rows; fetch them or close it ({error})") from error
        finally:
            source.close()
        self._came_from(snapshot)
        if self._changes is not None:
            self._changes.restored()

    def _came_from(self, snapshot: Snapshot) -> None:
        self._restored += 1
        self._hashes = None
        self._restored_to = ref(snapshot)
        self._origin = self._restored_to, self.version

    @classmethod
    def from_snapshot(cls, snapshot: Snapshot) -> Self:
        """A new world in the state of a snapshot.

        Raises:
            TaskError: The snapshot is no database.
        """
        world = object.__new__(cls)
        world._open(snapshot.schema)
        if snapshot.is_large and snapshot.data.startswith(_MAGIC):
            world.conn.deserialize(snapshot.data)  # safe here: this connection has no statements that remember another schema
            world._came_from(snapshot)
        else:
            world.restore(snapshot)
        return world

    @property
    def version(self) -> tuple[int, int]:
        """Differs from what it was whenever the content may have changed since; for caches of what was read.

        A roll-back does not show: what is read inside a savepoint must not be kept under it.
        """
        return self._restored, self.conn.total_changes

    @property
    def origin(self) -> Snapshot | None:
        """The snapshot that was taken of the world or that it was restored to, while nothing has changed since."""
        return self._origin[0]() if self._origin is not None and self._origin[1] == self.version else None

    def fork(self) -> Self:
        """An independent copy of this world."""
        return self.from_snapshot(self.snapshot())

    def _outside_savepoint(self, verb: str) -> None:
        if self._depth:
            raise OpsGymError(f"{verb} is not possible inside a savepoint")

    # -- reading ------------------------------------------------------------------------------------------

    def tables(self) -> tuple[str, ...]:
        """Names of the family's tables, sorted."""
        return tuple(name for name in self._tables() if name != CLOCK)

    def columns(self, table: str) -> tuple[str, ...]:
        """Names of a table's columns, in their order."""
        return self._table(table).columns

    def rows(self, table: str) -> dict[int, tuple[Any, ...]]:
        """All rows of a table, by primary key and in its order.

        Rows of a table without an integer primary key are numbered from 0 in the order of their values.
        """
        layout = self._table(table)
        rows = self._query(layout.select)
        if layout.key is None:
            return dict(enumerate(rows))
        return {row[layout.key]: row for row in rows}

    def digest(self) -> str:
        """SHA-256 of the content: tables, columns, rows and clock, whatever the order in which they were written.

        From the second one on, writes are watched, and only the rows that may have changed are read again.
        """
        tables = tuple(self._tables().values())
        if self._in_transaction():  # what may be rolled back must not be kept
            return RowHashes(self.conn, tables).digest()
        if self._changes is None:
            if not self._asked:
                self._asked = True
                return self._read_hashes(tables).digest()
            self._changes = Changes(self.conn, tables)
        if self._feed is None:
            self._feed = self._changes.feed()
        self._changes.collect()
        if self._hashes is None or self._feed.everything:
            self._hashes = self._read_hashes(tables)
            self._changes.prepare(self.conn)
        else:
            self._hashes.update(self.conn, self._feed.rows)
        self._feed.clear()
        return self._hashes.digest()

    def stamp(self, *tables: str) -> tuple[int, ...] | None:
        """Differs from what it was whenever rows of these tables may have changed since; ``None`` inside a savepoint.

        Finer than :attr:`version`; the first one has writes watched from then on.

        Raises:
            RegistryError: There is no such table.
        """
        if self._in_transaction():
            return None
        if self._changes is None:
            self._changes = Changes(self.conn, self._tables().values())
        try:
            return self._changes.stamp(tables)
        except KeyError as error:
            raise RegistryError("table", error.args[0], self.tables()) from error

    def feed(self) -> Feed:
        """A feed of what is written from now on; :meth:`pull` fills it. It has writes watched."""
        if self._changes is None:
            self._changes = Changes(self.conn, self._tables().values())
        return self._changes.feed()

    def written_since(self, snapshot: Snapshot | None) -> frozenset[str] | None:
        """Names of the tables that may differ from a snapshot, which the world was restored to last.

        Returns:
            The names; ``None`` where that is not known: it was restored to another one, or its writes were not watched all the
            time, or not all were told; and inside a savepoint.
        """
        restored_to = None if self._restored_to is None else self._restored_to()
        if snapshot is None or restored_to is not snapshot or self._changes is None or self._in_transaction():
            return None
        found = self._changes.written()
        return None if found is None else frozenset(found)

    def keys_written_since(self, snapshot: Snapshot | None) -> dict[str, set[Key]] | None:
        """Like :meth:`written_since`, with the keys of the rows; ``None`` among them stands for any row."""
        known = self.written_since(snapshot) is not None and self._changes is not None
        return self._changes.written() if known and self._changes is not None else None

    def pull(self) -> bool:
        """Fill the feeds; whether it could be done: not inside a savepoint, where what was written may be undone."""
        if self._changes is None or self._in_transaction():
            return False
        self._changes.collect()
        return True

    @property
    def is_watched(self) -> bool:
        """Whether writes are watched."""
        return self._changes is not None

    def _read_hashes(self, tables: tuple[Table, ...]) -> RowHashes:
        """The hashes of the present rows, looked up where nothing has changed since a snapshot."""
        snapshot = self.origin
        if snapshot is None:
            return RowHashes(self.conn, tables)
        known = _HASHES.get(snapshot)
        if known is None:
            known = _HASHES[snapshot] = RowHashes(self.conn, tables)
        return known.copy()

    def _in_transaction(self) -> bool:
        try:
            return self.conn.in_transaction
        except sqlite3.ProgrammingError as error:
            raise OpsGymError(f"the world cannot be read: {error}") from error

    def check(self) -> list[str]:
        """Violated invariants of the database (integrity, CHECKs, foreign keys), one sentence each; empty when sound."""
        faults = [row[0] for row in self._query("PRAGMA integrity_check") if row[0] != "ok"]
        for table, row, parent, _ in self._query("PRAGMA foreign_key_check"):
            faults.append(f"row {row} of {table} refers to a missing row of {parent}")
        return faults

    def close(self) -> None:
        """Free the memory; the world cannot be used afterwards."""
        self.conn.close()

    def _query(self, sql: str) -> list[tuple[Any, ...]]:
        try:
            return self.conn.execute(sql).fetchall()
        except sqlite3.ProgrammingError as error:
            raise OpsGymError(f"the world cannot be read: {error}") from error

    def _table(self, name: str) -> Table:
        found = self._tables().get(name)
        if found is None:
            raise RegistryError("table", name, self.tables())
        return found

    def _tables(self) -> dict[str, Table]:
        if self._layout is None:
            self._layout = {name: self._inspect(name) for (name,) in self._query(_TABLE_NAMES)}
        return self._layout

    def _inspect(self, name: str) -> Table:
        info = self._query(f"PRAGMA table_info({quoted(name)})")
        columns = tuple(row[1] for row in info)
        keys = [position for position, row in enumerate(info) if row[5]]
        key = keys[0] if len(keys) == 1 and info[keys[0]][2].upper() == "INTEGER" else None
        order = [columns[key]] if key is not None else columns
        select = f"SELECT {', '.join(map(quoted, columns))} FROM {quoted(name)}"
        row = "" if key is None else f"{select} WHERE {quoted(columns[key])} = ?"
        return Table(name, columns, key, f"{select} ORDER BY {', '.join(map(quoted, order))}", row)


class Savepoint:
    """Context manager of :meth:`World.savepoint`."""

    __slots__ = ("_conn", "_name", "_world")

    def __init__(self, world: World) -> None:
        self._world = world
        self._conn = world.conn

    def __enter__(self) -> None:
        self._name = f"s{self._world._depth}"
        self._conn.execute(f"SAVEPOINT {self._name}")
        self._world._depth += 1

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._world._depth -= 1
        if kind is None:
            try:
                self._conn.execute(f"RELEASE {self._name}")
                return
            except sqlite3.IntegrityError:  # a deferred foreign key is violated: the savepoint is still open
                self._rollback()
                raise
        self._rollback()

    def _rollback(self) -> None:
        self._conn.execute(f"ROLLBACK TO {self._name}")
        self._conn.execute(f"RELEASE {self._name}")
