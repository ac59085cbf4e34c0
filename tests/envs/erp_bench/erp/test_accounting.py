"""Invoices, down payments, payment terms and payments."""

from __future__ import annotations

import pytest

from opsgym.envs.erp_bench.erp import ErpError
from tests.envs.erp_bench.erp.shop import Shop


def taxed_order(shop: Shop, price: float, quantity: float = 1) -> int:
    """A confirmed order with 15 % sales tax."""
    line = {"product_id": shop.fan, "price_unit": price, "product_uom_qty": quantity, "tax_ids": [[6, 0, [1]]]}
    return shop.sale(order_line=[[0, 0, line]], confirm=True)


def test_payment_terms_are_those_after_install(shop: Shop) -> None:
    terms = shop.call("account.payment.term", "search_read", fields=["name", "line_ids"])
    assert [term["name"] for term in terms] == ["Immediate Payment", "15 Days", "21 Days", "30 Days", "45 Days"]
    lines = {term["name"]: shop.call("account.payment.term.line", "read", term["line_ids"]) for term in terms}
    assert [(line["value"], line["value_amount"], line["delay_type"], line["nb_days"]) for line in lines["30 Days"]] == [
        ("percent", 100.0, "days_after", 30)
    ]
    assert lines["Immediate Payment"][0]["nb_days"] == 0


def test_a_regular_invoice_is_due_by_its_term(shop: Shop) -> None:
    (term,) = shop.call("account.payment.term", "search", domain=[["name", "=", "30 Days"]])
    order = shop.sale(3, payment_term_id=term, client_order_ref="PO-77", confirm=True)
    invoice = shop.invoice(order)
    assert shop.get("account.move", invoice, "state", "name", "move_type") == ["draft", False, "out_invoice"]
    assert shop.get("account.move", invoice, "invoice_origin", "ref", "amount_total") == ["S00001", "PO-77", 300.0]
    assert shop.get("account.move", invoice, "partner_id") == shop.acme
    assert shop.get("account.move", invoice, "display_name").startswith("Draft Invoice")
    assert shop.call("account.move", "action_post", [invoice]) is False
    assert shop.get("account.move", invoice, "state", "name", "invoice_date", "invoice_date_due", "payment_state") == [
        "posted", "INV/2026/00001", "2026-05-04", "2026-06-03", "not_paid",
    ]  # fmt: skip
    assert shop.get("sale.order", order, "invoice_status") == "invoiced"


def test_lines_of_invoices_are_linked_to_lines_of_orders(shop: Shop) -> None:
    order = shop.sale(3, confirm=True)
    (line,) = shop.get("account.move", shop.invoice(order), "invoice_line_ids")
    assert shop.get("account.move.line", line, "sale_line_ids", "quantity", "price_unit") == [
        [shop.line("sale.order", order)],
        3.0,
        100.0,
    ]
    assert shop.get("sale.order.line", shop.line("sale.order", order), "qty_invoiced", "qty_to_invoice", "invoice_lines") == [
        3.0,
        0.0,
        [line],
    ]


def test_10_13_a_percentage_is_of_the_total_with_taxes(shop: Shop) -> None:
    """30 % of 1840 (1600 and 15 % tax) is 552."""
    order = taxed_order(shop, 1600.0)
    assert shop.get("sale.order", order, "amount_total") == 1840.0
    invoice = shop.invoice(order, advance_payment_method="percentage", amount=30)
    assert shop.get("account.move", invoice, "amount_untaxed", "amount_total") == [480.0, 552.0]


def test_10_13_lines_without_taxes_give_untaxed_deposits(shop: Shop) -> None:
    order = shop.sale(4, confirm=True)
    invoice = shop.invoice(order, advance_payment_method="percentage", amount=12.5)
    assert shop.get("account.move", invoice, "amount_untaxed", "amount_total") == [50.0, 50.0]


@pytest.mark.parametrize("wizard", [{"amount": 0}, {"amount": -1}, {"amount": 101}])
def test_10_13_odd_percentages_are_refused(shop: Shop, wizard: dict[str, float]) -> None:
    order = shop.sale(confirm=True)
    with pytest.raises(ErpError) as caught:
        shop.invoice(order, advance_payment_method="percentage", **wizard)
    assert caught.value.status == 422
    assert shop.get("sale.order", order, "invoice_ids") == []


