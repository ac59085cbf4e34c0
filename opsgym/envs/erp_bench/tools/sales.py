"""Tools of the sales clerk: sales orders."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from opsgym.core.tools import tool
from opsgym.envs.erp_bench.erp import Erp
from opsgym.envs.erp_bench.tools.common import (
    CODE,
    STRICT,
    JsonDict,
    Limit,
    Offset,
    Price,
    Quantity,
    Where,
    find,
    find_optional,
    given,
    line_commands,
    midnight,
    page,
    require_state,
    select,
    something,
)

State = Literal["draft", "sent", "sale", "cancel"]


class SaleLine(TypedDict):
    """A product to sell."""

    __pydantic_config__ = STRICT  # type: ignore[misc]  # read by pydantic

    product: Annotated[str, Field(description="Product code or exact name.")]
    quantity: Annotated[Quantity, Field(description="Units.")]
    unit_price: NotRequired[Annotated[Price, Field(description="Price per unit; the list price when left out.")]]


class SaleLineChange(TypedDict):
    """What changes for a product; a product that is not on the order yet is added."""

    __pydantic_config__ = STRICT  # type: ignore[misc]  # read by pydantic

    product: Annotated[str, Field(description="Product code or exact name.")]
    quantity: NotRequired[Annotated[Quantity, Field(description="New units.")]]
    unit_price: NotRequired[Annotated[Price, Field(description="New price per unit.")]]


_HEAD_NAMES = (
    "name state customer customer_name customer_reference order_date commitment_date payment_term"
    " amount_untaxed amount_total note"
)
_HEAD = (
    "SELECT t.name, t.state, c.ref, c.name, t.client_order_ref, substr(t.date_order, 1, 10), substr(t.commitment_date, 1, 10),"
    " p.name, t.amount_untaxed, t.amount_total, t.note FROM sale_order t JOIN res_partner c ON c.id = t.partner_id"
    " LEFT JOIN account_payment_term p ON p.id = t.payment_term_id WHERE t.id = ?"
)
_LINES = (
    f"SELECT {CODE}, l.name, l.product_uom_qty, l.price_unit, l.price_subtotal FROM sale_order_line l"
    " LEFT JOIN product_product p ON p.id = l.product_id WHERE l.order_id = ? ORDER BY l.sequence, l.id"
)
_INVOICES = (
    "SELECT COALESCE(a.name, 'DRAFT/' || a.id), a.state, a.amount_untaxed FROM account_move a WHERE a.id IN (SELECT i.move_id"
    " FROM sale_order_line l JOIN account_move_line_sale_line_ids_rel x ON x.sale_order_line_id = l.id"
    " JOIN account_move_line i ON i.id = x.account_move_line_id WHERE l.order_id = ?) ORDER BY a.id"
)


def show_order(erp: Erp, order: int) -> JsonDict:
    """A sales order as the tools give it."""
    (found,) = select(erp, _HEAD_NAMES, _HEAD, (order,))
    found["lines"] = select(erp, "product description quantity unit_price subtotal", _LINES, (order,))
    found["invoices"] = select(erp, "name state amount_untaxed", _INVOICES, (order,))
    return found


@tool()
def list_sales_orders(
    erp: Erp,
    customer: str | None = None,
    product: str | None = None,
    state: State | None = None,
    limit: Limit = 20,
    offset: Offset = 0,
) -> JsonDict:
    """List sales orders, oldest first.

    Args:
        customer: Only of this customer, by reference or exact name.
        product: Only with this product, by code or exact name.
        state: Only in this state; 'sale' is a confirmed order.
        limit: Orders to return, at most 100.
        offset: Orders to skip.
    """
    where = Where()
    where.add("t.partner_id = ?", find_optional(erp, "partner", customer))
    where.add("t.id IN (SELECT order_id FROM sale_order_line WHERE product_id = ?)", find_optional(erp, "product", product))
    where.add("t.state = ?", state)
    return page(
        erp,
        "name state customer customer_reference commitment_date amount_untaxed",
        "t.name, t.state, c.ref, t.client_order_ref, substr(t.commitment_date, 1, 10), t.amount_untaxed",
        f"FROM sale_order t JOIN res_partner c ON c.id = t.partner_id {where.sql}",
        where.params,
        limit=limit,
        offset=offset,
    )


@tool()
def get_sales_order(erp: Erp, order: str) -> JsonDict:
    """Show a sales order with its lines, note and invoices.

    Args:
        order: Number of the order, for example S00001.
    """
    return show_order(erp, find(erp, "sales order", order))


@tool(mutates=True)
def create_sales_order(
    erp: Erp,
    customer: str,
    lines: Annotated[list[SaleLine], Field(min_length=1, max_length=100)],
    commitment_date: str,
    customer_reference: str | None = None,
    payment_term: str | None = None,
) -> JsonDict:
    """Enter a sales order as a draft; confirm_sales_order makes it firm.

    Args:
        customer: Customer reference, or its exact name.
        lines: Products to sell.
        commitment_date: Day by which delivery is promised, YYYY-MM-DD.
        customer_reference: The customer's own reference of the order.
        payment_term: Name of a payment term.
    """
    values = given(
        partner_id=find(erp, "partner", customer),
        commitment_date=midnight(erp, "commitment_date", commitment_date),
        client_order_ref=customer_reference,
        payment_term_id=find_optional(erp, "payment term", payment_term),
    )
    values["order_line"] = [[0, 0, {"product_id": find(erp, "product", line["product"]), **_values(line)}] for line in lines]
    (order,) = erp.call("sale.order", "create", vals_list=[values])
    return show_order(erp, order)


@tool(mutates=True)
def update_sales_order(
    erp: Erp,
    order: str,
    commitment_date: str | None = None,
    payment_term: str | None = None,
    customer_reference: str | None = None,
    lines: Annotated[list[SaleLineChange], Field(max_length=100)] | None = None,
) -> JsonDict:
    """Change a sales order, also a confirmed one; what is left out stays as it is.

    Args:
        order: Number of the order, for example S00001.
        commitment_date: Day by which delivery is promised, YYYY-MM-DD.
        payment_term: Name of a payment term.
        customer_reference: The customer's own reference of the order.
        lines: Changes by product.
    """
    number = find(erp, "sales order", order)
    changes = [(find(erp, "product", line["product"]), _values(line)) for line in lines or ()]
    values = given(
        commitment_date=None if commitment_date is None else midnight(erp, "commitment_date", commitment_date),
        payment_term_id=find_optional(erp, "payment term", payment_term),
        client_order_ref=customer_reference,
        order_line=line_commands(erp, "sale_order_line", number, changes) or None,
    )
    erp.call("sale.order", "write", [number], vals=something(values))
    return show_order(erp, number)


@tool(mutates=True)
def confirm_sales_order(erp: Erp, order: str) -> JsonDict:
    """Confirm a draft sales order.

    Args:
        order: Number of the order, for example S00001.
    """
    number = find(erp, "sales order", order)
    require_state(erp, "sales order", number, "draft", "sent", verb="confirmed")
    erp.call("sale.order", "action_confirm", [number])
    return show_order(erp, number)


@tool(mutates=True)
def cancel_sales_order(erp: Erp, order: str) -> JsonDict:
    """Cancel a sales order, for example a request that is turned down.

    Args:
        order: Number of the order, for example S00001.
    """
    number = find(erp, "sales order", order)
    require_state(erp, "sales order", number, "draft", "sent", "sale", verb="cancelled")
    erp.call("sale.order", "action_cancel", [number])
    return show_order(erp, number)


def _values(line: SaleLine | SaleLineChange) -> JsonDict:
    return given(product_uom_qty=line.get("quantity"), price_unit=line.get("unit_price"))
