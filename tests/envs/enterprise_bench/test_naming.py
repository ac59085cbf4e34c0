"""Naming: people and records are named through other records, each of which tells who is meant."""

from __future__ import annotations

import random
import re
from statistics import fmean
from typing import Any

import pytest

from opsgym.core.task import Task, canonical_json
from opsgym.core.world import World
from opsgym.envs.enterprise_bench import system
from opsgym.envs.enterprise_bench.compiler import compile_params
from opsgym.envs.enterprise_bench.draft import Draft
from opsgym.envs.enterprise_bench.lint import lint
from opsgym.envs.enterprise_bench.naming import KINDS, WAYS, Way, absent
from opsgym.envs.enterprise_bench.params import BenchParams, draw_params
from opsgym.envs.enterprise_bench.plan import plan_of
from opsgym.envs.enterprise_bench.setting import Setting
from opsgym.envs.enterprise_bench.template import Template

from .bases import call, desk, fresh, personas

EVERY = [(table, way) for table, ways in WAYS.items() for way in ways]


@pytest.mark.parametrize(("table", "way"), EVERY, ids=lambda item: item if isinstance(item, str) else item.words[:40])
def test_the_tool_of_a_way_shows_which_record_is_meant_and_no_other(table: str, way: Way) -> None:
    world = fresh()
    someone = personas(world)[0]
    sql = f'SELECT {way.key}, {way.column} FROM "{way.table}" WHERE {way.column} IS NOT NULL AND ({way.where}) LIMIT 5'
    found = world.execute(sql).fetchall()
    assert found
    assert way.source in {"tickets", "code", "overflow", "social", "crm", "business", "mail", "orders"}
    for key, target in found:
        meant = world.execute(f'SELECT DISTINCT {way.column} FROM "{way.table}" WHERE {way.key} = ?', [key]).fetchall()
        assert meant == [(target,)]
        shown = call(desk(world, someone.emp_id, "open"), way.tool, **{way.key: key})
        assert target in canonical_json(shown)
    assert system.DOMAIN.table(table)
    world.close()


@pytest.mark.parametrize("template", ["business_mails_from", "sales_price", "swe_open_issues", "business_order_status"])
def test_deeper_indirection_needs_more_steps(template: str) -> None:
    def steps(depth: int) -> list[int]:
        tasks = [compile_params(_params(template, depth), seed) for seed in range(0, 60, 10)]
        assert [lint(task) for task in tasks] == [[]] * 6
        return [len(plan_of(task).subtasks) for task in tasks]

    assert fmean(steps(0)) < fmean(steps(2))


def _params(template: str, depth: int) -> BenchParams:
    return BenchParams.build({"template": template, "unanswerable": 0.0, "indirection": depth})


def test_a_chain_is_the_manager_of_somebody_who_is_named_through_a_record() -> None:
    tasks = [compile_params(_params("business_posts_of", 3), seed) for seed in range(0, 100, 10)]
    chains = [task for task in tasks if re.search("the manager of (whoever|the |our )", task.instruction)]
    assert chains
    for task in chains:
        through, read = plan_of(task).subtasks[:2]
        assert through.source != "people"
        assert (read.call.name, read.after) == ("fetch_employee_record", (0,))


def test_a_record_that_the_request_changes_names_nobody() -> None:
    """A ticket that is assigned anew would name somebody else then."""
    for seed in range(0, 200, 10):
        params = {"template": "it_assign", "unanswerable": 0.0, "indirection": 2, "errands": 2}
        task = compile_params(BenchParams.build(params), seed)
        changed = next(item.call.arguments["id"] for item in plan_of(task).subtasks if item.writes)
        assert f"IT ticket {changed}" not in task.instruction


def test_names_are_such_that_who_asks_may_resolve_them_even_if_they_may_not_do_the_rest() -> None:
    params = {"template": "hr_set_rating", "unanswerable": 1.0, "reason": "not_permitted", "indirection": 2}
    sources = set()
    for seed in range(0, 200, 10):
        task = compile_params(BenchParams.build(params), seed)
        world = fresh_for(task)
        for item in plan_of(task).subtasks:
            found = call(desk(world, task.world["emp_id"]), item.call.name, **item.call.arguments)
            assert not (isinstance(found, dict) and found.keys() >= {"code", "message"}), found
            sources.add(item.source)
        world.close()
    assert len(sources) > 2


def fresh_for(task: Task) -> World:
    return Setting.model_validate(task.world).open()


NAMED = [("employee", "name"), *((table, kind.label) for table, kind in KINDS.items() if kind.label != kind.key)]


@pytest.mark.parametrize(("table", "column"), NAMED)
def test_what_does_not_exist_is_called_as_what_does(table: str, column: str) -> None:
    labels = set()
    for seed in range(20):
        template = Template("hr_none", "hr", "search", (), lambda draft: None, "")
        draft = Draft(template, BenchParams.build({}), 3, random.Random(seed), "not_existing")
        label = absent(draft, table, column)
        assert draft.value(f'SELECT 1 FROM "{table}" WHERE {column} = :label', label=label) is None
        assert draft.value(f'SELECT 1 FROM "{table}" WHERE {column} LIKE :head', head=f"{label[:3]}%")
        labels.add(label)
        draft.close()
    assert len(labels) > 10


def test_searches_get_harder_with_the_tier() -> None:
    def mean(tier: str, name: str) -> float:
        values: list[Any] = []
        for seed in range(0, 240, 10):
            task = compile_params(draw_params(seed, tier=tier, overrides={"crud": 0.0, "unanswerable": 0.0, "size": "S"}), seed)
            values.append(task.metadata["difficulty"][name])
        return fmean(values)

    for name in ("subtasks", "sources", "hops"):
        assert mean("easy", name) < mean("hard", name)
    assert mean("expert", "subtasks") > 3
    assert mean("expert", "sources") > 2
