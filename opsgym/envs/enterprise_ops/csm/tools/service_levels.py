"""Tools for service level agreements."""

from __future__ import annotations

import datetime as dt
from typing import Any

from opsgym.core.errors import ToolError
from opsgym.core.records.columns import Moment
from opsgym.core.records.records import Records
from opsgym.core.records.tools import aggregating, creating, listing, removing, updating
from opsgym.envs.enterprise_ops.csm.tables.service_levels import CASE_SLA, SLA
from opsgym.envs.enterprise_ops.csm.tools.counts import grouping

_SLA = "name metric target_mins pause_on_pending applies_to_priority active"
_LINK = "case_id sla_def_id stage"
_CLOCK = "start_time breach_time has_breached completed_time"
_TIMES = "created_after created_before"


def _started(records: Records, values: dict[str, Any]) -> dict[str, Any]:
    """The clock starts now unless a start is given, and runs out after the target's minutes."""
    start = values.get("start_time") or records.now
    if problem := CASE_SLA.column("start_time").problem(start):
        raise ToolError("invalid_value", f"start_time: {problem}")
    clock = {"start_time": start}
    for row in records.find(SLA, {"sla_def_id": values["sla_def_id"]}):
        clock["breach_time"] = _later(Moment.canonical(start), row["target_mins"])
    return clock


def _later(start: str, minutes: int) -> str:
    try:
        return (dt.datetime.fromisoformat(start) + dt.timedelta(minutes=minutes)).isoformat(" ")
    except OverflowError as error:
        raise ToolError("invalid_value", f"start_time: {start} leaves no room for {minutes} minutes") from error


TOOLS = (
    creating(
        "add_new_sla_definition",
        "Create an SLA definition",
        SLA,
        "metric target_mins name pause_on_pending active",
        "applies_to_priority",
    ),
    updating("update_sla_definition", "Change an SLA definition", SLA, "sla_def_id", _SLA),
    listing(
        "find_sla_definitions",
        "List SLA definitions; all arguments given must match",
        SLA,
        f"sla_def_id {_SLA} {_TIMES}",
    ),
    aggregating(
        "average_target_mins_per_priority",
        "Average the target minutes of SLA definitions by priority",
        SLA,
        "priority_list=applies_to_priority",
        measure="avg",
        of="target_mins",
    ),
    grouping(
        "total_sum_of_target_mins_per_priority",
        "Add up the target minutes of SLA definitions by priority",
        SLA,
        "applies_to_priority",
        "priority=applies_to_priority",
        of="target_mins",
    ),
    creating(
        "link_new_case_sla",
        "Start an SLA of a case; its clock starts now unless a start is given",
        CASE_SLA,
        _LINK,
        _CLOCK,
        fill=_started,
    ),
    updating("update_case_sla_details", "Change an SLA of a case", CASE_SLA, "case_sla_id", f"{_LINK} {_CLOCK}"),
    listing("find_case_slas", "List SLAs of cases; all arguments given must match", CASE_SLA, f"case_sla_id {_LINK} {_CLOCK}"),
    removing(
        "delete_case_slas", "Delete SLAs of cases; all arguments given must match", CASE_SLA, f"case_sla_id {_LINK} {_CLOCK}"
    ),
    grouping(
        "find_stage_wise_breached_case_sla_counts",
        "Count the breached SLAs of cases by stage",
        CASE_SLA,
        "stage",
        "stage",
        has_breached=True,
    ),
)
