"""Kinds of Teams tasks."""

from __future__ import annotations

from opsgym.envs.enterprise_ops.teams.templates import channels, meetings, people
from opsgym.envs.enterprise_ops.template import Template

TEMPLATES: tuple[Template, ...] = (*channels.TEMPLATES, *people.TEMPLATES, *meetings.TEMPLATES)
"""All of them."""
