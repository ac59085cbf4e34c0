"""Payment terms, taxes, invoices, vendor bills and payments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from opsgym.envs.erp_bench.erp.errors import invalid, user_error
from opsgym.envs.erp_bench.erp.fields import (
    Boolean,
    Char,
    Date,
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
from opsgym.envs.erp_bench.erp.model import READ_ONLY, Model, Vals, public
from opsgym.envs.erp_bench.erp.money import add_days, line_amounts, round_cents, store_totals
from opsgym.envs.erp_bench.erp.products import Product

_KINDS = (
    "entry=Journal Entry | out_invoice=Customer Invoice | out_refund=Customer Credit Note | in_invoice=Vendor Bill | "
    "in_refund=Vendor Credit Note"
)
_JOURNALS = {"out_invoice": "INV", "out_refund": "RINV", "in_invoice": "BILL", "in_refund": "RBILL", "entry": "MISC"}
_PAID = "COALESCE((SELECT SUM(ap.amount) FROM account_payment ap WHERE ap.invoice_id = {t}.id), 0.0)"
_PAYMENT_STATE = (
    f"(CASE WHEN {{t}}.state <> 'posted' THEN 'not_paid' WHEN {{t}}.amount_total - {_PAID} < 0.005 THEN 'paid' "
    f"WHEN {_PAID} > 0 THEN 'partial' ELSE 'not_paid' END)"
)


class Tax(Model):
    """Taxes: percentages on top of the price."""

    _name = "account.tax"
    _description = "Tax"
    _order = "sequence, id"
    _access = READ_ONLY

    name = Char("Tax Name", required=True)
    type_tax_use = Selection("sale=Sales | purchase=Purchases | none", "Tax Type", required=True, default="sale")
    amount_type = Selection("percent=Percentage", "Tax Computation", required=True, default="percent")
    amount = Float(help="Percentage.")
    price_include = Boolean("Included in Price")
    sequence = Integer(default=1)
    active = Boolean(default=True)


class PaymentTerm(Model):
    """Payment terms."""

    _name = "account.payment.term"
    _description = "Payment Terms"
    _order = "sequence, id"
    _access = READ_ONLY

    name = Char("Payment Terms", required=True)
    note = Html("Description on the Invoice")
    active = Boolean(default=True)
    sequence = Integer(default=10)
    line_ids = One2many("account.payment.term.line", "payment_id", "Terms")


class PaymentTermLine(Model):
    """Parts of an invoice and when they are due."""

    _name = "account.payment.term.line"
    _description = "Payment Terms Line"
    _rec_name = "payment_id"
    _display = "(SELECT apt.name FROM account_payment_term apt WHERE apt.id = {t}.payment_id)"
    _names_search = ("payment_id",)
    _access = READ_ONLY

    payment_id = Many2one("account.payment.term", "Payment Terms", required=True, ondelete="cascade")
    value = Selection("percent | fixed", "Value", required=True, default="percent")
    value_amount = Float("Due")
    delay_type = Selection("days_after=Days after invoice date", "Delay Type", required=True, default="days_after")
    nb_days = Integer("Days")


class Move(Thread):
    """Customer invoices and vendor bills."""

    _name = "account.move"
    _description = "Journal Entry"
    _order = "date desc, id desc"
    _display = "COALESCE({t}.name, 'Draft Invoice (* ' || {t}.id || ')')"
    _names_search = ("name", "partner_id", "ref")

    name = Char("Number", readonly=True, copy=False, index=True)
    move_type = Selection(_KINDS, "Type", required=True, default="entry")
    state = Selection("draft | posted | cancel=Cancelled", "Status", readonly=True, required=True, default="draft", copy=False)
    payment_state = Selection(
        "not_paid | in_payment | paid | partial=Partially Paid | reversed | blocked", readonly=True, sql=_PAYMENT_STATE
    )
    partner_id = Many2one("res.partner", "Partner")
    date = Date(required=True, copy=False, default=lambda self: self.today())
    invoice_date = Date("Invoice/Bill Date", copy=False)
    invoice_date_due = Date("Due Date", copy=False)
    invoice_origin = Char("Origin", copy=False, help="Reference of the documents that were invoiced.")
    invoice_payment_term_id = Many2one("account.payment.term", "Payment Terms", index=False)
    ref = Char("Reference", copy=False)
    payment_reference = Char(copy=False)
    narration = Html("Terms and Conditions")
    invoice_user_id = Many2one("res.users", "Salesperson", default=2, index=False)
    company_id = Many2one("res.company", "Company", readonly=True, default=1, index=False)
    currency_id = Many2one("res.currency", "Currency", readonly=True, default=1, index=False)
    invoice_line_ids = One2many("account.move.line", "move_id", "Invoice lines", copy=True)
    amount_untaxed = Monetary("Untaxed Amount", readonly=True, copy=False)
    amount_tax = Monetary("Tax", readonly=True, copy=False)
    amount_total = Monetary("Total", readonly=True, copy=False)
    amount_residual = Monetary("Amount Due", readonly=True, sql=f"ROUND({{t}}.amount_total - {_PAID}, 2)")
    sequence_prefix = Char(readonly=True, copy=False)
    sequence_number = Integer(readonly=True, copy=False)

    def complete(self, vals: Vals) -> None:
        """The payment term follows the partner."""
        partner = self.fields["partner_id"].to_column(vals.get("partner_id"))
        if partner is None or "invoice_payment_term_id" in vals:
            return
        field = (
            "property_payment_term_id" if str(vals.get("move_type")).startswith("out") else "property_supplier_payment_term_id"
        )
        partners = self.erp["res.partner"]
        partners.require([partner])
        vals["invoice_payment_term_id"] = partners.get(partner, field)

    def created(self, record: int, vals: Vals) -> None:
        """Due date."""
        self._due([record])

    def changing(self, ids: list[int], vals: Vals) -> None:
        """Posted invoices keep what they say; the type never changes."""
        fixed = {"partner_id", "invoice_date", "date", "invoice_payment_term_id", "invoice_line_ids", "invoice_date_due"}
        posted = self.in_state(ids, "posted")
        if posted and fixed & set(vals):
            raise user_error(
                f"You cannot modify a posted entry. Reset it to draft first: {self.names(posted)}", hint="Use button_draft."
            )
        if "move_type" in vals and any(self.get(one, "move_type") != vals["move_type"] for one in ids):
            raise invalid("You cannot change the type of a journal entry.")

    def changed(self, ids: list[int], vals: Vals) -> None:
        """Due date."""
        if {"invoice_date", "invoice_payment_term_id"} & set(vals):
            self._due(ids)

    def deleting(self, ids: list[int]) -> None:
        """Numbered invoices stay."""
        if any(self.get(one, "name") for one in ids):
            raise user_error("You cannot delete an item linked to a posted entry.", hint="Use button_cancel.")
        self.erp.of(MoveLine).remove(self.children(ids, "invoice_line_ids"))

    def retotal(self, ids: list[int]) -> None:
        """Sum the lines up."""
        store_totals(self, ids, "invoice_line_ids")

    def _due(self, ids: list[int]) -> None:
        for one in ids:
            day, term = self.get(one, "invoice_date", "invoice_payment_term_id")
            days = self.value("SELECT MAX(nb_days) FROM account_payment_term_line WHERE payment_id = ?", term) if term else 0
            if term or day:
                self.put([one], invoice_date_due=add_days(day or self.today(), days or 0)[:10])

    def _number(self, record: int) -> None:
        """The next number of the journal in the invoice's year."""
        kind, day, known = self.get(record, "move_type", "invoice_date", "name")
        if known:
            return
        prefix = f"{_JOURNALS[kind]}/{(day or self.today())[:4]}/"
        number = 1 + self.value("SELECT COALESCE(MAX(sequence_number), 0) FROM account_move WHERE sequence_prefix = ?", prefix)
        self.put([record], name=f"{prefix}{number:05d}", sequence_prefix=prefix, sequence_number=number)

    @public()
    def action_post(self, ids: list[int]) -> bool:
        """Post draft invoices; answers False, as Odoo does."""
        for one in ids:
            state, kind, partner, total, day, name = self.get(
                one, "state", "move_type", "partner_id", "amount_total", "invoice_date", "name"
            )
            if state != "draft":
                raise user_error(f"The entry {name or 'Draft'} (id {one}) must be in draft.")
            if not self.value("SELECT 1 FROM account_move_line WHERE move_id = ? AND display_type = 'product' LIMIT 1", one):
                raise user_error("You need to add a line before posting.", code="missing_field")
            if kind != "entry" and partner is None:
                raise user_error(
                    "The field 'Customer' is required, please complete it to validate the invoice.", code="missing_field"
                )
            if total < 0:
                raise user_error(
                    "You cannot validate an invoice with a negative total amount. Create a credit note instead.",
                    code="invalid_value",
                )
            if kind == "in_invoice" and day is None:
                raise user_error("The Bill/Refund date is required to validate this document.", code="missing_field")
            self.put([one], invoice_date=day or self.today(), date=day or self.today(), state="posted")
            self._due([one])
            self._number(one)
        return False

    @public()
    def button_draft(self, ids: list[int]) -> None:
        """Reset posted or cancelled invoices to draft; they keep their number."""
        if self.in_state(ids, "draft"):
            raise user_error("Only posted/cancelled journal entries can be reset to draft.")
        self._forget_payments(ids)
        self.put(ids, state="draft")

    @public()
    def button_cancel(self, ids: list[int]) -> None:
        """Cancel invoices, also posted ones."""
        if self.in_state(ids, "cancel"):
            raise user_error("Only draft journal entries can be cancelled.")
        self._forget_payments(ids)
        self.put(ids, state="cancel")

    def _forget_payments(self, ids: list[int]) -> None:
        self.alter(
            "account_payment",
            "UPDATE account_payment SET invoice_id = NULL WHERE invoice_id IN (SELECT value FROM json_each(?))",
            ids,
        )


