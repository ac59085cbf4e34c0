"""The rules' two forms agree, and each kind means what the brief says."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from opsgym.envs.ace_bench.counter import count, count_cpsat, count_instance
from opsgym.envs.ace_bench.engine import AceSnapshot, Board
from opsgym.envs.ace_bench.rules import Layout, compile_rules, measure, slack
from opsgym.envs.ace_bench.spec import EMPTY, Attribute, Instance, Rule, Slot, SlotRule

ATTRIBUTES = (
    Attribute(name="price", low=1, high=9),
    Attribute(name="size", low=-3, high=3),
    Attribute(name="colour", high=2, values=("red", "green", "blue")),
)


@st.composite
def rules(draw: st.DrawFn, rows: int, cols: int, number: int) -> Rule:
    """Any rule on a small grid, bounds around what can occur."""
    kind = draw(st.sampled_from(["sum", "count", "count_at_least", "repeat", "adjacent", "precede", "exclude"]))
    low, width = draw(st.integers(-6, 14)), draw(st.integers(0, 8))
    common = {"name": f"rule{number}", "kind": kind}
    sides = draw(st.sampled_from([{"low": low}, {"high": low + width}, {"low": low, "high": low + width}]))
    cells = tuple(draw(st.lists(st.integers(0, rows * cols - 1), min_size=2, max_size=2, unique=True)))
    scope = draw(st.sampled_from(["grid", "row", "column", "each_row"]))
    index = draw(st.integers(0, (rows if scope == "row" else cols) - 1))
    place = {"scope": scope, "index": index}
    colour = draw(st.integers(0, 2))
    by_kind = {
        "sum": {**place, **sides, "attribute": draw(st.sampled_from(["price", "size"]))},
        "count": {**place, **sides, "attribute": "colour", "values": (colour,)},
        "count_at_least": {**place, **sides, "attribute": "price", "values": (draw(st.integers(1, 9)),)},
        "repeat": {**place, "attribute": "colour", "high": draw(st.integers(1, 4))},
        "adjacent": {"scope": "row", "index": draw(st.integers(0, rows - 1)), "attribute": "colour", "high": 0},
        "precede": {"scope": "pair", "cells": cells, "attribute": "size", **sides},
        "exclude": {
            "scope": "pair",
            "cells": cells,
            "attribute": "colour",
            "values": (colour, draw(st.integers(0, 2))),
            "high": 1,
        },
    }
    return Rule.model_validate({**common, **by_kind[kind]})


@st.composite
def instances(draw: st.DrawFn) -> Instance:
    """A small instance: at most four hidden slots with at most four candidates."""
    rows, cols = draw(st.integers(1, 3)), draw(st.integers(2, 3))
    hidden = sorted(draw(st.sets(st.integers(0, rows * cols - 1), min_size=1, max_size=4)))
    sizes = [draw(st.integers(1, 4)) for _ in hidden]
    fixed_cells = [cell for cell in range(rows * cols) if cell not in hidden]
    total = len(fixed_cells) + sum(sizes)
    column = {a.name: draw(st.lists(st.integers(a.low, a.high), min_size=total, max_size=total)) for a in ATTRIBUTES}
    fixed = [EMPTY] * (rows * cols)
    for item, cell in enumerate(fixed_cells):
        fixed[cell] = item
    starts = np.cumsum([len(fixed_cells), *sizes]).tolist()
    slots = []
    for number, cell in enumerate(hidden):
        sense = draw(st.sampled_from(["<=", ">="]))
        local = SlotRule.model_validate({"attribute": "price", "sense": sense, "bound": draw(st.integers(1, 9))})
        slots.append(Slot(cell=cell, candidates=tuple(range(starts[number], starts[number + 1])), rules=(local,)))
    return Instance(
        domain="course",
        rows=rows,
        cols=cols,
        attributes=ATTRIBUTES,
        ids=tuple(f"C{item}" for item in range(total)),
        columns=tuple(tuple(column[a.name]) for a in ATTRIBUTES),
        fixed=tuple(fixed),
        slots=tuple(slots),
        rules=tuple(draw(rules(rows, cols, number)) for number in range(draw(st.integers(0, 4)))),
    )


def brute_force(instance: Instance) -> list[list[int]]:
    """All completions, by trying every combination against the rules' plain meaning."""
    found = []
    for items in product(*(slot.candidates for slot in instance.slots)):
        price = instance.columns[0]
        local = all(rule.holds(price[item]) for slot, item in zip(instance.slots, items, strict=True) for rule in slot.rules)
        grid = instance.grid_with(list(items))
        if local and all(slack(rule, measure(rule, instance, grid) or []) >= 0 for rule in instance.rules):
            found.append(list(items))
    return found


