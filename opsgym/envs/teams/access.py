"""Who may do what in the ERP: the roles of an ERPBench team, their tools, and the records that they may read.

Reading rights are found by asking SQLite which tables a search would read, so that no path through relations, computed
fields or sort orders leads around them.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from opsgym.core.tools import Tool
from opsgym.envs.erp_bench.erp import DDL
from opsgym.envs.erp_bench.erp.domains import compile_domain
from opsgym.envs.erp_bench.erp.errors import ErpError, bad_value
from opsgym.envs.erp_bench.erp.fields import table_of
from opsgym.envs.erp_bench.erp.reading import active_test, plan
from opsgym.envs.erp_bench.erp.registry import MODELS, order_by

__all__ = ["COMMON_MODELS", "COMMON_TOOLS", "ROLES", "Role", "check_read", "field_models", "refusal", "role_of"]

COMMON_TOOLS = frozenset(
    {
        "get_current_date",
        "search_products",
        "get_product",
        "get_stock",
        "search_partners",
        "get_partner",
        "describe_model",
        "search_records",
        "read_records",
        "count_records",
        "add_note",
        "submit",
    }
)
"""Tools of every role."""

COMMON_MODELS = frozenset(
    {
        "product.template",
        "product.product",
        "product.category",
        "uom.uom",
        "res.partner",
        "res.partner.category",
        "res.currency",
        "res.company",
        "res.users",
        "stock.quant",
        "stock.location",
        "stock.route",
        "ir.model",
    }
)
"""Models that every role may read."""


@dataclass(frozen=True, slots=True)
class Role:
    """A role of the company.

    Attributes:
        agent: Its name in the team.
        duty: What it does, for its brief.
        tools: Its own tools, beside the common ones.
        models: Models that only it may read when information is partial, beside the common ones.
        notes_on: Kinds of record on which it may leave notes.
        sections: Sections of the full brief that it is told when information is partial.
    """

    agent: str
    duty: str
    tools: frozenset[str]
    models: frozenset[str]
    notes_on: frozenset[str]
    sections: frozenset[str]


def _orders(noun: str) -> set[str]:
    return {f"list_{noun}s", *(f"{verb}_{noun}" for verb in ("get", "create", "update", "confirm", "cancel"))}


_INVOICES = {"account.move", "account.move.line", "account.payment.term", "account.payment.term.line"}

ROLES: dict[str, Role] = {
    role.agent: role
    for role in (
        Role(
            "sales_0",
            "You keep the sales orders: decide which requests are accepted, enter and confirm them, cancel those turned down.",
            frozenset({*_orders("sales_order"), "list_payment_terms", "list_documents", "read_document"}),
            frozenset({"sale.order", "sale.order.line", "ir.attachment", *_INVOICES}),
            frozenset({"sales order", "partner"}),
            frozenset({"What happened", "Acceptance of requests", "Sales orders", "Margin"}),
        ),
        Role(
            "purchasing_0",
            "You keep the purchase orders: decide what is bought from whom and when.",
            frozenset({*_orders("purchase_order"), "list_vendor_offers"}),
            frozenset({"purchase.order", "purchase.order.line", "product.supplierinfo"}),
            frozenset({"purchase order", "partner"}),
            frozenset({"Goal", "Margin", "Purchasing", "Source links"}),
        ),
        Role(
            "production_0",
            "You keep the manufacturing orders: decide what is made where and when.",
            frozenset({*_orders("manufacturing_order"), "get_bill_of_materials", "list_work_centers"}),
            frozenset({"mrp.production", "mrp.workorder", "mrp.workcenter", "mrp.bom", "mrp.bom.line", "mrp.routing.workcenter"}),
            frozenset({"manufacturing order", "partner"}),
            frozenset({"Goal", "Margin", "Manufacturing", "Source links"}),
        ),
        Role(
            "finance_0",
            "You keep the invoices: make and post those that the policy asks for.",
            frozenset({*(f"{v}_invoice" for v in ("get", "create", "post", "cancel")), "list_invoices", "list_payment_terms"}),
            frozenset({"account.tax", *_INVOICES}),
            frozenset({"invoice", "partner"}),
            frozenset({"Invoicing"}),
        ),
    )
}
"""The roles by agent, in turn order."""

_NOUNS = {
    "sales_order": "sale.order",
    "purchase_order": "purchase.order",
    "manufacturing_order": "mrp.production",
    "invoice": "account.move",
    "vendor_offer": "product.supplierinfo",
    "bill_of_materials": "mrp.bom",
    "work_center": "mrp.workcenter",
    "payment_term": "account.payment.term",
    "document": "ir.attachment",
}
_OPERATIONS = {"create": "create", "update": "write", "confirm": "write", "cancel": "write", "post": "write"}


def role_of(tool: str) -> str | None:
    """The only role that has a tool by which records are changed; ``None`` for tools of several roles."""
    owners = [role.agent for role in ROLES.values() if tool in role.tools]
    return owners[0] if len(owners) == 1 else None


def refusal(tool: str) -> ErpError:
    """What the ERP answers a role that calls a tool of another."""
    verb, _, rest = tool.partition("_")
    model = next(model for noun, model in _NOUNS.items() if rest.startswith(noun))
    return denied(_OPERATIONS.get(verb, "access"), model)


def denied(operation: str, model: str) -> ErpError:
    """Odoo's words for an operation on a model that one has no right to."""
    return ErpError("AccessError", f"You are not allowed to {operation} {MODELS[model]._description!r} ({model}) records.")


