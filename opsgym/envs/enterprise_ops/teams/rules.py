"""Policy of Teams: who may do what, and what must stay true.

Source: the published policy of EnterpriseOps-Gym's Teams tasks, in our words.  Where it is silent (what settings let members
do, who may use a chat, how calls are routed) the choice is ours and follows Microsoft Teams.
"""

from __future__ import annotations

from opsgym.core.records.lifecycle import Lifecycle
from opsgym.core.records.rights import Rights
from opsgym.core.records.rules import Action, Rule
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

_MOVES = {"draft": ("published", "canceled"), "published": ("canceled",)}
LIFECYCLES = (
    Lifecycle("TEAMS-WEB", "virtual_event_webinars", "status", start=("draft",), moves=_MOVES),
    Lifecycle("TEAMS-HALL", "virtual_event_townhalls", "status", start=("draft",), moves=_MOVES),
)

# -- conditions in SQL ----------------------------------------------------------------------------------------


def _belongs(team: str, user: str, also: str = "") -> str:
    """That a user is a member of a team."""
    return f"EXISTS (SELECT 1 FROM team_members m WHERE m.team_id = {team} AND m.user_id = {user} AND NOT m.soft_deleted{also})"


def _owns(team: str) -> str:
    """That the actor is an owner of a team, or an admin."""
    return f"(:role = 'admin' OR {_belongs(team, ':actor', _OWNER)})"


def _may(team: str, setting: str) -> str:
    """That the actor is a member of a team whose settings let members do something."""
    return (
        f"({_belongs(team, ':actor')} AND EXISTS (SELECT 1 FROM teams t WHERE t.team_id = {team}"
        f" AND json_extract(t.member_settings, '$.{setting}')))"
    )


def _in_channel(channel: str, user: str) -> str:
    """That a user is a member of a channel itself."""
    return (
        f"EXISTS (SELECT 1 FROM channel_members p WHERE p.channel_id = {channel} AND p.user_id = {user} AND NOT p.soft_deleted)"
    )


def _takes_part(channel: str, user: str) -> str:
    """That a user belongs to a channel: by itself, or by its team where the channel is not private."""
    return (
        f"({_in_channel(channel, user)} OR EXISTS (SELECT 1 FROM channels c WHERE c.channel_id = {channel}"
        f" AND c.membership_type <> 'private' AND {_belongs('c.team_id', user)}))"
    )


def _owned_channel(channel: str) -> str:
    """That a channel has an owner."""
    return f"EXISTS (SELECT 1 FROM channel_members m WHERE m.channel_id = {channel} AND NOT m.soft_deleted{_OWNER})"


def _in_chat(chat: str) -> str:
    """That the actor is a member of a chat."""
    return f"EXISTS (SELECT 1 FROM chat_members m WHERE m.chat_id = {chat} AND m.user_id = :actor AND NOT m.soft_deleted)"


def _enabled(user: str, also: str = "") -> str:
    """That a user can sign in."""
    return f"EXISTS (SELECT 1 FROM teams_users u WHERE u.user_id = {user} AND u.account_enabled AND NOT u.soft_deleted{also})"


def _team_of(channel: str) -> str:
    return f"(SELECT c.team_id FROM channels c WHERE c.channel_id = {channel})"


def _closed(channel: str) -> str:
    """That a channel or its team is archived."""
    return (
        f"EXISTS (SELECT 1 FROM channels c JOIN teams t USING (team_id) WHERE c.channel_id = {channel}"
        " AND (c.is_archived OR t.is_archived))"
    )


def _archived(team: str) -> str:
    return f"EXISTS (SELECT 1 FROM teams t WHERE t.team_id = {team} AND t.is_archived)"


def _twin(table: str, key: str, *names: str) -> str:
    """That another live record has the same values, whatever their case."""
    same = " AND ".join(f"lower(o.{name}) = lower(new.{name})" for name in names)
    return (
        f"NOT new.soft_deleted AND EXISTS (SELECT 1 FROM {table} o WHERE {same} AND o.{key} <> new.{key} AND NOT o.soft_deleted)"
    )


