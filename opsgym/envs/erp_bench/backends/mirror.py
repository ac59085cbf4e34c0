"""Mirror: the records of a live ERP, read over JSON-2 into the tables of the embedded one.

What reads records (tools that look up, the verifier's export) reads tables; so it works on a live ERP as it stands.
A mirror holds the fields that the embedded ERP stores, under the live ids.  It is only ever read, and after a change in the live
ERP a table is read again when it is next asked for.
"""

from __future__ import annotations

import datetime as dt
import re
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from opsgym.core.errors import BackendError, ToolError
from opsgym.core.world import World
from opsgym.envs.erp_bench.backends.json2 import Json2
from opsgym.envs.erp_bench.backends.text import noted_cost, plain
from opsgym.envs.erp_bench.erp import DDL
from opsgym.envs.erp_bench.erp.fields import NUMERIC, TEXTUAL, Field, table_of
from opsgym.envs.erp_bench.erp.registry import MODELS

MASTER = (
    "res.currency",
    "account.tax",
    "account.payment.term",
    "account.payment.term.line",
    "res.company",
    "res.users",
    "res.partner.category",
    "res.partner",
    "product.category",
    "uom.uom",
    "product.template",
    "product.product",
    "stock.location",
    "stock.warehouse",
    "stock.route",
    "stock.picking.type",
    "mrp.workcenter",
    "mrp.bom",
    "mrp.bom.line",
    "mrp.routing.workcenter",
    "ir.config_parameter",
    "ir.attachment",
)
"""Models that business verbs leave alone; read when a task is seeded and when its state is asked for."""

MOVING = (
    "product.supplierinfo",  # confirming a purchase from a vendor without an offer adds one
    "sale.order",
    "sale.order.line",
    "purchase.order",
    "purchase.order.line",
    "mrp.production",
    "mrp.workorder",
    "stock.quant",
    "stock.picking",
    "stock.move",
    "account.move",
    "account.move.line",
    "account.payment",
    "mail.message",
)
"""Models of which any business verb may write records."""

_NOTED = ("mrp.production", "sale.order", "purchase.order", "account.move", "res.partner")
_DOMAINS: Mapping[str, list[Any]] = {
    "account.move.line": [["display_type", "in", ["product", "line_section", "line_note"]]],
    "ir.attachment": [["res_model", "=", False]],
    "mail.message": [["model", "in", list(_NOTED)]],
}
"""What is read of a model where it is not all: no journal items, no files of the web client, notes on documents."""

_OPERATION = "mrp.routing.workcenter"
_WORD = re.compile(r"\w+")


class LiveWorld(World):
    """A world that has its tables read before they are asked for."""

    refresh: Callable[[Iterable[str] | None], None] | None = None
    """Has those of the named tables read that are out of date, or all."""

    def execute(self, sql: str, params: Sequence[Any] = ()) -> sqlite3.Cursor:
        """See :meth:`~opsgym.core.world.World.execute`."""
        if self.refresh:
            self.refresh(_WORD.findall(sql))
        return super().execute(sql, params)

    def stamp(self, *tables: str) -> tuple[int, ...] | None:
        """See :meth:`~opsgym.core.world.World.stamp`."""
        if self.refresh:
            self.refresh(None)
        return super().stamp(*tables)

    def pull(self) -> bool:
        """See :meth:`~opsgym.core.world.World.pull`."""
        if self.refresh:
            self.refresh(None)
        return super().pull()

    @property
    def version(self) -> tuple[int, int]:
        """See :attr:`~opsgym.core.world.World.version`."""
        if self.refresh:
            self.refresh(None)
        return super().version


