"""Purchase orders: prices, dates, confirmation and what a vendor is remembered for."""

from __future__ import annotations

import pytest

from opsgym.envs.erp_bench.erp import ErpError
from tests.envs.erp_bench.erp.shop import NOW, Shop

NO_PRICE = {"price_unit", "date_planned"}


def price(shop: Shop, order: int) -> float:
    return float(shop.get("purchase.order.line", shop.line("purchase.order", order), "price_unit"))


@pytest.mark.parametrize("quantity", [2, 5, 24, 60])
def test_10_1_a_missing_price_is_that_of_the_lowest_tier(shop: Shop, quantity: float) -> None:
    """Whatever the quantity: tiers 5: 7.00 / 20: 6.30 / 50: 5.00."""
    order = shop.purchase(quantity)
    assert price(shop, order) == 7.0
    seller = shop.get("purchase.order.line", shop.line("purchase.order", order), "selected_seller_id")
    expected = {2: False, 5: 5.0, 24: 20.0, 60: 50.0}[int(quantity)]
    assert (seller and shop.get("product.supplierinfo", seller, "min_qty")) == expected


def test_10_1_writing_the_quantity_reprices_by_tier(shop: Shop) -> None:
    """25 -> 6.30, 60 -> 5.00, 2 -> 99.00 (standard cost), 6 -> 7.00."""
    order = shop.purchase(24)
    line = shop.line("purchase.order", order)
    for quantity, expected in ((25, 6.3), (60, 5.0), (2, 99.0), (6, 7.0)):
        shop.write("purchase.order.line", line, product_qty=quantity)
        assert shop.get("purchase.order.line", line, "price_unit", "technical_price_unit") == [expected, expected]
        assert shop.get("purchase.order", order, "amount_total") == round(quantity * expected, 2)


def test_10_1_an_explicit_price_is_kept(shop: Shop) -> None:
    order = shop.purchase(24, line={"price_unit": 6.3})
    line = shop.line("purchase.order", order)
    shop.write("purchase.order.line", line, product_qty=60)
    assert shop.get("purchase.order.line", line, "price_unit") == 6.3
    shop.write("purchase.order.line", line, price_unit=4.0)
    shop.write("purchase.order.line", line, product_qty=5)
    assert shop.get("purchase.order.line", line, "price_unit") == 4.0


def test_10_1_a_vendor_without_offer_charges_the_standard_cost(shop: Shop) -> None:
    assert price(shop, shop.purchase(3, partner_id=shop.vendor_b)) == 99.0


def test_10_1_empty_negative_and_below_minimum_orders_confirm(shop: Shop) -> None:
    empty = shop.make("purchase.order", partner_id=shop.vendor_a)
    orders = [empty, shop.purchase(-3), shop.purchase(1)]
    assert shop.call("purchase.order", "button_confirm", orders) is True
    assert [shop.get("purchase.order", one, "state") for one in orders] == ["purchase"] * 3


def test_10_2_the_date_of_the_order_is_not_copied_to_lines(shop: Shop) -> None:
    order = shop.purchase(5, date_planned="2026-06-01")
    line = shop.line("purchase.order", order)
    assert shop.get("purchase.order.line", line, "date_planned") == "2026-05-07 08:00:00"
    assert shop.get("purchase.order", order, "date_planned") == "2026-05-07 08:00:00"


def test_10_2_the_date_of_a_line_is_kept_and_the_order_follows(shop: Shop) -> None:
    order = shop.purchase(5, line={"date_planned": "2026-06-01"})
    assert shop.get("purchase.order.line", shop.line("purchase.order", order), "date_planned") == "2026-06-01 00:00:00"
    assert shop.get("purchase.order", order, "date_planned") == "2026-06-01 00:00:00"
    shop.write(
        "purchase.order", order, order_line=[[0, 0, {"product_id": shop.blade, "product_qty": 1, "date_planned": "2026-05-20"}]]
    )
    assert shop.get("purchase.order", order, "date_planned") == "2026-05-20 00:00:00"


