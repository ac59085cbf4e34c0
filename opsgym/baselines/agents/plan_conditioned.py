"""PlanConditioned: tool calling with the reference plan in sight."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from opsgym.baselines.agents.tool_calling import ToolCalling
from opsgym.baselines.prompt import load_prompt
from opsgym.core.errors import TaskError
from opsgym.wrappers.plan_hint import hint

__all__ = ["PlanConditioned"]


@dataclass(eq=False)
class PlanConditioned(ToolCalling):
    """Carries out the reference solution that stands in its prompt: what is left to go wrong is execution.

    It gives the solution away; its score says what planning costs an agent, not what the agent can do.
    Source: EnterpriseOps-Gym, section 4 and D.1.2 (plans written by people); here the plan is the certified one.

    Args:
        level: ``"outline"``: names of the tools in order; ``"oracle"``: the whole calls.  As
            :class:`~opsgym.wrappers.PlanHint` writes them.

    Raises:
        TaskError: At the start of an episode: not the default harness, for which the plan is written.
    """

    level: Literal["outline", "oracle"] = "outline"
    prompts: ClassVar[tuple[str, ...]] = ("tool_calling", "planned")

    async def opening(self) -> str:
        """The brief and the plan."""
        default = self.env.family.harnesses[0]
        if self.env.harness != default:
            raise TaskError(f"the plan is written for the harness {default!r}, got {self.env.harness!r}", field="env")
        plan = hint(self.env.task, self.level, self.env.family.outline(self.env.task))
        return f"{self.brief}\n\n{load_prompt('planned').fill(plan=plan)}"
