"""Opening a world: every record of the scenario is in it, and nothing tells which ones matter."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from opsgym.core.errors import TaskError
from opsgym.data.erp_bench_release import find_releases, read_release
from opsgym.envs.erp_bench.spec import Document, Offer, Plan, Scenario
from opsgym.envs.erp_bench.world import center_note, document_names, open_world, vendor_limits
from tests.envs.erp_bench.desk import Desk
from tests.envs.erp_bench.scenarios import ALL, TODAY, buying, making, offer, partner, product, repairing, screened

Example = Callable[[], tuple[Scenario, Plan]]


def altered(
    scenario: Scenario, *, problem: dict[str, Any] | None = None, decoys: dict[str, Any] | None = None, **more: Any
) -> Scenario:
    """A copy with parts of it replaced."""
    changes = {
        **more,
        "problem": scenario.problem.model_copy(update=problem or {}),
        "decoys": scenario.decoys.model_copy(update=decoys or {}),
    }
    return scenario.model_copy(update=changes)


def assert_readable(desk: Desk) -> None:
    """Every master record of the scenario can be looked up with what it says."""
    problem, decoys = desk.scenario.problem, desk.scenario.decoys
    limits = vendor_limits((*problem.offers, *decoys.offers))
    for one in (*problem.customers, *problem.vendors, *decoys.customers, *decoys.vendors):
        shown = desk.call("get_partner", partner=one.ref)
        assert (shown["name"], shown["is_vendor"], shown["is_customer"]) == (
            one.name,
            one.supplier_rank > 0,
            one.customer_rank > 0,
        )
        assert shown["internal_notes"] == "\n".join(filter(None, [one.note, *limits.get(one.ref, [])]))
        assert sorted(shown["tags"]) == sorted(one.tags)
    stock = {**problem.stock, **decoys.stock}
    for item in (*problem.products, *decoys.products):
        shown = desk.call("get_product", product=item.code)
        assert shown["name"] == item.name
        assert (shown["list_price"], shown["standard_cost"]) == (item.list_price / 100, item.standard_price / 100)
        assert sorted(route.lower() for route in shown["routes"]) == sorted(item.routes)
        assert shown["on_hand"] == stock.get(item.code, 0)
    assert_offers(desk)
    assert_production(desk)


def assert_offers(desk: Desk) -> None:
    offers = (*desk.scenario.problem.offers, *desk.scenario.decoys.offers)
    shown = [
        (row["vendor"], row["product"], row["offer"] or "", row["unit_price"], row["min_quantity"], row["lead_days"])
        for row in desk.everything("list_vendor_offers")
    ]
    assert sorted(shown) == sorted((o.vendor, o.product, o.label, o.price / 100, o.min_qty, o.lead) for o in offers)


def assert_production(desk: Desk) -> None:
    problem, decoys = desk.scenario.problem, desk.scenario.decoys
    centers = {row["code"]: row for row in desk.everything("list_work_centers")}
    assert {code: (row["name"], row["internal_notes"]) for code, row in centers.items()} == {
        center.code: (center.name, center_note(center, problem.bucket_days, desk.scenario.today))
        for center in (*problem.centers, *decoys.centers)
    }
    operations = (*problem.operations, *decoys.operations)
    for bom in (*problem.boms, *decoys.boms):
        shown = desk.call("get_bill_of_materials", product=bom.product)
        assert shown["lead_days"] == bom.lead
        assert sorted((row["product"], row["quantity"]) for row in shown["components"]) == sorted(
            (line.component, line.quantity) for line in bom.lines
        )
        assert sorted(
            (row["work_center"], row["minutes_per_unit"], row["cost_per_unit"]) for row in shown["work_centers"]
        ) == sorted((op.center, op.minutes / 1000, op.unit_cost / 100) for op in operations if op.product == bom.product)


@pytest.mark.parametrize("example", ALL.values(), ids=ALL)
def test_every_record_of_the_scenario_can_be_looked_up(example: Example) -> None:
    assert_readable(Desk(example()[0]))


def test_every_record_of_released_tasks_can_be_looked_up(released_erpbench: Path) -> None:
    for path in find_releases(released_erpbench)[::20]:
        assert_readable(Desk(read_release(path).scenario))


@pytest.mark.parametrize("example", ALL.values(), ids=ALL)
def test_a_fresh_world_is_sound(example: Example) -> None:
    world = open_world(example()[0])
    assert world.check() == []
    assert world.today == TODAY


@pytest.mark.parametrize("example", ALL.values(), ids=ALL)
def test_seeded_documents_carry_the_names_that_are_predicted(example: Example) -> None:
    scenario = example()[0]
    desk, names = Desk(scenario), document_names(scenario)
    sales = {row["customer_reference"]: row["name"] for row in desk.everything("list_sales_orders")}
    assert sales == {ref: name for ref, name in names.items() if name.startswith("S")}
    assert len(sales) == sum(order.seeded is not None for order in (*scenario.problem.orders, *scenario.decoys.orders))
    repair = scenario.problem.repair
    for seed in repair.purchases if repair else ():
        bought = scenario.problem.offer_by_key[seed.offer]
        order = desk.call("get_purchase_order", order=names[seed.ref])
        (line,) = order["lines"]
        assert (order["vendor"], line["product"], line["quantity"]) == (bought.vendor, bought.product, seed.quantity)
        assert order["origin"] == ", ".join(names[ref] for ref in seed.origins)
    for made in repair.productions if repair else ():
        order = desk.call("get_manufacturing_order", order=names[made.ref])
        assert (order["product"], order["quantity"], order["state"]) == (made.product, made.quantity, "confirmed")
        assert {work["work_center"] for work in order["work_orders"]} == {made.center}
        assert order["origin"] == ", ".join(names[ref] for ref in made.origins)


def test_notes_of_seeded_documents_can_be_read() -> None:
    scenario, _ = repairing()
    repair = scenario.problem.repair
    assert repair is not None
    noted = repair.model_copy(
        update={
            "purchases": tuple(seed.model_copy(update={"note": f"about {seed.ref} <now>"}) for seed in repair.purchases),
            "productions": tuple(seed.model_copy(update={"note": f"about {seed.ref} & more"}) for seed in repair.productions),
        }
    )
    desk = Desk(altered(scenario, problem={"repair": noted}))
    names = document_names(scenario)
    for bought in noted.purchases:
        assert desk.call("get_purchase_order", order=names[bought.ref])["note"] == bought.note
    for made in noted.productions:
        assert desk.call("get_manufacturing_order", order=names[made.ref])["notes"] == [made.note]


def test_orders_keep_their_note_state_price_and_promise() -> None:
    scenario, _ = screened()
    orders = tuple(order.model_copy(update={"note": f"note of {order.ref}"}) for order in scenario.problem.orders)
    desk = Desk(altered(scenario, problem={"orders": orders}))
    shown = desk.call("get_sales_order", order=document_names(scenario)["o1"])
    assert (shown["state"], shown["customer"], shown["note"], shown["commitment_date"]) == (
        "draft",
        "c1",
        "note of o1",
        "2026-03-07",
    )
    assert [(line["product"], line["quantity"], line["unit_price"]) for line in shown["lines"]] == [("F", 2.0, 100.0)]


def test_a_vendor_keeps_its_own_note_beside_its_limits() -> None:
    scenario, _ = buying()
    vendors = tuple(one.model_copy(update={"note": "Cancelled all orders."}) for one in scenario.problem.vendors)
    desk = Desk(altered(scenario, problem={"vendors": vendors}))
    assert desk.call("get_partner", partner="quick")["internal_notes"] == (
        "Cancelled all orders.\nMaximum order quantity for F: 20 units"
    )


def test_limits_of_two_offers_for_one_product_are_told_apart() -> None:
    small = offer("v", "F", 90, 1, 1, 5).model_copy(update={"label": "small lots"})
    large = offer("v", "F", 80, 1, 6, 50).model_copy(update={"label": "large lots"})
    assert vendor_limits([small, large]) == {
        "v": ["Maximum order quantity for F on small lots: 5 units", "Maximum order quantity for F on large lots: 50 units"]
    }


def test_a_center_without_capacity_says_that_it_is_out_of_service() -> None:
    desk = Desk(repairing()[0])
    notes = {row["code"]: row["internal_notes"] for row in desk.everything("list_work_centers")}
    assert "Out of service" in notes["W2"]
    assert "200 minutes" in notes["W1"]


def test_validity_of_price_rows_is_in_calendar_dates() -> None:
    scenario, _ = buying()
    expired = Offer(
        key="old", vendor="quick", product="F", price=10, lead=1, min_qty=1, max_qty=None, valid_from=-60, valid_to=-2
    )
    desk = Desk(altered(scenario, decoys={"offers": (expired,)}))
    rows = {row["unit_price"]: (row["valid_from"], row["valid_to"]) for row in desk.everything("list_vendor_offers", product="F")}
    assert rows == {50.0: (None, None), 45.0: (None, None), 0.1: ("2026-01-01", "2026-02-28")}


def test_documents_and_parameters_are_readable() -> None:
    scenario, _ = buying()
    texts = (Document(title="Purchasing rules", body="Buy well."), Document(title="Terms", body="Net 30."))
    desk = Desk(altered(scenario, documents=texts, parameters={"erp_bench.min_margin_percent": "25"}))
    assert desk.call("list_documents")["items"] == ["Purchasing rules", "Terms"]
    assert desk.call("read_document", title="Terms")["body"] == "Net 30."
    found = desk.call("search_records", model="ir.config_parameter", fields=["key", "value"])["items"]
    assert [(row["key"], row["value"]) for row in found] == [("erp_bench.min_margin_percent", "25")]


def test_products_are_tax_free_where_invoices_are_due_and_taxed_elsewhere() -> None:
    for invoicing, taxed in ((buying()[0].problem.invoicing, False), (None, True)):
        desk = Desk(buying(invoicing=invoicing)[0])
        order = desk.call(
            "create_sales_order", customer="c1", commitment_date="2026-03-09", lines=[{"product": "F", "quantity": 2}]
        )
        assert (order["amount_total"] > order["amount_untaxed"]) is taxed


# -- nothing tells core records from decoys ---------------------------------------------------------------


@pytest.mark.parametrize("example", ALL.values(), ids=ALL)
def test_the_order_of_a_scenario_leaves_no_trace_in_the_world(example: Example) -> None:
    scenario = example()[0]
    parts = ("products", "customers", "vendors", "orders", "offers", "boms", "centers")
    backwards = altered(
        scenario,
        problem={part: getattr(scenario.problem, part)[::-1] for part in parts},
        decoys={part: getattr(scenario.decoys, part)[::-1] for part in (*parts, "order_products")},
    )
    assert open_world(backwards).digest() == open_world(scenario).digest()


def test_a_record_is_seeded_alike_whether_it_is_core_or_a_decoy() -> None:
    scenario, _ = making()
    core = {
        "customers": (*scenario.problem.customers, partner("extra_customer")),
        "vendors": (*scenario.problem.vendors, partner("extra_vendor")),
        "products": (*scenario.problem.products, product("EXTRA")),
        "offers": (*scenario.problem.offers, offer("steel", "EXTRA", 5, 1, 1, 9)),
    }
    decoys = {
        "customers": (*scenario.decoys.customers, partner("extra_customer")),
        "vendors": (*scenario.decoys.vendors, partner("extra_vendor")),
        "products": (*scenario.decoys.products, product("EXTRA")),
        "offers": (*scenario.decoys.offers, offer("steel", "EXTRA", 5, 1, 1, 9)),
    }
    assert open_world(altered(scenario, problem=core)).digest() == open_world(altered(scenario, decoys=decoys)).digest()


def test_core_records_are_scattered_among_the_decoys(released_erpbench: Path) -> None:
    for path in find_releases(released_erpbench)[25:70:9]:
        scenario = read_release(path).scenario
        listed = [row["code"] for row in Desk(scenario).everything("search_products")]
        core = {item.code for item in scenario.problem.products}
        places = [number for number, code in enumerate(listed) if code in core]
        assert places != list(range(len(core)))
        assert len(core) < 3 or max(places) - min(places) >= len(core)


# -- determinism --------------------------------------------------------------------------------------------

_DIGEST = """
from opsgym.envs.erp_bench.world import open_world
from tests.envs.erp_bench.scenarios import ALL
print(*(open_world(example()[0]).digest() for example in ALL.values()))
"""


def test_a_scenario_opens_to_the_same_world_in_any_process() -> None:
    here = [open_world(example()[0]).digest() for example in ALL.values()]
    root = Path(__file__).resolve().parents[3]
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        command = [sys.executable, "-c", _DIGEST]
        there = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=True)
        assert there.stdout.split() == here


# -- faulty scenarios ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "missing"),
    [
        ({"offers": (offer("nobody", "F", 1, 1, 1, 1),)}, "nobody"),
        ({"offers": (offer("quick", "NOTHING", 1, 1, 1, 1),)}, "NOTHING"),
        ({"stock": {"GHOST": 3}}, "GHOST"),
    ],
)
def test_a_reference_to_what_is_not_defined_is_named(changes: dict[str, Any], missing: str) -> None:
    with pytest.raises(TaskError, match=missing):
        open_world(altered(buying()[0], problem=changes))


def test_an_operation_without_a_bill_of_materials_is_refused() -> None:
    with pytest.raises(TaskError, match="bill of materials of 'SUB'"):
        open_world(altered(making()[0], problem={"boms": making()[0].problem.boms[:1]}))


def test_a_seeded_document_for_nothing_known_is_refused() -> None:
    scenario, _ = repairing()
    repair = scenario.problem.repair
    assert repair is not None
    astray = tuple(seed.model_copy(update={"origins": ("nowhere",)}) for seed in repair.purchases)
    with pytest.raises(TaskError, match="nowhere"):
        open_world(altered(scenario, problem={"repair": repair.model_copy(update={"purchases": astray})}))
    unknown = tuple(seed.model_copy(update={"offer": "no such offer"}) for seed in repair.purchases)
    with pytest.raises(TaskError, match="no such offer"):
        open_world(altered(scenario, problem={"repair": repair.model_copy(update={"purchases": unknown})}))