def check_read(
    models: Iterable[str], model: str, domain: Any, fields: Sequence[str] | None, order: str | None
) -> list[str] | None:
    """Refuse a search or read that would touch records of other ``models``.

    Args:
        models: What may be read.
        model: What is to be read.
        domain: Its conditions.
        fields: Fields wanted; for ``None`` those that may be read.
        order: Sort order.

    Returns:
        The fields to read.

    Raises:
        ErpError: ``AccessError``, or what the ERP says of arguments that make no sense.
    """
    readable = frozenset(models)
    if model not in MODELS:
        return list(fields) if fields else None  # the ERP itself says that there is none
    if model not in readable:
        raise denied("access", model)
    for other in sorted(_searched(model, domain, order) - readable):
        raise denied("access", other)
    declared = MODELS[model].fields
    if not fields:
        return [name for name in declared if field_models(model, name) <= readable]
    for name in fields:
        if name in declared and not field_models(model, name) <= readable:
            description = MODELS[model]._description
            message = f"You do not have enough rights to access the field {name!r} on {description} ({model})."
            raise ErpError("AccessError", f"{message} Please contact your system administrator.")
    return list(fields)


@cache
def field_models(model: str, name: str) -> frozenset[str]:
    """The models whose tables are read to show a field."""
    how = plan(model, (name,), True)
    return _models_read(f"SELECT {how.columns} FROM {table_of(model)} t", ())


def _searched(model: str, domain: Any, order: str | None) -> frozenset[str]:
    """The models whose tables are read to search and sort."""
    where, params = compile_domain(model, active_test(model, domain, {}))
    condition = f" WHERE {where}" if where else ""
    by = order_by(model, order or MODELS[model]._order, "t")
    return _models_read(f"SELECT t.id FROM {table_of(model)} t{condition} ORDER BY {by}", params)


def _models_read(sql: str, params: Sequence[Any]) -> frozenset[str]:
    """The models whose tables a statement reads, as SQLite itself tells when it prepares it."""
    connection, tables = _probe()
    by_table = _by_table()
    with _LOCK:
        tables.clear()
        try:
            connection.execute(f"EXPLAIN {sql}", params).fetchall()
        except (sqlite3.OperationalError, RecursionError) as error:
            raise bad_value(f"The request is too large or too deeply nested ({error})") from error
        return frozenset(by_table[table] for table in tables if table in by_table)


_LOCK = threading.Lock()


@cache
def _by_table() -> dict[str, str]:
    return {table_of(model): model for model in MODELS}


@cache
def _probe() -> tuple[sqlite3.Connection, set[str]]:
    """An empty ERP and the set in which its authorizer notes the tables that a statement reads."""
    connection = sqlite3.connect(":memory:", cached_statements=0, check_same_thread=False)
    connection.executescript(DDL)
    tables: set[str] = set()

    def note(action: int, table: str | None, *_: str | None) -> int:
        if action == sqlite3.SQLITE_READ and table:
            tables.add(table)
        return sqlite3.SQLITE_OK

    connection.set_authorizer(note)
    return connection, tables


def offers(agent: str, tool: Tool, *, partial: bool) -> bool:
    """Whether a role has a tool of the ERP: its own and the common ones, and where information is shared all that only read."""
    if tool.name in COMMON_TOOLS or tool.name in ROLES[agent].tools:
        return True
    return not partial and not tool.mutates
