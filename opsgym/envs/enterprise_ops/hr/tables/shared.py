"""What many tables have in common."""

from __future__ import annotations

from opsgym.core.records.columns import Moment, Ref

ORG = Ref("org_id", "organization", whole=True, required=True)
STAMPS = (Moment("created_at", stamp="created"), Moment("updated_at", stamp="updated"))
ASSIGNMENT = (Ref("assigned_to", "user", whole=True), Ref("assignment_group", "user_group", whole=True))
