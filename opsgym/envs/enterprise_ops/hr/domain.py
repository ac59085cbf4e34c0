"""HR service delivery, put together."""

from __future__ import annotations

from opsgym.core.records.domain import Domain
from opsgym.envs.enterprise_ops.hr.rules import LIFECYCLES, MASKS, NOTES, RIGHTS, RULES, SIGHTS
from opsgym.envs.enterprise_ops.hr.tables import TABLES
from opsgym.envs.enterprise_ops.hr.tools import TOOLS

HR = Domain(
    name="hr",
    title="HR service delivery",
    tables=TABLES,
    rights=RIGHTS,
    lifecycles=LIFECYCLES,
    own_rules=RULES,
    sights=SIGHTS,
    masks=MASKS,
    tools=TOOLS,
    notes=NOTES,
)
"""The domain."""
