"""Tools for users and groups."""

from __future__ import annotations

from typing import Any

from opsgym.core.records.columns import Choice, Text
from opsgym.core.records.records import Records
from opsgym.core.records.tools import creating, getting, listing, removing, updating
from opsgym.envs.enterprise_ops.itsm import words
from opsgym.envs.enterprise_ops.itsm.tables.people import GROUP, MEMBER, USERS

_ROLE = {"role": Choice("role", words.ROLES)}


def _user_name(records: Records, values: dict[str, Any]) -> dict[str, Any]:
    return {"user_name": f"{values['first_name']}.{values['last_name']}".lower().replace(" ", "")}


TOOLS = (
    getting("get_user", "Read a user by key", USERS, "user_id"),
    getting("get_user_using_email", "Read a user by email address", USERS, "email", shown=True),
    listing("get_user_using_name", "List the users of this first and last name", USERS, need="first_name last_name"),
    listing(
        "list_users",
        "List users; all arguments given must match",
        USERS,
        "email user_id first_name last_name phone role active created_after created_before",
        kinds={"active": Text("active")},
    ),
    creating(
        "add_new_user",
        "Create a user; the name to sign in is first.last unless given",
        USERS,
        "first_name last_name email phone role active",
        "user_name location_id",
        kinds=_ROLE,
        fill=_user_name,
    ),
    updating(
        "update_user_details",
        "Change a user",
        USERS,
        "user_id",
        "email first_name last_name active phone role user_name company_id=org_id location_id",
        kinds=_ROLE,
    ),
    getting("find_group_by_name", "Read a group by its exact name", GROUP, "name"),
    listing(
        "list_user_groups",
        "List groups; all arguments given must match",
        GROUP,
        "group_id name active type created_after created_before",
    ),
    creating(
        "add_new_user_group",
        "Create a group; you manage it unless another manager is given",
        GROUP,
        "name type",
        "active email description manager_id",
        defaults={"active": True},
    ),
    updating("update_user_group", "Change a group", GROUP, "group_id", "name type active"),
    creating("add_new_group_member", "Add a user to a group", MEMBER, "group_id user_id"),
    listing(
        "list_group_members",
        "List memberships of groups; all arguments given must match",
        MEMBER,
        "member_id group_id user_id created_after created_before",
    ),
    removing("remove_group_membership", "Remove a user from a group", MEMBER, "member_id", need="group_id user_id"),
)
