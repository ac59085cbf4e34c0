"""Sales orders: from quotation to cancellation."""

from __future__ import annotations

import pytest

from opsgym.envs.erp_bench.erp import ErpError
from tests.envs.erp_bench.erp.shop import NOW, Shop


def test_a_new_order_is_a_numbered_quotation_with_amounts(shop: Shop) -> None:
    order = shop.sale(3)
    assert shop.get("sale.order", order, "name", "state", "date_order", "amount_untaxed", "amount_tax", "amount_total") == [
        "S00001", "draft", NOW, 300.0, 0.0, 300.0,
    ]  # fmt: skip
    line = shop.line("sale.order", order)
    assert shop.get("sale.order.line", line, "name", "price_unit", "price_subtotal", "product_uom_id") == [
        "[F] Fan",
        100.0,
        300.0,
        1,
    ]
    assert shop.get("sale.order", shop.sale(), "name") == "S00002"


def test_an_explicit_price_and_discount_are_kept(shop: Shop) -> None:
    order = shop.sale(order_line=[[0, 0, {"product_id": shop.fan, "product_uom_qty": 3, "price_unit": 33.333, "discount": 10}]])
    assert shop.get("sale.order", order, "amount_total") == 90.0


def test_confirming_plans_the_delivery(shop: Shop) -> None:
    order = shop.sale(3, commitment_date="2026-05-11 12:00:00", confirm=True)
    assert shop.get("sale.order", order, "state", "delivery_status", "invoice_status") == ["sale", "pending", "to invoice"]
    (picking,) = shop.get("sale.order", order, "picking_ids")
    assert shop.get("stock.picking", picking, "name", "origin", "state", "scheduled_date") == [
        "WH/OUT/00001",
        "S00001",
        "confirmed",
        "2026-05-11 12:00:00",
    ]
    (move,) = shop.get("stock.picking", picking, "move_ids")
    assert shop.get("stock.move", move, "product_id", "product_uom_qty", "state", "date") == [
        shop.fan,
        3.0,
        "confirmed",
        "2026-05-11 12:00:00",
    ]


def test_moving_the_promised_date_moves_the_delivery(shop: Shop) -> None:
    order = shop.sale(3, commitment_date="2026-05-11", confirm=True)
    shop.write("sale.order", order, commitment_date="2026-05-20")
    (picking,) = shop.get("sale.order", order, "picking_ids")
    assert shop.get("stock.picking", picking, "scheduled_date") == "2026-05-20 00:00:00"
    assert {row["date"] for row in shop.call("stock.move", "search_read", domain=[["picking_id", "=", picking]])} == {
        "2026-05-20 00:00:00"
    }


def test_10_7_confirming_twice_is_refused(shop: Shop) -> None:
    order = shop.sale(confirm=True)
    with pytest.raises(ErpError, match="not in a state requiring confirmation: S00001") as caught:
        shop.call("sale.order", "action_confirm", [order])
    assert (caught.value.status, caught.value.kind) == (422, "UserError")


def test_10_7_empty_and_negative_orders_confirm(shop: Shop) -> None:
    empty = shop.make("sale.order", partner_id=shop.acme)
    negative = shop.sale(-2)
    assert shop.call("sale.order", "action_confirm", [empty, negative]) is True
    assert shop.get("sale.order", empty, "invoice_status", "picking_ids") == ["no", []]
    assert shop.get("sale.order", negative, "amount_total", "picking_ids") == [-200.0, []]


def test_10_7_a_confirmed_quantity_can_change_and_the_delivery_follows(shop: Shop) -> None:
    order = shop.sale(3, confirm=True)
    line = shop.line("sale.order", order)
    for quantity in (7, 2, 0, 4):
        shop.write("sale.order.line", line, product_uom_qty=quantity)
        live = shop.call(
            "stock.move",
            "search_read",
            domain=[["sale_line_id", "=", line], ["state", "!=", "cancel"]],
            fields=["product_uom_qty"],
        )
        assert sum(move["product_uom_qty"] for move in live) == quantity
        assert shop.get("sale.order", order, "amount_total") == quantity * 100.0


def test_10_7_an_order_with_posted_invoices_can_be_cancelled_and_redrafted(shop: Shop) -> None:
    order = shop.sale(confirm=True)
    invoice = shop.invoice(order)
    shop.call("account.move", "action_post", [invoice])
    assert shop.call("sale.order", "action_cancel", [order]) is True
    assert shop.get("sale.order", order, "state") == "cancel"
    assert shop.get("account.move", invoice, "state") == "posted"
    assert shop.call("sale.order", "action_draft", [order]) is True
    assert shop.get("sale.order", order, "state") == "draft"