def _step(id: str, sentence: str, table: str, breach: str, *on: Action) -> Rule:
    """A rule on the moment of a write: it is noted when it is broken, as the end state may no longer show it."""
    return Rule(id, sentence, table, breach, "0", on or ("create", "update"), _SECTIONS[table])


def _rule(id: str, sentence: str, table: str, breach: str, *on: Action) -> Rule:
    """A rule on the state of a record."""
    return Rule(id, sentence, table, breach, None, on or ("create", "update"), _SECTIONS[table])


_OWNER = " AND m.roles LIKE '%owner%'"
_LEAVES = "(new.user_id = :actor AND new.soft_deleted)"
_INTERNAL = " AND u.user_type = 'Member'"
_MENTIONED = "json_extract(j.value, '$.mentioned.user.id')"
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

# -- sights ---------------------------------------------------------------------------------------------------

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

# -- rules ----------------------------------------------------------------------------------------------------

_OWN = (
    "display_name",
    "description",
    "visibility",
    "specialization",
    "member_settings",
    "guest_settings",
    "messaging_settings",
    "fun_settings",
    "discovery_settings",
    "soft_deleted",
)


def _told(row: str) -> str:
    """The columns of a team that an owner changes; the list of its members follows from memberships."""
    return ", ".join(f"{row}.{name}" for name in _OWN)


