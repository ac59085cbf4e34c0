"""Manufacturing orders, their components and their work orders."""

from __future__ import annotations

import pytest

from opsgym.envs.erp_bench.erp import ErpError
from tests.envs.erp_bench.erp.shop import NOW, Shop


def raw(shop: Shop, order: int) -> dict[int, float]:
    """Demand of components by product."""
    rows = shop.call(
        "stock.move", "search_read", domain=[["raw_material_production_id", "=", order]], fields=["product_id", "product_uom_qty"]
    )
    return {row["product_id"][0]: row["product_uom_qty"] for row in rows}


def test_10_8_components_and_work_orders_exist_from_the_draft_on(shop: Shop) -> None:
    order = shop.production(3)
    assert shop.get("mrp.production", order, "name", "state", "bom_id", "date_start") == ["WH/MO/00001", "draft", shop.bom, NOW]
    assert raw(shop, order) == {shop.blade: 6.0, shop.motor: 3.0}
    (work,) = shop.get("mrp.production", order, "workorder_ids")
    assert shop.get("mrp.workorder", work, "workcenter_id", "name", "duration_expected", "state") == [
        shop.center,
        "Assembly",
        18.0,
        "ready",
    ]


def test_alternative_operations_make_no_work_order(shop: Shop) -> None:
    """They state minutes and cost on another center; the work order is moved there to use it."""
    operations = shop.call(
        "mrp.routing.workcenter", "search_read", domain=[["bom_id", "=", shop.bom]], fields=["workcenter_id", "is_alternative"]
    )
    assert [row["is_alternative"] for row in operations] == [False, True]
    assert len(shop.get("mrp.production", shop.production(), "workorder_ids")) == 1


def test_10_8_the_end_is_computed_from_the_start(shop: Shop) -> None:
    order = shop.production(date_start="2026-05-10 10:00:00", date_finished="2030-01-01", date_deadline="2026-05-14")
    assert shop.get("mrp.production", order, "date_finished", "date_deadline") == ["2026-05-12 10:00:00", "2026-05-14 00:00:00"]
    shop.call("mrp.production", "action_confirm", [order])
    shop.write("mrp.production", order, date_start="2026-05-20", date_deadline="2026-05-23")
    assert shop.get("mrp.production", order, "date_start", "date_finished", "date_deadline") == [
        "2026-05-20 00:00:00", "2026-05-22 00:00:00", "2026-05-23 00:00:00",
    ]  # fmt: skip
    with pytest.raises(ErpError, match="read-only"):
        shop.write("mrp.production", order, date_finished="2026-05-30")


def test_10_8_writing_the_start_unplans_a_planned_order(shop: Shop) -> None:
    order = shop.production()
    assert shop.call("mrp.production", "button_plan", [order]) is True
    (work,) = shop.get("mrp.production", order, "workorder_ids")
    assert shop.get("mrp.production", order, "is_planned", "state", "date_start") == [True, "confirmed", NOW]
    assert shop.get("mrp.workorder", work, "date_start", "date_finished") == [NOW, "2026-05-04 08:12:00"]
    shop.write("mrp.production", order, date_start="2026-05-10")
    assert shop.get("mrp.production", order, "is_planned") is False
    assert shop.get("mrp.workorder", work, "date_start") is False


def test_10_7_quantities_must_be_positive(shop: Shop) -> None:
    for quantity in (0, -1):
        with pytest.raises(ErpError, match="must be positive") as caught:
            shop.production(quantity)
        assert caught.value.status == 422
    order = shop.production()
    with pytest.raises(ErpError, match="must be positive"):
        shop.write("mrp.production", order, product_qty=0)


def test_10_9_a_new_quantity_of_a_confirmed_order_changes_durations_only(shop: Shop) -> None:
    order = shop.production(2, confirm=True)
    shop.write("mrp.production", order, product_qty=3)
    assert shop.get("mrp.production", order, "product_qty", "duration_expected") == [3.0, 18.0]
    assert raw(shop, order) == {shop.blade: 4.0, shop.motor: 2.0}


