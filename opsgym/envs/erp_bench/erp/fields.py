"""Field types: how a field is declared, stored, checked and shown.

A field is stored in a column of its model's table, or it is ``related`` to a field of another record, or it is
computed by an SQL expression in which ``{t}`` stands for the record's table alias.
"""

from __future__ import annotations

import datetime as dt
import json
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from opsgym.envs.erp_bench.erp.errors import ErpError, bad_value, clipped

FieldType = Literal[
    "char", "text", "html", "integer", "float", "monetary", "boolean", "date", "datetime", "selection",
    "many2one", "one2many", "many2many",
]  # fmt: skip
OnDelete = Literal["restrict", "cascade", "set null"]

SQL_TYPE: dict[FieldType, str] = {
    "char": "TEXT",
    "text": "TEXT",
    "html": "TEXT",
    "selection": "TEXT",
    "date": "TEXT",
    "datetime": "TEXT",
    "integer": "INTEGER",
    "boolean": "INTEGER",
    "many2one": "INTEGER",
    "float": "REAL",
    "monetary": "REAL",
}
NUMERIC = frozenset({"integer", "float", "monetary", "boolean"})
TEXTUAL = frozenset({"char", "text", "html", "selection", "date", "datetime"})
X2MANY = frozenset({"one2many", "many2many"})

MAX_INTEGER = 2**31 - 1
"""Largest value of an integer column, as in PostgreSQL."""
MAX_FLOAT = 1e15
"""Largest magnitude of a float: beyond it, cents are no longer exact."""

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}\Z")
_DATETIME = re.compile(r"\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}\Z")


@dataclass(eq=False, kw_only=True)
class Field:
    """Declaration of a field; made by the functions below, named when its model class is created.

    Attributes:
        type: Type of the field.
        string: Label; derived from the name when empty.
        help: One sentence for ``fields_get``.
        required: A record must have a value.
        readonly: Not written through the public API.
        default: Value for new records, or a function of the model that gives it.
        related: Dotted path to a field of another record, in place of a column.
        sql: Expression over ``{t}``, in place of a column.
        selection: Allowed values with their labels.
        comodel: Model on the other side of a relation.
        inverse: Many2one of ``comodel`` that a one2many mirrors.
        relation: Table of a many2many with its own and its other column.
        ondelete: What happens to this record when the one it refers to is deleted.
        copy: Duplicated by ``copy()``.
        index: Has an SQL index.
        name: Name of the field.
        model: Name of its model.
    """

    type: FieldType
    string: str = ""
    help: str = ""
    required: bool = False
    readonly: bool = False
    default: Any = None
    related: str | None = None
    sql: str | None = None
    selection: tuple[tuple[str, str], ...] = ()
    comodel: str = ""
    inverse: str = ""
    relation: tuple[str, str, str] | None = None
    ondelete: OnDelete = "restrict"
    copy: bool = True
    index: bool = False
    name: str = ""
    model: str = ""

    @property
    def stored(self) -> bool:
        """Whether the field has a column of its own."""
        return self.sql is None and self.related is None and self.type not in X2MANY

    def bind(self, model: str, name: str) -> None:
        """Tell the field where it stands."""
        self.model, self.name = model, name
        self.string = self.string or name.removesuffix("_ids").removesuffix("_id").replace("_", " ").capitalize()
        if self.type == "many2many" and self.sql is None and self.related is None and self.relation is None:
            own, other = table_of(model) + "_id", table_of(self.comodel) + "_id"
            self.relation = (f"{table_of(model)}_{name}_rel", own, other if other != own else "related_id")

    def to_column(self, value: Any) -> Any:
        """Check a value given by a caller and convert it for its column.

        Raises:
            ErpError: The value is of the wrong type or not among the allowed ones.
        """
        if value is None or value is False or (value == "" and self.type in TEXTUAL):
            return 0 if self.type in NUMERIC else None
        return _TO_COLUMN[self.type](self, value)

    def refuse(self, value: Any, expected: str) -> ErpError:
        """The error for a value that does not fit."""
        return bad_value(f"Wrong value for {self.model}.{self.name}: {clipped(value)}; expected {expected}")


def table_of(model: str) -> str:
    """Name of a model's table: dots become underscores."""
    return model.replace(".", "_")


# -- checks of incoming values ----------------------------------------------------------------------------


def check_text(field: Field, value: Any) -> str:
    """A string that SQLite can store."""
    if not isinstance(value, str):
        raise field.refuse(value, "text")
    if "\0" in value or any("\ud800" <= char <= "\udfff" for char in value):
        raise field.refuse(value, "text without NUL or lone surrogates")
    return value


def _integer(field: Field, value: Any) -> int:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if not isinstance(value, int):
        raise field.refuse(value, "a whole number")
    if abs(value) > MAX_INTEGER:
        raise field.refuse(value, f"at most {MAX_INTEGER} in size")
    return int(value)


def _float(field: Field, value: Any) -> float:
    if not isinstance(value, int | float) or not math.isfinite(value) or abs(value) > MAX_FLOAT:
        raise field.refuse(value, "a finite number")
    return float(value)


def _boolean(field: Field, value: Any) -> int:
    if not isinstance(value, int) or value not in (0, 1):
        raise field.refuse(value, "true or false")
    return int(value)


