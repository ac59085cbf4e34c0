"""The 24 tables of ITSM, with official names.

Source: the published schema of EnterpriseOps-Gym's ITSM server.
"""

from __future__ import annotations

from opsgym.core.records.table import Table
from opsgym.envs.enterprise_ops.itsm.tables import assets, changes, incidents, knowledge, people, service_levels

TABLES: tuple[Table, ...] = (
    *people.TABLES,
    *assets.TABLES,
    *knowledge.TABLES,
    *incidents.TABLES,
    *changes.TABLES,
    *service_levels.TABLES,
)
"""All tables."""
