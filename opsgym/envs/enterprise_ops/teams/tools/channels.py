"""Tools for channels, their members, tabs and files."""

from __future__ import annotations

from typing import Any, Literal

from typing_extensions import TypedDict

from opsgym.core.errors import ToolError
from opsgym.core.records.records import Records, Row
from opsgym.envs.enterprise_ops.teams import words
from opsgym.envs.enterprise_ops.teams.graph import answer, properties, shaped
from opsgym.envs.enterprise_ops.teams.tables.apps import APP, CHANNEL_TAB
from opsgym.envs.enterprise_ops.teams.tables.channels import CHANNEL, CHANNEL_MEMBER, FOLDER, SHARED_WITH
from opsgym.envs.enterprise_ops.teams.tables.people import ORGANIZATION
from opsgym.envs.enterprise_ops.teams.tables.teams import TEAM
from opsgym.envs.enterprise_ops.teams.tools.shared import (
    CHANNEL_ID,
    DELEGATE,
    EXPAND,
    FILTER,
    SELECT,
    TEAM_ID,
    Text50,
    Text128,
    Text1024,
    acting,
    change,
    channel,
    expanded,
    given_values,
    live,
    may,
    member,
    need,
    one,
    reading,
    retire,
)
from opsgym.envs.enterprise_ops.teams.tools.teams import add_channel, add_tab, nickname

TAB_ID = need("tabId", str, "Key of the tab.")
_HERE = (TEAM_ID, CHANNEL_ID)
_EMPTY_TAB: dict[str, Any] = {"configuration": {}}


class ChannelMember(TypedDict, total=False):
    """A member of a private or shared channel to be."""

    user_odata_bind: str
    roles: list[str]
    displayName: str
    email: str


class Configuration(TypedDict, total=False):
    """What a tab shows."""

    entityId: str
    contentUrl: str
    websiteUrl: str
    removeUrl: str


def _create(records: Records, given: dict[str, Any]) -> Any:
    team = one(records, TEAM, given["teamId"])["team_id"]
    made = add_channel(records, team, given_values(CHANNEL, given))
    for spec in given.get("members", ()):
        _join(records, made["channel_id"], spec)
    return shaped(CHANNEL, made)


def _join(records: Records, channel_id: str, spec: Any) -> Row:
    whose, roles = member(records, spec, (), ("owner",))
    return records.create(CHANNEL_MEMBER, {"channel_id": channel_id, "user_id": whose["user_id"], "roles": roles})


def _add_member(records: Records, given: dict[str, Any]) -> Any:
    row = _join(records, channel(records, given)["channel_id"], given)
    return shaped(CHANNEL_MEMBER, row)


def _update(records: Records, given: dict[str, Any]) -> Any:
    return change(records, CHANNEL, channel(records, given)["channel_id"], given_values(CHANNEL, given))


def _archive(records: Records, given: dict[str, Any]) -> Any:
    return change(records, CHANNEL, channel(records, given)["channel_id"], {"is_archived": True})


def _provision(records: Records, given: dict[str, Any]) -> Any:
    found = channel(records, given)
    if found["email"]:
        raise ToolError("bad_state", f"the channel has the e-mail address {found['email']} already")
    (organization,) = records.find(ORGANIZATION, {"org_id": records.actor.scope})
    address = f"{nickname(found['display_name'], found['channel_id'])}@{organization['domain_name']}"
    return change(records, CHANNEL, found["channel_id"], {"email": address})


def _list(records: Records, given: dict[str, Any]) -> Any:
    team = one(records, TEAM, given["teamId"])["team_id"]
    return answer([shaped(CHANNEL, row) for row in live(records, CHANNEL, team_id=team)], properties(CHANNEL), given)


def _list_all(records: Records, given: dict[str, Any]) -> Any:
    team = one(records, TEAM, given["teamId"])["team_id"]
    rows = live(records, CHANNEL, team_id=team)
    for share in live(records, SHARED_WITH, team_id=team):
        rows += live(records, CHANNEL, channel_id=share["channel_id"])
    return answer([shaped(CHANNEL, row) for row in rows], properties(CHANNEL), given)


def _primary(records: Records, given: dict[str, Any]) -> Any:
    team = one(records, TEAM, given["teamId"])["team_id"]
    rows = [(row, shaped(CHANNEL, row)) for row in live(records, CHANNEL, team_id=team, is_primary=True)]
    related = {
        "filesFolder": lambda row: _folder(records, row),
        "tabs": lambda row: [shaped(CHANNEL_TAB, tab) for tab in live(records, CHANNEL_TAB, channel_id=row["channel_id"])],
    }
    found = answer(expanded(given, rows, related), [*properties(CHANNEL), *related], given)["value"]
    if not found:
        raise ToolError("not_found", "the team has no such primary channel")
    return found[0]


