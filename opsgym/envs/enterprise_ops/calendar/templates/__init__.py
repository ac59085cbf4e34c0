"""Kinds of Calendar tasks."""

from __future__ import annotations

from opsgym.envs.enterprise_ops.calendar.templates import access, meetings, series
from opsgym.envs.enterprise_ops.template import Template

TEMPLATES: tuple[Template, ...] = (*meetings.TEMPLATES, *series.TEMPLATES, *access.TEMPLATES)
"""All of them."""
