"""Export: the end state of the embedded ERP as a backend-neutral :class:`ErpState`.

Documents are exported as they stand, good or bad.  Every other record is compared with the seeded world, table by
table, and each difference is reported: what is not named here as a document is not licensed to change.

Left out, because no plan depends on them and reading or booking may touch them:

- ``mail.message``: notes that the agent leaves on records;
- ``ir.sequence``: counters, which move with every document;
- the wizards (``sale.advance.payment.inv``, ``account.payment.register``, ``change.production.qty``): forms that
  were filled in; what they did shows in the documents.
"""

from __future__ import annotations

import datetime as dt
import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any, Literal, TypeVar
from weakref import WeakKeyDictionary

from opsgym.core.derived import Derived
from opsgym.core.errors import TaskError
from opsgym.core.world import CLOCK, World
from opsgym.envs.erp_bench.standing import Standing, loose_documents, standing_of, touched
from opsgym.envs.erp_bench.state import (
    Change,
    DocState,
    ErpState,
    Invoice,
    Production,
    Purchase,
    PurchaseLine,
    Sale,
    SaleLine,
    WorkOrder,
)

Row = tuple[Any, ...]
T = TypeVar("T")

DOCUMENTS = frozenset(
    {
        "sale_order",
        "sale_order_line",
        "sale_order_line_tax_ids_rel",
        "purchase_order",
        "purchase_order_line",
        "purchase_order_line_tax_ids_rel",
        "mrp_production",
        "mrp_workorder",
        "stock_move",
        "stock_picking",
        "account_move",
        "account_move_line",
        "account_move_line_sale_line_ids_rel",
        "account_move_line_tax_ids_rel",
    }
)
"""Tables of the four kinds of documents and of the goods movements that the ERP plans for them."""

IGNORED = frozenset(
    {
        "mail_message",
        "ir_sequence",
        "sale_advance_payment_inv",
        "sale_advance_payment_inv_sale_order_ids_rel",
        "account_payment_register",
        "account_payment_register_move_ids_rel",
        "change_production_qty",
    }
)
"""Tables that are not compared; the module says why."""

_STATES: Mapping[str, DocState] = {
    "draft": "draft",
    "sent": "draft",
    "to approve": "draft",
    "sale": "confirmed",
    "purchase": "confirmed",
    "confirmed": "confirmed",
    "progress": "confirmed",
    "to_close": "confirmed",
    "done": "done",
    "cancel": "cancelled",
}
_INVOICE_STATES: Mapping[str, Literal["draft", "posted", "cancelled"]] = {
    "draft": "draft",
    "posted": "posted",
    "cancel": "cancelled",
}


_INPUTS: Mapping[str, tuple[str, ...]] = {
    "today": (CLOCK,),
    "sales": ("sale_order", "sale_order_line"),
    "purchases": ("purchase_order", "purchase_order_line"),
    "productions": ("mrp_production", "mrp_workorder", "stock_move"),
    "invoices": (
        "account_move",
        "account_move_line",
        "account_move_line_sale_line_ids_rel",
        "sale_order",
        "sale_order_line",
    ),
    "other": ("account_move", "stock_move", "stock_picking"),
    "moved_stock": ("stock_move",),
    "touched": ("sale_order", "sale_order_line", "stock_picking", "stock_move", "purchase_order", "mrp_production"),
    "loose": (
        "sale_order",
        "sale_order_line",
        "purchase_order",
        "purchase_order_line",
        "mrp_production",
        "stock_move",
        "product_product",
        "product_template",
    ),
}
"""The tables of which each part of a state is read."""

_PARTS: WeakKeyDictionary[World, Derived] = WeakKeyDictionary()


def parts_of(world: World) -> Derived:
    """What was read of a world, kept while it does not change."""
    if world not in _PARTS:
        _PARTS[world] = Derived()
    return _PARTS[world]


def export_state(before: World | Baseline, after: World) -> ErpState:
    """The end state of a world; the same object while nothing has changed.

    Args:
        before: The world as it was seeded, of which what is read is kept while it does not change; or :func:`baseline_of` it.
        after: The world to export; of one that is exported again and again only the parts that were written are read anew.

    Raises:
        TaskError: The two worlds have different schemas.
    """
    if before.schema != after.schema:
        raise TaskError("the two worlds have different tables", field="world")
    baseline, parts = before if isinstance(before, Baseline) else baseline_of(before), parts_of(after)
    parts.begin(after)
    return parts.get(after, "state", _layout(after).read, partial(_state, baseline, after, parts), baseline)


