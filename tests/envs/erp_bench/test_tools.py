"""The business tools: what each one does, what each one refuses, and that a refusal leaves no trace."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from opsgym.core.errors import TOOL_ERROR_CODES, RegistryError
from opsgym.envs.erp_bench.spec import Document
from opsgym.envs.erp_bench.tools import HARNESSES, toolbox
from tests.envs.erp_bench.desk import Desk
from tests.envs.erp_bench.scenarios import TODAY, buying, making, repairing, screened

DATE = "2026-03-09"


def sold(desk: Desk, quantity: float = 4, *, confirm: bool = True) -> str:
    """A sales order."""
    line = {"product": "F", "quantity": quantity}
    name = desk.call("create_sales_order", customer="c1", commitment_date=DATE, lines=[line])["name"]
    if confirm:
        desk.call("confirm_sales_order", order=name)
    return str(name)


def bought(desk: Desk, *, confirm: bool = True, **line: Any) -> str:
    """A purchase order."""
    name = desk.call("create_purchase_order", vendor="quick", lines=[{"product": "F", "quantity": 6, **line}])["name"]
    if confirm:
        desk.call("confirm_purchase_order", order=name)
    return str(name)


def made(desk: Desk, *, confirm: bool = True, **values: Any) -> str:
    """A manufacturing order."""
    arguments = {"product": "F", "quantity": 2, "start_date": "2026-03-06", "due_date": "2026-03-08", **values}
    name = desk.call("create_manufacturing_order", **arguments)["name"]
    if confirm:
        desk.call("confirm_manufacturing_order", order=name)
    return str(name)


# -- the toolbox --------------------------------------------------------------------------------------------


def test_every_tool_and_argument_is_described() -> None:
    for harness in HARNESSES:
        for tool in toolbox(harness).values():
            assert tool.description.endswith("."), tool.name
            for name, schema in tool.parameters["properties"].items():
                assert schema.get("description"), f"{tool.name}.{name}"


def test_schemas_are_json_and_name_every_tool_once() -> None:
    names = [schema["function"]["name"] for schema in json.loads(toolbox("tools").schemas_json)]
    assert len(names) == len(set(names)) == len(HARNESSES["tools"])


def test_reading_tools_do_not_claim_to_change_and_submit_ends() -> None:
    for tool in toolbox("tools").values():
        reads = tool.name.split("_")[0] in {"get", "list", "search", "read", "count", "describe", "submit"}
        assert tool.mutates is not reads, tool.name
        assert tool.terminal is (tool.name == "submit")


def test_an_unknown_harness_is_named_with_those_that_exist() -> None:
    with pytest.raises(RegistryError, match="api, coding, tools"):
        toolbox("browser")


def test_toolboxes_are_shared() -> None:
    assert toolbox("tools") is toolbox("tools")


# -- master data --------------------------------------------------------------------------------------------


def test_the_date_is_the_days_of_the_task() -> None:
    assert Desk(buying()[0]).call("get_current_date") == TODAY.isoformat()


def test_products_are_found_by_part_of_name_or_code() -> None:
    desk = Desk(making()[0])
    assert [row["code"] for row in desk.everything("search_products", query="ste")] == ["STEEL"]
    assert len(desk.everything("search_products", limit=2)) == 5
    assert desk.everything("search_products", query="100%_!") == []


def test_partners_are_found_by_part_of_name_or_reference_and_by_role() -> None:
    desk = Desk(buying()[0])
    assert [row["ref"] for row in desk.everything("search_partners", query="qui")] == ["quick"]
    assert desk.everything("search_partners", role="vendor") == []  # the hand-made partners have no ranks
    assert desk.call("search_partners", query="quick")["items"][0]["has_notes"] is True


def test_offers_are_listed_by_product_and_vendor() -> None:
    desk = Desk(making()[0])
    assert [row["vendor"] for row in desk.everything("list_vendor_offers", product="STEEL")] == ["steel"]
    assert [row["product"] for row in desk.everything("list_vendor_offers", vendor="bolts")] == ["BOLT"]
    assert desk.everything("list_vendor_offers", product="STEEL", vendor="bolts") == []


def test_stock_is_shown_for_several_products() -> None:
    desk = Desk(making()[0])
    assert desk.call("get_stock", products=["STEEL", "BOLT"]) == [
        {"product": "STEEL", "on_hand": 4.0},
        {"product": "BOLT", "on_hand": 0.0},
    ]


def test_payment_terms_are_listed_by_name() -> None:
    assert {"Immediate Payment", "30 Days"} <= set(Desk(buying()[0]).call("list_payment_terms"))


def test_a_product_that_is_not_made_has_no_bill_of_materials() -> None:
    assert Desk(making()[0]).refused("get_bill_of_materials", product="STEEL").code == "not_found"


@pytest.mark.parametrize(
    ("tool", "argument", "near"),
    [
        ("get_product", {"product": "STEE"}, "STEEL"),
        ("get_partner", {"partner": "finishd"}, "finished"),
        ("get_bill_of_materials", {"product": "SUBB"}, "SUB"),
        ("list_vendor_offers", {"vendor": "steell"}, "steel"),
        ("list_vendor_offers", {"product": "BOLTS"}, "BOLT"),
        ("get_stock", {"products": ["F", "STEEEL"]}, "STEEL"),
        ("get_sales_order", {"order": "S0001"}, "S00001"),
        ("list_sales_orders", {"customer": "other_custmer"}, "other_customer"),
        ("list_manufacturing_orders", {"work_center": "W11"}, "W1"),
        ("read_document", {"title": "Purchasing rule"}, "Purchasing rules"),
    ],
)
def test_an_unknown_reference_is_answered_with_the_nearest_one(tool: str, argument: dict[str, Any], near: str) -> None:
    texts = (Document(title="Purchasing rules", body="Buy well."),)
    error = Desk(making()[0].model_copy(update={"documents": texts})).refused(tool, **argument)
    assert error.code == "not_found"
    assert f"Did you mean {near}" in error.hint


def test_a_name_stands_for_its_record_when_it_is_the_only_one() -> None:
    desk = Desk(buying()[0])
    assert desk.call("get_partner", partner="QUICK")["ref"] == "quick"
    desk.erp.call("res.partner", "create", vals_list=[{"name": "QUICK", "ref": "quick2"}])
    error = desk.refused("get_partner", partner="QUICK")
    assert (error.code, "quick, quick2" in error.hint) == ("invalid_value", True)
    assert desk.call("get_partner", partner="quick2")["name"] == "QUICK"


@pytest.mark.parametrize("text", ["a\0b", "%", "'; DROP TABLE res_partner", "x" * 100, "\N{SNOWMAN}"])
def test_any_text_can_be_looked_up(text: str) -> None:
    desk = Desk(buying()[0])
    assert desk.refused("get_partner", partner=text).code == "not_found"
    desk.call("search_partners", query=text)
    desk.call("search_products", query=text)


def test_text_that_no_database_can_hold_is_refused() -> None:
    desk = Desk(buying()[0])
    for text in ("\ud800", "x" * 101):
        assert desk.refused("search_partners", query=text).code == "invalid_arguments"
    assert desk.refused("get_partner", partner="\ud800").code == "invalid_arguments"
    assert desk.refused("get_partner", partner="x" * 100_000).code == "not_found"


def test_a_long_text_is_cut_with_a_mark() -> None:
    desk = Desk(buying()[0])
    (vendor,) = desk.erp.search("res.partner", [["ref", "=", "quick"]])
    desk.erp.call("res.partner", "write", [vendor], vals={"comment": "n" * 5000})
    assert desk.call("get_partner", partner="quick")["internal_notes"].endswith("n... [1000 more characters]")
    (record,) = desk.call("read_records", model="res.partner", ids=[vendor], fields=["comment"])
    assert record["comment"].endswith("[1000 more characters]")


# -- records of any kind ------------------------------------------------------------------------------------


def test_models_and_their_fields_can_be_discovered() -> None:
    desk = Desk(buying()[0])
    models = {row["model"] for row in desk.call("describe_model")["items"]}
    assert {"sale.order", "purchase.order", "mrp.production", "product.supplierinfo"} <= models
    fields = desk.call("describe_model", model="sale.order")["fields"]
    assert fields["partner_id"] == {"type": "many2one", "label": "Customer", "required": True, "relation": "res.partner"}
    assert fields["state"]["values"] == ["draft", "sent", "sale", "cancel"]
    assert desk.refused("describe_model", model="sale.ordr").code == "not_found"


def test_records_are_searched_with_domain_fields_order_and_paging() -> None:
    desk = Desk(making()[0])
    page = desk.call(
        "search_records",
        model="product.product",
        domain=[["default_code", "in", ["BOLT", "STEEL", "SUB"]]],
        fields=["default_code"],
        order="default_code desc",
        limit=2,
    )
    assert ([row["default_code"] for row in page["items"]], page["total"], page["more"]) == (["SUB", "STEEL"], 3, True)
    assert desk.call("count_records", model="product.product", domain=[["default_code", "=", "BOLT"]]) == 1
    (found,) = desk.call("read_records", model="product.product", ids=[page["items"][0]["id"]], fields=["default_code"])
    assert found["default_code"] == "SUB"


def test_a_page_holds_a_hundred_rows_at_most() -> None:
    desk = Desk(buying()[0])
    desk.erp.call("res.partner", "create", vals_list=[{"name": f"n{number}"} for number in range(150)])
    page = desk.call("search_records", model="res.partner", limit=1000)
    assert (len(page["items"]), page["more"]) == (100, True)
    page = desk.call("search_partners", limit=1000)
    assert (len(page["items"]), page["more"]) == (100, True)


@pytest.mark.parametrize(
    ("tool", "arguments", "code"),
    [
        ("search_records", {"model": "no.model"}, "not_found"),
        ("search_records", {"model": "res.partner", "domain": [["nope", "=", 1]]}, "invalid_value"),
        ("search_records", {"model": "res.partner", "domain": ["?"]}, "invalid_value"),
        ("search_records", {"model": "res.partner", "fields": ["nope"]}, "invalid_value"),
        ("search_records", {"model": "res.partner", "order": "nope"}, "invalid_value"),
        ("search_records", {"model": "res.partner", "limit": 0}, "invalid_arguments"),
        ("search_records", {"model": "res.partner", "offset": -1}, "invalid_arguments"),
        ("search_records", {"model": "res.partner", "domain": [["id", "=", 10**30]]}, "invalid_value"),
        ("search_records", {"model": "res.partner", "domain": [["name", "=", "\ud800"]]}, "invalid_arguments"),
        ("count_records", {"model": "res.partner", "domain": [["nope", "=", 1]]}, "invalid_value"),
        ("read_records", {"model": "res.partner", "ids": []}, "invalid_arguments"),
        ("read_records", {"model": "res.partner", "ids": [10**30]}, "invalid_arguments"),
        ("read_records", {"model": "res.partner", "ids": [1], "fields": ["nope"]}, "invalid_value"),
        ("read_records", {"model": "no.model", "ids": [1]}, "not_found"),
    ],
)
def test_a_search_that_makes_no_sense_is_refused(tool: str, arguments: dict[str, Any], code: str) -> None:
    assert Desk(buying()[0]).refused(tool, **arguments).code == code


# -- sales --------------------------------------------------------------------------------------------------


def test_a_sales_order_takes_the_list_price_and_is_confirmed() -> None:
    desk = Desk(buying()[0])
    order = desk.call(
        "create_sales_order",
        customer="c1",
        lines=[{"product": "F", "quantity": 4}],
        commitment_date=DATE,
        customer_reference="PO-17",
        payment_term="30 Days",
    )
    assert (order["state"], order["commitment_date"], order["payment_term"]) == ("draft", DATE, "30 Days")
    assert (order["customer_reference"], order["amount_untaxed"]) == ("PO-17", 400.0)
    assert desk.call("confirm_sales_order", order=order["name"])["state"] == "sale"
    assert [row["name"] for row in desk.everything("list_sales_orders", customer="c1", state="sale")] == [order["name"]]
    assert [row["name"] for row in desk.everything("list_sales_orders", product="F")] == [order["name"]]


def test_a_sales_order_is_changed_line_by_line() -> None:
    desk = Desk(buying()[0])
    name = sold(desk)
    order = desk.call(
        "update_sales_order",
        order=name,
        commitment_date="2026-03-11",
        payment_term="30 Days",
        customer_reference="new",
        lines=[{"product": "F", "quantity": 5}, {"product": "OTHER", "quantity": 1, "unit_price": 2.5}],
    )
    assert (order["commitment_date"], order["payment_term"], order["customer_reference"]) == ("2026-03-11", "30 Days", "new")
    assert [(line["product"], line["quantity"], line["unit_price"]) for line in order["lines"]] == [
        ("F", 5.0, 100.0),
        ("OTHER", 1.0, 2.5),
    ]


def test_a_sales_order_is_cancelled_and_only_once() -> None:
    desk = Desk(screened()[0])
    (draft,) = desk.everything("list_sales_orders", customer="c1")
    assert desk.call("cancel_sales_order", order=draft["name"])["state"] == "cancel"
    assert desk.refused("cancel_sales_order", order=draft["name"]).code == "bad_state"
    assert desk.refused("confirm_sales_order", order=draft["name"]).code == "bad_state"


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"customer": "nobody"}, "not_found"),
        ({"lines": [{"product": "nothing", "quantity": 1}]}, "not_found"),
        ({"lines": []}, "invalid_arguments"),
        ({"lines": [{"product": "F"}]}, "invalid_arguments"),
        ({"lines": [{"product": "F", "quantity": 0}]}, "invalid_arguments"),
        ({"lines": [{"product": "F", "quantity": -1}]}, "invalid_arguments"),
        ({"lines": [{"product": "F", "quantity": 1e300}]}, "invalid_arguments"),
        ({"lines": [{"product": "F", "quantity": float("nan")}]}, "invalid_arguments"),
        ({"lines": [{"product": "F", "quantity": 1, "unit_price": -1}]}, "invalid_arguments"),
        ({"lines": [{"product": "F", "quantity": 1, "price": 3}]}, "invalid_arguments"),
        ({"commitment_date": "next week"}, "invalid_value"),
        ({"commitment_date": "2026-02-30"}, "invalid_value"),
        ({"commitment_date": "20260309"}, "invalid_value"),
        ({"commitment_date": "2026-03-09 12:00:00"}, "invalid_value"),
        ({"payment_term": "60 Days"}, "not_found"),
        ({"customer_reference": "\ud800"}, "invalid_arguments"),
    ],
)
def test_a_wrong_sales_order_is_refused(changes: dict[str, Any], code: str) -> None:
    right: dict[str, Any] = {"customer": "c1", "lines": [{"product": "F", "quantity": 1}], "commitment_date": DATE}
    error = Desk(buying()[0]).refused("create_sales_order", **{**right, **changes})
    assert error.code == code
    assert error.message


def test_a_wrong_date_is_answered_with_the_form_and_todays_date() -> None:
    error = Desk(buying()[0]).refused(
        "create_sales_order", customer="c1", lines=[{"product": "F", "quantity": 1}], commitment_date="March 9"
    )
    assert "YYYY-MM-DD" in error.message
    assert TODAY.isoformat() in error.hint


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({}, "missing_field"),
        ({"order": "S09999", "commitment_date": DATE}, "not_found"),
        ({"commitment_date": "soon"}, "invalid_value"),
        ({"payment_term": "never"}, "not_found"),
        ({"lines": [{"product": "nothing", "quantity": 1}]}, "not_found"),
        ({"lines": []}, "missing_field"),
    ],
)
def test_a_wrong_change_of_a_sales_order_is_refused(changes: dict[str, Any], code: str) -> None:
    desk = Desk(buying()[0])
    assert desk.refused("update_sales_order", **{"order": sold(desk), **changes}).code == code


def test_a_product_on_two_lines_cannot_be_changed_by_its_name() -> None:
    desk = Desk(buying()[0])
    lines = [{"product": "F", "quantity": 1}, {"product": "F", "quantity": 2}]
    name = desk.call("create_sales_order", customer="c1", commitment_date=DATE, lines=lines)["name"]
    error = desk.refused("update_sales_order", order=name, lines=[{"product": "F", "quantity": 3}])
    assert error.code == "invalid_value"


# -- purchasing ---------------------------------------------------------------------------------------------


def test_a_purchase_order_keeps_price_date_and_source() -> None:
    desk = Desk(buying()[0])
    order = desk.call(
        "create_purchase_order",
        vendor="quick",
        lines=[{"product": "F", "quantity": 6, "unit_price": 49.5, "delivery_date": DATE}],
        origin="S00002",
    )
    (line,) = order["lines"]
    assert (order["state"], order["origin"], order["vendor"]) == ("draft", "S00002", "quick")
    assert (line["unit_price"], line["delivery_date"], line["subtotal"]) == (49.5, DATE, 297.0)
    assert desk.call("confirm_purchase_order", order=order["name"])["state"] == "purchase"
    assert [row["name"] for row in desk.everything("list_purchase_orders", vendor="quick", product="F", state="purchase")] == [
        order["name"]
    ]


def test_a_purchase_line_without_price_and_date_takes_them_from_the_offer() -> None:
    desk = Desk(buying()[0])
    (line,) = desk.call("get_purchase_order", order=bought(desk))["lines"]
    assert (line["unit_price"], line["delivery_date"]) == (50.0, "2026-03-05")


def test_a_confirmed_purchase_order_is_changed_in_place_and_cancelled() -> None:
    desk = Desk(buying()[0])
    name = bought(desk, unit_price=50.0)
    order = desk.call(
        "update_purchase_order",
        order=name,
        origin="S00001, S00002",
        lines=[{"product": "F", "quantity": 9, "unit_price": 50.0, "delivery_date": "2026-03-12"}],
    )
    (line,) = order["lines"]
    assert (order["state"], order["origin"]) == ("purchase", "S00001, S00002")
    assert (line["quantity"], line["unit_price"], line["delivery_date"]) == (9.0, 50.0, "2026-03-12")
    assert desk.call("cancel_purchase_order", order=name)["state"] == "cancel"


@pytest.mark.parametrize(
    ("tool", "changes", "code"),
    [
        ("create_purchase_order", {"vendor": "nobody"}, "not_found"),
        ("create_purchase_order", {"lines": [{"product": "none", "quantity": 1}]}, "not_found"),
        ("create_purchase_order", {"lines": [{"product": "F", "quantity": 1, "delivery_date": "x"}]}, "invalid_value"),
        ("create_purchase_order", {"lines": [{"product": "F", "quantity": "1"}]}, "invalid_arguments"),
        ("create_purchase_order", {"origin": "\ud800"}, "invalid_arguments"),
        ("create_purchase_order", {"lines": [{"product": "F", "quantity": 1, "delivery_date": "9999-99-99"}]}, "invalid_value"),
    ],
)
def test_a_wrong_purchase_order_is_refused(tool: str, changes: dict[str, Any], code: str) -> None:
    right: dict[str, Any] = {"vendor": "quick", "lines": [{"product": "F", "quantity": 6}]}
    assert Desk(buying()[0]).refused(tool, **{**right, **changes}).code == code


def test_purchase_orders_are_confirmed_and_cancelled_once() -> None:
    desk = Desk(buying()[0])
    name = bought(desk)
    assert desk.refused("confirm_purchase_order", order=name).code == "bad_state"
    desk.call("cancel_purchase_order", order=name)
    for tool in ("confirm_purchase_order", "cancel_purchase_order"):
        assert desk.refused(tool, order=name).code == "bad_state"
        assert desk.refused(tool, order="P00099").code == "not_found"
    assert desk.refused("update_purchase_order", order=name).code == "missing_field"
    assert desk.refused("update_purchase_order", order="P00099", origin="S00001").code == "not_found"
    assert desk.refused("get_purchase_order", order="P00099").code == "not_found"


# -- manufacturing ------------------------------------------------------------------------------------------


def test_a_manufacturing_order_is_entered_on_its_work_center_and_confirmed() -> None:
    desk = Desk(making()[0])
    name = made(desk, work_center="W2", origin="S00001")
    order = desk.call("get_manufacturing_order", order=name)
    assert (order["state"], order["quantity"], order["origin"]) == ("confirmed", 2.0, "S00001")
    assert (order["start_date"], order["due_date"], order["finish_date"]) == ("2026-03-06", "2026-03-08", "2026-03-08")
    assert [(work["work_center"], work["operation"]) for work in order["work_orders"]] == [("W2", "assemble")]
    assert {row["product"]: row["quantity"] for row in order["components"]} == {"SUB": 4.0, "BOLT": 2.0}
    listed = desk.everything("list_manufacturing_orders", product="F", work_center="W2", state="confirmed")
    assert [row["name"] for row in listed] == [name]
    assert desk.everything("list_manufacturing_orders", work_center="W1") == []


def test_without_a_work_center_the_primary_one_is_taken() -> None:
    desk = Desk(making()[0])
    order = desk.call("get_manufacturing_order", order=made(desk))
    assert [work["work_center"] for work in order["work_orders"]] == ["W1"]


def test_a_confirmed_manufacturing_order_is_changed_in_place() -> None:
    desk = Desk(making()[0])
    name = made(desk)
    order = desk.call(
        "update_manufacturing_order",
        order=name,
        quantity=3,
        start_date="2026-03-09",
        due_date="2026-03-11",
        work_center="W2",
        origin="S00001",
    )
    assert (order["quantity"], order["start_date"], order["due_date"]) == (3.0, "2026-03-09", "2026-03-11")
    assert (order["origin"], order["work_orders"][0]["work_center"]) == ("S00001", "W2")
    assert {row["product"]: row["quantity"] for row in order["components"]} == {"SUB": 6.0, "BOLT": 3.0}
    assert desk.call("cancel_manufacturing_order", order=name)["state"] == "cancel"


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"product": "none"}, "not_found"),
        ({"quantity": 0}, "invalid_arguments"),
        ({"start_date": "x"}, "invalid_value"),
        ({"due_date": "2026-13-01"}, "invalid_value"),
        ({"work_center": "W9"}, "not_found"),
        ({"origin": "\0"}, "invalid_value"),
        ({"product": "STEEL", "work_center": "W1"}, "bad_state"),
    ],
)
def test_a_wrong_manufacturing_order_is_refused(changes: dict[str, Any], code: str) -> None:
    right: dict[str, Any] = {"product": "F", "quantity": 2, "start_date": "2026-03-06", "due_date": "2026-03-08"}
    assert Desk(making()[0]).refused("create_manufacturing_order", **{**right, **changes}).code == code


def test_manufacturing_orders_are_confirmed_and_cancelled_once() -> None:
    desk = Desk(making()[0])
    name = made(desk)
    assert desk.refused("confirm_manufacturing_order", order=name).code == "bad_state"
    desk.call("cancel_manufacturing_order", order=name)
    for tool in ("confirm_manufacturing_order", "cancel_manufacturing_order"):
        assert desk.refused(tool, order=name).code == "bad_state"
        assert desk.refused(tool, order="WH/MO/00099").code == "not_found"
    assert desk.refused("update_manufacturing_order", order=name).code == "missing_field"
    assert desk.refused("update_manufacturing_order", order=name, quantity=9).code == "bad_state"
    assert desk.refused("update_manufacturing_order", order=name, work_center="W2").code == "bad_state"
    assert desk.refused("update_manufacturing_order", order="WH/MO/00099", origin="S00001").code == "not_found"
    assert desk.refused("get_manufacturing_order", order="WH/MO/00099").code == "not_found"


# -- invoices -----------------------------------------------------------------------------------------------


def test_an_order_is_invoiced_posted_and_the_invoice_cancelled() -> None:
    desk = Desk(buying()[0])
    order = sold(desk)
    draft = desk.call("create_invoice", order=order)
    assert (draft["state"], draft["amount_untaxed"], draft["customer"]) == ("draft", 400.0, "c1")
    posted = desk.call("post_invoice", invoice=draft["name"])
    assert (posted["state"], posted["name"], posted["invoice_date"]) == ("posted", "INV/2026/00001", TODAY.isoformat())
    assert desk.call("get_invoice", invoice=posted["name"]) == posted
    assert [row["name"] for row in desk.everything("list_invoices", order=order, customer="c1", state="posted")] == [
        posted["name"]
    ]
    assert desk.call("get_sales_order", order=order)["invoices"][0]["name"] == posted["name"]
    assert desk.call("cancel_invoice", invoice=posted["name"])["state"] == "cancel"


@pytest.mark.parametrize(("method", "amount", "expected"), [("percentage", 30.0, 120.0), ("fixed", 55.5, 55.5)])
def test_a_down_payment_is_taken_off_the_regular_invoice(method: str, amount: float, expected: float) -> None:
    desk = Desk(buying()[0])
    order = sold(desk)
    advance = desk.call("create_invoice", order=order, method=method, amount=amount)
    assert advance["amount_untaxed"] == expected
    desk.call("post_invoice", invoice=advance["name"])
    assert desk.call("create_invoice", order=order)["amount_untaxed"] == 400.0 - expected


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"method": "percentage"}, "missing_field"),
        ({"method": "fixed"}, "missing_field"),
        ({"amount": 5.0}, "invalid_value"),
        ({"method": "percentage", "amount": 101.0}, "invalid_value"),
        ({"method": "fixed", "amount": 0}, "invalid_arguments"),
        ({"method": "all"}, "invalid_arguments"),
        ({"order": "S09999"}, "not_found"),
    ],
)
def test_a_wrong_invoice_is_refused(arguments: dict[str, Any], code: str) -> None:
    desk = Desk(buying()[0])
    assert desk.refused("create_invoice", **{"order": sold(desk), **arguments}).code == code


def test_invoices_are_made_posted_and_cancelled_in_the_right_state_only() -> None:
    desk = Desk(buying()[0])
    assert desk.refused("create_invoice", order=sold(desk, confirm=False)).code == "bad_state"
    order = sold(desk)
    name = desk.call("create_invoice", order=order)["name"]
    assert desk.refused("create_invoice", order=order).code == "nothing_to_invoice"
    name = desk.call("post_invoice", invoice=name)["name"]
    assert desk.refused("post_invoice", invoice=name).code == "bad_state"
    desk.call("cancel_invoice", invoice=name)
    assert desk.refused("cancel_invoice", invoice=name).code == "bad_state"
    for tool in ("get_invoice", "post_invoice", "cancel_invoice"):
        assert desk.refused(tool, invoice="INV/2026/00009").code == "not_found"
    assert desk.refused("list_invoices", order="S09999").code == "not_found"


# -- notes and the end --------------------------------------------------------------------------------------


def test_notes_are_left_on_documents_and_read_again() -> None:
    desk = Desk(repairing()[0])
    desk.call("add_note", kind="manufacturing order", record="WH/MO/00001", text="delayed <1 day> & fine")
    assert desk.call("get_manufacturing_order", order="WH/MO/00001")["notes"] == ["delayed <1 day> & fine"]
    assert desk.call("add_note", kind="partner", record="c1", text="hello")["notes"] == 1
    assert desk.refused("add_note", kind="partner", record="nobody", text="x").code == "not_found"
    assert desk.refused("add_note", kind="partner", record="c1", text="").code == "invalid_arguments"
    assert desk.refused("add_note", kind="partner", record="c1", text="\ud800").code == "invalid_arguments"
    assert desk.refused("add_note", kind="machine", record="c1", text="x").code == "invalid_arguments"


@pytest.mark.parametrize("harness", list(HARNESSES))
def test_handing_in_changes_nothing(harness: str) -> None:
    desk = Desk(buying()[0], harness)
    before = desk.world.digest()
    assert desk.call("submit") == "submitted"
    assert desk.world.digest() == before


# -- the raw API --------------------------------------------------------------------------------------------


def test_the_raw_api_calls_any_method() -> None:
    desk = Desk(buying()[0], "api")
    (partner,) = desk.call("call", model="res.partner", method="search", kwargs={"domain": [["ref", "=", "c1"]]})
    (order,) = desk.call("call", model="sale.order", method="create", kwargs={"vals_list": {"partner_id": partner}})
    desk.call("call", model="sale.order", method="action_confirm", ids=[order])
    (read,) = desk.call("call", model="sale.order", method="read", ids=[order], kwargs={"fields": ["state"]})
    assert read["state"] == "sale"
    context = {"context": {"active_model": "sale.order", "active_ids": [order]}}
    wizard = {"vals_list": {"advance_payment_method": "delivered"}, **context}
    assert desk.call("call", model="sale.advance.payment.inv", method="create", kwargs=wizard)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"model": "no.model", "method": "read"}, "not_found"),
        ({"model": "sale.order", "method": "no_method"}, "not_found"),
        ({"model": "sale.order", "method": "_private"}, "not_allowed"),
        ({"model": "sale.order", "method": "read", "ids": [0]}, "invalid_arguments"),
        ({"model": "sale.order", "method": "action_confirm", "ids": [999]}, "not_found"),
        ({"model": "sale.order", "method": "create", "kwargs": {"nope": 1}}, "invalid_arguments"),
        ({"model": "sale.order", "method": "create", "kwargs": {"vals_list": {"partner_id": "x"}}}, "invalid_value"),
        ({"model": "res.partner", "method": "create", "kwargs": {"vals_list": {}}}, "missing_field"),
        *(
            ({"model": "sale.order", "method": "read", "kwargs": {name: 1}}, "invalid_arguments")
            for name in ("self", "model", "method", "ids")
        ),
        ({"model": "sale.order", "method": "read", "kwargs": {"context": 3}}, "invalid_arguments"),
    ],
)
def test_a_wrong_raw_call_is_refused(arguments: dict[str, Any], code: str) -> None:
    assert Desk(buying()[0], "api").refused("call", **arguments).code == code


# -- anything at all ----------------------------------------------------------------------------------------

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["F", "c1", "S00001", DATE, "WH/MO/00001"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
DESK = Desk(repairing()[0])
START = DESK.world.snapshot()


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_whatever_is_called_a_refusal_has_a_known_code_and_leaves_no_trace(data: st.DataObject) -> None:
    DESK.world.restore(START)
    before = DESK.world.digest()
    tool = toolbox("tools")[data.draw(st.sampled_from(sorted(toolbox("tools"))))]
    plausible = st.sampled_from(["F", "STEEL", "c1", "bolts", "S00001", "P00001", "WH/MO/00001", "W1", DATE, "sale.order"])
    names = list(tool.parameters["properties"])
    chosen = data.draw(st.lists(st.sampled_from(names), unique=True)) if names else []
    arguments = {name: data.draw(plausible | JSON) for name in {*chosen, *tool.parameters.get("required", ())}}
    result = DESK.try_call(tool.name, **arguments)
    if result.error is not None:
        assert result.error.code in TOOL_ERROR_CODES
        assert result.error.message
    if result.error is not None or not tool.mutates:
        assert DESK.world.digest() == before
    assert DESK.world.check() == []
