"""Permissions, links and requests for access."""

from __future__ import annotations

from opsgym.core.records.columns import Choice, Flag, Json, Key, Moment, Ref, Text
from opsgym.core.records.table import Table
from opsgym.envs.enterprise_ops.drive import words
from opsgym.envs.enterprise_ops.drive.tables.people import CREATED

PERMISSIONS = Table(
    "permissions",
    (
        Key("id", "PERM"),
        Ref("file_id", "files"),
        Ref("drive_id", "drives"),
        Choice("role", words.ROLES, required=True),
        Choice("type", words.GRANTEES, required=True),
        Ref("user_id", "users"),
        Ref("group_id", "groups"),
        Text("email_address", 120, "email"),
        Text("domain", 120),
        Flag("allow_file_discovery", required=True, default=False),
        Text("kind", default="drive#permission"),
        Flag("deleted", required=True, default=False),
        Text("view"),
        Flag("inherited", required=True, default=False),
        Text("inherited_from"),
        CREATED,
        Moment("updated_time", stamp="updated"),
    ),
    resource="permissions",
    indexes=(("file_id",), ("drive_id",)),
    checks={"(file_id IS NULL) <> (drive_id IS NULL)": "A permission is for a file or for a shared drive."},
)
LINKS = Table(
    "share_links",
    (
        Key("id", "LINK"),
        Ref("file_id", "files", required=True),
        Choice("permission_role", words.ROLES, required=True),
        Text("link_token", secret=True),
        Flag("allow_discovery", required=True, default=False),
        Moment("expires_time"),
        Ref("created_by", "users", by_actor=True),
        CREATED,
    ),
    resource="permissions",
    derived=True,
)
PROPOSALS = Table(
    "access_proposals",
    (
        Key("id", "PROP"),
        Ref("file_id", "files", required=True),
        Text("requester_email", 120, "email", required=True),
        Text("recipient_email", 120, "email", required=True),
        Json("proposed_roles", list[str]),
        Text("proposed_view"),
        Text("request_message"),
        Choice("status", words.PROPOSAL_STATES, required=True, default="pending"),
        Moment("resolved_at"),
        Text("resolved_by_email", 120, "email"),
        Moment("created_at", stamp="created"),
    ),
    resource="access_proposals",
)
TABLES = (PERMISSIONS, LINKS, PROPOSALS)
