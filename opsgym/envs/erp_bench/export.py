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
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter, is_
from typing import Any
from weakref import WeakKeyDictionary

from opsgym.core.errors import TaskError
from opsgym.core.world import CLOCK, World
from opsgym.envs.erp_bench.books import CENTERS, ORDERS, PARTNERS, PRODUCTS, TABLES, Books, Names, keyed
from opsgym.envs.erp_bench.ledger import Ledger, News, keep_seeded, ledger_of
from opsgym.envs.erp_bench.standing import standing_of, touched
from opsgym.envs.erp_bench.state import Change, ErpState

Row = tuple[Any, ...]

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

_PARTS_OF = attrgetter(*ErpState.__match_args__)
"""Gives the parts of a state."""

_KEPT: WeakKeyDictionary[World, _Kept] = WeakKeyDictionary()


def export_state(before: World | Baseline, after: World) -> ErpState:
    """The end state of a world; the same object while nothing has changed, and of the same parts as far as they have not.

    Args:
        before: The world as it was seeded, of which what is read is kept while it does not change; or :func:`baseline_of` it.
        after: The world to export; of one that is exported again and again only what was written is read anew.

    Raises:
        TaskError: The two worlds have different schemas.
    """
    if before.schema != after.schema:
        raise TaskError("the two worlds have different tables", field="world")
    kept = _KEPT.get(after)
    if kept is None:
        kept = _KEPT[after] = _Kept(ledger_of(after))
    return kept.export(after, before if isinstance(before, Baseline) else baseline_of(before))


class _Kept:
    """What is kept of a world that was exported; never the world, or neither would ever be freed."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger, self._news = ledger, ledger.reader()
        self._read: _Reading | None = None

    def export(self, after: World, baseline: Baseline) -> ErpState:
        """The state of the world."""
        news, read = self._news, self._read
        news.wants_names = bool(baseline.documents.known)
        books = self._ledger.pull(after)
        if books is None:
            return _Reading(after, baseline, Books(after, Names(after))).state
        try:
            if read is None or read.baseline is not baseline or news.everything:
                self._read = read = _Reading(after, baseline, books, read)
            elif news.written:
                read.update(after, news)
        except BaseException:
            self._read = None  # the world is damaged, and the reading half done
            raise
        news.clear()
        return read.state


class _Reading:
    """A state, and that of which it was made.

    Args:
        after: The world.
        baseline: The seeded world.
        books: Its books.
        last: An older reading of the same world; equal parts stay the same objects.
    """

    def __init__(self, after: World, baseline: Baseline, books: Books, last: _Reading | None = None) -> None:
        self.baseline, self._books = baseline, books
        if after.origin is not None and after.origin is baseline.origin:  # as it was seeded
            self._contents, self._master = baseline.contents, tuple[Change, ...]()
            self._loose = baseline.loose.copy()
            today, seeded = baseline.today, tuple[Change, ...]()
        else:
            written = after.written_since(baseline.origin)
            self._contents = _contents(after) if written is None else _renewed(baseline.contents, after, written)
            self._master = _master_changes(after, baseline, self._contents)
            self._loose = loose_documents(books)
            today, seeded = after.today, touched(baseline.documents, after)
        self.state = self._state(today, self._master + _other_changes(self._books, baseline), seeded)
        if last is not None:
            self.state = _merged(last.state, self.state)

    def _state(self, today: dt.date, master: tuple[Change, ...], seeded: tuple[Change, ...]) -> ErpState:
        books = self._books
        return ErpState(
            today=today,
            sales=books.sales.all,
            purchases=books.purchases.all,
            productions=books.productions.all,
            invoices=books.invoices.all,
            master_changes=master,
            moved_stock=_moved_stock(books, self.baseline),
            touched=seeded,
            loose=tuple(sorted(set(self._loose.values()))) if self._loose else (),
        )

    def update(self, after: World, news: News) -> None:
        """Take up what was written, after the books did."""
        written = news.written
        old, layout = self.state, _layout(after)
        master, changed = old.master_changes, old.touched
        rewritten = not written.keys().isdisjoint(layout.by_name)
        is_booked = not written.keys().isdisjoint(TABLES)
        if not rewritten and not is_booked and CLOCK not in written:
            return
        if rewritten:
            self._contents = _renewed(self._contents, after, written)
            self._master = _master_changes(after, self.baseline, self._contents)
        books = self._books
        if is_booked:
            self._renew_loose(news.orders)
            if not self.baseline.documents.known.isdisjoint(news.names):
                changed = touched(self.baseline.documents, after)
        if rewritten or is_booked:
            master = self._master + _other_changes(books, self.baseline)
        today = after.today if CLOCK in written else old.today
        self.state = _merged(old, self._state(today, master, changed))

    def _renew_loose(self, documents: Mapping[str, set[int]]) -> None:
        books, loose = self._books, self._loose
        for table, keys in documents.items():
            for key in keys:
                loose.pop((table, key), None)
                if books.is_loose(table, key):
                    loose[table, key] = books.shelf(table).by_id[key].name


def loose_documents(books: Books) -> dict[tuple[str, int], str]:
    """Names of the documents whose goods do not move as they say, by table and id."""
    return {
        (table, key): document.name
        for table in ORDERS
        for key, document in books.shelf(table).by_id.items()
        if books.is_loose(table, key)
    }


def _merged(old: ErpState, new: ErpState) -> ErpState:
    """The new state, with the old one's parts where they are equal."""
    before = _PARTS_OF(old)
    kept = [was if was is now or was == now else now for was, now in zip(before, _PARTS_OF(new), strict=True)]
    return old if all(map(is_, kept, before)) else ErpState(*kept)


