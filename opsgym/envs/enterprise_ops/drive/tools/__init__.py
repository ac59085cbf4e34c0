"""The 55 tools of Drive, with official names and signatures.

Source: the published tool signatures of EnterpriseOps-Gym's Drive server.
"""

from __future__ import annotations

from opsgym.core.tools import Tool
from opsgym.envs.enterprise_ops.drive.tools import comments, drives, feed, files, labels, revisions, sharing, system

TOOLS: tuple[Tool, ...] = (
    *files.TOOLS,
    *revisions.TOOLS,
    *sharing.TOOLS,
    *comments.TOOLS,
    *labels.TOOLS,
    *drives.TOOLS,
    *feed.TOOLS,
    *system.TOOLS,
)
"""All tools."""
