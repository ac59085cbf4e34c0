"""Products, their units and categories, and the offers of vendors.

A product has one variant: ``product.product`` shows the fields of its ``product.template`` as its own.
"""

from __future__ import annotations

from collections.abc import Sequence

from opsgym.envs.erp_bench.erp.errors import bad_value, invalid
from opsgym.envs.erp_bench.erp.fields import (
    Boolean,
    Char,
    Date,
    Float,
    Integer,
    Many2many,
    Many2one,
    One2many,
    Selection,
    Text,
)
from opsgym.envs.erp_bench.erp.mail import Thread
from opsgym.envs.erp_bench.erp.model import READ_ONLY, Model, Vals

UNIT = 1
"""Id of the only unit of measure."""

_VARIANT = "(SELECT pp.id FROM product_product pp WHERE pp.product_tmpl_id = {t}.id)"
_SHOWN = "(COALESCE('[' || {x}.default_code || '] ', '') || {x}.name)"
PRODUCT_NAME = (
    "(SELECT pt.name FROM product_product pp JOIN product_template pt ON pt.id = pp.product_tmpl_id WHERE pp.id = {t}.product_id)"
)
"""Name of the product that record ``{t}`` refers to."""
_OPEN = "('waiting', 'confirmed', 'partially_available', 'assigned')"
_ON_HAND = (
    "COALESCE((SELECT SUM(q.quantity) FROM stock_quant q JOIN stock_location l ON l.id = q.location_id "
    "WHERE q.product_id = {p} AND l.usage = 'internal'), 0.0)"
)
_FLOW = (
    "COALESCE((SELECT SUM(m.product_uom_qty) FROM stock_move m JOIN stock_location a ON a.id = m.location_id "
    f"JOIN stock_location b ON b.id = m.location_dest_id WHERE m.product_id = {{p}} AND m.state IN {_OPEN} "
    "AND a.usage {{from}} 'internal' AND b.usage {{to}} 'internal'), 0.0)"
)
_INCOMING = _FLOW.replace("{{from}}", "<>").replace("{{to}}", "=")
_OUTGOING = _FLOW.replace("{{from}}", "=").replace("{{to}}", "<>")
_RESERVED = (
    "COALESCE((SELECT SUM(m.quantity) FROM stock_move m JOIN stock_location a ON a.id = m.location_id "
    "WHERE m.product_id = {p} AND m.state IN ('partially_available', 'assigned') AND a.usage = 'internal'), 0.0)"
)
FIGURES = {
    "qty_available": _ON_HAND,
    "incoming_qty": _INCOMING,
    "outgoing_qty": _OUTGOING,
    "virtual_available": f"({_ON_HAND} + {_INCOMING} - {_OUTGOING})",
    "free_qty": f"({_ON_HAND} - {_RESERVED})",
}
"""Stock figures of product ``{p}``: on hand, planned receipts, planned issues, forecast, and on hand without reservations."""


class Unit(Model):
    """Units of measure."""

    _name = "uom.uom"
    _description = "Product Unit of Measure"
    _access = READ_ONLY

    name = Char("Unit Name", required=True)
    factor = Float(default=1.0)
    active = Boolean(default=True)


class Category(Model):
    """Product categories."""

    _name = "product.category"
    _description = "Product Category"
    _order = "name, id"

    name = Char(required=True)
    parent_id = Many2one("product.category", "Parent Category")

    def changed(self, ids: list[int], vals: Vals) -> None:
        """A category is not below itself."""
        self.refuse_cycles(ids, "parent_id")


