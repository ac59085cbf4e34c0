"""Policies that calibrate tasks: they know the plan, and make one kind of mistake each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from opsgym.core.task import Task, ToolCall
from opsgym.envs.enterprise_ops.plan import plan_of


def rule_blind(task: Task) -> Sequence[ToolCall]:
    """Does what is asked, without what only hidden rules ask for."""
    return plan_of(task).blind()


def first_match(task: Task) -> Sequence[ToolCall]:
    """Takes the first record that looks right."""
    return plan_of(task).mistaken()


def complying(task: Task) -> Sequence[ToolCall]:
    """Does what is asked, whatever stands against it."""
    return plan_of(task).compliant()


def refusing(task: Task) -> Sequence[ToolCall]:
    """Looks, and refuses."""
    return plan_of(task).refusing()


POLICIES: Mapping[str, Callable[[Task], Sequence[ToolCall]]] = {
    policy.__name__: policy for policy in (rule_blind, first_match, complying, refusing)
}
"""The policies by name."""
