"""What the business tools share: argument types, look-up by business key, dates, pages and SQL shorthands."""

from __future__ import annotations

import datetime as dt
import difflib
import html
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import ConfigDict, Field

from opsgym.core.errors import ToolError
from opsgym.envs.erp_bench.erp import Erp

MAX_PAGE = 100
"""Most rows that one call lists, whatever limit was asked for."""

MAX_TEXT = 4000
"""Characters of one text that a result shows before it is cut."""

Limit = Annotated[int, Field(ge=1, le=10_000)]
Offset = Annotated[int, Field(ge=0, le=10_000_000)]
Quantity = Annotated[float, Field(gt=0, le=10_000_000)]
Price = Annotated[float, Field(ge=0, le=1_000_000_000)]

STRICT = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)
"""How the records among the arguments are checked: like the arguments themselves."""

Query = Annotated[str, Field(max_length=100)]

JsonDict = dict[str, Any]

CODE = "(SELECT default_code FROM product_template WHERE id = p.product_tmpl_id)"
"""SQL of the code of the product whose variant has the alias ``p``."""

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}\Z")


# -- SQL --------------------------------------------------------------------------------------------------


def select(erp: Erp, names: str, sql: str, params: Sequence[Any] = ()) -> list[JsonDict]:
    """Rows of ``SELECT ...`` as records with the space-separated ``names``."""
    keys = names.split()
    return [dict(zip(keys, row, strict=True)) for row in erp.world.execute(sql, params).fetchall()]


def page(erp: Erp, names: str, columns: str, body: str, params: Sequence[Any], *, limit: int, offset: int) -> JsonDict:
    """One page of rows.

    Args:
        erp: The ERP.
        names: Names of the columns in the result, separated by spaces.
        columns: SQL of the columns.
        body: ``FROM ... WHERE ...`` without order.
        params: Parameters of ``body``.
        limit: Rows wanted; at most :data:`MAX_PAGE` are given.
        offset: Rows to skip.
    """
    (total,) = erp.world.execute(f"SELECT COUNT(*) {body}", params).fetchone()
    listing = f"SELECT {columns} {body} ORDER BY t.id LIMIT ? OFFSET ?"
    return paged(select(erp, names, listing, (*params, min(limit, MAX_PAGE), offset)), total=total, offset=offset)


def paged(items: Sequence[Any], *, total: int, offset: int) -> JsonDict:
    """A page: how many rows there are in all, where it starts, and whether more follow."""
    return {"total": total, "offset": offset, "more": offset + len(items) < total, "items": list(items)}


class Where:
    """Collects the conditions of a list; those whose value is ``None`` are left out."""

    def __init__(self) -> None:
        self.conditions: list[str] = []
        self.params: list[Any] = []

    def add(self, condition: str, value: Any) -> None:
        """Add ``condition``, in which every ``?`` stands for ``value``."""
        if value is not None:
            self.conditions.append(condition)
            self.params += [value] * condition.count("?")

    @property
    def sql(self) -> str:
        """The conditions as a ``WHERE`` clause, or empty."""
        return "WHERE " + " AND ".join(self.conditions) if self.conditions else ""


# -- dates and texts --------------------------------------------------------------------------------------


def midnight(erp: Erp, name: str, value: str) -> str:
    """The start of a calendar day, as the ERP stores a point in time.

    Raises:
        ToolError: ``value`` is no date ``YYYY-MM-DD``.
    """
    if _DATE.match(value):
        try:
            return f"{dt.date.fromisoformat(value).isoformat()} 00:00:00"
        except ValueError:
            pass  # such as 2026-02-30: answered like any other text that is no date
    raise ToolError(
        "invalid_value",
        f"{name}: expected a calendar date written YYYY-MM-DD, got {clip(value, 40)!r}.",
        f"Today is {erp.world.today.isoformat()}.",
    )


def clip(text: str, limit: int = MAX_TEXT) -> str:
    """``text``, cut with a mark that says how much is missing when it is longer than ``limit``."""
    return text if len(text) <= limit else f"{text[:limit]}... [{len(text) - limit} more characters]"


def pattern(text: str | None) -> str | None:
    """A ``LIKE`` pattern (escape character ``!``) for texts that contain ``text``; none for ``None``."""
    return None if text is None else "%" + re.sub(r"([%_!])", r"!\1", text) + "%"


def plain(markup: str) -> str:
    """The text of a note, which the ERP keeps as HTML."""
    return html.unescape(re.sub(r"<[^<>]*>", "", markup))


