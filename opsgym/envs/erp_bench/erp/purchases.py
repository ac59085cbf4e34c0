"""Requests for quotation and purchase orders."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

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
from opsgym.envs.erp_bench.erp.products import UNIT, Product, SupplierInfo
from opsgym.envs.erp_bench.erp.settings import IrSequence
from opsgym.envs.erp_bench.erp.stock import RECEIPTS, STOCK, VENDORS, Picking, StockMove

_STATES = "draft=RFQ | sent=RFQ Sent | to approve | purchase=Purchase Order | cancel=Cancelled"
_RECEIVED = "COALESCE((SELECT SUM(sm.quantity) FROM stock_move sm WHERE sm.purchase_line_id = {x}.id AND sm.state = 'done'), 0.0)"
_BILLED = (
    "COALESCE((SELECT SUM(aml.quantity * ((am.move_type = 'in_invoice') - (am.move_type = 'in_refund'))) "
    "FROM account_move_line aml JOIN account_move am ON am.id = aml.move_id "
    "WHERE aml.purchase_line_id = {x}.id AND am.state <> 'cancel'), 0.0)"
)
_TO_BILL = (
    "(CASE WHEN (SELECT po.state FROM purchase_order po WHERE po.id = {x}.order_id) <> 'purchase' THEN 0.0 "
    "WHEN (SELECT pt.purchase_method FROM product_product pp JOIN product_template pt ON pt.id = pp.product_tmpl_id "
    f"WHERE pp.id = {{x}}.product_id) = 'purchase' THEN {{x}}.product_qty - {_BILLED} ELSE {_RECEIVED} - {_BILLED} END)"
)
_INVOICE_STATUS = (
    "(SELECT CASE WHEN {t}.state <> 'purchase' OR COUNT(*) = 0 THEN 'no' WHEN SUM(due <> 0) > 0 THEN 'to invoice' "
    "WHEN SUM(billed) > 0 THEN 'invoiced' ELSE 'no' END FROM (SELECT "
    f"{_TO_BILL.replace('{x}', 'pol')} AS due, {_BILLED.replace('{x}', 'pol')} AS billed "
    "FROM purchase_order_line pol WHERE pol.order_id = {t}.id AND pol.display_type IS NULL))"
)
_INVOICES = (
    "(SELECT json_group_array(id) FROM (SELECT DISTINCT aml.move_id AS id FROM account_move_line aml "
    "JOIN purchase_order_line pol ON pol.id = aml.purchase_line_id WHERE pol.order_id = {t}.id ORDER BY 1))"
)
_RECEIPT_STATUS = (
    "(SELECT CASE WHEN COUNT(*) = 0 THEN NULL WHEN SUM(sm.state = 'done') = COUNT(*) THEN 'full' "
    "WHEN SUM(sm.state = 'done') > 0 THEN 'partial' ELSE 'pending' END FROM stock_move sm "
    "JOIN purchase_order_line pol ON pol.id = sm.purchase_line_id WHERE pol.order_id = {t}.id AND sm.state <> 'cancel')"
)
_MAX_SELLERS = 10


class PurchaseOrder(Thread):
    """Orders to vendors: requests for quotation, and purchase orders once confirmed."""

    _name = "purchase.order"
    _description = "Purchase Order"
    _order = "id desc"
    _names_search = ("name", "partner_ref", "partner_id")

    name = Char("Order Reference", readonly=True, copy=False, index=True)
    partner_id = Many2one("res.partner", "Vendor", required=True)
    state = Selection(_STATES, "Status", readonly=True, required=True, default="draft", copy=False)
    locked = Boolean(readonly=True, copy=False)
    origin = Char("Source", copy=False, help="Reference of the documents that asked for this order.")
    partner_ref = Char("Vendor Reference", copy=False)
    date_order = Datetime("Order Deadline", required=True, copy=False, default=lambda self: self.now())
    date_approve = Datetime("Confirmation Date", readonly=True, copy=False)
    date_planned = Datetime("Expected Arrival", copy=False, help="Earliest arrival of the lines.")
    payment_term_id = Many2one("account.payment.term", "Payment Terms", index=False)
    user_id = Many2one("res.users", "Buyer", default=2, index=False)
    company_id = Many2one("res.company", "Company", readonly=True, default=1, index=False)
    currency_id = Many2one("res.currency", "Currency", readonly=True, default=1, index=False)
    note = Html("Terms and Conditions")
    order_line = One2many("purchase.order.line", "order_id", "Order Lines", copy=True)
    amount_untaxed = Monetary("Untaxed Amount", readonly=True, copy=False)
    amount_tax = Monetary("Taxes", readonly=True, copy=False)
    amount_total = Monetary("Total", readonly=True, copy=False)
    invoice_ids = Many2many("account.move", "Bills", readonly=True, copy=False, sql=_INVOICES)
    invoice_status = Selection(
        "no=Nothing to Bill | to invoice=Waiting Bills | invoiced=Fully Billed", readonly=True, sql=_INVOICE_STATUS
    )
    picking_ids = One2many("stock.picking", "purchase_id", "Receipts", readonly=True)
    receipt_status = Selection(
        "pending=Not Received | partial=Partially Received | full=Fully Received", readonly=True, sql=_RECEIPT_STATUS
    )

    def complete(self, vals: Vals) -> None:
        """The number; the payment term follows the vendor."""
        vals["name"] = self.erp.of(IrSequence).take("purchase.order")
        partner = self.fields["partner_id"].to_column(vals.get("partner_id"))
        if partner is not None and "payment_term_id" not in vals:
            partners = self.erp["res.partner"]
            partners.require([partner])
            vals["payment_term_id"] = partners.get(partner, "property_supplier_payment_term_id")

    def changing(self, ids: list[int], vals: Vals) -> None:
        """A locked order keeps its vendor and its lines."""
        locked = [one for one in ids if self.get(one, "locked")]
        if locked and {"partner_id", "order_line"} & set(vals):
            raise user_error(f"It is forbidden to modify a locked order: {self.names(locked)}")

    def deleting(self, ids: list[int]) -> None:
        """Only cancelled orders can be deleted."""
        if len(self.in_state(ids, "cancel")) < len(ids):
            raise user_error("In order to delete a purchase order, you must cancel it first.", hint="Use button_cancel.")
        self.erp.of(PurchaseOrderLine).remove(self.children(ids, "order_line"))

    def retotal(self, ids: list[int]) -> None:
        """Sum the lines up."""
        store_totals(self, ids, "order_line")

    def reschedule(self, ids: list[int]) -> None:
        """The order arrives when its first line does."""
        for one in ids:
            first = self.value(
                "SELECT MIN(date_planned) FROM purchase_order_line WHERE order_id = ? AND display_type IS NULL", one
            )
            if first is not None:
                self.put([one], date_planned=first)

    @public()
    def button_confirm(self, ids: list[int]) -> bool:
        """Turn requests for quotation into purchase orders; others are left as they are."""
        self.button_approve(self._open(ids))
        return True

    def _open(self, ids: list[int]) -> list[int]:
        opened = self.in_state(ids, "draft", "sent")
        self.put(opened, state="to approve")
        return opened

    @public()
    def button_approve(self, ids: list[int], force: Any = False) -> dict[str, Any]:
        """Approve orders that wait for it: plans the receipts and remembers new vendors of a product."""
        for one in self.in_state(ids, "to approve"):
            self.put([one], state="purchase", date_approve=self.now())
            lines = self.erp.of(PurchaseOrderLine)
            lines.remember_vendor(self.children([one], "order_line"))
            lines.receive(self.children([one], "order_line"))
        return {}

    @public()
    def button_cancel(self, ids: list[int]) -> None:
        """Cancel orders in any state, with their planned receipts; not locked ones, nor those with a live bill."""
        locked = [one for one in ids if self.get(one, "locked")]
        if locked:
            raise user_error(f"Unable to cancel locked purchase orders: {self.names(locked)}")
        for record in self.read(ids, ["invoice_ids", "name"]):
            sql = "SELECT 1 FROM account_move WHERE state = 'posted' AND id IN (SELECT value FROM json_each(?)) LIMIT 1"
            if self.value(sql, record["invoice_ids"]):
                raise user_error(f"Unable to cancel purchase order {record['name']}: you must first cancel its vendor bills.")
        moves = self.rows(
            "SELECT sm.id FROM stock_move sm JOIN purchase_order_line pol ON pol.id = sm.purchase_line_id "
            "WHERE pol.order_id IN (SELECT value FROM json_each(?)) ORDER BY sm.id",
            ids,
        )
        self.erp.of(StockMove).cancel([row[0] for row in moves])
        self.put(ids, state="cancel")

    @public()
    def button_draft(self, ids: list[int]) -> dict[str, Any]:
        """Turn cancelled orders into requests for quotation again."""
        self.put(self.in_state(ids, "cancel"), state="draft")
        return {}

    @public()
    def button_lock(self, ids: list[int]) -> None:
        """Lock confirmed orders."""
        self.put(self.in_state(ids, "purchase"), locked=1)

    @public()
    def button_unlock(self, ids: list[int]) -> None:
        """Unlock orders."""
        self.put(ids, locked=0)

    @public()
    def action_create_invoice(self, ids: list[int], attachment_ids: Any = False) -> dict[str, Any]:
        """Make draft vendor bills for what is to be billed."""
        bills = [self._bill(one) for one in ids]
        return {"type": "ir.actions.act_window", "res_model": "account.move", "domain": [["id", "in", bills]]}

    def _bill(self, order: int) -> int:
        lines = self.rows(
            f"SELECT id, product_id, name, price_unit, discount, {_TO_BILL.replace('{x}', 'pol')} FROM purchase_order_line pol "
            "WHERE order_id = ? AND display_type IS NULL ORDER BY sequence, id",
            order,
        )
        due = [line for line in lines if line[5]]
        if not due:
            raise user_error(
                "There is no invoiceable line. If a product has a control policy based on received quantity, "
                "please make sure that a quantity has been received.",
                code="nothing_to_invoice",
            )
        taxes = {
            record["id"]: record["tax_ids"]
            for record in self.erp.of(PurchaseOrderLine).read([line[0] for line in due], ["tax_ids"])
        }
        name, partner, term = self.get(order, "name", "partner_id", "payment_term_id")
        commands = [
            [
                0,
                0,
                {
                    "product_id": product,
                    "name": text,
                    "price_unit": price,
                    "discount": discount,
                    "quantity": quantity,
                    "purchase_line_id": line,
                    "tax_ids": [[6, 0, taxes[line]]],
                },
            ]
            for line, product, text, price, discount, quantity in due
        ]
        header = {"move_type": "in_invoice", "partner_id": partner, "invoice_origin": name, "invoice_payment_term_id": term}
        return self.erp["account.move"].create({**header, "invoice_line_ids": commands})


class PurchaseOrderLine(Model):
    """Lines of purchase orders."""

    _name = "purchase.order.line"
    _description = "Purchase Order Line"
    _order = "order_id, sequence, id"
    _names_search = ("name", "order_id")

    order_id = Many2one("purchase.order", "Order Reference", required=True, ondelete="cascade")
    sequence = Integer(default=10)
    display_type = Selection("line_section=Section | line_note=Note")
    product_id = Many2one("product.product", "Product")
    name = Text("Description")
    product_qty = Float("Quantity")
    product_uom_id = Many2one("uom.uom", "Unit", default=UNIT, index=False)
    price_unit = Float("Unit Price")
    technical_price_unit = Float(readonly=True, help="The price that was filled in from an offer.")
    discount = Float("Discount (%)")
    date_planned = Datetime("Expected Arrival")
    tax_ids = Many2many("account.tax", "Taxes")
    selected_seller_id = Many2one("product.supplierinfo", "Selected Offer", readonly=True, ondelete="set null", index=False)
    price_subtotal = Monetary("Subtotal", readonly=True, copy=False)
    price_tax = Monetary("Tax", readonly=True, copy=False)
    price_total = Monetary("Total", readonly=True, copy=False)
    partner_id = Many2one("res.partner", "Vendor", readonly=True, related="order_id.partner_id")
    state = Selection(_STATES, "Status", readonly=True, related="order_id.state")
    qty_received = Float("Received Qty", readonly=True, sql=_RECEIVED.replace("{x}", "{t}"))
    qty_invoiced = Float("Billed Qty", readonly=True, sql=_BILLED.replace("{x}", "{t}"))
    qty_to_invoice = Float("To Invoice Quantity", readonly=True, sql=_TO_BILL.replace("{x}", "{t}"))
    move_ids = One2many("stock.move", "purchase_line_id", "Reservation", readonly=True)

    def complete(self, vals: Vals) -> None:
        """Fill in what is missing, from the vendor's offer with the least minimum quantity.

        That offer's price is used for every quantity: Odoo's form picks the tier, its API does not.  Without an
        offer the price is the product's cost.  An explicit price is kept; the date follows the offer all the same.
        """
        if vals.get("display_type"):
            vals |= {"product_id": False, "product_qty": 0.0, "price_unit": 0.0, "date_planned": False}
            return
        product, order = (self.fields[name].to_column(vals.get(name)) for name in ("product_id", "order_id"))
        if product is None or order is None:
            missing = "product_id" if product is None else "order_id"
            raise self._mandatory(self.fields[missing])
        self.erp.of(Product).require([product])
        self.erp.of(PurchaseOrder).require([order])
        partner, ordered = self.erp.of(PurchaseOrder).get(order, "partner_id", "date_order")
        offer = self.erp.of(SupplierInfo).lowest(product, partner, ordered[:10])
        shown = self.erp.of(Product).read([product], ["display_name", "standard_price", "supplier_taxes_id"])[0]
        if "price_unit" not in vals:
            vals["price_unit"] = vals["technical_price_unit"] = offer[1] if offer else shown["standard_price"]
        if "product_qty" not in vals:
            vals["product_qty"] = self.erp.of(SupplierInfo).get(offer[0], "min_qty") or 1.0 if offer else 1.0
        if not vals.get("date_planned"):
            vals["date_planned"] = add_days(ordered, offer[2] if offer else 0)
        vals.setdefault("name", shown["display_name"])
        vals.setdefault("tax_ids", [[6, 0, shown["supplier_taxes_id"]]])

    def created(self, record: int, vals: Vals) -> None:
        """Amounts, the offer that fits and the order's date; on a confirmed order also the receipt."""
        order = self.get(record, "order_id")
        self._require_unlocked([record])
        self._settle([record])
        self.erp.of(PurchaseOrder).reschedule([order])
        if self.erp.of(PurchaseOrder).get(order, "state") == "purchase":
            self.receive([record])

    def changing(self, ids: list[int], vals: Vals) -> None:
        """Lines stay with their order; a price that was filled in follows the quantity."""
        self._require_unlocked(ids)
        if "order_id" in vals and any(self.get(one, "order_id") != vals["order_id"] for one in ids):
            raise user_error("A line cannot be moved to another order.", code="not_allowed")
        if (
            self._confirmed(ids)
            and "product_id" in vals
            and any(self.get(one, "product_id") != vals["product_id"] for one in ids)
        ):
            raise user_error("You cannot change the product of a confirmed purchase order line.")

    def changed(self, ids: list[int], vals: Vals) -> None:
        """Price, date, amounts and planned receipts follow."""
        if {"product_qty", "product_id"} & set(vals):
            self._requote(ids, vals)
        self._settle(ids)
        self.erp.of(PurchaseOrder).reschedule(sorted({self.get(one, "order_id") for one in ids}))
        if {"product_qty", "date_planned"} & set(vals):
            self.receive(self._confirmed(ids))

    def deleting(self, ids: list[int]) -> None:
        """Lines of confirmed orders stay."""
        self._require_unlocked(ids)
        if self._confirmed(ids):
            raise user_error(
                "Cannot delete a purchase order line which is in state “Purchase Order”.", hint="Set its quantity to 0."
            )

    def unlink(self, ids: Sequence[int]) -> None:
        """Delete lines; the order's totals and date follow."""
        sql = "SELECT DISTINCT order_id FROM purchase_order_line WHERE id IN (SELECT value FROM json_each(?)) ORDER BY 1"
        orders = [row[0] for row in self.rows(sql, list(ids))]
        super().unlink(ids)
        self.erp.of(PurchaseOrder).retotal(orders)
        self.erp.of(PurchaseOrder).reschedule(orders)

    def remove(self, ids: list[int]) -> None:
        """Delete lines together with their order."""
        super().unlink(ids)

    def _confirmed(self, ids: list[int]) -> list[int]:
        return [one for one in ids if self.erp.of(PurchaseOrder).get(self.get(one, "order_id"), "state") == "purchase"]

    def _require_unlocked(self, ids: list[int]) -> None:
        if any(self.erp.of(PurchaseOrder).get(self.get(one, "order_id"), "locked") for one in ids):
            raise user_error("It is forbidden to modify the lines of a locked order.")

    def _fitting(self, line: int) -> tuple[int, float, int] | None:
        """The offer that applies to a line's quantity."""
        product, quantity, order = self.get(line, "product_id", "product_qty", "order_id")
        partner, ordered = self.erp.of(PurchaseOrder).get(order, "partner_id", "date_order")
        return self.erp.of(SupplierInfo).choose(product, partner, quantity, ordered[:10]) if product else None

    def _requote(self, ids: list[int], given: Vals) -> None:
        """Fill the price in anew where it had been filled in; without an offer it becomes the product's cost."""
        for one in ids:
            product, price, technical, order = self.get(one, "product_id", "price_unit", "technical_price_unit", "order_id")
            if product is None or "price_unit" in given or price != technical:
                continue
            offer = self._fitting(one)
            cost = self.erp.of(Product).read([product], ["standard_price"])[0]["standard_price"]
            price = offer[1] if offer else cost
            self.put([one], price_unit=price, technical_price_unit=price)
            if offer and "date_planned" not in given:
                self.put([one], date_planned=add_days(self.erp.of(PurchaseOrder).get(order, "date_order"), offer[2]))

    def _settle(self, ids: list[int]) -> None:
        for one in ids:
            offer = self._fitting(one)
            self.put([one], selected_seller_id=offer[0] if offer else None)
        line_amounts(self, ids, quantity="product_qty")
        self.erp.of(PurchaseOrder).retotal(sorted({self.get(one, "order_id") for one in ids}))

    def remember_vendor(self, ids: list[int]) -> None:
        """Add an offer to each product that the vendor had none for, as Odoo does."""
        for one in ids:
            product, price, order = self.get(one, "product_id", "price_unit", "order_id")
            partner = self.erp.of(PurchaseOrder).get(order, "partner_id")
            if product is None:
                continue
            template = self.erp.of(Product).get(product, "product_tmpl_id")
            sellers = [
                row[0] for row in self.rows("SELECT partner_id FROM product_supplierinfo WHERE product_tmpl_id = ?", template)
            ]
            if partner not in sellers and len(sellers) < _MAX_SELLERS:
                sequence = self.value(
                    "SELECT COALESCE(MAX(sequence), 0) + 1 FROM product_supplierinfo WHERE product_tmpl_id = ?", template
                )
                self.erp.of(SupplierInfo).create(
                    {
                        "partner_id": partner,
                        "product_tmpl_id": template,
                        "min_qty": 1.0,
                        "price": price,
                        "delay": 0,
                        "sequence": sequence,
                    }
                )

    def receive(self, ids: list[int]) -> None:
        """Plan the receipt of what is ordered and not received yet, on the line's date."""
        moves = self.erp.of(StockMove)
        for one in ids:
            order, product, ordered, planned = self.get(one, "order_id", "product_id", "product_qty", "date_planned")
            if product is None or not moves.goods(product):
                continue
            name, partner = self.erp.of(PurchaseOrder).get(order, "name", "partner_id")
            date = planned or self.now()
            header = {"origin": name, "partner_id": partner}
            transfer = {**header, "picking_type_id": RECEIPTS, "scheduled_date": date}
            received = self.value(f"SELECT {_RECEIVED.replace('{x}', 'l')} FROM purchase_order_line l WHERE l.id = ?", one)
            moves.plan(
                "purchase_line_id",
                one,
                ordered - received,
                {
                    **header,
                    "product_id": product,
                    "date": date,
                    "date_deadline": planned,
                    "location_id": VENDORS,
                    "location_dest_id": STOCK,
                    "picking": partial(self.erp.of(Picking).open_for, "purchase_id", order, transfer),
                },
            )
