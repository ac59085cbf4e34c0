"""Tools for users and groups."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from opsgym.core.records.columns import Text
from opsgym.core.records.records import Records
from opsgym.core.records.signature import Argument, declared
from opsgym.core.records.tools import creating, getting, listing, removing, updating
from opsgym.core.tools import Tool
from opsgym.envs.enterprise_ops.hr import words
from opsgym.envs.enterprise_ops.hr.tables.people import GROUP, MEMBER, USER
from opsgym.envs.enterprise_ops.hr.tools.shared import LIMIT, Limited, Mail, cut, texts

_USER_FORM = {"email": Mail("email", 120, "email"), "phone": Text("phone", 30)}
_NAMES = {"first_name": Limited("first_name", 60), "last_name": Limited("last_name", 60)}
_MEMBER = texts("group_id user_id")
_LIKE = {"email_like": "email", "first_name_like": "first_name", "last_name_like": "last_name"}
_ORDERS = ("user_id", "first_name", "last_name", "email", "phone", "role", "active", "created_at", "updated_at")


def _list_users(records: Records, given: dict[str, Any]) -> Any:
    rows = records.find(USER, {"active": given["active"]} if "active" in given else {})
    if given.get("roles"):
        rows = [row for row in rows if row["role"] in given["roles"]]
    for argument, column in _LIKE.items():
        if argument in given:
            rows = [row for row in rows if given[argument].lower() in row[column].lower()]
    rows.sort(
        key=lambda row: (row[given["order_by"]] is not None, row[given["order_by"]]), reverse=given["order_direction"] == "desc"
    )
    return cut(rows, given["limit"], given["offset"])


LIST_USERS: Tool = declared(
    "list_users",
    "List users, filtered, sorted and by page; the last entry tells when there are more",
    (
        Argument("roles", list[Literal[words.ROLES]], "Only these roles.", False),  # type: ignore[valid-type]  # made of the words
        Argument("active", bool, "Only active or only inactive ones.", False),
        *(Argument(name, str, f"Text that the {column.replace('_', ' ')} holds.", False) for name, column in _LIKE.items()),
        LIMIT,
        Argument("offset", Annotated[int, Field(ge=0)], "How many to leave out at the start.", False, 0),
        Argument("order_by", Literal[_ORDERS], "Column to sort by.", False, "created_at"),
        Argument("order_direction", Literal["asc", "desc"], "Direction.", False, "asc"),
    ),
    _list_users,
)

TOOLS = (
    getting("get_user", "Read a user by key", USER, "user_id", kinds=texts("user_id")),
    getting("get_user_using_email", "Read a user by email address", USER, "email", shown=True),
    listing("get_user_using_name", "List the users of this first and last name", USER, need="first_name last_name", kinds=_NAMES),
    LIST_USERS,
    creating(
        "add_new_user",
        "Create a user",
        USER,
        "first_name last_name email role",
        "phone active",
        kinds=_USER_FORM,
        defaults={"active": True},
    ),
    updating(
        "update_user_details",
        "Change a user",
        USER,
        "user_id",
        "email first_name last_name phone role active",
        kinds=_USER_FORM | texts("user_id"),
    ),
    getting("find_group_by_name", "Read a group by its exact name", GROUP, "name", shown=True),
    listing("list_user_groups", "List groups; all arguments given must match", GROUP, "group_id name active type"),
    creating("add_new_user_group", "Create a group", GROUP, "name type", "active", defaults={"active": True}),
    updating("update_user_group", "Change a group", GROUP, "group_id", "name type active", kinds=texts("group_id")),
    creating("add_new_group_member", "Add a user to a group", MEMBER, "group_id user_id", kinds=_MEMBER),
    listing("list_group_members", "List the memberships of a group", MEMBER, "member_id user_id", need="group_id"),
    removing("remove_group_membership", "Remove a user from a group", MEMBER, need="group_id user_id", kinds=_MEMBER),
)
