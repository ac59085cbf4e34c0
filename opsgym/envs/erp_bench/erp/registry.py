"""The registry of models, and the SQL expression of each field."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING

from opsgym.envs.erp_bench.erp.errors import ErpError, bad_value, clipped
from opsgym.envs.erp_bench.erp.fields import Field, table_of

if TYPE_CHECKING:
    from opsgym.envs.erp_bench.erp.orm import Records

MODELS: dict[str, type[Records]] = {}
"""Every model class by name, in the order of declaration."""


def model_class(name: str) -> type[Records]:
    """The class of a model.

    Raises:
        ErpError: There is no such model.
    """
    found = MODELS.get(name) if isinstance(name, str) else None
    if found is None:
        raise ErpError("NotFound", f"the model {clipped(name)} does not exist")
    return found


def field_of(model: str, name: str) -> Field:
    """The declaration of a field.

    Raises:
        ErpError: The model has no such field.
    """
    found = MODELS[model].fields.get(name) if isinstance(name, str) else None
    if found is None:
        raise bad_value(f"Invalid field {clipped(name)} on model {model!r}")
    return found


@cache
def expression(model: str, name: str, alias: str) -> str:
    """SQL expression of a field for the row ``alias`` of its model's table.

    One2many and many2many fields give a JSON array of ids, in the order of the other model.
    """
    field = field_of(model, name)
    if name == "display_name":
        return display(model, alias)
    if field.sql is not None:
        return field.sql.replace("{t}", alias)
    if field.related is not None:
        head, _, rest = field.related.partition(".")
        link = field_of(model, head)
        inner = alias + "r"
        target = expression(link.comodel, rest, inner)
        return f"(SELECT {target} FROM {table_of(link.comodel)} {inner} WHERE {inner}.id = {expression(model, head, alias)})"
    if field.type == "one2many":
        return _array(field.comodel, f"{alias}m.{field.inverse} = {alias}.id", f"{alias}m")
    if field.type == "many2many":
        assert field.relation is not None
        table, own, other = field.relation
        return _array(field.comodel, f"{alias}m.id IN (SELECT {other} FROM {table} WHERE {own} = {alias}.id)", f"{alias}m")
    return f"{alias}.{name}"


def _array(comodel: str, condition: str, alias: str) -> str:
    order = order_by(comodel, MODELS[comodel]._order, alias)
    rows = f"SELECT {alias}.id AS id FROM {table_of(comodel)} {alias} WHERE {condition} ORDER BY {order}"
    return f"(SELECT json_group_array(id) FROM ({rows}))"


@cache
def display(model: str, alias: str) -> str:
    """SQL expression of a record's display name."""
    cls = MODELS[model]
    if cls._display is not None:
        return cls._display.replace("{t}", alias)
    return f"COALESCE({expression(model, cls._rec_name, alias)}, '{model},' || {alias}.id)"


@cache
def display_of(model: str, name: str, alias: str) -> str:
    """SQL expression of the display name of the record that a many2one refers to."""
    comodel = field_of(model, name).comodel
    inner = alias + "d"
    return (
        f"(SELECT {display(comodel, inner)} FROM {table_of(comodel)} {inner} WHERE {inner}.id = {expression(model, name, alias)})"
    )


@lru_cache(1024)
def order_by(model: str, order: str, alias: str) -> str:
    """SQL of an order such as ``"date_order desc, id"``; ends with the id, so that no order is left to chance.

    Empty values come last in ascending order, as in PostgreSQL.

    Raises:
        ErpError: A field does not exist or cannot be sorted by.
    """
    parts: dict[str, str] = {}
    for item in order.split(","):
        words = item.split()
        if not 1 <= len(words) <= 2 or (len(words) == 2 and words[1].lower() not in ("asc", "desc")):
            raise bad_value(f"Invalid order {clipped(order)}; expected 'field [asc|desc], ...'")
        field = field_of(model, words[0])
        if field.type in ("one2many", "many2many"):
            raise bad_value(f"Cannot sort {model!r} by {field.name!r}: it holds several records")
        down = len(words) == 2 and words[1].lower() == "desc"
        target = display_of if field.type == "many2one" else expression
        parts.setdefault(field.name, target(model, field.name, alias) + (" DESC NULLS FIRST" if down else " ASC NULLS LAST"))
        if field.name == "id":
            return ", ".join(parts.values())
    return ", ".join([*parts.values(), f"{alias}.id"])