class MoveLine(Model):
    """Lines of invoices."""

    _name = "account.move.line"
    _description = "Journal Item"
    _order = "move_id desc, sequence, id"
    _names_search = ("name", "product_id")

    move_id = Many2one("account.move", "Journal Entry", required=True, ondelete="cascade")
    sequence = Integer(default=10)
    display_type = Selection("product | line_section=Section | line_note=Note", required=True, default="product")
    product_id = Many2one("product.product", "Product")
    name = Text("Label")
    quantity = Float(default=1.0)
    price_unit = Float("Unit Price")
    discount = Float("Discount (%)")
    tax_ids = Many2many("account.tax", "Taxes")
    price_subtotal = Monetary("Subtotal", readonly=True, copy=False)
    price_tax = Monetary("Tax", readonly=True, copy=False)
    price_total = Monetary("Total", readonly=True, copy=False)
    sale_line_ids = Many2many("sale.order.line", "Sales Order Lines", copy=False)
    purchase_line_id = Many2one("purchase.order.line", "Purchase Order Line", ondelete="set null", copy=False)
    is_downpayment = Boolean(readonly=True)
    partner_id = Many2one("res.partner", "Partner", readonly=True, related="move_id.partner_id")
    parent_state = Selection("draft | posted | cancel=Cancelled", "Status", readonly=True, related="move_id.state")

    def complete(self, vals: Vals) -> None:
        """Label, price and taxes follow the product."""
        if vals.get("display_type", "product") != "product":
            vals |= {"product_id": False, "quantity": 0.0, "price_unit": 0.0}
            return
        product, move = (self.fields[name].to_column(vals.get(name)) for name in ("product_id", "move_id"))
        if product is None or move is None:
            return
        self.erp.of(Product).require([product])
        self.erp.of(Move).require([move])
        sold = self.erp.of(Move).get(move, "move_type").startswith("out")
        shown = self.erp.of(Product).read(
            [product], ["display_name", "list_price", "standard_price", "taxes_id", "supplier_taxes_id"]
        )[0]
        vals.setdefault("name", shown["display_name"])
        vals.setdefault("price_unit", shown["list_price" if sold else "standard_price"])
        vals.setdefault("tax_ids", [[6, 0, shown["taxes_id" if sold else "supplier_taxes_id"]]])

    def created(self, record: int, vals: Vals) -> None:
        """Amounts."""
        self._require_draft([record])
        self._settle([record])

    def changing(self, ids: list[int], vals: Vals) -> None:
        """Lines of posted invoices stay as they are."""
        self._require_draft(ids)
        if "move_id" in vals and any(self.get(one, "move_id") != vals["move_id"] for one in ids):
            raise user_error("A line cannot be moved to another journal entry.", code="not_allowed")

    def changed(self, ids: list[int], vals: Vals) -> None:
        """Amounts."""
        self._settle(ids)

    def deleting(self, ids: list[int]) -> None:
        """Lines of posted invoices stay."""
        self._require_draft(ids)

    def unlink(self, ids: Sequence[int]) -> None:
        """Delete lines; the invoice's totals follow."""
        sql = "SELECT DISTINCT move_id FROM account_move_line WHERE id IN (SELECT value FROM json_each(?)) ORDER BY 1"
        moves = [row[0] for row in self.rows(sql, list(ids))]
        super().unlink(ids)
        self.erp.of(Move).retotal(moves)

    def remove(self, ids: list[int]) -> None:
        """Delete lines together with their invoice."""
        super().unlink(ids)

    def _require_draft(self, ids: list[int]) -> None:
        if any(self.erp.of(Move).get(self.get(one, "move_id"), "state") != "draft" for one in ids):
            raise user_error(
                "You cannot modify the lines of a posted or cancelled entry. Reset it to draft first.", hint="Use button_draft."
            )

    def _settle(self, ids: list[int]) -> None:
        line_amounts(self, ids, quantity="quantity")
        self.erp.of(Move).retotal(sorted({self.get(one, "move_id") for one in ids}))


