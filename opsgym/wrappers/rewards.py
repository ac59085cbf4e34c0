"""StepCost, EfficiencyBonus and BinaryReward: small changes of the reward."""

from __future__ import annotations

from typing import Any, Literal, get_args

import gymnasium as gym

from opsgym.core.errors import RegistryError, TaskError
from opsgym.wrappers.base import Step, ToolWrapper

__all__ = ["BinaryReward", "EfficiencyBonus", "StepCost"]


class BinaryReward(ToolWrapper):
    """Pays 1 for a solved task at the end of the episode, and 0 otherwise.

    Args:
        env: A ToolEnv in a reward mode other than ``"dense"``, wrapped or not.

    Example:
        >>> import gymnasium as gym
        >>> import opsgym
        >>> env = BinaryReward(gym.make("ERPBench-v0", tier="easy", cache=None))
        >>> brief, info = env.reset(seed=7)
        >>> [env.step(call)[1] for call in env.unwrapped.task.oracle][-2:]
        [0.0, 1.0]
    """

    def __init__(self, env: gym.Env[Any, Any]) -> None:
        super().__init__(env)

    def step(self, action: Any) -> Step:
        """As inside, with the reward replaced."""
        observation, _, terminated, truncated, info = super().step(action)
        return observation, float(info.get("is_success", False)), terminated, truncated, info


class StepCost(ToolWrapper):
    """Takes a cost from the reward of every step.

    Args:
        env: A ToolEnv, wrapped or not.
        turn: Cost of a turn.
        call: Cost of a tool call.
        error: Cost of a call that was refused, beside that of the call.

    Raises:
        TaskError: A cost is negative.

    Example:
        >>> import gymnasium as gym
        >>> import opsgym
        >>> env = StepCost(gym.make("ERPBench-v0", tier="easy", cache=None), turn=0.25, error=0.5)
        >>> brief, info = env.reset(seed=7)
        >>> env.step('{"name": "get_current_date"}')[1], env.step("Hello!")[1]
        (-0.25, -0.75)
    """

    def __init__(self, env: gym.Env[Any, Any], *, turn: float = 0.001, call: float = 0.0, error: float = 0.0) -> None:
        for name, value in (("turn", turn), ("call", call), ("error", error)):
            if not value >= 0:
                raise TaskError(f"expected a cost of at least 0, got {value!r}", field=name)
        super().__init__(env, turn=turn, call=call, error=error)
        self._turn, self._call, self._error = turn, call, error
        self._seen = (0, 0)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start an episode."""
        observation, info = super().reset(seed=seed, options=options)
        self._seen = (0, 0)
        return observation, info

    def step(self, action: Any) -> Step:
        """As inside, less the cost."""
        observation, reward, terminated, truncated, info = super().step(action)
        calls, errors = info["calls"], sum(info["errors"].values())
        cost = self._turn + self._call * (calls - self._seen[0]) + self._error * (errors - self._seen[1])
        self._seen = (calls, errors)
        return observation, reward - cost, terminated, truncated, info

    def snapshot_state(self) -> Any:
        """See :class:`~opsgym.envs.middleware.Middleware`."""
        return self._seen

    def restore_state(self, state: Any) -> None:
        """See :class:`~opsgym.envs.middleware.Middleware`."""
        self._seen = state


Measure = Literal["turns", "calls", "seconds"]


class EfficiencyBonus(ToolWrapper):
    """Makes solved episodes differ: the shorter earns more, and none earns more than before.

    The terminal reward of a solved episode is multiplied by ``1 - weight * (1 - efficiency)``, where the efficiency is
    ``min(1, reference / used)``.  The reference is what the reference solution takes at one call a turn, or for ``"seconds"``
    the number given.  Where the task is not solved the reward stays, so that with ``BinaryReward`` inside every solved
    episode still beats every other.  The info says ``efficiency`` at the end.

    Args:
        env: A ToolEnv in a reward mode other than ``"dense"``, wrapped or not.
        weight: Greatest share of the reward that can be lost, in [0, 1).
        measure: What is counted: ``"turns"``, ``"calls"`` or (with a ``TimeBudget`` inside) ``"seconds"``.
        reference: What counts as fully efficient; by default the length of the reference solution.

    Raises:
        RegistryError: Unknown measure.
        TaskError: A value is out of range.

    Example:
        >>> import gymnasium as gym
        >>> import opsgym
        >>> env = EfficiencyBonus(gym.make("ERPBench-v0", tier="easy", cache=None), weight=0.5)
        >>> brief, info = env.reset(seed=7)
        >>> oracle = env.unwrapped.task.oracle
        >>> for call in [*oracle[:-1], *["Hello!"] * len(oracle), oracle[-1]]:
        ...     observation, reward, terminated, truncated, info = env.step(call)
        >>> info["efficiency"], reward
        (0.5, 0.75)
    """

    def __init__(
        self,
        env: gym.Env[Any, Any],
        *,
        weight: float = 0.1,
        measure: Measure = "turns",
        reference: float | None = None,
    ) -> None:
        if measure not in get_args(Measure):
            raise RegistryError("measure", measure, get_args(Measure))
        if not 0 <= weight < 1:
            raise TaskError(f"expected a weight in [0, 1), got {weight!r}", field="weight")
        if (reference is None and measure == "seconds") or (reference is not None and not reference > 0):
            raise TaskError(f"expected a positive number, got {reference!r}", field="reference")
        super().__init__(env, weight=weight, measure=measure, reference=reference)
        self._weight, self._measure, self._reference = weight, measure, reference

    def step(self, action: Any) -> Step:
        """As inside; the reward of a solved episode is scaled."""
        observation, reward, terminated, truncated, info = super().step(action)
        if terminated or truncated:
            efficiency = self._efficiency()
            info["efficiency"] = efficiency
            if info.get("is_success", False):
                reward *= 1 - self._weight * (1 - efficiency)
        return observation, reward, terminated, truncated, info

    def _efficiency(self) -> float:
        episode = self.base.episode
        used = {"turns": len(episode.turns), "calls": episode.calls, "seconds": episode.seconds}[self._measure]
        reference = len(self.base.task.oracle) if self._reference is None else self._reference
        return min(1.0, reference / used) if used else 1.0
