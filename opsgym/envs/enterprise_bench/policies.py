"""Policies that calibrate tasks: they know the plan or the form of the answer, and make one kind of mistake each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from opsgym.core.task import Task, ToolCall
from opsgym.envs.enterprise_bench.answers import Ids, Number, Word
from opsgym.envs.enterprise_bench.plan import plan_of
from opsgym.envs.enterprise_bench.verifier import read_checks


def access_denied(task: Task) -> Sequence[ToolCall]:
    """Answers everything with a refusal for lack of permission."""
    return [ToolCall(name="refuse", arguments={"reason_code": "not_permitted", "explanation": "Access denied."})]


def constant(task: Task) -> Sequence[ToolCall]:
    """Answers everything with the same number."""
    return [ToolCall(name="submit", arguments={"answer": 0})]


def guess(task: Task) -> Sequence[ToolCall]:
    """Answers without a look in the form that is wanted: with the commonest small number, no records, or the first word."""
    form = read_checks(task.checks).form
    answer: Any = None
    if isinstance(form, Ids):
        answer = []
    elif isinstance(form, Number):
        answer = 2
    elif isinstance(form, Word):
        answer = form.options[0]
    return [ToolCall(name="submit", arguments={} if answer is None else {"answer": answer})]


def echo(task: Task) -> Sequence[ToolCall]:
    """Answers with the request."""
    return [ToolCall(name="submit", arguments={"answer": task.instruction})]


def looking(task: Task) -> Sequence[ToolCall]:
    """Looks up all that is needed, changes nothing, and submits the right answer."""
    plan = plan_of(task)
    end = plan.ending() if plan.reason is None else ToolCall(name="submit", arguments={})
    return [*(item.call for item in plan.subtasks if not item.writes), end]


POLICIES: Mapping[str, Callable[[Task], Sequence[ToolCall]]] = {
    policy.__name__: policy for policy in (access_denied, constant, guess, echo, looking)
}
"""The policies by name."""
