"""What many tables have in common."""

from __future__ import annotations

from opsgym.core.records.columns import Moment, Ref

ORG = Ref("org_id", "organization", required=True)
STAMPS_ON = (Moment("created_on", stamp="created"), Moment("updated_on", stamp="updated"))
STAMPS_AT = (Moment("created_at", stamp="created"), Moment("updated_at", stamp="updated"))
ASSIGNMENT = (Ref("assigned_to", "users"), Ref("assignment_group", "user_group"))
AFFECTED = (
    Ref("service", "service"),
    Ref("service_offering", "service_offering"),
    Ref("configuration_item", "configuration_item"),
)
