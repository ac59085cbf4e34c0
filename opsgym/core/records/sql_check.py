"""Checks in SQL over an end state, with the semantics of EnterpriseOps-Gym's database verifiers."""

from __future__ import annotations

import sqlite3
from typing import Any, Literal

from opsgym.core.task import Frozen

Comparison = Literal["equals", "greater_than", "less_than", "contains"]


class SqlCheck(Frozen):
    """A query and the value that it must give.

    A single value is compared as it is, one row of several columns as an object, several rows as a list of rows, no row as the
    empty list.  Comparison is that of Python, without conversion.  Source: EnterpriseOps-Gym, verifier engine.

    Attributes:
        name: Its name, unique within a task.
        query: One SELECT.
        expected: The value to compare with.
        comparison: How; ``"contains"`` looks for the expected text in the value's.
        is_guard: Whether it must hold from the start; other checks must fail before the agent acts.
    """

    name: str
    query: str
    expected: Any
    comparison: Comparison = "equals"
    is_guard: bool = False

    def run(self, conn: sqlite3.Connection) -> tuple[bool, Any]:
        """Whether it passes, and the value found.

        Raises:
            sqlite3.Error: SQLite refuses the query.
        """
        actual = _value(conn.execute(self.query))
        return _compare(actual, self.expected, self.comparison), actual


def _value(cursor: sqlite3.Cursor) -> Any:
    names = [column[0] for column in cursor.description or ()]
    rows = [dict(zip(names, row, strict=True)) if len(names) > 1 else row[0] for row in cursor.fetchall()]
    return rows[0] if len(rows) == 1 else rows


def _compare(actual: Any, expected: Any, comparison: Comparison) -> bool:
    try:
        if comparison == "greater_than":
            return bool(actual > expected)
        if comparison == "less_than":
            return bool(actual < expected)
        if comparison == "contains":
            return str(expected) in str(actual)
        return bool(actual == expected)
    except TypeError:
        return False