def _date(field: Field, value: Any) -> str:
    if isinstance(value, dt.date):
        return value.isoformat()[:10]
    if not isinstance(value, str) or not _DATE.match(value[:10]) or (value[10:] and not _DATETIME.match(value)):
        raise field.refuse(value, "a date 'YYYY-MM-DD'")
    try:
        return dt.date.fromisoformat(value[:10]).isoformat()
    except ValueError as error:
        raise field.refuse(value, f"a date 'YYYY-MM-DD' ({error})") from None


def _datetime(field: Field, value: Any) -> str:
    if isinstance(value, dt.datetime):
        return value.replace(tzinfo=None).isoformat(" ", "seconds")
    if isinstance(value, dt.date):
        return value.isoformat() + " 00:00:00"
    text = value + " 00:00:00" if isinstance(value, str) and _DATE.match(value) else value
    if not isinstance(text, str) or not _DATETIME.match(text):
        raise field.refuse(value, "a time 'YYYY-MM-DD HH:MM:SS'")
    try:
        return dt.datetime.fromisoformat(text).isoformat(" ", "seconds")
    except ValueError as error:
        raise field.refuse(value, f"a time 'YYYY-MM-DD HH:MM:SS' ({error})") from None


def _selection(field: Field, value: Any) -> str:
    allowed = [key for key, _ in field.selection]
    if value not in allowed:
        raise field.refuse(value, "one of " + ", ".join(allowed))
    return str(value)


def _many2one(field: Field, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        message = f"invalid input syntax for type integer: {clipped(value)} ({field.model}.{field.name} takes one record id)"
        raise ErpError("InvalidTextRepresentation", message)
    if abs(value) > MAX_INTEGER:
        raise field.refuse(value, "a record id")
    return value


_TO_COLUMN: dict[str, Callable[[Field, Any], Any]] = {
    "char": check_text,
    "text": check_text,
    "html": check_text,
    "integer": _integer,
    "float": _float,
    "monetary": _float,
    "boolean": _boolean,
    "date": _date,
    "datetime": _datetime,
    "selection": _selection,
    "many2one": _many2one,
}

# -- how columns are shown: each takes a whole column, so that no row is handled alone ---------------------

Column = Sequence[Any]


def _show_text(column: Column) -> list[Any]:
    return [False if value is None else value for value in column]


def _show_integer(column: Column) -> list[int]:
    return [value or 0 for value in column]


def _show_float(column: Column) -> list[float]:
    return [float(value or 0) for value in column]


def _show_boolean(column: Column) -> list[bool]:
    return [value == 1 for value in column]


def _show_ids(column: Column) -> list[list[int]]:
    return [[] if not value or value == "[]" else json.loads(value) for value in column]


def show_many2one(ids: Column, names: Column) -> list[Any]:
    """Pairs of id and display name, or False."""
    return [False if one is None else [one, name] for one, name in zip(ids, names, strict=True)]


SHOW: dict[FieldType, Callable[[Column], list[Any]]] = {
    "char": _show_text,
    "text": _show_text,
    "html": _show_text,
    "selection": _show_text,
    "date": _show_text,
    "datetime": _show_text,
    "integer": _show_integer,
    "boolean": _show_boolean,
    "many2one": _show_text,
    "float": _show_float,
    "monetary": _show_float,
    "one2many": _show_ids,
    "many2many": _show_ids,
}

# -- declarations -----------------------------------------------------------------------------------------


def Char(string: str = "", **options: Any) -> Any:
    """A line of text."""
    return Field(type="char", string=string, **options)


def Text(string: str = "", **options: Any) -> Any:
    """Text of several lines."""
    return Field(type="text", string=string, **options)


def Html(string: str = "", **options: Any) -> Any:
    """Formatted text; stored as it is written."""
    return Field(type="html", string=string, **options)


def Integer(string: str = "", **options: Any) -> Any:
    """A whole number."""
    return Field(type="integer", string=string, **options)


def Float(string: str = "", **options: Any) -> Any:
    """A number."""
    return Field(type="float", string=string, **options)


def Monetary(string: str = "", **options: Any) -> Any:
    """An amount in the company's currency."""
    return Field(type="monetary", string=string, **options)


def Boolean(string: str = "", **options: Any) -> Any:
    """Yes or no."""
    return Field(type="boolean", string=string, **options)


def Date(string: str = "", **options: Any) -> Any:
    """A day, ``YYYY-MM-DD``."""
    return Field(type="date", string=string, **options)


def Datetime(string: str = "", **options: Any) -> Any:
    """A moment in UTC, ``YYYY-MM-DD HH:MM:SS``."""
    return Field(type="datetime", string=string, **options)


def Selection(selection: str, string: str = "", **options: Any) -> Any:
    """One of a few values, written as ``"draft | sale=Sales Order"``; missing labels are derived."""
    pairs = []
    for item in selection.split("|"):
        key, _, label = item.strip().partition("=")
        pairs.append((key, label or key.replace("_", " ").capitalize()))
    return Field(type="selection", string=string, selection=tuple(pairs), **options)


def Many2one(comodel: str, string: str = "", **options: Any) -> Any:
    """A reference to one record."""
    return Field(type="many2one", comodel=comodel, string=string, index=options.pop("index", True), **options)


def One2many(comodel: str, inverse: str, string: str = "", **options: Any) -> Any:
    """The records whose ``inverse`` refers to this one."""
    return Field(type="one2many", comodel=comodel, inverse=inverse, string=string, copy=options.pop("copy", False), **options)


def Many2many(comodel: str, string: str = "", **options: Any) -> Any:
    """Any number of records."""
    return Field(type="many2many", comodel=comodel, string=string, **options)
