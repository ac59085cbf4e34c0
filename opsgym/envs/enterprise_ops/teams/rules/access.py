"""Who may do what with which records of Teams, and who sees which."""

from __future__ import annotations

from opsgym.core.records.rights import Rights
from opsgym.core.records.sight import Sight

RIGHTS = Rights(
    {
        "admin": {"*": "crud"},
        "member": {
            "organizations": "read",
            "users": "read",
            "apps": "read",
            "presence": "edit",
            "groups": "edit",
            "teams": "edit",
            "tags": "edit",
            "channels": "edit",
            "files": "edit",
            "installed_apps": "edit",
            "tabs": "edit",
            "messages": "edit",
            "chats": "edit",
            "events": "edit",
            "calls": "edit",
            "audit_log": "edit",
        },
        "guest": {
            "organizations": "read",
            "users": "read",
            "apps": "read",
            "presence": "read",
            "groups": "read",
            "teams": "read",
            "tags": "read",
            "channels": "read",
            "files": "read",
            "installed_apps": "read",
            "tabs": "read",
            "messages": "read",
            "chats": "read",
            "events": "read",
        },
    }
)

_MINE = "chat_id IN (SELECT m.chat_id FROM chat_members m WHERE m.user_id = :actor AND NOT m.soft_deleted)"
_MY_CHANNELS = (
    "channel_id IN (SELECT p.channel_id FROM channel_members p WHERE p.user_id = :actor AND NOT p.soft_deleted)"
    " OR channel_id IN (SELECT c.channel_id FROM channels c JOIN team_members m USING (team_id)"
    " WHERE c.membership_type <> 'private' AND m.user_id = :actor AND NOT m.soft_deleted)"
)
_MY_TEAMS = "team_id IN (SELECT m.team_id FROM team_members m WHERE m.user_id = :actor AND NOT m.soft_deleted)"

SIGHTS = (
    *(
        Sight(f"TEAMS-SEE-{short}-{role.upper()}", f"A {role} sees only {what}.", role, table, condition)
        for role in ("member", "guest")
        for short, what, table, condition in (
            ("CHATS", "chats in which they take part", "chats", f"created_by = :actor OR {_MINE}"),
            ("CHAT-MESSAGES", "messages of chats in which they take part", "chat_messages", _MINE),
            ("MESSAGES", "messages of channels to which they belong", "channel_messages", _MY_CHANNELS),
        )
    ),
    Sight("TEAMS-SEE-TEAMS", "A guest sees only teams to which they belong.", "guest", "teams", _MY_TEAMS),
    Sight("TEAMS-SEE-CHANNELS", "A guest sees only channels of teams to which they belong.", "guest", "channels", _MY_TEAMS),
)
