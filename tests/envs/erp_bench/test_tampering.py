"""What an agent can bend through the raw API after a plan was booked: every bent state is gated, every harmless one is not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from opsgym.core.verify import Verdict
from opsgym.envs.erp_bench.oracle import oracle_calls
from opsgym.envs.erp_bench.simulate import check_plan
from opsgym.envs.erp_bench.spec import Plan, Scenario
from opsgym.envs.erp_bench.verifier import build_checks, judge
from tests.envs.erp_bench.desk import Desk
from tests.envs.erp_bench.scenarios import ALL, buying, making, repairing, screened
from tests.envs.erp_bench.states import certificate_of

GATED = 0.25


class Booked:
    """A world in which a plan is booked, with the raw API at hand."""

    def __init__(self, case: tuple[Scenario, Plan]) -> None:
        self.scenario, self.plan = case
        self.desk = Desk(self.scenario)
        self.desk.play(oracle_calls(self.scenario, self.plan))

    def call(self, model: str, method: str, ids: list[int] | None = None, **kwargs: Any) -> Any:
        """A call as the ``"api"`` harness makes it."""
        with self.desk.world.savepoint():
            return self.desk.erp.call(model, method, ids or [], **kwargs)

    def find(self, model: str, *domain: Any) -> list[int]:
        return self.desk.erp.search(model, list(domain))

    def write(self, model: str, ids: list[int], **vals: Any) -> None:
        assert ids
        self.call(model, "write", ids, vals=vals)

    def sales(self) -> list[int]:
        """Confirmed sales orders of the task's customers."""
        return self.find(
            "sale.order", ["state", "=", "sale"], ["partner_id.ref", "like", "c"], ["client_order_ref", "!=", "o_other"]
        )

    def others(self) -> list[int]:
        """The sales order of someone else."""
        return self.find("sale.order", ["client_order_ref", "=", "o_other"])

    def purchases(self) -> list[int]:
        return self.find("purchase.order", ["state", "=", "purchase"])

    def verdict(self) -> Verdict:
        certificate = certificate_of(self.scenario, check_plan(self.scenario.problem, self.plan))
        return judge(self.desk.export(), self.scenario, build_checks(self.scenario), certificate)


Bend = Callable[[Booked], Any]


def failed(found: Verdict) -> set[str]:
    return {check.spec.rule for check in found.checks if check.status == "fail"}


def other_lines(booked: Booked) -> list[int]:
    return booked.find("sale.order.line", ["order_id", "in", booked.others()])


def add_line(booked: Booked, order: int, **vals: Any) -> None:
    booked.call("sale.order.line", "create", vals_list={"order_id": order, **vals})


def product(booked: Booked, code: str = "F") -> int:
    (found,) = booked.find("product.product", ["default_code", "=", code])
    return found


OF_OTHERS: dict[str, Bend] = {
    "price": lambda b: b.write("sale.order.line", other_lines(b), price_unit=0.0),
    "discount": lambda b: b.write("sale.order.line", other_lines(b), discount=90.0),
    "description": lambda b: b.write("sale.order.line", other_lines(b), name="gone"),
    "note": lambda b: b.write("sale.order", b.others(), note="gone"),
    "term": lambda b: b.write("sale.order", b.others(), payment_term_id=5),
    "lock": lambda b: b.call("sale.order", "action_lock", b.others()),
    "section": lambda b: add_line(b, b.others()[0], display_type="line_note", name="hello"),
    "delivery cancelled": lambda b: b.call(
        "stock.picking", "action_cancel", b.find("stock.picking", ["sale_id", "in", b.others()])
    ),
    "delivery put off": lambda b: b.write(
        "stock.picking", b.find("stock.picking", ["sale_id", "in", b.others()]), scheduled_date="2030-01-01 00:00:00"
    ),
}