def test_10_14_the_final_invoice_deducts_a_fixed_deposit(shop: Shop) -> None:
    """464.60 with a deposit of 50 leaves 414.60, at once and without payment; a second run finds nothing."""
    order = taxed_order(shop, 404.0)
    assert shop.get("sale.order", order, "amount_total") == 464.6
    deposit = shop.invoice(order, advance_payment_method="fixed", fixed_amount=50)
    assert shop.get("account.move", deposit, "amount_total") == 50.0
    assert shop.get("sale.order", order, "amount_total", "invoice_status") == [464.6, "to invoice"]
    lines = shop.call(
        "sale.order.line",
        "search_read",
        domain=[["order_id", "=", order]],
        fields=["display_type", "is_downpayment", "product_uom_qty"],
    )
    assert [(line["display_type"], line["is_downpayment"]) for line in lines] == [
        (False, False),
        ("line_section", True),
        (False, True),
    ]
    final = shop.invoice(order)
    assert shop.get("account.move", final, "state", "amount_total") == ["draft", 414.6]
    quantities = [shop.get("account.move.line", line, "quantity") for line in shop.get("account.move", final, "invoice_line_ids")]
    assert quantities == [1.0, 0.0, -1.0]
    assert shop.get("sale.order", order, "invoice_status") == "invoiced"
    with pytest.raises(ErpError, match="Cannot create an invoice") as caught:
        shop.invoice(order)
    assert (caught.value.status, caught.value.code) == (422, "nothing_to_invoice")


def test_deposits_may_be_left_in_place(shop: Shop) -> None:
    order = shop.sale(4, confirm=True)
    shop.invoice(order, advance_payment_method="fixed", fixed_amount=50)
    assert shop.get("account.move", shop.invoice(order, deduct_down_payments=False), "amount_total") == 400.0


def test_a_cancelled_deposit_is_not_deducted(shop: Shop) -> None:
    order = shop.sale(4, confirm=True)
    deposit = shop.invoice(order, advance_payment_method="fixed", fixed_amount=50)
    shop.call("account.move", "button_cancel", [deposit])
    assert shop.get("account.move", shop.invoice(order), "amount_total") == 400.0


def test_a_deposit_is_split_by_taxes_to_the_cent(shop: Shop) -> None:
    lines = [
        [0, 0, {"product_id": shop.fan, "price_unit": 33.33}],
        [0, 0, {"product_id": shop.fan, "price_unit": 66.66, "tax_ids": [[6, 0, [1]]]}],
    ]
    order = shop.sale(order_line=lines, confirm=True)
    invoice = shop.invoice(order, advance_payment_method="percentage", amount=33)
    assert shop.get("account.move", invoice, "amount_untaxed") == 33.0
    assert len(shop.get("account.move", invoice, "invoice_line_ids")) == 2


def test_the_wizard_takes_orders_from_the_context(shop: Shop) -> None:
    order = shop.sale(confirm=True)
    context = {"active_model": "sale.order", "active_ids": [order]}
    (wizard,) = shop.call(
        "sale.advance.payment.inv", "create", vals_list={"advance_payment_method": "delivered"}, context=context
    )
    answer = shop.call("sale.advance.payment.inv", "create_invoices", [wizard])
    assert answer["type"] == "ir.actions.act_window"
    assert [answer["res_id"]] == shop.get("sale.order", order, "invoice_ids")


def test_orders_of_one_customer_are_billed_together_or_apart(shop: Shop) -> None:
    orders = [shop.sale(1, confirm=True), shop.sale(2, confirm=True), shop.sale(4, partner_id=shop.bolt, confirm=True)]
    start = shop.world.snapshot()
    for together, totals in ((True, [300.0, 400.0]), (False, [100.0, 200.0, 400.0])):
        shop.world.restore(start)
        wizard = shop.make("sale.advance.payment.inv", sale_order_ids=[[6, 0, orders]], consolidated_billing=together)
        shop.call("sale.advance.payment.inv", "create_invoices", [wizard])
        assert sorted(row["amount_total"] for row in shop.call("account.move", "search_read", fields=["amount_total"])) == totals


@pytest.mark.parametrize("state", ["draft", "cancel"])
def test_only_confirmed_orders_are_invoiced(shop: Shop, state: str) -> None:
    order = shop.sale()
    if state == "cancel":
        shop.call("sale.order", "action_cancel", [order])
    with pytest.raises(ErpError, match="must be confirmed"):
        shop.invoice(order)


def test_delivered_products_are_invoiced_when_delivered(shop: Shop) -> None:
    shop.write("product.product", shop.fan, invoice_policy="delivery")
    order = shop.sale(2, confirm=True)
    with pytest.raises(ErpError, match="Cannot create an invoice"):
        shop.invoice(order)
    shop.count(shop.fan, 5)
    picking = shop.get("sale.order", order, "picking_ids")
    shop.call("stock.picking", "action_assign", picking)
    shop.call("stock.picking", "button_validate", picking)
    assert shop.get("account.move", shop.invoice(order), "amount_total") == 200.0


def test_10_15_posting_answers_false_and_once_only(shop: Shop) -> None:
    invoice = shop.invoice(shop.sale(confirm=True))
    assert shop.call("account.move", "action_post", [invoice]) is False
    with pytest.raises(ErpError, match="must be in draft") as caught:
        shop.call("account.move", "action_post", [invoice])
    assert caught.value.status == 422


