"""Who may do what with a file: the greatest role among the permissions that reach the actor, as SQL.

A permission on a folder holds for all that lies below it, a permission on a shared drive for all that lies in it.
"""

from __future__ import annotations

from opsgym.envs.enterprise_ops.drive.words import ROLES


def domain_of(email: str) -> str:
    """SQL: the domain of an email address, given as SQL."""
    return f"substr({email}, instr({email}, '@') + 1)"


ACTOR_DOMAIN = f"(SELECT {domain_of('u.email')} FROM users u WHERE u.id = :actor)"
"""SQL: the domain of the actor's own address."""

_REACHES = (
    "NOT p.deleted AND ((p.type = 'user' AND p.user_id = :actor)"
    " OR (p.type = 'group' AND p.group_id IN (SELECT m.group_id FROM group_memberships m WHERE m.user_id = :actor))"
    f" OR (p.type = 'domain' AND p.domain = {ACTOR_DOMAIN}) OR p.type = 'anyone')"
)


def at_least(role: str) -> str:
    """SQL: the roles from one on, in brackets."""
    return "(" + ", ".join(f"'{name}'" for name in ROLES[ROLES.index(role) :]) + ")"


def may(file: str, role: str) -> str:
    """SQL: whether the actor has at least a role on a file, whose id is given as SQL."""
    return (
        f"EXISTS (SELECT 1 FROM path_closure c JOIN permissions p ON p.file_id = c.ancestor_id"
        f" WHERE c.descendant_id = {file} AND p.role IN {at_least(role)} AND {_REACHES})"
        f" OR EXISTS (SELECT 1 FROM files f JOIN permissions p ON p.drive_id = f.drive_id"
        f" WHERE f.id = {file} AND p.role IN {at_least(role)} AND {_REACHES})"
    )


def may_drive(drive: str, role: str) -> str:
    """SQL: whether the actor has at least a role on a shared drive, whose id is given as SQL."""
    return f"EXISTS (SELECT 1 FROM permissions p WHERE p.drive_id = {drive} AND p.role IN {at_least(role)} AND {_REACHES})"


def lacks(file: str, role: str) -> str:
    """SQL: whether the actor, unless an admin, has less than a role on a file."""
    return f"(:role <> 'admin' AND NOT ({may(file, role)}))"


def lacks_drive(drive: str, role: str) -> str:
    """SQL: the same for a shared drive."""
    return f"(:role <> 'admin' AND NOT {may_drive(drive, role)})"


def bears(file: str, key: str, condition: str) -> str:
    """SQL: whether a file, or a folder above it, bears a label whose value ``v`` meets a condition."""
    return (
        f"EXISTS (SELECT 1 FROM path_closure c JOIN file_labels v ON v.file_id = c.ancestor_id JOIN labels l ON l.id = v.label_id"
        f" WHERE c.descendant_id = {file} AND l.key = '{key}' AND {condition})"
    )


def holds(file: str, key: str, condition: str) -> str:
    """SQL: whether a file, or one that lies below it, bears a label whose value ``v`` meets a condition."""
    return (
        f"EXISTS (SELECT 1 FROM path_closure c JOIN file_labels v ON v.file_id = c.descendant_id"
        f" JOIN labels l ON l.id = v.label_id WHERE c.ancestor_id = {file} AND l.key = '{key}' AND {condition})"
    )
