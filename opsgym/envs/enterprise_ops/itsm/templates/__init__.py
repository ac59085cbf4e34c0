"""Kinds of ITSM tasks."""

from __future__ import annotations

from opsgym.envs.enterprise_ops.itsm.templates import assets, changes, incidents
from opsgym.envs.enterprise_ops.template import Template

TEMPLATES: tuple[Template, ...] = (*incidents.TEMPLATES, *changes.TEMPLATES, *assets.TEMPLATES)
"""All of them."""
