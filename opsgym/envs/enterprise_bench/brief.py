"""Brief: what an agent reads at reset."""

from __future__ import annotations

from opsgym.core.task import Task
from opsgym.envs.enterprise_bench.setting import Setting

DISCLOSURES = ("full", "request")
"""``"full"``: the rules of access, who asks, and the request; ``"request"``: without the rules, which are in the info."""


def brief(task: Task, setting: Setting, disclosure: str) -> str:
    """The text of a disclosure level."""
    parts = [task.policy.rstrip()] if disclosure == "full" else []
    who = f"# Who asks\n{setting.name} ({setting.emp_id}), {setting.title}. You have exactly this employee's rights."
    return "\n\n".join([*parts, who, f"# Request\n{task.instruction}"]) + "\n"
