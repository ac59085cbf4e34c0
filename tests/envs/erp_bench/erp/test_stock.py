"""Stock: counting, transfers, reservations and backorders."""

from __future__ import annotations

import pytest

from opsgym.envs.erp_bench.erp import ErpError
from tests.envs.erp_bench.erp.shop import Shop


def test_counting_sets_the_quantity_on_hand_through_a_move(shop: Shop) -> None:
    assert shop.on_hand(shop.blade) == 10.0
    (quant,) = shop.call("stock.quant", "search", domain=[["product_id", "=", shop.blade]])
    shop.write("stock.quant", quant, inventory_quantity=4)
    assert shop.get("stock.quant", quant, "inventory_diff_quantity", "quantity") == [-6.0, 10.0]
    assert shop.call("stock.quant", "action_apply_inventory", [quant]) is None
    assert shop.on_hand(shop.blade) == 4.0
    moves = shop.call(
        "stock.move", "search_read", domain=[["product_id", "=", shop.blade]], fields=["quantity", "state"], order="id"
    )
    assert [(move["quantity"], move["state"]) for move in moves] == [(10.0, "done"), (6.0, "done")]


def test_a_second_count_reuses_the_quant(shop: Shop) -> None:
    shop.count(shop.blade, 7)
    assert shop.call("stock.quant", "search_count", domain=[["product_id", "=", shop.blade]]) == 1
    assert shop.on_hand(shop.blade) == 7.0


def test_stock_cannot_be_forged(shop: Shop) -> None:
    (quant,) = shop.call("stock.quant", "search", domain=[["product_id", "=", shop.blade]])
    with pytest.raises(ErpError, match="read-only"):
        shop.write("stock.quant", quant, quantity=500)
    with pytest.raises(ErpError, match="deleted"):
        shop.call("stock.quant", "unlink", [quant])
    service = shop.make("product.product", name="Advice", type="service")
    with pytest.raises(ErpError, match="consumables or services"):
        shop.make("stock.quant", product_id=service, inventory_quantity=1)
    with pytest.raises(ErpError, match="internal locations"):
        shop.make("stock.quant", product_id=shop.fan, location_id=5, inventory_quantity=1)


def test_receipts_add_to_stock(shop: Shop) -> None:
    order = shop.purchase(5, confirm=True)
    (picking,) = shop.get("purchase.order", order, "picking_ids")
    assert shop.call("stock.picking", "button_validate", [picking]) is True
    assert shop.get("stock.picking", picking, "state", "date_done") == ["done", "2026-05-04 08:00:00"]
    assert shop.on_hand(shop.fan) == 5.0
    assert shop.get("purchase.order.line", shop.line("purchase.order", order), "qty_received") == 5.0
    with pytest.raises(ErpError, match="add some items"):
        shop.call("stock.picking", "button_validate", [picking])
    with pytest.raises(ErpError, match="Done"):
        shop.call("stock.picking", "action_cancel", [picking])


def test_deliveries_need_reserved_stock(shop: Shop) -> None:
    order = shop.sale(3, confirm=True)
    picking = shop.get("sale.order", order, "picking_ids")
    with pytest.raises(ErpError, match="no quantities are reserved") as caught:
        shop.call("stock.picking", "button_validate", picking)
    assert caught.value.code == "no_stock"
    shop.count(shop.fan, 3)
    assert shop.call("stock.picking", "action_assign", picking) is True
    assert shop.get("stock.picking", picking[0], "state") == "assigned"
    assert shop.call("stock.picking", "button_validate", picking) is True
    assert shop.on_hand(shop.fan) == 0.0
    assert shop.get("sale.order", order, "delivery_status") == "full"


def test_a_short_delivery_asks_for_a_backorder(shop: Shop) -> None:
    shop.count(shop.fan, 2)
    order = shop.sale(3, confirm=True)
    picking = shop.get("sale.order", order, "picking_ids")
    before = shop.world.digest()
    assert shop.call("stock.picking", "button_validate", picking)["res_model"] == "stock.backorder.confirmation"
    assert shop.world.digest() == before
    assert shop.call("stock.picking", "button_validate", picking, context={"skip_backorder": True}) is True
    assert shop.on_hand(shop.fan) == 0.0
    _, rest = shop.get("sale.order", order, "picking_ids")
    assert shop.get("stock.picking", rest, "state", "backorder_id", "name") == ["confirmed", picking[0], "WH/OUT/00002"]
    assert shop.get("product.product", shop.fan, "outgoing_qty") == 1.0
    assert shop.get("sale.order", order, "delivery_status") == "partial"


def test_reservations_are_given_back(shop: Shop) -> None:
    shop.count(shop.fan, 3)
    order = shop.sale(2, confirm=True)
    assert shop.get("product.product", shop.fan, "free_qty") == 1.0
    assert shop.call("stock.picking", "do_unreserve", shop.get("sale.order", order, "picking_ids")) is True
    assert shop.get("product.product", shop.fan, "free_qty", "qty_available") == [3.0, 3.0]


def test_done_moves_stay(shop: Shop) -> None:
    (move,) = shop.call("stock.move", "search", domain=[["product_id", "=", shop.blade]])
    with pytest.raises(ErpError, match="'Done'"):
        shop.write("stock.move", move, product_uom_qty=1)
    with pytest.raises(ErpError, match="draft or cancelled"):
        shop.call("stock.move", "unlink", [move])


def test_external_ids_lead_to_the_base_records(shop: Shop) -> None:
    def resolve(name: str) -> int:
        (found,) = shop.call("ir.model.data", "search_read", domain=[["complete_name", "=", name]], fields=["model", "res_id"])
        assert shop.call(found["model"], "read", [found["res_id"]])
        return int(found["res_id"])

    assert shop.get("stock.location", resolve("stock.stock_location_stock"), "complete_name") == "WH/Stock"
    assert shop.get("uom.uom", resolve("uom.product_uom_unit"), "name") == "Units"
    assert shop.get("stock.route", resolve("purchase_stock.route_warehouse0_buy"), "name", "product_selectable") == ["Buy", False]
    assert shop.get("stock.route", resolve("mrp.route_warehouse0_manufacture"), "name") == "Manufacture"
    assert shop.get("stock.route", resolve("stock.route_warehouse0_mto"), "active") is False
