"""Teams: its policy binds in strict mode, shows in what was done, and its tools keep the world whole."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from opsgym.core.errors import ToolError
from opsgym.core.records.invariants import violations
from opsgym.core.records.records import Records
from opsgym.core.tools import Tool
from opsgym.envs.enterprise_ops.teams.domain import TEAMS
from opsgym.envs.enterprise_ops.teams.tables.calls import CALL
from opsgym.envs.enterprise_ops.teams.tables.events import TOWNHALL, WEBINAR
from tests.envs.enterprise_ops.calls import Known, Make, attempt, every_sort, valid
from tests.envs.enterprise_ops.small import Step
from tests.envs.enterprise_ops.small_teams import ACTORS, LATER, ROWS, bind, body, broken, call, forbidden, open_world, session

HARBOUR, QUIET, DOCK = {"teamId": "TEAM_001"}, {"teamId": "TEAM_004"}, {"teamId": "TEAM_002"}
PLANS = HARBOUR | {"channelId": "CHAN_002"}
BOARD = HARBOUR | {"channelId": "CHAN_003"}
DONE = HARBOUR | {"channelId": "CHAN_004"}
HUSH = QUIET | {"channelId": "CHAN_008"}
SAY = {"body": body("Hi all")}
PLANNER, WIKI = bind("APP_001", "teamsApps"), bind("APP_002", "teamsApps")
STANDARD = bind("standard", "teamsTemplates")
NEW_USER = {"displayName": "Bo", "accountEnabled": True, "mailNickname": "bo", "passwordProfile": {"password": "x"}}


def member(key: str, *roles: str) -> dict[str, Any]:
    return {"user_odata_bind": bind(key), "roles": list(roles)}


def event(start: str = LATER, end: str = "2026-06-01 12:00:00", **more: Any) -> dict[str, Any]:
    times = {"startDateTime": {"dateTime": start}, "endDateTime": {"dateTime": end}}
    return {"displayName": "Talk", "description": body("Talk"), "audience": "organization"} | times | more


def ring(*keys: str, uri: str = "https://calls.example/2") -> dict[str, Any]:
    targets = [{"identity": {"user": {"id": key}}} for key in keys]
    return {"callbackUri": uri, "requestedModalities": ["audio"], "mediaConfig": {}, "targets": targets}


def route(sources: list[str], receivers: list[str], mode: str = "multicast", call_id: str = "CALL_001") -> dict[str, Any]:
    return {"call_id": call_id, "routingMode": mode, "sources": sources, "receivers": receivers}


def chat(*keys: str, kind: str = "group", **more: Any) -> dict[str, Any]:
    return {"chatType": kind, "members": [member(key, "owner") for key in keys]} | more


MENTION = {"mentions": [{"id": 0, "mentionText": "Eli", "mentioned": {"user": {"id": "USER_007"}}}]}
BREACHES: list[tuple[str, str, str, dict[str, Any]]] = [
    ("RIGHTS", "owner", "create_user", {"userPrincipalName": "bo@north.com"} | NEW_USER),
    ("RIGHTS", "guest", "send_channel_message", PLANS | SAY),
    ("TEAMS-USR-NAME", "admin", "create_user", {"userPrincipalName": "Ida@north.com"} | NEW_USER),
    ("TEAMS-USR-DOMAIN", "admin", "create_user", {"userPrincipalName": "bo@south.com"} | NEW_USER),
    ("TEAMS-USR-LEAVE", "admin", "delete_user", {"userId": "USER_003"}),
    ("TEAMS-STA-OWN", "owner", "set_user_status_message", {"user_id": "USER_003", "statusMessage": {"message": body("Out")}}),
    (
        "TEAMS-GRP-ALIAS",
        "admin",
        "create_group",
        {"displayName": "Crew", "mailEnabled": True, "mailNickname": "Group-5", "securityEnabled": False},
    ),
    ("TEAMS-GRP-OWNED", "owner", "update_group", {"groupId": "GROUP_005", "description": "Mine"}),
    ("TEAMS-GRP-OWNER", "admin", "add_group_owner", {"groupId": "GROUP_005", "_odata_id": bind("USER_004")}),
    ("TEAMS-TEAM-OWNER", "admin", "create_team", {"template_odata_bind": STANDARD, "displayName": "Quay"}),
    (
        "TEAMS-TEAM-NAME",
        "admin",
        "create_team",
        {"template_odata_bind": STANDARD, "displayName": "Admin", "members": [member("USER_003", "owner")]},
    ),
    ("TEAMS-TEAM-OWNED", "member", "update_team", HARBOUR | {"description": "Mine"}),
    ("TEAMS-TEAM-ARCHIVED", "owner", "update_team", DOCK | {"description": "Old"}),
    ("TEAMS-MEM-LAST", "owner", "remove_team_member", HARBOUR | {"membershipId": "TMEM_001"}),
    ("TEAMS-MEM-LAST", "admin", "update_team_member", HARBOUR | {"membershipId": "TMEM_001", "roles": ["member"]}),
    ("TEAMS-MEM-OWNED", "member", "add_team_member", HARBOUR | {"user_odata_bind": bind("USER_008")}),
    ("TEAMS-MEM-ONCE", "owner", "add_team_member", HARBOUR | {"user_odata_bind": bind("USER_003")}),
    ("TEAMS-MEM-ENABLED", "owner", "add_team_members_in_bulk", HARBOUR | {"values": [member("USER_007"), member("USER_004")]}),
    ("TEAMS-MEM-GUEST", "owner", "update_team_member", HARBOUR | {"membershipId": "TMEM_003", "roles": ["owner"]}),
    ("TEAMS-MEM-ARCHIVED", "owner", "add_team_member", DOCK | {"user_odata_bind": bind("USER_007")}),
    ("TEAMS-CHN-NAME", "owner", "create_channel", HARBOUR | {"displayName": "PLANS"}),
    ("TEAMS-CHN-RESERVED", "owner", "create_channel", HARBOUR | {"displayName": "admin"}),
    ("TEAMS-CHN-PRIMARY", "owner", "update_channel", HARBOUR | {"channelId": "CHAN_001", "displayName": "Lobby"}),
    ("TEAMS-CHN-OWNER", "owner", "create_channel", HARBOUR | {"displayName": "Tide", "membershipType": "private"}),
    ("TEAMS-CHN-RIGHT", "member", "create_channel", QUIET | {"displayName": "Tide"}),
    ("TEAMS-CHN-RIGHT", "outsider", "create_channel", HARBOUR | {"displayName": "Tide"}),
    ("TEAMS-CHN-ARCHIVE", "member", "archive_channel", PLANS),
    ("TEAMS-CHN-ARCHIVED", "owner", "update_channel", DONE | {"description": "Over"}),
    ("TEAMS-CHN-ARCHIVED", "owner", "create_channel", DOCK | {"displayName": "Tide"}),
    ("TEAMS-CHM-KIND", "owner", "add_channel_member", PLANS | {"user_odata_bind": bind("USER_003")}),
    ("TEAMS-CHM-TEAM", "owner", "add_channel_member", BOARD | {"user_odata_bind": bind("USER_007")}),
    ("TEAMS-CHM-ONCE", "owner", "add_channel_member", BOARD | {"user_odata_bind": bind("USER_002")}),
    ("TEAMS-CHM-RIGHT", "member", "add_channel_member", BOARD | {"user_odata_bind": bind("USER_003")}),
    ("TEAMS-CHM-ARCHIVED", "owner", "add_channel_member", DONE | {"user_odata_bind": bind("USER_003")}),
    ("TEAMS-CHM-LAST", "admin", "remove_team_member", QUIET | {"membershipId": "TMEM_009"}),
    ("TEAMS-TAB-APP", "owner", "add_tabs_to_channels", PLANS | {"displayName": "Wiki", "teamsApp_odata_bind": WIKI}),
    ("TEAMS-TAB-RIGHT", "member", "delete_channel_tab", HUSH | {"tabId": "TAB_003"}),
    ("TEAMS-TAB-ARCHIVED", "owner", "delete_channel_tab", DONE | {"tabId": "TAB_002"}),
    ("TEAMS-MSG-LONG", "owner", "send_channel_message", PLANS | {"body": body("x" * 5001)}),
    ("TEAMS-MSG-MEMBER", "outsider", "send_channel_message", PLANS | SAY),
    ("TEAMS-MSG-AUTHOR", "owner", "update_channel_message", PLANS | SAY | {"messageId": "CMSG_002"}),
    ("TEAMS-MSG-DELETE", "member", "soft_delete_channel_message", PLANS | {"messageId": "CMSG_001"}),
    ("TEAMS-MSG-DELETE", "owner", "soft_delete_channel_message", HUSH | {"messageId": "CMSG_004"}),
    ("TEAMS-MSG-MENTION", "owner", "send_channel_message", PLANS | SAY | MENTION),
    ("TEAMS-MSG-ARCHIVED", "owner", "send_channel_message", DONE | SAY),
    ("TEAMS-REA-MEMBER", "owner", "set_channel_message_reaction", DONE | {"messageId": "CMSG_003", "reactionType": "like"}),
    ("TEAMS-CHT-SELF", "admin", "create_chat", chat("USER_003", "USER_007", "USER_008")),
    ("TEAMS-CHT-SIZE", "owner", "create_chat", chat("USER_002", "USER_007")),
    ("TEAMS-CHT-PAIR", "owner", "create_chat", chat("USER_002", "USER_003", kind="oneOnOne")),
    ("TEAMS-CHT-TOPIC", "owner", "update_chat", {"chatId": "CHAT_001", "topic": "Us"}),
    ("TEAMS-CHT-IN", "admin", "update_chat", {"chatId": "CHAT_002", "topic": "Mine"}),
    ("TEAMS-CHT-WRITE", "admin", "send_chat_message", {"chatId": "CHAT_002"} | SAY),
    ("TEAMS-CHT-LONG", "owner", "send_chat_message", {"chatId": "CHAT_002", "body": body("x" * 5001)}),
    ("TEAMS-CHT-AUTHOR", "owner", "soft_delete_chat_message", {"chatId": "CHAT_002", "messageId": "CHMSG_003"}),
    ("TEAMS-CHT-PIN", "admin", "pin_chat_message", {"chatId": "CHAT_002", "messageId": "CHMSG_003"}),
    ("TEAMS-CHT-TAB", "owner", "add_tab_to_chat", {"chatId": "CHAT_001", "displayName": "Wiki", "teamsApp_odata_bind": WIKI}),
    ("TEAMS-TAG-NAME", "owner", "create_teamwork_tag", {"team_id": "TEAM_001", "displayName": "night shift"}),
    ("TEAMS-TAG-RIGHT", "member", "create_teamwork_tag", {"team_id": "TEAM_001", "displayName": "Day"}),
    (
        "TEAMS-TGM-RIGHT",
        "member",
        "create_teamwork_tag_member",
        {"team_id": "TEAM_001", "tag_id": "TAG_001", "userId": "USER_002"},
    ),
    ("TEAMS-TGM-TEAM", "owner", "create_teamwork_tag_member", {"team_id": "TEAM_001", "tag_id": "TAG_001", "userId": "USER_007"}),
    ("TEAMS-TGM-ONCE", "owner", "create_teamwork_tag_member", {"team_id": "TEAM_001", "tag_id": "TAG_001", "userId": "USER_003"}),
    ("TEAMS-WEB-MOVE", "owner", "publish_virtual_event_webinar", {"webinar_id": "WEBINAR_002"}),
    ("TEAMS-WEB-TIME", "owner", "create_virtual_event_webinar", event(end=LATER)),
    ("TEAMS-WEB-OWN", "member", "publish_virtual_event_webinar", {"webinar_id": "WEBINAR_001"}),
    ("TEAMS-WEB-BEGUN", "owner", "publish_virtual_event_webinar", {"webinar_id": "WEBINAR_003"}),
    ("TEAMS-HALL-TIME", "owner", "create_virtual_event_townhall", event(end="2026-05-31 12:00:00")),
    ("TEAMS-HALL-OWN", "member", "cancel_virtual_event_townhall", {"townhall_id": "TOWNHALL_001"}),
    ("TEAMS-HALL-INVITE", "owner", "create_virtual_event_townhall", event(audience="everyone", isInviteOnly=True)),
    ("TEAMS-INV-ONLY", "owner", "create_virtual_event_townhall", event(invitedAttendees=[{"id": "USER_003"}])),
    ("TEAMS-ORG-MEMBER", "owner", "create_virtual_event_webinar", event(coOrganizers=[{"id": "USER_005"}])),
    ("TEAMS-ORG-MEMBER", "owner", "create_virtual_event_townhall", event(coOrganizers=[{"id": "USER_002"}])),
    ("TEAMS-CALL-URI", "owner", "create_call", ring("USER_003", uri="http://calls.example")),
    ("TEAMS-CALL-WHOM", "owner", "create_call", ring()),
    ("TEAMS-ROUTE-LIVE", "owner", "create_audio_routing_group", route(["USER_002"], ["USER_003"], call_id="CALL_002")),
    ("TEAMS-ROUTE-PAIR", "owner", "create_audio_routing_group", route(["USER_002"], ["USER_003", "USER_007"], "oneToOne")),
    ("TEAMS-ROUTE-PAIR", "owner", "create_audio_routing_group", route(["USER_003"], ["USER_003"])),
    ("TEAMS-ROUTE-PART", "owner", "create_audio_routing_group", route(["USER_008"], ["USER_003"])),
]


@pytest.mark.parametrize(("rule", "who", "tool", "arguments"), BREACHES)
def test_a_strict_tool_refuses_with_the_rule(rule: str, who: str, tool: str, arguments: dict[str, Any]) -> None:
    forbidden(session(who), rule, tool, **arguments)


@pytest.mark.parametrize(("rule", "who", "tool", "arguments"), BREACHES)
def test_the_same_breach_shows_in_permissive_play(rule: str, who: str, tool: str, arguments: dict[str, Any]) -> None:
    assert rule in broken(who, (tool, arguments))


def test_every_rule_is_broken_by_some_call_or_held_by_the_tables() -> None:
    called = {rule for rule, *_ in BREACHES}
    left = set(TEAMS.rule_by_id) - called
    assert left == {"TEAMS-WEB-START", "TEAMS-HALL-START", "TEAMS-HALL-MOVE", "TEAMS-TGM-SIZE"}  # below, by hand


def test_events_start_as_drafts_and_are_never_taken_up_again() -> None:
    for table in (WEBINAR, TOWNHALL):
        records = session("admin")
        values = {"display_name": "x", "description": {}, "start_time": LATER, "end_time": "2026-07-01", "audience": "everyone"}
        with pytest.raises(ToolError, match="-START"):
            records.create(table, values | {"status": "published"})
        made = records.create(table, values)
        records.update(table, {table.id: made[table.id]}, {"status": "canceled"})
        with pytest.raises(ToolError, match="-MOVE"):
            records.update(table, {table.id: made[table.id]}, {"status": "published"})


def test_a_published_webinar_is_not_published_again() -> None:
    records = session()
    call(records, "publish_virtual_event_webinar", webinar_id="WEBINAR_001")
    before = records.world.digest()
    with pytest.raises(ToolError):
        call(records, "publish_virtual_event_webinar", webinar_id="WEBINAR_001")
    assert records.world.digest() == before


def test_a_tag_has_at_most_25_members() -> None:
    records = session("admin", "permissive")
    users = []
    for number in range(26):
        made = call(records, "create_user", **(NEW_USER | {"userPrincipalName": f"u{number}@north.com"}))
        call(records, "add_team_member", **HARBOUR, user_odata_bind=bind(made["id"]))
        users.append({"userId": made["id"]})
    strict = Records(TEAMS, records.world, ACTORS["admin"], enforcement="strict")
    made = call(strict, "create_teamwork_tag", team_id="TEAM_001", displayName="Many", members=users[:25])
    assert made["memberCount"] == 25
    forbidden(strict, "TEAMS-TGM-SIZE", "create_teamwork_tag_member", team_id="TEAM_001", tag_id=made["id"], **users[25])


LEGAL: list[tuple[str, list[Step]]] = [
    ("owner", [("add_team_member", HARBOUR | {"user_odata_bind": bind("una@north.com"), "roles": ["owner"]})]),
    ("admin", [("remove_team_member", QUIET | {"membershipId": "TMEM_007"})]),
    ("owner", [("remove_team_member", QUIET | {"membershipId": "TMEM_007"})]),  # anybody may leave where an owner remains
    ("owner", [("update_team_member", QUIET | {"membershipId": "TMEM_007", "roles": ["member"]})]),
    ("member", [("remove_team_member", HARBOUR | {"membershipId": "TMEM_002"})]),
    ("member", [("create_channel", HARBOUR | {"displayName": "Tide"})]),
    (
        "member",
        [
            (
                "create_channel",
                HARBOUR | {"displayName": "Tide", "membershipType": "private", "members": [member("USER_003", "owner")]},
            ),
        ],
    ),
    (
        "member",
        [
            (
                "create_team",
                {
                    "template_odata_bind": STANDARD,
                    "displayName": "Quay",
                    "members": [member("USER_003", "owner"), member("USER_005", "guest")],
                    "installedApps": [{"teamsApp_odata_bind": PLANNER}],
                    "channels": [{"displayName": "Plan", "tabs": [{"displayName": "Plan", "teamsApp_odata_bind": PLANNER}]}],
                },
            )
        ],
    ),
    ("owner", [("archive_channel", PLANS)]),
    ("owner", [("send_channel_message", PLANS | SAY), ("archive_channel", PLANS)]),
    (
        "owner",
        [
            ("soft_delete_channel_message", PLANS | {"messageId": "CMSG_002"}),
            ("undo_soft_delete_channel_message", PLANS | {"messageId": "CMSG_002"}),
        ],
    ),
    ("member", [("send_chat_message", {"chatId": "CHAT_001", "replyToId": "CHMSG_001"} | SAY)]),
    ("owner", [("create_chat", chat("USER_002", "USER_007", kind="oneOnOne"))]),
    ("owner", [("create_virtual_event_townhall", event(isInviteOnly=True, invitedAttendees=[{"id": "USER_005"}]))]),
    ("owner", [("create_audio_routing_group", route(["USER_002"], ["USER_003", "USER_007"]))]),
    ("owner", [("delete_team", QUIET)]),
    (
        "admin",
        [
            ("remove_team_member", HARBOUR | {"membershipId": "TMEM_003"}),
            ("delete_user", {"userPrincipalName": "gus@partner.com"}),
        ],
    ),
]


@pytest.mark.parametrize(("who", "steps"), LEGAL)
def test_work_by_the_rules_is_done_and_breaks_nothing(who: str, steps: list[Step]) -> None:
    strict = session(who)
    for tool, arguments in steps:
        call(strict, tool, **arguments)
    assert violations(TEAMS, strict.world) == []
    assert broken(who, *steps) == set()


# -- tables, rights and sights --------------------------------------------------------------------------------


def test_it_has_47_tables_and_70_tools() -> None:
    assert len(TEAMS.tables) == 47
    assert len(TEAMS.toolbox) == 70
    assert sum(len(table.refs) for table in TEAMS.tables) / 47 >= 1.7


def test_members_see_their_own_chats_and_channels_only() -> None:
    assert [row["id"] for row in call(session("member"), "list_chats")["value"]] == ["CHAT_001"]
    with pytest.raises(ToolError, match="no chat"):
        call(session("member"), "list_chat_messages", chatId="CHAT_002")
    assert call(session("outsider"), "list_channel_messages", **PLANS)["value"] == []
    assert len(call(session("outsider", "permissive"), "list_channel_messages", **PLANS)["value"]) == 3
    assert [row["id"] for row in call(session("guest"), "list_teams")["value"]] == ["TEAM_001"]


def test_call_records_are_for_admins() -> None:
    forbidden(session("owner"), "RIGHTS", "list_call_records")
    record = call(session("admin"), "get_call_record", id="CREC_001", _expand="sessions")
    assert [item["callerId"] for item in record["sessions"]] == ["USER_002"]
    assert call(session("admin"), "list_call_sessions", id="CREC_001", _select="callerId")["value"] == [
        {"id": "SESS_001", "callerId": "USER_002"}
    ]


def test_a_recording_is_kept_for_30_days_at_most() -> None:
    world = open_world()
    with pytest.raises(Exception, match="CHECK"):
        world.execute("UPDATE call_recordings SET expires_at = '2026-06-30 08:00:00'")


def test_the_other_tenant_does_not_exist() -> None:
    for who in ACTORS:
        with pytest.raises(ToolError, match="no team"):
            call(session(who, "permissive"), "list_channels", teamId="TEAM_003")
        with pytest.raises(ToolError, match="no user"):
            call(session(who, "permissive"), "get_user", userId="USER_006")


# -- what the tools do ----------------------------------------------------------------------------------------


def test_every_change_is_written_to_the_audit_log() -> None:
    records = session()
    call(records, "send_channel_message", **PLANS, **SAY)
    call(records, "archive_channel", **PLANS)
    with pytest.raises(ToolError):
        call(records, "archive_channel", **BOARD, extra=1)
    call(records, "list_channels", **HARBOUR)
    rows = [row[1:5] for row in records.world.rows("audit_logs").values()]
    assert [(user, operation) for user, _, _, operation in rows] == [
        ("USER_002", "send_channel_message"),
        ("USER_002", "archive_channel"),
    ]


def test_the_list_of_members_follows_the_memberships() -> None:
    records = session()
    call(records, "add_team_members_in_bulk", **HARBOUR, values=[member("USER_008", "owner"), member("USER_007")])
    call(records, "remove_team_member", **HARBOUR, membershipId="TMEM_002")
    said = json.loads(records.world.execute("SELECT members FROM teams WHERE team_id = 'TEAM_001'").fetchone()[0])
    listed = call(records, "list_team_members", **HARBOUR)["value"]
    assert [(item["userId"], item["roles"]) for item in said] == [(item["userId"], item["roles"]) for item in listed]
    assert [item["userId"] for item in said] == ["USER_002", "USER_005", "USER_008", "USER_007"]


@pytest.mark.parametrize(
    "text",
    [
        "USER_003",
        "https://graph.microsoft.com/v1.0/teams('USER_003')",
        "https://elsewhere.com/users('USER_003')",
        "https://graph.microsoft.com/v1.0/users('USER_003' OR 1)",
        "users('')",
        "",
    ],
)
def test_a_bind_string_of_another_form_is_refused(text: str) -> None:
    with pytest.raises(ToolError, match="user_odata_bind: expected https://graph") as caught:
        call(session(), "add_team_member", **HARBOUR, user_odata_bind=text)
    assert caught.value.code == "invalid_value"


@pytest.mark.parametrize("text", ["users('USER_008')", "/users/USER_008", "https://graph.microsoft.com/beta/users/una@north.com"])
def test_bind_strings_have_several_forms(text: str) -> None:
    assert call(session(), "add_team_member", **HARBOUR, user_odata_bind=text)["userId"] == "USER_008"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("startswith(displayName,'M')", [2]),
        ("department eq null and jobTitle eq 'pilot'", [1, 3, 5, 7]),
        ("not (jobTitle eq 'Pilot') and accountEnabled eq true", [2, 8]),
        ("userType eq 'Guest' or accountEnabled eq false", [4, 5]),
        ("mail in ('ida@north.com', 'una@north.com')", [3, 8]),
        ("endsWith(mail,'partner.com')", [5]),
        ("createdDateTime ge 2026-05-01 and contains(displayName,'li')", [7]),
        ("createdDateTime gt 2026-05-01T08:00:00Z", []),
        ("displayName eq 'O''Neil'", []),
    ],
)
def test_filters_find_users(text: str, found: list[int]) -> None:
    rows = call(session(), "list_users", _filter=text, _select="displayName")["value"]
    assert [row["id"] for row in rows] == [f"USER_00{number}" for number in found]


@pytest.mark.parametrize(
    "text", ["displayName", "displayName eq", "salary eq 1", "displayName is 'x'", "((displayName eq 'x')", "not " * 30, "'"]
)
def test_a_filter_that_cannot_be_read_is_refused(text: str) -> None:
    with pytest.raises(ToolError, match="_filter"):
        call(session(), "list_users", _filter=text)


def test_lists_have_pages_order_and_count() -> None:
    records = session()
    first = call(records, "list_teams", _top=2, _count=True)
    assert (first["@odata.count"], len(first["value"]), first["left"]) == (3, 2, 1)
    second = call(records, "list_teams", _top=2, _skiptoken=first["@odata.nextLink"])
    assert [row["displayName"] for row in second["value"]] == ["Quiet"]
    assert "left" not in second
    users = call(records, "list_users", _orderby="jobTitle desc,displayName", _skip=1, _top=2)["value"]
    assert [row["displayName"] for row in users] == ["Eli Hale", "Gus Hale"]
    assert [row["id"] for row in call(records, "list_groups", _search="displayName:crew", _expand="owners")["value"]] == [
        "GROUP_005"
    ]


def test_published_defaults_are_taken_even_where_they_mislead() -> None:
    records = session()
    sent = call(records, "send_channel_message", **PLANS, **SAY, importance="urgent")
    changed = call(records, "update_channel_message", **PLANS, messageId=sent["id"], subject="Hello")
    assert changed["importance"] == "normal"


def test_messages_are_deleted_softly_and_brought_back() -> None:
    records = session("member")
    call(records, "soft_delete_channel_message", **PLANS, messageId="CMSG_002")
    (deleted,) = [row for row in call(records, "list_channel_messages", **PLANS)["value"] if row["id"] == "CMSG_002"]
    assert "body" not in deleted
    with pytest.raises(ToolError, match="is deleted"):
        call(records, "update_channel_message", **PLANS, messageId="CMSG_002", **SAY)
    assert call(records, "undo_soft_delete_channel_message", **PLANS, messageId="CMSG_002")["body"] == body("Ahoy")


def test_reactions_and_status_are_set_and_unset() -> None:
    records = session()
    like = PLANS | {"messageId": "CMSG_002", "reactionType": "like"}
    call(records, "set_channel_message_reaction", **like)
    with pytest.raises(ToolError, match="already"):
        call(records, "set_channel_message_reaction", **like)
    call(records, "unset_channel_message_reaction", **like)
    call(records, "set_channel_message_reaction", **like)
    status = {"message": body("Out"), "expiryDateTime": {"dateTime": "2026-05-09T00:00:00", "timeZone": "UTC"}}
    first = call(records, "set_user_status_message", user_id="max@north.com", statusMessage=status)
    second = call(records, "set_user_status_message", user_id="USER_002", statusMessage=status | {"message": body("Back")})
    assert (first["id"], second["message"]) == (second["id"], "Back")


def test_a_channel_gets_an_address_once() -> None:
    records = session()
    assert call(records, "provision_channel_email", **PLANS)["email"] == "plans-002@north.com"
    with pytest.raises(ToolError, match="already"):
        call(records, "provision_channel_email", **PLANS)


def test_times_of_events_are_told_in_zones() -> None:
    start = {"dateTime": "2026-06-01T10:00:00", "timeZone": "Asia/Tokyo"}
    made = call(session(), "create_virtual_event_webinar", **(event() | {"startDateTime": start}))
    assert made["startDateTime"] == "2026-06-01T01:00:00Z"
    with pytest.raises(ToolError, match="IANA"):
        call(session(), "create_virtual_event_webinar", **(event() | {"startDateTime": start | {"timeZone": "../etc"}}))


def test_the_members_of_a_tag_are_replaced() -> None:
    records = session()
    tag = {"team_id": "TEAM_001", "tag_id": "TAG_001"}
    assert call(records, "update_teamwork_tag", **tag, members=[{"userId": "USER_002"}])["members"] == ["USER_002"]
    assert call(records, "list_teamwork_tags", team_id="TEAM_001")["value"][0]["memberCount"] == 1


def test_members_who_were_deleted_are_listed_until_they_are_removed() -> None:
    records = session("admin", "permissive")
    call(records, "delete_user", userId="USER_003")
    listed = call(records, "list_team_members", **HARBOUR)["value"]
    assert [row["displayName"] for row in listed] == ["Max Hale", "Ida Hale", "Gus Hale"]
    call(records, "remove_team_member", **HARBOUR, membershipId="TMEM_002")
    assert len(call(records, "list_team_members", **HARBOUR)["value"]) == 2


def test_who_leaves_a_team_leaves_its_tags_and_private_channels() -> None:
    records = session()
    call(records, "add_channel_member", **BOARD, user_odata_bind=bind("USER_003"))
    call(records, "remove_team_member", **HARBOUR, membershipId="TMEM_002")
    for table in ("team_members", "teamwork_tag_members", "channel_members"):
        sql = f"SELECT count(*) FROM {table} WHERE user_id = 'USER_003' AND org_id = 'ORG_001' AND NOT soft_deleted"
        assert records.world.execute(sql).fetchone()[0] == (2 if table == "team_members" else 0)


def test_channels_are_shared_between_teams() -> None:
    records = session()
    own = [row["id"] for row in call(records, "list_channels", **HARBOUR)["value"]]
    assert [row["id"] for row in call(records, "list_all_channels", **HARBOUR)["value"]] == [*own, "CHAN_007"]
    assert call(records, "get_files_folder", **HARBOUR, channelId="CHAN_001")["name"] == "General"
    assert call(records, "get_primary_channel", **HARBOUR, _expand="filesFolder")["filesFolder"]["id"] == "FOLDER_001"


def test_settings_keep_what_is_not_named() -> None:
    made = call(session(), "update_team", **HARBOUR, memberSettings={"allowCreateUpdateChannels": False})
    assert made["memberSettings"] == {
        "allowCreateUpdateChannels": False,
        "allowCreatePrivateChannels": True,
        "allowCreateUpdateRemoveTabs": True,
    }


def test_a_call_names_its_targets() -> None:
    records = session()
    made = call(records, "create_call", **ring("USER_003", "USER_003"))
    assert (made["state"], made["targets"]) == ("establishing", ["USER_003"])
    assert records.get(CALL, {"call_id": made["id"]})["created_by"] == "USER_002"


# -- every tool -----------------------------------------------------------------------------------------------

KEYS = {
    "teamId": "teams",
    "team_id": "teams",
    "channelId": "channels",
    "chatId": "chats",
    "userId": "teams_users",
    "user_id": "teams_users",
    "groupId": "groups_m365",
    "membershipId": "team_members",
    "tabId": "teams_channel_tabs",
    "tag_id": "teamwork_tags",
    "webinar_id": "virtual_event_webinars",
    "townhall_id": "virtual_event_townhalls",
    "call_id": "calls",
    "id": "call_records",
}
KNOWN: dict[str, list[Any]] = {
    name: [row[TEAMS.table(table).id] for row in ROWS[table] if row.get("org_id") == "ORG_001"] for name, table in KEYS.items()
}
KNOWN |= {
    "messageId": [row["message_id"] for name in ("channel_messages", "chat_messages") for row in ROWS[name]],
    "user_odata_bind": [bind(key) for key in KNOWN["userId"]],
    "_odata_id": [bind(key) for key in KNOWN["userId"]],
    "teamsApp_odata_bind": [PLANNER, WIKI],
    "template_odata_bind": [STANDARD],
    "group_odata_bind": [bind(key, "groups") for key in KNOWN["groupId"]],
    "userPrincipalName": [row["user_principal_name"] for row in ROWS["teams_users"]],
    "_filter": ["displayName eq 'x'", "id ne 'x'"],
    "_select": ["id", "displayName"],
    "_orderby": ["displayName desc", "id"],
    "_expand": ["teamsApp", "members", "sessions", "replies"],
}


def deep_hostile(tool: Tool, rng: np.random.Generator, known: Known) -> dict[str, Any]:
    """SQL in every text, however deep."""

    def spoiled(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: spoiled(item) for name, item in value.items()}
        if isinstance(value, list):
            return [spoiled(item) for item in value]
        return "x'; DROP TABLE teams; --" if isinstance(value, str) else value

    return {name: spoiled(value) if name not in known else value for name, value in valid(tool, rng, known).items()}


@every_sort
@pytest.mark.parametrize("tool", TEAMS.tools, ids=lambda tool: tool.name)
def test_no_call_of_any_tool_breaks_the_world(tool: Tool, make: Make) -> None:
    rng = np.random.default_rng(5)
    records = session("admin", "permissive")
    for _ in range(3):
        attempt(tool, records, make(tool, rng, KNOWN))


@pytest.mark.parametrize("tool", TEAMS.tools, ids=lambda tool: tool.name)
def test_sql_in_nested_texts_is_inert(tool: Tool) -> None:
    rng = np.random.default_rng(7)
    records = session("admin", "permissive")
    for _ in range(5):
        attempt(tool, records, deep_hostile(tool, rng, KNOWN))


@pytest.mark.parametrize("tool", [tool for tool in TEAMS.tools if tool.mutates], ids=lambda tool: tool.name)
def test_a_guest_writes_nothing(tool: Tool) -> None:
    rng = np.random.default_rng(5)
    records = session("guest")
    before = records.world.digest()
    for _ in range(5):
        assert not attempt(tool, records, valid(tool, rng, KNOWN))
    assert records.world.digest() == before
