"""The export shows documents as they stand and denies every other change by default."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from opsgym.core.errors import TaskError
from opsgym.core.world import World
from opsgym.envs.erp_bench.export import DOCUMENTS, IGNORED, export_state
from opsgym.envs.erp_bench.oracle import oracle_calls
from opsgym.envs.erp_bench.state import Change, PurchaseLine, SaleLine
from opsgym.envs.erp_bench.world import open_world
from tests.envs.erp_bench.desk import Desk
from tests.envs.erp_bench.scenarios import ALL, TODAY, buying, making, repairing


def day(number: int) -> dt.date:
    return TODAY + dt.timedelta(days=number)


def iso(number: int) -> str:
    return day(number).isoformat()


def sell(desk: Desk, quantity: float = 4, customer: str = "c1") -> str:
    """A confirmed sales order."""
    line = {"product": "F", "quantity": quantity}
    name = desk.call("create_sales_order", customer=customer, commitment_date=iso(5), lines=[line])["name"]
    desk.call("confirm_sales_order", order=name)
    return str(name)


def buy(desk: Desk, vendor: str = "quick", product: str = "F") -> str:
    """A confirmed purchase order."""
    line = {"product": product, "quantity": 6, "unit_price": 50.0, "delivery_date": iso(3)}
    name = desk.call("create_purchase_order", vendor=vendor, lines=[line], origin="S00001, S00002 ,,")["name"]
    desk.call("confirm_purchase_order", order=name)
    return str(name)


def id_of(desk: Desk, model: str, name: str) -> int:
    (found,) = desk.erp.search(model, [["name", "=", name]])
    return found


# -- what is seeded -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("example", ALL.values(), ids=ALL)
def test_a_fresh_world_shows_its_documents_and_no_changes(example: Any) -> None:
    scenario = example()[0]
    state = Desk(scenario).export()
    assert (state.master_changes, state.moved_stock, state.invoices) == ((), (), ())
    assert state.today == TODAY
    repair = scenario.problem.repair
    seeded = [order for order in (*scenario.problem.orders, *scenario.decoys.orders) if order.seeded]
    assert {sale.ref: (sale.customer, sale.commitment, sale.state) for sale in state.sales} == {
        order.ref: (order.customer, day(order.due), "confirmed" if order.seeded == "sale" else "draft") for order in seeded
    }
    assert len(state.purchases) == (len(repair.purchases) if repair else 0)
    assert len(state.productions) == (len(repair.productions) if repair else 0)


def test_booking_a_plan_changes_documents_only() -> None:
    for example in ALL.values():
        scenario, plan = example()
        desk = Desk(scenario)
        desk.play(oracle_calls(scenario, plan))
        state = desk.export()
        assert (state.master_changes, state.moved_stock) == ((), ())


# -- documents ----------------------------------------------------------------------------------------------


def test_sales_orders_are_exported_with_lines_terms_and_dates() -> None:
    desk = Desk(buying()[0])
    name = desk.call(
        "create_sales_order",
        customer="c2",
        commitment_date=iso(9),
        lines=[{"product": "F", "quantity": 2}, {"product": "OTHER", "quantity": 1, "unit_price": 3.5}],
        customer_reference="theirs",
        payment_term="30 Days",
    )["name"]
    (sale,) = [one for one in desk.export().sales if one.name == name]
    assert (sale.ref, sale.customer, sale.state, sale.commitment) == ("theirs", "c2", "draft", day(9))
    assert (sale.payment_term, sale.amount_untaxed) == ("30 Days", 203.5)
    assert sale.lines == (SaleLine("F", 2.0, 100.0), SaleLine("OTHER", 1.0, 3.5))
    desk.call("cancel_sales_order", order=name)
    assert [one.state for one in desk.export().sales if one.name == name] == ["cancelled"]


def test_purchase_orders_are_exported_with_their_source_tokens() -> None:
    desk = Desk(buying()[0])
    buy(desk)
    (order,) = desk.export().purchases
    assert (order.vendor, order.state, order.origins) == ("quick", "confirmed", ("S00001", "S00002"))
    assert order.lines == (PurchaseLine("F", 6.0, 50.0, day(3)),)


def test_manufacturing_orders_are_exported_with_work_orders_and_raw_moves() -> None:
    desk = Desk(making()[0])
    name = desk.call(
        "create_manufacturing_order",
        product="F",
        quantity=2,
        start_date=iso(4),
        due_date=iso(6),
        work_center="W2",
        origin="S00001",
    )["name"]
    (order,) = desk.export().productions
    assert (order.product, order.quantity, order.state, order.origins) == ("F", 2.0, "draft", ("S00001",))
    assert (order.start, order.deadline, order.finish) == (day(4), day(6), day(6))
    assert [work.center for work in order.work_orders] == ["W2"]
    assert sorted(order.raw, key=str) == [("BOLT", 2.0), ("SUB", 4.0)]
    desk.call("confirm_manufacturing_order", order=name)
    desk.call("cancel_manufacturing_order", order=name)
    (order,) = desk.export().productions
    assert (order.state, order.raw) == ("cancelled", ())


def test_bad_documents_are_exported_as_they_are() -> None:
    """Empty orders, negative quantities, unknown partners and orders without origin are for the verifier to judge."""
    desk = Desk(buying()[0])
    (stranger,) = desk.erp.call("res.partner", "create", vals_list=[{"name": "No reference"}])
    for lines in ([], [[0, 0, {"product_id": 1, "product_uom_qty": -3.0}]]):
        (order,) = desk.erp.call("sale.order", "create", vals_list=[{"partner_id": stranger, "order_line": lines}])
        desk.erp.call("sale.order", "action_confirm", [order])
    desk.erp.call("purchase.order", "create", vals_list=[{"partner_id": stranger}])
    state = desk.export()
    empty, negative = [sale for sale in state.sales if sale.customer == f"#{stranger}"]
    assert (empty.lines, empty.ref, empty.commitment) == ((), None, None)
    assert [line.quantity for line in negative.lines] == [-3.0]
    assert [(order.vendor, order.origins, order.lines) for order in state.purchases] == [(f"#{stranger}", (), ())]


# -- invoices -----------------------------------------------------------------------------------------------


def test_invoices_are_told_apart_by_what_their_lines_are_linked_to() -> None:
    desk = Desk(buying()[0])
    name = sell(desk)
    desk.call("create_invoice", order=name, method="percentage", amount=25.0)
    desk.call("create_invoice", order=name, method="fixed", amount=50.0)
    for draft in desk.everything("list_invoices"):
        desk.call("post_invoice", invoice=draft["name"])
    desk.call("create_invoice", order=name)
    invoices = desk.export().invoices
    assert [(one.kind, one.state, one.amount_untaxed) for one in invoices if one.state == "posted"] == [
        ("downpayment", "posted", 100.0),
        ("downpayment", "posted", 50.0),
    ]
    (regular,) = [one for one in invoices if one.state == "draft"]
    assert (regular.kind, regular.amount_untaxed, regular.amount_total) == ("regular", 250.0, 250.0)
    assert {one.sales for one in invoices} == {(name,)}
    assert {one.partner for one in invoices} == {"c1"}


def test_an_invoice_by_hand_is_of_no_known_kind_whatever_its_origin_says() -> None:
    desk = Desk(buying()[0])
    name = sell(desk)
    (customer,) = desk.erp.search("res.partner", [["ref", "=", "c1"]])
    line = [0, 0, {"name": "by hand", "quantity": 1, "price_unit": 400.0, "tax_ids": [[6, 0, []]]}]
    values = {"move_type": "out_invoice", "partner_id": customer, "invoice_origin": name, "invoice_line_ids": [line]}
    (made,) = desk.erp.call("account.move", "create", vals_list=[values])
    desk.erp.call("account.move", "action_post", [made])
    (invoice,) = desk.export().invoices
    assert (invoice.kind, invoice.sales, invoice.state) == ("other", (), "posted")


def test_an_invoice_that_mixes_goods_and_a_down_payment_is_of_no_known_kind() -> None:
    desk = Desk(buying()[0])
    name = sell(desk)
    draft = desk.call("create_invoice", order=name, method="fixed", amount=50.0)["name"]
    (order,) = desk.erp.search("sale.order.line", [["order_id.name", "=", name], ["is_downpayment", "=", False]])
    number = int(draft.removeprefix("DRAFT/"))
    line = [0, 0, {"name": "goods", "quantity": 1, "price_unit": 10.0, "sale_line_ids": [[6, 0, [order]]]}]
    desk.erp.call("account.move", "write", [number], vals={"invoice_line_ids": [line]})
    (invoice,) = desk.export().invoices
    assert (invoice.kind, invoice.sales) == ("other", (name,))


# -- default deny -------------------------------------------------------------------------------------------


def test_the_tables_that_are_named_exist() -> None:
    assert set(open_world(buying()[0]).tables()) >= DOCUMENTS | IGNORED


def test_any_row_of_any_other_table_that_vanishes_is_reported() -> None:
    desk = Desk(repairing()[0])
    checked = 0
    for table in desk.before.tables():
        if table in DOCUMENTS | IGNORED or not desk.before.rows(table):
            continue
        after = desk.before.fork()
        after.execute("PRAGMA foreign_keys = OFF")
        after.execute(f"DELETE FROM {table}")
        changes = export_state(desk.before, after).master_changes
        assert {change.kind for change in changes} == {"deleted"}, table
        assert {change.model for change in changes} <= {table, table.replace("_", ".")}
        assert len(changes) == len(desk.before.rows(table))
        checked += 1
    assert checked > 20


def test_any_column_of_any_other_table_that_changes_is_reported() -> None:
    desk = Desk(repairing()[0])
    after = desk.before.fork()
    after.execute("PRAGMA foreign_keys = OFF")
    after.execute("PRAGMA ignore_check_constraints = ON")
    checked = 0
    for table in desk.before.tables():
        if table in DOCUMENTS | IGNORED or not desk.before.rows(table) or desk.before.columns(table)[0] != "id":
            continue
        for column in desk.before.columns(table)[1:]:
            with pytest.raises(ZeroDivisionError), after.savepoint():
                kind = after.execute(f"SELECT type FROM pragma_table_info('{table}') WHERE name = '{column}'").fetchone()[0]
                value = "'changed'" if kind == "TEXT" else "98765"
                first = f"(SELECT MIN(id) FROM {table})"
                after.execute(f"UPDATE {table} SET {column} = {value} WHERE id = {first}")
                (change,) = export_state(desk.before, after).master_changes
                assert (change.kind, change.fields) == ("changed", (column,)), table
                checked += 1
                raise ZeroDivisionError  # undoes the change
    assert checked > 100


@pytest.mark.parametrize(
    ("model", "key", "values", "change"),
    [
        ("res.partner", "ref", {"comment": "no limits"}, Change("res.partner", "quick", "changed", ("comment",))),
        ("product.product", "default_code", {"list_price": 1.0}, Change("product.template", "F", "changed", ("list_price",))),
    ],
)
def test_tampering_is_reported_under_the_records_business_key(
    model: str, key: str, values: dict[str, Any], change: Change
) -> None:
    desk = Desk(buying()[0])
    number = desk.erp.search(model, [[key, "=", change.key]])
    desk.erp.call(model, "write", number, vals=values)
    assert desk.changes() == (change,)


def test_a_new_offer_and_a_changed_route_are_reported() -> None:
    desk = Desk(buying()[0])
    product = desk.erp.search_read("product.product", [["default_code", "=", "F"]], ["product_tmpl_id"], load=None)[0]
    (vendor,) = desk.erp.search("res.partner", [["ref", "=", "cheap"]])
    offer = {"partner_id": vendor, "product_tmpl_id": product["product_tmpl_id"], "price": 0.01, "min_qty": 1}
    desk.erp.call("product.supplierinfo", "create", vals_list=[offer])
    desk.erp.call("product.template", "write", [product["product_tmpl_id"]], vals={"route_ids": [[5, 0, 0]]})
    assert {(one.model, one.kind) for one in desk.changes()} == {
        ("product.supplierinfo", "created"),
        ("product_template_route_ids_rel", "deleted"),
    }
    assert {one.key for one in desk.changes() if one.model == "product.supplierinfo"} == {"cheap|F"}


def test_buying_from_a_vendor_without_offer_is_seen_by_the_offer_that_the_erp_notes_down() -> None:
    desk = Desk(buying()[0])
    buy(desk, vendor="other_vendor")
    assert [(one.model, one.kind, one.key) for one in desk.changes()] == [("product.supplierinfo", "created", "other_vendor|F")]


def test_counted_stock_is_reported_as_moved_and_as_changed() -> None:
    desk = Desk(buying()[0])
    quants = desk.erp.search("stock.quant", [["product_id.default_code", "=", "F"]])
    desk.erp.call("stock.quant", "write", quants, vals={"inventory_quantity": 500})
    desk.erp.call("stock.quant", "action_apply_inventory", quants)
    state = desk.export()
    assert [(one.model, one.fields) for one in state.moved_stock] == [("stock.move", ("state",))]
    assert ("stock.quant", "F", ("quantity",)) in {(one.model, one.key, one.fields) for one in state.master_changes}


def test_a_receipt_and_a_finished_production_are_moved_stock() -> None:
    desk = Desk(making()[0])
    order = buy(desk, vendor="steel", product="STEEL")
    assert desk.export().moved_stock == ()
    (picking,) = desk.erp.search("stock.picking", [["origin", "=", order]])
    desk.erp.call("stock.picking", "button_validate", [picking])
    assert len(desk.export().moved_stock) == 1
    made = desk.call("create_manufacturing_order", product="SUB", quantity=1, start_date=iso(1), due_date=iso(2))["name"]
    desk.call("confirm_manufacturing_order", order=made)
    desk.erp.call("mrp.production", "button_mark_done", [id_of(desk, "mrp.production", made)])
    assert len(desk.export().moved_stock) == 3
    assert {one.state for one in desk.export().productions} == {"done"}


def test_goods_moved_by_hand_and_vendor_bills_are_reported() -> None:
    desk = Desk(buying()[0])
    (vendor,) = desk.erp.search("res.partner", [["ref", "=", "quick"]])
    move = [0, 0, {"product_id": 1, "product_uom_qty": 3}]
    desk.erp.call("stock.picking", "create", vals_list=[{"picking_type_id": 1, "move_ids": [move]}])
    desk.erp.call("account.move", "create", vals_list=[{"move_type": "in_invoice", "partner_id": vendor}])
    assert {(one.model, one.kind) for one in desk.changes()} == {
        ("stock.move", "created"),
        ("stock.picking", "created"),
        ("account.move", "created"),
    }


def test_notes_numbers_and_wizards_are_no_changes() -> None:
    desk = Desk(buying()[0])
    name = sell(desk)
    desk.call("add_note", kind="sales order", record=name, text="checked")
    desk.call("add_note", kind="partner", record="c1", text="called")
    desk.call("create_invoice", order=name)
    assert desk.changes() == ()


# -- the baseline -------------------------------------------------------------------------------------------


def test_the_baseline_follows_the_world_that_is_given() -> None:
    """Environments restore other tasks into the same world object."""
    first, second = open_world(buying()[0]), open_world(making()[0])
    kept = first.fork()
    assert export_state(first, kept).master_changes == ()
    first.restore(second.snapshot())
    assert export_state(first, second).master_changes == ()
    assert export_state(first, kept).master_changes != ()
    first.execute("UPDATE res_partner SET email = 'x' WHERE ref = 'c1'")
    assert [change.fields for change in export_state(first, second).master_changes] == [("email",)]


def test_worlds_with_other_tables_are_refused() -> None:
    with pytest.raises(TaskError, match="different tables"):
        export_state(open_world(buying()[0]), World("CREATE TABLE item (id INTEGER PRIMARY KEY)", today=TODAY))


def test_exporting_changes_nothing() -> None:
    desk = Desk(repairing()[0])
    before = desk.world.digest(), desk.before.digest()
    desk.export()
    assert (desk.world.digest(), desk.before.digest()) == before
