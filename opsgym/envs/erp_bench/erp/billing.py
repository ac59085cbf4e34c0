"""Invoicing of sales orders: regular invoices and down payments."""

from __future__ import annotations

from typing import Any

from opsgym.envs.erp_bench.erp.accounting import Move, active_records
from opsgym.envs.erp_bench.erp.errors import invalid, user_error
from opsgym.envs.erp_bench.erp.fields import Boolean, Float, Integer, Many2many, Monetary, Selection
from opsgym.envs.erp_bench.erp.model import Model, public
from opsgym.envs.erp_bench.erp.money import round_cents
from opsgym.envs.erp_bench.erp.sales import QUANTITY_TO_INVOICE, SaleOrder, SaleOrderLine

Command = list[Any]
_METHODS = "delivered=Regular invoice | percentage=Down payment (percentage) | fixed=Down payment (fixed amount)"
_COUNT = "(SELECT COUNT(*) FROM sale_advance_payment_inv_sale_order_ids_rel r WHERE r.sale_advance_payment_inv_id = {t}.id)"


class AdvancePayment(Model):
    """Wizard that invoices sales orders: what is due, a percentage, or a fixed amount."""

    _name = "sale.advance.payment.inv"
    _description = "Sales Advance Payment Invoice"
    _rec_name = "advance_payment_method"
    _names_search = ("advance_payment_method",)

    advance_payment_method = Selection(_METHODS, "Create Invoice", required=True, default="delivered")
    amount = Float("Down Payment", help="Percentage of the order.")
    fixed_amount = Monetary("Down Payment Amount (Fixed)", help="Taxes included.")
    sale_order_ids = Many2many("sale.order", "Sales Orders", default=lambda self: active_records(self, "sale.order"))
    count = Integer("Order Count", readonly=True, sql=_COUNT)
    deduct_down_payments = Boolean("Deduct down payments", default=True)
    consolidated_billing = Boolean("Consolidated Billing", default=True)

    @public()
    def create_invoices(self, ids: list[int]) -> dict[str, Any]:
        """Make the draft invoices; read ``invoice_ids`` of the sales orders for their ids."""
        made: list[int] = []
        for wizard in self.read(
            ids,
            [
                "advance_payment_method",
                "sale_order_ids",
                "amount",
                "fixed_amount",
                "deduct_down_payments",
                "consolidated_billing",
            ],
        ):
            orders = wizard["sale_order_ids"]
            if not orders:
                raise user_error("No sales order is selected.", code="missing_field", hint="Give sale_order_ids.")
            if wizard["advance_payment_method"] == "delivered":
                made += self._regular(orders, deduct=wizard["deduct_down_payments"], together=wizard["consolidated_billing"])
            else:
                made += [self._down_payment(order, wizard) for order in orders]
        action = {"type": "ir.actions.act_window", "res_model": "account.move", "name": "Invoices"}
        return {**action, "res_id": made[0]} if len(made) == 1 else {**action, "domain": [["id", "in", made]]}

    # -- regular invoices ------------------------------------------------------------------------------------

    def _regular(self, orders: list[int], *, deduct: bool, together: bool) -> list[int]:
        """One invoice for each customer (and payment term), or for each order."""
        batches: dict[tuple[Any, ...], list[int]] = {}
        for order in orders:
            partner, term = self.erp.of(SaleOrder).get(order, "partner_id", "payment_term_id")
            batches.setdefault((partner, term) if together else (order,), []).append(order)
        made = []
        for batch in batches.values():
            lines = [line for order in batch for line in self._due_lines(order, deduct=deduct)]
            if not lines:
                raise user_error(
                    "Cannot create an invoice. No items are available to invoice. Sales orders must be confirmed, and must have "
                    "something that was ordered (or delivered, by the product's invoicing policy) and not invoiced yet.",
                    code="nothing_to_invoice",
                )
            made.append(self._invoice(batch, lines))
        return made

    def _due_lines(self, order: int, *, deduct: bool) -> list[Command]:
        """Invoice lines for what is due; down payments are taken off after them."""
        due = self.rows(
            f"SELECT id, is_downpayment, {QUANTITY_TO_INVOICE.replace('{x}', 'sol')} AS due FROM sale_order_line sol "
            "WHERE order_id = ? AND display_type IS NULL ORDER BY sequence, id",
            order,
        )
        regular = [self._invoice_line(line, quantity) for line, advance, quantity in due if quantity and not advance]
        taken_off = [self._invoice_line(line, quantity) for line, advance, quantity in due if quantity and advance and deduct]
        if not regular or not taken_off:
            return regular
        return [*regular, [0, 0, {"display_type": "line_section", "name": "Down Payments"}], *taken_off]

    def _invoice_line(self, line: int, quantity: float) -> Command:
        record = self.erp.of(SaleOrderLine).read(
            [line], ["product_id", "name", "price_unit", "discount", "tax_ids", "is_downpayment"], None
        )[0]
        values = {name: record[name] for name in ("product_id", "name", "price_unit", "discount", "is_downpayment")}
        return [0, 0, {**values, "quantity": quantity, "tax_ids": [[6, 0, record["tax_ids"]]], "sale_line_ids": [[6, 0, [line]]]}]

    def _invoice(self, orders: list[int], lines: list[Command]) -> int:
        heads = self.erp.of(SaleOrder).read(orders, ["name", "partner_id", "payment_term_id", "client_order_ref"], None)
        return self.erp.of(Move).create(
            {
                "move_type": "out_invoice",
                "partner_id": heads[0]["partner_id"],
                "invoice_payment_term_id": heads[0]["payment_term_id"],
                "invoice_origin": ", ".join(head["name"] for head in heads),
                "ref": ", ".join(head["client_order_ref"] for head in heads if head["client_order_ref"]) or False,
                "invoice_line_ids": lines,
            }
        )

    # -- down payments -----------------------------------------------------------------------------------------

    def _down_payment(self, order: int, wizard: dict[str, Any]) -> int:
        percent = wizard["advance_payment_method"] == "percentage"
        asked = wizard["amount"] if percent else wizard["fixed_amount"]
        orders = self.erp.of(SaleOrder)
        state, untaxed, total = orders.get(order, "state", "amount_untaxed", "amount_total")
        if asked <= 0:
            raise invalid("The value of the down payment amount must be positive.")
        if percent and asked > 100:
            raise invalid("The percentage of the down payment cannot be greater than 100.")
        if state == "cancel":
            raise user_error("A cancelled order cannot be invoiced.")
        if total <= 0:
            raise user_error("The order has no amount to take a down payment of.", code="nothing_to_invoice")
        ratio = asked / 100 if percent else asked / total
        label = f"Down payment of {asked:g}%" if percent else "Down Payment"
        lines = [self._advance_line(order, label, amount, taxes) for taxes, amount in self._shares(order, ratio, untaxed)]
        return self._invoice([order], [self._invoice_line(line, 1.0) for line in lines])

    def _shares(self, order: int, ratio: float, untaxed: float) -> list[tuple[tuple[int, ...], float]]:
        """The untaxed down payment by the taxes of the order's lines; rounding is left to the last share."""
        subtotals: dict[tuple[int, ...], float] = {}
        domain = [["order_id", "=", order], ["is_downpayment", "=", False], ["display_type", "=", False]]
        for line in self.erp.of(SaleOrderLine).search_read(domain, ["tax_ids", "price_subtotal"]):
            taxes = tuple(line["tax_ids"])
            subtotals[taxes] = subtotals.get(taxes, 0.0) + line["price_subtotal"]
        shares = [(taxes, round_cents(subtotal * ratio)) for taxes, subtotal in sorted(subtotals.items()) if subtotal]
        rest = round_cents(untaxed * ratio) - sum(amount for _, amount in shares[:-1])
        return [*shares[:-1], (shares[-1][0], round_cents(rest))]

    def _advance_line(self, order: int, label: str, amount: float, taxes: tuple[int, ...]) -> int:
        """A line of quantity 0 on the sales order that stands for a down payment, below a section."""
        lines = self.erp.of(SaleOrderLine)
        sql = "SELECT 1 FROM sale_order_line WHERE order_id = ? AND is_downpayment AND display_type = 'line_section'"
        if not self.value(sql, order):
            section = {"display_type": "line_section", "name": "Down Payments"}
            lines.create({**section, "order_id": order, "is_downpayment": True, "sequence": 100})
        return lines.create(
            {
                "order_id": order,
                "is_downpayment": True,
                "name": label,
                "product_uom_qty": 0.0,
                "price_unit": amount,
                "tax_ids": [[6, 0, list(taxes)]],
                "sequence": 101,
            }
        )
