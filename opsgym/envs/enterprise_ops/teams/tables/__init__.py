"""The 47 tables of Teams.

Source: table and column names seen in the published material of EnterpriseOps-Gym's Teams server; where nothing is known
(33 tables), names follow Microsoft Graph v1.0.  Every record carries its organization, and most a mark for deletion.
"""

from __future__ import annotations

from opsgym.core.records.table import Table
from opsgym.envs.enterprise_ops.teams.tables import apps, calls, channels, chats, events, people, teams

TABLES: tuple[Table, ...] = (
    *people.TABLES,
    *teams.TABLES,
    *channels.TABLES,
    *apps.TABLES,
    *chats.TABLES,
    *events.TABLES,
    *calls.TABLES,
)
"""All tables."""
