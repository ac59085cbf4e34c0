"""PlanHint: the reference solution, or its outline, in the brief."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any, Literal, get_args

import gymnasium as gym

from opsgym.core.errors import RegistryError, TaskError
from opsgym.core.spaces import UnicodeText
from opsgym.core.task import Task, canonical_json
from opsgym.wrappers.base import ToolWrapper, text_limit, tool_env

__all__ = ["PlanHint", "hint"]

Level = Literal["none", "outline", "oracle"]

_HEADS = {
    "outline": "Plan: the tools that solve this task, in order, without their arguments.",
    "oracle": "Plan: the tool calls that solve this task, in order.",
}
_SUBTASKS = {
    "outline": "Plan: the subtasks that solve this task, in order, each with the earlier ones that it needs.",
    "oracle": "Plan: the subtasks that solve this task, in order, each with the earlier ones that it needs and its tool call.",
}


def hint(task: Task, level: Level, outline: Sequence[str] = ()) -> str:
    """The text that a level adds to the brief of a task; empty for ``"none"``.

    Args:
        task: The task.
        level: The level.
        outline: The reference solution in words, a step a call; see :meth:`Family.outline <opsgym.core.family.Family.outline>`.
    """
    if level == "none":
        return ""
    calls = [canonical_json(call.model_dump()) for call in task.oracle]
    if outline:
        steps = [f"{step}: {call}" for step, call in zip(outline, calls, strict=True)] if level == "oracle" else list(outline)
    elif level == "oracle":
        steps = calls
    else:
        runs = [(name, len(list(run))) for name, run in groupby(call.name for call in task.oracle)]
        steps = [name if count == 1 else f"{name} ({count} times)" for name, count in runs]
    head = (_SUBTASKS if outline else _HEADS)[level]
    return "\n".join([head, *(f"{number}. {step}" for number, step in enumerate(steps, start=1))])


class PlanHint(ToolWrapper):
    """Adds the plan to the brief: the plan-conditioned settings of the papers, which tell planning from execution.

    This gives the solution away; use it for ablations and for warm starts, not for scores.  Nothing but the first
    observation changes.

    Args:
        env: A ToolEnv with observations of text, wrapped or not, under the family's default harness (the reference
            solution is written for it).
        level: ``"none"``, ``"outline"`` (names of the tools in order) or ``"oracle"`` (the whole calls).  Where the family
            tells its plans in words, as EnterpriseBench does, both have the subtasks and what each depends on.
        max_chars: Room for the plan in the observation space.

    Raises:
        RegistryError: Unknown level.
        TaskError: Another harness; or, at reset, a plan that is longer than ``max_chars``.

    Example:
        >>> import gymnasium as gym
        >>> import opsgym
        >>> env = PlanHint(gym.make("ERPBench-v0", tier="easy", cache=None), level="outline")
        >>> brief, info = env.reset(seed=7)
        >>> "Plan: the tools" in brief, "submit" in brief.splitlines()[-1]
        (True, True)
    """

    reads_text = True

    def __init__(self, env: gym.Env[Any, Any], *, level: Level = "outline", max_chars: int = 65_536) -> None:
        if level not in get_args(Level):
            raise RegistryError("level", level, get_args(Level))
        base = tool_env(env)
        default = base.family.harnesses[0]
        if level != "none" and base.harness != default:
            raise TaskError(f"the plan is written for the harness {default!r}, got {base.harness!r}", field="env")
        super().__init__(env, level=level, max_chars=max_chars)
        self._level: Level = level
        self._room = max_chars
        if level != "none":
            self.observation_space = UnicodeText(text_limit(env) + 2 + max_chars)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start an episode; the brief ends with the plan."""
        observation, info = super().reset(seed=seed, options=options)
        plan = hint(self.base.task, self._level, self.base.family.outline(self.base.task))
        if len(plan) > self._room:
            raise TaskError(f"the plan has {len(plan)} characters, expected at most {self._room}", field="max_chars")
        return f"{observation}\n\n{plan}" if plan else observation, info