def _state(baseline: Baseline, after: World, parts: Derived) -> ErpState:
    def part(name: str, make: Callable[..., T], *inputs: object) -> T:
        # what is kept must not hold the world, or neither would ever be freed
        return parts.get(after, name, _INPUTS.get(name, ()), partial(make, after, *inputs), *inputs)

    changed = _changed_tables(baseline, after, parts)
    names = baseline.names
    if any(table.name in _NAMED for table in changed):
        names = parts.get(after, "names", _NAMED, lambda: _Names(after))
    master, other = part("master", _master_changes, changed), part("other", _other_changes, baseline)
    return ErpState(
        today=after.today,
        sales=part("sales", _sales, names),
        purchases=part("purchases", _purchases, names),
        productions=part("productions", _productions, names),
        invoices=part("invoices", _invoices, names),
        master_changes=parts.get(after, "master_changes", (), lambda: master + other, master, other),
        moved_stock=part("moved_stock", _moved_stock, baseline),
        touched=parts.get(after, "touched", _INPUTS["touched"], lambda: touched(baseline.documents, after, parts), baseline),
        loose=part("loose", loose_documents),
    )


# -- the four kinds of documents ----------------------------------------------------------------------------


def _children(world: World, sql: str, make: Callable[..., Any]) -> dict[int, tuple[Any, ...]]:
    """``make`` of each row without its first column, by that column: the id of the document the row belongs to."""
    found: defaultdict[int, list[Any]] = defaultdict(list)
    for owner, *values in world.execute(sql):
        found[owner].append(make(*values))
    return {owner: tuple(rows) for owner, rows in found.items()}


def _date(moment: str | None) -> dt.date | None:
    return None if moment is None else dt.date.fromisoformat(moment[:10])


def _tokens(origin: str | None) -> tuple[str, ...]:
    return tuple(token for token in map(str.strip, (origin or "").split(",")) if token)


def _sales(world: World, names: _Names) -> tuple[Sale, ...]:
    heads = world.execute(
        "SELECT id, name, client_order_ref, partner_id, state, commitment_date, payment_term_id, amount_untaxed FROM sale_order"
        " ORDER BY name, id"
    ).fetchall()
    if not heads:
        return ()
    lines = _children(
        world,
        "SELECT order_id, product_id, product_uom_qty, price_unit, is_downpayment FROM sale_order_line ORDER BY id",
        lambda product, quantity, price, advance: SaleLine(names.product[product], quantity, price, bool(advance)),
    )
    return tuple(
        Sale(
            name or f"#{key}",
            ref,
            names.partner[partner],
            _STATES[state],
            _date(commitment),
            names.term[term],
            untaxed,
            lines.get(key, ()),
        )
        for key, name, ref, partner, state, commitment, term, untaxed in heads
    )


def _purchases(world: World, names: _Names) -> tuple[Purchase, ...]:
    heads = world.execute("SELECT id, name, partner_id, state, origin FROM purchase_order ORDER BY name, id").fetchall()
    if not heads:
        return ()
    lines = _children(
        world,
        "SELECT order_id, product_id, product_qty, price_unit * (1 - COALESCE(discount, 0) / 100), date_planned"
        " FROM purchase_order_line ORDER BY id",
        lambda product, quantity, price, planned: PurchaseLine(names.product[product], quantity, price, _date(planned)),
    )
    return tuple(
        Purchase(name or f"#{key}", names.partner[partner], _STATES[state], _tokens(origin), lines.get(key, ()))
        for key, name, partner, state, origin in heads
    )


