"""LiveJudge: a judge on the world itself, which reads only the tables that were written."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing
from functools import cached_property
from types import TracebackType
from typing import Any, Self
from weakref import WeakKeyDictionary

from opsgym.core.records.actor import Actor
from opsgym.core.records.diff import Change, counts, differing
from opsgym.core.records.domain import Domain
from opsgym.core.records.judge import Judge
from opsgym.core.records.statements import by_key, select
from opsgym.core.records.table import Table
from opsgym.core.world import Snapshot, World

_Row = tuple[Any, ...]
_Rows = dict[tuple[Any, ...], _Row]

_SEEDED: WeakKeyDictionary[Snapshot, dict[str, _Rows]] = WeakKeyDictionary()
"""Rows of seeded worlds by table and key, read once."""


class LiveJudge(Judge):
    """A judge that opens no copies: much faster, for checks that are known to do nothing but read.

    It says what :class:`~opsgym.core.records.judge.Judge` says.  While it is open, the world cannot be written.

    Args:
        domain: The declarations.
        before: The seeded world.
        world: The world to judge.
        actor: Who was signed in.
    """

    def __init__(self, domain: Domain, before: Snapshot, world: World, actor: Actor) -> None:
        self.domain = domain
        self.actor = actor
        self.conn = world.conn
        self._start = before.now.isoformat(" ")
        self._now = world.now.isoformat(" ")
        self._before = before
        self._world = world

    def __enter__(self) -> Self:
        self._world.written_since(self._before)  # it may set up the watch of writes, which is not possible once reading only
        self.conn.execute("PRAGMA query_only = ON")
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.conn.execute("PRAGMA query_only = OFF")

    @cached_property
    def changes(self) -> tuple[Change, ...]:
        """What the episode changed."""
        return changes_since(self.domain, self._before, self._world)


def changes_since(
    domain: Domain, before: Snapshot, world: World, *, derived: bool = False, tables: Iterable[Table] | None = None
) -> tuple[Change, ...]:
    """What differs in a world from a snapshot; less is read where the world was restored to it and its writes were watched.

    Args:
        domain: The declarations.
        before: The earlier state.
        world: The world.
        derived: Whether changes of nothing but derived values count.
        tables: The tables to compare, by default all.
    """
    written = world.keys_written_since(before)
    tables = [table for table in domain.tables if derived or not table.derived] if tables is None else list(tables)
    if written is not None:
        tables = [table for table in tables if table.name in written]
    seeded = _seeded(before, tables)
    found: list[Change] = []
    for table in tables:
        keys: Any = None if written is None else written[table.name]
        was, now = _some(world, table, keys, seeded) if keys and None not in keys else _all(world, table, seeded)
        if was or now:
            found += [change for change in differing(table, was, now) if derived or counts(change)]
    return tuple(found)


def _some(world: World, table: Table, keys: Iterable[Any], seeded: Mapping[str, _Rows]) -> tuple[list[_Row], list[_Row]]:
    """Rows of these keys that only were, and that only are."""
    was, now = [], []
    sql = f"{select(table)} WHERE {by_key(table)}"
    for key in {key if isinstance(key, tuple) else (key,) for key in keys}:
        old, new = seeded[table.name].get(key), world.conn.execute(sql, key).fetchone()
        if old != new:
            was += [old] if old is not None else []
            now += [new] if new is not None else []
    return was, now


def _all(world: World, table: Table, seeded: Mapping[str, _Rows]) -> tuple[list[_Row], list[_Row]]:
    """All rows that only were, and that only are."""
    old, new = set(seeded[table.name].values()), world.conn.execute(select(table)).fetchall()
    now = [row for row in new if row not in old]
    return list(old.difference(new)) if now or len(new) != len(old) else [], now


def _seeded(snapshot: Snapshot, tables: Iterable[Table]) -> dict[str, _Rows]:
    """Rows of some tables of a seeded world."""
    known = _SEEDED.setdefault(snapshot, {})
    missing = [table for table in tables if table.name not in known]
    if missing:
        with closing(sqlite3.connect(":memory:")) as conn:
            conn.deserialize(snapshot.data)
            for table in missing:
                places = [table.names.index(name) for name in table.key]
                rows = conn.execute(select(table)).fetchall()
                known[table.name] = {tuple(row[place] for place in places): row for row in rows}
    return known
