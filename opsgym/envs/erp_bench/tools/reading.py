"""Tools that look up master data: products, partners, offers, bills of materials, work centers, stock, documents."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from opsgym.core.errors import ToolError
from opsgym.core.tools import tool
from opsgym.envs.erp_bench.erp import Erp
from opsgym.envs.erp_bench.tools.common import (
    MAX_PAGE,
    JsonDict,
    Limit,
    Offset,
    Query,
    Where,
    clip,
    find,
    find_optional,
    page,
    paged,
    pattern,
    select,
)

_ON_HAND = (
    "(SELECT COALESCE(SUM(q.quantity), 0) FROM stock_quant q JOIN stock_location l ON l.id = q.location_id"
    " WHERE q.product_id = t.id AND l.usage = 'internal')"
)
_PRODUCT = "product_product t JOIN product_template m ON m.id = t.product_tmpl_id"
_PRODUCT_NAMES = "code name list_price standard_cost on_hand vendor_offers bills_of_materials template"
_PRODUCT_DETAILS = (
    f"SELECT m.default_code, m.name, m.list_price, m.standard_price, {_ON_HAND},"
    " (SELECT COUNT(*) FROM product_supplierinfo s WHERE s.product_tmpl_id = m.id),"
    f" (SELECT COUNT(*) FROM mrp_bom b WHERE b.product_tmpl_id = m.id), m.id FROM {_PRODUCT} WHERE t.id = ?"
)
_ROUTES = (
    "SELECT r.name FROM product_template_route_ids_rel x JOIN stock_route r ON r.id = x.stock_route_id"
    " WHERE x.product_template_id = ? ORDER BY r.id"
)
_TAGS = (
    "SELECT c.name FROM res_partner_category_id_rel x JOIN res_partner_category c ON c.id = x.res_partner_category_id"
    " WHERE x.res_partner_id = ? ORDER BY c.id"
)
_BOM = (
    "SELECT m.default_code, b.id, b.product_qty, b.produce_delay FROM mrp_bom b"
    " JOIN product_template m ON m.id = b.product_tmpl_id JOIN product_product p ON p.product_tmpl_id = m.id"
    " WHERE p.id = ? AND b.active ORDER BY b.sequence, b.id LIMIT 1"
)
_COMPONENTS = (
    "SELECT m.default_code, m.name, l.product_qty FROM mrp_bom_line l JOIN product_product p ON p.id = l.product_id"
    " JOIN product_template m ON m.id = p.product_tmpl_id WHERE l.bom_id = ? ORDER BY l.id"
)
_OPERATIONS = (
    "SELECT w.code, w.name, o.name, o.time_cycle_manual, o.unit_cost FROM mrp_routing_workcenter o"
    " JOIN mrp_workcenter w ON w.id = o.workcenter_id WHERE o.bom_id = ? ORDER BY o.is_alternative, o.id"
)
_OFFER = (
    "FROM product_supplierinfo t JOIN res_partner v ON v.id = t.partner_id JOIN product_template m ON m.id = t.product_tmpl_id"
    " JOIN product_product p ON p.product_tmpl_id = m.id"
)


@tool()
def get_current_date(erp: Erp) -> str:
    """Tell today's date in the ERP."""
    return erp.world.today.isoformat()


@tool()
def search_products(erp: Erp, query: Query | None = None, limit: Limit = 20, offset: Offset = 0) -> JsonDict:
    """List products, with list price and stock on hand.

    Args:
        query: Part of a product's name or code; all products when left out.
        limit: Products to return, at most 100.
        offset: Products to skip.
    """
    where = Where()
    where.add("(m.name LIKE ? ESCAPE '!' OR m.default_code LIKE ? ESCAPE '!')", pattern(query))
    return page(
        erp,
        "code name list_price on_hand",
        f"m.default_code, m.name, m.list_price, {_ON_HAND}",
        f"FROM {_PRODUCT} {where.sql}",
        where.params,
        limit=limit,
        offset=offset,
    )


@tool()
def get_product(erp: Erp, product: str) -> JsonDict:
    """Show a product: prices, supply routes, stock on hand, and whether vendors offer it or it can be made.

    Args:
        product: Product code, or its exact name.
    """
    key = find(erp, "product", product)
    (found,) = select(erp, _PRODUCT_NAMES, _PRODUCT_DETAILS, (key,))
    found["routes"] = [name for (name,) in erp.world.execute(_ROUTES, (found.pop("template"),)).fetchall()]
    return found


@tool()
def search_partners(
    erp: Erp,
    query: Query | None = None,
    role: Literal["customer", "vendor", "any"] = "any",
    limit: Limit = 20,
    offset: Offset = 0,
) -> JsonDict:
    """List customers and vendors.

    Args:
        query: Part of a partner's name or reference; all partners when left out.
        role: Only customers, only vendors, or any.
        limit: Partners to return, at most 100.
        offset: Partners to skip.
    """
    where = Where()
    where.add("(t.name LIKE ? ESCAPE '!' OR t.ref LIKE ? ESCAPE '!')", pattern(query))
    if role != "any":
        where.add(f"t.{'customer' if role == 'customer' else 'supplier'}_rank > ?", 0)
    found = page(
        erp,
        "ref name email has_notes",
        "t.ref, t.name, t.email, t.comment IS NOT NULL",
        f"FROM res_partner t {where.sql}",
        where.params,
        limit=limit,
        offset=offset,
    )
    for row in found["items"]:
        row["has_notes"] = bool(row["has_notes"])
    return found


