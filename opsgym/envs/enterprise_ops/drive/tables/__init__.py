"""The 28 tables of Drive, with the names of the published data."""

from __future__ import annotations

from opsgym.core.records.table import Table
from opsgym.envs.enterprise_ops.drive.tables import comments, feed, files, labels, people, sharing, system

TABLES: tuple[Table, ...] = (
    *people.TABLES,
    *files.TABLES,
    *sharing.TABLES,
    *comments.TABLES,
    *labels.TABLES,
    *feed.TABLES,
    *system.TABLES,
)
"""All tables."""
