"""States of cases, requests for approval, tasks and articles."""

from __future__ import annotations

from opsgym.core.records.lifecycle import Lifecycle

LIFECYCLES = (
    Lifecycle(
        "HR-CASE",
        "hr_case",
        "status",
        start=("draft", "ready"),
        moves={
            "draft": ("ready", "work_in_progress", "awaiting_approval", "suspended", "cancelled"),
            "ready": ("work_in_progress", "awaiting_approval", "suspended", "cancelled"),
            "work_in_progress": ("awaiting_acceptance", "awaiting_approval", "suspended", "closed_complete", "closed_incomplete"),
            "awaiting_acceptance": ("closed_complete", "closed_incomplete"),
            "awaiting_approval": ("work_in_progress", "closed_complete", "closed_incomplete", "cancelled"),
            "suspended": ("ready", "work_in_progress", "cancelled"),
        },
        needs={
            "work_in_progress": ("assignment_group", "assigned_to"),
            "awaiting_approval": ("approver", "request_status"),
            "suspended": ("worknotes",),
            "closed_complete": ("worknotes",),
            "closed_incomplete": ("worknotes",),
        },
    ),
    Lifecycle(
        "HR-REQUEST",
        "hr_case",
        "request_status",
        start=("requested",),
        moves={"requested": ("approved", "rejected"), "rejected": ("requested",)},
    ),
    Lifecycle(
        "HR-TASK",
        "hr_case_task",
        "status",
        start=("draft", "ready"),
        moves={
            "draft": ("ready", "work_in_progress", "cancelled"),
            "ready": ("work_in_progress", "closed_complete", "closed_incomplete", "cancelled"),
            "work_in_progress": ("closed_complete", "closed_incomplete", "cancelled"),
        },
        needs={"closed_incomplete": ("worknotes",)},
    ),
    Lifecycle(
        "HR-KB",
        "knowledge",
        "state",
        start=("draft", "published"),
        moves={"draft": ("published", "retired"), "published": ("retired",)},
        needs={"published": ("body",)},
    ),
)
