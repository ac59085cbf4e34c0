"""Each invariant holds in a world where everything was booked, and its query finds what breaks it."""

from __future__ import annotations

from functools import cache

import pytest

from opsgym.core.world import World
from opsgym.envs.erp_bench.env import ERPBenchEnv
from opsgym.envs.erp_bench.invariants import INVARIANTS, violations

BREAKS = {
    "the totals of a sales order are the sums of its lines": "UPDATE sale_order SET amount_untaxed = amount_untaxed + 1",
    "the totals of a purchase order are the sums of its lines": "UPDATE purchase_order_line SET price_subtotal = 0",
    "the totals of an invoice are the sums of its lines": "UPDATE account_move SET amount_total = amount_total - 1",
    "sales order numbers are unique and given out in order": "UPDATE ir_sequence SET number_next = 1 WHERE code = 'sale.order'",
    "purchase order numbers are unique and given out in order": "UPDATE purchase_order SET name = 'P00001'",
    "manufacturing order numbers are unique and given out in order": "UPDATE ir_sequence SET number_next = 1",
    "a posted invoice has a number of its own": "UPDATE account_move SET name = NULL",
    "no stock move has a negative quantity": "UPDATE stock_move SET product_uom_qty = -1",
    "a cancelled sales order has no planned moves": "UPDATE sale_order SET state = 'cancel'",
    "a cancelled purchase order has no planned moves": "UPDATE purchase_order SET state = 'cancel'",
    "a closed manufacturing order has no planned moves": "UPDATE mrp_production SET state = 'done'",
}


@cache
def booked(pattern: str) -> World:
    """A world in which the oracle booked everything."""
    env = ERPBenchEnv(pattern=pattern, cache=None)
    env.reset(seed=1)
    for call in env.task.oracle:
        env.step(call)
    world: World = env.world
    return world


PATTERNS = ("04_buy_only_percentage_downpayment", "09_single_bom_lowest_cost")


@pytest.mark.parametrize("pattern", PATTERNS)
def test_sound_books_break_nothing(pattern: str) -> None:
    assert violations(booked(pattern)) == []


@pytest.mark.parametrize("sentence", INVARIANTS)
def test_each_invariant_finds_what_breaks_it(sentence: str) -> None:
    found = []
    for pattern in PATTERNS:
        world = booked(pattern).fork()
        world.execute("PRAGMA ignore_check_constraints = ON")
        world.execute(BREAKS[sentence])
        found += violations(world)
    assert any(sentence in line for line in found)
