"""The small world of a domain, and what its tests ask of it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import pytest

from opsgym.core.errors import ToolError
from opsgym.core.records.actor import Actor
from opsgym.core.records.domain import Domain
from opsgym.core.records.enforcement import Enforcement, RuleBook
from opsgym.core.records.judge import Judge
from opsgym.core.records.records import Records
from opsgym.core.records.seeding import seeded
from opsgym.core.world import Snapshot, World

TODAY = dt.date(2026, 5, 4)
"""The day of every small world, a Monday."""

Step = tuple[str, dict[str, Any]]
"""A tool and its arguments."""


@dataclass(frozen=True)
class SmallWorld:
    """A world of a few rows in which the domain's rules hold.

    Attributes:
        domain: The domain.
        rows: Rows by table.
        actors: Who may act, by a short name.
        acting: Who acts where nothing is said.
        stamps: Values of all rows whose tables have such columns, unless they say otherwise.
    """

    domain: Domain
    rows: Mapping[str, Sequence[Mapping[str, Any]]]
    actors: Mapping[str, Actor]
    acting: str
    stamps: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def book(self) -> RuleBook:
        """The compiled rules."""
        return RuleBook(self.domain)

    @cached_property
    def _snapshot(self) -> Snapshot:
        world = seeded(
            self.domain, {name: [self._stamped(name, row) for row in listed] for name, listed in self.rows.items()}, today=TODAY
        )
        found = world.snapshot()
        world.close()
        return found

    def _stamped(self, table: str, row: Mapping[str, Any]) -> dict[str, Any]:
        known = self.domain.table(table).by_name
        return {name: value for name, value in self.stamps.items() if name in known} | dict(row)

    def open(self) -> World:
        """A fresh world."""
        return World.from_snapshot(self._snapshot)

    def session(self, who: str = "", enforcement: Enforcement = "strict") -> Records:
        """Somebody at work in a fresh world."""
        return Records(self.domain, self.open(), self.actors[who or self.acting], enforcement=enforcement, book=self.book)

    def call(self, records: Records, tool: str, **arguments: Any) -> Any:
        """Call a tool as the environment does: all or nothing."""
        found = self.domain.toolbox[tool]
        with records.world.savepoint():
            return found.function(records, **found.validate(arguments))

    def refused(self, records: Records, code: str, tool: str, **arguments: Any) -> str:
        """The message of a call that must be refused and leave the world as it was."""
        before = records.world.digest()
        with pytest.raises(ToolError) as caught:
            self.call(records, tool, **arguments)
        assert caught.value.code == code, caught.value.message
        assert records.world.digest() == before
        return caught.value.message

    def forbidden(self, records: Records, rule: str, tool: str, **arguments: Any) -> None:
        """A call must be refused by a rule of the policy."""
        assert f"{rule}:" in self.refused(records, "not_allowed", tool, **arguments)

    def broken(self, who: str, *steps: Step, minutes: int = 0) -> set[str]:
        """Rules that the end state of permissive play breaks, with so many minutes after each step."""
        records = self.session(who, "permissive")
        before = records.world.snapshot()
        for tool, arguments in steps:
            self.call(records, tool, **arguments)
            records.world.advance(minutes=minutes)
        with Judge(self.domain, before, records.world.snapshot(), self.actors[who]) as judge:
            return {result.spec.rule for result in judge.results((), ()) if result.status == "fail"} - {"COLLATERAL"}
