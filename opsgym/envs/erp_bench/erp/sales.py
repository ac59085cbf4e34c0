"""Quotations and sales orders."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from opsgym.envs.erp_bench.erp.errors import user_error
from opsgym.envs.erp_bench.erp.fields import (
    Boolean,
    Char,
    Datetime,
    Float,
    Html,
    Integer,
    Many2many,
    Many2one,
    Monetary,
    One2many,
    Selection,
    Text,
)
from opsgym.envs.erp_bench.erp.mail import Thread
from opsgym.envs.erp_bench.erp.model import Model, Vals, public
from opsgym.envs.erp_bench.erp.money import add_days, line_amounts, store_totals
from opsgym.envs.erp_bench.erp.products import UNIT, Product
from opsgym.envs.erp_bench.erp.settings import IrSequence
from opsgym.envs.erp_bench.erp.stock import DELIVERIES, Picking, StockMove

INVOICED_QUANTITY = (
    "COALESCE((SELECT SUM(aml.quantity * ((am.move_type = 'out_invoice') - (am.move_type = 'out_refund'))) "
    "FROM account_move_line_sale_line_ids_rel rel JOIN account_move_line aml ON aml.id = rel.account_move_line_id "
    "JOIN account_move am ON am.id = aml.move_id WHERE rel.sale_order_line_id = {x}.id AND am.state <> 'cancel'), 0.0)"
)
"""Quantity of sales order line ``{x}`` on customer invoices that are not cancelled."""
DELIVERED_QUANTITY = (
    "COALESCE((SELECT SUM(sm.quantity) FROM stock_move sm WHERE sm.sale_line_id = {x}.id AND sm.state = 'done'), 0.0)"
)
_UNSETTLED = "(SELECT so.state FROM sale_order so WHERE so.id = {x}.order_id) <> 'sale' OR {x}.display_type IS NOT NULL"
QUANTITY_TO_INVOICE = (
    f"(CASE WHEN {_UNSETTLED} THEN 0.0 "
    "WHEN {x}.is_downpayment OR COALESCE((SELECT pt.invoice_policy FROM product_product pp "
    "JOIN product_template pt ON pt.id = pp.product_tmpl_id WHERE pp.id = {x}.product_id), 'order') = 'order' "
    f"THEN {{x}}.product_uom_qty - {INVOICED_QUANTITY} ELSE {DELIVERED_QUANTITY} - {INVOICED_QUANTITY} END)"
)
_LINE_STATUS = (
    f"(CASE WHEN {_UNSETTLED} THEN 'no' "
    f"WHEN {QUANTITY_TO_INVOICE} <> 0 THEN 'to invoice' "
    f"WHEN {INVOICED_QUANTITY} >= {{x}}.product_uom_qty THEN 'invoiced' ELSE 'no' END)"
)
_ORDER_STATUS = (
    "(SELECT CASE WHEN {t}.state <> 'sale' OR COUNT(*) = 0 THEN 'no' WHEN SUM(s = 'to invoice') > 0 THEN 'to invoice' "
    "WHEN SUM(s = 'invoiced') = COUNT(*) THEN 'invoiced' ELSE 'no' END FROM (SELECT "
    + _LINE_STATUS.replace("{x}", "sol")
    + " AS s FROM sale_order_line sol WHERE sol.order_id = {t}.id AND sol.display_type IS NULL AND NOT sol.is_downpayment))"
)
_INVOICES = (
    "(SELECT json_group_array(id) FROM (SELECT DISTINCT aml.move_id AS id FROM sale_order_line sol "
    "JOIN account_move_line_sale_line_ids_rel rel ON rel.sale_order_line_id = sol.id "
    "JOIN account_move_line aml ON aml.id = rel.account_move_line_id WHERE sol.order_id = {t}.id ORDER BY 1))"
)
_DELIVERY_STATUS = (
    "(SELECT CASE WHEN COUNT(*) = 0 THEN NULL WHEN SUM(sm.state = 'done') = COUNT(*) THEN 'full' "
    "WHEN SUM(sm.state = 'done') > 0 THEN 'partial' ELSE 'pending' END FROM stock_move sm "
    "JOIN sale_order_line sol ON sol.id = sm.sale_line_id WHERE sol.order_id = {t}.id AND sm.state <> 'cancel')"
)


class SaleOrder(Thread):
    """Requests of customers: quotations, and sales orders once confirmed."""

    _name = "sale.order"
    _description = "Sales Order"
    _order = "date_order desc, id desc"
    _names_search = ("name", "client_order_ref", "partner_id")

    name = Char("Order Reference", readonly=True, copy=False, index=True)
    partner_id = Many2one("res.partner", "Customer", required=True)
    state = Selection(
        "draft=Quotation | sent=Quotation Sent | sale=Sales Order | cancel=Cancelled",
        "Status",
        readonly=True,
        required=True,
        default="draft",
        copy=False,
    )
    locked = Boolean(readonly=True, copy=False)
    date_order = Datetime("Order Date", required=True, copy=False, default=lambda self: self.now())
    commitment_date = Datetime("Delivery Date", copy=False, help="Date promised to the customer.")
    client_order_ref = Char("Customer Reference", copy=False, index=True)
    origin = Char("Source Document")
    reference = Char("Payment Ref.", copy=False)
    payment_term_id = Many2one("account.payment.term", "Payment Terms", index=False)
    user_id = Many2one("res.users", "Salesperson", default=2, index=False)
    company_id = Many2one("res.company", "Company", readonly=True, default=1, index=False)
    currency_id = Many2one("res.currency", "Currency", readonly=True, default=1, index=False)
    note = Html("Terms and conditions")
    order_line = One2many("sale.order.line", "order_id", "Order Lines", copy=True)
    amount_untaxed = Monetary("Untaxed Amount", readonly=True, copy=False)
    amount_tax = Monetary("Taxes", readonly=True, copy=False)
    amount_total = Monetary("Total", readonly=True, copy=False)
    invoice_ids = Many2many("account.move", "Invoices", readonly=True, copy=False, sql=_INVOICES)
    invoice_count = Integer(readonly=True, sql=f"json_array_length({_INVOICES})")
    invoice_status = Selection(
        "upselling | invoiced=Fully Invoiced | to invoice | no=Nothing to Invoice", readonly=True, sql=_ORDER_STATUS
    )
    picking_ids = One2many("stock.picking", "sale_id", "Transfers", readonly=True)
    delivery_status = Selection(
        "pending=Not Delivered | started | partial=Partially Delivered | full=Fully Delivered",
        readonly=True,
        sql=_DELIVERY_STATUS,
    )

    def complete(self, vals: Vals) -> None:
        """The number; the payment term follows the customer."""
        vals["name"] = self.erp.of(IrSequence).take("sale.order")
        partner = self.fields["partner_id"].to_column(vals.get("partner_id"))
        if partner is not None and "payment_term_id" not in vals:
            partners = self.erp["res.partner"]
            partners.require([partner])
            vals["payment_term_id"] = partners.get(partner, "property_payment_term_id")

    def changing(self, ids: list[int], vals: Vals) -> None:
        """A locked order keeps its customer, its date and its lines."""
        locked = [one for one in ids if self.get(one, "locked")]
        if locked and {"partner_id", "date_order", "order_line", "commitment_date", "payment_term_id"} & set(vals):
            raise user_error(f"It is forbidden to modify a locked order: {self.names(locked)}")

    def changed(self, ids: list[int], vals: Vals) -> None:
        """Planned deliveries follow the promised date."""
        if "commitment_date" in vals:
            self.reschedule(ids)

    def deleting(self, ids: list[int]) -> None:
        """Only quotations and cancelled orders can be deleted."""
        if self.in_state(ids, "sent", "sale"):
            raise user_error(
                "You can not delete a sent quotation or a confirmed sales order. You must first cancel it.",
                hint="Use action_cancel.",
            )
        self.erp.of(SaleOrderLine).remove(self.children(ids, "order_line"))

    def retotal(self, ids: list[int]) -> None:
        """Sum the lines up."""
        store_totals(self, ids, "order_line")

    def reschedule(self, ids: list[int]) -> None:
        """Planned deliveries follow the order's date."""
        for one in self.in_state(ids, "sale"):
            self.erp.of(SaleOrderLine).deliver(self.children([one], "order_line"))
            self.alter(
                "stock_picking",
                "UPDATE stock_picking SET scheduled_date = ? WHERE sale_id = ? AND date_done IS NULL",
                self.get(one, "commitment_date") or self.get(one, "date_order"),
                one,
            )

    @public()
    def action_confirm(self, ids: list[int]) -> bool:
        """Turn quotations into sales orders and plan their deliveries."""
        settled = self.in_state(ids, "sale", "cancel")
        if settled:
            raise user_error(f"The following orders are not in a state requiring confirmation: {self.names(settled)}")
        self.put(ids, state="sale", date_order=self.now())
        for one in ids:
            self.erp.of(SaleOrderLine).deliver(self.children([one], "order_line"))
        return True

    @public()
    def action_quotation_sent(self, ids: list[int]) -> None:
        """Mark quotations as sent."""
        if len(self.in_state(ids, "draft")) < len(ids):
            raise user_error("Only draft orders can be marked as sent directly.")
        self.put(ids, state="sent")

    @public()
    def action_cancel(self, ids: list[int]) -> bool:
        """Cancel orders in any state, with their planned deliveries and draft invoices; locked orders are refused."""
        locked = [one for one in ids if self.get(one, "locked")]
        if locked:
            raise user_error(f"You cannot cancel a locked order. Please unlock it first: {self.names(locked)}")
        for record in self.read(ids, ["invoice_ids"]):
            self.alter(
                "account_move",
                "UPDATE account_move SET state = 'cancel' WHERE state = 'draft' AND id IN (SELECT value FROM json_each(?))",
                record["invoice_ids"],
            )
        moves = self.rows(
            "SELECT sm.id FROM stock_move sm JOIN sale_order_line sol ON sol.id = sm.sale_line_id "
            "WHERE sol.order_id IN (SELECT value FROM json_each(?)) ORDER BY sm.id",
            ids,
        )
        self.erp.of(StockMove).cancel([row[0] for row in moves])
        self.put(ids, state="cancel")
        return True

    @public()
    def action_draft(self, ids: list[int]) -> bool:
        """Turn cancelled or sent orders into quotations again."""
        self.put(self.in_state(ids, "cancel", "sent"), state="draft")
        return True

    @public()
    def action_lock(self, ids: list[int]) -> None:
        """Lock confirmed orders."""
        self.put(self.in_state(ids, "sale"), locked=1)

    @public()
    def action_unlock(self, ids: list[int]) -> None:
        """Unlock orders."""
        self.put(ids, locked=0)