def test_cancelling_takes_deliveries_and_draft_invoices_along(shop: Shop) -> None:
    order = shop.sale(confirm=True)
    invoice = shop.invoice(order)
    (picking,) = shop.get("sale.order", order, "picking_ids")
    shop.call("sale.order", "action_cancel", [order])
    assert shop.get("account.move", invoice, "state") == "cancel"
    assert shop.get("stock.picking", picking, "state") == "cancel"
    assert shop.get("product.product", shop.fan, "outgoing_qty") == 0.0
    assert shop.call("sale.order", "action_cancel", [order]) is True


def test_a_redrafted_order_is_delivered_anew(shop: Shop) -> None:
    order = shop.sale(3, confirm=True)
    shop.call("sale.order", "action_cancel", [order])
    shop.call("sale.order", "action_draft", [order])
    shop.call("sale.order", "action_confirm", [order])
    assert shop.get("product.product", shop.fan, "outgoing_qty") == 3.0
    assert len(shop.get("sale.order", order, "picking_ids")) == 2


def test_locked_orders_are_left_alone(shop: Shop) -> None:
    order = shop.sale(confirm=True)
    line = shop.line("sale.order", order)
    shop.call("sale.order", "action_lock", [order])
    assert shop.get("sale.order", order, "locked") is True
    with pytest.raises(ErpError, match="locked"):
        shop.call("sale.order", "action_cancel", [order])
    with pytest.raises(ErpError, match="locked"):
        shop.write("sale.order.line", line, product_uom_qty=1)
    with pytest.raises(ErpError, match="locked"):
        shop.write("sale.order", order, commitment_date="2026-05-20")
    shop.call("sale.order", "action_unlock", [order])
    assert shop.call("sale.order", "action_cancel", [order]) is True


def test_only_quotations_and_cancelled_orders_are_deleted(shop: Shop) -> None:
    draft, confirmed = shop.sale(), shop.sale(confirm=True)
    assert shop.call("sale.order", "unlink", [draft]) is True
    assert shop.call("sale.order.line", "search", domain=[["order_id", "=", draft]]) == []
    with pytest.raises(ErpError, match="must first cancel it"):
        shop.call("sale.order", "unlink", [confirmed])
    shop.call("sale.order", "action_cancel", [confirmed])
    assert shop.call("sale.order", "unlink", [confirmed]) is True
    assert shop.world.check() == []


def test_lines_of_confirmed_orders_stay(shop: Shop) -> None:
    order = shop.sale(confirm=True)
    line = shop.line("sale.order", order)
    with pytest.raises(ErpError, match="can't remove one of its lines"):
        shop.call("sale.order.line", "unlink", [line])
    with pytest.raises(ErpError, match="modify the product"):
        shop.write("sale.order.line", line, product_id=shop.blade)
    shop.write("sale.order", order, order_line=[[0, 0, {"product_id": shop.blade}]])
    assert shop.get("product.product", shop.blade, "outgoing_qty") == 1.0


def test_lines_need_a_product_or_are_notes(shop: Shop) -> None:
    with pytest.raises(ErpError, match="product_id") as caught:
        shop.sale(order_line=[[0, 0, {"product_uom_qty": 1}]])
    assert caught.value.code == "missing_field"
    order = shop.sale(order_line=[[0, 0, {"display_type": "line_note", "name": "Handle with care", "price_unit": 9}]])
    assert shop.get("sale.order", order, "amount_total") == 0.0


def test_the_customers_payment_term_is_proposed(shop: Shop) -> None:
    (term,) = shop.call("account.payment.term", "search", domain=[["name", "=", "30 Days"]])
    shop.write("res.partner", shop.acme, property_payment_term_id=term)
    assert shop.get("sale.order", shop.sale(), "payment_term_id") == term
    assert shop.get("sale.order", shop.sale(payment_term_id=False), "payment_term_id") is False


def test_sent_quotations_confirm_too(shop: Shop) -> None:
    order = shop.sale()
    shop.call("sale.order", "action_quotation_sent", [order])
    assert shop.get("sale.order", order, "state") == "sent"
    assert shop.call("sale.order", "action_confirm", [order]) is True


def test_creating_invoices_directly_is_private(shop: Shop) -> None:
    order = shop.sale(confirm=True)
    with pytest.raises(ErpError, match="Private methods") as caught:
        shop.call("sale.order", "_create_invoices", [order])
    assert caught.value.status == 403
