"""The same calls, sensible and not, give the same answers and the same states on every backend."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from opsgym.core.task import Task, ToolCall
from opsgym.envs.erp_bench.backends import EmbeddedBackend, ErpBackend, OdooBackend, neutral, play
from opsgym.envs.erp_bench.candidates import business_calls
from opsgym.envs.erp_bench.erp import Erp
from opsgym.envs.erp_bench.family import scenario_of
from tests.envs.erp_bench.backends.live_double import live_double
from tests.envs.erp_bench.backends.tasks import task_of

WRONG = ("nothing", -1, "2026-02-30", None, 10**12)
"""Values that mostly make no sense."""


def walk(task: Task, seed: int, length: int) -> Iterator[ToolCall]:
    """Calls drawn from those on offer, every fourth of them with one argument spoilt."""
    rng = np.random.default_rng(seed)
    with EmbeddedBackend() as desk:
        desk.reset(task)
        for number in range(length):
            offered = business_calls(Erp(desk.world), scenario_of(task)) or []
            call = offered[int(rng.integers(len(offered)))]
            if number % 4 == 3 and call.arguments:
                names = sorted(call.arguments)
                spoilt = {names[int(rng.integers(len(names)))]: WRONG[int(rng.integers(len(WRONG)))]}
                call = ToolCall(name=call.name, arguments={**call.arguments, **spoilt})
            if call.name != "submit":
                desk.apply(call)
                yield call


def agree(backend: ErpBackend, pattern: str, seed: int, length: int) -> None:
    task = backend.adapt(task_of(pattern))
    played = play(backend, task, walk(task, seed, length))
    for result, expected in zip(played.results, played.expected, strict=True):
        refusal = (result.error and (result.error.code, result.error.message), result.name)
        assert refusal == (expected.error and (expected.error.code, expected.error.message), expected.name)
    assert neutral(played.state) == neutral(played.expected_state)
    assert played.agrees


@pytest.mark.parametrize("pattern", ["22_single_bom_split_by_capacity_invoicing", "repair_plan_hard"])
def test_a_walk_over_http_is_the_walk_in_memory(served: OdooBackend, pattern: str) -> None:
    agree(served, pattern, seed=7, length=16)


@pytest.mark.parametrize("pattern", ["22_single_bom_split_by_capacity_invoicing", "repair_plan_hard"])
def test_a_walk_on_what_a_live_odoo_does_otherwise_is_the_walk_in_memory(pattern: str) -> None:
    with live_double()[1] as backend:
        agree(backend, pattern, seed=8, length=30)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("pattern", ["07_screened_buy_only_mixed_seeded_invoicing", "repair_plan_hard", "repair_plan_medium"])
def test_long_walks_agree(served: OdooBackend, pattern: str, seed: int) -> None:
    agree(served, pattern, seed, length=60)


READING: tuple[tuple[str, dict[str, Any]], ...] = (
    ("search_products", {}),
    ("search_partners", {"role": "vendor", "limit": 5}),
    ("list_vendor_offers", {}),
    ("list_work_centers", {}),
    ("list_payment_terms", {}),
    ("list_documents", {}),
    ("list_sales_orders", {"state": "sale"}),
    ("list_purchase_orders", {}),
    ("list_manufacturing_orders", {}),
    ("list_invoices", {}),
    ("get_current_date", {}),
    ("describe_model", {"model": "sale.order"}),
    ("search_records", {"model": "product.supplierinfo", "fields": ["price", "partner_id"], "order": "price desc", "limit": 3}),
    ("count_records", {"model": "stock.quant"}),
    ("read_records", {"model": "res.partner", "ids": [1, 4, 10_000], "fields": ["name", "comment"]}),
    ("call", {"model": "sale.order", "method": "formatted_read_group", "kwargs": {"domain": [], "groupby": ["state"]}}),
)


RAW: tuple[dict[str, Any], ...] = (
    {"model": "no.model", "method": "write", "ids": [1], "kwargs": {"vals": {"name": "x"}}},
    {"model": "ir.sequence", "method": "write", "ids": [1], "kwargs": {"vals": {"prefix": "X"}}},
    {"model": "res.partner", "method": "write", "ids": [9_999], "kwargs": {"vals": {"name": "x", "no_field": 1}}},
    {
        "model": "res.partner",
        "method": "create",
        "kwargs": {"vals_list": [{"name": "New", "category_id": [[0, 0, {"name": "T"}]]}]},
    },
    {"model": "change.production.qty", "method": "change_prod_qty", "ids": [8, 9]},
    {"model": "change.production.qty", "method": "create", "kwargs": {"vals_list": {"mo_id": 1, "product_qty": 3}}},
    {"model": "change.production.qty", "method": "change_prod_qty", "ids": [1]},
    {"model": "sale.advance.payment.inv", "method": "create_invoices", "ids": [5]},
    {"model": "sale.advance.payment.inv", "method": "create", "kwargs": {"vals_list": {"sale_order_ids": [[6, 0, [1, 2]]]}}},
    {"model": "sale.advance.payment.inv", "method": "create_invoices", "ids": [1]},
    {"model": "sale.order", "method": "copy", "ids": [1]},
    {"model": "product.template", "method": "__class__"},
    {"model": "res.partner", "method": "read", "ids": []},
)


def test_raw_calls_over_http_are_raw_calls_in_memory(served: OdooBackend) -> None:
    played = play(served, task_of("repair_plan_hard"), [ToolCall(name="call", arguments=raw) for raw in RAW])
    for raw, result, expected in zip(RAW, played.results, played.expected, strict=True):
        assert (result.value, result.error and result.error.code) == (expected.value, expected.error and expected.error.code), raw
    assert played.agrees
    assert any(result.ok for result in played.results)


def test_what_is_looked_up_over_http_is_what_stands_in_memory(served: OdooBackend) -> None:
    task = task_of("repair_plan_hard")
    served.reset(task)
    with EmbeddedBackend() as desk:
        desk.reset(task)
        for name, arguments in READING:
            call = ToolCall(name=name, arguments=arguments)
            assert served.apply(call).to_json() == desk.apply(call).to_json(), name
