"""A small Teams world of two tenants for tests; its own rules hold in it."""

from __future__ import annotations

import json
from typing import Any

from opsgym.core.records.actor import Actor
from opsgym.envs.enterprise_ops.teams.domain import TEAMS
from tests.envs.enterprise_ops.small import SmallWorld

TIME = "2026-05-01 08:00:00"
LATER = "2026-06-01 10:00:00"
OPEN = {"allowCreateUpdateChannels": True, "allowCreatePrivateChannels": True, "allowCreateUpdateRemoveTabs": True}
SPOKEN = {"allowUserDeleteMessages": True, "allowOwnerDeleteMessages": True}
GRAPH = "https://graph.microsoft.com/v1.0"

_PEOPLE = (
    ("Ana", "Member", 1, 1),
    ("Max", "Member", 1, 1),
    ("Ida", "Member", 1, 1),
    ("Oto", "Member", 0, 1),
    ("Gus", "Guest", 1, 1),
    ("Sol", "Member", 1, 2),
    ("Eli", "Member", 1, 1),
    ("Una", "Member", 1, 1),
)
_HOSTS = {1: "north.com", 2: "south.com"}


def bind(key: str, collection: str = "users") -> str:
    return f"{GRAPH}/{collection}('{key}')"


def body(content: str) -> dict[str, str]:
    return {"contentType": "text", "content": content}


def _body(content: str) -> str:
    return json.dumps(body(content), sort_keys=True, separators=(",", ":"))


def _row(org: int = 1, **values: Any) -> dict[str, Any]:
    return values | {"org_id": f"ORG_00{org}", "created_at": TIME, "updated_at": TIME, "soft_deleted": 0}


_MEMBERS = (
    ("TEAM_001", 2, "owner"),
    ("TEAM_001", 3, "member"),
    ("TEAM_001", 5, "guest"),
    ("TEAM_002", 2, "owner"),
    ("TEAM_002", 3, "member"),
    ("TEAM_003", 6, "owner"),
    ("TEAM_004", 2, "owner"),
    ("TEAM_004", 3, "member"),
    ("TEAM_004", 8, "owner"),
)
_TEAMS: tuple[tuple[str, int, int, dict[str, bool], dict[str, bool]], ...] = (
    ("Harbour", 1, 0, OPEN, SPOKEN),
    ("Old dock", 1, 1, OPEN, SPOKEN),
    ("Harbour", 2, 0, OPEN, SPOKEN),
    ("Quiet", 1, 0, {}, {}),
)
_CHANNELS = (
    ("General", 1, "standard", 0),
    ("Plans", 1, "standard", 0),
    ("Board", 1, "private", 0),
    ("Done", 1, "standard", 1),
    ("General", 2, "standard", 0),
    ("General", 3, "standard", 0),
    ("Bridge", 4, "shared", 0),
    ("General", 4, "standard", 0),
    ("Vault", 4, "private", 0),
)
_MESSAGES = ((2, 2, "Hello", 0), (2, 3, "Ahoy", 0), (4, 2, "Over", 0), (8, 3, "Hush", 0), (2, 3, "Gone", 1), (6, 6, "Theirs", 0))

