"""Teams, put together."""

from __future__ import annotations

from opsgym.core.records.domain import Domain
from opsgym.envs.enterprise_ops.teams.rules import LIFECYCLES, NOTES, RIGHTS, RULES, SIGHTS
from opsgym.envs.enterprise_ops.teams.tables import TABLES
from opsgym.envs.enterprise_ops.teams.tools import TOOLS

TEAMS = Domain(
    name="teams",
    title="Teams",
    tables=TABLES,
    rights=RIGHTS,
    lifecycles=LIFECYCLES,
    own_rules=RULES,
    sights=SIGHTS,
    tools=TOOLS,
    notes=NOTES,
)
"""The domain."""
