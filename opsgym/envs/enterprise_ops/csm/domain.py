"""CSM, put together."""

from __future__ import annotations

from opsgym.core.records.domain import Domain
from opsgym.envs.enterprise_ops.csm.rules import LIFECYCLES, NOTES, RIGHTS, RULES, SIGHTS
from opsgym.envs.enterprise_ops.csm.tables import TABLES
from opsgym.envs.enterprise_ops.csm.tools import TOOLS

CSM = Domain(
    name="csm",
    title="Customer service management",
    tables=TABLES,
    rights=RIGHTS,
    lifecycles=LIFECYCLES,
    own_rules=RULES,
    sights=SIGHTS,
    tools=TOOLS,
    notes=NOTES,
)
"""The domain."""
