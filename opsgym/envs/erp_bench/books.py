"""Books: the documents of an ERP as its tables hold them, brought up to date row by row.

A mirror holds the columns of a table that documents are made of; what was written is read again by its key, and only the
documents that such a row belongs to, before or after, are made anew.  One that comes out equal stays the same object.
"""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from copy import copy
from typing import Any, Generic, Literal, Self, TypeVar

from opsgym.core.changes import Key
from opsgym.core.world import World
from opsgym.envs.erp_bench.state import DocState, Invoice, Production, Purchase, PurchaseLine, Sale, SaleLine, WorkOrder

Row = tuple[Any, ...]
Pair = tuple[Row | None, Row | None]
"""A row before and after; ``None`` where there was none."""
D = TypeVar("D", Sale, Purchase, Production, Invoice)

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

PARTNERS = "SELECT id, ref FROM res_partner"
PRODUCTS = "SELECT p.id, t.default_code FROM product_product p JOIN product_template t ON t.id = p.product_tmpl_id"
CENTERS = "SELECT id, code FROM mrp_workcenter"
TERMS = "SELECT id, name FROM account_payment_term"
_GOODS = "SELECT p.id FROM product_product p JOIN product_template t ON t.id = p.product_tmpl_id WHERE t.type <> 'service'"
NAMED = ("res_partner", "product_product", "product_template", "mrp_workcenter", "account_payment_term")
"""Tables that the queries above read."""


class Keys(dict[int | None, str | None]):
    """Business keys by id; a record without one is shown as ``#<id>``, no record as ``None``."""

    def __missing__(self, number: int | None) -> str | None:
        return None if number is None else f"#{number}"


def keyed(world: World, sql: str) -> Keys:
    """Business keys by id."""
    return Keys((number, key) for number, key in world.execute(sql) if key)


class Names:
    """Stable keys of the records that documents refer to, and which products are goods."""

    def __init__(self, world: World) -> None:
        self.partner = keyed(world, PARTNERS)
        self.product = keyed(world, PRODUCTS)
        self.center = keyed(world, CENTERS)
        self.term = keyed(world, TERMS)
        self.goods = frozenset([product for (product,) in world.execute(_GOODS)])


class Mirror:
    """Some columns of a table, by id.

    Args:
        table: The table.
        links: Columns with ids of the records that a row belongs to; they come first in :attr:`rows`, after the row's own id.
        columns: The other columns.

    Attributes:
        rows: The rows.
        owned: For each of ``links`` the ids of the rows that belong to a record, by the record's id.
    """

    __slots__ = ("_select", "owned", "rows", "table")

    def __init__(self, table: str, links: tuple[str, ...], columns: str) -> None:
        self.table = table
        self._select = f"SELECT id, {', '.join((*links, columns))} FROM {table}"
        self.rows: dict[int, Row] = {}
        self.owned: tuple[dict[int, set[int]], ...] = tuple({} for _ in links)

    def read(self, world: World) -> None:
        """Read every row."""
        self.rows = {row[0]: row for row in world.execute(f"{self._select} ORDER BY id").fetchall()}
        for place, owned in enumerate(self.owned, 1):
            owned.clear()
            for key, row in self.rows.items():
                owned.setdefault(row[place], set()).add(key)

    def update(self, world: World, keys: Iterable[Key]) -> list[Pair]:
        """Read rows again; gives those that differ."""
        found: list[Pair] = []
        rows, sql, execute = self.rows, f"{self._select} WHERE id = ?", world.conn.execute
        for key in keys:
            if not isinstance(key, int):
                continue  # the table has a key, and it is an integer
            old, new = rows.get(key), execute(sql, (key,)).fetchone()
            if old == new:
                continue
            found.append((old, new))
            for place, owned in enumerate(self.owned, 1):
                if old is not None:
                    owned[old[place]].discard(key)
                if new is not None:
                    owned.setdefault(new[place], set()).add(key)
            if new is None:
                del rows[key]
            else:
                rows[key] = new
        return found

    def copy(self) -> Self:
        """A copy that shares nothing that changes."""
        twin = copy(self)
        twin.rows = self.rows.copy()
        twin.owned = tuple({owner: keys.copy() for owner, keys in owned.items()} for owned in self.owned)
        return twin

    def of(self, owner: int, link: int = 0) -> list[Row]:
        """The rows that belong to a record, by id."""
        keys, rows = self.owned[link].get(owner), self.rows
        return [rows[key] for key in sorted(keys)] if keys else []


