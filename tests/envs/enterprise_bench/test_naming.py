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
from opsgym.envs.enterprise_bench.naming import KINDS, STYLES, WAYS, Way, absent, called, nobody, person
from opsgym.envs.enterprise_bench.params import BenchParams, draw_params
from opsgym.envs.enterprise_bench.plan import plan_of
from opsgym.envs.enterprise_bench.setting import Setting
from opsgym.envs.enterprise_bench.template import Template, Unfit
from opsgym.envs.enterprise_bench.templates.it import _unknown_id

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


@pytest.mark.parametrize("template", ["business_posts_of", "sales_price", "swe_open_issues", "business_order_status"])
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
        draft = draft_of(seed, "not_existing")
        label = absent(draft, table, column)
        assert draft.value(f'SELECT 1 FROM "{table}" WHERE {column} = :label', label=label) is None
        assert draft.value(f'SELECT 1 FROM "{table}" WHERE {column} LIKE :head', head=f"{label[:3]}%")
        labels.add(label)
        draft.close()
    assert len(labels) > 10


def draft_of(seed: int, twin: Any = None, **values: Any) -> Draft:
    """A draft of an empty template."""
    template = Template("hr_none", "hr", "search", (), lambda draft: None, "")
    return Draft(template, BenchParams.build(values), 3, random.Random(seed), twin)


@pytest.mark.parametrize("table", ["client", "vendor"])
def test_a_firm_that_does_not_exist_is_neither_client_nor_vendor(table: str) -> None:
    for seed in range(40):
        draft = draft_of(seed, "not_existing", size="L")
        label = absent(draft, table, "business_name")
        for other in ("client", "vendor"):
            assert draft.value(f"SELECT 1 FROM {other} WHERE business_name = :label", label=label) is None
        draft.close()


def test_an_unknown_id_is_next_to_those_that_there_are() -> None:
    for seed in range(20):
        draft = draft_of(seed, "not_existing")
        last = int(draft.value("SELECT max(id) FROM it_ticket").split("_")[1])
        assert 1 <= int(_unknown_id(draft).split("_")[1]) - last <= 30
        draft.close()


# -- names of people ------------------------------------------------------------------------------------------


def test_employees_are_found_by_any_whole_words_of_their_names() -> None:
    world = fresh()
    session = desk(world, personas(world)[0].emp_id)
    names = [name for (name,) in world.execute("SELECT name FROM employee").fetchall()]

    def found(name: str) -> int:
        return int(call(session, "fetch_employee_record", name=name)["total"])

    for name in names[:20]:
        first, last = name.split()
        assert found(name) == found(f" {name.upper()} ") == names.count(name)
        assert found(first) == found(first.lower()) == sum(first in other.split() for other in names)
        assert found(last) == sum(last in other.split() for other in names)
        assert found(first[:-1]) == sum(first[:-1] in other.split() for other in names)
    assert found("%") == found("") == found("_" * len(names[0])) == 0
    first, department = world.execute("SELECT name, department FROM employee").fetchone()
    shown = call(session, "fetch_employee_record", name=first.split()[0], department=department)["employees"]
    assert shown
    assert {row["department"] for row in shown} == {department}
    world.close()


@pytest.mark.parametrize(("size", "seen"), [("S", {"whole", "first", "placed"}), ("L", {"whole", "placed"})])
def test_names_are_said_in_several_ways_and_tell_who_is_meant(size: str, seen: set[str]) -> None:
    said = set()
    for seed in range(60):
        draft = draft_of(seed, indirection=1, size=size)
        me = draft.persona("e.department <> 'Finance'")
        sql = "SELECT * FROM employee WHERE is_valid AND department = 'Finance' AND emp_id <> :me ORDER BY emp_id"
        target = draft.some(sql, me=me["emp_id"])
        words = person(draft, target["emp_id"])
        if target["name"] not in words and words != "my manager":
            style = next(style for style in STYLES if called(target, style).words == words)
            assert sum(map(called(target, style).fits, draft.tables["employee"])) == 1
            said.add(style)
        elif words == target["name"]:
            said.add("whole")
        draft.close()
    assert said == seen


@pytest.mark.parametrize("asked", ["", "email", "department"])
@pytest.mark.parametrize("depth", [0, 1, 3])
def test_who_does_not_exist_is_called_as_others_are(asked: str, depth: int) -> None:
    """An id next to the greatest would tell it, as would a whole name where others are called so that addresses stay open."""
    for seed in range(30):
        draft = draft_of(seed, "not_existing", indirection=depth)
        draft.persona()
        draft.asked = asked
        words = nobody(draft).removeprefix("the manager of ")
        name, _, department = words.partition(" from ")
        sql = "SELECT count(*) FROM employee WHERE ' ' || name || ' ' LIKE :name AND (:department IN ('', department))"
        assert draft.value(sql, name=f"% {name} %", department=department) == 0
        assert not re.search(r"emp_\d", words)
        assert bool(department) == (asked == "email") or asked == ""
        assert draft.reason == "not_existing"
        assert draft.subtasks[-1].call.arguments["name"] == name
        draft.close()


def test_employees_are_called_by_name_even_where_ids_would_do() -> None:
    words = []
    for seed in range(40):
        draft = draft_of(seed, indirection=0)
        me = draft.persona()
        target = draft.some("SELECT * FROM employee WHERE emp_id <> :me ORDER BY emp_id", me=me["emp_id"])
        words.append(person(draft, target["emp_id"]))
        draft.close()
    assert 0.25 < fmean(item.startswith("emp_") for item in words) < 0.75


def test_the_name_of_who_is_asked_of_does_not_spell_the_address() -> None:
    for seed in range(80):
        draft = draft_of(seed, indirection=1)
        draft.asked = "email"
        me = draft.persona()
        target = draft.some("SELECT * FROM employee WHERE emp_id <> :me ORDER BY emp_id", me=me["emp_id"])
        try:
            words = person(draft, target["emp_id"])
            assert target["name"] not in words or draft.namesakes_of(target)
            assert target["email"] not in words
        except Unfit:
            assert not draft.namesakes_of(target) or draft.namesakes
        draft.close()


def test_a_manager_is_not_named_through_who_asks_or_who_has_left() -> None:
    through = set()
    for seed in range(60):
        draft = draft_of(seed, indirection=2)
        me = draft.persona("e.reports_to IS NOT NULL")
        words = person(draft, me["reports_to"])
        if words.startswith("the manager of "):
            name = words.removeprefix("the manager of ")
            through.add(name)
            (row,) = [
                row
                for row in draft.rows("SELECT * FROM employee WHERE reports_to = :boss", boss=me["reports_to"])
                if name.split(" from ")[0].split(" (")[0] in (row["name"], row["name"].split()[0])
                and (row["department"] in name or " from " not in name)
                and (row["email"] in name or "@" not in name)
            ]
            assert row["is_valid"]
            assert row["emp_id"] != me["emp_id"]
        draft.close()
    assert len(through) > 5


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


@pytest.mark.parametrize(
    "template", ["business_posts_of", "it_raised_by", "business_overdue", "swe_open_issues", "sales_refunds", "hr_team"]
)
def test_no_name_tells_a_part_of_the_list_that_is_asked_for(template: str) -> None:
    for seed in range(0, 200, 10):
        task = compile_params(_params(template, 2), seed)
        said = {word.strip(".,") for word in task.instruction.split()}
        assert not said & {str(item) for item in plan_of(task).answer}
