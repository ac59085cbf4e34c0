"""States of cases and of their SLAs."""

from __future__ import annotations

from opsgym.core.records.lifecycle import Lifecycle

LIFECYCLES = (
    Lifecycle(
        "CSM-CASE",
        "customer_case",
        "state",
        start=("new", "in_progress"),
        moves={
            "new": ("in_progress", "pending", "resolved", "canceled"),
            "in_progress": ("pending", "resolved", "canceled"),
            "pending": ("in_progress", "resolved", "canceled"),
            "resolved": ("closed", "new"),
            "closed": ("new",),
        },
        needs={"closed": ("closed_on",)},
        stamps={"closed": "closed_on", "canceled": "closed_on"},
    ),
    Lifecycle(
        "CSM-SLA",
        "case_sla",
        "stage",
        start=("in_progress",),
        moves={
            "in_progress": ("paused", "completed", "canceled"),
            "paused": ("in_progress", "completed", "canceled"),
        },
        needs={"completed": ("completed_time",)},
        stamps={"completed": "completed_time"},
    ),
)
