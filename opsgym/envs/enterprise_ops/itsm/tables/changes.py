"""Problems, changes, and what they are mapped to."""

from __future__ import annotations

from opsgym.core.records.columns import Choice, Flag, Key, Ref, Serial, Text
from opsgym.core.records.table import Table
from opsgym.envs.enterprise_ops.itsm import words
from opsgym.envs.enterprise_ops.itsm.tables.shared import AFFECTED, ASSIGNMENT, ORG, STAMPS_AT, STAMPS_ON

PROBLEM = Table(
    "problem",
    (
        Key("problem_id", "PRB"),
        Serial("number", "PRB"),
        Text("problem_statement", required=True),
        Text("short_description", 255, shown=False),
        Ref("opened_by", "users", required=True, by_actor=True),
        *AFFECTED,
        *ASSIGNMENT,
        Ref("original_task", "incident"),
        ORG,
        Choice("status", words.PROBLEM_STATUSES, required=True, shown=False),
        Choice("category", words.PROBLEM_CATEGORIES, shown=False),
        Text("worknotes"),
        Text("workaround"),
        Text("fix_notes"),
        Choice("impact", words.LEVELS, required=True, shown=False),
        Choice("urgency", words.LEVELS, required=True, shown=False),
        Choice("priority", words.PRIORITIES, required=True, shown=False),
        *STAMPS_ON,
    ),
    resource="problems",
    scope="org_id",
)
CHANGE = Table(
    "change",
    (
        Key("change_id", "CHG"),
        Serial("number", "CHG"),
        Text("short_description", 120, required=True, shown=False),
        Ref("requested_by", "users", required=True, by_actor=True),
        *AFFECTED,
        *ASSIGNMENT,
        ORG,
        Choice("status", words.CHANGE_STATUSES, required=True, shown=False),
        Choice("category", words.CHANGE_CATEGORIES, required=True, default="other", shown=False),
        Text("description", 120, shown=False),
        Text("implementation_plan", 120, shown=False),
        Text("testing_plan", 120, shown=False),
        Text("close_notes", 120, shown=False),
        Flag("cab_required"),
        Choice("impact", words.LEVELS, required=True, shown=False),
        Choice("priority", words.WORKING_PRIORITIES, required=True, shown=False),
        Choice("risk", words.LEVELS, required=True, shown=False),
        Choice("close_code", words.CLOSE_CODES, shown=False),
        *STAMPS_ON,
    ),
    resource="changes",
    scope="org_id",
)
MAPPING = Table(
    "change_request_mapping",
    (
        Key("change_request_mapping_id", "CRM"),
        Ref("change_id", "change", required=True),
        Ref("incident_id", "incident"),
        Ref("problem_id", "problem"),
        ORG,
        *STAMPS_AT,
    ),
    resource="change_mappings",
    scope="org_id",
    unique=(("org_id", "change_id", "incident_id"), ("org_id", "change_id", "problem_id")),
    checks={"incident_id IS NOT NULL OR problem_id IS NOT NULL": "A mapping names an incident or a problem."},
)
TABLES = (PROBLEM, CHANGE, MAPPING)
