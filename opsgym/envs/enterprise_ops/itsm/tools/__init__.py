"""The 93 tools of ITSM, with official names and signatures.

Source: the published tool signatures of EnterpriseOps-Gym's ITSM server.
"""

from __future__ import annotations

from opsgym.core.tools import Tool
from opsgym.envs.enterprise_ops.itsm.tools import assets, changes, incidents, knowledge, people, service_levels

TOOLS: tuple[Tool, ...] = (
    *people.TOOLS,
    *assets.TOOLS,
    *knowledge.TOOLS,
    *incidents.TOOLS,
    *changes.TOOLS,
    *service_levels.TOOLS,
)
"""All tools."""
