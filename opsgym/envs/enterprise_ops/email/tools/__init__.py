"""The 79 tools of Email, with official names and signatures.

Source: the published tool signatures of EnterpriseOps-Gym's Email server, whose shape is that of the Gmail API.
"""

from __future__ import annotations

from opsgym.core.tools import Tool
from opsgym.envs.enterprise_ops.email.tools import (
    drafts,
    encryption,
    filters,
    forwarding,
    labels,
    messages,
    profile,
    sending,
    settings,
    smime,
    threads,
)

TOOLS: tuple[Tool, ...] = (
    *messages.TOOLS,
    *threads.TOOLS,
    *drafts.TOOLS,
    *labels.TOOLS,
    *filters.TOOLS,
    *sending.TOOLS,
    *smime.TOOLS,
    *forwarding.TOOLS,
    *settings.TOOLS,
    *encryption.TOOLS,
    *profile.TOOLS,
)
"""All tools."""
