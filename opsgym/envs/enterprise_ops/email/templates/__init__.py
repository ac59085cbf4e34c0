"""Kinds of Email tasks."""

from __future__ import annotations

from opsgym.envs.enterprise_ops.email.templates import access, keys, mail, routing, writing
from opsgym.envs.enterprise_ops.template import Template

TEMPLATES: tuple[Template, ...] = (
    *mail.TEMPLATES,
    *writing.TEMPLATES,
    *routing.TEMPLATES,
    *access.TEMPLATES,
    *keys.TEMPLATES,
)
"""All of them."""