def test_10_15_cancel_and_draft_answer_null(shop: Shop) -> None:
    invoice = shop.invoice(shop.sale(confirm=True))
    shop.call("account.move", "action_post", [invoice])
    assert shop.call("account.move", "button_cancel", [invoice]) is None
    assert shop.get("account.move", invoice, "state") == "cancel"
    assert shop.call("account.move", "button_draft", [invoice]) is None
    shop.call("account.move", "action_post", [invoice])
    assert shop.get("account.move", invoice, "name") == "INV/2026/00001"


def test_10_15_a_handmade_invoice_names_an_order_without_being_linked(shop: Shop) -> None:
    order = shop.sale(confirm=True)
    invoice = shop.make(
        "account.move", move_type="out_invoice", partner_id=shop.acme, invoice_origin="S00001",
        invoice_line_ids=[[0, 0, {"product_id": shop.fan, "quantity": 3}]],
    )  # fmt: skip
    shop.call("account.move", "action_post", [invoice])
    assert shop.get("account.move", invoice, "invoice_origin", "amount_total") == ["S00001", 300.0]
    assert shop.get("sale.order", order, "invoice_ids", "invoice_status") == [[], "to invoice"]


def test_posted_invoices_keep_what_they_say(shop: Shop) -> None:
    invoice = shop.invoice(shop.sale(confirm=True))
    shop.call("account.move", "action_post", [invoice])
    (line,) = shop.get("account.move", invoice, "invoice_line_ids")
    with pytest.raises(ErpError, match="posted entry"):
        shop.write("account.move", invoice, partner_id=shop.bolt)
    with pytest.raises(ErpError, match="Reset it to draft"):
        shop.write("account.move.line", line, price_unit=1)
    with pytest.raises(ErpError, match="linked to a posted entry"):
        shop.call("account.move", "unlink", [invoice])
    shop.write("account.move", invoice, ref="a remark")
    shop.call("account.move", "button_draft", [invoice])
    shop.write("account.move.line", line, price_unit=1)
    assert shop.get("account.move", invoice, "amount_total") == 3.0


@pytest.mark.parametrize(
    ("vals", "message"),
    [
        ({"move_type": "out_invoice"}, "add a line"),
        ({"move_type": "out_invoice", "invoice_line_ids": [[0, 0, {"name": "x", "price_unit": 5}]]}, "'Customer' is required"),
        (
            {"move_type": "out_invoice", "partner_id": 4, "invoice_line_ids": [[0, 0, {"name": "x", "price_unit": -5}]]},
            "negative total",
        ),
    ],
)
def test_incomplete_invoices_are_not_posted(shop: Shop, vals: dict[str, object], message: str) -> None:
    invoice = shop.make("account.move", **vals)
    with pytest.raises(ErpError, match=message):
        shop.call("account.move", "action_post", [invoice])
    assert shop.get("account.move", invoice, "state", "name") == ["draft", False]


def test_numbers_count_up_by_year_and_only_on_success(shop: Shop) -> None:
    orders = [shop.sale(confirm=True) for _ in range(3)]
    first, second, third = (shop.invoice(order) for order in orders)
    shop.write("account.move", second, invoice_date="2027-01-02")
    shop.call("account.move", "action_post", [first, second])
    with pytest.raises(ErpError):
        shop.call("account.move", "action_post", [third, first])
    shop.call("account.move", "action_post", [third])
    assert [shop.get("account.move", one, "name") for one in (first, second, third)] == [
        "INV/2026/00001",
        "INV/2027/00001",
        "INV/2026/00002",
    ]


def test_the_year_is_that_of_the_virtual_clock(shop: Shop) -> None:
    invoice = shop.invoice(shop.sale(confirm=True))
    shop.world.advance(days=400)
    shop.call("account.move", "action_post", [invoice])
    assert shop.get("account.move", invoice, "name", "invoice_date") == ["INV/2027/00001", "2027-06-08"]


def test_payments_settle_invoices(shop: Shop) -> None:
    invoice = shop.invoice(shop.sale(3, confirm=True))
    context = {"active_model": "account.move", "active_ids": [invoice]}
    (early,) = shop.call("account.payment.register", "create", vals_list={}, context=context)
    with pytest.raises(ErpError, match="posted invoices"):
        shop.call("account.payment.register", "action_create_payments", [early])
    shop.call("account.move", "action_post", [invoice])
    for amount, state, rest in ((100.0, "partial", 200.0), (0.0, "paid", 0.0)):
        (wizard,) = shop.call("account.payment.register", "create", vals_list={"amount": amount}, context=context)
        assert shop.call("account.payment.register", "action_create_payments", [wizard]) is True
        assert shop.get("account.move", invoice, "payment_state", "amount_residual") == [state, rest]
    shop.call("account.move", "button_draft", [invoice])
    assert shop.get("account.move", invoice, "payment_state") == "not_paid"
