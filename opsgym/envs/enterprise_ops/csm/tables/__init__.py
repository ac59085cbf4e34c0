"""The 17 tables of CSM, with official names.

Source: column names of the published seeds of EnterpriseOps-Gym's CSM server; kinds, references and conditions are ours, so
that the published seeds fit them.
"""

from __future__ import annotations

from opsgym.core.records.table import Table
from opsgym.envs.enterprise_ops.csm.tables import cases, contracts, customers, knowledge, people, service_levels

TABLES: tuple[Table, ...] = (
    *people.TABLES,
    *customers.TABLES,
    *contracts.TABLES,
    *cases.TABLES,
    *service_levels.TABLES,
    *knowledge.TABLES,
)
"""All tables."""
