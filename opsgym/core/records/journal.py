"""Journal: breaches by single steps that an end state may not show, noted where tools do not refuse them."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any

from opsgym.core.records.rules import Rule
from opsgym.core.records.table import Table
from opsgym.core.world import World

TABLE = "_breach"
"""The table that holds them; no table of a domain may have its name."""

DDL = f"CREATE TABLE {TABLE} (id INTEGER PRIMARY KEY, rule TEXT NOT NULL, record TEXT NOT NULL);"


def note(world: World, rule: Rule, table: Table, key: Sequence[Any]) -> None:
    """Note that a write of a record broke a rule."""
    record = f"{table.name} {'/'.join(map(str, key))}"
    world.insert(TABLE, f"INSERT INTO {TABLE} (rule, record) VALUES (?, ?)", (rule.id, record))


def noted(conn: sqlite3.Connection) -> dict[str, list[str]]:
    """By id of a rule, the records of which a write broke it, in the order of the writes."""
    found: dict[str, list[str]] = {}
    for rule, record in conn.execute(f"SELECT rule, record FROM {TABLE} ORDER BY id").fetchall():
        found.setdefault(rule, []).append(record)
    return found
