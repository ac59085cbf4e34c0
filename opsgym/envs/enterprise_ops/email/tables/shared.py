"""What many tables have in common."""

from __future__ import annotations

from opsgym.core.records.columns import Ref

OWNER = Ref("user_id", "users", required=True)
"""The mailbox: the tenant of every tool call."""
