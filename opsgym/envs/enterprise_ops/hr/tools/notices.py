"""Tools for notifications about cases."""

from __future__ import annotations

from typing import Any

from opsgym.core.records.records import Records
from opsgym.core.records.signature import Argument, declared
from opsgym.core.records.tools import aggregating, creating, listing, removing, updating
from opsgym.envs.enterprise_ops.hr.tables.cases import NOTIFICATION

_FIELDS = "notification_id hr_case_id email type status sys_created_on=created_at"


def _average(records: Records, given: dict[str, Any]) -> Any:
    """Notifications per case, over those asked for, or over those that have any."""
    counts = dict.fromkeys(given.get("case_ids") or (), 0)
    for row in records.find(NOTIFICATION, {}):
        if row["hr_case_id"] in counts or not given.get("case_ids"):
            counts[row["hr_case_id"]] = counts.get(row["hr_case_id"], 0) + 1
    return {"average": sum(counts.values()) / len(counts) if counts else None}


TOOLS = (
    creating("send_notification", "Send a notification about a case", NOTIFICATION, "hr_case_id email", "type status"),
    updating("update_notification", "Change a notification", NOTIFICATION, "notification_id", "hr_case_id email type status"),
    removing(
        "delete_notifications",
        "Delete notifications; all arguments given must match",
        NOTIFICATION,
        f"{_FIELDS} created_before created_after",
    ),
    listing("find_notifications", "List notifications; all arguments given must match", NOTIFICATION, _FIELDS),
    listing("find_notifications_for_email", "List the notifications to an email address", NOTIFICATION, need="email"),
    listing("find_notifications_sent_for_incident", "List the notifications about a case", NOTIFICATION, need="hr_case_id"),
    aggregating("count_notifications_by_case", "Count notifications by case", NOTIFICATION, "case_ids=hr_case_id"),
    aggregating("count_notifications_by_status", "Count notifications by status", NOTIFICATION, "status"),
    aggregating("count_notifications_by_type", "Count notifications by type", NOTIFICATION, "type"),
    declared(
        "avg_notifications_by_case",
        "Average number of notifications a case",
        (Argument("case_ids", list[int], "The cases; by default those that have any.", False),),
        _average,
    ),
)
