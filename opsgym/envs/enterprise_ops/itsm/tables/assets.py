"""Locations, services and configuration items."""

from __future__ import annotations

from opsgym.core.records.columns import Choice, Flag, Key, Number, Ref, Text
from opsgym.core.records.table import Table
from opsgym.envs.enterprise_ops.itsm import words
from opsgym.envs.enterprise_ops.itsm.tables.shared import ORG, STAMPS_ON

LOCATION = Table(
    "location",
    (
        Key("location_id", "LOC"),
        Text("name", 120, required=True, shown=False),
        ORG,
        Text("plot_no", 60, shown=False),
        Text("street", 60, shown=False),
        Text("city", 100, required=True, shown=False),
        Text("state", 100, shown=False),
        Text("country", 100, required=True, shown=False),
        Flag("active", required=True, default=True),
        *STAMPS_ON,
    ),
    resource="locations",
    scope="org_id",
)
_OPERATION = (
    Choice("used_for", words.USED_FOR, required=True, default="production"),
    Choice("status", words.SERVICE_STATUSES, required=True, default="operational"),
    Choice("service_classification", words.CLASSIFICATIONS, required=True, default="business"),
    Choice("business_criticality", words.CRITICALITIES, required=True, default="not-critical"),
    Text("description", 500, shown=False),
)
SERVICE = Table(
    "service",
    (
        Key("service_id", "SVC"),
        Text("name", 100, required=True),
        Ref("owned_by", "users", required=True),
        ORG,
        *_OPERATION,
        *STAMPS_ON,
    ),
    resource="services",
    scope="org_id",
)
OFFERING = Table(
    "service_offering",
    (
        Key("service_offering_id", "SVCOFF"),
        Text("name", 120, required=True),
        Text("short_description", 120, required=True),
        Ref("owned_by", "users", required=True),
        Ref("business_service", "service", required=True),
        ORG,
        *_OPERATION,
        *STAMPS_ON,
    ),
    resource="service_offerings",
    scope="org_id",
)
CI = Table(
    "configuration_item",
    (
        Key("configuration_item_id", "CI"),
        Text("name", 120, required=True),
        Text("serial_number", 60, required=True),
        Ref("owner_id", "users", required=True),
        Ref("location_id", "location"),
        ORG,
        Choice("status", words.CI_STATUSES, required=True),
        Number("cost", 0),
        *STAMPS_ON,
    ),
    resource="configuration_items",
    scope="org_id",
)
TABLES = (LOCATION, SERVICE, OFFERING, CI)
