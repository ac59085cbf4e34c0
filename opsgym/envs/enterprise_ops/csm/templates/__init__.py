"""Kinds of CSM tasks."""

from __future__ import annotations

from opsgym.envs.enterprise_ops.csm.templates import contracts, intake, knowledge, people, progress
from opsgym.envs.enterprise_ops.template import Template

TEMPLATES: tuple[Template, ...] = (
    *intake.TEMPLATES,
    *progress.TEMPLATES,
    *contracts.TEMPLATES,
    *people.TEMPLATES,
    *knowledge.TEMPLATES,
)
"""All of them."""
