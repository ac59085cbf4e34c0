"""Rules of users and groups."""

from __future__ import annotations

from opsgym.envs.enterprise_ops.teams.rules.shared import INTERNAL, OWNER, enabled, rule, step, twin

RULES = (
    rule(
        "TEAMS-USR-NAME",
        "No two users have the same userPrincipalName.",
        "teams_users",
        twin("teams_users", "user_id", "user_principal_name"),
    ),
    rule(
        "TEAMS-USR-DOMAIN",
        "The userPrincipalName of a Member ends in the domain of the organization.",
        "teams_users",
        "new.user_type = 'Member' AND NOT EXISTS (SELECT 1 FROM teams_orgs o WHERE o.org_id = new.org_id"
        " AND lower(new.user_principal_name) LIKE '%@' || lower(o.domain_name))",
    ),
    rule(
        "TEAMS-USR-LEAVE",
        "A user is removed from all teams before being deleted.",
        "teams_users",
        "new.soft_deleted AND EXISTS (SELECT 1 FROM team_members m JOIN teams t USING (team_id)"
        " WHERE m.user_id = new.user_id AND NOT m.soft_deleted AND NOT t.soft_deleted)",
    ),
    step(
        "TEAMS-STA-OWN",
        "A status message is set by its user, or by an admin.",
        "user_status_messages",
        ":role <> 'admin' AND new.user_id <> :actor",
    ),
    rule(
        "TEAMS-GRP-ALIAS",
        "No two groups have the same mailNickname.",
        "groups_m365",
        twin("groups_m365", "group_id", "org_id", "mail_nickname"),
    ),
    step(
        "TEAMS-GRP-OWNED",
        "A group is changed by its owners, by owners of its team, or by an admin.",
        "groups_m365",
        ":role <> 'admin' AND NOT EXISTS (SELECT 1 FROM group_owners o WHERE o.group_id = new.group_id AND o.user_id = :actor)"
        " AND NOT EXISTS (SELECT 1 FROM teams t JOIN team_members m USING (team_id) WHERE t.group_id = new.group_id"
        f" AND m.user_id = :actor AND NOT m.soft_deleted{OWNER})",
        "update",
    ),
    rule(
        "TEAMS-GRP-OWNER",
        "An owner of a group is a Member who can sign in.",
        "group_owners",
        f"NOT {enabled('new.user_id', INTERNAL)}",
        "create",
    ),
)