@tool()
def get_partner(erp: Erp, partner: str) -> JsonDict:
    """Show a customer or vendor with its Internal Notes.

    Args:
        partner: Partner reference, or its exact name.
    """
    key = find(erp, "partner", partner)
    columns = "t.ref, t.name, t.email, t.customer_rank > 0, t.supplier_rank > 0, t.comment"
    names = "ref name email is_customer is_vendor internal_notes"
    (found,) = select(erp, names, f"SELECT {columns} FROM res_partner t WHERE t.id = ?", (key,))
    found["is_customer"], found["is_vendor"] = bool(found["is_customer"]), bool(found["is_vendor"])
    found["internal_notes"] = clip(found["internal_notes"] or "")
    found["tags"] = [name for (name,) in erp.world.execute(_TAGS, (key,)).fetchall()]
    return found


@tool()
def list_vendor_offers(
    erp: Erp, product: str | None = None, vendor: str | None = None, limit: Limit = 50, offset: Offset = 0
) -> JsonDict:
    """List vendor offers: unit price, minimum quantity, lead time in days and validity; limits stand in the vendor's notes.

    Args:
        product: Product code or exact name; all products when left out.
        vendor: Vendor reference or exact name; all vendors when left out.
        limit: Offers to return, at most 100.
        offset: Offers to skip.
    """
    where = Where()
    where.add("p.id = ?", find_optional(erp, "product", product))
    where.add("t.partner_id = ?", find_optional(erp, "partner", vendor))
    return page(
        erp,
        "vendor vendor_name product offer unit_price min_quantity lead_days valid_from valid_to",
        "v.ref, v.name, m.default_code, t.product_name, t.price, t.min_qty, t.delay, t.date_start, t.date_end",
        f"{_OFFER} {where.sql}",
        where.params,
        limit=limit,
        offset=offset,
    )


@tool()
def get_bill_of_materials(erp: Erp, product: str) -> JsonDict:
    """Show how a product is made: components, lead time in days, and the eligible work centers with minutes and cost a unit.

    Args:
        product: Product code or exact name.
    """
    boms = select(erp, "product id quantity lead_days", _BOM, (find(erp, "product", product),))
    if not boms:
        raise ToolError("not_found", f"{product!r} has no bill of materials.", "It can only be bought; see list_vendor_offers.")
    (bom,) = boms
    number = bom.pop("id")
    bom["components"] = select(erp, "product name quantity", _COMPONENTS, (number,))
    bom["work_centers"] = select(erp, "work_center name operation minutes_per_unit cost_per_unit", _OPERATIONS, (number,))
    return bom


@tool()
def list_work_centers(erp: Erp, limit: Limit = 50, offset: Offset = 0) -> JsonDict:
    """List work centers with their hourly cost and Internal Notes, where capacity and outages are stated.

    Args:
        limit: Work centers to return, at most 100.
        offset: Work centers to skip.
    """
    return page(
        erp,
        "code name cost_per_hour internal_notes",
        "t.code, t.name, t.costs_hour, t.note",
        "FROM mrp_workcenter t",
        (),
        limit=limit,
        offset=offset,
    )


@tool()
def get_stock(erp: Erp, products: Annotated[list[str], Field(min_length=1, max_length=MAX_PAGE)]) -> list[JsonDict]:
    """Show the units on hand of some products.

    Args:
        products: Product codes or exact names, at most 100.
    """
    sql = f"SELECT m.default_code, {_ON_HAND} FROM {_PRODUCT} WHERE t.id = ?"
    return [select(erp, "product on_hand", sql, (find(erp, "product", one),))[0] for one in products]


@tool()
def list_payment_terms(erp: Erp) -> list[str]:
    """List the names of the payment terms that orders and invoices can carry."""
    return [name for (name,) in erp.world.execute("SELECT name FROM account_payment_term ORDER BY id").fetchall()]


@tool()
def list_documents(erp: Erp) -> JsonDict:
    """List the titles of the company's policy documents."""
    rows: list[Any] = [title for (title,) in erp.world.execute("SELECT name FROM ir_attachment ORDER BY id").fetchall()]
    return paged(rows, total=len(rows), offset=0)


@tool()
def read_document(erp: Erp, title: str) -> JsonDict:
    """Read one of the company's policy documents.

    Args:
        title: Title as list_documents gives it.
    """
    key = find(erp, "document", title)
    (found,) = select(erp, "title body", "SELECT name, index_content FROM ir_attachment WHERE id = ?", (key,))
    return found
