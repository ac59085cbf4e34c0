"""Tools for tags, by which a team mentions some of its members at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from typing_extensions import TypedDict

from opsgym.core.errors import ToolError
from opsgym.core.records.records import Records, Row
from opsgym.envs.enterprise_ops.teams.graph import answer, properties, shaped
from opsgym.envs.enterprise_ops.teams.tables.teams import TAG, TAG_MEMBER, TEAM
from opsgym.envs.enterprise_ops.teams.tools.shared import (
    FILTER,
    Text40,
    acting,
    given_values,
    live,
    may,
    need,
    one,
    reading,
    retire,
    top,
    user,
)

_TEAM_ID = need("team_id", str, "Key of the team.")
_TAG_ID = need("tag_id", str, "Key of the tag.")


class TagMember(TypedDict, total=False):
    """A member of a tag."""

    userId: str
    displayName: str


def _users(records: Records, members: Iterable[Mapping[str, Any]]) -> list[str]:
    """Keys of the users, each once."""
    found = []
    for spec in members:
        if not spec.get("userId"):
            raise ToolError("missing_field", "members: each one needs userId")
        found.append(str(user(records, spec["userId"])["user_id"]))
    return list(dict.fromkeys(found))


def _seen(records: Records, row: Row) -> dict[str, Any]:
    members = [item["user_id"] for item in live(records, TAG_MEMBER, tag_id=row["tag_id"])]
    return shaped(TAG, row) | {"memberCount": len(members), "members": members}


def _tag(records: Records, given: Mapping[str, Any]) -> Row:
    return one(records, TAG, given["tag_id"], team_id=one(records, TEAM, given["team_id"])["team_id"])


def _create(records: Records, given: dict[str, Any]) -> Any:
    team = one(records, TEAM, given["team_id"])["team_id"]
    tag = records.create(TAG, {"team_id": team} | given_values(TAG, {**given, "teamId": team}))
    for key in _users(records, given.get("members", ())):
        records.create(TAG_MEMBER, {"tag_id": tag["tag_id"], "user_id": key})
    return _seen(records, tag)


def _update(records: Records, given: dict[str, Any]) -> Any:
    """Change name and description, and make the members exactly those given."""
    tag = _tag(records, given)
    values = given_values(TAG, given)
    if values:
        tag = records.update(TAG, {"tag_id": tag["tag_id"]}, values)
    elif "members" not in given:
        raise ToolError("invalid_value", "nothing would change", "Give at least one new value.")
    if "members" in given:
        wanted, there = _users(records, given["members"]), live(records, TAG_MEMBER, tag_id=tag["tag_id"])
        for row in there:
            if row["user_id"] not in wanted:
                retire(records, TAG_MEMBER, row["id"])
        for key in wanted:
            if key not in [row["user_id"] for row in there]:
                records.create(TAG_MEMBER, {"tag_id": tag["tag_id"], "user_id": key})
    return _seen(records, tag)


def _add_member(records: Records, given: dict[str, Any]) -> Any:
    tag = _tag(records, given)["tag_id"]
    (key,) = _users(records, [given])
    return shaped(TAG_MEMBER, records.create(TAG_MEMBER, {"tag_id": tag, "user_id": key}))


def _list(records: Records, given: dict[str, Any]) -> Any:
    team = one(records, TEAM, given["team_id"])["team_id"]
    rows = [_seen(records, row) for row in live(records, TAG, team_id=team)]
    return answer(rows, [*properties(TAG), "memberCount", "members"], given)


_DESCRIPTION = may("description", str, "What it is for.")

TOOLS = (
    acting(
        "create_teamwork_tag",
        "Create a tag in a team",
        (_TEAM_ID, need("displayName", Text40, "Its name."), _DESCRIPTION, may("members", list[TagMember], "Its members.")),
        _create,
    ),
    acting(
        "update_teamwork_tag",
        "Change a tag; the members given take the place of those it has",
        (
            _TEAM_ID,
            _TAG_ID,
            may("displayName", Text40, "Its name."),
            _DESCRIPTION,
            may("members", list[TagMember], "Its members."),
        ),
        _update,
    ),
    acting(
        "create_teamwork_tag_member",
        "Add a user to a tag",
        (_TEAM_ID, _TAG_ID, need("userId", str, "Key of the user.")),
        _add_member,
    ),
    reading("list_teamwork_tags", "List the tags of a team", (_TEAM_ID, FILTER, top(None)), _list),
)
