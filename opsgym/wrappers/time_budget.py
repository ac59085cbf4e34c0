"""TimeBudget: a limit on the virtual time that calls take."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import gymnasium as gym

from opsgym.core.errors import TaskError
from opsgym.core.task import ToolCall
from opsgym.envs.middleware import Proceed, Reply
from opsgym.wrappers.base import Step, ToolWrapper, known_tools

__all__ = ["TimeBudget"]


class TimeBudget(ToolWrapper):
    """Limits the virtual time of an episode: every call takes its latency, and injected faults add theirs.

    No clock is read: the time is part of the episode's state, the same on every machine.  Once the budget is used up the
    episode ends with the call that used it, as it does when the turns are used up: ``truncated``, and judged where
    ``grade_on_truncation`` says so.  A call that ends the episode by itself counts even when it is late by its own latency.
    The info says ``seconds`` (spent) and, where there is a budget, ``seconds_left`` at every step.

    Args:
        env: A ToolEnv, wrapped or not.
        seconds: Budget; ``None`` only measures.
        latency: Seconds that a call takes: a number, or one by tool name (``"*"`` for the others).

    Raises:
        RegistryError: Unknown tool.
        TaskError: A value is out of range.

    Example:
        >>> import gymnasium as gym
        >>> import opsgym
        >>> env = TimeBudget(gym.make("ERPBench-v0", tier="easy", cache=None), seconds=5, latency=2)
        >>> brief, info = env.reset(seed=7)
        >>> for _ in range(3):
        ...     observation, reward, terminated, truncated, info = env.step('{"name": "get_current_date"}')
        ...     print(truncated, info["seconds_left"])
        False 3.0
        False 1.0
        True 0.0
    """

    def __init__(
        self, env: gym.Env[Any, Any], *, seconds: float | None = None, latency: float | Mapping[str, float] = 1.0
    ) -> None:
        if seconds is not None and not 0 < seconds < math.inf:
            raise TaskError(f"expected a positive number or None, got {seconds!r}", field="seconds")
        latencies = dict(latency) if isinstance(latency, Mapping) else {"*": latency}
        for name, value in latencies.items():
            if not 0 <= value < math.inf:
                raise TaskError(f"expected a finite number of at least 0, got {value!r}", field=f"latency.{name}")
        known_tools(env, latencies)
        super().__init__(env, seconds=seconds, latency=latency)
        self._budget, self._latencies = math.inf if seconds is None else float(seconds), latencies
        self._default = latencies.get("*", 0.0)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start an episode at time 0."""
        observation, info = super().reset(seed=seed, options=options)
        return observation, info | self._clock()

    def step(self, action: Any) -> Step:
        """As inside; the info says the time."""
        observation, reward, terminated, truncated, info = super().step(action)
        return observation, reward, terminated, truncated, info | self._clock()

    def around(self, call: ToolCall, proceed: Proceed) -> Reply:
        """Answer a call and let its time pass."""
        episode = self.base.episode
        episode.seconds += self._latencies.get(call.name, self._default)
        reply = proceed(call)
        episode.cut = episode.cut or episode.seconds >= self._budget
        return reply

    def _clock(self) -> dict[str, float]:
        spent = self.base.episode.seconds
        return {"seconds": spent} | ({} if self._budget == math.inf else {"seconds_left": max(0.0, self._budget - spent)})
