"""Ledger: the rows of a company while it is made, and who was employed when."""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from opsgym.core.errors import OpsGymError
from opsgym.core.records.columns import Key
from opsgym.core.records.table import Table

Row = dict[str, Any]
Span = tuple[dt.date, dt.date]


@dataclass(frozen=True, slots=True)
class Trap:
    """A deliberate difficulty.

    Attributes:
        kind: ``"namesake"``, ``"matching_threads"``, ``"same_product_name"`` or ``"same_repo_name"``.
        table: The table of the records.
        keys: Keys of the records that look alike.
    """

    kind: str
    table: str
    keys: tuple[str, ...]


@dataclass(frozen=True)
class Generated:
    """A company as rows.

    Attributes:
        today: First day of episodes; everything lies before it.
        rows: Rows by table, as the database holds them.
        traps: Its deliberate difficulties.
    """

    today: dt.date
    rows: Mapping[str, list[Row]]
    traps: tuple[Trap, ...]


@dataclass
class Ledger:
    """Takes rows and gives them keys and defaults.

    Args:
        tables: The tables.
        today: First day of episodes.
        draw: Where chance comes from.
        scale: Size of the company, 1 for 1,260 employees.
    """

    tables: Iterable[Table]
    today: dt.date
    draw: random.Random
    scale: float
    rows: dict[str, list[Row]] = field(default_factory=dict)
    traps: list[Trap] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._blank: dict[str, Row] = {}
        self._key: dict[str, Key] = {}
        for table in self.tables:
            self.rows[table.name] = []
            self._blank[table.name] = {column.name: column.default for column in table.columns}
            self._key[table.name] = next(column for column in table.columns if isinstance(column, Key))

    def count(self, full: int, least: int = 1) -> int:
        """How many records there are of a kind of which the full company has ``full``."""
        return max(least, round(full * self.scale))

    def add(self, table: str, **values: Any) -> Row:
        """Add a row and return it.

        Raises:
            OpsGymError: There is no such column.
        """
        listed, key = self.rows[table], self._key[table]
        row = self._blank[table] | {key.name: key.numbered(len(listed) + 1)}
        columns = len(row)
        row |= values
        if len(row) != columns:
            raise OpsGymError(f"table {table!r} has no column {(values.keys() - self._blank[table].keys())!r}")
        listed.append(row)
        return row

    def trap(self, kind: str, table: str, *keys: str) -> None:
        """Label a deliberate difficulty."""
        self.traps.append(Trap(kind, table, keys))

    def done(self) -> Generated:
        """The company."""
        return Generated(self.today, self.rows, tuple(self.traps))

    # -- who and when -------------------------------------------------------------------------------------

    @property
    def staff(self) -> list[Row]:
        """All employees."""
        return self.rows["employee"]

    def of(self, *departments: str) -> list[Row]:
        """Employees of departments, who left or not."""
        return [row for row in self.staff if row["department"] in departments]

    def span(self, *people: Row) -> Span | None:
        """First and last day on which all of them were employed; ``None`` where there are fewer than 30 days."""
        first = max(dt.date.fromisoformat(row["doj"]) for row in people)
        last = min(
            self.today - dt.timedelta(days=1) if row["dol"] is None else dt.date.fromisoformat(row["dol"]) for row in people
        )
        return (first, last) if (last - first).days >= 30 else None

    def day(self, span: Span, *, margin: int = 0) -> dt.date:
        """A working day within a span, the later half more often, with days left after it."""
        first, last = span
        room = max(0, (last - first).days - margin)
        day = first + dt.timedelta(days=round(room * max(self.draw.random(), self.draw.random())))
        return day - dt.timedelta(days=1) if day.weekday() == 6 and day > first else day

    def pair(self, people: Sequence[Row], others: Sequence[Row]) -> tuple[Row, Row, Span]:
        """Two different people who were employed at one time."""
        for _ in range(1000):
            one, other = self.draw.choice(people), self.draw.choice(others)
            if one is not other and (span := self.span(one, other)):
                return one, other, span
        raise OpsGymError("expected two people who were employed at one time, found none")


def moment(day: dt.date, minutes: int) -> str:
    """A time of a working day, so many minutes after nine."""
    return f"{day.isoformat()} {9 + minutes // 60:02d}:{minutes % 60:02d}:00"


def spoken(day: dt.date) -> str:
    """A date as texts say it."""
    return f"{day.day} {day:%B} {day.year}"
