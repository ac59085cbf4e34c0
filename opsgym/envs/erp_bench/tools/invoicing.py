"""Tools of the accounts clerk: customer invoices; and a note on any document."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from opsgym.core.errors import ToolError
from opsgym.core.tools import tool
from opsgym.envs.erp_bench.erp import Erp
from opsgym.envs.erp_bench.tools.common import (
    JsonDict,
    Limit,
    Offset,
    Where,
    find,
    find_optional,
    notes_of,
    page,
    require_state,
    select,
)

Amount = Annotated[float, Field(gt=0, le=1_000_000_000)]
Method = Literal["delivered", "percentage", "fixed"]
State = Literal["draft", "posted", "cancel"]
Documents = Literal["sales order", "purchase order", "manufacturing order", "invoice", "partner"]

_NAME = "COALESCE(t.name, 'DRAFT/' || t.id)"
_HEAD = (
    f"SELECT {_NAME}, t.state, c.ref, c.name, t.invoice_origin, t.invoice_date, t.invoice_date_due, p.name, t.amount_untaxed,"
    " t.amount_tax, t.amount_total FROM account_move t LEFT JOIN res_partner c ON c.id = t.partner_id"
    " LEFT JOIN account_payment_term p ON p.id = t.invoice_payment_term_id WHERE t.id = ?"
)
_LINES = (
    "SELECT m.default_code, l.name, l.quantity, l.price_unit, l.price_subtotal FROM account_move_line l"
    " LEFT JOIN product_product p ON p.id = l.product_id LEFT JOIN product_template m ON m.id = p.product_tmpl_id"
    " WHERE l.move_id = ? ORDER BY l.sequence, l.id"
)


def show_invoice(erp: Erp, invoice: int) -> JsonDict:
    """An invoice as the tools give it; a draft without number is called by its id, ``DRAFT/7``."""
    names = "name state customer customer_name origin invoice_date due_date payment_term amount_untaxed amount_tax amount_total"
    (found,) = select(erp, names, _HEAD, (invoice,))
    found["lines"] = select(erp, "product description quantity unit_price subtotal", _LINES, (invoice,))
    return found


@tool()
def list_invoices(
    erp: Erp,
    customer: str | None = None,
    order: str | None = None,
    state: State | None = None,
    limit: Limit = 20,
    offset: Offset = 0,
) -> JsonDict:
    """List customer invoices, oldest first.

    Args:
        customer: Only of this customer, by reference or exact name.
        order: Only of this sales order, for example S00001.
        state: Only in this state.
        limit: Invoices to return, at most 100.
        offset: Invoices to skip.
    """
    where = Where()
    where.add("t.move_type = ?", "out_invoice")
    where.add("t.partner_id = ?", find_optional(erp, "partner", customer))
    where.add(
        "t.id IN (SELECT i.move_id FROM sale_order_line l"
        " JOIN account_move_line_sale_line_ids_rel x ON x.sale_order_line_id = l.id"
        " JOIN account_move_line i ON i.id = x.account_move_line_id WHERE l.order_id = ?)",
        find_optional(erp, "sales order", order),
    )
    where.add("t.state = ?", state)
    return page(
        erp,
        "name state customer origin amount_untaxed amount_total",
        f"{_NAME}, t.state, c.ref, t.invoice_origin, t.amount_untaxed, t.amount_total",
        f"FROM account_move t LEFT JOIN res_partner c ON c.id = t.partner_id {where.sql}",
        where.params,
        limit=limit,
        offset=offset,
    )


@tool()
def get_invoice(erp: Erp, invoice: str) -> JsonDict:
    """Show a customer invoice with its lines.

    Args:
        invoice: Number of the invoice, for example INV/2026/00001, or of a draft, for example DRAFT/7.
    """
    return show_invoice(erp, find(erp, "invoice", invoice))


@tool(mutates=True)
def create_invoice(erp: Erp, order: str, method: Method = "delivered", amount: Amount | None = None) -> JsonDict:
    """Make a draft customer invoice for a confirmed sales order; post_invoice makes it valid.

    Args:
        order: Number of the sales order, for example S00001.
        method: 'delivered' for a regular invoice of what is due, less down payments; 'percentage' or 'fixed' for a down payment.
        amount: The percentage, or the fixed amount of a down payment; not for a regular invoice.
    """
    number = find(erp, "sales order", order)
    wizard: dict[str, Any] = {"advance_payment_method": method, "sale_order_ids": [[6, 0, [number]]]}
    if method != "delivered":
        if amount is None:
            raise ToolError("missing_field", "A down payment needs an amount.", "Give amount: the percentage or the fixed sum.")
        wizard["amount" if method == "percentage" else "fixed_amount"] = amount
    elif amount is not None:
        raise ToolError(
            "invalid_value", "A regular invoice takes no amount.", "Leave amount out, or use method 'percentage' or 'fixed'."
        )
    require_state(erp, "sales order", number, "sale", verb="invoiced")
    (made,) = erp.call("sale.advance.payment.inv", "create", vals_list=[wizard])
    action = erp.call("sale.advance.payment.inv", "create_invoices", [made])
    return show_invoice(erp, action["res_id"])


@tool(mutates=True)
def post_invoice(erp: Erp, invoice: str) -> JsonDict:
    """Post a draft customer invoice; it gets its number.

    Args:
        invoice: Number of the invoice as create_invoice or list_invoices gives it, for example DRAFT/7.
    """
    number = find(erp, "invoice", invoice)
    require_state(erp, "invoice", number, "draft", verb="posted")
    erp.call("account.move", "action_post", [number])
    return show_invoice(erp, number)


@tool(mutates=True)
def cancel_invoice(erp: Erp, invoice: str) -> JsonDict:
    """Cancel a customer invoice, draft or posted.

    Args:
        invoice: Number of the invoice, for example INV/2026/00001 or DRAFT/7.
    """
    number = find(erp, "invoice", invoice)
    require_state(erp, "invoice", number, "draft", "posted", verb="cancelled")
    erp.call("account.move", "button_cancel", [number])
    return show_invoice(erp, number)


_MODELS = {
    "sales order": "sale.order",
    "purchase order": "purchase.order",
    "manufacturing order": "mrp.production",
    "invoice": "account.move",
    "partner": "res.partner",
}


@tool(mutates=True)
def add_note(erp: Erp, kind: Documents, record: str, text: Annotated[str, Field(min_length=1, max_length=4000)]) -> JsonDict:
    """Leave an internal note on a document or partner.

    Args:
        kind: What the note is on.
        record: Number of the document, or reference of the partner.
        text: The note.
    """
    number = find(erp, kind, record)
    erp.call(_MODELS[kind], "message_post", [number], body=text)
    return {"kind": kind, "record": record, "notes": len(notes_of(erp, _MODELS[kind], number))}
