"""Tools for problems, changes and mappings of changes."""

from __future__ import annotations

from opsgym.core.records.tools import creating, getting, listing, removing, updating
from opsgym.envs.enterprise_ops.itsm.tables.changes import CHANGE, MAPPING, PROBLEM

_AFFECTED = "service service_offering configuration_item"
_ASSIGNED = "assigned_to assignment_group"
_NOTES = "worknotes workaround fix_notes"
_PLANS = "description implementation_plan testing_plan"
_TIMES = "created_after created_before"
_MAPPING = "change_request_mapping_id change_id incident_id problem_id"

TOOLS = (
    creating(
        "create_problem",
        "Create a problem",
        PROBLEM,
        "problem_statement status impact urgency priority",
        f"short_description {_AFFECTED} {_ASSIGNED} original_task category {_NOTES}",
    ),
    updating(
        "update_problem",
        "Change a problem, told by its key or its number",
        PROBLEM,
        "problem_id number",
        f"opened_by problem_statement short_description {_AFFECTED} {_ASSIGNED} original_task status category {_NOTES}"
        " impact urgency priority",
        either=True,
    ),
    getting("find_problem_by_number", "Read a problem by number", PROBLEM, "number"),
    listing(
        "list_problems",
        "List problems; all arguments given must match",
        PROBLEM,
        f"problem_id number {_AFFECTED} opened_by status category problem_statement short_description impact urgency priority"
        f" {_ASSIGNED} {_NOTES} original_task {_TIMES}",
    ),
    listing("get_problems_assigned_to", "List the problems of a user, of a group, or of both", PROBLEM, _ASSIGNED),
    creating(
        "create_change",
        "Create a change",
        CHANGE,
        "short_description status impact risk priority",
        f"{_AFFECTED} category {_PLANS} cab_required {_ASSIGNED} close_code close_notes",
    ),
    updating(
        "update_change",
        "Change a change",
        CHANGE,
        "change_id",
        f"number requested_by short_description {_AFFECTED} category {_PLANS} cab_required {_ASSIGNED} close_code close_notes"
        " status impact risk priority",
    ),
    getting("find_change_by_number", "Read a change by number", CHANGE, "number"),
    listing(
        "list_changes",
        "List changes; all arguments given must match",
        CHANGE,
        f"change_id number {_AFFECTED} requested_by {_ASSIGNED} status category impact risk priority close_code short_description"
        f" {_PLANS} close_notes {_TIMES}",
    ),
    listing("get_changes_assigned_to", "List the changes of a user, of a group, or of both", CHANGE, _ASSIGNED),
    creating("map_change_request", "Map a change to an incident or a problem", MAPPING, "change_id", "incident_id problem_id"),
    listing(
        "list_change_request_mappings",
        "List mappings of changes; all arguments given must match",
        MAPPING,
        f"{_MAPPING} {_TIMES}",
    ),
    listing("find_change_request_mappings_for_incident", "List the mappings of an incident", MAPPING, need="incident_id"),
    listing("find_change_request_mappings_for_problem", "List the mappings of a problem", MAPPING, need="problem_id"),
    removing("delete_change_request_mappings", "Delete mappings of changes; all arguments given must match", MAPPING, _MAPPING),
)