class SaleOrderLine(Model):
    """Lines of sales orders."""

    _name = "sale.order.line"
    _description = "Sales Order Line"
    _order = "order_id, sequence, id"
    _display = "(SELECT so.name || ' - ' || COALESCE({t}.name, '') FROM sale_order so WHERE so.id = {t}.order_id)"
    _names_search = ("name", "order_id")

    order_id = Many2one("sale.order", "Order Reference", required=True, ondelete="cascade")
    sequence = Integer(default=10)
    display_type = Selection("line_section=Section | line_note=Note")
    product_id = Many2one("product.product", "Product")
    name = Text("Description")
    product_uom_qty = Float("Quantity", default=1.0)
    product_uom_id = Many2one("uom.uom", "Unit", default=UNIT, index=False)
    price_unit = Float("Unit Price")
    discount = Float("Discount (%)")
    tax_ids = Many2many("account.tax", "Taxes")
    customer_lead = Float("Lead Time", help="Days between confirmation and delivery.")
    is_downpayment = Boolean("Is a down payment")
    price_subtotal = Monetary("Subtotal", readonly=True, copy=False)
    price_tax = Monetary("Total Tax", readonly=True, copy=False)
    price_total = Monetary("Total", readonly=True, copy=False)
    order_partner_id = Many2one("res.partner", "Customer", readonly=True, related="order_id.partner_id")
    state = Selection(
        "draft=Quotation | sent=Quotation Sent | sale=Sales Order | cancel=Cancelled",
        "Order Status",
        readonly=True,
        related="order_id.state",
    )
    qty_delivered = Float("Delivery Quantity", readonly=True, sql=DELIVERED_QUANTITY.replace("{x}", "{t}"))
    qty_invoiced = Float("Invoiced Quantity", readonly=True, sql=INVOICED_QUANTITY.replace("{x}", "{t}"))
    qty_to_invoice = Float("Quantity To Invoice", readonly=True, sql=QUANTITY_TO_INVOICE.replace("{x}", "{t}"))
    invoice_status = Selection(
        "upselling | invoiced=Fully Invoiced | to invoice | no=Nothing to Invoice",
        readonly=True,
        sql=_LINE_STATUS.replace("{x}", "{t}"),
    )
    move_ids = One2many("stock.move", "sale_line_id", "Stock Moves", readonly=True)
    invoice_lines = Many2many(
        "account.move.line",
        readonly=True,
        copy=False,
        relation=("account_move_line_sale_line_ids_rel", "sale_order_line_id", "account_move_line_id"),
    )

    def complete(self, vals: Vals) -> None:
        """Price, taxes, description and lead time follow the product."""
        if vals.get("display_type"):
            vals |= {"product_id": False, "product_uom_qty": 0.0, "price_unit": 0.0}
            return
        product = self.fields["product_id"].to_column(vals.get("product_id"))
        if product is None:
            if not vals.get("is_downpayment"):
                raise self._mandatory(self.fields["product_id"])
            return
        self.erp.of(Product).require([product])
        shown = self.erp.of(Product).read([product], ["display_name", "list_price", "taxes_id", "sale_delay"])[0]
        vals.setdefault("name", shown["display_name"])
        vals.setdefault("price_unit", shown["list_price"])
        vals.setdefault("tax_ids", [[6, 0, shown["taxes_id"]]])
        vals.setdefault("customer_lead", float(shown["sale_delay"]))

    def created(self, record: int, vals: Vals) -> None:
        """Amounts; on a confirmed order also the delivery."""
        order = self.get(record, "order_id")
        if not vals.get("is_downpayment"):
            self._require_unlocked([record])
        self.reprice([record])
        if self.erp.of(SaleOrder).get(order, "state") == "sale":
            self.deliver([record])

    def changing(self, ids: list[int], vals: Vals) -> None:
        """Lines stay with their order; the product of a confirmed line stays too."""
        self._require_unlocked(ids)
        if "order_id" in vals and any(self.get(one, "order_id") != vals["order_id"] for one in ids):
            raise user_error("A line cannot be moved to another order.", code="not_allowed")
        confirmed = [one for one in ids if self.erp.of(SaleOrder).get(self.get(one, "order_id"), "state") == "sale"]
        if confirmed and "product_id" in vals and any(self.get(one, "product_id") != vals["product_id"] for one in confirmed):
            raise user_error("You cannot modify the product of this order line.")

    def changed(self, ids: list[int], vals: Vals) -> None:
        """Amounts and planned deliveries follow."""
        if {"product_uom_qty", "price_unit", "discount", "tax_ids", "product_id"} & set(vals):
            self.reprice(ids)
        if "product_uom_qty" in vals:
            self.deliver([one for one in ids if self.erp.of(SaleOrder).get(self.get(one, "order_id"), "state") == "sale"])

    def deleting(self, ids: list[int]) -> None:
        """Lines of confirmed orders stay."""
        self._require_unlocked(ids)
        if any(self.erp.of(SaleOrder).get(self.get(one, "order_id"), "state") == "sale" for one in ids):
            raise user_error("Once a sales order is confirmed, you can't remove one of its lines.", hint="Set its quantity to 0.")

    def unlink(self, ids: Sequence[int]) -> None:
        """Delete lines; the order's totals follow."""
        sql = "SELECT DISTINCT order_id FROM sale_order_line WHERE id IN (SELECT value FROM json_each(?)) ORDER BY 1"
        orders = [row[0] for row in self.rows(sql, list(ids))]
        super().unlink(ids)
        self.erp.of(SaleOrder).retotal(orders)

    def remove(self, ids: list[int]) -> None:
        """Delete lines together with their order."""
        super().unlink(ids)

    def _require_unlocked(self, ids: list[int]) -> None:
        orders = self.erp.of(SaleOrder)
        if any(orders.get(self.get(one, "order_id"), "locked") for one in ids):
            raise user_error("It is forbidden to modify the lines of a locked order.")

    def reprice(self, ids: list[int]) -> None:
        """Compute the amounts of lines and of their orders."""
        line_amounts(self, ids, quantity="product_uom_qty")
        self.erp.of(SaleOrder).retotal(sorted({self.get(one, "order_id") for one in ids}))

    def deliver(self, ids: list[int]) -> None:
        """Plan the delivery of what is ordered and not delivered yet, by the promised date or the lead time."""
        moves, orders = self.erp.of(StockMove), self.erp.of(SaleOrder)
        for one in ids:
            order, product, ordered, lead = self.get(one, "order_id", "product_id", "product_uom_qty", "customer_lead")
            if product is None or not moves.goods(product):
                continue
            name, partner, promised, day = orders.get(order, "name", "partner_id", "commitment_date", "date_order")
            date = promised or add_days(day, lead)
            header = {"origin": name, "partner_id": partner}
            transfer = {**header, "picking_type_id": DELIVERIES, "scheduled_date": date}
            delivered = self.value(f"SELECT {DELIVERED_QUANTITY.replace('{x}', 'l')} FROM sale_order_line l WHERE l.id = ?", one)
            moves.plan(
                "sale_line_id",
                one,
                ordered - delivered,
                {
                    **header,
                    "product_id": product,
                    "date": date,
                    "date_deadline": promised,
                    "picking": partial(self.erp.of(Picking).open_for, "sale_id", order, transfer),
                },
            )
