"""Searches with least and greatest values, besides equal ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opsgym.core.errors import ToolError
from opsgym.core.records.columns import Column, Moment
from opsgym.core.records.records import Records
from opsgym.core.records.signature import Argument, declared, fields
from opsgym.core.records.table import Table
from opsgym.core.records.tools import listing
from opsgym.core.tools import Tool

TIMES = ("created_after", "created_before")


def spanning(name: str, summary: str, table: Table, may: str, *, least: Mapping[str, str], most: Mapping[str, str]) -> Tool:
    """A tool that lists records whose columns equal what is given, and lie within bounds.

    Args:
        name: Name of the tool.
        summary: A sentence on it.
        table: The table.
        may: Columns that may be given.
        least: The column of each argument that is a least value.
        most: The column of each argument that is a greatest value.
    """
    search = fields(table, may, required=False, searching=True)
    bounds = [_bound(table, argument, column, "At least") for argument, column in least.items()]
    bounds += [_bound(table, argument, column, "At most") for argument, column in most.items()]
    times = [Argument(item, str, "Time of creation.", False) for item in TIMES]

    def run(records: Records, given: dict[str, Any]) -> Any:
        low = [(column, _key(table.column(column), given[argument])) for argument, column in least.items() if argument in given]
        high = [(column, _key(table.column(column), given[argument])) for argument, column in most.items() if argument in given]
        rows = records.find(table, search.values(given), after=given.get("created_after"), before=given.get("created_before"))
        return [
            row
            for row in rows
            if all(row[column] is not None and row[column] >= value for column, value in low)
            and all(row[column] is not None and row[column] <= value for column, value in high)
        ]

    return declared(name, summary, (*search.arguments, *bounds, *times), run)


def containing(name: str, summary: str, table: Table, may: str, text: str) -> Tool:
    """A tool that lists records whose columns equal what is given; one column need only contain its text, in any case."""
    search = fields(table, f"{may} {text}", required=False, searching=True)
    exact = listing(name, summary, table, f"{may} {' '.join(TIMES)}")
    times = [Argument(item, str, "Time of creation.", False) for item in TIMES]

    def run(records: Records, given: dict[str, Any]) -> Any:
        wanted = given.pop(text, "").casefold()
        return [row for row in exact.function(records, **given) if wanted in (row[text] or "").casefold()]

    return declared(name, summary, (*search.arguments, *times), run)


def _bound(table: Table, argument: str, column: str, words: str) -> Argument:
    return Argument(argument, table.column(column).filter_annotation, f"{words}; see {column}.", False)


def _key(column: Column, value: Any) -> Any:
    """A bound in the form in which the column is kept.

    Raises:
        ToolError: ``invalid_value`` where it is no such value.
    """
    if problem := column.problem(value):
        raise ToolError("invalid_value", f"{column.name}: {problem}")
    return column.canonical(value) if isinstance(column, Moment) else value
