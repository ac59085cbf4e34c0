"""Organizations, roles, users and groups."""

from __future__ import annotations

from opsgym.core.records.columns import Choice, Flag, Key, Ref, Text
from opsgym.core.records.table import Table
from opsgym.envs.enterprise_ops.itsm import words
from opsgym.envs.enterprise_ops.itsm.tables.shared import ORG, STAMPS_AT, STAMPS_ON

ORGANIZATION = Table(
    "organization",
    (Key("org_id"), Text("name", 120, required=True), Flag("active", required=True, default=True), *STAMPS_AT),
    scope="org_id",
    unique=(("name",),),
)
ROLE = Table("role", (Key("role_id"), Choice("name", words.ROLES, required=True)), unique=(("name",),))
PERMISSION = Table(
    "permission",
    (Key("perm_id"), Text("resource", 50, required=True), Text("action", 50, required=True)),
    unique=(("resource", "action"),),
)
ROLE_PERMISSION = Table(
    "role_permission",
    (Ref("role_id", "role", required=True), Ref("perm_id", "permission", required=True)),
    key=("role_id", "perm_id"),
)
USERS = Table(
    "users",
    (
        Key("user_id", "USER"),
        Text("user_name", 100, required=True, shown=False),
        Text("first_name", 60, required=True),
        Text("last_name", 60, required=True),
        Text("email", 120, "email", required=True),
        Text("phone", 30, "phone", required=True, shown=False),
        Ref("role", "role", "name", required=True),
        Flag("active", required=True, default=True),
        Text("static_token", 255, required=True, default="", secret=True),
        ORG,
        Ref("location_id", "location", declared=False),
        *STAMPS_ON,
    ),
    resource="users",
    scope="org_id",
    unique=(("phone",),),
    checks={"email LIKE '%@%'": "An email holds an @."},
)
USER_ROLE = Table(
    "user_role",
    (Ref("user_id", "users", required=True), Ref("role_id", "role", required=True), ORG),
    scope="org_id",
    key=("user_id", "role_id", "org_id"),
    unique=(("user_id", "role_id", "org_id"),),
)
GROUP = Table(
    "user_group",
    (
        Key("group_id", "GROUP"),
        Text("name", 80, required=True),
        Choice("type", words.GROUP_TYPES, required=True),
        Flag("active", required=True, default=True),
        Text("email", 120, "email"),
        Text("description", 255, shown=False),
        Ref("manager_id", "users", required=True, by_actor=True),
        ORG,
        *STAMPS_ON,
    ),
    resource="groups",
    scope="org_id",
)
MEMBER = Table(
    "user_group_member",
    (
        Key("member_id", "MEMBER"),
        Ref("group_id", "user_group", required=True),
        Ref("user_id", "users", required=True),
        ORG,
        *STAMPS_ON,
    ),
    resource="groups",
    scope="org_id",
    unique=(("org_id", "group_id", "user_id"),),
)
TABLES = (ORGANIZATION, ROLE, PERMISSION, ROLE_PERMISSION, USERS, USER_ROLE, GROUP, MEMBER)