@pytest.mark.parametrize("bend", OF_OTHERS.values(), ids=OF_OTHERS)
@pytest.mark.parametrize("example", ALL.values(), ids=ALL)
def test_orders_of_others_may_not_be_changed_in_any_field(example: Callable[[], tuple[Scenario, Plan]], bend: Bend) -> None:
    booked = Booked(example())
    assert booked.verdict().reward == 1.0
    bend(booked)
    found = booked.verdict()
    assert found.reward <= GATED
    assert {"sales_licensed", "adjacent_data_untouched"} <= failed(found)


def cancel_deliveries(booked: Booked) -> None:
    booked.call("stock.picking", "action_cancel", booked.find("stock.picking", ["sale_id", "in", booked.sales()]))


def cancel_receipts(booked: Booked) -> None:
    booked.call("stock.picking", "action_cancel", booked.find("stock.picking", ["purchase_id", "in", booked.purchases()]))


def moves(booked: Booked, link: str) -> list[int]:
    return booked.find("stock.move", [link, "!=", False], ["state", "not in", ["cancel", "done"]])


MOVEMENTS: dict[str, tuple[Bend, str]] = {
    "deliveries cancelled": (cancel_deliveries, "deadline_fulfillment"),
    "deliveries of nothing": (
        lambda b: b.write("stock.move", moves(b, "sale_line_id"), product_uom_qty=0.0),
        "deadline_fulfillment",
    ),
    "deliveries put off": (
        lambda b: b.write("stock.move", moves(b, "sale_line_id"), date="2030-01-01 00:00:00"),
        "deadline_fulfillment",
    ),
    "receipts cancelled": (cancel_receipts, "po_delivery_schedule_compliance"),
    "receipts put off": (
        lambda b: b.write("stock.move", moves(b, "purchase_line_id"), date="2030-01-01 00:00:00"),
        "po_delivery_schedule_compliance",
    ),
    "receipts twice": (lambda b: b.call("stock.move", "copy", moves(b, "purchase_line_id")), "po_delivery_schedule_compliance"),
}


@pytest.mark.parametrize(("bend", "rule"), MOVEMENTS.values(), ids=MOVEMENTS)
def test_a_document_whose_goods_will_not_move_as_it_says_does_not_count(bend: Bend, rule: str) -> None:
    for example in (buying, screened, making, repairing):
        booked = Booked(example())
        bend(booked)
        found = booked.verdict()
        assert found.reward <= GATED
        assert rule in failed(found)


def test_a_manufacturing_order_brings_in_what_it_makes() -> None:
    booked = Booked(making())
    booked.write("stock.move", moves(booked, "production_id"), product_uom_qty=0.0)
    assert "productions_licensed" in failed(booked.verdict())


@pytest.mark.parametrize("discount", [100.0, 1.0, -10.0])
def test_a_discount_on_a_purchase_is_another_price(discount: float) -> None:
    booked = Booked(buying())
    booked.write("purchase.order.line", booked.find("purchase.order.line"), discount=discount)
    found = booked.verdict()
    assert failed(found) == {"po_price_tier_compliance"}
    assert found.reward <= GATED


@pytest.mark.parametrize("code", ["F", "OTHER", None])
def test_goods_cannot_be_passed_off_as_a_down_payment(code: str | None) -> None:
    booked = Booked(buying())
    goods = {"product_id": product(booked, code)} if code else {"name": "advance"}
    add_line(booked, booked.sales()[0], product_uom_qty=50, price_unit=0.0, is_downpayment=True, **goods)
    assert "sales_licensed" in failed(booked.verdict())
    assert booked.verdict().reward <= GATED


def test_no_line_takes_back_what_another_sells() -> None:
    booked = Booked(buying())
    for units in (5, -5):
        add_line(booked, booked.sales()[0], product_id=product(booked), product_uom_qty=units)
    assert "sales_licensed" in failed(booked.verdict())