class Mirror:
    """A copy of a live ERP's records.

    Args:
        client: The live ERP.
        today: Day on which the copy lives.

    Attributes:
        world: The copy.
    """

    def __init__(self, client: Json2, today: dt.date) -> None:
        self._client = client
        self._stale: dict[str, None] = {}
        self.world = LiveWorld(DDL, today=today)
        # a live ERP has records that are not copied, and states and kinds that the embedded one does not know
        self.world.execute("PRAGMA foreign_keys = OFF")
        self.world.execute("PRAGMA ignore_check_constraints = ON")
        self.world.refresh = self._refresh

    def mark(self) -> None:
        """Take note that something was changed."""
        self._stale = dict.fromkeys(MOVING)

    def _refresh(self, words: Iterable[str] | None) -> None:
        if self._stale:
            named = self._stale if words is None else [_MODEL_OF[word] for word in words if word in _MODEL_OF]
            self.read([model for model in dict.fromkeys(named) if model in self._stale])

    def read(self, models: Iterable[str] = (*MASTER, *MOVING)) -> None:
        """Read these models anew.

        Raises:
            BackendError: The ERP does not answer, or with what cannot be a record.
        """
        for model in models:
            self._stale.pop(model, None)
            try:
                self._replace(model, self._rows(model))
            except (ToolError, KeyError, TypeError, ValueError, sqlite3.Error) as error:
                raise BackendError(f"{model} cannot be read from {self._client.url}: {error!r}") from error

    def _rows(self, model: str) -> list[dict[str, Any]]:
        known = self._client.fields(model)
        names = [name for name in (*_columns(model), *_links(model)) if name in known]
        extra = ["note"] if model == _OPERATION and self._is_odoo else []
        domain = [*_DOMAINS.get(model, ())] + ([["active", "in", [True, False]]] if "active" in known else [])
        found = self._client.call(model, "search_read", domain=domain, fields=[*names, *extra], order="id", load=None)
        texts = [name for name, kind in known.items() if kind == "html" and model != "mail.message"]  # tools take notes as HTML
        rows = [row | {name: plain(row[name]) for name in texts if row.get(name)} for row in found]
        return [_adapted(model, row, is_odoo=self._is_odoo) for row in rows]

    @property
    def _is_odoo(self) -> bool:
        """Whether the server is Odoo itself: it has no field for the cost of a unit on a work center."""
        return "unit_cost" not in self._client.fields(_OPERATION)

    def _replace(self, model: str, rows: list[dict[str, Any]]) -> None:
        table, columns = table_of(model), {"id": None, **_columns(model)}
        marks = ", ".join("?" * len(columns))
        values = [[_stored(field, row.get(name)) for name, field in columns.items()] for row in rows]
        with self.world.savepoint():
            self.world.execute(f"DELETE FROM {table}")
            self.world.conn.executemany(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})", values)
            for name, field in _links(model).items():
                assert field.relation is not None
                relation, own, other = field.relation
                pairs = [(row["id"], linked) for row in rows for linked in row.get(name) or ()]
                self.world.execute(f"DELETE FROM {relation}")
                self.world.conn.executemany(f"INSERT INTO {relation} ({own}, {other}) VALUES (?, ?)", pairs)

    def close(self) -> None:
        """Free the copy."""
        self.world.close()


def _columns(model: str) -> dict[str, Field]:
    """The fields that have a column."""
    return {name: field for name, field in MODELS[model].fields.items() if field.stored and name != "id"}


def _links(model: str) -> dict[str, Field]:
    """The many2many fields whose table is named after them; the others show the same tables from the other side."""
    fields = MODELS[model].fields.items()
    return {name: field for name, field in fields if field.relation and field.relation[0] == f"{table_of(model)}_{name}_rel"}


_MODEL_OF: Mapping[str, str] = {
    table: model
    for model in (*MASTER, *MOVING)
    for table in (table_of(model), *(field.relation[0] for field in _links(model).values() if field.relation))
}
"""Model by the name of a table that is read with it."""


def _stored(field: Field | None, value: Any) -> Any:
    """A value as the column of a field holds it."""
    if field is None:
        return int(value)
    if value is None or value is False or (value == "" and not field.required):
        return 0 if field.type in NUMERIC else "" if field.required and field.type in TEXTUAL else None
    if field.type in ("float", "monetary"):
        return float(value)
    if field.type in ("integer", "boolean"):
        return int(value)
    if field.type == "many2one":
        return int(value[0] if isinstance(value, list) else value)
    return str(value)


def _adapted(model: str, row: dict[str, Any], *, is_odoo: bool) -> dict[str, Any]:
    """A live row as the embedded ERP would hold it."""
    if model == "account.move" and row.get("name") == "/":
        return row | {"name": False}  # a draft has no number
    if model == "res.partner":  # posting an invoice counts the rank up; only whether there is one means anything
        ranks = ("customer_rank", "supplier_rank")
        return row | {name: min(int(row.get(name) or 0), 1) for name in ranks}
    if model == "ir.attachment":
        return row | {"index_content": row.get("description") or row.get("index_content")}
    if model == "stock.move" and is_odoo and row["state"] not in ("done", "cancel") and row.get("date_deadline"):
        return row | {"date": row["date_deadline"]}  # Odoo puts off the deadline with the order and leaves the schedule
    if model == _OPERATION and is_odoo:
        cost = noted_cost(row.pop("note", None) or "")
        return row | {"unit_cost": cost, "is_alternative": not row.get("active", True), "active": True}
    return row
