"""Twins: a request that cannot be met and the one that can differ only where they must."""

from __future__ import annotations

import re
from itertools import takewhile

import pytest

from opsgym.core.task import Task
from opsgym.core.world import World
from opsgym.envs.enterprise_bench import compiler, system
from opsgym.envs.enterprise_bench.compiler import compile_params, twin_of
from opsgym.envs.enterprise_bench.endings import REASONS, Reason
from opsgym.envs.enterprise_bench.lint import lint
from opsgym.envs.enterprise_bench.params import BenchParams
from opsgym.envs.enterprise_bench.plan import plan_of
from opsgym.envs.enterprise_bench.setting import Setting
from opsgym.envs.enterprise_bench.template import Template, Unfit
from opsgym.envs.enterprise_bench.templates import DOMAINS, TEMPLATES, template_by_name
from opsgym.envs.enterprise_bench.unheld import UNHELD

from .bases import call, desk

PAIRS = [(template, reason) for template in TEMPLATES for reason in template.twins]


def blocked(template: Template, reason: Reason, seed: int = 30, **values: float | str) -> Task:
    given = {"template": template.name, "domain": template.domain, "unanswerable": 1.0, "reason": reason, "errands": 1}
    return compile_params(BenchParams.build(given | values), seed)


def sentences(text: str, *, whoever: bool) -> list[list[str]]:
    """Words of each sentence, without marks; it may be all the same who is named by id or as a manager."""
    plain = re.sub(r"my manager|emp_\d+|(?<=mail )[^.?!]*?(?=,? with the subject)", "WHO", text, flags=re.IGNORECASE)
    plain = plain if whoever else text
    return [re.sub(r"[.?!,;]", "", item).split() for item in re.split(r"(?<=[.?!]) ", plain)]


def differing(one: list[str], two: list[str]) -> tuple[str, str]:
    """What is left of two sentences without the words at their beginnings and ends that are the same."""
    head = len([*takewhile(lambda pair: pair[0] == pair[1], zip(one, two, strict=False))])
    one, two = one[head:], two[head:]
    tail = len([*takewhile(lambda pair: pair[0] == pair[1], zip(one[::-1], two[::-1], strict=False))])
    return " ".join(one[: len(one) - tail]), " ".join(two[: len(two) - tail])


def differences(one: Task, two: Task) -> list[tuple[str, str]]:
    """What sentences of two tasks differ in; another asker, whose manager it may be, names the same employee in another way."""
    whoever = one.world["emp_id"] != two.world["emp_id"]
    first, second = sentences(one.instruction, whoever=whoever), sentences(two.instruction, whoever=whoever)
    assert len(first) == len(second)
    found = [differing(a, b) for a, b in zip(first, second, strict=True) if a != b]
    return [pair for pair in found if not (whoever and "WHO" in " ".join(pair))]


@pytest.mark.parametrize(("template", "reason"), PAIRS, ids=lambda item: getattr(item, "name", item))
def test_a_twin_can_be_met_and_differs_only_where_it_must(template: Template, reason: Reason) -> None:
    task = blocked(template, reason)
    twin = twin_of(task)
    assert lint(twin) == []
    assert plan_of(task).reason == reason
    assert (task.oracle[-1].name, twin.oracle[-1].name) == ("refuse", "submit")
    assert twin.params == task.params | {"unanswerable": 0.0}
    assert (twin.pattern, twin.seed, twin.tools[-3:]) == (task.pattern, task.seed, task.tools[-3:])
    assert twin.world["seed"] == task.world["seed"]
    assert (twin.world["emp_id"] == task.world["emp_id"]) == (reason != "not_permitted")
    found = differences(task, twin)
    if reason == "not_permitted":
        assert found == []
        assert plan_of(task).answer == plan_of(twin).answer
    elif reason == "out_of_scope":
        asked, *form = found
        assert len(form) <= 1
        assert any(item.noun in asked[0] for items in UNHELD.values() for item in items)
        assert plan_of(task).answer is None
    else:
        assert len({*found}) == 1
        assert plan_of(task).answer == plan_of(twin).answer


