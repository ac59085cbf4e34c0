"""Rules of messages in channels."""

from __future__ import annotations

from opsgym.envs.enterprise_ops.teams.rules.shared import (
    DELETED,
    EDITED,
    LONG,
    MENTIONED,
    closed,
    owns,
    rule,
    step,
    takes_part,
    team_of,
)


def _lets(setting: str) -> str:
    """That the team of a message lets something be done with messages."""
    return (
        "EXISTS (SELECT 1 FROM channels c JOIN teams t USING (team_id) WHERE c.channel_id = new.channel_id"
        f" AND json_extract(t.messaging_settings, '$.{setting}'))"
    )


RULES = (
    rule("TEAMS-MSG-LONG", "A message has at most 5,000 characters.", "channel_messages", LONG),
    step(
        "TEAMS-MSG-MEMBER",
        "Only those who belong to a channel write in it, and admins.",
        "channel_messages",
        f":role <> 'admin' AND NOT {takes_part('new.channel_id', ':actor')}",
        "create",
    ),
    step(
        "TEAMS-MSG-AUTHOR",
        "What a message says is changed by its author only.",
        "channel_messages",
        f"new.from_user_id <> :actor AND {EDITED}",
        "update",
    ),
    step(
        "TEAMS-MSG-DELETE",
        "A message is deleted, and brought back, by its author or by an owner of the team, where the team's messagingSettings"
        " let them, or by an admin.",
        "channel_messages",
        f"{DELETED} AND :role <> 'admin'"
        f" AND NOT (new.from_user_id = :actor AND {_lets('allowUserDeleteMessages')})"
        f" AND NOT ({owns(team_of('new.channel_id'))} AND {_lets('allowOwnerDeleteMessages')})",
        "update",
    ),
    rule(
        "TEAMS-MSG-MENTION",
        "Only those who belong to a channel are mentioned in it.",
        "channel_messages",
        f"EXISTS (SELECT 1 FROM json_each(new.mentions) j WHERE NOT {takes_part('new.channel_id', MENTIONED)})",
        "create",
    ),
    step(
        "TEAMS-MSG-ARCHIVED",
        "Nothing is written, changed or deleted in an archived channel.",
        "channel_messages",
        closed("new.channel_id"),
    ),
    step(
        "TEAMS-REA-MEMBER",
        "Only those who belong to a channel react in it, and not once it is archived.",
        "message_reactions",
        "EXISTS (SELECT 1 FROM channel_messages g WHERE g.message_id = new.message_id"
        f" AND (NOT {takes_part('g.channel_id', ':actor')} OR {closed('g.channel_id')}))",
    ),
)
