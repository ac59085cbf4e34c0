"""Which wrappers may stand around which: orders that make no sense are refused with a reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gymnasium.wrappers import TimeLimit

from opsgym.core.errors import TaskError

if TYPE_CHECKING:  # the environment is only looked at
    from opsgym.envs.tool_env import ToolEnv

__all__ = ["EXCLUSIVE", "INSIDE", "ORDER", "check_stack"]

INSIDE: Mapping[tuple[str, str], str] = {
    ("ToolBudget", "ToolFailureInjection"): "a call that an injected fault rejects would use up the budget of calls",
    ("ToolFailureInjection", "TimeBudget"): "the time of calls that a fault rejects would not be counted",
    ("BinaryReward", "EfficiencyBonus"): "it would overwrite the bonus",
    ("BinaryReward", "DenseReward"): "it would overwrite the shaped reward",
    ("BinaryReward", "StepCost"): "it would overwrite the costs",
    ("EfficiencyBonus", "DenseReward"): "the bonus scales the terminal reward, which the shaping has spread over the steps",
    ("EfficiencyBonus", "StepCost"): "the bonus would scale the last cost",
    ("DenseReward", "StepCost"): "the rewards inside must sum to the terminal reward",
    ("PlanHint", "ObservationLimit"): "the hint would be added after the limit was kept",
    ("PlanHint", "ChatHistory"): "the history must hold the hint",
    ("PlanHint", "DiscreteToolActions"): "there is no text outside it",
    ("ObservationLimit", "ChatHistory"): "it limits single observations, not their history",
    ("ObservationLimit", "DiscreteToolActions"): "there is no text outside it",
    ("DistractorTools", "DiscreteToolActions"): "the candidates are made of the tools inside",
    ("DistractorTools", "RecordTrajectories"): "a replay makes only the stack inside the recorder",
    ("ToolBudget", "RecordTrajectories"): "a replay makes only the stack inside the recorder",
    ("TimeBudget", "RecordTrajectories"): "a replay makes only the stack inside the recorder",
    ("ToolFailureInjection", "RecordTrajectories"): "a replay makes only the stack inside the recorder",
    ("RecordTrajectories", "DiscreteToolActions"): "the actions and observations of a trajectory are text",
    ("RecordTrajectories", "ChatHistory"): "a trajectory holds single observations; it makes the messages from them",
}
"""(inner, outer): the first must be inside the second, for this reason."""

EXCLUSIVE: Mapping[frozenset[str], str] = {
    frozenset({"ChatHistory", "DiscreteToolActions"}): "each makes the observation its own",
}
"""Wrappers that cannot stand in one stack."""

ORDER: tuple[str, ...] = (
    "DistractorTools",
    "ToolBudget",
    "ToolFailureInjection",
    "TimeBudget",
    "BinaryReward",
    "EfficiencyBonus",
    "DenseReward",
    "StepCost",
    "PlanHint",
    "ObservationLimit",
    "RecordTrajectories",
    "ChatHistory",
    "DiscreteToolActions",
)
"""An order, innermost first, that satisfies every rule (leave out one of the last two)."""

_OWN_TERMINAL_REWARD = ("BinaryReward", "EfficiencyBonus", "DenseReward")


def check_stack(inside: Sequence[Any], outer: Any, base: ToolEnv) -> None:
    """Refuse to put ``outer`` around ``inside`` where that makes no sense.

    Args:
        inside: The wrappers there are.
        outer: The one to be put around them.
        base: The environment.

    Raises:
        TaskError: Names the two wrappers and says why.
    """
    new = type(outer).__name__
    if base.reward_mode == "dense" and new in _OWN_TERMINAL_REWARD:
        raise TaskError(f'{new} needs the terminal reward: leave reward_mode="dense" out', field="env")
    for wrapper in inside:
        old = type(wrapper).__name__
        if isinstance(wrapper, TimeLimit):
            raise TaskError("TimeLimit cuts from outside, so that no verdict is computed; use max_steps", field="env")
        if old == new:
            raise TaskError(f"there is a {new} already; one is enough", field="env")
        reason = EXCLUSIVE.get(frozenset({old, new}))
        if reason:
            raise TaskError(f"{new} and {old} exclude each other: {reason}", field="env")
        reason = INSIDE.get((new, old))
        if reason:
            raise TaskError(f"{new} must be inside {old}: {reason}", field="env")
