"""Tools of the production planner: manufacturing orders."""

from __future__ import annotations

from typing import Literal

from opsgym.core.errors import ToolError
from opsgym.core.tools import tool
from opsgym.envs.erp_bench.erp import Erp
from opsgym.envs.erp_bench.tools.common import (
    CODE,
    JsonDict,
    Limit,
    Offset,
    Quantity,
    Where,
    find,
    find_optional,
    given,
    midnight,
    notes_of,
    page,
    require_state,
    select,
    something,
)

State = Literal["draft", "confirmed", "progress", "to_close", "done", "cancel"]

_HEAD = (
    f"SELECT t.name, t.state, {CODE}, t.product_qty, substr(t.date_start, 1, 10), substr(t.date_deadline, 1, 10),"
    " substr(t.date_finished, 1, 10), t.origin FROM mrp_production t JOIN product_product p ON p.id = t.product_id WHERE t.id = ?"
)
_WORK = (
    "SELECT w.code, o.name, o.state, substr(o.date_start, 1, 10), substr(o.date_finished, 1, 10) FROM mrp_workorder o"
    " JOIN mrp_workcenter w ON w.id = o.workcenter_id WHERE o.production_id = ? ORDER BY o.id"
)
_RAW = (
    f"SELECT {CODE}, m.product_uom_qty, m.state FROM stock_move m JOIN product_product p ON p.id = m.product_id"
    " WHERE m.raw_material_production_id = ? ORDER BY m.id"
)


def show_order(erp: Erp, order: int) -> JsonDict:
    """A manufacturing order as the tools give it."""
    (found,) = select(erp, "name state product quantity start_date due_date finish_date origin", _HEAD, (order,))
    found["work_orders"] = select(erp, "work_center operation state start_date finish_date", _WORK, (order,))
    found["components"] = select(erp, "product quantity state", _RAW, (order,))
    found["notes"] = notes_of(erp, "mrp.production", order)
    return found


@tool()
def list_manufacturing_orders(
    erp: Erp,
    product: str | None = None,
    work_center: str | None = None,
    state: State | None = None,
    limit: Limit = 20,
    offset: Offset = 0,
) -> JsonDict:
    """List manufacturing orders, oldest first.

    Args:
        product: Only of this product, by code or exact name.
        work_center: Only on this work center, by code or exact name.
        state: Only in this state.
        limit: Orders to return, at most 100.
        offset: Orders to skip.
    """
    where = Where()
    where.add("t.product_id = ?", find_optional(erp, "product", product))
    center = find_optional(erp, "work center", work_center)
    where.add("t.id IN (SELECT production_id FROM mrp_workorder WHERE workcenter_id = ?)", center)
    where.add("t.state = ?", state)
    return page(
        erp,
        "name state product quantity start_date due_date origin",
        f"t.name, t.state, {CODE}, t.product_qty, substr(t.date_start, 1, 10), substr(t.date_deadline, 1, 10), t.origin",
        f"FROM mrp_production t JOIN product_product p ON p.id = t.product_id {where.sql}",
        where.params,
        limit=limit,
        offset=offset,
    )


@tool()
def get_manufacturing_order(erp: Erp, order: str) -> JsonDict:
    """Show a manufacturing order with its work orders, components, source documents and notes.

    Args:
        order: Number of the order, for example WH/MO/00001.
    """
    return show_order(erp, find(erp, "manufacturing order", order))


@tool(mutates=True)
def create_manufacturing_order(
    erp: Erp,
    product: str,
    quantity: Quantity,
    start_date: str,
    due_date: str,
    work_center: str | None = None,
    origin: str | None = None,
) -> JsonDict:
    """Enter a manufacturing order as a draft; confirm_manufacturing_order releases it.

    Args:
        product: Code or exact name of the product to make.
        quantity: Units to make.
        start_date: Day on which work starts, YYYY-MM-DD.
        due_date: Day by which the units are ready, YYYY-MM-DD.
        work_center: Code of the work center for its work orders; the usual one when left out.
        origin: Numbers of the documents that it is for, separated by commas, for example 'S00001' or 'WH/MO/00001'.
    """
    values = given(
        product_id=find(erp, "product", product),
        product_qty=quantity,
        date_start=midnight(erp, "start_date", start_date),
        date_deadline=midnight(erp, "due_date", due_date),
        origin=origin,
    )
    (order,) = erp.call("mrp.production", "create", vals_list=[values])
    if work_center is not None:
        _set_center(erp, order, find(erp, "work center", work_center))
    return show_order(erp, order)


@tool(mutates=True)
def update_manufacturing_order(
    erp: Erp,
    order: str,
    quantity: Quantity | None = None,
    start_date: str | None = None,
    due_date: str | None = None,
    work_center: str | None = None,
    origin: str | None = None,
) -> JsonDict:
    """Change a manufacturing order, also a confirmed one: quantity, dates, work center or source; what is left out stays.

    Args:
        order: Number of the order, for example WH/MO/00001.
        quantity: New units to make; components follow.
        start_date: Day on which work starts, YYYY-MM-DD.
        due_date: Day by which the units are ready, YYYY-MM-DD.
        work_center: Code of the work center for its work orders.
        origin: Numbers of the documents that it is for, separated by commas; replaces the old ones.
    """
    number = find(erp, "manufacturing order", order)
    center = find_optional(erp, "work center", work_center)
    values = given(
        date_start=None if start_date is None else midnight(erp, "start_date", start_date),
        date_deadline=None if due_date is None else midnight(erp, "due_date", due_date),
        origin=origin,
    )
    something(values | given(center=center, quantity=quantity))
    require_state(erp, "manufacturing order", number, "draft", "confirmed", "progress", "to_close", verb="changed")
    if quantity is not None:
        (wizard,) = erp.call("change.production.qty", "create", vals_list=[{"mo_id": number, "product_qty": quantity}])
        erp.call("change.production.qty", "change_prod_qty", [wizard])
    if values:
        erp.call("mrp.production", "write", [number], vals=values)
    if center is not None:
        _set_center(erp, number, center)
    return show_order(erp, number)


@tool(mutates=True)
def confirm_manufacturing_order(erp: Erp, order: str) -> JsonDict:
    """Confirm a draft manufacturing order.

    Args:
        order: Number of the order, for example WH/MO/00001.
    """
    number = find(erp, "manufacturing order", order)
    require_state(erp, "manufacturing order", number, "draft", verb="confirmed")
    erp.call("mrp.production", "action_confirm", [number])
    return show_order(erp, number)


@tool(mutates=True)
def cancel_manufacturing_order(erp: Erp, order: str) -> JsonDict:
    """Cancel a manufacturing order, draft or confirmed.

    Args:
        order: Number of the order, for example WH/MO/00001.
    """
    number = find(erp, "manufacturing order", order)
    require_state(erp, "manufacturing order", number, "draft", "confirmed", "progress", "to_close", verb="cancelled")
    erp.call("mrp.production", "action_cancel", [number])
    return show_order(erp, number)


def _set_center(erp: Erp, order: int, center: int) -> None:
    rows = erp.world.execute(
        "SELECT id FROM mrp_workorder WHERE production_id = ? AND state <> 'cancel' ORDER BY id", (order,)
    ).fetchall()
    if not rows:
        raise ToolError("bad_state", "The order has no open work orders, so no work center can be assigned.")
    erp.call("mrp.workorder", "write", [number for (number,) in rows], vals={"workcenter_id": center})