_PEOPLE = (
    _rule(
        "TEAMS-USR-NAME",
        "No two users have the same userPrincipalName.",
        "teams_users",
        _twin("teams_users", "user_id", "user_principal_name"),
    ),
    _rule(
        "TEAMS-USR-DOMAIN",
        "The userPrincipalName of a Member ends in the domain of the organization.",
        "teams_users",
        "new.user_type = 'Member' AND NOT EXISTS (SELECT 1 FROM teams_orgs o WHERE o.org_id = new.org_id"
        " AND lower(new.user_principal_name) LIKE '%@' || lower(o.domain_name))",
    ),
    _rule(
        "TEAMS-USR-LEAVE",
        "A user is removed from all teams before being deleted.",
        "teams_users",
        "new.soft_deleted AND EXISTS (SELECT 1 FROM team_members m JOIN teams t USING (team_id)"
        " WHERE m.user_id = new.user_id AND NOT m.soft_deleted AND NOT t.soft_deleted)",
    ),
    _step(
        "TEAMS-STA-OWN",
        "A status message is set by its user, or by an admin.",
        "user_status_messages",
        ":role <> 'admin' AND new.user_id <> :actor",
    ),
    _rule(
        "TEAMS-GRP-ALIAS",
        "No two groups have the same mailNickname.",
        "groups_m365",
        _twin("groups_m365", "group_id", "org_id", "mail_nickname"),
    ),
    _step(
        "TEAMS-GRP-OWNED",
        "A group is changed by its owners, by owners of its team, or by an admin.",
        "groups_m365",
        ":role <> 'admin' AND NOT EXISTS (SELECT 1 FROM group_owners o WHERE o.group_id = new.group_id AND o.user_id = :actor)"
        " AND NOT EXISTS (SELECT 1 FROM teams t JOIN team_members m USING (team_id) WHERE t.group_id = new.group_id"
        f" AND m.user_id = :actor AND NOT m.soft_deleted{_OWNER})",
        "update",
    ),
    _rule(
        "TEAMS-GRP-OWNER",
        "An owner of a group is a Member who can sign in.",
        "group_owners",
        f"NOT {_enabled('new.user_id', _INTERNAL)}",
        "create",
    ),
)
_TEAMS = (
    _rule(
        "TEAMS-TEAM-OWNER",
        "A team is created with at least one owner.",
        "teams",
        "NOT new.soft_deleted AND NOT EXISTS (SELECT 1 FROM team_members m WHERE m.team_id = new.team_id"
        f" AND NOT m.soft_deleted{_OWNER})",
    ),
    _rule(
        "TEAMS-TEAM-NAME",
        "General and Admin are no names for a team.",
        "teams",
        "lower(trim(new.display_name)) IN ('general', 'admin')",
    ),
    _step(
        "TEAMS-TEAM-OWNED",
        "A team is changed or deleted by its owners, or by an admin.",
        "teams",
        f"({_told('new')}) IS NOT ({_told('old')}) AND NOT {_owns('new.team_id')}",
        "update",
    ),
    _step(
        "TEAMS-TEAM-ARCHIVED",
        "An archived team is read-only.",
        "teams",
        "old.is_archived",
        "update",
    ),
    _rule(
        "TEAMS-MEM-LAST",
        "At least one owner remains in a team.",
        "team_members",
        "EXISTS (SELECT 1 FROM teams t WHERE t.team_id = new.team_id AND NOT t.soft_deleted)"
        " AND NOT EXISTS (SELECT 1 FROM team_members m WHERE m.team_id = new.team_id"
        f" AND NOT m.soft_deleted{_OWNER})",
    ),
    _step(
        "TEAMS-MEM-OWNED",
        "Members are added, changed and removed by an owner of the team, or by an admin; anybody may leave.",
        "team_members",
        f"NOT {_owns('new.team_id')} AND NOT (new.user_id = :actor"
        " AND (new.soft_deleted OR coalesce(old.roles, '') LIKE '%owner%'))",
    ),
    _rule(
        "TEAMS-MEM-ONCE",
        "A user is in a team only once.",
        "team_members",
        _twin("team_members", "membership_id", "team_id", "user_id"),
    ),
    _rule(
        "TEAMS-MEM-ENABLED",
        "Only users who can sign in are added to a team.",
        "team_members",
        f"NOT new.soft_deleted AND NOT {_enabled('new.user_id')}",
        "create",
    ),
    _rule(
        "TEAMS-MEM-GUEST",
        "A user of type Guest is only a guest of a team, and a user of type Member is none.",
        "team_members",
        "NOT new.soft_deleted AND EXISTS (SELECT 1 FROM teams_users u WHERE u.user_id = new.user_id"
        " AND (u.user_type = 'Guest') <> (new.roles = '[\"guest\"]'))",
    ),
    _step(
        "TEAMS-MEM-ARCHIVED",
        "The members of an archived team do not change.",
        "team_members",
        _archived("new.team_id"),
    ),
)
_CHANNELS = (
    _rule(
        "TEAMS-CHN-NAME",
        "No two channels of a team have the same name.",
        "channels",
        _twin("channels", "channel_id", "team_id", "display_name"),
    ),
    _rule(
        "TEAMS-CHN-RESERVED",
        "General and Admin are names of no channel but the primary one.",
        "channels",
        "NOT new.is_primary AND lower(trim(new.display_name)) IN ('general', 'admin')",
    ),
    _rule(
        "TEAMS-CHN-PRIMARY",
        "The primary channel of a team is not archived, and keeps its name.",
        "channels",
        "new.is_primary AND (new.is_archived OR coalesce(old.display_name, new.display_name) <> new.display_name)",
    ),
    _rule(
        "TEAMS-CHN-OWNER",
        "A private or shared channel is created with its members, of whom one is an owner.",
        "channels",
        f"new.membership_type <> 'standard' AND NOT {_owned_channel('new.channel_id')}",
    ),
    _step(
        "TEAMS-CHN-RIGHT",
        "A channel is created and changed by an owner of the team or an admin; by other members only where the team's"
        " memberSettings let them, and a shared one never.",
        "channels",
        f"NOT {_owns('new.team_id')}"
        f" AND NOT (new.membership_type = 'standard' AND {_may('new.team_id', 'allowCreateUpdateChannels')})"
        f" AND NOT (new.membership_type = 'private' AND {_may('new.team_id', 'allowCreatePrivateChannels')})",
    ),
    _step(
        "TEAMS-CHN-ARCHIVE",
        "A channel is archived by an owner of the team, or by an admin.",
        "channels",
        f"new.is_archived AND NOT old.is_archived AND NOT {_owns('new.team_id')}",
        "update",
    ),
    _step(
        "TEAMS-CHN-ARCHIVED",
        "An archived channel is read-only, and so are the channels of an archived team.",
        "channels",
        f"coalesce(old.is_archived, 0) OR {_archived('new.team_id')}",
    ),
    _rule(
        "TEAMS-CHM-KIND",
        "Only private and shared channels have members of their own; a standard one has those of its team.",
        "channel_members",
        "EXISTS (SELECT 1 FROM channels c WHERE c.channel_id = new.channel_id AND c.membership_type = 'standard')",
    ),
    _rule(
        "TEAMS-CHM-TEAM",
        "A member of a private channel is a member of its team.",
        "channel_members",
        "NOT new.soft_deleted AND EXISTS (SELECT 1 FROM channels c WHERE c.channel_id = new.channel_id"
        f" AND c.membership_type = 'private' AND NOT {_belongs('c.team_id', 'new.user_id')})",
    ),
    _rule(
        "TEAMS-CHM-ONCE",
        "A user is in a channel only once, and can sign in.",
        "channel_members",
        f"({_twin('channel_members', 'membership_id', 'channel_id', 'user_id')}) OR NOT {_enabled('new.user_id')}",
        "create",
    ),
    _step(
        "TEAMS-CHM-RIGHT",
        "Members are added to a channel by its owners, by owners of the team, or by an admin.",
        "channel_members",
        f"NOT {_owns(_team_of('new.channel_id'))} AND NOT EXISTS (SELECT 1 FROM channel_members m"
        f" WHERE m.channel_id = new.channel_id AND m.user_id = :actor AND NOT m.soft_deleted{_OWNER})"
        f" AND NOT {_LEAVES}",
    ),
    _step(
        "TEAMS-CHM-ARCHIVED",
        "Nobody is added to an archived channel.",
        "channel_members",
        _closed("new.channel_id"),
        "create",
    ),
    _rule(
        "TEAMS-CHM-LAST",
        "At least one owner remains in a private or shared channel; who leaves a team leaves its private channels.",
        "channel_members",
        f"NOT {_owned_channel('new.channel_id')}",
    ),
    _rule(
        "TEAMS-TAB-APP",
        "Only an app that is installed in the team becomes a tab of its channels.",
        "teams_channel_tabs",
        "NOT new.soft_deleted AND NOT EXISTS (SELECT 1 FROM channels c JOIN team_installed_apps i USING (team_id)"
        " WHERE c.channel_id = new.channel_id AND i.app_id = new.app_id AND NOT i.soft_deleted)",
    ),
    _step(
        "TEAMS-TAB-RIGHT",
        "Tabs are pinned, changed and unpinned by an owner of the team or an admin; by other members only where the team's"
        " memberSettings let them.",
        "teams_channel_tabs",
        f"NOT {_owns(_team_of('new.channel_id'))} AND NOT {_may(_team_of('new.channel_id'), 'allowCreateUpdateRemoveTabs')}",
    ),
    _step(
        "TEAMS-TAB-ARCHIVED",
        "The tabs of an archived channel do not change.",
        "teams_channel_tabs",
        _closed("new.channel_id"),
    ),
)
_LONG = "length(json_extract(new.body_json, '$.content')) > 5000"
_EDITED = (
    "(new.body_json <> old.body_json OR new.subject IS NOT old.subject OR new.importance <> old.importance"
    " OR new.mentions IS NOT old.mentions OR new.attachments IS NOT old.attachments)"
)
_DELETED = "new.soft_deleted <> old.soft_deleted"


