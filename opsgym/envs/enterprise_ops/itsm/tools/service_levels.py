"""Tools for service level agreements and notifications."""

from __future__ import annotations

from typing import Any

from opsgym.core.records.columns import Choice
from opsgym.core.records.records import Records
from opsgym.core.records.signature import Argument, declared
from opsgym.core.records.tools import aggregating, creating, getting, listing, removing, updating
from opsgym.envs.enterprise_ops.itsm import words
from opsgym.envs.enterprise_ops.itsm.tables.service_levels import INCIDENT_SLA, NOTIFICATION, SLA

_SLA = "metric target_mins pause_on_pending"
_PRIORITY = "priority=applies_to_priority"
_LINK = "incident_id sla_def_id"
_CLOCK = "breach_time completed_time"
_TIMES = "created_after created_before"


def _average_notifications(records: Records, given: dict[str, Any]) -> Any:
    """Notifications per incident, over those asked for, or over those that have any."""
    counts = dict.fromkeys(given.get("incident_id") or (), 0)
    for row in records.find(NOTIFICATION, {}):
        if row["incident_id"] in counts or not given.get("incident_id"):
            counts[row["incident_id"]] = counts.get(row["incident_id"], 0) + 1
    return {"average": sum(counts.values()) / len(counts) if counts else None}


TOOLS = (
    creating("add_new_sla_definition", "Create an SLA definition", SLA, f"name {_SLA} active", "applies_to_priority schedule"),
    updating(
        "update_sla_definition", "Change an SLA definition", SLA, "sla_def_id", f"name {_SLA} active applies_to_priority schedule"
    ),
    getting("find_sla_definition_by_name", "Read an SLA definition by its name", SLA, "name"),
    listing(
        "find_sla_definitions",
        "List SLA definitions; all arguments given must match",
        SLA,
        f"sla_def_id name {_SLA} applies_to_priority active {_TIMES}",
    ),
    aggregating(
        "average_target_mins_per_priority",
        "Average the target minutes of SLA definitions by priority",
        SLA,
        _PRIORITY,
        measure="avg",
        of="target_mins",
    ),
    aggregating(
        "total_sum_of_target_mins_per_priority",
        "Add up the target minutes of SLA definitions by priority",
        SLA,
        _PRIORITY,
        measure="sum",
        of="target_mins",
    ),
    creating(
        "link_new_incident_sla",
        "Start an SLA of an incident",
        INCIDENT_SLA,
        f"{_LINK} start_time",
        f"stage has_breached {_CLOCK}",
    ),
    updating(
        "update_incident_sla_details",
        "Change an SLA of an incident",
        INCIDENT_SLA,
        "incident_sla_id",
        f"{_LINK} stage has_breached start_time {_CLOCK}",
    ),
    listing(
        "find_incident_slas",
        "List SLAs of incidents; all arguments given must match",
        INCIDENT_SLA,
        f"incident_sla_id {_LINK} stage has_breached {_TIMES}",
    ),
    removing(
        "delete_incident_slas",
        "Delete SLAs of incidents; all arguments given must match",
        INCIDENT_SLA,
        f"incident_sla_id {_LINK} stage has_breached {_TIMES}",
    ),
    aggregating(
        "find_stage_wise_breached_incident_sla_counts",
        "Count the breached SLAs of incidents by stage",
        INCIDENT_SLA,
        "stages=stage",
        equal={"has_breached": True},
    ),
    creating(
        "send_notification",
        "Send a notification on an incident to a user's email address",
        NOTIFICATION,
        "incident_id email",
        "type status subject message",
        defaults={"status": "queued"},
    ),
    updating(
        "update_notification",
        "Change a notification",
        NOTIFICATION,
        "notification_id",
        "incident_id email type status subject message",
    ),
    removing("delete_notifications", "Delete a notification", NOTIFICATION, need="notification_id"),
    listing(
        "find_notifications",
        "List notifications; all arguments given must match",
        NOTIFICATION,
        f"notification_id incident_id email type status {_TIMES}",
    ),
    listing("find_notifications_for_email", "List the notifications to an email address", NOTIFICATION, need="email"),
    listing("find_notifications_sent_for_incident", "List the notifications on an incident", NOTIFICATION, need="incident_id"),
    aggregating("count_notifications_by_incident", "Count notifications by incident", NOTIFICATION, "incident_id"),
    aggregating("count_notifications_by_status", "Count notifications by status", NOTIFICATION, "status"),
    aggregating(
        "count_notifications_by_type",
        "Count notifications by type",
        NOTIFICATION,
        "type",
        kinds={"type": Choice("type", words.NOTICE_TYPES)},
    ),
    declared(
        "average_notifications_by_incident",
        "Average the number of notifications per incident",
        (Argument("incident_id", list[str], "Incidents to average over; by default those with a notification.", False),),
        _average_notifications,
    ),
)
