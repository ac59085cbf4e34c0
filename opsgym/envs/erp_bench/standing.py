"""Standing: whether documents still are what they were, and whether goods move as they say.

Two things that the documents themselves do not show: what was changed on those that were there at the start, on sales
orders down to lines and transfers; and, in :meth:`Books.is_loose <opsgym.envs.erp_bench.books.Books.is_loose>`, planned goods
movements that were cut off, put off or bent by hand.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from opsgym.core.world import World
from opsgym.envs.erp_bench.state import Change

Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Standing:
    """The documents of a seeded world.

    Attributes:
        names: Their names, as JSON.
        known: Their names.
        models: The models that have rows of theirs.
        texts: These rows as JSON, by model: what is equal need not be read.
    """

    names: str
    known: frozenset[str | None]
    models: tuple[str, ...]
    texts: tuple[str, ...]


_PLACES: Mapping[str, tuple[str, str]] = {
    "sale.order": ("sale_order", "id"),
    "sale.order.line": ("sale_order", "order_id"),
    "stock.picking": ("sale_order", "sale_id"),
    "stock.move": ("sale_order_line", "sale_line_id"),
    "purchase.order": ("purchase_order", "id"),
    "mrp.production": ("mrp_production", "id"),
}
"""The table of documents (or of their lines) that the rows of a model belong to, with the column that says to which.

Only sales orders may be someone else's: they are followed down to their goods, of the others the heads are enough.
"""
_RESERVATION = {"stock.move": ("quantity", "state")}
"""Columns that follow the stock, which other documents may take, instead of the document; cancelling is compared apart."""


def standing_of(world: World) -> Standing:
    """The documents of a seeded world."""
    tables = sorted({_head(owner) for owner, _ in _PLACES.values()})
    found = {table: [name for (name,) in world.execute(f"SELECT name FROM {table} ORDER BY id")] for table in tables}
    models = tuple(model for model, (owner, _) in _PLACES.items() if found[_head(owner)])
    listed = [name for table in tables for name in found[table]]
    names = json.dumps(listed)
    return Standing(names, frozenset(listed), models, tuple(_text(world, model, names) for model in models))


def _head(owner: str) -> str:
    return owner.removesuffix("_line")


def touched(seeded: Standing, after: World) -> tuple[Change, ...]:
    """What differs on the documents that were there at the start, under the document's name."""
    changes: list[Change] = []
    for model, old in zip(seeded.models, seeded.texts, strict=True):
        new = _text(after, model, seeded.names)
        if old != new:
            changes += _differences(model, _by_name(old), _by_name(new), _columns(after, model))
    return tuple(changes)


def _by_name(text: str) -> dict[str, list[Row]]:
    found: defaultdict[str, list[Row]] = defaultdict(list)
    for name, *values in json.loads(text):
        found[name].append(tuple(values))
    return dict(found)


def _differences(
    model: str, old: Mapping[str, list[Row]], new: Mapping[str, list[Row]], columns: tuple[str, ...]
) -> Iterator[Change]:
    for name in dict.fromkeys((*old, *new)):
        was, now = old.get(name, []), new.get(name, [])
        if not now:
            yield Change(model, name, "deleted")
        elif len(was) != len(now):
            yield Change(model, name, "changed", ("id",))
        elif was != now:
            pairs = list(zip(was, now, strict=True))
            fields = (column for place, column in enumerate(columns) if any(one[place] != two[place] for one, two in pairs))
            yield Change(model, name, "changed", tuple(fields))


def _columns(world: World, model: str) -> tuple[str, ...]:
    hidden = _RESERVATION.get(model, ())
    return tuple(name for name in world.columns(_table(model)) if name not in hidden) + hidden[1:]


_SELECTS: dict[tuple[str, str], str] = {}
"""A statement for the rows of a model, by schema and model."""


def _table(model: str) -> str:
    return model.replace(".", "_")


def _text(world: World, model: str, names: str) -> str:
    """The rows of ``model`` that belong to the documents ``names``, as JSON; SQLite writes it faster than Python takes rows."""
    key = world.schema, model
    if key not in _SELECTS:
        _SELECTS[key] = _select(world, model)
    return str(world.execute(_SELECTS[key], (names,)).fetchone()[0])


def _select(world: World, model: str) -> str:
    shown = ("t.state = 'cancel'" if (model, name) == ("stock.move", "state") else f"t.{name}" for name in _columns(world, model))
    columns = ", ".join(shown)
    owner, link = _PLACES[model]
    joined = f"{owner} d" if owner == _head(owner) else f"{_head(owner)} d JOIN {owner} l ON l.order_id = d.id"
    rows = (
        f"SELECT json_array(d.name, {columns}) AS line FROM {joined}"
        f" JOIN {_table(model)} t ON t.{link} = {'d' if owner == _head(owner) else 'l'}.id"
        " WHERE d.name IN (SELECT value FROM json_each(?1)) ORDER BY t.id"
    )
    return f"SELECT json_group_array(json(line)) FROM ({rows})"
