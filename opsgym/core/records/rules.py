"""Rules: sentences that bind agents, each with the SQL that tells a breach."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from opsgym.core.errors import TaskError

Action = Literal["create", "update", "delete"]
WRITES: tuple[Action, ...] = ("create", "update", "delete")
"""What may be done to a record."""


@dataclass(frozen=True)
class Rule:
    """A sentence of the policy and the predicate that is true of a row that breaks it.

    In the predicate ``new`` is the row as written and ``old`` the row before, all ``NULL`` for a created one;
    ``:actor``, ``:role`` and ``:now`` tell who acts and when, ``:start`` since when (the
    moment of the write, or the start of the episode for an end state); other tables go by their names.

    Attributes:
        id: Short name that refusals and verdicts give.
        sentence: The rule as agents read it.
        table: Whose rows it speaks of.
        breach: True of a single write that breaks it, in SQL; ``None`` for an obligation, which no single write breaks.
        end: The same for end states, with ``old`` the seeded row; by default ``breach``.
        on: The writes it speaks of; for ``"delete"`` only ``old`` has values.
        section: Heading of the policy text under which it stands.

    Raises:
        TaskError: There is neither ``breach`` nor ``end``, or the rule mixes deletion with other writes.
    """

    id: str
    sentence: str
    table: str
    breach: str | None
    end: str | None = None
    on: tuple[Action, ...] = ("create", "update")
    section: str = ""

    def __post_init__(self) -> None:
        if self.breach is None and self.end is None:
            raise TaskError(f"rule {self.id!r} can never be broken; expected breach or end", field="breach")
        if "delete" in self.on and len(self.on) > 1:
            raise TaskError(f"rule {self.id!r} speaks of deletion and other writes; expected two rules", field="on")

    @property
    def end_breach(self) -> str:
        """The predicate for end states."""
        return self.end or self.breach or "0"

    @property
    def is_step(self) -> bool:
        """Whether a single write may break it in a way that the end state does not show."""
        return self.breach is not None and self.end is not None

    @cached_property
    def is_invariant(self) -> bool:
        """Whether it speaks of states, whoever brought them about: every row of a world must keep it, as if just written."""
        return set(self.on) == {"create", "update"} and not re.search(r":(actor|role|now|start)\b", self.end_breach)
