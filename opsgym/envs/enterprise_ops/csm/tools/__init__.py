"""The 89 tools of CSM, with official names and signatures.

Source: the published tool signatures of EnterpriseOps-Gym's CSM server.
"""

from __future__ import annotations

from opsgym.core.tools import Tool
from opsgym.envs.enterprise_ops.csm.tools import cases, contracts, customers, knowledge, people, service_levels

TOOLS: tuple[Tool, ...] = (
    *people.TOOLS,
    *customers.TOOLS,
    *contracts.TOOLS,
    *cases.TOOLS,
    *service_levels.TOOLS,
    *knowledge.TOOLS,
)
"""All tools."""