def test_10_2_an_explicit_price_does_not_change_the_date(shop: Shop) -> None:
    order = shop.purchase(5, line={"price_unit": 1.0})
    assert shop.get("purchase.order.line", shop.line("purchase.order", order), "date_planned") == "2026-05-07 08:00:00"


def test_10_4_confirming_remembers_a_new_vendor(shop: Shop) -> None:
    """An offer is appended (minimum 1, the line's price, no lead time) where the vendor had none for the product."""
    order = shop.purchase(3, partner_id=shop.vendor_b, line={"price_unit": 8.5}, confirm=True)
    mine = [["partner_id", "=", shop.vendor_b]]
    (offer,) = shop.call(
        "product.supplierinfo", "search_read", domain=mine, fields=["min_qty", "price", "delay", "product_tmpl_id"], load=None
    )
    assert offer == {"id": offer["id"], "min_qty": 1.0, "price": 8.5, "delay": 0, "product_tmpl_id": shop.fan_template}
    shop.call("purchase.order", "button_cancel", [order])
    shop.purchase(3, partner_id=shop.vendor_b, confirm=True)
    assert shop.call("product.supplierinfo", "search_count", domain=mine) == 1


def test_10_4_known_vendors_gain_no_offer(shop: Shop) -> None:
    before = shop.call("product.supplierinfo", "search_count")
    shop.purchase(2, confirm=True)
    assert shop.call("product.supplierinfo", "search_count") == before


def test_10_5_confirmed_lines_stay_editable_but_cannot_be_deleted(shop: Shop) -> None:
    order = shop.purchase(5, confirm=True)
    line = shop.line("purchase.order", order)
    shop.write("purchase.order.line", line, price_unit=0.01, product_qty=40)
    assert shop.get("purchase.order", order, "amount_total") == 0.4
    assert shop.get("product.product", shop.fan, "incoming_qty") == 40.0
    with pytest.raises(ErpError, match="Cannot delete a purchase order line"):
        shop.call("purchase.order.line", "unlink", [line])


def test_10_5_origin_and_dates_of_confirmed_orders_are_writable(shop: Shop) -> None:
    order = shop.purchase(5, confirm=True)
    shop.write("purchase.order", order, origin="S00001, S00002")
    shop.write("purchase.order.line", shop.line("purchase.order", order), date_planned="2026-05-30")
    assert shop.get("purchase.order", order, "origin", "date_planned") == ["S00001, S00002", "2026-05-30 00:00:00"]
    (picking,) = shop.get("purchase.order", order, "picking_ids")
    assert {row["date"] for row in shop.call("stock.move", "search_read", domain=[["picking_id", "=", picking]])} == {
        "2026-05-30 00:00:00"
    }


def test_10_5_confirmed_orders_cancel_with_their_receipts(shop: Shop) -> None:
    order = shop.purchase(5, confirm=True)
    (picking,) = shop.get("purchase.order", order, "picking_ids")
    assert shop.call("purchase.order", "button_cancel", [order]) is None
    assert shop.get("purchase.order", order, "state") == "cancel"
    assert shop.get("stock.picking", picking, "state") == "cancel"
    assert shop.call("purchase.order", "button_draft", [order]) == {}
    assert shop.get("purchase.order", order, "state") == "draft"


def test_10_5_even_a_received_order_cancels(shop: Shop) -> None:
    order = shop.purchase(5, confirm=True)
    (picking,) = shop.get("purchase.order", order, "picking_ids")
    assert shop.call("stock.picking", "button_validate", [picking]) is True
    assert shop.call("purchase.order", "button_cancel", [order]) is None
    assert shop.on_hand(shop.fan) == 5.0


