"""Wrappers: what a training loop puts around an environment, for every family alike.

Around the calls: :class:`DistractorTools`, :class:`ToolBudget`, :class:`ToolFailureInjection`, :class:`TimeBudget`.
Around the reward: :class:`BinaryReward`, :class:`EfficiencyBonus`, :class:`DenseReward`, :class:`StepCost`.
Around the text: :class:`PlanHint`, :class:`ObservationLimit`, :class:`ChatHistory`.
:class:`RecordTrajectories` writes episodes to a file; :class:`DiscreteToolActions` makes the actions numbers.

Orders that make no sense are refused with a reason; :data:`ORDER` is one that always works.
"""

from __future__ import annotations

from opsgym.wrappers.base import ToolWrapper, fork
from opsgym.wrappers.chat_history import ChatHistory, DropToolResults, Summarise, Window
from opsgym.wrappers.compose import ORDER
from opsgym.wrappers.dense_reward import DenseReward
from opsgym.wrappers.discrete_tool_actions import DiscreteToolActions
from opsgym.wrappers.distractor_tools import DistractorTools
from opsgym.wrappers.observation_limit import ObservationLimit
from opsgym.wrappers.plan_hint import PlanHint
from opsgym.wrappers.record_trajectories import RecordTrajectories
from opsgym.wrappers.rewards import BinaryReward, EfficiencyBonus, StepCost
from opsgym.wrappers.time_budget import TimeBudget
from opsgym.wrappers.tool_budget import ToolBudget
from opsgym.wrappers.tool_failure_injection import ToolFailureInjection

__all__ = [
    "ORDER",
    "BinaryReward",
    "ChatHistory",
    "DenseReward",
    "DiscreteToolActions",
    "DistractorTools",
    "DropToolResults",
    "EfficiencyBonus",
    "ObservationLimit",
    "PlanHint",
    "RecordTrajectories",
    "StepCost",
    "Summarise",
    "TimeBudget",
    "ToolBudget",
    "ToolFailureInjection",
    "ToolWrapper",
    "Window",
    "fork",
]
