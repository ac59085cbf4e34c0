"""Customers and vendors."""

from __future__ import annotations

from opsgym.envs.erp_bench.erp.fields import Boolean, Char, Float, Html, Integer, Many2many, Many2one, One2many
from opsgym.envs.erp_bench.erp.mail import Thread
from opsgym.envs.erp_bench.erp.model import Model, Vals


class PartnerCategory(Model):
    """Tags of partners."""

    _name = "res.partner.category"
    _description = "Partner Tags"
    _order = "name, id"

    name = Char("Name", required=True)


class Partner(Thread):
    """Companies and people that the company deals with."""

    _name = "res.partner"
    _description = "Contact"
    _order = "name, id"
    _names_search = ("name", "ref", "email", "vat")

    name = Char(required=True, index=True)
    ref = Char("Reference", index=True)
    email = Char()
    phone = Char()
    street = Char()
    zip = Char()
    city = Char()
    vat = Char("Tax ID")
    website = Char("Website Link")
    function = Char("Job Position")
    is_company = Boolean("Is a Company")
    active = Boolean(default=True)
    parent_id = Many2one("res.partner", "Related Company")
    child_ids = One2many("res.partner", "parent_id", "Contacts")
    comment = Html("Notes", help="Internal notes.")
    supplier_rank = Integer(help="Above 0 for vendors.")
    customer_rank = Integer(help="Above 0 for customers.")
    credit_limit = Float()
    category_id = Many2many("res.partner.category", "Tags")
    property_payment_term_id = Many2one("account.payment.term", "Customer Payment Terms")
    property_supplier_payment_term_id = Many2one("account.payment.term", "Vendor Payment Terms")
    sale_order_ids = One2many("sale.order", "partner_id", "Sales Orders", readonly=True)
    sale_order_count = Integer(readonly=True, sql="(SELECT COUNT(*) FROM sale_order so WHERE so.partner_id = {t}.id)")
    purchase_order_count = Integer(readonly=True, sql="(SELECT COUNT(*) FROM purchase_order po WHERE po.partner_id = {t}.id)")
    invoice_ids = One2many("account.move", "partner_id", "Invoices", readonly=True)

    def changed(self, ids: list[int], vals: Vals) -> None:
        """A contact is not below itself."""
        self.refuse_cycles(ids, "parent_id")
