"""Tools for locations, users and groups."""

from __future__ import annotations

from typing import Any

from opsgym.core.errors import ToolError
from opsgym.core.records.records import Records
from opsgym.core.records.signature import Argument, declared
from opsgym.core.records.tools import creating, getting, listing, updating
from opsgym.envs.enterprise_ops.csm.tables.people import GROUP, LOCATION, MEMBER, USER

_SITE = "plot_no street city country"
_NAMES = "first_name last_name"
_TIMES = "created_after created_before"
_GROUP_ID = Argument("group_id", int, "Key of the group.")
_USER_ID = Argument("user_id", int, "Key of the user.")


def _find_user(records: Records, given: dict[str, Any]) -> Any:
    """Users of that name, in any case; several may have it."""
    wanted = " ".join(given["name"].casefold().split())
    found = [row for row in records.find(USER, {}) if f"{row['first_name']} {row['last_name']}".casefold() == wanted]
    if not found:
        raise ToolError("not_found", f"no user with name {given['name'][:60]!r}")
    return found


def _is_member(records: Records, given: dict[str, Any]) -> Any:
    return {**given, "is_member": bool(records.find(MEMBER, given))}


def _remove_member(records: Records, given: dict[str, Any]) -> Any:
    """One membership; a group alone, or a user alone, would remove too much."""
    if "member_id" not in given and not {"group_id", "user_id"} <= given.keys():
        raise ToolError("missing_field", "expected member_id, or group_id and user_id")
    return {"deleted": records.delete(MEMBER, given)}


TOOLS = (
    creating("add_location", "Create a location", LOCATION, "name active city country", "plot_no street"),
    getting("find_location", "Read a location by its exact name", LOCATION, "name"),
    listing(
        "find_locations",
        "List locations; all arguments given must match",
        LOCATION,
        f"location_id name active plot_no street city=city country=country {_TIMES}",
        kinds={name: LOCATION.column("name") for name in ("city", "country")},
    ),
    updating("update_location", "Change a location", LOCATION, "location_id", f"name active {_SITE}"),
    creating("add_new_user", "Create a user", USER, f"{_NAMES} email role active", "phone location_id"),
    declared(
        "find_user", "Look up users by full name, in any case", (Argument("name", str, "First and last name."),), _find_user
    ),
    getting("find_user_by_email", "Read a user by email address", USER, "email"),
    listing(
        "list_users",
        "List users; all arguments given must match",
        USER,
        f"email user_id {_NAMES} phone role location_id active {_TIMES}",
    ),
    updating("update_user_details", "Change a user", USER, "user_id", f"email {_NAMES} active phone role location_id"),
    creating("add_new_user_group", "Create a group", GROUP, "name type active"),
    getting("find_user_group", "Read a group by its exact name", GROUP, "name"),
    listing("list_user_groups", "List groups; all arguments given must match", GROUP, f"group_id name active type {_TIMES}"),
    updating("update_user_group", "Change a group", GROUP, "group_id", "name type active"),
    creating("add_new_group_member", "Add a user to a group", MEMBER, "group_id user_id"),
    listing(
        "list_group_members",
        "List memberships of groups; all arguments given must match",
        MEMBER,
        f"member_id group_id user_id {_TIMES}",
    ),
    declared("check_user_membership", "Tell whether a user is a member of a group", (_USER_ID, _GROUP_ID), _is_member),
    declared(
        "remove_group_membership",
        "Remove a user from a group, told by member_id, or by group_id and user_id",
        (
            Argument("member_id", int, "Key of the membership.", False),
            Argument("group_id", int, _GROUP_ID.about, False),
            Argument("user_id", int, _USER_ID.about, False),
        ),
        _remove_member,
        mutates=True,
    ),
)
