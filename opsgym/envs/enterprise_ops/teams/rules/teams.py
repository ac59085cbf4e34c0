"""Rules of teams and their members."""

from __future__ import annotations

from opsgym.envs.enterprise_ops.teams.rules.shared import OWNER, archived, enabled, owns, rule, step, twin

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


RULES = (
    rule(
        "TEAMS-TEAM-OWNER",
        "A team is created with at least one owner.",
        "teams",
        "NOT new.soft_deleted AND NOT EXISTS (SELECT 1 FROM team_members m WHERE m.team_id = new.team_id"
        f" AND NOT m.soft_deleted{OWNER})",
    ),
    rule(
        "TEAMS-TEAM-NAME",
        "General and Admin are no names for a team.",
        "teams",
        "lower(trim(new.display_name)) IN ('general', 'admin')",
    ),
    step(
        "TEAMS-TEAM-OWNED",
        "A team is changed or deleted by its owners, or by an admin.",
        "teams",
        f"({_told('new')}) IS NOT ({_told('old')}) AND NOT {owns('new.team_id')}",
        "update",
    ),
    step(
        "TEAMS-TEAM-ARCHIVED",
        "An archived team is read-only.",
        "teams",
        "old.is_archived",
        "update",
    ),
    rule(
        "TEAMS-MEM-LAST",
        "At least one owner remains in a team.",
        "team_members",
        "EXISTS (SELECT 1 FROM teams t WHERE t.team_id = new.team_id AND NOT t.soft_deleted)"
        " AND NOT EXISTS (SELECT 1 FROM team_members m WHERE m.team_id = new.team_id"
        f" AND NOT m.soft_deleted{OWNER})",
    ),
    step(
        "TEAMS-MEM-OWNED",
        "Members are added, changed and removed by an owner of the team, or by an admin; anybody may leave.",
        "team_members",
        f"NOT {owns('new.team_id')} AND NOT (new.user_id = :actor"
        " AND (new.soft_deleted OR coalesce(old.roles, '') LIKE '%owner%'))",
    ),
    rule(
        "TEAMS-MEM-ONCE",
        "A user is in a team only once.",
        "team_members",
        twin("team_members", "membership_id", "team_id", "user_id"),
    ),
    rule(
        "TEAMS-MEM-ENABLED",
        "Only users who can sign in are added to a team.",
        "team_members",
        f"NOT new.soft_deleted AND NOT {enabled('new.user_id')}",
        "create",
    ),
    rule(
        "TEAMS-MEM-GUEST",
        "A user of type Guest is only a guest of a team, and a user of type Member is none.",
        "team_members",
        "NOT new.soft_deleted AND EXISTS (SELECT 1 FROM teams_users u WHERE u.user_id = new.user_id"
        " AND (u.user_type = 'Guest') <> (new.roles = '[\"guest\"]'))",
    ),
    step(
        "TEAMS-MEM-ARCHIVED",
        "The members of an archived team do not change.",
        "team_members",
        archived("new.team_id"),
    ),
)
