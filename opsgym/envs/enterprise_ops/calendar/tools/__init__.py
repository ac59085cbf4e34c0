"""The 37 tools of Calendar, with official names and signatures.

Source: the published tool signatures of EnterpriseOps-Gym's Calendar server.
"""

from __future__ import annotations

from opsgym.core.tools import Tool
from opsgym.envs.enterprise_ops.calendar.tools import acl, calendars, events, lists, reading, system, writing

TOOLS: tuple[Tool, ...] = (
    *reading.TOOLS,
    *writing.TOOLS,
    *events.TOOLS,
    *calendars.TOOLS,
    *lists.TOOLS,
    *acl.TOOLS,
    *system.TOOLS,
)
"""All tools."""