class Template(Thread):
    """Products."""

    _name = "product.template"
    _description = "Product"
    _order = "name, id"
    _display = _SHOWN.replace("{x}", "{t}")
    _names_search = ("name", "default_code", "barcode")

    name = Char(required=True, index=True)
    default_code = Char("Internal Reference", index=True)
    barcode = Char()
    type = Selection("consu=Goods | service | combo", "Product Type", required=True, default="consu")
    is_storable = Boolean("Track Inventory")
    list_price = Float("Sales Price", default=1.0)
    standard_price = Float("Cost")
    sale_ok = Boolean("Sales", default=True)
    purchase_ok = Boolean("Purchase", default=True)
    active = Boolean(default=True)
    categ_id = Many2one("product.category", "Product Category", default=1)
    uom_id = Many2one("uom.uom", "Unit", required=True, default=UNIT)
    description = Text()
    description_sale = Text("Sales Description")
    description_purchase = Text("Purchase Description")
    weight = Float()
    sale_delay = Integer("Customer Lead Time", help="Days between confirmation and delivery.")
    invoice_policy = Selection("order=Ordered quantities | delivery=Delivered quantities", default="order")
    purchase_method = Selection(
        "purchase=On ordered quantities | receive=On received quantities", "Control Policy", default="receive"
    )
    route_ids = Many2many("stock.route", "Routes")
    taxes_id = Many2many("account.tax", "Sales Taxes", default=lambda self: _company_tax(self, "account_sale_tax_id"))
    supplier_taxes_id = Many2many(
        "account.tax", "Purchase Taxes", default=lambda self: _company_tax(self, "account_purchase_tax_id")
    )
    seller_ids = One2many("product.supplierinfo", "product_tmpl_id", "Vendors")
    bom_ids = One2many("mrp.bom", "product_tmpl_id", "Bills of Materials")
    product_variant_ids = One2many("product.product", "product_tmpl_id", "Products", readonly=True)
    product_variant_id = Many2one("product.product", "Product", readonly=True, sql=_VARIANT)
    product_variant_count = Integer(readonly=True, sql="1")
    qty_available = Float("Quantity On Hand", readonly=True, sql=FIGURES["qty_available"].replace("{p}", _VARIANT))
    incoming_qty = Float("Incoming", readonly=True, sql=FIGURES["incoming_qty"].replace("{p}", _VARIANT))
    outgoing_qty = Float("Outgoing", readonly=True, sql=FIGURES["outgoing_qty"].replace("{p}", _VARIANT))
    virtual_available = Float("Forecasted Quantity", readonly=True, sql=FIGURES["virtual_available"].replace("{p}", _VARIANT))

    def created(self, record: int, vals: Vals) -> None:
        """Make the only variant."""
        self.alter(
            "product_product", "INSERT INTO product_product (product_tmpl_id, create_date) VALUES (?, ?)", record, self.now()
        )

    def copy(self, record: int, default: Vals | None = None) -> int:
        """Duplicate a product under a name that says so."""
        self.require([record])
        return super().copy(record, {"name": f"{self.get(record, 'name')} (copy)", **(default or {})})

    def changing(self, ids: list[int], vals: Vals) -> None:
        """A product with stock or moves keeps its kind."""
        if vals.get("type", "consu") != "consu" or vals.get("is_storable") is False:
            for one in ids:
                if self.value(f"SELECT 1 FROM stock_move WHERE product_id = {_VARIANT.replace('{t}.id', '?')} LIMIT 1", one):
                    raise invalid("You cannot change the inventory tracking of a product that was already used.")


class Product(Thread):
    """Variants of products: what is bought, made, stored and sold."""

    _name = "product.product"
    _description = "Product Variant"
    _order = "default_code, name, id"
    _inherits = ("product_tmpl_id", "product.template")
    _display = "(SELECT " + _SHOWN.replace("{x}", "pt") + " FROM product_template pt WHERE pt.id = {t}.product_tmpl_id)"
    _names_search = ("default_code", "name", "barcode")

    product_tmpl_id = Many2one("product.template", "Product Template", required=True, readonly=True, ondelete="cascade")
    lst_price = Float("Sales Price", related="product_tmpl_id.list_price")
    qty_available = Float("Quantity On Hand", readonly=True, sql=FIGURES["qty_available"].replace("{p}", "{t}.id"))
    incoming_qty = Float("Incoming", readonly=True, sql=FIGURES["incoming_qty"].replace("{p}", "{t}.id"))
    outgoing_qty = Float("Outgoing", readonly=True, sql=FIGURES["outgoing_qty"].replace("{p}", "{t}.id"))
    virtual_available = Float("Forecasted Quantity", readonly=True, sql=FIGURES["virtual_available"].replace("{p}", "{t}.id"))
    free_qty = Float("Free To Use Quantity", readonly=True, sql=FIGURES["free_qty"].replace("{p}", "{t}.id"))

    def create(self, vals: Vals) -> int:
        """Create the template; its variant is the product."""
        if vals.get("product_tmpl_id"):
            raise bad_value("A product has one variant, which exists already")
        given = dict(vals)
        if "lst_price" in given:
            given["list_price"] = given.pop("lst_price")
        template = self.erp["product.template"].create(given)
        return int(self.value("SELECT id FROM product_product WHERE product_tmpl_id = ?", template))

    def unlink(self, ids: Sequence[int]) -> None:
        """Delete the templates, and the variants with them."""
        self.require(ids)
        self.erp["product.template"].unlink([self.get(one, "product_tmpl_id") for one in ids])

    def copy(self, record: int, default: Vals | None = None) -> int:
        """Duplicate the template; answers with the variant of the new one."""
        self.require([record])
        template = self.erp["product.template"].copy(self.get(record, "product_tmpl_id"), default)
        return int(self.value("SELECT id FROM product_product WHERE product_tmpl_id = ?", template))


