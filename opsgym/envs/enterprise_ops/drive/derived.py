"""Writes to what the system keeps by itself: no account needs a right for them, and no rule speaks of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from opsgym.core.records.records import Records


def write(records: Records, table: str, sql: str, *values: Any, key: tuple[Any, ...] | None = None) -> None:
    """Run one statement that writes one table.

    Args:
        records: The session.
        table: The table.
        sql: The statement.
        values: Values for its question marks.
        key: Key of the one row that it writes, where that is known: what is told need not be looked for.
    """
    bound: Sequence[Any] = values
    records.world.write(table, sql, [bound], (key,))
