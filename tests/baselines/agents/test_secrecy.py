"""Secrecy: no agent but the plan-conditioned one tells the model anything of the solution."""

from __future__ import annotations

import json

import pytest

from opsgym.baselines.models import ScriptedModel
from opsgym.baselines.registry import AGENTS
from opsgym.core.task import ToolCall
from opsgym.evaluate.promises import solution_texts
from opsgym.wrappers.plan_hint import hint
from tests.baselines.support import FAMILIES, PLAN, agent_of, as_react, env_of, play, task_of


def told(name: str, family: str, **options: object) -> str:
    """All that the model is told in an episode of a few harmless turns."""
    env, task = env_of(family), task_of(family)
    look = ToolCall(name="get_global_check_budget" if family == "ACEBench-v0" else "search_products")
    said = {"react": as_react(look), "constrained": look.model_dump_json()}.get(name, look)
    model = ScriptedModel(lambda request: said if request.tools or name in ("react", "constrained") else PLAN)
    play(env, agent_of(name, env, model, max_turns=3, self_check=True, **options), task)
    return "\n".join(json.dumps(request.model_dump(), ensure_ascii=False) for request in model.requests)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("name", [name for name in AGENTS if name not in ("plan-conditioned", "constrained")])
def test_requests_hold_nothing_of_the_solution(name: str, family: str) -> None:
    text = told(name, family)
    assert [needle for needle in solution_texts(task_of(family)) if needle in text.replace("\\", "")] == []
    assert task_of(family).instruction[:60] in text


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("level", ["outline", "oracle"])
def test_the_plan_conditioned_agent_is_told_the_plan_and_says_so(family: str, level: str) -> None:
    text = told("plan-conditioned", family, level=level)
    plan = hint(task_of(family), "oracle" if level == "oracle" else "outline")
    assert json.dumps(plan, ensure_ascii=False)[1:-1] in text
    leaked = [needle for needle in solution_texts(task_of(family)) if needle in text.replace("\\", "")]
    assert bool(leaked) == (level == "oracle")


@pytest.mark.parametrize("family", FAMILIES)
def test_the_constrained_agent_offers_the_right_calls_among_others_and_marks_none(family: str) -> None:
    """Its list is an enumeration: it holds more than the solution, in an order that does not depend on it."""
    env, task = env_of(family), task_of(family)
    env.reset(seed=0, options={"task": task})
    offered = list(env.family.candidates(env.family.session(env.world, task), task) or ())
    blank = task.model_copy(update={"oracle": (), "checks": (), "metadata": {}})
    assert offered == list(env.family.candidates(env.family.session(env.world, task), blank) or ())
    assert not set(map(str, offered)) <= set(map(str, task.oracle)) or family == "ERPBench-v0"
