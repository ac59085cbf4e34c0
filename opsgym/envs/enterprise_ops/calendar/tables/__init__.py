"""The 18 tables of Calendar.

The published release does not show its 17 tables; names are those of the sketch in the companion data, which follows the
public service.
"""

from __future__ import annotations

from opsgym.core.records.table import Table
from opsgym.envs.enterprise_ops.calendar.tables import calendars, events, people

TABLES: tuple[Table, ...] = (*people.TABLES, *calendars.TABLES, *events.TABLES)
"""All tables."""
