"""Reading records: one SQL statement for any number of records and fields, compiled once per selection of fields."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from opsgym.core.world import World
from opsgym.envs.erp_bench.erp.domains import compile_domain
from opsgym.envs.erp_bench.erp.errors import bad_value, clipped
from opsgym.envs.erp_bench.erp.fields import MAX_INTEGER, SHOW, show_many2one, table_of
from opsgym.envs.erp_bench.erp.registry import MODELS, display_of, expression, field_of, order_by

Record = dict[str, Any]
CLASSIC = "_classic_read"
"""Value of ``load`` under which a many2one is read as ``[id, display_name]``."""


class Plan(NamedTuple):
    """How to read some fields: the names, the SQL columns and, per name, how many columns and how to show them."""

    names: tuple[str, ...]
    columns: str
    shows: tuple[tuple[int, Callable[..., list[Any]]], ...]


@lru_cache(1024)
def plan(model: str, names: tuple[str, ...], classic: bool) -> Plan:
    """The plan for reading ``names`` and the id."""
    columns = ["t.id"]
    shows: list[tuple[int, Callable[..., list[Any]]]] = []
    for name in names:
        field = field_of(model, name)
        columns.append(expression(model, name, "t"))
        if field.type == "many2one" and classic:
            columns.append(display_of(model, name, "t"))
            shows.append((2, show_many2one))
        else:
            shows.append((1, SHOW[field.type]))
    return Plan(names, ", ".join(columns), tuple(shows))


def chosen(model: str, fields: Iterable[str] | None) -> tuple[str, ...]:
    """Names of the fields to read besides the id, checked; all of them when none are named.

    Raises:
        ErpError: A name is no field of the model.
    """
    if fields is None or fields == [] or fields == ():
        return tuple(name for name in MODELS[model].fields if name != "id")
    if not isinstance(fields, list | tuple):
        raise bad_value(f"Wrong value for fields: {clipped(fields)}; expected a list of field names")
    for name in fields:
        field_of(model, name)
    return tuple(dict.fromkeys(name for name in fields if name != "id"))


def show(rows: Sequence[Sequence[Any]], how: Plan) -> list[Record]:
    """Rows of a plan's columns as records."""
    if not rows:
        return []
    columns = list(zip(*rows, strict=True))
    shown: list[Any] = [columns[0]]
    at = 1
    for width, function in how.shows:
        shown.append(function(*columns[at : at + width]))
        at += width
    names = ("id", *how.names)
    return [dict(zip(names, row, strict=True)) for row in zip(*shown, strict=True)]


def read(world: World, model: str, ids: Sequence[int], fields: Iterable[str] | None, load: str | None) -> list[Record]:
    """The records with these ids, in that order; ids that do not exist are left out."""
    how = plan(model, chosen(model, fields), load == CLASSIC)
    select = f"SELECT {how.columns} FROM {table_of(model)} t WHERE t.id "
    if len(ids) == 1:
        return show(world.execute(select + "= ?", (ids[0],)).fetchall(), how)
    rows = world.execute(select + "IN (SELECT value FROM json_each(?))", (json.dumps(list(ids)),)).fetchall()
    by_id = {record["id"]: record for record in show(rows, how)}
    return [by_id[one] for one in ids if one in by_id]


def _from(model: str, domain: Any) -> tuple[str, list[Any]]:
    where, params = compile_domain(model, domain)
    return f" FROM {table_of(model)} t" + (f" WHERE {where}" if where else ""), params


def _tail(model: str, domain: Any, order: str | None, limit: int | None, offset: int) -> tuple[str, list[Any]]:
    sql, params = _from(model, domain)
    tail, bounds = _sorted(model, order, limit, offset)
    return sql + tail, params + bounds


def _sorted(model: str, order: str | None, limit: int | None, offset: int) -> tuple[str, list[Any]]:
    if order is not None and not isinstance(order, str):
        raise bad_value(f"Invalid order {clipped(order)}; expected 'field [asc|desc], ...'")
    sql = f" ORDER BY {order_by(model, order or MODELS[model]._order, 't')}"
    bounds = [_bound("limit", limit), _bound("offset", offset)]
    if bounds[0] is None and not bounds[1]:
        return sql, []
    return f"{sql} LIMIT ? OFFSET ?", [-1 if bounds[0] is None else bounds[0], bounds[1] or 0]


def _bound(name: str, value: Any) -> int | None:
    if value is None or value is False:
        return None
    if not isinstance(value, int) or not 0 <= value <= MAX_INTEGER:
        raise bad_value(f"Wrong value for {name}: {clipped(value)}; expected a whole number from 0")
    return int(value)


def active_test(model: str, domain: Any, context: dict[str, Any]) -> Any:
    """The domain, limited to active records unless it mentions ``active`` or the context says otherwise."""
    fields = MODELS[model].fields
    if "active" not in fields or context.get("active_test") is False or not isinstance(domain, list | tuple | None):
        return domain
    if any(isinstance(term, list | tuple) and term and term[0] == "active" for term in domain or ()):
        return domain
    return [["active", "=", True], *(domain or ())]


def search(
    world: World, model: str, domain: Any, order: str | None = None, limit: int | None = None, offset: int = 0
) -> list[int]:
    """Ids of the records that meet a domain."""
    tail, params = _tail(model, domain, order, limit, offset)
    return [row[0] for row in world.execute("SELECT t.id" + tail, params).fetchall()]


def search_read(
    world: World,
    model: str,
    domain: Any,
    fields: Iterable[str] | None,
    order: str | None = None,
    limit: int | None = None,
    offset: int = 0,
    load: str | None = CLASSIC,
) -> list[Record]:
    """Records that meet a domain."""
    how = plan(model, chosen(model, fields), load == CLASSIC)
    tail, params = _tail(model, domain, order, limit, offset)
    return show(world.execute(f"SELECT {how.columns}{tail}", params).fetchall(), how)


def search_page(
    world: World, model: str, domain: Any, fields: Iterable[str] | None, order: str | None, limit: int, offset: int
) -> tuple[list[Record], int]:
    """One page of the records that meet a domain, and how many there are in all."""
    how = plan(model, chosen(model, fields), True)
    sql, params = _from(model, domain)
    tail, bounds = _sorted(model, order, limit, offset)
    found = show(world.execute(f"SELECT {how.columns}{sql}{tail}", params + bounds).fetchall(), how)
    if len(found) < limit and (found or not offset):
        return found, offset + len(found)
    return found, int(world.execute(f"SELECT COUNT(*){sql}", params).fetchone()[0])


def search_count(world: World, model: str, domain: Any, limit: int | None = None) -> int:
    """Number of records that meet a domain, at most ``limit``."""
    sql, params = _from(model, domain)
    found = int(world.execute(f"SELECT COUNT(*){sql}", params).fetchone()[0])
    bound = _bound("limit", limit)
    return min(found, bound) if bound else found
