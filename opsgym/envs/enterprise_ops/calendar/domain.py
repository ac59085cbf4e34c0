"""Calendar, put together."""

from __future__ import annotations

from opsgym.core.records.domain import Domain
from opsgym.envs.enterprise_ops.calendar.rules import NOTES, RIGHTS, RULES, SIGHTS
from opsgym.envs.enterprise_ops.calendar.tables import TABLES
from opsgym.envs.enterprise_ops.calendar.tools import TOOLS

CALENDAR = Domain(
    name="calendar",
    title="Calendar",
    tables=TABLES,
    rights=RIGHTS,
    own_rules=RULES,
    sights=SIGHTS,
    tools=TOOLS,
    notes=NOTES,
)
"""The domain."""