def test_10_6_drafts_are_not_deleted_before_they_are_cancelled(shop: Shop) -> None:
    order = shop.purchase(5)
    with pytest.raises(ErpError, match="must cancel it first"):
        shop.call("purchase.order", "unlink", [order])
    shop.call("purchase.order", "button_cancel", [order])
    assert shop.call("purchase.order", "unlink", [order]) is True


def test_10_6_confirming_twice_is_silent(shop: Shop) -> None:
    order = shop.purchase(5, confirm=True)
    before = shop.world.digest()
    assert shop.call("purchase.order", "button_confirm", [order]) is True
    assert shop.world.digest() == before


def test_confirming_dates_and_plans_the_receipt(shop: Shop) -> None:
    order = shop.purchase(20, origin="S00001", confirm=True)
    assert shop.get("purchase.order", order, "name", "state", "date_approve", "receipt_status") == [
        "P00001",
        "purchase",
        NOW,
        "pending",
    ]
    (picking,) = shop.get("purchase.order", order, "picking_ids")
    assert shop.get("stock.picking", picking, "name", "origin", "state", "partner_id") == [
        "WH/IN/00001",
        "P00001",
        "assigned",
        shop.vendor_a,
    ]


def test_orders_waiting_for_approval_are_approved(shop: Shop) -> None:
    order = shop.purchase(5)
    assert shop.call("purchase.order", "button_approve", [order]) == {}
    assert shop.get("purchase.order", order, "state") == "draft"
    shop.erp.write("purchase.order", [order], {"state": "to approve"})
    assert shop.call("purchase.order", "button_approve", [order], force=True) == {}
    assert shop.get("purchase.order", order, "state") == "purchase"


def test_locked_orders_are_not_cancelled(shop: Shop) -> None:
    order = shop.purchase(5, confirm=True)
    shop.call("purchase.order", "button_lock", [order])
    with pytest.raises(ErpError, match="locked"):
        shop.call("purchase.order", "button_cancel", [order])
    shop.call("purchase.order", "button_unlock", [order])
    assert shop.call("purchase.order", "button_cancel", [order]) is None


def test_bills_are_made_of_what_was_received(shop: Shop) -> None:
    order = shop.purchase(5, confirm=True)
    with pytest.raises(ErpError, match="no invoiceable line") as caught:
        shop.call("purchase.order", "action_create_invoice", [order])
    assert caught.value.code == "nothing_to_invoice"
    shop.call("stock.picking", "button_validate", shop.get("purchase.order", order, "picking_ids"))
    assert shop.get("purchase.order", order, "invoice_status", "receipt_status") == ["to invoice", "full"]
    shop.call("purchase.order", "action_create_invoice", [order])
    (bill,) = shop.get("purchase.order", order, "invoice_ids")
    assert shop.get("account.move", bill, "move_type", "amount_total", "invoice_origin") == ["in_invoice", 35.0, "P00001"]
    with pytest.raises(ErpError, match="date is required"):
        shop.call("account.move", "action_post", [bill])
    shop.write("account.move", bill, invoice_date="2026-05-05")
    shop.call("account.move", "action_post", [bill])
    assert shop.get("account.move", bill, "name") == "BILL/2026/00001"
    assert shop.get("purchase.order", order, "invoice_status") == "invoiced"
    with pytest.raises(ErpError, match="vendor bills"):
        shop.call("purchase.order", "button_cancel", [order])


def test_an_expired_offer_is_not_used(shop: Shop) -> None:
    shop.offer(shop.vendor_b, shop.fan, min_qty=1, price=0.5, date_end="2026-05-03")
    assert price(shop, shop.purchase(3, partner_id=shop.vendor_b)) == 99.0


def test_lines_are_summed_with_taxes(shop: Shop) -> None:
    order = shop.purchase(3, line={"price_unit": 3.335, "tax_ids": [[6, 0, [2]]]})
    assert shop.get("purchase.order", order, "amount_untaxed", "amount_tax", "amount_total") == [10.01, 1.5, 11.51]