class Shelf(Generic[D]):
    """The documents of a kind, in the order of their names and ids.

    Attributes:
        all: The documents.
        by_id: The documents by id.
    """

    def __init__(self, heads: Mirror, make: Callable[[Row], D | None]) -> None:
        self._heads = heads
        self._make: Callable[[Row], D | None] = make
        self._order: list[int] | None = None
        self.by_id: dict[int, D] = {}
        self.all: tuple[D, ...] = ()

    def take(self, other: Shelf[D]) -> None:
        """Hold the same documents."""
        self._order, self.by_id, self.all = other._order, other.by_id.copy(), other.all

    def renew(self, keys: Collection[int]) -> None:
        """Make documents anew."""
        if not keys:
            return
        differing, by_id, rows = False, self.by_id, self._heads.rows
        for key in keys:
            row = rows.get(key)
            old, new = by_id.get(key), None if row is None else self._make(row)
            if old == new:
                continue
            if old is None or new is None or old.name != new.name:
                self._order = None
            if new is None:
                del by_id[key]
            else:
                by_id[key] = new
            differing = True
        if differing:
            if self._order is None:
                self._order = sorted(by_id, key=self._place)
            self.all = tuple([by_id[key] for key in self._order])

    def _place(self, key: int) -> tuple[bool, str, int]:
        """Those without a name come first; made of what the document shows, so that it moves only with it."""
        name = self.by_id[key].name
        is_named = name != f"#{key}"
        return is_named, name if is_named else "", key


_HEADS = {  # the name comes first
    "sale_order": "name, client_order_ref, partner_id, state, commitment_date, payment_term_id, amount_untaxed, amount_total",
    "purchase_order": "name, partner_id, state, origin",
    "mrp_production": "name, product_id, product_qty, state, date_start, date_deadline, date_finished, origin",
    "account_move": "name, partner_id, state, invoice_payment_term_id, amount_untaxed, amount_total, move_type, invoice_origin",
}
_CHILDREN: Mapping[str, tuple[tuple[str, ...], str]] = {
    "sale_order_line": (("order_id",), "product_id, product_uom_qty, price_unit, is_downpayment"),
    "purchase_order_line": (
        ("order_id",),
        "product_id, product_qty, price_unit * (1 - COALESCE(discount, 0) / 100), date_planned, price_unit",
    ),
    "mrp_workorder": (("production_id",), "workcenter_id, state, date_start, date_finished"),
    "stock_move": (
        ("raw_material_production_id", "production_id", "sale_line_id", "purchase_line_id", "picking_id"),
        "state, product_id, product_uom_qty, reference, date",
    ),
    "stock_picking": (("sale_id", "purchase_id"), "name, partner_id, origin"),
    "account_move_line": (("move_id",), "price_subtotal, product_id, display_type"),
}
_LINKS = "account_move_line_sale_line_ids_rel"
TABLES: tuple[str, ...] = (*_HEADS, *_CHILDREN, _LINKS)
"""The tables of which the books are made."""
ORDERS = ("sale_order", "purchase_order", "mrp_production")
"""The tables of documents whose goods move."""


