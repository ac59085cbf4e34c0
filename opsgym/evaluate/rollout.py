"""Rollouts: a policy plays an episode, and what came of it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import gymnasium as gym

from opsgym.core.errors import TaskError
from opsgym.core.task import Task
from opsgym.envs.episode import Turn
from opsgym.envs.tool_env import ToolEnv
from opsgym.evaluate.policies import Policy


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
    base = env.unwrapped
    if not isinstance(base, ToolEnv):
        raise TaskError(f"expected a ToolEnv, got {type(base).__name__}", field="env")
    observation, info = env.reset(seed=seed, options={**(options or {}), **({"task": task} if task else {})})
    tier, pattern = info["tier"], info["pattern"]
    policy.begin(base, observation, info)
    total, terminated, truncated = 0.0, False, False
    start = time.perf_counter()
    while not (terminated or truncated):
        observation, reward, terminated, truncated, info = env.step(policy.act(observation))
        total += float(reward)
    return Rollout(
        task_id=info["task_id"],
        tier=tier,
        pattern=pattern,
        reward=total,
        is_success=info.get("is_success", False),
        terminated=terminated,
        turns=base.transcript,
        calls=info["calls"],
        errors=info["errors"],
        verdict=info.get("verdict", {}),
        seconds=time.perf_counter() - start,
    )
