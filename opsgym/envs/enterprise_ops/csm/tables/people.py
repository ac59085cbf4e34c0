"""Locations, users and groups."""

from __future__ import annotations

from opsgym.core.records.columns import Choice, Flag, Key, Ref, Text
from opsgym.core.records.table import Table
from opsgym.envs.enterprise_ops.csm import words
from opsgym.envs.enterprise_ops.csm.tables.shared import CREATED, STAMPS

LOCATION = Table(
    "location",
    (
        Key("location_id", whole=True),
        Text("name", required=True),
        Text("plot_no"),
        Text("street"),
        Choice("city", words.CITIES, required=True),
        Choice("country", words.COUNTRIES, required=True),
        Flag("active", required=True, default=True),
        *STAMPS,
    ),
    resource="locations",
)
GROUP = Table(
    "user_group",
    (
        Key("group_id", whole=True),
        Text("name", required=True),
        Choice("type", words.GROUP_TYPES, required=True),
        Flag("active", required=True, default=True),
        *STAMPS,
    ),
    resource="groups",
)
USER = Table(
    "user",
    (
        Key("user_id", whole=True),
        Text("first_name", required=True),
        Text("last_name", required=True),
        Text("email", None, "email", required=True, shown=False),
        Text("phone"),
        Choice("role", words.ROLES, required=True),
        Ref("location_id", "location", whole=True),
        Flag("active", required=True, default=True),
        *STAMPS,
    ),
    resource="users",
    unique=(("email",),),
)
MEMBER = Table(
    "user_group_member",
    (
        Key("member_id", whole=True),
        Ref("group_id", "user_group", required=True, whole=True),
        Ref("user_id", "user", required=True, whole=True),
        CREATED,
    ),
    resource="groups",
    unique=(("group_id", "user_id"),),
    indexes=(("user_id",),),
)
TABLES = (LOCATION, GROUP, USER, MEMBER)
