"""The database schema, generated from the declarations of the fields."""

from __future__ import annotations

from typing import TYPE_CHECKING

from opsgym.envs.erp_bench.erp.fields import NUMERIC, SQL_TYPE, Field, table_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from opsgym.envs.erp_bench.erp.orm import Records


def ddl(models: Iterable[type[Records]]) -> str:
    """SQL that creates the tables and indexes of ``models``, in their order."""
    return "\n".join(statement for model in models for statement in _statements(model))


def _statements(model: type[Records]) -> list[str]:
    table = table_of(model._name)
    stored = [field for field in model.fields.values() if field.stored]
    columns = ["id INTEGER PRIMARY KEY", *(_column(field) for field in stored if field.name != "id"), *model._sql_constraints]
    statements = [f"CREATE TABLE {table} ({', '.join(columns)}) STRICT;"]
    statements += [
        f"CREATE INDEX {table}_{field.name}_index ON {table}({field.name});"
        for field in stored
        if field.index and field.name != "id"
    ]
    for field in model.fields.values():
        if field.relation is not None and field.relation[0] == f"{table}_{field.name}_rel":
            statements += _relation(field)
    return statements


def _column(field: Field) -> str:
    parts = [field.name, SQL_TYPE[field.type]]
    if field.type in NUMERIC:
        parts.append("NOT NULL DEFAULT 0")
    elif field.required:
        parts.append("NOT NULL")
    if field.type == "boolean":
        parts.append(f"CHECK ({field.name} IN (0, 1))")
    if field.type == "selection":
        allowed = ", ".join(f"'{key}'" for key, _ in field.selection)
        parts.append(f"CHECK ({field.name} IN ({allowed}))")
    if field.type == "many2one":
        parts.append(f"REFERENCES {table_of(field.comodel)}(id) ON DELETE {field.ondelete.upper()}")
    return " ".join(parts)


def _relation(field: Field) -> list[str]:
    assert field.relation is not None
    table, own, other = field.relation
    left = f"{own} INTEGER NOT NULL REFERENCES {table_of(field.model)}(id) ON DELETE CASCADE"
    right = f"{other} INTEGER NOT NULL REFERENCES {table_of(field.comodel)}(id) ON DELETE CASCADE"
    return [
        f"CREATE TABLE {table} ({left}, {right}, PRIMARY KEY ({own}, {other})) STRICT, WITHOUT ROWID;",
        f"CREATE INDEX {table}_{other}_index ON {table}({other});",
    ]
