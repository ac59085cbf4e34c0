"""Kinds of hybrid tasks."""

from __future__ import annotations

from opsgym.envs.enterprise_ops.hybrid.templates import csm_mail, mail_tools, service_mail, service_report, teams
from opsgym.envs.enterprise_ops.template import Template

TEMPLATES: tuple[Template, ...] = (
    *csm_mail.TEMPLATES,
    *mail_tools.TEMPLATES,
    *service_mail.TEMPLATES,
    *service_report.TEMPLATES,
    *teams.TEMPLATES,
)
"""All of them."""