ROWS: dict[str, list[dict[str, Any]]] = {
    "teams_orgs": [
        {
            "org_id": f"ORG_00{n}",
            "tenant_id": f"tenant-{n}",
            "display_name": name,
            "domain_name": _HOSTS[n],
            "created_at": TIME,
            "soft_deleted": 0,
        }
        for n, name in ((1, "North"), (2, "South"))
    ],
    "teams_users": [
        _row(
            org,
            user_id=f"USER_00{n}",
            user_principal_name=f"{name.lower()}@{_HOSTS[org] if kind == 'Member' else 'partner.com'}",
            mail=f"{name.lower()}@{_HOSTS[org] if kind == 'Member' else 'partner.com'}",
            display_name=f"{name} Hale",
            given_name=name,
            surname="Hale",
            job_title="Pilot" if n % 2 else "Cook",
            mail_nickname=name.lower(),
            account_enabled=enabled,
            user_type=kind,
            static_token="secret",
        )
        for n, (name, kind, enabled, org) in enumerate(_PEOPLE, 1)
    ],
    "teams_user_roles": [{"id": "UROLE_001", "user_id": "USER_001", "role": "admin", "org_id": "ORG_001"}],
    "groups_m365": [
        _row(
            org,
            group_id=f"GROUP_00{n}",
            display_name=name,
            mail_nickname=f"group-{n}",
            mail_enabled=1,
            security_enabled=0,
            group_types='["Unified"]',
            visibility="Private",
        )
        for n, (name, org) in enumerate([*((team[0], team[1]) for team in _TEAMS), ("Crew", 1)], 1)
    ],
    "group_owners": [
        {"group_id": "GROUP_005", "user_id": "USER_003", "org_id": "ORG_001", "created_at": TIME, "updated_at": TIME}
    ],
    "teams_templates": [{"template_id": "standard", "display_name": "Standard"}],
    "teams": [
        _row(
            org,
            team_id=f"TEAM_00{n}",
            group_id=f"GROUP_00{n}",
            template_id="standard",
            display_name=name,
            visibility="private",
            specialization="none",
            is_archived=archived,
            members=json.dumps(
                [
                    {"displayName": f"{_PEOPLE[user - 1][0]} Hale", "roles": [role], "userId": f"USER_00{user}"}
                    for team, user, role in _MEMBERS
                    if team == f"TEAM_00{n}"
                ],
                separators=(",", ":"),
            ),
            member_settings=json.dumps(settings),
            messaging_settings=json.dumps(spoken),
            created_by=f"USER_00{6 if org == 2 else 2}",
        )
        for n, (name, org, archived, settings, spoken) in enumerate(_TEAMS, 1)
    ],
    "team_members": [
        _row(
            2 if team == "TEAM_003" else 1,
            membership_id=f"TMEM_00{n}",
            team_id=team,
            user_id=f"USER_00{user}",
            roles=f'["{role}"]',
        )
        for n, (team, user, role) in enumerate(_MEMBERS, 1)
    ],
    "channels": [
        _row(
            2 if team == 3 else 1,
            channel_id=f"CHAN_00{n}",
            team_id=f"TEAM_00{team}",
            display_name=name,
            membership_type=kind,
            is_favorite_by_default=0,
            is_primary=int(name == "General"),
            is_archived=archived,
        )
        for n, (name, team, kind, archived) in enumerate(_CHANNELS, 1)
    ],
    "channel_members": [
        _row(membership_id=f"CMEM_00{n}", channel_id=channel, user_id=user, roles='["owner"]')
        for n, (channel, user) in enumerate((("CHAN_003", "USER_002"), ("CHAN_007", "USER_002"), ("CHAN_009", "USER_008")), 1)
    ],
    "shared_channel_teams": [_row(id="SHARE_001", channel_id="CHAN_007", team_id="TEAM_001")],
    "channel_files_folders": [
        _row(folder_id="FOLDER_001", channel_id="CHAN_001", name="General", web_url="https://files.example/chan_001")
    ],
    "teams_apps": [
        _row(app_id=f"APP_00{n}", display_name=name, distribution_method="store")
        for n, name in enumerate(("Planner", "Wiki", "Polls"), 1)
    ],
    "team_installed_apps": [
        _row(id=f"TAPP_00{n}", team_id=team, app_id=app)
        for n, (team, app) in enumerate((("TEAM_001", "APP_001"), ("TEAM_004", "APP_001"), ("TEAM_001", "APP_003")), 1)
    ],
    "teams_channel_tabs": [
        _row(tab_id="TAB_001", channel_id="CHAN_002", display_name="Plan", app_id="APP_001"),
        _row(tab_id="TAB_002", channel_id="CHAN_004", display_name="Past", app_id="APP_001"),
        _row(tab_id="TAB_003", channel_id="CHAN_008", display_name="Plan", app_id="APP_001"),
    ],
    "channel_messages": [
        _row(
            2 if channel == 6 else 1,
            message_id=f"CMSG_00{n}",
            channel_id=f"CHAN_00{channel}",
            from_user_id=f"USER_00{user}",
            body_json=_body(text),
            importance="normal",
        )
        | {"soft_deleted": deleted, "deleted_at": TIME if deleted else None}
        for n, (channel, user, text, deleted) in enumerate(_MESSAGES, 1)
    ],
    "chats": [
        _row(chat_id="CHAT_001", chat_type="oneOnOne", created_by="USER_002"),
        _row(chat_id="CHAT_002", chat_type="group", topic="Crew", created_by="USER_002"),
    ],
    "chat_members": [
        _row(membership_id=f"CHMEM_00{n}", chat_id=chat, user_id=f"USER_00{user}", roles='["owner"]')
        for n, (chat, user) in enumerate((("CHAT_001", 2), ("CHAT_001", 3), ("CHAT_002", 2), ("CHAT_002", 7), ("CHAT_002", 8)), 1)
    ],
    "chat_messages": [
        _row(
            message_id=f"CHMSG_00{n}",
            chat_id=chat,
            from_user_id=f"USER_00{user}",
            body_json=_body(text),
            importance="normal",
            message_type="message",
        )
        for n, (chat, user, text) in enumerate((("CHAT_001", 2, "Hi"), ("CHAT_001", 3, "Yes"), ("CHAT_002", 7, "All?")), 1)
    ],
    "chat_installed_apps": [_row(id="CHAPP_001", chat_id="CHAT_001", app_id="APP_001")],
    "teamwork_tags": [_row(tag_id="TAG_001", team_id="TEAM_001", display_name="Night shift", tag_type="standard")],
    "teamwork_tag_members": [_row(id="TGMEM_001", tag_id="TAG_001", user_id="USER_003")],
    "virtual_event_webinars": [
        _row(
            webinar_id=f"WEBINAR_00{n}",
            display_name=name,
            description=_body(name),
            start_time=start,
            end_time="2026-06-01 11:00:00",
            audience="organization",
            status=status,
            created_by="USER_002",
        )
        for n, (name, start, status) in enumerate(
            (("Tides", LATER, "draft"), ("Winds", LATER, "canceled"), ("Past", "2026-04-01 10:00:00", "draft")), 1
        )
    ],
    "virtual_event_townhalls": [
        _row(
            townhall_id="TOWNHALL_001",
            display_name="Spring",
            description=_body("Spring"),
            start_time=LATER,
            end_time="2026-06-01 11:00:00",
            audience="organization",
            is_invite_only=1,
            status="published",
            created_by="USER_002",
        )
    ],
    "calls": [
        _row(
            call_id=f"CALL_00{n}",
            state=state,
            direction="outgoing",
            callback_uri="https://calls.example/1",
            requested_modalities='["audio"]',
            created_by="USER_002",
        )
        for n, state in enumerate(("established", "terminated"), 1)
    ],
    "call_participants": [
        _row(id=f"CPART_00{n}", call_id=call, user_id=f"USER_00{user}")
        for n, (call, user) in enumerate((("CALL_001", 3), ("CALL_001", 7), ("CALL_002", 3)), 1)
    ],
    "call_records": [
        _row(
            record_id="CREC_001",
            call_id="CALL_002",
            organizer_id="USER_002",
            type="peerToPeer",
            start_time="2026-05-01 09:00:00",
            end_time="2026-05-01 09:10:00",
        )
    ],
    "call_sessions": [
        _row(
            session_id="SESS_001",
            record_id="CREC_001",
            caller_id="USER_002",
            callee_id="USER_003",
            start_time="2026-05-01 09:00:00",
            end_time="2026-05-01 09:10:00",
        )
    ],
    "call_recordings": [_row(recording_id="RECORDING_001", call_id="CALL_002", expires_at="2026-05-31 08:00:00")],
}

ACTORS = {
    "admin": Actor("USER_001", "admin", "ORG_001"),
    "owner": Actor("USER_002", "member", "ORG_001"),
    "member": Actor("USER_003", "member", "ORG_001"),
    "guest": Actor("USER_005", "guest", "ORG_001"),
    "outsider": Actor("USER_007", "member", "ORG_001"),
}
"""Who acts: an admin, an owner and a member of the team Harbour, a guest of it, and somebody who is in no team."""

SMALL = SmallWorld(TEAMS, ROWS, ACTORS, acting="owner")
open_world, session, call = SMALL.open, SMALL.session, SMALL.call
refused, forbidden, broken = SMALL.refused, SMALL.forbidden, SMALL.broken