def _productions(world: World, names: _Names) -> tuple[Production, ...]:
    heads = world.execute(
        "SELECT id, name, product_id, product_qty, state, date_start, date_deadline, date_finished, origin FROM mrp_production"
        " ORDER BY name, id"
    ).fetchall()
    if not heads:
        return ()
    works = _children(
        world,
        "SELECT production_id, workcenter_id, state, date_start, date_finished FROM mrp_workorder ORDER BY id",
        lambda center, state, start, finish: WorkOrder(names.center[center], state, _date(start), _date(finish)),
    )
    raw = _children(
        world,
        "SELECT raw_material_production_id, product_id, product_uom_qty FROM stock_move"
        " WHERE raw_material_production_id IS NOT NULL AND state <> 'cancel' ORDER BY id",
        lambda product, quantity: (names.product[product], quantity),
    )
    return tuple(
        Production(
            name or f"#{key}",
            names.product[product],
            quantity,
            _STATES[state],
            _date(start),
            _date(deadline),
            _date(finish),
            _tokens(origin),
            works.get(key, ()),
            raw.get(key, ()),
        )
        for key, name, product, quantity, state, start, deadline, finish, origin in heads
    )


# -- invoices -----------------------------------------------------------------------------------------------


def _invoices(world: World, names: _Names) -> tuple[Invoice, ...]:
    heads = world.execute(
        "SELECT id, name, partner_id, state, invoice_payment_term_id, amount_untaxed, amount_total FROM account_move"
        " WHERE move_type = 'out_invoice' ORDER BY name, id"
    ).fetchall()
    if not heads:
        return ()
    lines = _children(
        world,
        "SELECT i.move_id, i.id, i.price_subtotal, i.product_id IS s.product_id, s.is_downpayment, o.name"
        " FROM account_move_line i"
        " LEFT JOIN account_move_line_sale_line_ids_rel x ON x.account_move_line_id = i.id"
        " LEFT JOIN sale_order_line s ON s.id = x.sale_order_line_id LEFT JOIN sale_order o ON o.id = s.order_id"
        " WHERE i.display_type = 'product' ORDER BY i.id, o.name",
        lambda *values: values,
    )
    return tuple(
        Invoice(
            name or f"#{key}",
            names.partner[partner],
            _INVOICE_STATES[state],
            names.term[term],
            untaxed,
            total,
            tuple(sorted({order for *_, order in lines.get(key, ()) if order is not None})),
            _kind(lines.get(key, ())),
        )
        for key, name, partner, state, term, untaxed, total in heads
    )


def _kind(lines: Iterable[tuple[int, float, int, int | None, str | None]]) -> Literal["regular", "downpayment", "other"]:
    """What an invoice is for, by the sales order lines that its amounts are linked to.

    A down payment charges nothing but down-payment lines; a regular invoice charges what was ordered and may take
    down payments off.  An amount without a link, for another product than was ordered or taken off what was ordered,
    or both charges on one invoice, is neither.
    """
    charges = [(advance, amount) for _, amount, _, advance, _ in lines]
    if not charges or any(advance is None for advance, _ in charges) or not all(same for _, _, same, _, _ in lines):
        return "other"
    if any(amount < 0 and not advance for advance, amount in charges):
        return "other"
    ordered = any(not advance for advance, _ in charges)
    charged = any(advance and amount >= 0 for advance, amount in charges)
    if ordered and charged:
        return "other"
    return "regular" if ordered else "downpayment" if charged else "other"


# -- everything else: default deny --------------------------------------------------------------------------

_PARTNERS = "SELECT id, ref FROM res_partner"
_PRODUCTS = "SELECT p.id, t.default_code FROM product_product p JOIN product_template t ON t.id = p.product_tmpl_id"
_CENTERS = "SELECT id, code FROM mrp_workcenter"
_TERMS = "SELECT id, name FROM account_payment_term"
_NAMED = ("res_partner", "product_product", "product_template", "mrp_workcenter", "account_payment_term")
"""Tables that the queries above read."""


class _Keys(dict[int | None, str | None]):
    """Business keys by id; a record without one is shown as ``#<id>``, no record as ``None``."""

    def __missing__(self, number: int | None) -> str | None:
        return None if number is None else f"#{number}"


def _keyed(world: World, sql: str) -> _Keys:
    return _Keys((number, key) for number, key in world.execute(sql) if key)


class _Names:
    """Stable keys of the records that documents refer to."""

    def __init__(self, world: World) -> None:
        self.partner = _keyed(world, _PARTNERS)
        self.product = _keyed(world, _PRODUCTS)
        self.center = _keyed(world, _CENTERS)
        self.term = _keyed(world, _TERMS)


