"""Counts, sums and averages of records, by the values of a column or at all."""

from __future__ import annotations

from typing import Any

from opsgym.core.records.columns import Choice
from opsgym.core.records.records import Records
from opsgym.core.records.signature import Fields, declared, fields
from opsgym.core.records.table import Table
from opsgym.core.tools import Tool

Rows = list[dict[str, Any]]


def grouping(name: str, summary: str, table: Table, by: str, may: str = "", *, of: str = "", per: str = "", **equal: Any) -> Tool:
    """A tool that counts records by the values of a column, among those whose columns equal what is given.

    Args:
        name: Name of the tool.
        summary: A sentence on it.
        table: The table.
        by: The column; where it is given too, only its value is told.
        may: Columns that may be given.
        of: A column to add up instead.
        per: A column; counts are divided by the number of its different values in the group: an average.
        **equal: Only records with these values.
    """
    search = fields(table, may, required=False, searching=True)
    column = table.column(by)

    def run(records: Records, given: dict[str, Any]) -> Any:
        values = search.values(given)
        every = column.values if isinstance(column, Choice) else ()
        groups: dict[Any, Rows] = {value: [] for value in every if values.get(by, value) == value}
        for row in records.find(table, values | equal):
            if row[by] is not None:
                groups.setdefault(row[by], []).append(row)
        return {str(value): _measured(rows, of, per) for value, rows in groups.items()}

    return declared(name, summary, search.arguments, run)


def _measured(rows: Rows, of: str, per: str) -> Any:
    if of:
        return sum(row[of] or 0 for row in rows)
    if per:
        return len(rows) / max(1, len({row[per] for row in rows}))
    return len(rows)


def averaging(name: str, summary: str, table: Table, of: str, *, need: str = "", may: str = "") -> Tool:
    """A tool that averages a column over the records whose columns equal what is given."""
    needed = fields(table, need, required=True, searching=True)
    other = fields(table, may, required=False, searching=True)
    search = Fields((*needed.arguments, *other.arguments), {**needed.columns, **other.columns})

    def run(records: Records, given: dict[str, Any]) -> Any:
        values = [row[of] for row in records.find(table, search.values(given)) if row[of] is not None]
        return {"average": sum(values) / len(values) if values else None}

    return declared(name, summary, search.arguments, run)
