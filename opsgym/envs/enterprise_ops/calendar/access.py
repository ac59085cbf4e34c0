"""Who may do what with a calendar, as SQL: the greatest role among the access rules that reach the actor."""

from __future__ import annotations

from opsgym.envs.enterprise_ops.calendar.words import ACL_ROLES

ACTOR_EMAIL = "(SELECT u.email FROM users u WHERE u.id = :actor)"
ACTOR_DOMAIN = "(SELECT substr(u.email, instr(u.email, '@') + 1) FROM users u WHERE u.id = :actor)"


def may(calendar: str, role: str) -> str:
    """SQL: whether the actor has at least a role on a calendar, whose id is given as SQL."""
    roles = ", ".join(f"'{name}'" for name in ACL_ROLES[ACL_ROLES.index(role) :])
    return (
        f"(EXISTS (SELECT 1 FROM acl_rules r JOIN acl_scopes s ON s.id = r.scope_id WHERE r.calendar_id = {calendar}"
        f" AND NOT r.deleted AND r.role IN ({roles}) AND (s.type = 'default' OR (s.type = 'user' AND s.value = {ACTOR_EMAIL})"
        f" OR (s.type = 'domain' AND s.value = {ACTOR_DOMAIN})))"
        f" OR EXISTS (SELECT 1 FROM calendars k WHERE k.id = {calendar} AND k.owner_id = :actor))"
    )


def lacks(calendar: str, role: str) -> str:
    """SQL: whether the actor, unless an admin, has less than a role on a calendar."""
    return f"(:role <> 'admin' AND NOT {may(calendar, role)})"