class Books:
    """The documents of a world, and the records in their tables that belong to none.

    Attributes:
        sales, purchases, productions, invoices: The documents.
        done: References of the stock moves that are done, by id.
        entries, moves, pickings: Entries that are no invoices, goods moved and transfers that belong to no document, by id.
    """

    def __init__(self, world: World, names: Names) -> None:
        self.names = names
        mirrors = {table: Mirror(table, (), columns) for table, columns in _HEADS.items()}
        mirrors |= {table: Mirror(table, links, columns) for table, (links, columns) in _CHILDREN.items()}
        for mirror in mirrors.values():
            mirror.read(world)
        self._arrange(mirrors)
        self.done: dict[int, str | None] = {}
        self.entries: dict[int, Row] = {}
        self.moves: dict[int, Row] = {}
        self.pickings: dict[int, Row] = {}
        self._read_links(world)
        self.sales.renew(mirrors["sale_order"].rows)
        self.purchases.renew(mirrors["purchase_order"].rows)
        self.productions.renew(mirrors["mrp_production"].rows)
        self.invoices.renew(mirrors["account_move"].rows)
        self._sort_entries(mirrors["account_move"].rows)
        self._sort_moves(self._moves.rows)
        self._sort_pickings(self._pickings.rows)

    def _arrange(self, mirrors: dict[str, Mirror]) -> None:
        self._mirrors = mirrors
        self._sale_lines, self._purchase_lines = mirrors["sale_order_line"], mirrors["purchase_order_line"]
        self._work, self._moves, self._pickings = mirrors["mrp_workorder"], mirrors["stock_move"], mirrors["stock_picking"]
        self._invoice_lines, self._sale_heads = mirrors["account_move_line"], mirrors["sale_order"]
        self.sales = Shelf(mirrors["sale_order"], self._sale)
        self.purchases = Shelf(mirrors["purchase_order"], self._purchase)
        self.productions = Shelf(mirrors["mrp_production"], self._production)
        self.invoices = Shelf(mirrors["account_move"], self._invoice)

    def copy(self) -> Self:
        """A copy that shares nothing that changes."""
        twin = copy(self)
        twin._arrange({table: mirror.copy() for table, mirror in self._mirrors.items()})
        twin.sales.take(self.sales)
        twin.purchases.take(self.purchases)
        twin.productions.take(self.productions)
        twin.invoices.take(self.invoices)
        twin.done, twin.entries = self.done.copy(), self.entries.copy()
        twin.moves, twin.pickings = self.moves.copy(), self.pickings.copy()
        return twin

    def mirror(self, table: str) -> Mirror:
        """The rows of one of :data:`TABLES` but the one of links."""
        return self._mirrors[table]

    def shelf(self, table: str) -> Shelf[Any]:
        """The documents of one of :data:`ORDERS`."""
        shelves: tuple[Shelf[Any], ...] = (self.sales, self.purchases, self.productions)
        return shelves[ORDERS.index(table)]

    def _read_links(self, world: World) -> dict[int, list[int]]:
        """Sales order lines by the invoice line that charges them."""
        found: dict[int, list[int]] = {}
        for line, sold in world.execute(f"SELECT account_move_line_id, sale_order_line_id FROM {_LINKS}").fetchall():
            found.setdefault(line, []).append(sold)
        self._links = found
        return found

    def update(self, world: World, written: Mapping[str, Iterable[Key]]) -> dict[str, set[int]]:
        """Bring the books up to date.

        Args:
            world: The world.
            written: Keys of the rows that were written, by table.

        Returns:
            Ids of orders that differ, or whose lines or goods do, by table.
        """
        links, pairs = self._links, defaultdict[str, list[Pair]](list)
        for table, keys in written.items():
            if table in self._mirrors:
                pairs[table] = self._mirrors[table].update(world, keys)
        if _LINKS in written:
            self._read_links(world)
        moves, pickings = pairs["stock_move"], pairs["stock_picking"]
        sold = _owners(pairs["sale_order"], 0) | _owners(pairs["sale_order_line"], 1)
        bought = _owners(pairs["purchase_order"], 0) | _owners(pairs["purchase_order_line"], 1)
        made = _owners(pairs["mrp_production"], 0) | _owners(pairs["mrp_workorder"], 1)
        if moves:
            made |= _owners(moves, 1) | _owners(moves, 2)
            sold |= self._orders(self._sale_lines, pairs["sale_order_line"], _owners(moves, 3))
            bought |= self._orders(self._purchase_lines, pairs["purchase_order_line"], _owners(moves, 4))
            self._sort_moves(_owners(moves, 0))
        if moves or pickings:
            self._sort_pickings(_owners(pickings, 0) | _owners(moves, 5))
        self.sales.renew(sold)
        self.purchases.renew(bought)
        self.productions.renew(made)
        self._update_invoices(pairs, links)
        return {"sale_order": sold, "purchase_order": bought, "mrp_production": made}

    def concerned(self, written: Mapping[str, Iterable[Any]]) -> set[str | None]:
        """Names of the orders that rows belong to, of sales orders down to their goods."""
        mirrors = self._mirrors
        found = {
            row[1] for table in ORDERS for key in written.get(table, ()) if (row := mirrors[table].rows.get(key)) is not None
        }
        moves = (self._moves.rows.get(key) for key in written.get("stock_move", ()))
        lines = {row[3] for row in moves if row is not None} | {*written.get("sale_order_line", ())}
        sold = (self._sale_lines.rows.get(key) for key in lines)
        sent = (self._pickings.rows.get(key) for key in written.get("stock_picking", ()))
        orders = {row[1] for row in (*sold, *sent) if row is not None}
        return found | {row[1] for key in orders if (row := self._sale_heads.rows.get(key)) is not None}

    def _update_invoices(self, pairs: Mapping[str, list[Pair]], links: dict[int, list[int]]) -> None:
        heads = _owners(pairs["account_move"], 0)
        if heads:
            self._sort_entries(heads)
        if not self.invoices.by_id and not heads:
            return
        charged = _differing(pairs["sale_order_line"], 1, 2, 5)
        charged |= {line[0] for order in _differing(pairs["sale_order"], 1) for line in self._sale_lines.of(order)}
        lines = {line for line, sold in self._links.items() if not charged.isdisjoint(sold)} if charged else set()
        if links is not self._links:
            lines |= {line for line in links.keys() | self._links.keys() if links.get(line) != self._links.get(line)}
        heads |= {self._invoice_lines.rows[line][1] for line in lines if line in self._invoice_lines.rows}
        self.invoices.renew(heads | _owners(pairs["account_move_line"], 1))

    @staticmethod
    def _orders(lines: Mirror, pairs: list[Pair], keys: set[int]) -> set[int]:
        """The orders of lines, of those that are gone too."""
        gone = {old[0]: old for old, new in pairs if old is not None and new is None}
        rows = (lines.rows.get(key) or gone.get(key) for key in keys)
        return {row[1] for row in rows if row is not None}

    # -- documents ------------------------------------------------------------------------------------------

    def _sale(self, row: Row) -> Sale:
        key, name, ref, partner, state, commitment, term, untaxed, _ = row
        product = self.names.product
        lines = [
            SaleLine(product[code], units, price, bool(advance)) for _, _, code, units, price, advance in self._sale_lines.of(key)
        ]
        terms, partners = self.names.term, self.names.partner
        return Sale(
            name or f"#{key}", ref, partners[partner], _STATES[state], day(commitment), terms[term], untaxed, tuple(lines)
        )

    def _purchase(self, row: Row) -> Purchase:
        key, name, partner, state, origin = row
        product = self.names.product
        lines = [
            PurchaseLine(product[code], units, price, day(planned))
            for _, _, code, units, price, planned, _ in self._purchase_lines.of(key)
        ]
        return Purchase(name or f"#{key}", self.names.partner[partner], _STATES[state], _tokens(origin), tuple(lines))

    def _production(self, row: Row) -> Production:
        key, name, product, quantity, state, start, deadline, finish, origin = row
        centers, products = self.names.center, self.names.product
        work = [WorkOrder(centers[each], status, day(first), day(last)) for _, _, each, status, first, last in self._work.of(key)]
        raw = [(products[move[7]], move[8]) for move in self._moves.of(key) if _is_live(move[6])]
        return Production(
            name or f"#{key}",
            products[product],
            quantity,
            _STATES[state],
            day(start),
            day(deadline),
            day(finish),
            _tokens(origin),
            tuple(work),
            tuple(raw),
        )

    def _invoice(self, row: Row) -> Invoice | None:
        key, name, partner, state, term, untaxed, total, kind, _ = row
        if kind != "out_invoice":
            return None
        charges: list[tuple[float, bool, int | None]] = []
        orders: set[str] = set()
        for line, _, amount, product, display in self._invoice_lines.of(key):
            if display != "product":
                continue
            for sold in self._links.get(line) or (None,):
                charged = None if sold is None else self._sale_lines.rows.get(sold)
                same = product == (None if charged is None else charged[2])
                charges.append((amount, same, None if charged is None else charged[5]))
                order = None if charged is None else self._sale_heads.rows.get(charged[1])
                if order is not None and order[1] is not None:
                    orders.add(order[1])
        return Invoice(
            name or f"#{key}",
            self.names.partner[partner],
            _INVOICE_STATES[state],
            self.names.term[term],
            untaxed,
            total,
            tuple(sorted(orders)),
            _kind(charges),
        )

    # -- goods that move --------------------------------------------------------------------------------------

    def is_loose(self, table: str, key: int) -> bool:
        """Whether a confirmed order's goods are not planned to move in the quantity and on the day that it states."""
        row = self._mirrors[table].rows.get(key)
        if row is None:
            return False
        if table == "mrp_production":
            return row[4] in ("confirmed", "progress", "to_close", "done") and self._strays(key, 2, row[2], row[3], None)
        if table == "sale_order":
            sold = ((line[0], line[2], line[3], row[5]) for line in self._sale_lines.of(key)) if row[4] == "sale" else ()
            return any(
                self._strays(line, 3, product, max(units, 0), on)
                for line, product, units, on in sold
                if product in self.names.goods
            )
        bought = ((line[0], line[2], line[3], line[5]) for line in self._purchase_lines.of(key)) if row[3] == "purchase" else ()
        return any(
            self._strays(line, 4, product, max(units, 0), on)
            for line, product, units, on in bought
            if product in self.names.goods
        )

    def _strays(self, owner: int, link: int, product: int | None, units: float, moment: str | None) -> bool:
        """Whether the live moves of an order or line do not bring ``units`` of its product, on a day where one is given."""
        moved = 0.0
        for move in self._moves.of(owner, link - 1):
            if not _is_live(move[6]):
                continue
            on_day = move[6] == "done" or link == 2 or (move[10] is not None and (moment is None or move[10][:10] == moment[:10]))
            moved += move[8] if move[7] == product and on_day else _FAR_OFF
        return abs(units - moved) > _LEAST

    # -- what belongs to no document ------------------------------------------------------------------------

    def _sort_entries(self, keys: Iterable[int]) -> None:
        rows = self._mirrors["account_move"].rows
        for key in keys:
            self.entries.pop(key, None)
            row = rows.get(key)
            if row is not None and row[7] is not None and row[7] != "out_invoice":
                self.entries[key] = (key, row[1], row[3], row[6], row[2])

    def _sort_moves(self, keys: Iterable[int]) -> None:
        rows = self._moves.rows
        for key in keys:
            row = rows.get(key)
            self.done.pop(key, None)
            self.moves.pop(key, None)
            if row is None:
                continue
            if row[6] == "done":
                self.done[key] = row[9]
            if _is_live(row[6]) and row[1] is row[2] is row[3] is row[4] is None:
                self.moves[key] = (key, row[9], row[6], row[7], row[8])

    def _sort_pickings(self, keys: Iterable[int]) -> None:
        for key in keys:
            row = self._pickings.rows.get(key)
            self.pickings.pop(key, None)
            if row is not None and row[1] is None and row[2] is None:
                moves = self._moves.of(key, 4)
                if not moves or any(_is_live(move[6]) for move in moves):
                    self.pickings[key] = (key, row[3], row[4], row[5])


