"""What every backend promises: the properties of a conforming ERP, as far as the business verbs reach.

Run on the embedded ERP, on our own server over HTTP, and on a live Odoo where the environment names one (docs/serve/backends.md).
"""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from opsgym.core.errors import TaskError
from opsgym.core.task import Task, ToolCall
from opsgym.core.tools import ToolResult
from opsgym.envs.erp_bench.backends import ErpBackend, fingerprint, verdict_of
from opsgym.envs.erp_bench.family import scenario_of
from opsgym.envs.erp_bench.spec import Offer, Problem, Product
from opsgym.envs.erp_bench.state import Invoice, Production, Purchase, Sale
from tests.envs.erp_bench.backends.tasks import task_of

PATTERN = "22_single_bom_split_by_capacity_invoicing"


class Office:
    """A backend with a task open on it, and calls as one writes them."""

    def __init__(self, backend: ErpBackend, task: Task) -> None:
        self.backend = backend
        self.task = backend.adapt(task)
        self.problem: Problem = scenario_of(self.task).problem
        backend.reset(self.task)

    def ask(self, tool_name: str, /, **arguments: Any) -> ToolResult:
        return self.backend.apply(ToolCall(name=tool_name, arguments=arguments))

    def call(self, tool_name: str, /, **arguments: Any) -> Any:
        result = self.ask(tool_name, **arguments)
        assert result.error is None, result.error.as_dict()
        return result.value

    def refused(self, tool_name: str, /, **arguments: Any) -> str:
        """The code of a refusal, which must leave no trace."""
        before = fingerprint(self.backend.snapshot())
        result = self.ask(tool_name, **arguments)
        assert result.error is not None, result.value
        assert fingerprint(self.backend.snapshot()) == before
        return result.error.code

    def day(self, number: int) -> str:
        return (scenario_of(self.task).today + dt.timedelta(days=number)).isoformat()

    # -- records to work with ---------------------------------------------------------------------------------

    @property
    def finished(self) -> Product:
        return self.problem.finished[0]

    @property
    def offer(self) -> Offer:
        """An offer of a product that the vendor offers once, with a minimum lot."""
        rows = [(row.vendor, row.product) for row in self.problem.offers]
        return next(row for row in self.problem.offers if rows.count((row.vendor, row.product)) == 1 and row.min_qty > 1)

    def sell(self, quantity: int = 3) -> str:
        line = {"product": self.finished.code, "quantity": quantity, "unit_price": 250.0}
        customer = self.problem.customers[0].ref
        name: str = self.call("create_sales_order", customer=customer, lines=[line], commitment_date=self.day(9))["name"]
        return name

    def buy(self, origin: str | None = None, **line: Any) -> str:
        lines = [{"product": self.offer.product, "quantity": self.offer.min_qty, **line}]
        more = {} if origin is None else {"origin": origin}
        name: str = self.call("create_purchase_order", vendor=self.offer.vendor, lines=lines, **more)["name"]
        return name

    def make(self, product: str | None = None, **more: Any) -> str:
        what: dict[str, Any] = {"product": product or self.finished.code, "quantity": 2, "start_date": self.day(1)}
        name: str = self.call("create_manufacturing_order", due_date=self.day(8), **what, **more)["name"]
        return name

    # -- the state --------------------------------------------------------------------------------------------

    def sale(self, name: str) -> Sale:
        return next(one for one in self.backend.snapshot().sales if one.name == name)

    def purchase(self, name: str) -> Purchase:
        return next(one for one in self.backend.snapshot().purchases if one.name == name)

    def production(self, name: str) -> Production:
        return next(one for one in self.backend.snapshot().productions if one.name == name)

    def invoice(self, order: str, kind: str) -> Invoice:
        return next(one for one in self.backend.snapshot().invoices if one.sales == (order,) and one.kind == kind)


@pytest.fixture
def office(backend: ErpBackend) -> Office:
    return Office(backend, task_of(PATTERN))


def test_a_reset_gives_the_same_state_whatever_was_before(office: Office) -> None:
    fresh = fingerprint(office.backend.snapshot())
    office.call("confirm_sales_order", order=office.sell())
    assert fingerprint(office.backend.snapshot()) != fresh
    office.backend.reset(office.task)
    assert fingerprint(office.backend.snapshot()) == fresh