def _folder(records: Records, row: Row) -> dict[str, Any]:
    found = live(records, FOLDER, channel_id=row["channel_id"])
    if not found:
        raise ToolError("not_found", "the channel has no folder")
    return shaped(FOLDER, found[0])


def _get_folder(records: Records, given: dict[str, Any]) -> Any:
    return _folder(records, channel(records, given))


# -- tabs -----------------------------------------------------------------------------------------------------


def _add_tab(records: Records, given: dict[str, Any]) -> Any:
    return shaped(CHANNEL_TAB, add_tab(records, channel(records, given)["channel_id"], given))


def _tab(records: Records, given: dict[str, Any]) -> str:
    found = one(records, CHANNEL_TAB, given["tabId"], channel_id=channel(records, given)["channel_id"])
    return str(found["tab_id"])


def _update_tab(records: Records, given: dict[str, Any]) -> Any:
    return change(records, CHANNEL_TAB, _tab(records, given), given_values(CHANNEL_TAB, given))


def _delete_tab(records: Records, given: dict[str, Any]) -> Any:
    return retire(records, CHANNEL_TAB, _tab(records, given))


def _list_tabs(records: Records, given: dict[str, Any]) -> Any:
    place = channel(records, given)["channel_id"]
    rows = [(row, shaped(CHANNEL_TAB, row)) for row in live(records, CHANNEL_TAB, channel_id=place)]
    related = {"teamsApp": lambda row: shaped(APP, one(records, APP, row["app_id"]))}
    return answer(expanded(given, rows, related), [*properties(CHANNEL_TAB), *related], given)


TOOLS = (
    acting(
        "create_channel",
        "Create a channel in a team",
        (
            TEAM_ID,
            need("displayName", Text50, "Its name."),
            may("description", Text1024, "What it is for."),
            may("membershipType", words.MembershipType, "Whether all of the team belong to it.", "standard"),
            may("members", list[ChannelMember], "Members of a private or shared channel; at least one is an owner."),
            may("isFavoriteByDefault", bool, "Whether everybody sees it at the top.", False),
            may("_microsoft_graph_channelCreationMode", Literal["migration"], "Whether it is migrated."),
        ),
        _create,
    ),
    acting(
        "add_channel_member",
        "Add a member to a private or shared channel",
        (
            *_HERE,
            need("user_odata_bind", str, "The user, as .../users('<id>')."),
            may("_odata_type", str, "Kind of member.", DELEGATE),
            may("roles", list[Literal["owner"]], "Owner, or nothing.", []),
        ),
        _add_member,
    ),
    acting(
        "update_channel",
        "Change a channel",
        (
            *_HERE,
            may("displayName", Text50, "Its name."),
            may("description", Text1024, "What it is for."),
            may("isFavoriteByDefault", bool, "Whether everybody sees it at the top."),
        ),
        _update,
    ),
    acting("archive_channel", "Archive a channel; nothing can be written in it afterwards", _HERE, _archive),
    acting("provision_channel_email", "Give a channel an e-mail address", _HERE, _provision),
    reading("list_channels", "List the channels of a team", (TEAM_ID, FILTER, SELECT), _list),
    reading("list_all_channels", "List the channels of a team and those shared with it", (TEAM_ID, FILTER, SELECT), _list_all),
    reading("get_primary_channel", "Read the primary channel of a team", (TEAM_ID, FILTER, SELECT, EXPAND), _primary),
    reading("get_files_folder", "Read where the files of a channel lie", _HERE, _get_folder),
    acting(
        "add_tabs_to_channels",
        "Pin an app as a tab of a channel",
        (
            *_HERE,
            need("displayName", str, "Name of the tab."),
            need("teamsApp_odata_bind", str, "The app, as .../teamsApps('<id>')."),
            may("configuration", Configuration, "What it shows."),
        ),
        _add_tab,
    ),
    acting(
        "update_channel_tab",
        "Change the name or the configuration of a tab of a channel",
        (*_HERE, TAB_ID, may("displayName", Text128, "Its name."), may("configuration", Configuration, "What it shows.")),
        _update_tab,
    ),
    acting("delete_channel_tab", "Unpin a tab from a channel", (*_HERE, TAB_ID), _delete_tab),
    reading("list_tabs_in_channel", "List the tabs of a channel", (*_HERE, FILTER, SELECT, EXPAND), _list_tabs),
)
