"""Kinds of HR tasks."""

from __future__ import annotations

from opsgym.envs.enterprise_ops.hr.templates import approvals, casework, catalogue, closing, people, routing, self_service
from opsgym.envs.enterprise_ops.template import Template

TEMPLATES: tuple[Template, ...] = (
    *casework.TEMPLATES,
    *routing.TEMPLATES,
    *approvals.TEMPLATES,
    *closing.TEMPLATES,
    *people.TEMPLATES,
    *catalogue.TEMPLATES,
    *self_service.TEMPLATES,
)
"""All of them."""