def test_10_9_the_wizard_changes_the_components_too(shop: Shop) -> None:
    order = shop.production(2, confirm=True)
    wizard = shop.make("change.production.qty", mo_id=order, product_qty=3)
    shop.call("change.production.qty", "change_prod_qty", [wizard])
    assert raw(shop, order) == {shop.blade: 6.0, shop.motor: 3.0}
    assert shop.get("mrp.production", order, "product_qty", "duration_expected") == [3.0, 18.0]


def test_a_draft_is_exploded_anew(shop: Shop) -> None:
    order = shop.production(2)
    shop.write("mrp.production", order, product_qty=5)
    assert raw(shop, order) == {shop.blade: 10.0, shop.motor: 5.0}
    assert len(shop.get("mrp.production", order, "workorder_ids")) == 1


def test_components_are_reserved_first_come_first_served(shop: Shop) -> None:
    """10.6: on shortage the order stays waiting; cancelling frees what was reserved."""
    first, second = shop.production(4, confirm=True), shop.production(4, confirm=True)
    assert shop.get("mrp.production", first, "reservation_state") == "assigned"
    assert shop.get("mrp.production", second, "reservation_state") == "confirmed"
    assert shop.call("mrp.production", "action_assign", [second]) is True
    assert shop.get("mrp.production", second, "reservation_state") == "confirmed"
    assert shop.get("product.product", shop.blade, "free_qty") == 0.0
    shop.call("mrp.production", "action_cancel", [first])
    assert shop.get("product.product", shop.blade, "free_qty") == 8.0
    shop.call("mrp.production", "action_assign", [second])
    assert shop.get("mrp.production", second, "reservation_state", "components_availability_state") == ["assigned", "available"]


def test_10_10_marking_done_after_a_written_quantity_asks_and_may_skip_consumption(shop: Shop) -> None:
    order = shop.production(2, confirm=True)
    shop.write("mrp.production", order, qty_producing=2)
    before = shop.world.digest()
    answer = shop.call("mrp.production", "button_mark_done", [order])
    assert answer["res_model"] == "mrp.consumption.warning"
    assert shop.world.digest() == before
    assert shop.call("mrp.production", "button_mark_done", [order], context={"skip_consumption": True}) is True
    assert (shop.on_hand(shop.fan), shop.on_hand(shop.blade)) == (2.0, 10.0)


def test_10_10_marking_done_consumes_and_stocks(shop: Shop) -> None:
    order = shop.production(2, confirm=True)
    assert shop.call("mrp.production", "button_mark_done", [order]) is True
    assert (shop.on_hand(shop.fan), shop.on_hand(shop.blade), shop.on_hand(shop.motor)) == (2.0, 6.0, 3.0)
    assert shop.get("mrp.production", order, "state", "qty_produced") == ["done", 2.0]
    (work,) = shop.get("mrp.production", order, "workorder_ids")
    assert shop.get("mrp.workorder", work, "state") == "done"


def test_10_10_goods_are_made_without_stock(shop: Shop) -> None:
    order = shop.production(500, confirm=True)
    assert shop.call("mrp.production", "button_mark_done", [order]) is True
    assert (shop.on_hand(shop.fan), shop.on_hand(shop.blade)) == (500.0, -990.0)


def test_10_11_moving_a_work_order_keeps_its_duration(shop: Shop) -> None:
    order = shop.production(2, confirm=True)
    (work,) = shop.get("mrp.production", order, "workorder_ids")
    shop.write("mrp.workorder", work, workcenter_id=shop.other_center, date_start="2026-05-06", date_finished="2026-05-08")
    assert shop.get("mrp.workorder", work, "workcenter_id", "duration_expected") == [shop.other_center, 12.0]
    assert shop.get("mrp.workorder", work, "date_start", "date_finished") == ["2026-05-06 00:00:00", "2026-05-08 00:00:00"]
    shop.write("mrp.workorder", work, duration_expected=18.0)
    assert shop.get("mrp.production", order, "duration_expected") == 18.0
    with pytest.raises(ErpError, match="cannot be prior"):
        shop.write("mrp.workorder", work, date_finished="2026-05-05")


def test_10_12_done_orders_are_not_cancelled_and_cancelled_ones_are_again(shop: Shop) -> None:
    done, other = shop.production(1, confirm=True), shop.production(1, confirm=True)
    shop.call("mrp.production", "button_mark_done", [done])
    with pytest.raises(ErpError, match="already done") as caught:
        shop.call("mrp.production", "action_cancel", [done])
    assert caught.value.status == 422
    assert shop.call("mrp.production", "action_cancel", [other]) is True
    assert shop.call("mrp.production", "action_cancel", [other]) is True
    (work,) = shop.get("mrp.production", other, "workorder_ids")
    assert shop.get("mrp.workorder", work, "state") == "cancel"


