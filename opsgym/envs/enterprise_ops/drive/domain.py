"""Drive, put together."""

from __future__ import annotations

from opsgym.core.records.domain import Domain
from opsgym.envs.enterprise_ops.drive.rules import LIFECYCLES, NOTES, RIGHTS, RULES, SIGHTS
from opsgym.envs.enterprise_ops.drive.tables import TABLES
from opsgym.envs.enterprise_ops.drive.tools import TOOLS

DRIVE = Domain(
    name="drive",
    title="Drive",
    tables=TABLES,
    rights=RIGHTS,
    lifecycles=LIFECYCLES,
    own_rules=RULES,
    sights=SIGHTS,
    tools=TOOLS,
    notes=NOTES,
)
"""The domain."""
