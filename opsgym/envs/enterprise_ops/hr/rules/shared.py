"""Parts of predicates that several rules of HR have in common."""

from __future__ import annotations

from collections.abc import Iterable

from opsgym.core.records.table import Table

ME = "CAST(:actor AS INTEGER)"
"""Key of the actor, as keys are."""
CLOSED = "('closed_complete', 'closed_incomplete', 'cancelled')"
"""Statuses in which cases and tasks have ended."""
STEP = "0"
"""End predicate of rules that only single writes break: the end state may differ by lawful later steps."""


def changed(table: Table, but: Iterable[str]) -> str:
    """Whether a write changed a column other than these."""
    left_out = {*but, table.stamp("updated")}
    return "(" + " OR ".join(f"new.{name} IS NOT old.{name}" for name in table.names if name not in left_out) + ")"


def named_by(criteria: str, user: str) -> str:
    """Whether criteria name a user, in their list or through their group."""
    return (
        f"(EXISTS (SELECT 1 FROM user_group_member m WHERE m.group_id = {criteria}.user_group AND m.user_id = {user})"
        f" OR EXISTS (SELECT 1 FROM json_each(coalesce({criteria}.users, '[]')) j WHERE j.value = {user}))"
    )


def handler(row: str) -> str:
    """Whether a record is assigned to an active agent or manager of its active group."""
    return (
        f"EXISTS (SELECT 1 FROM user u JOIN user_group_member m ON m.user_id = u.user_id"
        f" JOIN user_group g ON g.group_id = m.group_id WHERE u.user_id = {row}.assigned_to AND u.active"
        f" AND u.role IN ('agent', 'manager') AND g.group_id = {row}.assignment_group AND g.active)"
    )