def test_an_invoice_bills_what_was_ordered_and_takes_nothing_off_but_down_payments() -> None:
    for bend in (_rebill_other_product, _pad_invoice):
        booked = Booked(buying())
        (invoice, *_) = booked.find("account.move", ["amount_untaxed", "=", 400.0])
        booked.call("account.move", "button_draft", [invoice])
        bend(booked, invoice)
        booked.call("account.move", "action_post", [invoice])
        assert "retained_order_has_expected_invoice_flow" in failed(booked.verdict())
        assert booked.verdict().reward <= GATED


def _rebill_other_product(booked: Booked, invoice: int) -> None:
    lines = booked.find("account.move.line", ["move_id", "=", invoice])
    booked.write("account.move.line", lines, product_id=product(booked, "OTHER"), price_unit=400.0, quantity=1.0)


def _pad_invoice(booked: Booked, invoice: int) -> None:
    (line,) = booked.find("account.move.line", ["move_id", "=", invoice])
    ordered = booked.desk.erp.read("account.move.line", [line], ["sale_line_ids"])[0]["sale_line_ids"]
    for amount in (500.0, -500.0):
        values = {"move_id": invoice, "name": "x", "price_unit": amount, "sale_line_ids": [[6, 0, ordered]]}
        booked.call("account.move.line", "create", vals_list=values)


def test_an_order_that_was_there_cannot_hand_its_reference_to_a_new_one() -> None:
    booked = Booked(screened())
    (kept,) = booked.find("sale.order", ["client_order_ref", "=", "o1"])
    booked.call("sale.order", "action_cancel", [kept])
    (copy,) = booked.call("sale.order", "copy", [kept])
    day = booked.desk.erp.read("sale.order", [kept], ["commitment_date"])[0]["commitment_date"]
    booked.write("sale.order", [kept], client_order_ref="")
    booked.write("sale.order", [copy], client_order_ref="o1", commitment_date=day)
    booked.call("sale.order", "action_confirm", [copy])
    assert "master_data_unchanged" in failed(booked.verdict())
    assert booked.verdict().reward <= GATED


def test_broken_documents_are_cancelled_not_wiped_away() -> None:
    booked = Booked(repairing())
    booked.call("mrp.production", "unlink", booked.find("mrp.production", ["state", "=", "cancel"]))
    found = booked.verdict()
    assert "master_data_unchanged" in failed(found)
    assert found.reward <= GATED


def test_an_empty_purchase_order_from_someone_else_is_unlicensed_too() -> None:
    booked = Booked(buying())
    (stranger,) = booked.find("res.partner", ["ref", "=", "other_vendor"])
    order = booked.call("purchase.order", "create", vals_list={"partner_id": stranger})
    booked.call("purchase.order", "button_confirm", order)
    assert "purchases_licensed" in failed(booked.verdict())


def test_a_transfer_by_hand_without_goods_is_a_change_too() -> None:
    booked = Booked(buying())
    booked.call("stock.picking", "create", vals_list={"picking_type_id": 1})
    assert "master_data_unchanged" in failed(booked.verdict())


# -- legal ways that look different ---------------------------------------------------------------------------


def end_of_day(booked: Booked) -> None:
    for order in booked.desk.erp.read("sale.order", booked.sales(), ["commitment_date"]):
        booked.write("sale.order", [order["id"]], commitment_date=f"{order['commitment_date'][:10]} 23:59:59")
    lines = booked.find("purchase.order.line")
    for line in booked.desk.erp.read("purchase.order.line", lines, ["date_planned"]):
        booked.write("purchase.order.line", [line["id"]], date_planned=f"{line['date_planned'][:10]} 23:59:59")


def shuffle_origins(booked: Booked) -> None:
    for order in booked.desk.erp.read("purchase.order", booked.purchases(), ["origin"]):
        names = [name.strip() for name in order["origin"].split(",")]
        booked.write("purchase.order", [order["id"]], origin=" ,\n".join(reversed(names)) + " ,, ")


