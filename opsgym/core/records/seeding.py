"""Seeding: a world of a domain from rows."""

from __future__ import annotations

import datetime as dt
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from opsgym.core.changes import quoted
from opsgym.core.errors import RegistryError, TaskError
from opsgym.core.records import journal, numbering, outcome
from opsgym.core.records.domain import Domain
from opsgym.core.records.statements import names
from opsgym.core.world import World

Rows = Mapping[str, Sequence[Mapping[str, Any]]]
"""Rows by table, each by column."""


def seeded(domain: Domain, rows: Rows, *, today: dt.date) -> World:
    """A fresh world with these rows, which may refer to each other in any order.

    Args:
        domain: The declarations.
        rows: Rows by table; columns that are not named are empty.
        today: Day on which the virtual clock starts.

    Raises:
        TaskError: The database refuses a row, or a table or column does not exist.
    """
    world = World(outcome.DDL + journal.DDL + numbering.DDL + domain.ddl, today=today)
    try:
        with world.savepoint():
            world.execute("PRAGMA defer_foreign_keys = ON")
            for name, listed in rows.items():
                _insert(domain, world, name, listed)
    except (sqlite3.Error, RegistryError) as error:
        world.close()
        raise TaskError(f"the rows do not fit the tables of {domain.name}: {error}", field="world") from error
    return world


def _insert(domain: Domain, world: World, name: str, rows: Iterable[Mapping[str, Any]]) -> None:
    table = domain.table(name)
    for row in rows:
        for column in row:
            table.column(column)
        marks = ", ".join("?" * len(row))
        world.execute(f"INSERT INTO {quoted(name)} ({names(row)}) VALUES ({marks})", list(row.values()))


def seeded_by_sql(domain: Domain, script: str, *, today: dt.date) -> World:
    """A fresh world from a dump of ``INSERT`` statements, such as the published seeds.

    Trust the script as you trust code: it can run any SQL.

    Raises:
        TaskError: The database refuses the script.
    """
    world = World(outcome.DDL + journal.DDL + numbering.DDL + domain.ddl, today=today)
    try:
        world.conn.executescript(f"BEGIN; PRAGMA defer_foreign_keys = ON;\n{script}\n;COMMIT;")
    except sqlite3.Error as error:
        world.close()
        raise TaskError(f"the script does not fit the tables of {domain.name}: {error}", field="world") from error
    return world
