"""Parts of predicates that several rules share."""

from __future__ import annotations

ME = "CAST(:actor AS INTEGER)"
"""Key of who acts."""

OWN = f"account_id IN (SELECT c.account_id FROM contact c WHERE c.portal_user_id = {ME})"
"""Of an account of which the actor is a contact."""

OPEN = "('new', 'in_progress', 'pending')"
"""States of open cases."""

RUNNING = "('in_progress', 'paused')"
"""Stages of running SLAs."""


def covered(case: str, day: str = "date(:now)") -> str:
    """SQL that is true when an entitlement in force covers a case: of its account, for its product or the whole account.

    Args:
        case: Name of the case's row.
        day: SQL of the day.
    """
    return f"EXISTS ({cover(case, day)})"


def cover(case: str, day: str = "date(:now)") -> str:
    """The entitlements in force for a case."""
    return (
        f"SELECT 1 FROM entitlement e JOIN contract k ON k.contract_id = e.contract_id WHERE e.account_id = {case}.account_id"
        f" AND e.active AND (e.product_id IS NULL OR e.product_id = {case}.product_id)"
        f" AND k.status = 'active' AND {day} BETWEEN k.start_date AND k.end_date"
    )


def of_case(condition: str) -> str:
    """A condition on the case ``c`` to which a row belongs."""
    return f"EXISTS (SELECT 1 FROM customer_case c WHERE c.case_id = new.case_id AND {condition})"
