"""Plans played with other calls in their place, for the tests of templates of all domains."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from opsgym.core.task import Task, ToolCall
from opsgym.envs.enterprise_ops.family import EnterpriseOpsFamily
from opsgym.envs.enterprise_ops.plan import plan_of
from opsgym.envs.enterprise_ops.play import Player

FAMILY = EnterpriseOpsFamily()
Rewrite = Callable[[ToolCall], list[ToolCall]]
"""What stands in place of a call."""


def compiled(domain: str, name: str, tier: str = "medium", seed: int = 0, **overrides: Any) -> Task:
    """A feasible task of a template, which may be named without its domain."""
    pattern = f"{domain}_{name.removeprefix(f'{domain}_')}"
    params = FAMILY.draw(seed, tier=tier, pattern=pattern, overrides={"infeasible": 0.0, **overrides})
    return FAMILY.compile(params, seed)


def with_arguments(call: ToolCall, **arguments: Any) -> ToolCall:
    """A call with some arguments changed."""
    return ToolCall(name=call.name, arguments=call.arguments | arguments)


def rewritten(task: Task, rewrite: Rewrite) -> list[ToolCall]:
    """The plan with each call replaced."""
    return [new for call in plan_of(task).compliant() for new in rewrite(call)]


def outcome(task: Task, rewrite: Rewrite) -> float:
    """What the plan earns with each call replaced."""
    with Player(task) as player:
        return player.play([new for call in plan_of(task).oracle() for new in rewrite(call)]).verdict.reward