# -- everything else: default deny --------------------------------------------------------------------------


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
    """The tables to compare, by name too, and one statement for their contents."""

    tables: tuple[_Table, ...]
    by_name: Mapping[str, _Table]
    select: str


class Baseline:
    """What an end state is compared with: what is read of the seeded world, and the snapshot that the world equals, if any."""

    def __init__(self, before: World) -> None:
        self.schema, self.origin, self.today = before.schema, before.origin, before.today
        self.contents = _contents(before)
        self.books = Books(before, Names(before))
        self.documents, self.loose = standing_of(before), loose_documents(self.books)
        keep_seeded(before, self.books)


_LAYOUTS: dict[str, _Layout] = {}
_BASELINES: WeakKeyDictionary[World, tuple[tuple[int, int], Baseline]] = WeakKeyDictionary()
"""What is kept of seeded worlds, and the version of each that was read."""

_OTHER: Mapping[str, tuple[Callable[[Books], dict[int, Row]], tuple[str, ...]]] = {
    "account.move": (lambda books: books.entries, ("id", "name", "state", "amount_total", "partner_id")),
    "stock.move": (lambda books: books.moves, ("id", "reference", "state", "product_id", "product_uom_qty")),
    "stock.picking": (lambda books: books.pickings, ("id", "name", "partner_id", "origin")),
}
"""Records in the tables of documents that belong to no document, with their columns: bills, entries, goods moved by hand."""


def _layout(world: World) -> _Layout:
    """The tables to compare; looked up once a schema."""
    found = _LAYOUTS.get(world.schema)
    if found is None:
        names = [name for name in world.tables() if name not in DOCUMENTS and name not in IGNORED]
        tables = tuple(_Table(name, world.columns(name)) for name in names)
        select = "SELECT " + ", ".join(table.content for table in tables)
        found = _LAYOUTS[world.schema] = _Layout(tables, {table.name: table for table in tables}, select)
    return found


def _contents(world: World) -> Row:
    """The content of each table to compare."""
    found: Row = world.execute(_layout(world).select).fetchone()
    return found


def _renewed(contents: Row, world: World, written: Iterable[str]) -> Row:
    """Contents in which the tables that were written are read again."""
    layout, renewed = _layout(world), list(contents)
    for name in written:
        if name in layout.by_name:
            renewed[layout.tables.index(layout.by_name[name])] = _content(world, layout.by_name[name])
    return tuple(renewed)


def baseline_of(before: World) -> Baseline:
    """What is read of a seeded world; read again when it has changed."""
    known = _BASELINES.get(before)
    if known is not None and known[0] == before.version:
        if known[1].origin is None:
            known[1].origin = before.origin  # a snapshot was taken since
            keep_seeded(before, known[1].books)
        return known[1]
    found = Baseline(before)
    if not before.conn.in_transaction:  # else it may be rolled back, at the same version
        _BASELINES[before] = before.version, found
    return found


def _moved_stock(books: Books, baseline: Baseline) -> tuple[Change, ...]:
    """Goods that were moved since the world was seeded: receipts, deliveries, productions, inventory counts."""
    moved = sorted(books.done.keys() - baseline.books.done.keys())
    return tuple([Change("stock.move", books.done[key] or f"#{key}", "changed", ("state",)) for key in moved])


def _unequal(layout: _Layout, baseline: Baseline, contents: Row) -> dict[_Table, tuple[str, str]]:
    """Content before and after of the tables that differ."""
    pairs = zip(layout.tables, baseline.contents, contents, strict=True)
    return {table: (old, new) for table, old, new in pairs if old != new}


def _content(world: World, table: _Table) -> str:
    return str(world.execute(f"SELECT {table.content}").fetchone()[0])


def _master_changes(after: World, baseline: Baseline, contents: Row) -> tuple[Change, ...]:
    changes: list[Change] = []
    for table, texts in _unequal(_layout(after), baseline, contents).items():
        old, new = ([tuple(row) for row in json.loads(text)] for text in texts)
        changes += _differences(table, old, new, _stable_key(after, table))
    return tuple(changes)


def _other_changes(books: Books, baseline: Baseline) -> tuple[Change, ...]:
    changes: list[Change] = []
    for model, (of, columns) in _OTHER.items():
        known, found = of(baseline.books), of(books)
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
    "partner_id": PARTNERS,
    "res_partner_id": PARTNERS,
    "product_id": PRODUCTS,
    "workcenter_id": CENTERS,
    "product_tmpl_id": "SELECT id, default_code FROM product_template",
    "product_template_id": "SELECT id, default_code FROM product_template",
    "bom_id": "SELECT b.id, t.default_code FROM mrp_bom b JOIN product_template t ON t.id = b.product_tmpl_id",
}
"""SQL for the keys of the records that a column refers to."""


def _stable_key(world: World, table: _Table) -> Callable[[Row], str]:
    """How a row is named: by its own key, else by those of the records that it refers to, else by its id."""
    own = [table.columns.index(name) for name in _OWN_KEYS if name in table.columns]
    links = [(place, keyed(world, _LINKED_KEYS[name])) for place, name in enumerate(table.columns) if name in _LINKED_KEYS]

    def key(row: Row) -> str:
        for position in own:
            if row[position]:
                return str(row[position])
        parts = [str(keys[row[position]]) for position, keys in links if row[position] is not None]
        return "|".join(parts) or (f"#{row[0]}" if table.is_record else "|".join(map(str, row)))

    return key
