"""Outcome: how an agent ends an episode, with the work done or with a refusal; and who it acts for."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from typing import Any, Literal, get_args

from opsgym.core.records.records import Records
from opsgym.core.tools import Tool, tool

Reason = Literal["no_permission", "missing_record", "ambiguous", "policy_conflict", "missing_tool", "closed_period"]
"""Closed vocabulary of why a request cannot be met."""

REASONS: tuple[Reason, ...] = get_args(Reason)

TABLE = "_outcome"
"""The table that holds the outcome; no table of a domain may have its name."""

DDL = f"""CREATE TABLE {TABLE} (
  id INTEGER PRIMARY KEY CHECK (id = 1), kind TEXT NOT NULL CHECK (kind IN ('submit', 'refuse')), reason TEXT, words TEXT NOT NULL
);"""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How an episode was ended.

    Attributes:
        kind: ``"submit"`` or ``"refuse"``.
        reason: Why it was refused.
        words: The answer, or the explanation.
    """

    kind: str
    reason: str | None
    words: str


def outcome(conn: sqlite3.Connection) -> Outcome | None:
    """The outcome that a database holds, if any."""
    row = conn.execute(f"SELECT kind, reason, words FROM {TABLE}").fetchone()
    return row and Outcome(*row)


def _end(records: Records, kind: str, reason: str | None, words: str) -> None:
    records.world.write(TABLE, f"INSERT INTO {TABLE} VALUES (1, ?, ?, ?)", [(kind, reason, words)], (1,))


@tool()
def whoami(session: Records) -> dict[str, Any]:
    """Tell for whom you act, in which role, and what time it is."""
    actor = session.actor
    return {"user_id": actor.id, "role": actor.role, "organization": actor.scope, "now": session.now}


@tool(mutates=True, terminal=True)
def submit(session: Records, answer: str = "") -> dict[str, Any]:
    """End the episode: the request has been met.

    Args:
        session: What the tool acts on.
        answer: What to tell the requester.
    """
    _end(session, "submit", None, answer)
    return {"ended": "submit"}


@tool(mutates=True, terminal=True)
def refuse(session: Records, reason_code: Reason, explanation: str) -> dict[str, Any]:
    """End the episode: the request cannot be met, and nothing was changed.

    Args:
        session: What the tool acts on.
        reason_code: Why.
        explanation: The rule or the fact that stands against it.
    """
    _end(session, "refuse", reason_code, explanation)
    return {"ended": "refuse"}


ENDING: tuple[Tool, ...] = (whoami, submit, refuse)
"""The tools that every domain has besides its own."""
