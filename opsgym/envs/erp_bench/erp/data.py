"""Records that every database starts with; ids are those that Odoo's external ids refer to here."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from opsgym.envs.erp_bench.erp.registry import MODELS

_SEQUENCES = (
    ("Sales Order", "sale.order", "S"),
    ("Purchase Order", "purchase.order", "P"),
    ("Manufacturing Order", "mrp.production", "WH/MO/"),
    ("Receipts", "stock.picking.type.1", "WH/IN/"),
    ("Deliveries", "stock.picking.type.2", "WH/OUT/"),
)
_TERMS = ((1, "Immediate Payment", 0), (2, "15 Days", 15), (3, "21 Days", 21), (4, "30 Days", 30), (5, "45 Days", 45))

_RECORDS: dict[str, tuple[tuple[str, ...], tuple[tuple[Any, ...], ...]]] = {
    "res_currency": (("id", "name", "symbol", "rounding", "active"), ((1, "USD", "$", 0.01, 1),)),
    "account_tax": (
        ("id", "name", "type_tax_use", "amount_type", "amount", "sequence", "active"),
        ((1, "15%", "sale", "percent", 15.0, 1, 1), (2, "15%", "purchase", "percent", 15.0, 1, 1)),
    ),
    "account_payment_term": (("id", "name", "sequence", "active"), tuple((key, name, 10, 1) for key, name, _ in _TERMS)),
    "account_payment_term_line": (
        ("id", "payment_id", "value", "value_amount", "delay_type", "nb_days"),
        tuple((key, key, "percent", 100.0, "days_after", days) for key, _, days in _TERMS),
    ),
    "res_partner": (
        ("id", "name", "is_company", "active", "email"),
        ((1, "My Company", 1, 1, None), (2, "OdooBot", 0, 0, None), (3, "Administrator", 0, 1, "admin@example.com")),
    ),
    "res_company": (
        ("id", "name", "partner_id", "currency_id", "account_sale_tax_id", "account_purchase_tax_id"),
        ((1, "My Company", 1, 1, 1, 2),),
    ),
    "res_users": (
        ("id", "name", "login", "partner_id", "company_id", "active"),
        ((1, "OdooBot", "__system__", 2, 1, 0), (2, "Administrator", "admin", 3, 1, 1)),
    ),
    "uom_uom": (("id", "name", "factor", "active"), ((1, "Units", 1.0, 1),)),
    "product_category": (("id", "name"), ((1, "Goods"), (2, "Services"))),
    "stock_location": (
        ("id", "name", "complete_name", "usage", "location_id", "active"),
        (
            (1, "Partners", "Partners", "view", None, 1),
            (2, "Virtual Locations", "Virtual Locations", "view", None, 1),
            (4, "Vendors", "Partners/Vendors", "supplier", 1, 1),
            (5, "Customers", "Partners/Customers", "customer", 1, 1),
            (7, "WH", "WH", "view", None, 1),
            (8, "Stock", "WH/Stock", "internal", 7, 1),
            (14, "Inventory adjustment", "Virtual Locations/Inventory adjustment", "inventory", 2, 1),
            (15, "Production", "Virtual Locations/Production", "production", 2, 1),
        ),
    ),
    "stock_warehouse": (("id", "name", "code", "lot_stock_id"), ((1, "My Company", "WH", 8),)),
    "stock_route": (
        ("id", "name", "sequence", "product_selectable", "active"),
        ((1, "Replenish on Order (MTO)", 5, 1, 0), (5, "Buy", 5, 0, 1), (6, "Manufacture", 5, 0, 1)),
    ),
    "stock_picking_type": (
        ("id", "name", "code", "sequence_code", "warehouse_id", "default_location_src_id", "default_location_dest_id"),
        (
            (1, "Receipts", "incoming", "IN", 1, 4, 8),
            (2, "Delivery Orders", "outgoing", "OUT", 1, 8, 5),
            (3, "Manufacturing", "mrp_operation", "MO", 1, 8, 8),
        ),
    ),
    "ir_sequence": (
        ("id", "name", "code", "prefix", "padding", "number_next"),
        tuple((key, name, code, prefix, 5, 1) for key, (name, code, prefix) in enumerate(_SEQUENCES, 1)),
    ),
    "mail_message_subtype": (("id", "name"), ((1, "Discussions"), (2, "Note"))),
    "ir_model_data": (
        ("id", "module", "name", "model", "res_id"),
        (
            (1, "uom", "product_uom_unit", "uom.uom", 1),
            (2, "stock", "stock_location_stock", "stock.location", 8),
            (3, "stock", "stock_location_suppliers", "stock.location", 4),
            (4, "stock", "stock_location_customers", "stock.location", 5),
            (5, "stock", "route_warehouse0_mto", "stock.route", 1),
            (6, "purchase_stock", "route_warehouse0_buy", "stock.route", 5),
            (7, "mrp", "route_warehouse0_manufacture", "stock.route", 6),
            (8, "stock", "warehouse0", "stock.warehouse", 1),
            (9, "base", "main_company", "res.company", 1),
            (10, "base", "main_partner", "res.partner", 1),
            (11, "base", "user_admin", "res.users", 2),
            (12, "base", "USD", "res.currency", 1),
            (13, "account", "account_payment_term_immediate", "account.payment.term", 1),
            (14, "account", "account_payment_term_15days", "account.payment.term", 2),
            (15, "account", "account_payment_term_21days", "account.payment.term", 3),
            (16, "account", "account_payment_term_30days", "account.payment.term", 4),
            (17, "account", "account_payment_term_45days", "account.payment.term", 5),
            (18, "mail", "mt_comment", "mail.message.subtype", 1),
            (19, "mail", "mt_note", "mail.message.subtype", 2),
        ),
    ),
}


def base_data() -> str:
    """SQL that inserts the base records and describes the models."""
    return "\n".join(_inserts())


def _inserts() -> Iterator[str]:
    for table, (columns, rows) in _RECORDS.items():
        values = ", ".join("(" + ", ".join(_literal(value) for value in row) + ")" for row in rows)
        yield f"INSERT INTO {table} ({', '.join(columns)}) VALUES {values};"
    described = ", ".join(f"({_literal(model._description)}, {_literal(name)})" for name, model in sorted(MODELS.items()))
    yield f"INSERT INTO ir_model (name, model) VALUES {described};"


def _literal(value: Any) -> str:
    if value is None:
        return "NULL"
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else repr(value)
