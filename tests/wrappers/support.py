"""What the tests of the wrappers share: toy environments, oracles under failure, exact binomial tails."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import gymnasium as gym

import opsgym.wrappers
from opsgym.core.task import ToolCall
from opsgym.envs.tool_env import ToolEnv
from opsgym.wrappers import ToolWrapper, Window
from opsgym.wrappers.faults import KINDS
from tests.envs.toy_family import ToyEnv

TOY = "WrappedToy-v0"
LOOK = '{"name": "look"}'
SUBMIT = '{"name": "submit"}'
Env = gym.Env[Any, Any]


def toy(**kwargs: Any) -> ToyEnv:
    """A bare toy environment."""
    return ToyEnv(**{"cache": None, **kwargs})


def base_of(env: Env) -> ToolEnv:
    """The ToolEnv inside."""
    base = env.unwrapped
    assert isinstance(base, ToolEnv)
    return base


def text(call: ToolCall) -> str:
    """A call as an agent writes it."""
    return json.dumps({"name": call.name, "arguments": call.arguments})


def play_oracle(env: Env, *, retry: bool, **reset: Any) -> tuple[float, dict[str, Any]]:
    """Return and last info of the reference solution, at one call a turn.

    Args:
        env: Any stack with text actions.
        retry: Repeat a call that failed, unless it changed the world (which the oracle sees in the world itself).
        **reset: Arguments of the reset.
    """
    env.reset(**reset)
    base, total = base_of(env), 0.0
    queue = list(base.task.oracle)
    while True:
        changes = base.episode.changes
        call = queue[0] if queue else ToolCall(name="submit")
        observation, reward, terminated, truncated, info = env.step(text(call))
        total += float(reward)
        if terminated or truncated:
            return total, info
        carried_out = base.episode.changes > changes or '"ok":true' in str(observation)[:80]
        if queue and (carried_out or not retry):
            queue.pop(0)


def binomial_tail(successes: int, trials: int, probability: float) -> float:
    """Probability under the binomial law of a count at least as far out as ``successes``, on its side of the mean."""
    if probability in (0.0, 1.0):
        return float(successes == trials * probability)
    side = range(successes, trials + 1) if successes >= trials * probability else range(successes, -1, -1)
    total = 0.0
    for count in side:
        log = math.lgamma(trials + 1) - math.lgamma(count + 1) - math.lgamma(trials - count + 1)
        term = math.exp(log + count * math.log(probability) + (trials - count) * math.log1p(-probability))
        total += term
        if term < total * 1e-12:
            break
    return total


STRENGTHS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "DistractorTools": (
        {"unrelated": 2, "near_duplicate": 2, "deprecated": 1, "forbidden": 1},
        {"unrelated": 0, "near_duplicate": 0, "deprecated": 0, "forbidden": 0},
    ),
    "ToolBudget": ({"calls": 6, "per_tool": {"look": 2}}, {}),
    "ToolFailureInjection": ({"rate": 0.4, "kinds": list(KINDS), "allowance": None}, {"rate": 0.0}),
    "TimeBudget": ({"seconds": 40.0, "latency": {"look": 2.0, "*": 1.0}}, {"latency": 0.0}),
    "BinaryReward": ({}, {}),
    "EfficiencyBonus": ({"weight": 0.5}, {"weight": 0.0}),
    "DenseReward": ({"potential": "checks"}, {"scale": 0.0}),
    "StepCost": ({"turn": 0.01, "call": 0.01, "error": 0.1}, {"turn": 0.0}),
    "PlanHint": ({"level": "oracle"}, {"level": "none"}),
    "ObservationLimit": ({"max_chars": 60, "keep": "both"}, {"max_chars": None}),
    "RecordTrajectories": ({}, {}),
    "ChatHistory": ({"format": "transcript", "strategy": Window(2)}, {"format": "transcript"}),
    "DiscreteToolActions": ({"size": 40}, {"size": 40}),
}
"""Arguments of each wrapper at work, and at zero strength."""


def wrap(env: Env, name: str, tmp_path: Path, *, zero: bool = False, **changes: Any) -> ToolWrapper:
    """Put a wrapper of :data:`STRENGTHS` around an environment."""
    own = {"path": tmp_path / "episodes.jsonl"} if name == "RecordTrajectories" else {}
    made: ToolWrapper = getattr(opsgym.wrappers, name)(env, **{**STRENGTHS[name][zero], **own, **changes})
    return made
