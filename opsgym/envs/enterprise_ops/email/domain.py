"""Email, put together."""

from __future__ import annotations

from opsgym.core.records.domain import Domain
from opsgym.envs.enterprise_ops.email.rules import LIFECYCLES, NOTES, RIGHTS, RULES
from opsgym.envs.enterprise_ops.email.tables import TABLES
from opsgym.envs.enterprise_ops.email.tools import TOOLS

EMAIL = Domain(
    name="email",
    title="Email",
    tables=TABLES,
    rights=RIGHTS,
    lifecycles=LIFECYCLES,
    own_rules=RULES,
    tools=TOOLS,
    notes=NOTES,
)
"""The domain."""