def test_the_seeded_records_are_those_of_the_task(office: Office) -> None:
    problem = office.problem
    for offer in problem.offers:
        shown = office.call("list_vendor_offers", product=offer.product, vendor=offer.vendor)["items"]
        expected = (offer.price / 100, offer.min_qty, offer.lead)
        assert expected in [(row["unit_price"], row["min_quantity"], row["lead_days"]) for row in shown]
    codes = sorted(problem.product_by_code)
    assert {row["product"]: row["on_hand"] for row in office.call("get_stock", products=codes)} == {
        code: problem.stock.get(code, 0) for code in codes
    }
    for bom in problem.boms:
        shown = office.call("get_bill_of_materials", product=bom.product)
        assert {row["product"]: row["quantity"] for row in shown["components"]} == {
            line.component: line.quantity for line in bom.lines
        }
        ways = {(row["work_center"], row["minutes_per_unit"], row["cost_per_unit"]) for row in shown["work_centers"]}
        own = [row for row in problem.operations if row.product == bom.product]
        assert ways >= {(row.center, row.minutes / 1000, row.unit_cost / 100) for row in own}
        assert shown["lead_days"] == bom.lead
    for vendor in problem.vendors:
        assert office.call("get_partner", partner=vendor.ref)["is_vendor"]
    notes = {row["code"]: row["internal_notes"] for row in office.call("list_work_centers", limit=100)["items"]}
    assert all("capacity" in notes[center.code].lower() or "minutes" in notes[center.code] for center in problem.centers)


def test_a_sale_goes_from_draft_to_confirmed_to_cancelled_and_adds_up(office: Office) -> None:
    name = office.sell(3)
    assert (office.sale(name).state, office.sale(name).amount_untaxed) == ("draft", 750)
    office.call("confirm_sales_order", order=name)
    assert office.sale(name).state == "confirmed"
    assert office.refused("confirm_sales_order", order=name) == "bad_state"
    office.call("cancel_sales_order", order=name)
    assert office.sale(name).state == "cancelled"


def test_a_purchase_keeps_its_price_and_its_day(office: Office) -> None:
    name = office.buy(unit_price=12.5, delivery_date=office.day(6))
    office.call("confirm_purchase_order", order=name)
    (line,) = office.purchase(name).lines
    assert (line.price, line.planned) == (12.5, dt.date.fromisoformat(office.day(6)))
    assert office.refused("confirm_purchase_order", order=name) == "bad_state"


def test_a_purchase_without_price_and_day_takes_the_offers(office: Office) -> None:
    (line,) = office.purchase(office.buy()).lines
    assert (line.price, line.planned) == (office.offer.price / 100, dt.date.fromisoformat(office.day(office.offer.lead)))


def test_a_purchase_below_the_minimum_is_taken_and_can_be_cancelled(office: Office) -> None:
    name = office.buy(quantity=1, unit_price=1.0)
    office.call("confirm_purchase_order", order=name)
    assert office.purchase(name).state == "confirmed"
    office.call("cancel_purchase_order", order=name)
    assert office.purchase(name).state == "cancelled"


def test_a_confirmed_purchase_can_be_changed(office: Office) -> None:
    name = office.buy(unit_price=5.0, delivery_date=office.day(6))
    office.call("confirm_purchase_order", order=name)
    line = {"product": office.offer.product, "quantity": 40, "unit_price": 4.0, "delivery_date": office.day(7)}
    office.call("update_purchase_order", order=name, lines=[line])
    (found,) = office.purchase(name).lines
    assert (found.quantity, found.price, found.planned) == (40, 4.0, dt.date.fromisoformat(office.day(7)))
    assert name not in office.backend.snapshot().loose


def test_origins_come_back_as_they_were_given(office: Office) -> None:
    orders = (office.sell(), office.sell())
    assert office.purchase(office.buy(origin=", ".join(orders))).origins == orders
    assert office.production(office.make(origin=", ".join(orders))).origins == orders


def test_a_production_takes_what_its_bill_says_and_moves_to_another_work_center(office: Office) -> None:
    centers = [row.center for row in office.problem.operations if row.product == office.finished.code]
    name = office.make(work_center=centers[0])
    office.call("confirm_manufacturing_order", order=name)
    bom = office.problem.bom_by_product[office.finished.code]
    found = office.production(name)
    assert sorted(found.raw, key=str) == sorted(((line.component, 2.0 * line.quantity) for line in bom.lines), key=str)
    assert [work.center for work in found.work_orders] == [centers[0]]
    office.call("update_manufacturing_order", order=name, quantity=5, work_center=centers[-1], start_date=office.day(2))
    found = office.production(name)
    assert sorted(found.raw, key=str) == sorted(((line.component, 5.0 * line.quantity) for line in bom.lines), key=str)
    assert [work.center for work in found.work_orders] == [centers[-1]]
    assert (found.quantity, found.start) == (5, dt.date.fromisoformat(office.day(2)))
    office.call("cancel_manufacturing_order", order=name)
    assert office.production(name).state == "cancelled"
    assert office.refused("update_manufacturing_order", order=name, quantity=6) == "bad_state"


