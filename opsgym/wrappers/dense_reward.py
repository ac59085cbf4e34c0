"""DenseReward: the terminal reward spread over the steps, with the same optimum."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium as gym

from opsgym.core.errors import RegistryError, TaskError
from opsgym.core.family import Family
from opsgym.core.verify import Verdict
from opsgym.wrappers.base import Step, ToolWrapper

__all__ = ["POTENTIALS", "DenseReward", "Potential"]

Potential = Callable[[Verdict], float]
"""How good a state is, by what the verifier says of it."""

GRID = 2**32
"""Potentials are rounded to multiples of 1/GRID: their differences are exact, so that sums of them are."""


def _reward(verdict: Verdict) -> float:
    return verdict.reward


def _checks(verdict: Verdict) -> float:
    """Share of the checks passed, of those that apply."""
    statuses = [check.status for check in verdict.checks]
    applied = len(statuses) - statuses.count("na")
    return statuses.count("pass") / applied if applied else 1.0


POTENTIALS: dict[str, Potential] = {"reward": _reward, "checks": _checks}
"""Potentials by name: the verdict's reward, and the share of checks passed, which rises before a gate is passed."""


class DenseReward(ToolWrapper):
    """Adds potential-based shaping (Ng, Harada and Russell 1999): each step earns ``gamma * new - old`` potential.

    The potential is what the verifier says of the state, less what it says of the first state, and 0 once the episode
    has ended.  So the shaping of every episode sums to 0 (discounted by ``gamma``), whatever the agent does: the return is that
    of the terminal reward, the order of policies and the optimum do not change.  The verifier runs after a step
    only when a call may have changed the world.

    Args:
        env: A ToolEnv in a reward mode other than ``"dense"``, wrapped or not.
        potential: A name of :data:`POTENTIALS`, or a function of the verdict.
        scale: Factor of the potential; 0 leaves the reward as it is.
        gamma: Discount of the training; 1 when returns are plain sums.

    Raises:
        RegistryError: Unknown potential.
        TaskError: A value is out of range.

    Example:
        >>> import gymnasium as gym
        >>> import opsgym
        >>> env = DenseReward(gym.make("ERPBench-v0", tier="easy", cache=None), potential="checks")
        >>> brief, info = env.reset(seed=7)
        >>> rewards = [env.step(call)[1] for call in env.unwrapped.task.oracle]
        >>> sum(reward != 0 for reward in rewards) > 1, sum(rewards)
        (True, 1.0)
    """

    def __init__(
        self,
        env: gym.Env[Any, Any],
        *,
        potential: str | Potential = "reward",
        scale: float = 1.0,
        gamma: float = 1.0,
    ) -> None:
        if isinstance(potential, str) and potential not in POTENTIALS:
            raise RegistryError("potential", potential, POTENTIALS)
        if not 0 < gamma <= 1:
            raise TaskError(f"expected a discount in (0, 1], got {gamma!r}", field="gamma")
        super().__init__(env, potential=potential, scale=scale, gamma=gamma)
        named = POTENTIALS[potential] if isinstance(potential, str) else potential
        # a score is found for less than a verdict; a family whose dense reward is another says what its verdicts are worth
        is_score = named is _reward and type(self.base.family).reward is Family.reward
        self._of = None if is_score else named
        self._scale, self._gamma = scale, gamma
        self._first = self._last = 0.0
        self._changes = 0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start an episode at potential 0."""
        observation, info = super().reset(seed=seed, options=options)
        self._first = self._potential() if self._scale else 0.0
        self._last, self._changes = 0.0, 0
        return observation, info

    def step(self, action: Any) -> Step:
        """As inside, with the shaping added to the reward."""
        observation, reward, terminated, truncated, info = super().step(action)
        if not self._scale:
            return observation, reward, terminated, truncated, info
        new, changes = self._last, self.base.episode.changes
        if terminated or truncated:
            new = 0.0
        elif changes != self._changes:
            new = self._potential() - self._first
        shaping = self._gamma * new - self._last
        self._last, self._changes = new, changes
        return observation, reward + shaping, terminated, truncated, info

    def snapshot_state(self) -> Any:
        """See :class:`~opsgym.envs.middleware.Middleware`."""
        return self._first, self._last, self._changes

    def restore_state(self, state: Any) -> None:
        """See :class:`~opsgym.envs.middleware.Middleware`."""
        self._first, self._last, self._changes = state

    def _potential(self) -> float:
        worth = self.base.score() if self._of is None else self._of(self.base.verdict())
        return round(self._scale * worth * GRID) / GRID
