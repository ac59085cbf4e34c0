"""Conditions in SQL, and the two sorts of rules, that the rules of Teams share."""

from __future__ import annotations

from opsgym.core.records.rules import Action, Rule

OWNER = " AND m.roles LIKE '%owner%'"
LEAVES = "(new.user_id = :actor AND new.soft_deleted)"
INTERNAL = " AND u.user_type = 'Member'"
MENTIONED = "json_extract(j.value, '$.mentioned.user.id')"
LONG = "length(json_extract(new.body_json, '$.content')) > 5000"
EDITED = (
    "(new.body_json <> old.body_json OR new.subject IS NOT old.subject OR new.importance <> old.importance"
    " OR new.mentions IS NOT old.mentions OR new.attachments IS NOT old.attachments)"
)
DELETED = "new.soft_deleted <> old.soft_deleted"

_SECTIONS = {
    "teams_users": "users and groups",
    "user_status_messages": "users and groups",
    "groups_m365": "users and groups",
    "group_owners": "users and groups",
    "teams": "teams",
    "team_members": "teams",
    "channels": "channels and tabs",
    "channel_members": "channels and tabs",
    "teams_channel_tabs": "channels and tabs",
    "channel_messages": "messages",
    "message_reactions": "messages",
    "chats": "chats",
    "chat_tabs": "chats",
    "chat_messages": "chats",
    "pinned_messages": "chats",
    "teamwork_tags": "tags",
    "teamwork_tag_members": "tags",
    "virtual_event_webinars": "events",
    "virtual_event_townhalls": "events",
    "virtual_event_co_organizers": "events",
    "virtual_event_invitees": "events",
    "calls": "calls",
    "audio_routing_groups": "calls",
}


def belongs(team: str, user: str, also: str = "") -> str:
    """That a user is a member of a team."""
    return f"EXISTS (SELECT 1 FROM team_members m WHERE m.team_id = {team} AND m.user_id = {user} AND NOT m.soft_deleted{also})"


def owns(team: str) -> str:
    """That the actor is an owner of a team, or an admin."""
    return f"(:role = 'admin' OR {belongs(team, ':actor', OWNER)})"


def may(team: str, setting: str) -> str:
    """That the actor is a member of a team whose settings let members do something."""
    return (
        f"({belongs(team, ':actor')} AND EXISTS (SELECT 1 FROM teams t WHERE t.team_id = {team}"
        f" AND json_extract(t.member_settings, '$.{setting}')))"
    )


def in_channel(channel: str, user: str) -> str:
    """That a user is a member of a channel itself."""
    return (
        f"EXISTS (SELECT 1 FROM channel_members p WHERE p.channel_id = {channel} AND p.user_id = {user} AND NOT p.soft_deleted)"
    )


def takes_part(channel: str, user: str) -> str:
    """That a user belongs to a channel: by itself, or by its team where the channel is not private."""
    return (
        f"({in_channel(channel, user)} OR EXISTS (SELECT 1 FROM channels c WHERE c.channel_id = {channel}"
        f" AND c.membership_type <> 'private' AND {belongs('c.team_id', user)}))"
    )


def owned_channel(channel: str) -> str:
    """That a channel has an owner."""
    return f"EXISTS (SELECT 1 FROM channel_members m WHERE m.channel_id = {channel} AND NOT m.soft_deleted{OWNER})"


def in_chat(chat: str) -> str:
    """That the actor is a member of a chat."""
    return f"EXISTS (SELECT 1 FROM chat_members m WHERE m.chat_id = {chat} AND m.user_id = :actor AND NOT m.soft_deleted)"


def enabled(user: str, also: str = "") -> str:
    """That a user can sign in."""
    return f"EXISTS (SELECT 1 FROM teams_users u WHERE u.user_id = {user} AND u.account_enabled AND NOT u.soft_deleted{also})"


def team_of(channel: str) -> str:
    """The team of a channel."""
    return f"(SELECT c.team_id FROM channels c WHERE c.channel_id = {channel})"


def closed(channel: str) -> str:
    """That a channel or its team is archived."""
    return (
        f"EXISTS (SELECT 1 FROM channels c JOIN teams t USING (team_id) WHERE c.channel_id = {channel}"
        " AND (c.is_archived OR t.is_archived))"
    )


def archived(team: str) -> str:
    """That a team is archived."""
    return f"EXISTS (SELECT 1 FROM teams t WHERE t.team_id = {team} AND t.is_archived)"


def twin(table: str, key: str, *names: str) -> str:
    """That another live record has the same values, whatever their case."""
    same = " AND ".join(f"lower(o.{name}) = lower(new.{name})" for name in names)
    return (
        f"NOT new.soft_deleted AND EXISTS (SELECT 1 FROM {table} o WHERE {same} AND o.{key} <> new.{key} AND NOT o.soft_deleted)"
    )


def step(id: str, sentence: str, table: str, breach: str, *on: Action) -> Rule:
    """A rule on the moment of a write: it is noted when it is broken, as the end state may no longer show it."""
    return Rule(id, sentence, table, breach, "0", on or ("create", "update"), _SECTIONS[table])


def rule(id: str, sentence: str, table: str, breach: str, *on: Action) -> Rule:
    """A rule on the state of a record."""
    return Rule(id, sentence, table, breach, None, on or ("create", "update"), _SECTIONS[table])
