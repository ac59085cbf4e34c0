"""States of webinars and town halls."""

from __future__ import annotations

from opsgym.core.records.lifecycle import Lifecycle

_MOVES = {"draft": ("published", "canceled"), "published": ("canceled",)}
LIFECYCLES = (
    Lifecycle("TEAMS-WEB", "virtual_event_webinars", "status", start=("draft",), moves=_MOVES),
    Lifecycle("TEAMS-HALL", "virtual_event_townhalls", "status", start=("draft",), moves=_MOVES),
)
