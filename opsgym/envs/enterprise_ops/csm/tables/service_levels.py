"""Service level agreements and their clocks."""

from __future__ import annotations

from opsgym.core.records.columns import Choice, Flag, Key, Moment, Ref, Text, Whole
from opsgym.core.records.table import Table
from opsgym.envs.enterprise_ops.csm import words
from opsgym.envs.enterprise_ops.csm.tables.shared import STAMPS

SLA = Table(
    "sla_definition",
    (
        Key("sla_def_id", whole=True),
        Text("name", required=True),
        Choice("metric", words.METRICS, required=True),
        Whole("target_mins", 1, required=True, shown=False),
        Flag("pause_on_pending", required=True, default=True),
        Choice("applies_to_priority", words.PRIORITIES),
        Flag("active", required=True, default=True),
        *STAMPS,
    ),
    resource="sla_definitions",
)
CASE_SLA = Table(
    "case_sla",
    (
        Key("case_sla_id", whole=True),
        Ref("case_id", "customer_case", required=True, whole=True),
        Ref("sla_def_id", "sla_definition", required=True, whole=True),
        Choice("stage", words.SLA_STAGES, required=True),
        Moment("start_time"),
        Moment("breach_time"),
        Flag("has_breached", required=True, default=False),
        Moment("completed_time"),
    ),
    resource="case_slas",
    unique=(("case_id", "sla_def_id"),),
)
TABLES = (SLA, CASE_SLA)
