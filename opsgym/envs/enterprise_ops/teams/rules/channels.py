"""Rules of channels, their members and their tabs."""

from __future__ import annotations

from opsgym.envs.enterprise_ops.teams.rules.shared import (
    LEAVES,
    OWNER,
    archived,
    belongs,
    closed,
    enabled,
    may,
    owned_channel,
    owns,
    rule,
    step,
    team_of,
    twin,
)

RULES = (
    rule(
        "TEAMS-CHN-NAME",
        "No two channels of a team have the same name.",
        "channels",
        twin("channels", "channel_id", "team_id", "display_name"),
    ),
    rule(
        "TEAMS-CHN-RESERVED",
        "General and Admin are names of no channel but the primary one.",
        "channels",
        "NOT new.is_primary AND lower(trim(new.display_name)) IN ('general', 'admin')",
    ),
    rule(
        "TEAMS-CHN-PRIMARY",
        "The primary channel of a team is not archived, and keeps its name.",
        "channels",
        "new.is_primary AND (new.is_archived OR coalesce(old.display_name, new.display_name) <> new.display_name)",
    ),
    rule(
        "TEAMS-CHN-OWNER",
        "A private or shared channel is created with its members, of whom one is an owner.",
        "channels",
        f"new.membership_type <> 'standard' AND NOT {owned_channel('new.channel_id')}",
    ),
    step(
        "TEAMS-CHN-RIGHT",
        "A channel is created and changed by an owner of the team or an admin; by other members only where the team's"
        " memberSettings let them, and a shared one never.",
        "channels",
        f"NOT {owns('new.team_id')}"
        f" AND NOT (new.membership_type = 'standard' AND {may('new.team_id', 'allowCreateUpdateChannels')})"
        f" AND NOT (new.membership_type = 'private' AND {may('new.team_id', 'allowCreatePrivateChannels')})",
    ),
    step(
        "TEAMS-CHN-ARCHIVE",
        "A channel is archived by an owner of the team, or by an admin.",
        "channels",
        f"new.is_archived AND NOT old.is_archived AND NOT {owns('new.team_id')}",
        "update",
    ),
    step(
        "TEAMS-CHN-ARCHIVED",
        "An archived channel is read-only, and so are the channels of an archived team.",
        "channels",
        f"coalesce(old.is_archived, 0) OR {archived('new.team_id')}",
    ),
    rule(
        "TEAMS-CHM-KIND",
        "Only private and shared channels have members of their own; a standard one has those of its team.",
        "channel_members",
        "EXISTS (SELECT 1 FROM channels c WHERE c.channel_id = new.channel_id AND c.membership_type = 'standard')",
    ),
    rule(
        "TEAMS-CHM-TEAM",
        "A member of a private channel is a member of its team.",
        "channel_members",
        "NOT new.soft_deleted AND EXISTS (SELECT 1 FROM channels c WHERE c.channel_id = new.channel_id"
        f" AND c.membership_type = 'private' AND NOT {belongs('c.team_id', 'new.user_id')})",
    ),
    rule(
        "TEAMS-CHM-ONCE",
        "A user is in a channel only once, and can sign in.",
        "channel_members",
        f"({twin('channel_members', 'membership_id', 'channel_id', 'user_id')}) OR NOT {enabled('new.user_id')}",
        "create",
    ),
    step(
        "TEAMS-CHM-RIGHT",
        "Members are added to a channel by its owners, by owners of the team, or by an admin.",
        "channel_members",
        f"NOT {owns(team_of('new.channel_id'))} AND NOT EXISTS (SELECT 1 FROM channel_members m"
        f" WHERE m.channel_id = new.channel_id AND m.user_id = :actor AND NOT m.soft_deleted{OWNER})"
        f" AND NOT {LEAVES}",
    ),
    step(
        "TEAMS-CHM-ARCHIVED",
        "Nobody is added to an archived channel.",
        "channel_members",
        closed("new.channel_id"),
        "create",
    ),
    rule(
        "TEAMS-CHM-LAST",
        "At least one owner remains in a private or shared channel; who leaves a team leaves its private channels.",
        "channel_members",
        f"NOT {owned_channel('new.channel_id')}",
    ),
    rule(
        "TEAMS-TAB-APP",
        "Only an app that is installed in the team becomes a tab of its channels.",
        "teams_channel_tabs",
        "NOT new.soft_deleted AND NOT EXISTS (SELECT 1 FROM channels c JOIN team_installed_apps i USING (team_id)"
        " WHERE c.channel_id = new.channel_id AND i.app_id = new.app_id AND NOT i.soft_deleted)",
    ),
    step(
        "TEAMS-TAB-RIGHT",
        "Tabs are pinned, changed and unpinned by an owner of the team or an admin; by other members only where the team's"
        " memberSettings let them.",
        "teams_channel_tabs",
        f"NOT {owns(team_of('new.channel_id'))} AND NOT {may(team_of('new.channel_id'), 'allowCreateUpdateRemoveTabs')}",
    ),
    step(
        "TEAMS-TAB-ARCHIVED",
        "The tabs of an archived channel do not change.",
        "teams_channel_tabs",
        closed("new.channel_id"),
    ),
)
