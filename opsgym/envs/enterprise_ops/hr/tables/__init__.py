"""The 26 tables of HR service delivery, with official names.

Source: the published column names of EnterpriseOps-Gym's HR server; keys, limits and uniqueness are ours.
"""

from __future__ import annotations

from opsgym.core.records.table import Table
from opsgym.envs.enterprise_ops.hr.tables import cases, catalogue, knowledge, people, profiles, routing, surveys

TABLES: tuple[Table, ...] = (
    *people.TABLES,
    *profiles.TABLES,
    *catalogue.TABLES,
    *cases.TABLES,
    *surveys.TABLES,
    *routing.TABLES,
    *knowledge.TABLES,
)
"""All tables."""
