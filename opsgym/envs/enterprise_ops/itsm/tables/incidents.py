"""Incidents, their templates, children and affected configuration items."""

from __future__ import annotations

from opsgym.core.records.columns import Choice, Flag, Key, Moment, Ref, Serial, Text
from opsgym.core.records.table import Table
from opsgym.envs.enterprise_ops.itsm import words
from opsgym.envs.enterprise_ops.itsm.tables.shared import AFFECTED, ASSIGNMENT, ORG, STAMPS_AT, STAMPS_ON

_DISPLAYS = tuple(
    Text(f"{name}_display", 255, secret=True)
    for name in (
        "service",
        "service_offering",
        "configuration_item",
        "assigned_to",
        "assignment_group",
        "parent_incident",
        "problem",
        "change_request",
        "incident_template",
    )
)
"""Labels that only official seeds fill."""

INCIDENT = Table(
    "incident",
    (
        Key("incident_id", "INC"),
        Serial("number", "INC"),
        Text("short_description", 120, required=True, shown=False),
        Ref("caller_id", "users", required=True),
        *AFFECTED,
        *ASSIGNMENT,
        Ref("resolved_by", "users"),
        Ref("problem", "problem"),
        Ref("change_request", "change"),
        Ref("caused_by_change", "change"),
        Ref("incident_template", "incident_template"),
        Ref("parent_incident", "incident", declared=False),
        ORG,
        Choice("channel", words.CHANNELS),
        Text("contact_type", 7),
        Choice("status", words.INCIDENT_STATUSES, required=True, default="new"),
        Choice("category", words.INCIDENT_CATEGORIES, required=True, default="inquiry-help"),
        Text("description", 120, shown=False),
        Text("worknotes", 120, shown=False),
        Text("resolution_notes", 120, shown=False),
        Text("close_notes", 120, shown=False),
        Choice("impact", words.LEVELS, required=True, default="low"),
        Choice("urgency", words.LEVELS, required=True, default="low"),
        Choice("priority", words.PRIORITIES, required=True, default="planning"),
        Choice("resolution_code", words.RESOLUTION_CODES),
        Choice("on_hold_reason", words.HOLD_REASONS),
        Moment("resolved"),
        *STAMPS_AT,
        *_DISPLAYS,
    ),
    resource="incidents",
    scope="org_id",
)
CHILD = Table(
    "child_incident",
    (
        Key("child_incident_mapping_id", "CINC"),
        Ref("parent_incident", "incident", required=True),
        Ref("child_incident", "incident", required=True),
        *STAMPS_AT,
    ),
    resource="incidents",
    via="parent_incident",
    unique=(("parent_incident", "child_incident"),),
    checks={"parent_incident <> child_incident": "An incident is no child of itself."},
)
AFFECTED_CI = Table(
    "incident_affected_cis",
    (
        Key("incident_affected_cis_id", "TASKCI"),
        Ref("configuration_item", "configuration_item", required=True),
        Ref("incident_id", "incident", required=True),
        ORG,
        *STAMPS_ON,
    ),
    resource="incident_affected_cis",
    scope="org_id",
    unique=(("org_id", "incident_id", "configuration_item"),),
)
TEMPLATE = Table(
    "incident_template",
    (
        Key("incident_template_id", "TMPL"),
        Text("name", 120, required=True),
        Flag("active", default=True),
        Ref("caller_id", "users", required=True),
        Choice("channel", words.CHANNELS),
        Text("short_description", 120, required=True, shown=False),
        Choice("category", words.INCIDENT_CATEGORIES),
        Choice("impact", words.LEVELS, required=True, default="low"),
        Choice("urgency", words.LEVELS, required=True, default="low"),
        Choice("priority", words.PRIORITIES, required=True, default="planning"),
        Ref("configuration_item", "configuration_item"),
        Ref("service", "service"),
        Ref("service_offering", "service_offering"),
        ORG,
        *STAMPS_AT,
    ),
    resource="incident_templates",
    scope="org_id",
)
TABLES = (INCIDENT, CHILD, AFFECTED_CI, TEMPLATE)
