"""Tools for teams and their members."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal

from typing_extensions import TypedDict

from opsgym.core.errors import ToolError
from opsgym.core.records.records import Records, Row
from opsgym.envs.enterprise_ops.teams import words
from opsgym.envs.enterprise_ops.teams.graph import answer, properties, shaped
from opsgym.envs.enterprise_ops.teams.odata import bound
from opsgym.envs.enterprise_ops.teams.tables.apps import APP, CHANNEL_TAB, TEAM_APP
from opsgym.envs.enterprise_ops.teams.tables.channels import CHANNEL, CHANNEL_MEMBER, FOLDER
from opsgym.envs.enterprise_ops.teams.tables.people import GROUP
from opsgym.envs.enterprise_ops.teams.tables.teams import TAG, TAG_MEMBER, TEAM, TEAM_MEMBER, TEMPLATE
from opsgym.envs.enterprise_ops.teams.tools.shared import (
    COUNT,
    DELEGATE,
    EXPAND,
    FILTER,
    SELECT,
    TEAM_ID,
    Member,
    Text128,
    Text255,
    Text1024,
    Time,
    acting,
    change,
    expanded,
    given_values,
    live,
    may,
    member,
    named,
    need,
    one,
    reading,
    retire,
    top,
)

ROLES = ("owner", "member", "guest")
MEMBERSHIP_ID = need("membershipId", str, "Key of the membership.")


class ClassSettings(TypedDict, total=False):
    """Settings of a class."""

    notifyGuardiansAboutAssignments: bool


class FirstChannel(TypedDict, total=False):
    """A channel to be made with a team."""

    displayName: str
    description: str
    isFavoriteByDefault: bool
    tabs: list[dict[str, Any]]


class FirstApp(TypedDict, total=False):
    """An app to be installed."""

    teamsApp_odata_bind: str


class MemberSettings(TypedDict, total=False):
    """What members who are no owners may do."""

    allowCreateUpdateChannels: bool
    allowCreatePrivateChannels: bool
    allowDeleteChannels: bool
    allowAddRemoveApps: bool
    allowCreateUpdateRemoveTabs: bool
    allowCreateUpdateRemoveConnectors: bool


class GuestSettings(TypedDict, total=False):
    """What guests may do."""

    allowCreateUpdateChannels: bool
    allowDeleteChannels: bool


class MessagingSettings(TypedDict, total=False):
    """What may be done with messages."""

    allowUserEditMessages: bool
    allowUserDeleteMessages: bool
    allowOwnerDeleteMessages: bool
    allowTeamMentions: bool
    allowChannelMentions: bool


class FunSettings(TypedDict, total=False):
    """Which pictures may be used."""

    allowGiphy: bool
    giphyContentRating: str
    allowStickersAndMemes: bool
    allowCustomMemes: bool


class DiscoverySettings(TypedDict, total=False):
    """Whether searches find the team."""

    showInTeamsSearchAndSuggestions: bool


_SETTINGS = (
    may("memberSettings", MemberSettings, "What members may do."),
    may("guestSettings", GuestSettings, "What guests may do."),
    may("messagingSettings", MessagingSettings, "What may be done with messages."),
    may("funSettings", FunSettings, "Which pictures may be used."),
    may("discoverySettings", DiscoverySettings, "Whether searches find the team."),
)

MEMBER_DEFAULTS = {
    "allowCreateUpdateChannels": True,
    "allowCreatePrivateChannels": True,
    "allowDeleteChannels": False,
    "allowAddRemoveApps": False,
    "allowCreateUpdateRemoveTabs": True,
    "allowCreateUpdateRemoveConnectors": False,
}
MESSAGING_DEFAULTS = {
    "allowUserEditMessages": True,
    "allowUserDeleteMessages": True,
    "allowOwnerDeleteMessages": True,
    "allowTeamMentions": True,
    "allowChannelMentions": True,
}
_MERGED = ("member_settings", "guest_settings", "messaging_settings", "fun_settings", "discovery_settings")


def nickname(name: str, key: str) -> str:
    """An alias for a mailbox, made of a name and a key that no other record has."""
    plain = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40]
    return f"{plain or 'x'}-{key.rsplit('_', 1)[-1]}"


def add_channel(records: Records, team_id: str, values: Mapping[str, Any]) -> Row:
    """Create a channel and its folder."""
    made = records.create(CHANNEL, {"team_id": team_id} | dict(values))
    url = f"https://files.example/{made['channel_id'].lower()}"
    records.create(FOLDER, {"channel_id": made["channel_id"], "name": made["display_name"], "web_url": url})
    return made


def add_tab(records: Records, channel_id: str, spec: Mapping[str, Any]) -> Row:
    """Pin an app as a tab of a channel."""
    app = one(records, APP, bound("teamsApp_odata_bind", spec.get("teamsApp_odata_bind", ""), "teamsApps"))
    values = {"channel_id": channel_id, "app_id": app["app_id"], "display_name": spec["displayName"]}
    return records.create(CHANNEL_TAB, values | {"configuration": spec.get("configuration", {})})


def sync(records: Records, team_id: str) -> None:
    """Have ``teams.members`` say what the memberships say."""
    members = [
        {"userId": item["userId"], "displayName": item["displayName"], "roles": item["roles"]}
        for item in named(records, TEAM_MEMBER, live(records, TEAM_MEMBER, team_id=team_id))
    ]
    if one(records, TEAM, team_id)["members"] != members:
        records.update(TEAM, {"team_id": team_id}, {"members": members})


# -- teams ----------------------------------------------------------------------------------------------------


def _create_team(records: Records, given: dict[str, Any]) -> Any:
    template = one(records, TEMPLATE, bound("template_odata_bind", given["template_odata_bind"], "teamsTemplates"))
    group = _group(records, given)
    values = given_values(TEAM, given) | {"group_id": group["group_id"], "template_id": template["template_id"]}
    values.pop("created_at", None)
    values.setdefault("display_name", group["display_name"])
    values["member_settings"] = MEMBER_DEFAULTS | values.get("member_settings", {})
    values["messaging_settings"] = MESSAGING_DEFAULTS | values.get("messaging_settings", {})
    team = records.create(TEAM, values)["team_id"]
    for spec in given.get("members", ()):
        _join(records, team, spec)
    sync(records, team)
    for spec in given.get("installedApps", ()):
        app = one(records, APP, bound("teamsApp_odata_bind", spec.get("teamsApp_odata_bind", ""), "teamsApps"))
        records.create(TEAM_APP, {"team_id": team, "app_id": app["app_id"]})
    add_channel(records, team, {"display_name": given.get("firstChannelName", "General"), "is_primary": True})
    for spec in given.get("channels", ()):
        if not spec.get("displayName"):
            raise ToolError("missing_field", "channels: each one needs displayName")
        made = add_channel(records, team, given_values(CHANNEL, spec))
        for tab in spec.get("tabs", ()):
            if not isinstance(tab.get("displayName"), str) or not isinstance(tab.get("teamsApp_odata_bind"), str):
                raise ToolError("missing_field", "tabs: each one needs displayName and teamsApp_odata_bind")
            add_tab(records, made["channel_id"], {"configuration": {}} | tab)
    return shaped(TEAM, one(records, TEAM, team))


def _group(records: Records, given: dict[str, Any]) -> Row:
    """The group of a new team: the one that is given, or a new one."""
    if "group_odata_bind" in given:
        group = one(records, GROUP, bound("group_odata_bind", given["group_odata_bind"], "groups"))
        if live(records, TEAM, group_id=group["group_id"]):
            raise ToolError("bad_state", "the group has a team already")
        return group
    if not given.get("displayName"):
        raise ToolError("missing_field", "displayName: a team without a group needs it")
    row = records.create(
        GROUP,
        {
            "display_name": given["displayName"],
            "description": given.get("description", ""),
            "mail_nickname": "x",
            "mail_enabled": True,
            "security_enabled": False,
            "group_types": ["Unified"],
            "visibility": given["visibility"].capitalize() if given["visibility"] != "hiddenMembership" else "Hiddenmembership",
        },
    )
    alias = nickname(given["displayName"], row["group_id"])
    return records.update(GROUP, {"group_id": row["group_id"]}, {"mail_nickname": alias})


def _join(records: Records, team: str, spec: Mapping[str, Any]) -> Row:
    whose, roles = member(records, spec, ("member",), ROLES)
    values = {"team_id": team, "user_id": whose["user_id"], "roles": roles or ["member"]}
    start = spec.get("visibleHistoryStartDateTime", "")
    return records.create(TEAM_MEMBER, values | {"visible_history_start": start})


def _update_team(records: Records, given: dict[str, Any]) -> Any:
    team = one(records, TEAM, given["teamId"])
    values = given_values(TEAM, given)
    for name in _MERGED:  # what a setting does not name stays as it is
        if name in values:
            values[name] = (team[name] or {}) | values[name]
    return change(records, TEAM, team["team_id"], values)


def _delete_team(records: Records, given: dict[str, Any]) -> Any:
    team = one(records, TEAM, given["teamId"])
    if live(records, GROUP, group_id=team["group_id"]):
        retire(records, GROUP, team["group_id"])
    return retire(records, TEAM, team["team_id"])


def _list_teams(records: Records, given: dict[str, Any]) -> Any:
    return answer([shaped(TEAM, row) for row in live(records, TEAM)], properties(TEAM), given)


# -- members --------------------------------------------------------------------------------------------------


def _add_member(records: Records, given: dict[str, Any]) -> Any:
    team = one(records, TEAM, given["teamId"])["team_id"]
    row = _join(records, team, given)
    sync(records, team)
    return named(records, TEAM_MEMBER, [row])[0]


def _add_members(records: Records, given: dict[str, Any]) -> Any:
    team = one(records, TEAM, given["teamId"])["team_id"]
    if not given["values"]:
        raise ToolError("missing_field", "values: expected at least one member")
    rows = [_join(records, team, spec) for spec in given["values"]]
    sync(records, team)
    return {"id": team, "value": named(records, TEAM_MEMBER, rows)}


def _membership(records: Records, given: dict[str, Any]) -> Row:
    team = one(records, TEAM, given["teamId"])["team_id"]
    return one(records, TEAM_MEMBER, given["membershipId"], team_id=team)


def _update_member(records: Records, given: dict[str, Any]) -> Any:
    row = _membership(records, given)
    changed = records.update(TEAM_MEMBER, {"membership_id": row["membership_id"]}, {"roles": given["roles"] or ["member"]})
    sync(records, row["team_id"])
    return named(records, TEAM_MEMBER, [changed])[0]


def _remove_member(records: Records, given: dict[str, Any]) -> Any:
    """Take a user out of a team, its tags and its private channels."""
    row = _membership(records, given)
    result = retire(records, TEAM_MEMBER, row["membership_id"])
    for tag in live(records, TAG, team_id=row["team_id"]):
        for item in live(records, TAG_MEMBER, tag_id=tag["tag_id"], user_id=row["user_id"]):
            retire(records, TAG_MEMBER, item["id"])
    for place in live(records, CHANNEL, team_id=row["team_id"], membership_type="private"):
        for item in live(records, CHANNEL_MEMBER, channel_id=place["channel_id"], user_id=row["user_id"]):
            retire(records, CHANNEL_MEMBER, item["membership_id"])
    sync(records, row["team_id"])
    return result


def _list_members(records: Records, given: dict[str, Any]) -> Any:
    team = one(records, TEAM, given["teamId"])["team_id"]
    rows = named(records, TEAM_MEMBER, live(records, TEAM_MEMBER, team_id=team))
    return answer(rows, [*properties(TEAM_MEMBER), "displayName", "email"], given)


def _list_installed(records: Records, given: dict[str, Any]) -> Any:
    team = one(records, TEAM, given["teamId"])["team_id"]
    rows = [(row, shaped(TEAM_APP, row)) for row in live(records, TEAM_APP, team_id=team)]
    related = {"teamsApp": lambda row: shaped(APP, one(records, APP, row["app_id"]))}
    return answer(expanded(given, rows, related), [*properties(TEAM_APP), *related], given)


def _list_apps(records: Records, given: dict[str, Any]) -> Any:
    rows = [(row, shaped(APP, row)) for row in live(records, APP)]
    related = {"installedIn": lambda row: [item["team_id"] for item in live(records, TEAM_APP, app_id=row["app_id"])]}
    return answer(expanded(given, rows, related), [*properties(APP), *related], given)


TOOLS = (
    acting(
        "create_team",
        "Create a team, with a group of its own or for a group that has none",
        (
            need("template_odata_bind", str, "The template, as .../teamsTemplates('standard')."),
            may("group_odata_bind", str, "The group, as .../groups('<id>')."),
            may("members", list[Member], "Members; at least one is an owner."),
            may("displayName", Text255, "Its name."),
            may("description", Text1024, "What it is for."),
            may("classification", str, "Classification, such as Confidential."),
            may("tenantId", Text128, "The tenant; it is that of the user in any case."),
            may("visibility", words.TeamVisibility, "Who sees it.", "private"),
            may("specialization", words.Specialization, "What kind of team it is.", "none"),
            may("createdDateTime", Time, "When it was created, for a migration."),
            may("_microsoft_graph_teamCreationMode", Literal["migration"], "Whether it is migrated."),
            may("classSettings", ClassSettings, "Settings of a class."),
            may("firstChannelName", str, "Name of the primary channel; General unless given."),
            may("channels", list[FirstChannel], "Further standard channels."),
            may("installedApps", list[FirstApp], "Apps to install."),
            *_SETTINGS,
        ),
        _create_team,
    ),
    acting(
        "update_team",
        "Change a team",
        (
            TEAM_ID,
            may("displayName", Text255, "Its name."),
            may("description", Text1024, "What it is for."),
            may("visibility", words.TeamVisibility, "Who sees it."),
            may("specialization", words.Specialization, "What kind of team it is."),
            *_SETTINGS,
        ),
        _update_team,
    ),
    acting("delete_team", "Delete a team and its group", (TEAM_ID,), _delete_team),
    reading(
        "list_teams",
        "List the teams of the organization",
        (top(50, 1000), may("_skiptoken", str, "Token of the next page."), FILTER, SELECT, COUNT),
        _list_teams,
    ),
    acting(
        "add_team_member",
        "Add a member to a team",
        (
            TEAM_ID,
            need("user_odata_bind", str, "The user, as .../users('<id>')."),
            may("_odata_type", str, "Kind of member.", DELEGATE),
            may("roles", list[words.MemberRole], "Roles in the team.", ["member"]),
            may("visibleHistoryStartDateTime", Time, "From when on the member sees messages."),
        ),
        _add_member,
    ),
    acting(
        "add_team_members_in_bulk",
        "Add members to a team, all or none",
        (TEAM_ID, need("values", list[Member], "The members.")),
        _add_members,
    ),
    acting(
        "update_team_member",
        "Change the roles of a member of a team",
        (TEAM_ID, MEMBERSHIP_ID, need("roles", list[words.MemberRole], "The new roles.")),
        _update_member,
    ),
    acting(
        "remove_team_member",
        "Remove a member from a team, its tags and its private channels",
        (TEAM_ID, MEMBERSHIP_ID),
        _remove_member,
    ),
    reading(
        "list_team_members",
        "List the members of a team; their ids are those of memberships",
        (TEAM_ID, FILTER, SELECT, top(50, 999)),
        _list_members,
    ),
    reading("list_installed_apps", "List the apps installed in a team", (TEAM_ID, EXPAND, FILTER, SELECT), _list_installed),
    reading("list_teams_apps", "List the apps of the catalogue", (FILTER, SELECT, EXPAND), _list_apps),
)