class Payment(Model):
    """Payments of invoices; registered by the wizard."""

    _name = "account.payment"
    _description = "Payments"
    _order = "date desc, id desc"
    _access = READ_ONLY

    name = Char("Number", required=True)
    invoice_id = Many2one("account.move", "Invoice", ondelete="set null")
    partner_id = Many2one("res.partner", "Customer/Vendor", index=False)
    payment_type = Selection("outbound=Send | inbound=Receive", required=True, default="inbound")
    amount = Monetary()
    date = Date(required=True)
    state = Selection("draft | in_process | paid | canceled", required=True, default="paid")


class PaymentRegister(Model):
    """Wizard that registers payments of the invoices in ``active_ids``."""

    _name = "account.payment.register"
    _description = "Pay"
    _rec_name = "payment_date"
    _names_search = ("payment_date",)

    move_ids = Many2many("account.move", "Invoices", default=lambda self: active_records(self, "account.move"))
    payment_date = Date(required=True, default=lambda self: self.today())
    amount = Monetary(help="Amount to pay; all that is due when 0.")

    @public()
    def action_create_payments(self, ids: list[int]) -> bool:
        """Register the payments."""
        moves = self.erp.of(Move)
        for wizard in self.read(ids, ["move_ids", "payment_date", "amount"]):
            due = moves.read(wizard["move_ids"], ["name", "state", "amount_residual", "partner_id", "move_type"])
            if not due or any(move["state"] != "posted" or move["amount_residual"] <= 0 for move in due):
                raise user_error("You can only register payments for posted invoices with an amount due.")
            if wizard["amount"] < 0 or (wizard["amount"] and len(due) > 1):
                raise invalid("The amount of a payment must be positive, and is given for one invoice at a time.")
            for move in due:
                self._pay(move, round_cents(wizard["amount"] or move["amount_residual"]), wizard["payment_date"])
        return True

    def _pay(self, move: dict[str, Any], amount: float, day: str) -> None:
        payments = self.erp.of(Payment)
        number = 1 + self.value("SELECT COUNT(*) FROM account_payment")
        payments.create(
            {
                "name": f"PAY{number:05d}",
                "invoice_id": move["id"],
                "partner_id": move["partner_id"] and move["partner_id"][0],
                "payment_type": "inbound" if move["move_type"] in ("out_invoice", "in_refund") else "outbound",
                "amount": amount,
                "date": day,
            }
        )


def active_records(model: Model, expected: str) -> list[list[Any]]:
    """The records in the context's ``active_ids``, as an x2many command."""
    context = model.erp.context
    active = context.get("active_ids", [context["active_id"]] if context.get("active_id") else [])
    if context.get("active_model", expected) != expected:
        active = []
    return [[6, 0, active]]