_FAR_OFF, _LEAST = 1e9, 1e-6
"""Units that stand for a move of something else or on another day, and those that do not matter."""


def _owners(pairs: list[Pair], place: int) -> set[int]:
    """What stands in a column of the rows, before and after."""
    if not pairs:
        return set()
    return {row[place] for pair in pairs for row in pair if row is not None and row[place] is not None}


def _differing(pairs: list[Pair], *places: int) -> set[int]:
    """Ids of the rows that came, went or differ in one of the columns."""
    found = set()
    for old, new in pairs:
        row = old or new
        if row is not None and (old is None or new is None or any(old[place] != new[place] for place in places)):
            found.add(row[0])
    return found


def _is_live(state: str | None) -> bool:
    return state is not None and state != "cancel"


def day(moment: str | None) -> dt.date | None:
    """The date of a moment as the ERP writes it."""
    return None if moment is None else dt.date.fromisoformat(moment[:10])


def _tokens(origin: str | None) -> tuple[str, ...]:
    return tuple([token for token in map(str.strip, (origin or "").split(",")) if token])


def _kind(charges: list[tuple[float, bool, int | None]]) -> Literal["regular", "downpayment", "other"]:
    """What an invoice is for, by the sales order lines that its amounts are linked to.

    A down payment charges nothing but down-payment lines; a regular invoice charges what was ordered and may take
    down payments off.  An amount without a link, for another product than was ordered or taken off what was ordered,
    or both charges on one invoice, is neither.

    Args:
        charges: Amounts, whether each is for the product of the line that it is linked to, and whether that is a down payment.
    """
    if not charges or any(advance is None or not same for _, same, advance in charges):
        return "other"
    if any(amount < 0 and not advance for amount, _, advance in charges):
        return "other"
    ordered = any(not advance for _, _, advance in charges)
    charged = any(advance and amount >= 0 for amount, _, advance in charges)
    if ordered and charged:
        return "other"
    return "regular" if ordered else "downpayment" if charged else "other"
