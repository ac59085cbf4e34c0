"""The Odoo backend on the stand-in for a live one: what is special there, and what happens when it breaks."""

from __future__ import annotations

import datetime as dt
import json
from typing import Any

import httpx
import pytest

from opsgym.core.errors import BackendError, TaskError
from opsgym.core.task import ToolCall
from opsgym.envs.erp_bench.backends import Database, OdooBackend, fingerprint
from opsgym.envs.erp_bench.backends.mirror import MOVING
from opsgym.envs.erp_bench.family import scenario_of
from tests.envs.erp_bench.backends.live_double import TODAY, LiveDouble, live_double
from tests.envs.erp_bench.backends.tasks import problem_of, task_of


def opened(pattern: str) -> tuple[LiveDouble, OdooBackend]:
    """A backend on which the task of a pattern was seeded."""
    double, backend = live_double()
    backend.reset(backend.adapt(task_of(pattern)))
    return double, backend


def value(backend: OdooBackend, tool: str, **arguments: Any) -> Any:
    result = backend.apply(ToolCall(name=tool, arguments=arguments))
    assert result.error is None, result.error.as_dict()
    return result.value


def test_other_ways_to_make_a_product_are_archived_operations_that_can_be_read() -> None:
    double, backend = opened("10_single_bom_split_by_capacity")
    problem = problem_of(task_of("10_single_bom_split_by_capacity"))
    product = problem.finished[0].code
    ways = [row for row in problem.operations if row.product == product]
    shown = value(backend, "get_bill_of_materials", product=product)["work_centers"]
    assert {(row["work_center"], row["cost_per_unit"]) for row in shown} >= {(row.center, row.unit_cost / 100) for row in ways}
    assert double.world.execute("SELECT COUNT(*) FROM mrp_routing_workcenter WHERE is_alternative").fetchone() == (0,)
    assert double.world.execute("SELECT COUNT(*) FROM mrp_routing_workcenter WHERE NOT active").fetchone()[0] >= len(ways) - 1
    day = TODAY.isoformat()
    made = value(backend, "create_manufacturing_order", product=product, quantity=1, start_date=day, due_date=day)
    assert len(made["work_orders"]) == 1


def test_zeros_are_said_since_odoos_defaults_are_others() -> None:
    double, backend = live_double()
    sent: list[Any] = []
    answer = double.answer

    def listen(model: str, method: str, body: dict[str, Any]) -> Any:
        if (model, method) == ("product.template", "create"):
            sent.extend(json.loads(json.dumps(body["vals_list"])))
        return answer(model, method, body)

    double.answer = listen  # type: ignore[method-assign]  # listens in
    backend.reset(backend.adapt(task_of("01_buy_only_baseline")))
    assert sent
    assert all({"list_price", "standard_price", "is_storable", "type"} <= set(row) for row in sent)


def test_taxes_are_cleared_where_invoices_are_asked_for_and_left_to_the_company_elsewhere() -> None:
    count = "SELECT COUNT(*) FROM product_template_taxes_id_rel"
    double, backend = opened("02_buy_only_immediate_invoicing")
    assert double.world.execute(count).fetchone() == (0,)
    backend.close()
    double, backend = opened("01_buy_only_baseline")
    assert double.world.execute(count).fetchone()[0] > 0


def test_a_purchase_that_is_put_off_is_expected_on_its_new_day() -> None:
    double, backend = opened("01_buy_only_baseline")
    problem = problem_of(task_of("01_buy_only_baseline"))
    line = {"product": problem.product, "quantity": 1, "unit_price": 1.0, "delivery_date": TODAY.isoformat()}
    order = value(backend, "create_purchase_order", vendor=problem.vendors[0].ref, lines=[line])["name"]
    value(backend, "confirm_purchase_order", order=order)
    later = str(TODAY + dt.timedelta(days=3))
    value(backend, "update_purchase_order", order=order, lines=[{"product": problem.product, "delivery_date": later}])
    assert double.world.execute("SELECT substr(date, 1, 10) FROM stock_move WHERE purchase_line_id > 0").fetchone() == (
        TODAY.isoformat(),
    )
    assert backend.snapshot().loose == ()