class SupplierInfo(Model):
    """Offers of vendors: a price from a minimum quantity on, with a lead time.  There is no maximum."""

    _name = "product.supplierinfo"
    _description = "Supplier Pricelist"
    _order = "sequence, min_qty desc, price, id"
    _rec_name = "partner_id"
    _display = "(SELECT rp.name FROM res_partner rp WHERE rp.id = {t}.partner_id)"
    _names_search = ("partner_id", "product_name", "product_code")

    partner_id = Many2one("res.partner", "Vendor", required=True, ondelete="cascade")
    product_tmpl_id = Many2one("product.template", "Product Template", required=True, ondelete="cascade")
    product_id = Many2one("product.product", "Product Variant", ondelete="cascade")
    product_name = Char("Vendor Product Name")
    product_code = Char("Vendor Product Code")
    product_uom_id = Many2one("uom.uom", "Unit", default=UNIT)
    sequence = Integer(default=1)
    min_qty = Float("Quantity", help="Least quantity for this price.")
    price = Float()
    discount = Float("Discount (%)")
    delay = Integer("Lead Time", default=1, help="Days between confirmation and receipt.")
    date_start = Date("Start Date")
    date_end = Date("End Date")
    currency_id = Many2one("res.currency", default=1)
    price_discounted = Float("Discounted Price", readonly=True, sql="({t}.price * (1 - {t}.discount / 100))")

    def complete(self, vals: Vals) -> None:
        """The template follows from the variant."""
        if vals.get("product_id") and not vals.get("product_tmpl_id"):
            variant = self.erp["product.product"]
            variant.require([variant.fields["id"].to_column(vals["product_id"])])
            vals["product_tmpl_id"] = variant.get(vals["product_id"], "product_tmpl_id")

    def choose(self, product: int, partner: int, quantity: float, day: str) -> tuple[int, float, int] | None:
        """The offer that applies to a quantity on a day: the cheapest one; (id, discounted price, lead time)."""
        return self._best(
            product, partner, day, "AND si.min_qty <= ? ORDER BY si.price * (1 - si.discount / 100), si.sequence, si.id", quantity
        )

    def lowest(self, product: int, partner: int, day: str) -> tuple[int, float, int] | None:
        """The vendor's offer with the least minimum quantity on a day; (id, discounted price, lead time)."""
        return self._best(product, partner, day, "ORDER BY si.min_qty, si.price * (1 - si.discount / 100), si.sequence, si.id")

    def _best(self, product: int, partner: int, day: str, tail: str, *params: float) -> tuple[int, float, int] | None:
        found = self.rows(
            "SELECT si.id, si.price * (1 - si.discount / 100), si.delay FROM product_supplierinfo si "
            "JOIN product_product pp ON pp.product_tmpl_id = si.product_tmpl_id WHERE pp.id = ? AND si.partner_id = ? "
            "AND (si.product_id IS NULL OR si.product_id = pp.id) "
            f"AND COALESCE(si.date_start, '') <= ? AND COALESCE(si.date_end, '9999') >= ? {tail} LIMIT 1",
            product,
            partner,
            day,
            day,
            *params,
        )
        return (found[0][0], float(found[0][1]), found[0][2]) if found else None


def _company_tax(model: Model, field: str) -> list[list[object]]:
    tax = model.value(f"SELECT {field} FROM res_company ORDER BY id LIMIT 1")
    return [[6, 0, [tax] if tax else []]]