def test_only_confirmed_orders_are_finished(shop: Shop) -> None:
    order = shop.production()
    with pytest.raises(ErpError, match="Only confirmed"):
        shop.call("mrp.production", "button_mark_done", [order])
    shop.call("mrp.production", "action_cancel", [order])
    with pytest.raises(ErpError, match="cannot be confirmed"):
        shop.call("mrp.production", "action_confirm", [order])


def test_finished_orders_keep_their_figures(shop: Shop) -> None:
    order = shop.production(1, confirm=True)
    shop.call("mrp.production", "button_mark_done", [order])
    with pytest.raises(ErpError, match="done or cancelled"):
        shop.write("mrp.production", order, product_qty=9)
    with pytest.raises(ErpError, match="done state"):
        shop.call("mrp.production", "unlink", [order])


def test_deleting_a_draft_takes_moves_and_work_orders_along(shop: Shop) -> None:
    order = shop.production()
    assert shop.call("mrp.production", "unlink", [order]) is True
    assert shop.call("mrp.workorder", "search") == []
    assert shop.call("stock.move", "search", domain=[["reference", "=", "WH/MO/00001"]]) == []


def test_work_is_started_and_finished(shop: Shop) -> None:
    order = shop.production(2)
    (work,) = shop.get("mrp.production", order, "workorder_ids")
    with pytest.raises(ErpError, match="not confirmed"):
        shop.call("mrp.workorder", "button_start", [work])
    shop.call("mrp.production", "action_confirm", [order])
    assert shop.call("mrp.workorder", "button_start", [work]) is True
    assert shop.get("mrp.production", order, "state") == "progress"
    with pytest.raises(ErpError, match="workcenter"):
        shop.write("mrp.workorder", work, workcenter_id=shop.other_center)
    assert shop.call("mrp.workorder", "button_finish", [work]) is True
    assert shop.get("mrp.production", order, "state") == "to_close"
    assert shop.call("mrp.production", "button_mark_done", [order]) is True


def test_an_order_without_bill_has_no_components(shop: Shop) -> None:
    order = shop.production(product_id=shop.blade)
    assert shop.get("mrp.production", order, "bom_id", "move_raw_ids", "workorder_ids") == [False, [], []]
    with pytest.raises(ErpError, match="another product"):
        shop.production(product_id=shop.blade, bom_id=shop.bom)


def test_efficiency_and_setup_time_count(shop: Shop) -> None:
    shop.write("mrp.workcenter", shop.center, time_efficiency=50, time_start=5, time_stop=2)
    (work,) = shop.get("mrp.production", shop.production(2), "workorder_ids")
    assert shop.get("mrp.workorder", work, "duration_expected") == 31.0


def test_bills_are_sound(shop: Shop) -> None:
    with pytest.raises(ErpError, match="should not be the same"):
        shop.make("mrp.bom.line", bom_id=shop.bom, product_id=shop.fan)
    with pytest.raises(ErpError, match="greater or equal"):
        shop.make("mrp.bom.line", bom_id=shop.bom, product_id=shop.blade, product_qty=-1)
    with pytest.raises(ErpError, match="must be positive"):
        shop.write("mrp.bom", shop.bom, product_qty=0)


def test_components_may_be_added_and_changed_by_hand(shop: Shop) -> None:
    order = shop.production(2, confirm=True)
    shop.write("mrp.production", order, move_raw_ids=[[0, 0, {"product_id": shop.motor, "product_uom_qty": 1}]])
    moves = shop.get("mrp.production", order, "move_raw_ids")
    assert shop.get("stock.move", moves[-1], "state", "location_dest_id") == ["assigned", 15]
    shop.write("stock.move", moves[0], product_uom_qty=40)
    assert shop.get("stock.move", moves[0], "state", "quantity") == ["partially_available", 10.0]
    with pytest.raises(ErpError, match="negative"):
        shop.write("stock.move", moves[0], product_uom_qty=-1)
