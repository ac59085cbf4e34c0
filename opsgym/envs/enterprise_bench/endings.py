"""Endings: how an agent ends an episode, with an answer or with a refusal; and for whom it acts."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass
from typing import Any, Literal, get_args

from opsgym.core.records.outcome import TABLE
from opsgym.core.task import canonical_json
from opsgym.core.tools import Tool, tool

Reason = Literal["not_permitted", "not_existing", "ambiguous", "out_of_scope"]
"""Closed vocabulary of why a request cannot be answered."""

REASONS: tuple[Reason, ...] = get_args(Reason)

Answer = str | int | float | list[str | int | float] | None
"""What may be submitted; the request says which form it wants."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How an episode was ended.

    Attributes:
        kind: ``"submit"`` or ``"refuse"``.
        reason: Why it was refused.
        answer: What was submitted.
    """

    kind: str
    reason: str | None = None
    answer: Any = None


def outcome(conn: sqlite3.Connection) -> Outcome | None:
    """The outcome that a database holds, if any."""
    row = conn.execute(f"SELECT kind, reason, words FROM {TABLE}").fetchone()
    if row is None:
        return None
    kind, reason, words = row
    return Outcome(kind, reason, json.loads(words) if kind == "submit" else None)


def _end(session: Any, kind: str, reason: str | None, words: str) -> None:
    session.world.write(TABLE, f"INSERT INTO {TABLE} VALUES (1, ?, ?, ?)", [(kind, reason, words)], (1,))


@tool()
def whoami(session: Any) -> dict[str, Any]:
    """Tell for which employee you act, and what time it is."""
    return {"emp_id": session.actor.id, "now": session.world.now.isoformat(" ")}


@tool(mutates=True, terminal=True)
def submit(session: Any, answer: Answer = None) -> dict[str, Any]:
    """End the episode: the request has been met.

    Args:
        session: What the tool acts on.
        answer: The answer, in the form that the request wants; nothing where it wants none.
    """
    _end(session, "submit", None, canonical_json(answer))
    return {"ended": "submit"}


@tool(mutates=True, terminal=True)
def refuse(session: Any, reason_code: Reason, explanation: str) -> dict[str, Any]:
    """End the episode: the request cannot be met, and nothing was changed.

    Args:
        session: What the tool acts on.
        reason_code: Why: not_permitted (the employee may not read or change what it takes), not_existing (a record that the
            request names is not there), ambiguous (several records fit what it names, and it matters which is meant), or
            out_of_scope (the records are there, but no source holds what is asked of them).
        explanation: The rule or the fact that stands against it.
    """
    _end(session, "refuse", reason_code, explanation)
    return {"ended": "refuse"}


ENDINGS: tuple[Tool, ...] = (whoami, submit, refuse)
"""The tools that every task offers besides those of the sources."""