# -- look-up by business key ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of record that agents name by a business key.

    Attributes:
        noun: What it is called in messages.
        source: SQL relation in which ``id``, ``key`` and ``label`` stand for the record, its key and its other name.
        lister: Name of the tool that lists such records.
        table: Table of a document with a state, else empty.
    """

    noun: str
    source: str
    lister: str
    table: str = ""


def _document(noun: str, table: str, lister: str) -> Kind:
    return Kind(noun, f"(SELECT id, name AS key, NULL AS label FROM {table})", lister, table)


KINDS: Mapping[str, Kind] = {
    "partner": Kind("partner", "(SELECT id, ref AS key, name AS label FROM res_partner)", "search_partners"),
    "product": Kind(
        "product",
        "(SELECT p.id, m.default_code AS key, m.name AS label FROM product_product p"
        " JOIN product_template m ON m.id = p.product_tmpl_id)",
        "search_products",
    ),
    "work center": Kind("work center", "(SELECT id, code AS key, name AS label FROM mrp_workcenter)", "list_work_centers"),
    "payment term": Kind(
        "payment term", "(SELECT id, name AS key, NULL AS label FROM account_payment_term)", "list_payment_terms"
    ),
    "document": Kind("document", "(SELECT id, name AS key, NULL AS label FROM ir_attachment)", "list_documents"),
    "sales order": _document("sales order", "sale_order", "list_sales_orders"),
    "purchase order": _document("purchase order", "purchase_order", "list_purchase_orders"),
    "manufacturing order": _document("manufacturing order", "mrp_production", "list_manufacturing_orders"),
    "invoice": Kind(
        "invoice",
        "(SELECT id, COALESCE(name, 'DRAFT/' || id) AS key, NULL AS label FROM account_move WHERE move_type = 'out_invoice')",
        "list_invoices",
        "account_move",
    ),
}


def find(erp: Erp, kind: str, given: str) -> int:
    """Id of the record whose key, or else whose exact name, is ``given``.

    Raises:
        ToolError: ``not_found`` with the nearest keys, or ``invalid_value`` when several records have that name.
    """
    spec = KINDS[kind]
    for column in ("key", "label"):
        found = erp.world.execute(
            f"SELECT id, key FROM {spec.source} WHERE {column} = ? ORDER BY id LIMIT 6", (given,)
        ).fetchall()
        if len(found) == 1:
            return int(found[0][0])
        if found:
            keys = ", ".join(str(key) for _, key in found)
            raise ToolError(
                "invalid_value", f"There is more than one {spec.noun} {given!r}.", f"Name it by its key, one of: {keys}"
            )
    raise _unknown(erp, spec, given)


def require_state(erp: Erp, kind: str, record: int, *states: str, verb: str) -> None:
    """Refuse to act on a document in another state.

    Raises:
        ToolError: ``bad_state``, with the state that the document is in and those that it could be in.
    """
    sql = f"SELECT COALESCE(name, 'DRAFT/' || id), state FROM {KINDS[kind].table} WHERE id = ?"
    name, state = erp.world.execute(sql, (record,)).fetchone()
    if state not in states:
        wanted = ", ".join(repr(one) for one in states)
        raise ToolError(
            "bad_state", f"{name} is in state {state!r} and cannot be {verb}.", f"It would have to be in state {wanted}."
        )


def find_optional(erp: Erp, kind: str, given: str | None) -> int | None:
    """Like :func:`find`; nothing for ``None``."""
    return None if given is None else find(erp, kind, given)


def _unknown(erp: Erp, spec: Kind, given: str) -> ToolError:
    rows = erp.world.execute(f"SELECT key, label FROM {spec.source} ORDER BY id").fetchall()
    names = {name: key or name for key, label in rows for name in (key, label) if name}
    near = list(dict.fromkeys(names[match] for match in difflib.get_close_matches(given[:200], names, n=3, cutoff=0.5)))
    hint = f"Did you mean {' or '.join(near)}? " if near else ""
    return ToolError("not_found", f"There is no {spec.noun} {clip(given, 80)!r}.", f"{hint}Use {spec.lister} to look it up.")


# -- orders with lines ------------------------------------------------------------------------------------


def line_commands(erp: Erp, table: str, order: int, changes: Sequence[tuple[int, JsonDict]]) -> list[list[Any]]:
    """Record commands that change the line of each product of an order, or add one where there is none.

    Args:
        erp: The ERP.
        table: Table of the lines.
        order: Id of the order.
        changes: Product ids with the values to set.

    Raises:
        ToolError: The order has several lines of a product, so that the one to change is not known.
    """
    commands: list[list[Any]] = []
    for product, values in changes:
        rows = erp.world.execute(f"SELECT id FROM {table} WHERE order_id = ? AND product_id = ?", (order, product)).fetchall()
        if len(rows) > 1:
            raise ToolError(
                "invalid_value",
                "The order has several lines of that product.",
                "Cancel the order and create it again with one line a product.",
            )
        commands.append([1, rows[0][0], values] if rows else [0, 0, {"product_id": product, **values}])
    return commands


def given(**values: Any) -> JsonDict:
    """The values that are not ``None``."""
    return {name: value for name, value in values.items() if value is not None}


def something(values: JsonDict) -> JsonDict:
    """``values``, refused when there are none.

    Raises:
        ToolError: ``missing_field``.
    """
    if not values:
        raise ToolError("missing_field", "Nothing to change was given.", "Name at least one argument besides the order.")
    return values


def notes_of(erp: Erp, model: str, record: int) -> list[str]:
    """Notes left on a record, oldest first."""
    sql = "SELECT body FROM mail_message WHERE model = ? AND res_id = ? AND body IS NOT NULL ORDER BY id"
    return [clip(plain(body)) for (body,) in erp.world.execute(sql, (model, record)).fetchall()]
