"""Organizations, roles, users and groups."""

from __future__ import annotations

from opsgym.core.records.columns import Choice, Flag, Key, Ref, Text
from opsgym.core.records.table import Table
from opsgym.envs.enterprise_ops.hr import words
from opsgym.envs.enterprise_ops.hr.tables.shared import ORG, STAMPS

ORGANIZATION = Table(
    "organization",
    (Key("org_id", whole=True), Text("name", 120, required=True), Flag("active", required=True, default=True), *STAMPS),
    scope="org_id",
    unique=(("name",),),
)
PERMISSION = Table(
    "permission",
    (Key("perm_id", whole=True), Text("resource", 50, required=True), Text("action", 50, required=True)),
    unique=(("resource", "action"),),
)
ROLE = Table("role", (Key("role_id", whole=True), Choice("name", words.ROLES, required=True)), unique=(("name",),))
ROLE_PERMISSION = Table(
    "role_permission",
    (Ref("role_id", "role", whole=True, required=True), Ref("perm_id", "permission", whole=True, required=True)),
    key=("role_id", "perm_id"),
)
USER = Table(
    "user",
    (
        Key("user_id", whole=True),
        Text("first_name", 60, required=True),
        Text("last_name", 60, required=True),
        Text("email", 120, "email", required=True),
        Text("phone", 30),
        Choice("role", words.ROLES, required=True),
        Flag("active", required=True, default=True),
        ORG,
        Text("static_token", 255, secret=True),
        *STAMPS,
    ),
    resource="users",
    scope="org_id",
    unique=(("email",),),
)
USER_ROLE = Table(
    "user_role",
    (Ref("user_id", "user", whole=True, required=True), Ref("role_id", "role", whole=True, required=True), ORG),
    scope="org_id",
    key=("user_id", "role_id", "org_id"),
)
GROUP = Table(
    "user_group",
    (
        Key("group_id", whole=True),
        Text("name", 80, required=True),
        Choice("type", words.GROUP_TYPES, required=True),
        Flag("active", required=True, default=True),
        ORG,
        *STAMPS,
    ),
    resource="groups",
    scope="org_id",
    unique=(("org_id", "name"),),
)
MEMBER = Table(
    "user_group_member",
    (
        Key("member_id", whole=True),
        Ref("group_id", "user_group", whole=True, required=True),
        Ref("user_id", "user", whole=True, required=True),
        ORG,
        *STAMPS,
    ),
    resource="group_members",
    scope="org_id",
    indexes=(("user_id",),),
    unique=(("group_id", "user_id"),),
)
TABLES = (ORGANIZATION, PERMISSION, ROLE, ROLE_PERMISSION, USER, USER_ROLE, GROUP, MEMBER)
