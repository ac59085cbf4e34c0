"""ITSM, put together."""

from __future__ import annotations

from opsgym.core.records.domain import Domain
from opsgym.envs.enterprise_ops.itsm.rules import LIFECYCLES, MATRICES, NOTES, RIGHTS, RULES, SIGHTS
from opsgym.envs.enterprise_ops.itsm.tables import TABLES
from opsgym.envs.enterprise_ops.itsm.tools import TOOLS

ITSM = Domain(
    name="itsm",
    title="IT service management",
    tables=TABLES,
    rights=RIGHTS,
    lifecycles=LIFECYCLES,
    matrices=MATRICES,
    own_rules=RULES,
    sights=SIGHTS,
    tools=TOOLS,
    notes=NOTES,
)
"""The domain."""