@settings(max_examples=150, deadline=None)
@given(instance=instances(), data=st.data())
def test_the_compiled_rules_measure_what_the_plain_ones_do(instance: Instance, data: st.DataObject) -> None:
    """Slack by slack, on any full grid, whatever the slot rules say of it."""
    held = [data.draw(st.integers(0, len(slot.candidates) - 1)) for slot in instance.slots]
    world = AceSnapshot(Board(instance), tuple(held), (0,) * len(held), 0).open()
    grid = instance.grid_with(world.items())
    plain = {rule.name: slack(rule, measure(rule, instance, grid) or []) for rule in instance.rules}
    assert {name: margin >= 0 for name, margin in world.slacks().items()} == {name: m >= 0 for name, m in plain.items()}
    exact = {rule.name for rule in instance.rules if rule.low is not None or rule.kind in ("sum", "count", "precede", "exclude")}
    assert {n: m for n, m in world.slacks().items() if n in exact} == {n: m for n, m in plain.items() if n in exact}


@settings(max_examples=120, deadline=None)
@given(instance=instances())
def test_both_counters_find_the_completions_that_brute_force_finds(instance: Instance) -> None:
    expected = brute_force(instance)
    for counter in (count_instance, count_cpsat):
        found = counter(instance, limit=1000)
        assert found.completions == len(expected)
        assert sorted(found.solutions.tolist()) == sorted(expected)


@settings(max_examples=60, deadline=None)
@given(instance=instances(), limit=st.integers(1, 5))
def test_a_limited_count_stops_at_its_limit(instance: Instance, limit: int) -> None:
    expected = brute_force(instance)
    for counter in (count_instance, count_cpsat):
        found = counter(instance, limit=limit)
        assert found.completions == len(found.solutions) == min(limit, len(expected))
        assert all(row in expected for row in found.solutions.tolist())


def test_a_rule_on_an_empty_cell_measures_nothing() -> None:
    instance = _pair_of_cells(Rule(name="r", kind="sum", attribute="price", high=9))
    assert measure(instance.rules[0], instance, [0, EMPTY]) is None


@pytest.mark.parametrize(
    ("rule", "kept", "broken"),
    [
        (Rule(name="r", kind="sum", attribute="price", low=7, high=8), 2, 3),
        (Rule(name="r", kind="count", attribute="colour", values=(0,), low=2), 2, 3),
        (Rule(name="r", kind="count_at_least", attribute="price", values=(5,), high=1), 2, 3),
        (Rule(name="r", kind="repeat", attribute="colour", high=1), 3, 2),
        (Rule(name="r", kind="adjacent", attribute="colour", scope="row", high=0), 3, 2),
        (Rule(name="r", kind="precede", attribute="price", scope="pair", cells=(1, 0), low=1), 2, 3),
        (Rule(name="r", kind="exclude", attribute="colour", scope="pair", cells=(0, 1), values=(0, 1), high=1), 2, 3),
    ],
    ids=lambda value: value.kind if isinstance(value, Rule) else "",
)
def test_each_kind_of_rule_tells_two_items_apart(rule: Rule, kept: int, broken: int) -> None:
    """Cell 0 holds a red item of price 5; in cell 1, item 2 is red of price 3 and item 3 green of price 5."""
    instance = _pair_of_cells(rule)
    margins = {item: slack(rule, measure(rule, instance, [0, item]) or []) for item in (kept, broken)}
    assert margins[kept] >= 0 > margins[broken]


def _pair_of_cells(rule: Rule) -> Instance:
    return Instance(
        domain="course",
        rows=1,
        cols=2,
        attributes=ATTRIBUTES,
        ids=("A", "B", "C", "D"),
        columns=((5, 1, 3, 5), (0, 0, 0, 0), (0, 2, 0, 1)),
        fixed=(0, EMPTY),
        slots=(Slot(cell=1, candidates=(2, 3), rules=()),),
        rules=(rule,),
    )


def test_a_count_over_many_slots_joins_blocks_without_listing_them() -> None:
    """Thirty slots of two candidates: a billion combinations, of which one has the greatest sum."""
    layout = Layout(
        rows=5,
        cols=6,
        columns=np.arange(60, dtype=np.int64).reshape(1, -1),
        attribute_index={"x": 0},
        sizes=(0,),
        fixed=np.full(30, EMPTY, dtype=np.int64),
        slot_cells=tuple(range(30)),
    )
    candidates = [np.array([2 * slot, 2 * slot + 1]) for slot in range(30)]
    top = sum(2 * slot + 1 for slot in range(30))
    for spare, expected in ((0, 1), (1, 31)):
        matrix = compile_rules([Rule(name="r", kind="sum", attribute="x", low=top - spare)], layout, candidates)
        assert count(matrix, limit=100).completions == expected
