"""Service level agreements, and notifications."""

from __future__ import annotations

from opsgym.core.records.columns import Choice, Flag, Key, Moment, Ref, Text, Whole
from opsgym.core.records.table import Table
from opsgym.envs.enterprise_ops.itsm import words
from opsgym.envs.enterprise_ops.itsm.tables.shared import ORG, STAMPS_ON

SLA = Table(
    "sla_definition",
    (
        Key("sla_def_id", "SLA"),
        Text("name", 120, required=True, shown=False),
        Choice("metric", words.METRICS, required=True),
        Whole("target_mins", 1, required=True),
        Flag("pause_on_pending", required=True),
        Choice("applies_to_priority", words.WORKING_PRIORITIES),
        Flag("active", required=True, default=True),
        Text("schedule", 32, shown=False),
        ORG,
        *STAMPS_ON,
    ),
    resource="sla_definitions",
    scope="org_id",
    unique=(("org_id", "name"),),
)
INCIDENT_SLA = Table(
    "incident_sla",
    (
        Key("incident_sla_id", "TSLA"),
        Ref("incident_id", "incident", required=True),
        Ref("sla_def_id", "sla_definition", required=True),
        ORG,
        Choice("stage", words.SLA_STAGES, required=True, default="in_progress", shown=False),
        Flag("has_breached", required=True, default=False),
        Moment("start_time", required=True),
        Moment("breach_time"),
        Moment("completed_time"),
        *STAMPS_ON,
    ),
    resource="incident_slas",
    scope="org_id",
    unique=(("org_id", "incident_id", "sla_def_id"),),
    checks={"breach_time IS NULL OR breach_time >= start_time": "An agreement is not breached before it starts."},
)
NOTIFICATION = Table(
    "notification",
    (
        Key("notification_id", "NOTIF"),
        Ref("incident_id", "incident", required=True),
        ORG,
        Ref("email", "users", "email", required=True, declared=False),
        Text("subject", 255, shown=False),
        Text("message", 2000, shown=False),
        Choice("type", words.NOTICE_TYPES),
        Choice("status", words.NOTICE_STATUSES),
        *STAMPS_ON,
    ),
    resource="notifications",
    scope="org_id",
    checks={"email LIKE '%@%'": "An email holds an @."},
)
TABLES = (SLA, INCIDENT_SLA, NOTIFICATION)