def cancelled_leftovers(booked: Booked) -> None:
    booked.call("sale.order", "action_cancel", booked.call("sale.order", "copy", booked.sales()[:1]))
    booked.call("purchase.order", "button_cancel", booked.call("purchase.order", "copy", booked.purchases()[:1]))


def confirm_again(booked: Booked) -> None:
    """Purchases are cancelled, reset and confirmed again; their receipts are planned anew."""
    orders = booked.purchases()
    booked.call("purchase.order", "button_cancel", orders)
    booked.call("purchase.order", "button_draft", orders)
    booked.call("purchase.order", "button_confirm", orders)


def there_and_back(booked: Booked) -> None:
    """Dates and quantities are changed on confirmed documents, and changed back."""
    for model, ids, field in (
        ("sale.order", booked.sales(), "commitment_date"),
        (
            "purchase.order.line",
            booked.find("purchase.order.line", ["product_qty", ">", 0], ["state", "=", "purchase"]),
            "product_qty",
        ),
    ):
        for record in booked.desk.erp.read(model, ids, [field]):
            booked.write(model, [record["id"]], **{field: "2026-12-01 00:00:00" if "date" in field else 99.0})
            booked.write(model, [record["id"]], **{field: record[field]})


HARMLESS: dict[str, Bend] = {
    "end of day": end_of_day,
    "origins shuffled": shuffle_origins,
    "cancelled leftovers": cancelled_leftovers,
    "confirmed again": confirm_again,
    "there and back": there_and_back,
    "internal notes": lambda b: b.call("sale.order", "message_post", b.sales()[:1], body="done"),
    "unreserved": lambda b: b.call("stock.picking", "do_unreserve", b.find("stock.picking", ["sale_id", "in", b.sales()])),
    "text on an order": lambda b: add_line(b, b.sales()[0], display_type="line_note", name="thank you"),
}


@pytest.mark.parametrize("bend", HARMLESS.values(), ids=HARMLESS)
def test_what_changes_nothing_that_matters_costs_nothing(bend: Bend) -> None:
    for example in (buying, screened, making):
        booked = Booked(example())
        bend(booked)
        found = booked.verdict()
        assert failed(found) == set()
        assert found.reward == 1.0


@pytest.mark.parametrize(
    ("parts", "passes"), [((3, 2), True), ((4, 1), True), ((2, 2), False), ((7, -2), False), ((4.5, 0.5), False)]
)
def test_a_purchase_split_over_delivery_dates_reaches_its_minimum_in_all(parts: tuple[float, float], passes: bool) -> None:
    booked = Booked(buying())
    (line,) = booked.find("purchase.order.line", ["partner_id.ref", "=", "quick"])
    first, second = parts
    booked.write("purchase.order.line", [line], product_qty=first)
    (copy,) = booked.call(
        "purchase.order.line", "copy", [line], default={"product_qty": second, "date_planned": "2026-03-07 00:00:00"}
    )
    assert copy
    found = booked.verdict()
    assert (found.reward == 1.0) is passes
    assert (failed(found) == set()) is passes
    assert not found.canary


def test_a_few_units_do_not_slip_into_a_cheaper_tier() -> None:
    scenario, plan = buying()
    offers = (
        *scenario.problem.offers,
        scenario.problem.offers[0].model_copy(update={"key": "tier", "min_qty": 12, "price": 4000}),
    )
    scenario = scenario.model_copy(update={"problem": scenario.problem.model_copy(update={"offers": offers})})
    booked = Booked((scenario, plan))
    (line,) = booked.find("purchase.order.line", ["partner_id.ref", "=", "quick"])
    booked.call("purchase.order.line", "copy", [line], default={"product_qty": 2, "price_unit": 40.0})
    booked.write("purchase.order.line", [line], product_qty=10.0)
    assert {"po_price_tier_compliance"} <= failed(booked.verdict())
