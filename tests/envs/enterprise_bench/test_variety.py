"""Variety: no template has an answer that is mostly right without looking, and what a request wants to be written it quotes."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from opsgym.core.task import Task
from opsgym.core.world import World
from opsgym.envs.enterprise_bench import access
from opsgym.envs.enterprise_bench.answers import Ids, Number
from opsgym.envs.enterprise_bench.family import EnterpriseBenchFamily
from opsgym.envs.enterprise_bench.plan import plan_of
from opsgym.envs.enterprise_bench.system import base
from opsgym.envs.enterprise_bench.templates import TEMPLATES
from opsgym.envs.enterprise_bench.verifier import read_checks

FAMILY = EnterpriseBenchFamily()
SEEDS = 30
SEARCHES = [item.name for item in TEMPLATES if item.kind == "search"]
SOME = ["swe_my_licensed", "sales_refunds", "business_overdue", "it_my_tickets_by_priority", "it_my_open_tickets"]


def task_of(template: str, seed: int, **values: float | str) -> Task:
    return FAMILY.compile(FAMILY.draw(seed, tier="easy", pattern=template, overrides={"unanswerable": 0.0, **values}), seed)


def check_varied(template: str) -> None:
    """Hardly any list is empty and hardly any count 0; no number and no list is right most of the time."""
    tasks = [task_of(template, seed) for seed in range(SEEDS)]
    counts = Counter(json.dumps(plan_of(task).answer) for task in tasks)
    assert counts["[]"] + counts["0"] <= 0.1 * SEEDS, counts
    if isinstance(read_checks(tasks[0].checks).form, Ids | Number):
        assert counts.most_common(1)[0][1] <= 0.5 * SEEDS, counts


@pytest.mark.parametrize("template", SOME)
def test_no_trivial_answer_is_mostly_right(template: str) -> None:
    check_varied(template)


@pytest.mark.slow
@pytest.mark.parametrize("template", SEARCHES)
def test_no_trivial_answer_of_any_search_is_mostly_right(template: str) -> None:
    check_varied(template)


@pytest.mark.parametrize("template", [item.name for item in TEMPLATES if item.kind == "crud"])
def test_a_request_quotes_or_tells_the_words_that_a_text_must_hold(template: str) -> None:
    for seed in range(2):
        task = task_of(template, seed)
        for item in read_checks(task.checks).wanted:
            for needle in (needle for needles in item.holding.values() for needle in needles):
                is_number = needle[:1].isdecimal()
                assert (needle if is_number else f'"{needle}"') in task.instruction, (needle, task.instruction)


def test_no_chat_tells_when_a_customer_bought_to_who_may_not_know() -> None:
    for seed in (373, 791, 1085, 1715, 1752):  # whose first draw is one of the few with such a chat
        task = task_of("sales_purchase_day", seed, unanswerable=1.0, reason="not_permitted")
        world = World.from_snapshot(base(task.world["seed"], task.world["size"]).snapshot)
        department, level = world.execute(
            "SELECT department, level FROM employee WHERE emp_id = ?", (task.world["emp_id"],)
        ).fetchone()
        me = access.Persona(task.world["emp_id"], department, level)
        allowed = access.condition_for(task.params["access"], "support_chat", "read", me)
        told = world.execute(
            f"SELECT 1 FROM support_chat JOIN product USING (product_id) JOIN customer USING (customer_id) WHERE ({allowed})"
            " AND instr(?1, product_name) AND instr(?1, customer_name)",
            (task.instruction,),
        ).fetchall()
        world.close()
        assert told == [], task.instruction


def test_the_days_of_a_span_differ() -> None:
    for seed in range(10):
        calls = task_of("it_my_tickets_between", seed).instruction.split()
        days = [word.strip(",?.") for word in calls if word[:2] == "20"]
        assert len({*days}) == 2


def test_an_id_that_no_ticket_has_is_next_to_those_there_are() -> None:
    for seed in range(0, 50, 10):
        task = task_of("it_resolution_day", seed, unanswerable=1.0, reason="not_existing")
        world = World.from_snapshot(base(task.world["seed"], task.world["size"]).snapshot)
        last = world.execute("SELECT max(id) FROM it_ticket").fetchone()[0]
        world.close()
        asked = next(word.strip("?.") for word in task.instruction.split() if word.startswith("tick_"))
        assert 0 < int(asked.split("_")[1]) - int(last.split("_")[1]) <= 30


def test_who_is_meant_is_not_clear_only_where_several_fit() -> None:
    for seed in range(0, 50, 10):
        task = task_of("it_raised_by", seed, unanswerable=1.0, reason="ambiguous", indirection=1)
        world = World.from_snapshot(base(task.world["seed"], task.world["size"]).snapshot)
        raisers = world.execute(
            "SELECT DISTINCT e.emp_id, e.name FROM it_ticket t JOIN employee e ON e.emp_id = t.raised_by_emp_id WHERE e.is_valid"
        ).fetchall()
        world.close()
        said = {*task.instruction.replace(".", " ").replace("?", " ").split()}
        fitting = [name for emp_id, name in raisers if said & {name.split()[0]} and emp_id != task.world["emp_id"]]
        assert len(fitting) >= 2, task.instruction
