"""The 89 tools of HR service delivery, with official names and signatures.

Source: the published tool signatures of EnterpriseOps-Gym's HR server.
"""

from __future__ import annotations

from opsgym.core.tools import Tool
from opsgym.envs.enterprise_ops.hr.tools import cases, catalogue, knowledge, notices, people, profiles, routing, surveys

TOOLS: tuple[Tool, ...] = (
    *people.TOOLS,
    *profiles.TOOLS,
    *catalogue.TOOLS,
    *cases.TOOLS,
    *surveys.TOOLS,
    *notices.TOOLS,
    *routing.TOOLS,
    *knowledge.TOOLS,
)
"""All tools."""
