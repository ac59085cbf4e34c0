"""Numbering: keys and numbers of new records, none of which is given twice, even when the record that had it is gone."""

from __future__ import annotations

from opsgym.core.records import statements
from opsgym.core.records.columns import Column, Key, Serial
from opsgym.core.records.table import Table
from opsgym.core.world import World

TABLE = "_number"
"""The table that holds the greatest numbers of records that are gone; no table of a domain may have its name."""

DDL = f"CREATE TABLE {TABLE} (name TEXT PRIMARY KEY NOT NULL, last INTEGER NOT NULL);"


def is_numbered(column: Column) -> bool:
    """Whether new records get a number in the column."""
    return isinstance(column, Key | Serial) and bool(column.prefix or column.sql_type == "INTEGER")


def following(world: World, table: Table, column: Key | Serial, least: int = 1) -> str | int:
    """The key or number of the next record, not below a least one."""
    gone = world.conn.execute(f"SELECT last FROM {TABLE} WHERE name = ?", (_name(table, column),)).fetchone()
    return column.numbered(max(least, 1 + _greatest(world, table, column), 1 + gone[0] if gone else 0))


def keep(world: World, table: Table) -> None:
    """Keep the greatest numbers of a table in mind, before records are deleted."""
    for column in table.columns:
        if isinstance(column, Key | Serial) and is_numbered(column):
            sql = f"INSERT INTO {TABLE} VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET last = max(last, excluded.last)"
            name = _name(table, column)
            world.write(TABLE, sql, [(name, _greatest(world, table, column))], ((name,),))


def _greatest(world: World, table: Table, column: Key | Serial) -> int:
    found: int = world.conn.execute(statements.last_number(table, column)).fetchone()[0]
    return found


def _name(table: Table, column: Column) -> str:
    return f"{table.name}.{column.name}"
