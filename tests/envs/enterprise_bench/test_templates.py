"""Templates: all compile, the plan solves them, and a request that cannot be met has a twin that can."""

from __future__ import annotations

import random

import pytest

from opsgym.core.errors import TaskError
from opsgym.core.task import Task, ToolCall
from opsgym.envs.enterprise_bench.answers import Date, Form, Ids, Number
from opsgym.envs.enterprise_bench.compiler import compile_params
from opsgym.envs.enterprise_bench.draft import Draft
from opsgym.envs.enterprise_bench.errands import run_errands
from opsgym.envs.enterprise_bench.family import EnterpriseBenchFamily
from opsgym.envs.enterprise_bench.lint import _run, lint
from opsgym.envs.enterprise_bench.params import BenchParams
from opsgym.envs.enterprise_bench.plan import plan_of
from opsgym.envs.enterprise_bench.statements import holds
from opsgym.envs.enterprise_bench.template import Template
from opsgym.envs.enterprise_bench.templates import DOMAINS, TEMPLATES

FAMILY = EnterpriseBenchFamily()

SEED = 10


def task_of(template: Template, **values: float | str) -> Task:
    params = {"template": template.name, "domain": template.domain, "unanswerable": 0.0, "indirection": 1, **values}
    return compile_params(BenchParams.build(params), SEED)


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda item: item.name)
def test_a_template_gives_a_sound_task(template: Template) -> None:
    task = task_of(template)
    assert lint(task) == []
    assert task.metadata["kind"] == template.kind
    assert task.to_json() == task_of(template).to_json()


@pytest.mark.parametrize("template", [item for item in TEMPLATES if item.twins], ids=lambda item: item.name)
def test_an_unanswerable_task_has_a_permitted_twin(template: Template) -> None:
    blocked, twin = task_of(template, unanswerable=1.0), task_of(template)
    assert lint(blocked) == []
    assert plan_of(blocked).reason in template.twins
    assert plan_of(twin).reason is None
    assert blocked.oracle[-1].name == "refuse"
    assert twin.oracle[-1].name == "submit"
    assert blocked.metadata["kind"] == "unanswerable"


@pytest.mark.parametrize("template", TEMPLATES[::9], ids=lambda item: item.name)
def test_errands_are_told_and_checked(template: Template) -> None:
    plain, told = task_of(template), task_of(template, errands=2)
    assert len(told.checks) > len(plain.checks)
    assert lint(told) == []


@pytest.mark.parametrize(
    ("form", "right", "wrong"),
    [
        (Ids(values=()), "There are none.", "There are some."),
        (Ids(values=("a_1", "a_2")), "They are a_2 and a_1.", "It is a_1."),
        (Number(value=1200.5, unit="rupees", tolerance=0.05), "About 1,200.52 rupees", "It is 1,300.5."),
        (Date(value="2026-09-22"), "On 22 September 2026", "On 23 September 2026"),
    ],
    ids=lambda item: type(item).__name__,
)
def test_an_answer_of_any_form_must_be_in_the_mail_that_passes_it_on(form: Form, right: str, wrong: str) -> None:
    def build(draft: Draft) -> None:
        draft.persona("e.reports_to IS NOT NULL")
        draft.ask("Tell me.")
        draft.answer(form)

    template = Template("hr_any", "hr", "search", (), build, "")
    draft = Draft(template, BenchParams.build({"errands": 1}), 0, random.Random(1), None)
    template.build(draft)
    run_errands(draft)
    (needles,) = [found["body"] for (table, _), found in draft.loose.items() if table == "mail"]
    (sent,) = [change.new["body"] for change in draft.changes if change.table.name == "mail" and change.new]
    assert all(holds(sent, needle) for needle in needles)
    assert all(holds(right, needle) for needle in needles)
    assert not all(holds(wrong, needle) for needle in needles)
    assert '"none"' in " ".join(draft.sentences)
    draft.close()


def test_a_mail_may_be_important_or_not() -> None:
    task = compile_params(BenchParams.build({"template": "hr_announce_policy", "unanswerable": 0.0, "distractors": 100}), SEED)
    for values in ({"importance": "High"}, {"importance": "Low"}):
        calls = [
            ToolCall(name=item.name, arguments=item.arguments | values) if item.name == "create_email" else item
            for item in task.oracle
        ]
        world = FAMILY.open(task)
        assert FAMILY.verify(FAMILY.baseline(world, task), _run(world, task, calls, []), task).is_success
        world.close()


def test_whoever_asks_for_colleagues_has_some() -> None:
    for seed in range(30):
        assert (
            compile_params(BenchParams.build({"template": "hr_same_boss", "unanswerable": 0.0}), seed)
            .oracle[-1]
            .arguments["answer"]
        )


def test_there_are_templates_of_every_domain_and_kind() -> None:
    assert len(TEMPLATES) >= 60
    assert len({item.name for item in TEMPLATES}) == len(TEMPLATES)
    assert {(item.domain, item.kind) for item in TEMPLATES} == {(name, kind) for name in DOMAINS for kind in ("search", "crud")}


def test_a_truth_whose_derivations_differ_is_no_task() -> None:
    def build(draft: Draft) -> None:
        draft.persona()
        draft.truth("SELECT count(*) FROM employee", lambda tables: len(tables["employee"]) + 1)

    template = Template("hr_wrong", "hr", "search", (), build, "")
    draft = Draft(template, BenchParams.build({}), 0, random.Random(1), None)
    with pytest.raises(TaskError, match="second derivation"):
        template.build(draft)
    draft.close()