@dataclass(frozen=True, slots=True)
class _Table:
    """A table to compare, with its columns; a record's table starts with ``id``, others link two models."""

    name: str
    columns: tuple[str, ...]

    @property
    def is_record(self) -> bool:
        """Whether its rows are records."""
        return self.columns[0] == "id"

    @property
    def model(self) -> str:
        """Name of the model, or of the table where it links two models."""
        return self.name.replace("_", ".") if self.is_record else self.name

    @property
    def content(self) -> str:
        """SQL for all rows as one text; SQLite writes it several times faster than Python takes rows."""
        order = "id" if self.is_record else ", ".join(self.columns)
        columns = ", ".join(self.columns)
        return f"(SELECT json_group_array(json_array({columns})) FROM (SELECT {columns} FROM {self.name} ORDER BY {order}))"


@dataclass(frozen=True, slots=True)
class _Layout:
    """The tables to compare, their names, those of all tables that a state is read of, and one statement for the contents."""

    tables: tuple[_Table, ...]
    names: tuple[str, ...]
    read: tuple[str, ...]
    select: str


@dataclass(frozen=True, slots=True)
class Baseline:
    """What an end state is compared with: what is read of the seeded world, and the version of it that was read."""

    schema: str
    version: tuple[int, int]
    contents: Row
    names: _Names
    done: frozenset[int]
    other: dict[str, dict[int, Row]]
    documents: Standing


_LAYOUTS: dict[str, _Layout] = {}
_BASELINES: WeakKeyDictionary[World, Baseline] = WeakKeyDictionary()

_OTHER: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "account.move": (
        "SELECT id, name, state, amount_total, partner_id FROM account_move WHERE move_type <> 'out_invoice'",
        ("id", "name", "state", "amount_total", "partner_id"),
    ),
    "stock.move": (
        "SELECT id, reference, state, product_id, product_uom_qty FROM stock_move WHERE state <> 'cancel'"
        " AND sale_line_id IS NULL AND purchase_line_id IS NULL AND raw_material_production_id IS NULL AND production_id IS NULL",
        ("id", "reference", "state", "product_id", "product_uom_qty"),
    ),
    "stock.picking": (
        "SELECT id, name, partner_id, origin FROM stock_picking p WHERE sale_id IS NULL AND purchase_id IS NULL"
        " AND (EXISTS (SELECT 1 FROM stock_move m WHERE m.picking_id = p.id AND m.state <> 'cancel')"
        " OR NOT EXISTS (SELECT 1 FROM stock_move m WHERE m.picking_id = p.id))",
        ("id", "name", "partner_id", "origin"),
    ),
}
"""Records in the tables of documents that belong to no document, with their columns: bills, entries, goods moved by hand."""


def _layout(world: World) -> _Layout:
    """The tables to compare; looked up once a schema."""
    if world.schema not in _LAYOUTS:
        names = [name for name in world.tables() if name not in DOCUMENTS and name not in IGNORED]
        tables = tuple(_Table(name, world.columns(name)) for name in names)
        read = tuple(sorted({*names, *chain.from_iterable(_INPUTS.values())}))
        _LAYOUTS[world.schema] = _Layout(tables, tuple(names), read, "SELECT " + ", ".join(table.content for table in tables))
    return _LAYOUTS[world.schema]


def _contents(world: World) -> Row:
    """The content of each table to compare."""
    found: Row = world.execute(_layout(world).select).fetchone()
    return found


def baseline_of(before: World) -> Baseline:
    """What is read of a seeded world; read again when it has changed."""
    known = _BASELINES.get(before)
    if known is None or known.version != before.version:
        other = {model: _by_id(before, model) for model in _OTHER}
        done, standing = frozenset(_done(before)), standing_of(before)
        known = Baseline(before.schema, before.version, _contents(before), _Names(before), done, other, standing)
        _BASELINES[before] = known
    return known


def _by_id(world: World, model: str) -> dict[int, Row]:
    return {row[0]: row for row in world.execute(_OTHER[model][0])}


def _done(world: World) -> dict[int, str | None]:
    return dict(world.execute("SELECT id, reference FROM stock_move WHERE state = 'done' ORDER BY id").fetchall())


def _moved_stock(after: World, baseline: Baseline) -> tuple[Change, ...]:
    """Goods that were moved since the world was seeded: receipts, deliveries, productions, inventory counts."""
    return tuple(
        Change("stock.move", reference or f"#{key}", "changed", ("state",))
        for key, reference in _done(after).items()
        if key not in baseline.done
    )


