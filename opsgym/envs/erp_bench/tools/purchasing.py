"""Tools of the buyer: purchase orders."""

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

State = Literal["draft", "sent", "to approve", "purchase", "cancel"]


class PurchaseLine(TypedDict):
    """A product to buy."""

    __pydantic_config__ = STRICT  # type: ignore[misc]  # read by pydantic

    product: Annotated[str, Field(description="Product code or exact name.")]
    quantity: Annotated[Quantity, Field(description="Units.")]
    unit_price: NotRequired[
        Annotated[
            Price, Field(description="Price per unit; when left out, the ERP takes the vendor's price of the smallest lot.")
        ]
    ]
    delivery_date: NotRequired[
        Annotated[str, Field(description="Day of arrival, YYYY-MM-DD; today plus the vendor's lead time when left out.")]
    ]


class PurchaseLineChange(TypedDict):
    """What changes for a product; a product that is not on the order yet is added."""

    __pydantic_config__ = STRICT  # type: ignore[misc]  # read by pydantic

    product: Annotated[str, Field(description="Product code or exact name.")]
    quantity: NotRequired[Annotated[Quantity, Field(description="New units; give unit_price too, or the ERP may reprice.")]]
    unit_price: NotRequired[Annotated[Price, Field(description="New price per unit.")]]
    delivery_date: NotRequired[Annotated[str, Field(description="New day of arrival, YYYY-MM-DD.")]]


_HEAD = (
    "SELECT t.name, t.state, v.ref, v.name, t.origin, substr(t.date_order, 1, 10), t.amount_untaxed, t.amount_total, t.note"
    " FROM purchase_order t JOIN res_partner v ON v.id = t.partner_id WHERE t.id = ?"
)
_LINES = (
    f"SELECT {CODE}, l.name, l.product_qty, l.price_unit, l.price_subtotal, substr(l.date_planned, 1, 10)"
    " FROM purchase_order_line l LEFT JOIN product_product p ON p.id = l.product_id"
    " WHERE l.order_id = ? ORDER BY l.sequence, l.id"
)


def show_order(erp: Erp, order: int) -> JsonDict:
    """A purchase order as the tools give it."""
    names = "name state vendor vendor_name origin order_date amount_untaxed amount_total note"
    (found,) = select(erp, names, _HEAD, (order,))
    found["lines"] = select(erp, "product description quantity unit_price subtotal delivery_date", _LINES, (order,))
    return found


@tool()
def list_purchase_orders(
    erp: Erp,
    vendor: str | None = None,
    product: str | None = None,
    state: State | None = None,
    limit: Limit = 20,
    offset: Offset = 0,
) -> JsonDict:
    """List purchase orders, oldest first.

    Args:
        vendor: Only of this vendor, by reference or exact name.
        product: Only with this product, by code or exact name.
        state: Only in this state; 'purchase' is a confirmed order.
        limit: Orders to return, at most 100.
        offset: Orders to skip.
    """
    where = Where()
    where.add("t.partner_id = ?", find_optional(erp, "partner", vendor))
    where.add("t.id IN (SELECT order_id FROM purchase_order_line WHERE product_id = ?)", find_optional(erp, "product", product))
    where.add("t.state = ?", state)
    return page(
        erp,
        "name state vendor vendor_name origin amount_untaxed",
        "t.name, t.state, v.ref, v.name, t.origin, t.amount_untaxed",
        f"FROM purchase_order t JOIN res_partner v ON v.id = t.partner_id {where.sql}",
        where.params,
        limit=limit,
        offset=offset,
    )


@tool()
def get_purchase_order(erp: Erp, order: str) -> JsonDict:
    """Show a purchase order with its lines, source documents and note.

    Args:
        order: Number of the order, for example P00001.
    """
    return show_order(erp, find(erp, "purchase order", order))


@tool(mutates=True)
def create_purchase_order(
    erp: Erp,
    vendor: str,
    lines: Annotated[list[PurchaseLine], Field(min_length=1, max_length=100)],
    origin: str | None = None,
) -> JsonDict:
    """Enter a purchase order as a draft; confirm_purchase_order commits to it.

    Args:
        vendor: Vendor reference, or its exact name.
        lines: Products to buy.
        origin: Numbers of the documents that it is for, separated by commas, for example 'S00001, S00002'.
    """
    values = given(partner_id=find(erp, "partner", vendor), origin=origin)
    values["order_line"] = [[0, 0, {"product_id": find(erp, "product", line["product"]), **_values(erp, line)}] for line in lines]
    (order,) = erp.call("purchase.order", "create", vals_list=[values])
    return show_order(erp, order)


@tool(mutates=True)
def update_purchase_order(
    erp: Erp,
    order: str,
    origin: str | None = None,
    lines: Annotated[list[PurchaseLineChange], Field(max_length=100)] | None = None,
) -> JsonDict:
    """Change a purchase order, also a confirmed one; what is left out stays as it is.

    Args:
        order: Number of the order, for example P00001.
        origin: Numbers of the documents that it is for, separated by commas; replaces the old ones.
        lines: Changes by product.
    """
    number = find(erp, "purchase order", order)
    changes = [(find(erp, "product", line["product"]), _values(erp, line)) for line in lines or ()]
    values = given(origin=origin, order_line=line_commands(erp, "purchase_order_line", number, changes) or None)
    erp.call("purchase.order", "write", [number], vals=something(values))
    return show_order(erp, number)


@tool(mutates=True)
def confirm_purchase_order(erp: Erp, order: str) -> JsonDict:
    """Confirm a draft purchase order: the vendor is committed and the money is spent.

    Args:
        order: Number of the order, for example P00001.
    """
    number = find(erp, "purchase order", order)
    require_state(erp, "purchase order", number, "draft", "sent", verb="confirmed")
    erp.call("purchase.order", "button_confirm", [number])
    return show_order(erp, number)


@tool(mutates=True)
def cancel_purchase_order(erp: Erp, order: str) -> JsonDict:
    """Cancel a purchase order, draft or confirmed.

    Args:
        order: Number of the order, for example P00001.
    """
    number = find(erp, "purchase order", order)
    require_state(erp, "purchase order", number, "draft", "sent", "to approve", "purchase", verb="cancelled")
    erp.call("purchase.order", "button_cancel", [number])
    return show_order(erp, number)


def _values(erp: Erp, line: PurchaseLine | PurchaseLineChange) -> JsonDict:
    date = line.get("delivery_date")
    return given(
        product_qty=line.get("quantity"),
        price_unit=line.get("unit_price"),
        date_planned=None if date is None else midnight(erp, "delivery_date", date),
    )
