"""Policies that calibrate tasks: they know the plan, and make one kind of mistake each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from opsgym.core.task import Task, ToolCall
from opsgym.envs.enterprise_bench.plan import plan_of


def access_denied(task: Task) -> Sequence[ToolCall]:
    """Answers everything with a refusal for lack of permission."""
    return [ToolCall(name="refuse", arguments={"reason_code": "not_permitted", "explanation": "Access denied."})]


def constant(task: Task) -> Sequence[ToolCall]:
    """Answers everything with the same number."""
    return [ToolCall(name="submit", arguments={"answer": 0})]


def echo(task: Task) -> Sequence[ToolCall]:
    """Answers with the request."""
    return [ToolCall(name="submit", arguments={"answer": task.instruction})]


def looking(task: Task) -> Sequence[ToolCall]:
    """Looks up all that is needed, changes nothing, and submits the right answer."""
    plan = plan_of(task)
    end = plan.ending() if plan.reason is None else ToolCall(name="submit", arguments={})
    return [*(item.call for item in plan.subtasks if not item.writes), end]


POLICIES: Mapping[str, Callable[[Task], Sequence[ToolCall]]] = {
    policy.__name__: policy for policy in (access_denied, constant, echo, looking)
}
"""The policies by name."""
