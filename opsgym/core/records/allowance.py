"""Allowances: the changes that a task grants; every other one is collateral."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pydantic import Field

from opsgym.core.records.diff import Change
from opsgym.core.records.rules import Action
from opsgym.core.task import Frozen, JsonDict


class Allowance(Frozen):
    """A change that a task grants.

    Attributes:
        table: Name of the table.
        action: What may become of a record.
        match: Values that tell the record: of the created row, else of the row as it was.
        columns: The columns that an update may change; the time of the last update may always.
        values: What an update may change some of them to.
        most: Greatest number of records.
    """

    table: str
    action: Action
    match: JsonDict = Field(default_factory=dict)
    columns: tuple[str, ...] = ()
    values: JsonDict = Field(default_factory=dict)
    most: int = 1

    def covers(self, change: Change) -> bool:
        """Whether it grants a change."""
        if change.table.name != self.table or change.action != self.action:
            return False
        row: Mapping[str, Any] = (change.new if self.action == "create" else change.old) or {}
        if any(name not in row or row[name] != value for name, value in self.match.items()):
            return False
        return self.action != "update" or (set(change.columns) <= set(self.columns) and self._gives(change))

    def _gives(self, change: Change) -> bool:
        """Whether an update gives the columns the values that are laid down."""
        new = change.new or {}
        return all(new[name] == value for name, value in self.values.items() if name in change.columns)


def collateral(changes: Iterable[Change], allowed: Sequence[Allowance]) -> list[Change]:
    """The changes that nothing grants: default deny.

    Each change uses up one record of the narrowest allowance that covers it and is not yet used up.
    """
    left = [item.most for item in allowed]
    order = sorted(range(len(allowed)), key=lambda number: -len(allowed[number].match))
    refused = []
    for change in changes:
        if change.action == "update" and not change.columns:
            continue
        used = next((number for number in order if left[number] and allowed[number].covers(change)), None)
        if used is None:
            refused.append(change)
        else:
            left[used] -= 1
    return refused
