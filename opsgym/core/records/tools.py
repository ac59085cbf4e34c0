"""Regular tools, declared: search, read, create (and link), update, remove, count and aggregate the records of a table.

Each maker takes the published name, a summary, the table, and the names of the arguments as in
:func:`~opsgym.core.records.signature.fields`.  Searches understand ``created_after`` and ``created_before`` too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

from opsgym.core.errors import ToolError
from opsgym.core.records.columns import Choice, Column
from opsgym.core.records.records import Records
from opsgym.core.records.signature import Argument, Fields, declared, fields
from opsgym.core.records.table import Table
from opsgym.core.tools import Tool

Kinds = Mapping[str, Column]
Defaults = Mapping[str, Any]
Fill = Callable[[Records, dict[str, Any]], dict[str, Any]]
Measure = Literal["count", "sum", "avg"]

_TIMES = {
    "created_after": "Only records created at or after this time.",
    "created_before": "Only records created at or before this time.",
}


def listing(
    name: str,
    summary: str,
    table: Table,
    may: str = "",
    *,
    need: str = "",
    kinds: Kinds | None = None,
    defaults: Defaults | None = None,
) -> Tool:
    """A tool that lists the records whose columns equal every argument given."""
    search = _search(table, need, may, kinds, defaults)

    def run(records: Records, given: dict[str, Any]) -> Any:
        return records.find(table, search.values(given), **_times(given))

    return declared(name, summary, search.arguments, run)


def getting(name: str, summary: str, table: Table, need: str, *, shown: bool = False, kinds: Kinds | None = None) -> Tool:
    """A tool that reads the one record whose columns equal all arguments; their limits are ``shown`` or not."""
    search = _search(table, need, "", kinds, None, shown=shown)

    def run(records: Records, given: dict[str, Any]) -> Any:
        return records.get(table, search.values(given))

    return declared(name, summary, search.arguments, run)


def creating(
    name: str,
    summary: str,
    table: Table,
    need: str,
    may: str = "",
    *,
    kinds: Kinds | None = None,
    defaults: Defaults | None = None,
    fill: Fill | None = None,
) -> Tool:
    """A tool that creates a record; links are records too.

    Args:
        name: Name of the tool.
        summary: A sentence on it.
        table: The table.
        need: Columns that must be given.
        may: Columns that may be given.
        kinds: Kinds for arguments that differ from their column's.
        defaults: What stands for arguments that are not given.
        fill: Gives values for columns that were not, from those that were.
    """
    form = _form(table, need, may, kinds, defaults)

    def run(records: Records, given: dict[str, Any]) -> Any:
        values = form.values(given)
        return records.create(table, fill(records, values) | values if fill else values)

    return declared(name, summary, form.arguments, run, mutates=True)


def updating(
    name: str,
    summary: str,
    table: Table,
    by: str,
    may: str,
    *,
    need: str = "",
    either: bool = False,
    kinds: Kinds | None = None,
    defaults: Defaults | None = None,
) -> Tool:
    """A tool that changes one record.

    Args:
        name: Name of the tool.
        summary: A sentence on it.
        table: The table.
        by: Arguments that tell the record.
        may: Columns that it may change.
        need: Columns that must be given.
        either: Whether one of those in ``by`` is enough.
        kinds: Kinds for arguments that differ from their column's.
        defaults: What stands for arguments that are not given.
    """
    who = fields(table, by, required=not either, searching=True, kinds=kinds)
    form = _form(table, need, may, kinds, defaults)

    def run(records: Records, given: dict[str, Any]) -> Any:
        return records.update(table, _some(who, given), form.values(given))

    return declared(name, summary, (*who.arguments, *form.arguments), run, mutates=True)


def removing(name: str, summary: str, table: Table, may: str = "", *, need: str = "", kinds: Kinds | None = None) -> Tool:
    """A tool that deletes the records whose columns equal every argument given, of which there must be one."""
    search = _search(table, need, may, kinds, None)

    def run(records: Records, given: dict[str, Any]) -> Any:
        if not given:
            raise ToolError("missing_field", f"expected at least one of {', '.join(item.name for item in search.arguments)}")
        return {"deleted": records.delete(table, search.values(given), **_times(given))}

    return declared(name, summary, search.arguments, run, mutates=True)


def counting(name: str, summary: str, table: Table, need: str, may: str = "", *, kinds: Kinds | None = None) -> Tool:
    """A tool that counts the records whose columns equal every argument given."""
    search = _search(table, need, may, kinds, None)

    def run(records: Records, given: dict[str, Any]) -> Any:
        return {"count": len(records.find(table, search.values(given), **_times(given)))}

    return declared(name, summary, search.arguments, run)


def aggregating(
    name: str,
    summary: str,
    table: Table,
    argument: str,
    *,
    measure: Measure = "count",
    of: str = "",
    equal: Mapping[str, Any] | None = None,
    kinds: Kinds | None = None,
    default: list[str] | None = None,
) -> Tool:
    """A tool that counts records by the values of a column, or adds up or averages another column.

    Args:
        name: Name of the tool.
        summary: A sentence on it.
        table: The table.
        argument: The argument that lists the values to give, as ``argument=column``; by default all values are given.
        measure: ``"count"``, ``"sum"`` or ``"avg"``.
        of: The column that is added up.
        equal: Only records with these values.
        kinds: Kind of the argument's items where it differs from the column's.
        default: What stands for the argument when it is not given.
    """
    group = fields(table, argument, required=False, searching=True, kinds=kinds)
    (asked,) = group.arguments
    column = table.column(group.columns[asked.name])
    listed = Argument(asked.name, list[asked.annotation], f"Values of {column.name} to give; all by default.", False, default)  # type: ignore[name-defined]  # made at run time

    def run(records: Records, given: dict[str, Any]) -> Any:
        groups: dict[Any, list[Any]] = {value: [] for value in given.get(asked.name) or _all(column)}
        for row in records.find(table, equal or {}):
            if row[column.name] in groups or not given.get(asked.name):
                groups.setdefault(row[column.name], []).append(row[of] if of else 1)
        return {str(value): _measured(measure, found) for value, found in groups.items()}

    return declared(name, summary, (listed,), run)


def _all(column: Column) -> tuple[str, ...]:
    return column.values if isinstance(column, Choice) else ()


def _measured(measure: Measure, values: list[Any]) -> Any:
    if measure == "avg":
        return sum(values) / len(values) if values else None
    return sum(values)


def _search(table: Table, need: str, may: str, kinds: Kinds | None, defaults: Defaults | None, *, shown: bool = False) -> Fields:
    names = [name for name in may.split() if name not in _TIMES]
    needed = fields(table, need, required=True, searching=not shown, kinds=kinds)
    other = fields(table, " ".join(names), required=False, searching=True, kinds=kinds, defaults=defaults)
    times = tuple(Argument(name, str, _TIMES[name], False) for name in may.split() if name in _TIMES)
    return Fields((*needed.arguments, *other.arguments, *times), {**needed.columns, **other.columns})


def _form(table: Table, need: str, may: str, kinds: Kinds | None, defaults: Defaults | None) -> Fields:
    needed = fields(table, need, required=True, searching=False, kinds=kinds)
    other = fields(table, may, required=False, searching=False, kinds=kinds, defaults=defaults)
    return Fields((*needed.arguments, *other.arguments), {**needed.columns, **other.columns})


def _some(who: Fields, given: Mapping[str, Any]) -> dict[str, Any]:
    equal = who.values(given)
    if not equal:
        raise ToolError("missing_field", f"expected one of {', '.join(item.name for item in who.arguments)}")
    return equal


def _times(given: Mapping[str, Any]) -> dict[str, Any]:
    return {"after": given.get("created_after"), "before": given.get("created_before")}