@pytest.mark.parametrize("reason", REASONS)
def test_names_through_records_have_twins_too(reason: Reason) -> None:
    template = next(item for item in TEMPLATES if reason in item.twins and item.domain in ("hr", "swe") and item.kind == "search")
    task = blocked(template, reason, indirection=3)
    assert lint(task) == lint(twin_of(task)) == []


def test_a_task_that_can_be_met_is_its_own_twin() -> None:
    task = compile_params(BenchParams.build({"template": "hr_team", "unanswerable": 0.0}), 3)
    assert twin_of(task) is task


def test_a_task_without_a_twin_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    task = blocked(TEMPLATES[3], TEMPLATES[3].twins[0])
    assert lint(task) == []

    def none(*args: object, **kwargs: object) -> Task:
        raise Unfit("nobody may")

    monkeypatch.setattr(compiler, "compile_once", none)
    assert any("no twin" in item for item in lint(task))


# -- ambiguous ------------------------------------------------------------------------------------------------


SHARED = [(template.name, "S") for template in TEMPLATES if "ambiguous" in template.twins]


@pytest.mark.parametrize(("name", "size"), [*SHARED, ("hr_email", "L")])
def test_it_takes_a_look_to_see_that_a_name_is_shared(name: str, size: str) -> None:
    for seed in (10, 20):
        task = blocked(template_by_name()[name], "ambiguous", seed=seed, size=size, indirection=1)
        look = plan_of(task).subtasks[-1].call
        world = Setting.model_validate(task.world).open()
        shown = call(desk(world, task.world["emp_id"]), look.name, **look.arguments)
        world.close()
        assert look.name == "fetch_employee_record"
        assert look.arguments["name"] in task.instruction
        assert sum(row["is_valid"] for row in shown["employees"]) > 1


BOSS = "(SELECT b.reports_to FROM employee b WHERE b.emp_id = employee.reports_to)"


@pytest.mark.parametrize(
    ("name", "answer"), [("hr_department", "department"), ("hr_level_code", "level_code"), ("hr_boss_of_boss", BOSS)]
)
def test_answers_differ_for_those_who_share_a_name(name: str, answer: str) -> None:
    for seed in range(0, 100, 10):
        task = blocked(template_by_name()[name], "ambiguous", seed=seed)
        wanted = plan_of(task).subtasks[-1].call.arguments
        world = Setting.model_validate(task.world).open()
        sql = (
            f"SELECT DISTINCT {answer} FROM employee WHERE is_valid AND emp_id <> :me AND {answer} IS NOT NULL"
            " AND (name = :name OR name LIKE :name || ' %') AND department LIKE :department"
        )
        bound = {"me": task.world["emp_id"], "department": "%"} | wanted
        assert len(world.conn.execute(sql, bound).fetchall()) > 1
        world.close()


# -- out of scope ---------------------------------------------------------------------------------------------


def test_most_searches_of_every_domain_have_a_twin_that_is_out_of_scope() -> None:
    searches = [item for item in TEMPLATES if item.kind == "search"]
    assert {item.domain for item in searches if "out_of_scope" in item.twins} == {*DOMAINS}
    assert sum("out_of_scope" in item.twins for item in searches) > 0.6 * len(searches)


def test_no_source_and_no_tool_holds_what_is_out_of_scope() -> None:
    world = World.from_snapshot(system.base(3, "S").snapshot)
    columns = {column.name for table in system.DOMAIN.tables for column in table.columns}
    texts = [
        str(value) for table in system.DOMAIN.tables for row in world.execute(f'SELECT * FROM "{table.name}"') for value in row
    ]
    tools = [f"{name} {tool.description} {tool.parameters}" for name, tool in system.TOOLBOX.items()]
    held = " ".join([*columns, *texts, *tools]).lower()
    words = {*re.findall(r"[a-z]+", held)}
    for items in UNHELD.values():
        for item in items:
            assert item.noun.lower() not in held
            assert {*item.noun.lower().split()} - words, f"all words of {item.noun!r} are used"
    world.close()
