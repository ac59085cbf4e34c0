"""Templates: all compile, the plan solves them, and a request that cannot be met has a twin that can."""

from __future__ import annotations

import random

import pytest

from opsgym.core.errors import TaskError
from opsgym.core.task import Task
from opsgym.envs.enterprise_bench.compiler import compile_params
from opsgym.envs.enterprise_bench.draft import Draft
from opsgym.envs.enterprise_bench.lint import lint
from opsgym.envs.enterprise_bench.params import BenchParams
from opsgym.envs.enterprise_bench.plan import plan_of
from opsgym.envs.enterprise_bench.template import Template
from opsgym.envs.enterprise_bench.templates import DOMAINS, TEMPLATES

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