def test_tables_are_read_again_only_when_they_are_asked_for() -> None:
    double, backend = opened("01_buy_only_baseline")
    problem = problem_of(task_of("01_buy_only_baseline"))
    double.asked.clear()
    value(backend, "get_stock", products=[problem.product])
    assert double.asked == []
    line = {"product": problem.product, "quantity": 1, "unit_price": 1.0}
    order = value(backend, "create_purchase_order", vendor=problem.vendors[0].ref, lines=[line])["name"]
    asked = [one for one in double.asked if one.endswith(".search_read")]
    assert sorted(asked) == ["purchase.order.line.search_read", "purchase.order.search_read"]
    assert len(asked) < len(MOVING)
    double.asked.clear()
    value(backend, "get_purchase_order", order=order)
    assert double.asked == []


def test_a_database_that_was_used_before_is_refused() -> None:
    double, _ = opened("05_screened_buy_only_all_seeded")
    again = OdooBackend(
        "http://odoo.test", lambda task: Database("bench", "0123456789abcdef0123456789abcdef01234567"), transport=double
    )
    with pytest.raises(BackendError, match=r"refuses a record|not fresh"):
        again.reset(again.adapt(task_of("05_screened_buy_only_all_seeded")))


def test_a_database_without_the_modules_is_refused() -> None:
    double, backend = live_double()
    renew = double.renew

    def bare(task: Any = None) -> Database:
        found = renew()
        double.world.execute("DELETE FROM ir_model_data WHERE module = 'mrp'")
        return found

    backend._provision = bare
    with pytest.raises(BackendError, match=r"lacks mrp\.route_warehouse0_manufacture"):
        backend.reset(backend.adapt(task_of("01_buy_only_baseline")))


def test_what_cannot_be_read_is_a_failure_of_the_backend() -> None:
    double, backend = opened("01_buy_only_baseline")
    broken = httpx.Response(200, json=[{"id": "x"}])
    double.broken = lambda model, method: broken if (model, method) == ("stock.move", "search_read") else None
    with pytest.raises(BackendError, match=r"stock\.move cannot be read"):
        backend.snapshot()


def test_a_change_that_times_out_breaks_the_backend_and_is_not_repeated() -> None:
    double, backend = opened("05_screened_buy_only_all_seeded")
    order = backend.snapshot().sales[0].name
    double.broken = lambda model, method: httpx.ReadTimeout("slow") if method == "action_confirm" else None
    double.asked.clear()
    with pytest.raises(BackendError, match=r"sale\.order\.action_confirm.*is unknown"):
        backend.apply(ToolCall(name="confirm_sales_order", arguments={"order": order}))
    assert double.asked.count("sale.order.action_confirm") == 1


def test_half_a_call_is_taken_back_and_a_failure_to_do_so_breaks_the_backend() -> None:
    double, backend = opened("10_single_bom_split_by_capacity")
    problem = problem_of(task_of("10_single_bom_split_by_capacity"))
    bought = next(code for code in problem.product_by_code if code not in problem.bom_by_product)
    day, before = TODAY.isoformat(), fingerprint(backend.snapshot())
    order = {"product": bought, "quantity": 2, "start_date": day, "due_date": day, "work_center": problem.centers[0].code}
    refused = backend.apply(ToolCall(name="create_manufacturing_order", arguments=order))
    assert refused.error is not None
    assert refused.error.code == "bad_state"
    assert "mrp.production.unlink" in double.asked
    assert fingerprint(backend.snapshot()) == before
    said = {"name": "odoo.exceptions.UserError", "message": "kept"}
    double.broken = lambda model, method: httpx.Response(422, json=said) if method == "unlink" else None
    with pytest.raises(BackendError, match="refused half-way"):
        backend.apply(ToolCall(name="create_manufacturing_order", arguments=order))


def test_typed_access_reaches_the_live_erp_too() -> None:
    double, backend = opened("01_buy_only_baseline")
    erp = backend._seeded.erp
    tag = erp.create("res.partner.category", {"name": "Tag"})
    erp.write("res.partner.category", [tag], {"name": "Label"})
    name = "SELECT name FROM res_partner_category WHERE id = ?"
    assert double.world.execute(name, (tag,)).fetchone() == ("Label",)
    erp.unlink("res.partner.category", [tag])
    assert double.world.execute(name, (tag,)).fetchone() is None


def test_a_task_is_moved_to_the_servers_day() -> None:
    _, backend = live_double()
    assert scenario_of(backend.adapt(task_of("01_buy_only_baseline"))).today == TODAY


def test_a_closed_backend_says_that_it_holds_no_task() -> None:
    _, backend = opened("01_buy_only_baseline")
    backend.close()
    backend.close()
    with pytest.raises(TaskError, match="call reset"):
        backend.apply(ToolCall(name="get_current_date"))
