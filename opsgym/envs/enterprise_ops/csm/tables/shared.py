"""What many tables have in common."""

from __future__ import annotations

from opsgym.core.records.columns import Moment

CREATED = Moment("sys_created_on", stamp="created")
STAMPS = (CREATED, Moment("sys_updated_on", stamp="updated"))
