"""The 70 tools of Teams, with official names and signatures.

Source: the published tool signatures of EnterpriseOps-Gym's Teams server.
"""

from __future__ import annotations

from opsgym.core.tools import Tool
from opsgym.envs.enterprise_ops.teams.tools import calls, channels, chats, events, messages, tags, teams, users

TOOLS: tuple[Tool, ...] = (
    *users.TOOLS,
    *teams.TOOLS,
    *channels.TOOLS,
    *messages.TOOLS,
    *chats.TOOLS,
    *tags.TOOLS,
    *events.TOOLS,
    *calls.TOOLS,
)
"""All tools."""
