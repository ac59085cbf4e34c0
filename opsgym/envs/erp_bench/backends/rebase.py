"""Rebasing: a task moved to another day.

A scenario counts its days from ``today``, so that prices, plans, checks and certificate hold on any day.  Only what names
dates is made anew: the brief, the policy documents and the dates in the reference solution.
"""

from __future__ import annotations

import datetime as dt
import re
from typing import Any

from opsgym.core.task import Task, ToolCall
from opsgym.envs.erp_bench.brief import brief, policy_documents
from opsgym.envs.erp_bench.family import scenario_of

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}\Z")


def rebased(task: Task, today: dt.date) -> Task:
    """The same task on another day; the task itself where it is its own.

    It is another task by name, since a task's id is that of its content.  An instruction or document that was not
    made from the scenario stays as it is.

    Args:
        task: Any ERPBench task.
        today: Its new day 0.
    """
    scenario = scenario_of(task)
    days = (today - scenario.today).days
    if not days:
        return task
    moved = scenario.model_copy(update={"today": today, "documents": ()})
    documents = policy_documents(moved) if scenario.documents == policy_documents(scenario) else scenario.documents
    moved = moved.model_copy(update={"documents": documents})
    return Task.model_validate(
        task.model_dump(exclude={"id", "world", "oracle", "instruction"})
        | {
            "world": moved.model_dump(mode="json"),
            "instruction": brief(moved) if task.instruction == brief(scenario) else task.instruction,
            "oracle": tuple(ToolCall(name=call.name, arguments=_shifted(call.arguments, days)) for call in task.oracle),
        }
    )


def _shifted(value: Any, days: int) -> Any:
    """A JSON value with every date moved."""
    if isinstance(value, str) and _DATE.match(value):
        return (dt.date.fromisoformat(value) + dt.timedelta(days=days)).isoformat()
    if isinstance(value, dict):
        return {key: _shifted(item, days) for key, item in value.items()}
    return [_shifted(item, days) for item in value] if isinstance(value, list) else value