@pytest.mark.parametrize(("method", "amount", "expected"), [("percentage", 30, 225), ("fixed", 50, 50)])
def test_the_final_invoice_takes_the_down_payment_off(office: Office, method: str, amount: float, expected: float) -> None:
    order = office.sell(3)
    office.call("confirm_sales_order", order=order)
    first = office.call("create_invoice", order=order, method=method, amount=amount)["name"]
    posted = office.call("post_invoice", invoice=first)["name"]
    assert office.refused("post_invoice", invoice=posted) == "bad_state"
    office.call("create_invoice", order=order)
    assert office.refused("create_invoice", order=order) == "nothing_to_invoice"
    advance, final = office.invoice(order, "downpayment"), office.invoice(order, "regular")
    assert (advance.state, advance.amount_untaxed, final.state) == ("posted", expected, "draft")
    assert final.amount_untaxed == 750 - expected


def test_what_is_refused_half_way_leaves_no_trace(office: Office) -> None:
    bought = next(code for code in sorted(office.problem.product_by_code) if code not in office.problem.bom_by_product)
    center = office.problem.centers[0].code
    order = {"product": bought, "quantity": 2, "start_date": office.day(1), "due_date": office.day(2), "work_center": center}
    assert office.refused("create_manufacturing_order", **order) == "bad_state"
    name = office.make(bought)
    change = {"quantity": 7, "start_date": office.day(3), "origin": "S00001", "work_center": center}
    assert office.refused("update_manufacturing_order", order=name, **change) == "bad_state"


SENSELESS: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("get_stock", {"products": ["nothing"]}, "not_found"),
    ("get_partner", {"partner": "nobody"}, "not_found"),
    ("confirm_purchase_order", {"order": "P99999"}, "not_found"),
    ("read_records", {"model": "no.model", "ids": [1]}, "not_found"),
    ("search_records", {"model": "res.partner", "fields": ["no_field"]}, "invalid_value"),
    ("count_records", {"model": "res.partner", "domain": [["name", "no operator", 1]]}, "invalid_value"),
    ("call", {"model": "res.partner", "method": "_private"}, "not_allowed"),
    ("call", {"model": "res.partner", "method": "no_method"}, "not_found"),
    ("call", {"model": "sale.order", "method": "action_confirm", "ids": [999_999]}, "not_found"),
    ("call", {"model": "res.partner", "method": "write", "ids": [1], "kwargs": {"values": {}}}, "invalid_arguments"),
    ("list_documents", {"limit": 1}, "invalid_arguments"),
    ("no_tool", {}, "unknown_tool"),
)
"""Calls that make no sense anywhere, with the codes of their refusals."""


def test_what_makes_no_sense_is_refused_and_changes_nothing(office: Office) -> None:
    before = fingerprint(office.backend.snapshot())
    for tool, arguments, code in SENSELESS:
        error = office.ask(tool, **arguments).error
        assert error is not None, tool
        assert error.code == code, (tool, arguments)
    assert fingerprint(office.backend.snapshot()) == before


def test_a_production_of_nothing_is_refused(office: Office) -> None:
    made = {"product": office.finished.code, "quantity": 0, "start_date": office.day(1), "due_date": office.day(2)}
    assert office.refused("create_manufacturing_order", **made) == "invalid_arguments"
    values = {"product_id": 999_999, "product_qty": 1}
    assert office.ask("call", model="mrp.production", method="create", kwargs={"vals_list": [values]}).error is not None


def test_business_verbs_leave_other_records_alone(office: Office) -> None:
    order = office.sell()
    for tool, name in (
        ("confirm_sales_order", order),
        ("confirm_purchase_order", office.buy(origin=order, unit_price=3.0)),
        ("confirm_manufacturing_order", office.make(origin=order)),
    ):
        office.call(tool, order=name)
    state = office.backend.snapshot()
    assert (state.master_changes, state.moved_stock, state.touched, state.loose) == ((), (), (), ())


def test_a_record_changed_over_the_raw_api_is_seen(office: Office) -> None:
    vendor = office.problem.vendors[0].ref
    found = office.call("search_records", model="res.partner", domain=[["ref", "=", vendor]])["items"]
    change = {"model": "res.partner", "method": "write", "ids": [found[0]["id"]], "kwargs": {"vals": {"name": "Mine"}}}
    office.call("call", **change)
    (seen,) = office.backend.snapshot().master_changes
    assert (seen.model, seen.key, seen.kind, seen.fields) == ("res.partner", vendor, "changed", ("name",))


def test_notes_are_left_and_read(office: Office) -> None:
    name = office.make()
    office.call("add_note", kind="manufacturing order", record=name, text="Wait for <steel> & brass")
    assert "Wait for <steel> & brass" in office.call("get_manufacturing_order", order=name)["notes"]


def test_policy_documents_can_be_read(office: Office) -> None:
    for document in scenario_of(office.task).documents:
        assert document.title in office.call("list_documents")["items"]
        assert office.call("read_document", title=document.title)["body"] == document.body


def test_an_empty_desk_earns_nothing(office: Office) -> None:
    assert verdict_of(office.backend, office.task).reward == 0


def test_a_backend_without_a_task_says_so(backend: ErpBackend) -> None:
    with pytest.raises(TaskError, match="call reset"):
        backend.snapshot()
