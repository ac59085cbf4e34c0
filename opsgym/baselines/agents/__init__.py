"""Agents: policies that ask a language model, one a module, over what :mod:`~opsgym.baselines.agents.chat_agent` gives them."""

from opsgym.baselines.agents.chat_agent import ChatAgent
from opsgym.baselines.agents.constrained import Constrained
from opsgym.baselines.agents.plan_conditioned import PlanConditioned
from opsgym.baselines.agents.plan_decompose_execute import PlanDecomposeExecute
from opsgym.baselines.agents.plan_execute import PlanExecute
from opsgym.baselines.agents.react import ReAct
from opsgym.baselines.agents.tool_calling import ToolCalling

__all__ = ["ChatAgent", "Constrained", "PlanConditioned", "PlanDecomposeExecute", "PlanExecute", "ReAct", "ToolCalling"]
