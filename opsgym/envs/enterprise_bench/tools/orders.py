"""Tools of the financial system."""

from __future__ import annotations

from opsgym.core.records.records import Row
from opsgym.envs.enterprise_bench.session import Desk
from opsgym.envs.enterprise_bench.sources.orders import INVOICE, LINE, ORDER
from opsgym.envs.enterprise_bench.tools.makers import getting, listing, updating


def _lines(desk: Desk, row: Row) -> Row:
    return {"lines": desk.find(LINE, {"order_id": row["order_id"]})}


TOOLS = (
    listing("list_orders", "List orders, without their lines", ORDER, "orders", "customer_id status", day="order_date"),
    getting("get_order", "Read an order with its lines", ORDER, "order_id", also=_lines),
    updating("update_order", "Change an order", ORDER, "order_id", "status shipped_date"),
    listing("list_invoices", "List invoices", INVOICE, "invoices", "customer_id status", day="issued_on"),
    getting("get_invoice", "Read an invoice, by its id or its order's", INVOICE, "invoice_id order_id", either=True),
    updating("update_invoice", "Change an invoice", INVOICE, "invoice_id", "status due_on paid_on"),
)
"""The tools."""