def _lets(setting: str) -> str:
    """That the team of a message lets something be done with messages."""
    return (
        "EXISTS (SELECT 1 FROM channels c JOIN teams t USING (team_id) WHERE c.channel_id = new.channel_id"
        f" AND json_extract(t.messaging_settings, '$.{setting}'))"
    )


_MESSAGES = (
    _rule("TEAMS-MSG-LONG", "A message has at most 5,000 characters.", "channel_messages", _LONG),
    _step(
        "TEAMS-MSG-MEMBER",
        "Only those who belong to a channel write in it, and admins.",
        "channel_messages",
        f":role <> 'admin' AND NOT {_takes_part('new.channel_id', ':actor')}",
        "create",
    ),
    _step(
        "TEAMS-MSG-AUTHOR",
        "What a message says is changed by its author only.",
        "channel_messages",
        f"new.from_user_id <> :actor AND {_EDITED}",
        "update",
    ),
    _step(
        "TEAMS-MSG-DELETE",
        "A message is deleted, and brought back, by its author or by an owner of the team, where the team's messagingSettings"
        " let them, or by an admin.",
        "channel_messages",
        f"{_DELETED} AND :role <> 'admin'"
        f" AND NOT (new.from_user_id = :actor AND {_lets('allowUserDeleteMessages')})"
        f" AND NOT ({_owns(_team_of('new.channel_id'))} AND {_lets('allowOwnerDeleteMessages')})",
        "update",
    ),
    _rule(
        "TEAMS-MSG-MENTION",
        "Only those who belong to a channel are mentioned in it.",
        "channel_messages",
        f"EXISTS (SELECT 1 FROM json_each(new.mentions) j WHERE NOT {_takes_part('new.channel_id', _MENTIONED)})",
        "create",
    ),
    _step(
        "TEAMS-MSG-ARCHIVED",
        "Nothing is written, changed or deleted in an archived channel.",
        "channel_messages",
        _closed("new.channel_id"),
    ),
    _step(
        "TEAMS-REA-MEMBER",
        "Only those who belong to a channel react in it, and not once it is archived.",
        "message_reactions",
        "EXISTS (SELECT 1 FROM channel_messages g WHERE g.message_id = new.message_id"
        f" AND (NOT {_takes_part('g.channel_id', ':actor')} OR {_closed('g.channel_id')}))",
    ),
)
_COUNT = "(SELECT count(*) FROM chat_members m WHERE m.chat_id = new.chat_id AND NOT m.soft_deleted)"
_CHATS = (
    _rule(
        "TEAMS-CHT-SELF",
        "Whoever creates a chat takes part in it.",
        "chats",
        "NOT EXISTS (SELECT 1 FROM chat_members m WHERE m.chat_id = new.chat_id AND m.user_id = new.created_by)",
    ),
    _rule(
        "TEAMS-CHT-SIZE",
        "A chat of two has two members, a group chat three or more.",
        "chats",
        f"(new.chat_type = 'oneOnOne' AND {_COUNT} <> 2) OR (new.chat_type = 'group' AND {_COUNT} < 3)",
    ),
    _rule(
        "TEAMS-CHT-PAIR",
        "Two users have one chat of two.",
        "chats",
        "new.chat_type = 'oneOnOne' AND EXISTS (SELECT 1 FROM chats o WHERE o.chat_type = 'oneOnOne'"
        " AND o.chat_id <> new.chat_id AND NOT o.soft_deleted AND NOT EXISTS (SELECT 1 FROM chat_members a"
        " WHERE a.chat_id = o.chat_id AND a.user_id NOT IN"
        " (SELECT x.user_id FROM chat_members x WHERE x.chat_id = new.chat_id)))",
    ),
    _rule(
        "TEAMS-CHT-TOPIC",
        "A chat of two has no topic.",
        "chats",
        "new.chat_type = 'oneOnOne' AND new.topic IS NOT NULL",
    ),
    _step(
        "TEAMS-CHT-IN",
        "A chat is changed by those who take part in it only, not even by an admin.",
        "chats",
        f"NOT {_in_chat('new.chat_id')}",
        "update",
    ),
    _step(
        "TEAMS-CHT-WRITE",
        "Only those who take part in a chat write in it, not even an admin.",
        "chat_messages",
        f"NOT {_in_chat('new.chat_id')}",
    ),
    _rule("TEAMS-CHT-LONG", "A message in a chat has at most 5,000 characters.", "chat_messages", _LONG),
    _step(
        "TEAMS-CHT-AUTHOR",
        "A message in a chat is changed, deleted and brought back by its author only.",
        "chat_messages",
        f"new.from_user_id <> :actor AND ({_EDITED} OR {_DELETED})",
        "update",
    ),
    _step(
        "TEAMS-CHT-PIN",
        "Messages are pinned by those who take part in the chat only.",
        "pinned_messages",
        f"NOT {_in_chat('new.chat_id')}",
    ),
    _rule(
        "TEAMS-CHT-TAB",
        "Only an app that is installed in a chat becomes a tab of it.",
        "chat_tabs",
        "NOT EXISTS (SELECT 1 FROM chat_installed_apps i WHERE i.chat_id = new.chat_id AND i.app_id = new.app_id"
        " AND NOT i.soft_deleted)",
    ),
)
_TAG_TEAM = "(SELECT g.team_id FROM teamwork_tags g WHERE g.tag_id = new.tag_id)"
_TAGS = (
    _rule(
        "TEAMS-TAG-NAME",
        "No two tags of a team have the same name.",
        "teamwork_tags",
        _twin("teamwork_tags", "tag_id", "team_id", "display_name"),
    ),
    _step(
        "TEAMS-TAG-RIGHT",
        "Tags are created and changed by an owner of the team, or by an admin, and not once the team is archived.",
        "teamwork_tags",
        f"NOT {_owns('new.team_id')} OR {_archived('new.team_id')}",
    ),
    _step(
        "TEAMS-TGM-RIGHT",
        "The members of a tag are changed by an owner of the team, or by an admin, and not once the team is archived.",
        "teamwork_tag_members",
        f"(NOT {_owns(_TAG_TEAM)} AND NOT {_LEAVES}) OR {_archived(_TAG_TEAM)}",
    ),
    _rule(
        "TEAMS-TGM-TEAM",
        "The members of a tag are members of its team.",
        "teamwork_tag_members",
        f"NOT new.soft_deleted AND NOT {_belongs(_TAG_TEAM, 'new.user_id')}",
    ),
    _rule(
        "TEAMS-TGM-ONCE",
        "A user has a tag only once.",
        "teamwork_tag_members",
        _twin("teamwork_tag_members", "id", "tag_id", "user_id"),
    ),
    _rule(
        "TEAMS-TGM-SIZE",
        "A tag has at most 25 members.",
        "teamwork_tag_members",
        "(SELECT count(*) FROM teamwork_tag_members m WHERE m.tag_id = new.tag_id AND NOT m.soft_deleted) > 25",
    ),
)


