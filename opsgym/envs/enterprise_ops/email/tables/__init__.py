"""The 28 tables of Email.

Source: table and column names that published verifiers of EnterpriseOps-Gym's Email server read; the rest is made
in the shape of its tool signatures, since the schema is not published.
"""

from __future__ import annotations

from opsgym.core.records.table import Table
from opsgym.envs.enterprise_ops.email.tables import labels, messages, people, routing, security, sending, settings

TABLES: tuple[Table, ...] = (
    *people.TABLES,
    *labels.TABLES,
    *messages.TABLES,
    *routing.TABLES,
    *sending.TABLES,
    *settings.TABLES,
    *security.TABLES,
)
"""All tables."""
