"""Tools for cases, interactions and notifications."""

from __future__ import annotations

from typing import Any

from opsgym.core.records.records import Records
from opsgym.core.records.signature import Argument, declared
from opsgym.core.records.tools import aggregating, counting, creating, listing, removing, updating
from opsgym.envs.enterprise_ops.csm.tables.cases import CASE, INTERACTION, NOTIFICATION
from opsgym.envs.enterprise_ops.csm.tools.counts import averaging, grouping
from opsgym.envs.enterprise_ops.csm.tools.spans import containing, spanning

_CASE = "account_id contact_id channel priority state short_description"
_MORE = "product_id installed_product_id escalation escalation_reason reopen_count closed_on"
_ASSIGNED = "assignment_group_id assigned_to"
_INTERACTION = "channel account_id contact_id case_id interacted_user status started_at ended_at"
_NOTIFICATION = "case_id knowledge_id email type status"
_TIMES = "created_after created_before"


def _average_notifications(records: Records, given: dict[str, Any]) -> Any:
    """Notifications per case: of the case given, or over those that have any."""
    if "case" in given:
        return {"average": float(len(records.find(NOTIFICATION, {"case_id": given["case"]})))}
    cases = [row["case_id"] for row in records.find(NOTIFICATION, {})]
    return {"average": len(cases) / len(set(cases)) if cases else None}


TOOLS = (
    creating("create_new_case", "Create a case", CASE, _CASE, f"{_MORE} {_ASSIGNED}"),
    updating("update_case", "Change a case", CASE, "case_id", f"{_CASE} {_MORE} {_ASSIGNED}"),
    updating("assign_case_to_user", "Assign a case to a user", CASE, "case_id", "", need="assigned_to_user_id=assigned_to"),
    updating("set_case_assignment_group", "Assign a case to a group", CASE, "case_id", "", need="assignment_group_id"),
    containing(
        "search_cases",
        "List cases; all arguments given must match, the description may be a part of it",
        CASE,
        "case_id number account_id contact_id product_id installed_product_id channel priority state escalation"
        " escalation_reason reopen_count closed_on",
        "short_description",
    ),
    listing("get_cases_assigned_to", "List the cases of a user, of a group, or of both", CASE, _ASSIGNED),
    grouping(
        "count_case_by_state",
        "Count cases by state",
        CASE,
        "state",
        f"account_id product_id {_ASSIGNED} priority channel",
    ),
    counting(
        "count_case_for_assignment_group",
        "Count the cases of a group",
        CASE,
        "assignment_group_id",
        "state priority channel account_id product_id",
    ),
    grouping("get_channel_wise_case_count", "Count cases by channel", CASE, "channel", "channel"),
    grouping("get_count_of_cases_priority_wise", "Count cases by priority", CASE, "priority", "priority"),
    averaging(
        "get_average_case_reopen_count",
        "Average how often cases were reopened",
        CASE,
        "reopen_count",
        may="channel priority state",
    ),
    averaging(
        "avg_reopen_count_for_assignment_group",
        "Average how often the cases of a group were reopened",
        CASE,
        "reopen_count",
        need="assignment_group_id",
        may="state priority channel",
    ),
    creating(
        "register_new_interaction",
        "Create an interaction",
        INTERACTION,
        "channel status",
        "account_id contact_id case_id interacted_user started_at ended_at",
    ),
    updating("update_interaction", "Change an interaction", INTERACTION, "interaction_id", _INTERACTION),
    spanning(
        "find_interactions",
        "List interactions; all arguments given must match",
        INTERACTION,
        f"interaction_id {_INTERACTION}",
        least={"started_at_after": "started_at", "ended_at_after": "ended_at"},
        most={"started_at_before": "started_at", "ended_at_before": "ended_at"},
    ),
    grouping(
        "count_interaction_by_status",
        "Count interactions by status",
        INTERACTION,
        "status",
        "account_id contact_id case_id channel",
    ),
    grouping(
        "avg_interactions_per_case_by_status",
        "Average the number of interactions per case, over cases that have any of the status, by status",
        INTERACTION,
        "status",
        "account_id contact_id channel",
        per="case_id",
    ),
    creating(
        "send_notification",
        "Send a notification on a case to an email address",
        NOTIFICATION,
        "case_id email type",
        "knowledge_id",
    ),
    updating("update_notification", "Change a notification", NOTIFICATION, "notification_id", _NOTIFICATION),
    listing(
        "find_notifications",
        "List notifications; all arguments given must match",
        NOTIFICATION,
        f"notification_id {_NOTIFICATION} sys_created_on",
    ),
    removing(
        "delete_notifications",
        "Delete notifications; all arguments given must match",
        NOTIFICATION,
        f"notification_id {_NOTIFICATION} sys_created_on {_TIMES}",
    ),
    counting("count_notifications_by_case", "Count the notifications on a case, or all", NOTIFICATION, "", "case_id"),
    grouping("count_notifications_by_status", "Count notifications by status", NOTIFICATION, "status", "status"),
    aggregating("count_notifications_by_type", "Count notifications by type", NOTIFICATION, "type"),
    declared(
        "avg_notifications_by_case",
        "Average the number of notifications per case, over one case, or over those that have any",
        (Argument("case", int, "Key of the case.", False),),
        _average_notifications,
    ),
)