def _event_rules(short: str, table: str, key: str) -> tuple[Rule, ...]:
    """What webinars and town halls have in common."""
    return (
        _rule(f"TEAMS-{short}-TIME", "An event ends after it starts.", table, "new.end_time <= new.start_time"),
        _step(
            f"TEAMS-{short}-OWN",
            "An event is changed by its organizer, by a co-organizer, or by an admin.",
            table,
            ":role <> 'admin' AND new.created_by <> :actor AND NOT EXISTS (SELECT 1 FROM virtual_event_co_organizers o"
            f" WHERE o.{key} = new.{key} AND o.user_id = :actor AND NOT o.soft_deleted)",
            "update",
        ),
    )


_EVENTS = (
    *_event_rules("WEB", "virtual_event_webinars", "webinar_id"),
    *_event_rules("HALL", "virtual_event_townhalls", "townhall_id"),
    _step(
        "TEAMS-WEB-BEGUN",
        "A webinar is published before it starts.",
        "virtual_event_webinars",
        "new.status = 'published' AND old.status = 'draft' AND new.start_time <= :now",
        "update",
    ),
    _rule(
        "TEAMS-HALL-INVITE",
        "Only a town hall for the organization is for those invited only.",
        "virtual_event_townhalls",
        "new.is_invite_only AND new.audience <> 'organization'",
    ),
    _rule(
        "TEAMS-INV-ONLY",
        "People are invited only to a town hall that is for those invited only.",
        "virtual_event_invitees",
        "EXISTS (SELECT 1 FROM virtual_event_townhalls t WHERE t.townhall_id = new.event_id AND NOT t.is_invite_only)",
    ),
    _rule(
        "TEAMS-ORG-MEMBER",
        "A co-organizer is a Member who can sign in, and not the organizer.",
        "virtual_event_co_organizers",
        f"NOT {_enabled('new.user_id', _INTERNAL)}"
        " OR EXISTS (SELECT 1 FROM virtual_event_webinars w WHERE w.webinar_id = new.webinar_id AND w.created_by = new.user_id)"
        " OR EXISTS (SELECT 1 FROM virtual_event_townhalls t WHERE t.townhall_id = new.townhall_id"
        " AND t.created_by = new.user_id)",
        "create",
    ),
)
_STRANGER = (
    "j.value NOT IN (SELECT p.user_id FROM call_participants p WHERE p.call_id = new.call_id AND NOT p.soft_deleted)"
    " AND j.value <> (SELECT coalesce(c.created_by, '') FROM calls c WHERE c.call_id = new.call_id)"
)
_CALLS = (
    _rule(
        "TEAMS-CALL-URI",
        "What happens in a call is told to an https address.",
        "calls",
        "new.callback_uri NOT LIKE 'https://_%'",
    ),
    _rule(
        "TEAMS-CALL-WHOM",
        "A call has somebody to call, or a meeting to join.",
        "calls",
        "new.meeting_info IS NULL AND NOT EXISTS (SELECT 1 FROM call_participants p WHERE p.call_id = new.call_id)",
    ),
    _rule(
        "TEAMS-ROUTE-LIVE",
        "Sound is routed in an established call only.",
        "audio_routing_groups",
        "NOT EXISTS (SELECT 1 FROM calls c WHERE c.call_id = new.call_id AND c.state = 'established')",
        "create",
    ),
    _rule(
        "TEAMS-ROUTE-PAIR",
        "Routing oneToOne has one source and one receiver; nobody is both source and receiver.",
        "audio_routing_groups",
        "(new.routing_mode = 'oneToOne' AND (json_array_length(new.sources) <> 1 OR json_array_length(new.receivers) <> 1))"
        " OR json_array_length(new.sources) = 0 OR json_array_length(new.receivers) = 0"
        " OR EXISTS (SELECT 1 FROM json_each(new.sources) s JOIN json_each(new.receivers) r ON r.value = s.value)",
    ),
    _rule(
        "TEAMS-ROUTE-PART",
        "Sources and receivers take part in the call.",
        "audio_routing_groups",
        f"EXISTS (SELECT 1 FROM json_each(new.sources) j WHERE {_STRANGER})"
        f" OR EXISTS (SELECT 1 FROM json_each(new.receivers) j WHERE {_STRANGER})",
    ),
)
RULES = (*_PEOPLE, *_TEAMS, *_CHANNELS, *_MESSAGES, *_CHATS, *_TAGS, *_EVENTS, *_CALLS)

NOTES = {
    "conduct": (
        "Never infer records or keys: look them up, and where something named does not exist, stop and give the reason.",
        "If a request breaks a rule, stop, change nothing, and give the rule.",
        "Do not ask back. Where a request fits several records, list them and say that it is ambiguous.",
        "Do what is asked and nothing else; every change is written to the audit log.",
        "Users, teams and apps are named in bind strings such as https://graph.microsoft.com/v1.0/users('<id>').",
        "What is deleted is only marked so; recordings are kept for at most 30 days.",
    ),
}
