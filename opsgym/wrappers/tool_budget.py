"""ToolBudget: a limit on the number of tool calls."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import gymnasium as gym

from opsgym.core.errors import TaskError, ToolError
from opsgym.core.task import ToolCall
from opsgym.core.tools import ToolResult
from opsgym.envs.middleware import Proceed, Reply, answer
from opsgym.wrappers.base import Step, ToolWrapper, known_tools

__all__ = ["ToolBudget"]


class ToolBudget(ToolWrapper):
    """Limits how many calls an episode may make, in all and by tool.

    A call beyond a limit is refused with ``not_allowed`` and changes nothing; the error names the limit.  Terminal tools
    are never refused and not counted, so that an episode can always be ended.  Every other call that names a tool counts,
    refused by the tool or not.  The first info lists the limits under ``tool_budget``, the later ones what is left.

    Args:
        env: A ToolEnv, wrapped or not.
        calls: Greatest number of calls of an episode; ``None`` for no limit.
        per_tool: Greatest number of calls by tool; tools not named have no limit of their own.

    Raises:
        RegistryError: Unknown tool.
        TaskError: A limit is negative.

    Example:
        >>> import gymnasium as gym
        >>> import opsgym
        >>> env = ToolBudget(gym.make("ERPBench-v0", tier="easy", cache=None), calls=1)
        >>> brief, info = env.reset(seed=7)
        >>> info["tool_budget"]
        {'calls': 1}
        >>> info = env.step('{"name": "get_current_date"}')[4]
        >>> print(env.step('{"name": "get_current_date"}')[0])
        {"tool":"get_current_date","ok":false,"error":{"code":"not_allowed","message":"The budget of calls (1) is used up.",...}}
    """

    def __init__(self, env: gym.Env[Any, Any], *, calls: int | None = None, per_tool: Mapping[str, int] | None = None) -> None:
        limits = {} if calls is None else {"calls": calls}
        for name, limit in {**limits, **(per_tool or {})}.items():
            if limit < 0:
                raise TaskError(f"expected a limit of at least 0, got {limit!r}", field=name)
        known_tools(env, per_tool or ())
        super().__init__(env, calls=calls, per_tool=per_tool)
        self._calls, self._per_tool = calls, dict(per_tool or {})
        self._used: Counter[str] = Counter()

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start an episode with a fresh budget."""
        observation, info = super().reset(seed=seed, options=options)
        self._used = Counter()
        return observation, info | {"tool_budget": self._left()}

    def step(self, action: Any) -> Step:
        """As inside; the info says what is left."""
        observation, reward, terminated, truncated, info = super().step(action)
        info["tool_budget"] = self._left()
        return observation, reward, terminated, truncated, info

    def around(self, call: ToolCall, proceed: Proceed) -> Reply:
        """Answer a call, or refuse it."""
        tool = self.base.tools.get(call.name)
        if tool is None or tool.terminal:
            return proceed(call)
        own = self._per_tool.get(call.name)
        if own is not None and self._used[call.name] >= own:
            return _refused(call.name, f"The budget of calls of {call.name} ({own}) is used up.", "Use other tools.")
        if self._calls is not None and self._used.total() >= self._calls:
            return _refused(call.name, f"The budget of calls ({self._calls}) is used up.", "Finish the task.")
        self._used[call.name] += 1
        return proceed(call)

    def snapshot_state(self) -> Any:
        """See :class:`~opsgym.envs.middleware.Middleware`."""
        return dict(self._used)

    def restore_state(self, state: Any) -> None:
        """See :class:`~opsgym.envs.middleware.Middleware`."""
        self._used = Counter(state)

    def _left(self) -> dict[str, int]:
        left = {} if self._calls is None else {"calls": self._calls - self._used.total()}
        return left | {name: limit - self._used[name] for name, limit in self._per_tool.items()}


def _refused(name: str, message: str, hint: str) -> Reply:
    return answer(ToolResult(name, error=ToolError("not_allowed", message, hint)))
