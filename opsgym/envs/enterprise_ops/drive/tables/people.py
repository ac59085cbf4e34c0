"""Users, groups and shared drives."""

from __future__ import annotations

from opsgym.core.records.columns import Choice, Flag, Key, Moment, Ref, Text
from opsgym.core.records.table import Table
from opsgym.envs.enterprise_ops.drive import words

CREATED = Moment("created_time", stamp="created")
MODIFIED = Moment("modified_time", stamp="updated")

USERS = Table(
    "users",
    (
        Key("id", "USER"),
        Text("display_name", 120, required=True),
        Text("email", 120, "email", required=True),
        Text("photo_url"),
        Text("auth_token", secret=True),
        CREATED,
        Text("kind", default="drive#user"),
        Text("permission_id"),
        Flag("me", default=False),
    ),
    resource="users",
    unique=(("email",),),
)
GROUPS = Table(
    "groups",
    (Key("id", "GROUP"), Text("name", 120, required=True), Text("email", 120, "email", required=True), CREATED),
    resource="users",
    unique=(("email",),),
)
MEMBERSHIPS = Table(
    "group_memberships",
    (
        Key("id", "GM"),
        Ref("group_id", "groups", required=True),
        Ref("user_id", "users", required=True),
        Choice("role", words.MEMBERSHIPS, required=True, default="member"),
        CREATED,
    ),
    resource="users",
    unique=(("user_id", "group_id"),),
)
DRIVES = Table(
    "drives",
    (
        Key("id", "DRIVE"),
        Text("name", 255, required=True),
        Text("color_rgb"),
        Text("theme_id"),
        Text("background_image_link"),
        Flag("hidden", required=True, default=False),
        Flag("restricted_to_domain", required=True, default=False),
        Flag("trashed", required=True, default=False),
        CREATED,
        MODIFIED,
        *(
            Flag(name, required=True, default=False)
            for name in (
                "copy_requires_writer_permission",
                "domain_users_only",
                "drive_members_only",
                "admin_managed_restrictions",
                "sharing_folders_requires_organizer_permission",
                "download_restricted_for_readers",
                "download_restricted_for_writers",
            )
        ),
        Text("org_unit_id"),
        Text("kind", default="drive#drive"),
    ),
    resource="drives",
)
DRIVE_MEMBERS = Table(
    "drive_memberships",
    (
        Key("id"),
        Ref("drive_id", "drives", required=True),
        Choice("type", words.GRANTEES, required=True),
        Ref("user_id", "users"),
        Ref("group_id", "groups"),
        Text("domain"),
        Choice("role", words.ROLES, required=True),
        CREATED,
    ),
    resource="permissions",
    derived=True,
)
TABLES = (USERS, GROUPS, MEMBERSHIPS, DRIVES, DRIVE_MEMBERS)
