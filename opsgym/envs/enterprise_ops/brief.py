"""Brief: what an agent reads at reset."""

from __future__ import annotations

from opsgym.core.task import Task
from opsgym.envs.enterprise_ops.setting import Setting
from opsgym.envs.enterprise_ops.systems import system

DISCLOSURES = ("full", "request")
"""``"full"``: the policy, for whom the agent acts, and the request; ``"request"``: without the policy, which is in the info."""


def brief(task: Task, setting: Setting, disclosure: str) -> str:
    """The text of a disclosure level."""
    parts = [task.policy.rstrip()] if disclosure == "full" else []
    return "\n\n".join([*parts, f"# For whom you act\n{identity(setting)}", f"# Request\n{task.instruction}"]) + "\n"


def identity(setting: Setting) -> str:
    """For whom the agent acts."""
    first = setting.parts[0]
    seats = "; ".join(f"{system(part.system).domain.title}: role {part.role}, user {part.actor}" for part in setting.parts)
    return f"{first.name} <{first.email}>. {seats}."
