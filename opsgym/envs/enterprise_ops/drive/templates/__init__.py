"""Kinds of Drive tasks."""

from __future__ import annotations

from opsgym.envs.enterprise_ops.drive.templates import content, sharing
from opsgym.envs.enterprise_ops.template import Template

TEMPLATES: tuple[Template, ...] = (*sharing.TEMPLATES, *content.TEMPLATES)
"""All of them."""
