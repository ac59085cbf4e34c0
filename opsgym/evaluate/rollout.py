"""Rollouts: a policy plays an episode, and what came of it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import gymnasium as gym

from opsgym.baselines.policy import AsyncPolicy, Policy
from opsgym.core.errors import TaskError
from opsgym.core.task import Task
from opsgym.envs.episode import Turn
from opsgym.envs.tool_env import ToolEnv


@dataclass(frozen=True, kw_only=True)
class Rollout:
    """One played episode.

    Attributes:
        task_id: The task.
        tier: Its tier.
        pattern: Its pattern.
        reward: Sum of the rewards.
        is_success: Whether the verifier calls the task solved.
        terminated: Whether the agent ended the episode itself.
        turns: Actions and observations.
        calls: Tool calls.
        errors: Refused calls by error code.
        verdict: The verdict as JSON; empty when the episode was not graded.
        faults: Injected faults by kind.
        backend_error: What broke the episode off, when an external system did; it is not scored then.
        seconds: Wall time of the steps; for tables only, not compared.
    """

    task_id: str
    tier: str
    pattern: str
    reward: float
    is_success: bool
    terminated: bool
    turns: tuple[Turn, ...]
    calls: int
    errors: dict[str, int]
    verdict: dict[str, Any]
    faults: dict[str, int] = field(default_factory=dict)
    backend_error: str = ""
    seconds: float = field(default=0.0, compare=False)

    @property
    def checks_passed(self) -> tuple[int, int]:
        """How many checks passed, of how many that apply."""
        statuses = [check["status"] for check in self.verdict.get("checks", ())]
        return statuses.count("pass"), len(statuses) - statuses.count("na")

    def as_dict(self) -> dict[str, Any]:
        """The rollout as JSON."""
        return asdict(self)


def run_episode(
    env: gym.Env[str, Any],
    policy: Policy,
    *,
    seed: int | None = None,
    task: Task | None = None,
    options: Mapping[str, Any] | None = None,
) -> Rollout:
    """Play one episode.

    Args:
        env: A ToolEnv, wrapped or not.
        policy: What acts.
        seed: Seed of the reset.
        task: The task to play; by default the environment picks.
        options: Further reset options.

    Raises:
        TaskError: ``env`` is no ToolEnv.
    """
    episode = _Episode(env, seed=seed, task=task, options=options)
    policy.begin(episode.base, episode.observation, episode.info)
    while not episode.over:
        episode.step(policy.act(episode.observation))
    return episode.rollout()


async def run_episode_async(
    env: gym.Env[str, Any],
    policy: AsyncPolicy,
    *,
    seed: int | None = None,
    task: Task | None = None,
    options: Mapping[str, Any] | None = None,
) -> Rollout:
    """As :func:`run_episode`, for a policy that waits for others, such as a language model's server."""
    episode = _Episode(env, seed=seed, task=task, options=options)
    await policy.begin(episode.base, episode.observation, episode.info)
    while not episode.over:
        episode.step(await policy.act(episode.observation))
    return episode.rollout()


class _Episode:
    """A running episode: what the two loops have in common."""

    def __init__(self, env: gym.Env[str, Any], *, seed: int | None, task: Task | None, options: Mapping[str, Any] | None) -> None:
        base = env.unwrapped
        if not isinstance(base, ToolEnv):
            raise TaskError(f"expected a ToolEnv, got {type(base).__name__}", field="env")
        self.env, self.base = env, base
        self.observation, self.info = env.reset(seed=seed, options={**(options or {}), **({"task": task} if task else {})})
        self._opening = self.info
        self.total, self.terminated, self.truncated = 0.0, False, False
        self._start = time.perf_counter()

    @property
    def over(self) -> bool:
        return self.terminated or self.truncated

    def step(self, action: Any) -> None:
        self.observation, reward, self.terminated, self.truncated, self.info = self.env.step(action)
        self.total += float(reward)

    def rollout(self) -> Rollout:
        info = self.info
        return Rollout(
            task_id=info["task_id"],
            tier=self._opening["tier"],
            pattern=self._opening["pattern"],
            reward=self.total,
            is_success=info.get("is_success", False),
            terminated=self.terminated,
            turns=self.base.transcript,
            calls=info["calls"],
            errors=info["errors"],
            verdict=info.get("verdict", {}),
            faults=info.get("faults", {}).get("kinds", {}),
            backend_error=info.get("backend_error", ""),
            seconds=time.perf_counter() - self._start,
        )
