"""The release's own files become tasks without loss, and damaged ones are refused by name."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from opsgym.core.errors import TaskError
from opsgym.data.erp_bench_release import ReleasedTask, find_releases, read_release

SCREENED = "2043_medium_06_screened_buy_only_mixed_seeded"
MAKING = "2098_hard_11_restricted_subassembly_qualified_workcenters"
REPAIR = "2299_hard_repair_plan_hard"


@pytest.fixture(scope="module")
def releases(released_erpbench: Path) -> list[ReleasedTask]:
    return [read_release(directory) for directory in find_releases(released_erpbench)]


@pytest.fixture
def copy(released_erpbench: Path, tmp_path: Path) -> Callable[[str], Path]:
    """A writable copy of a released task."""
    return lambda name: Path(shutil.copytree(released_erpbench / name, tmp_path / name))


def edit(path: Path, change: Callable[[dict[str, Any]], None]) -> None:
    data = json.loads(path.read_text())
    change(data)
    path.write_text(json.dumps(data))


def test_every_released_task_is_read(releases: list[ReleasedTask]) -> None:
    assert len(releases) == 87
    assert len({task.scenario_number for task in releases}) == 87
    assert {task.tier for task in releases} == {"easy", "medium", "hard"}
    assert len({task.pattern for task in releases}) == 29


def test_scenarios_survive_json(releases: list[ReleasedTask]) -> None:
    for task in releases:
        assert type(task.scenario).model_validate_json(task.scenario.model_dump_json()) == task.scenario


def test_core_and_adjacent_records_are_told_apart(releases: list[ReleasedTask]) -> None:
    for task in releases:
        problem, decoys = task.scenario.problem, task.scenario.decoys
        assert len(decoys.vendors) == len(decoys.customers) == len(decoys.products) == len(decoys.stock) in (0, 50)
        assert {offer.vendor for offer in problem.offers} == {vendor.ref for vendor in problem.vendors}
        assert {order.customer for order in problem.orders} == {customer.ref for customer in problem.customers}
        assert set(problem.stock) == {product.code for product in problem.products}
        assert not set(problem.stock) & set(decoys.stock)


def test_why_units_must_be_made_is_read_from_facts(releases: list[ReleasedTask]) -> None:
    for task in releases:
        problem = task.scenario.problem
        expected = task.pattern.split("manufacture_only_")[1] if "manufacture_only_" in task.pattern else None
        assert problem.make_only == expected
        assert problem.buying is (expected is None)
        assert problem.making is bool(problem.boms)


def test_orders_follow_the_certified_triage(releases: list[ReleasedTask]) -> None:
    screened = [task for task in releases if "screened" in task.pattern]
    assert screened
    for task in screened:
        assert 0 < len(task.scenario.problem.accepted) < len(task.scenario.problem.orders)
        assert any(order.seeded == "draft" for order in task.scenario.problem.orders)


def test_repair_tasks_carry_the_booked_plan(releases: list[ReleasedTask]) -> None:
    for task in releases:
        repair = task.scenario.problem.repair
        assert (repair is not None) is task.pattern.startswith("repair_plan")
        if repair:
            booked = {row.ref for row in repair.purchases} | {row.ref for row in repair.productions}
            assert {*repair.broken_purchases, *repair.broken_productions} <= booked
            orders = {order.ref for order in task.scenario.problem.orders}
            assert all(set(row.origins) <= orders for row in repair.productions)


def test_numbers_are_exact_integers(released_erpbench: Path) -> None:
    """Prices such as 3829.33 and 117.55 minutes have no exact float times 100 or 1000."""
    problem = read_release(released_erpbench / MAKING).scenario.problem
    (finished,) = problem.finished
    assert (finished.list_price, finished.standard_price, problem.margin_bps) == (382933, 209530, 2730)
    assert [(center.capacity, center.stated_costs_hour) for center in problem.centers] == [(5855000, 4133), (5141000, 4189)]
    assert [(row.unit_cost, row.minutes, row.primary) for row in problem.operations] == [
        (3100, 45000, True),
        (3700, 53000, False),
        (1800, 35000, True),
    ]
    assert {bom.product: bom.lead for bom in problem.boms} == {"P640EF55BC2-RESMOD-02": 2, "P640EF55BC2-SOL-CSC-007": 2}


def test_the_container_layout_reads_the_same(released_erpbench: Path, tmp_path: Path) -> None:
    plain = released_erpbench / SCREENED
    for folder, name in (("environment", "scenario_data.json"), ("solution", "optimal_plan.json")):
        (tmp_path / SCREENED / folder).mkdir(parents=True)
        shutil.copy(plain / name, tmp_path / SCREENED / folder / name)
    assert find_releases(tmp_path) == [tmp_path / SCREENED]
    bare, full = read_release(tmp_path / SCREENED), read_release(plain)
    assert (bare.scenario, bare.plan, bare.tier, bare.pattern) == (full.scenario, full.plan, full.tier, full.pattern)
    assert bare.instruction in full.instruction.replace("\n\n## Background & Policy\n\n", "\n\n")


@pytest.mark.parametrize("name", ["scenario_data.json", "optimal_plan.json"])
@pytest.mark.parametrize("damage", ["missing", "cut off", "a list", "not text"])
def test_damaged_files_are_named(copy: Callable[[str], Path], name: str, damage: str) -> None:
    directory = copy(SCREENED)
    path = directory / name
    if damage == "missing":
        path.unlink()
    else:
        path.write_bytes({"cut off": path.read_bytes()[:500], "a list": b"[]", "not text": b"\xff\xfe\x00"}[damage])
    with pytest.raises(TaskError, match=name):
        read_release(directory)


FIELDS: list[tuple[str, str, Callable[[dict[str, Any]], None]]] = [
    ("scenario_data.json", r"products\.0\.list_price", lambda data: data["products"][0].pop("list_price")),
    (
        "scenario_data.json",
        r"products\.2\.vendor_info\.0",
        lambda data: data["products"][2]["vendor_info"][0].update(price=1.005),
    ),
    ("scenario_data.json", r"stock_levels\.0", lambda data: data["stock_levels"].__setitem__(0, 5)),
    ("scenario_data.json", "seed", lambda data: data.pop("seed")),
    ("scenario_data.json", "system_parameters", lambda data: data["system_parameters"].clear()),
    ("optimal_plan.json", "objective_value", lambda data: data.update(objective_value="much")),
    ("optimal_plan.json", r"purchase_orders\.0\.quantity", lambda data: data["purchase_orders"][0].pop("quantity")),
]


@pytest.mark.parametrize(("name", "field", "change"), FIELDS, ids=[field for _, field, _ in FIELDS])
def test_malformed_fields_are_named(
    copy: Callable[[str], Path], name: str, field: str, change: Callable[[dict[str, Any]], None]
) -> None:
    directory = copy(MAKING)
    edit(directory / name, change)
    with pytest.raises(TaskError, match=rf"(?s){field}"):
        read_release(directory)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("between 24 and 25 units", "between 23 and 25 units"),
        ("Only accept orders whose budgets cover the full list-price total.", ""),
    ],
)
def test_rules_that_contradict_the_plan_are_refused(copy: Callable[[str], Path], old: str, new: str) -> None:
    directory = copy(SCREENED)

    def change(data: dict[str, Any]) -> None:
        assert old in data["background_and_policy"]
        data["background_and_policy"] = data["background_and_policy"].replace(old, new)

    edit(directory / "scenario_data.json", change)
    with pytest.raises(TaskError, match="acceptance rules"):
        read_release(directory)


def test_a_brief_that_contradicts_the_plan_is_refused(copy: Callable[[str], Path]) -> None:
    directory = copy(REPAIR)
    edit(
        directory / "scenario_data.json",
        lambda data: data.update(instruction=data["instruction"].replace(" units due", "0 units due", 1)),
    )
    with pytest.raises(TaskError, match="the brief asks for"):
        read_release(directory)


def test_a_root_that_is_no_directory_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TaskError, match="expected a directory"):
        find_releases(tmp_path / "nowhere")
