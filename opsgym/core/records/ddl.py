"""DDL of declared tables."""

from __future__ import annotations

from collections.abc import Iterable

from opsgym.core.changes import quoted
from opsgym.core.records.columns import Column, Key, Ref, Serial
from opsgym.core.records.table import Table


def ddl(tables: Iterable[Table], *, checked: bool = True) -> str:
    """SQL that creates the tables, with keys, references, uniqueness and conditions.

    Args:
        tables: The tables; they may refer to each other in any order.
        checked: Whether enumerations and limits are conditions of the database too; foreign seeds may not keep them.
    """
    known = {table.name: table for table in tables}
    return "\n".join(_create(table, known, checked) for table in known.values())


def _create(table: Table, known: dict[str, Table], checked: bool) -> str:
    lines = [_column(column, checked) for column in table.columns]
    lines.append(f"PRIMARY KEY ({_names(table.key)})")
    lines += [f"UNIQUE ({_names(group)})" for group in table.unique]
    lines += [f'CONSTRAINT "{number}" CHECK ({condition})' for number, condition in enumerate(table.checks)]
    lines += [_reference(ref, known[ref.table]) for ref in table.refs if ref.declared]
    indexes = "".join(_index(table, group) for group in table.indexes)
    return f"CREATE TABLE {quoted(table.name)} (\n  " + ",\n  ".join(lines) + "\n);" + indexes


def _index(table: Table, group: tuple[str, ...]) -> str:
    name = quoted(f"{table.name} by {' '.join(group)}")
    return f"\nCREATE INDEX {name} ON {quoted(table.name)} ({_names(group)});"


def _column(column: Column, checked: bool) -> str:
    text = f"{quoted(column.name)} {column.sql_type}"
    if column.required or isinstance(column, Key | Serial):
        text += " NOT NULL"
    if checked and column.sql_check:
        text += f" CONSTRAINT {quoted(column.name)} CHECK ({column.sql_check})"
    return text


def _reference(ref: Ref, target: Table) -> str:
    column = ref.column or target.id
    return f"FOREIGN KEY ({quoted(ref.name)}) REFERENCES {quoted(target.name)} ({quoted(column)})"


def _names(names: Iterable[str]) -> str:
    return ", ".join(map(quoted, names))