def _changed_tables(baseline: Baseline, after: World, parts: Derived) -> Mapping[_Table, tuple[str, str]]:
    """Content before and after of the tables that differ; the same object while nothing has changed."""
    layout = _layout(after)
    contents = parts.get(after, "contents", layout.names, partial(_new_contents, after, parts))
    return parts.get(after, "changed", (), partial(_unequal, layout, baseline, contents), contents, baseline)


def _unequal(layout: _Layout, baseline: Baseline, contents: Row) -> dict[_Table, tuple[str, str]]:
    pairs = zip(layout.tables, baseline.contents, contents, strict=True)
    return {table: (old, new) for table, old, new in pairs if old != new}


def _new_contents(world: World, parts: Derived) -> Row:
    """The content of each table to compare, read again only where the table was written."""
    layout = _layout(world)
    if parts.stamp(world, ()) is None:
        return _contents(world)
    return tuple(parts.get(world, table.name, (table.name,), partial(_content, world, table)) for table in layout.tables)


def _content(world: World, table: _Table) -> str:
    return str(world.execute(f"SELECT {table.content}").fetchone()[0])


def _master_changes(after: World, changed: Mapping[_Table, tuple[str, str]]) -> tuple[Change, ...]:
    changes: list[Change] = []
    for table, texts in changed.items():
        old, new = ([tuple(row) for row in json.loads(text)] for text in texts)
        changes += _differences(table, old, new, _stable_key(after, table))
    return tuple(changes)


def _other_changes(after: World, baseline: Baseline) -> tuple[Change, ...]:
    changes: list[Change] = []
    for model, (_, columns) in _OTHER.items():
        known, found = baseline.other[model], _by_id(after, model)
        if known != found:
            changes += _compared(model, known, found, columns, lambda row: str(row[1] or f"#{row[0]}"))
    return tuple(changes)


def _differences(table: _Table, old: Sequence[Row], new: Sequence[Row], key: Callable[[Row], str]) -> list[Change]:
    if table.is_record:
        return _compared(table.model, {row[0]: row for row in old}, {row[0]: row for row in new}, table.columns, key)
    gone, come = sorted(set(old) - set(new)), sorted(set(new) - set(old))
    return [Change(table.model, key(row), "deleted") for row in gone] + [Change(table.model, key(row), "created") for row in come]


def _compared(
    model: str, old: Mapping[int, Row], new: Mapping[int, Row], columns: Sequence[str], key: Callable[[Row], str]
) -> list[Change]:
    changes = []
    for number in sorted(old.keys() | new.keys()):
        was, now = old.get(number), new.get(number)
        if was is None and now is not None:
            changes.append(Change(model, key(now), "created"))
        elif now is None and was is not None:
            changes.append(Change(model, key(was), "deleted"))
        elif was is not None and now is not None and was != now:
            fields = tuple(name for name, one, other in zip(columns, was, now, strict=True) if one != other)
            changes.append(Change(model, key(was), "changed", fields))
    return changes


_OWN_KEYS = ("ref", "default_code", "code", "key", "name")
_LINKED_KEYS: Mapping[str, str] = {
    "partner_id": _PARTNERS,
    "res_partner_id": _PARTNERS,
    "product_id": _PRODUCTS,
    "workcenter_id": _CENTERS,
    "product_tmpl_id": "SELECT id, default_code FROM product_template",
    "product_template_id": "SELECT id, default_code FROM product_template",
    "bom_id": "SELECT b.id, t.default_code FROM mrp_bom b JOIN product_template t ON t.id = b.product_tmpl_id",
}
"""SQL for the keys of the records that a column refers to."""


def _stable_key(world: World, table: _Table) -> Callable[[Row], str]:
    """How a row is named: by its own key, else by those of the records that it refers to, else by its id."""
    own = [table.columns.index(name) for name in _OWN_KEYS if name in table.columns]
    links = [(place, _keyed(world, _LINKED_KEYS[name])) for place, name in enumerate(table.columns) if name in _LINKED_KEYS]

    def key(row: Row) -> str:
        for position in own:
            if row[position]:
                return str(row[position])
        parts = [str(keys[row[position]]) for position, keys in links if row[position] is not None]
        return "|".join(parts) or (f"#{row[0]}" if table.is_record else "|".join(map(str, row)))

    return key
