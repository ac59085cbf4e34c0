"""Worlds: what a domain's generator gives, and the builder with which it writes rows.

Each domain has a module ``world`` with ``generate(company, draw, size)``.
"""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from opsgym.core.errors import OpsGymError
from opsgym.core.records.columns import Flag, Json, Key, Moment, Serial
from opsgym.core.records.table import Table
from opsgym.core.task import canonical_json
from opsgym.envs.enterprise_ops.company import Company, Size

Row = dict[str, Any]
Time = dt.datetime | str


@dataclass(frozen=True, slots=True)
class Trap:
    """A deliberate difficulty in a world.

    Attributes:
        kind: A short name such as ``"namesake"``, ``"same_number"``, ``"retired_article"`` or ``"stale_record"``.
        table: The table of the records.
        keys: Their keys; the records that look alike, or the one that must not be used.
        note: A few words.
    """

    kind: str
    table: str
    keys: tuple[Any, ...]
    note: str = ""


@dataclass(frozen=True)
class Generated:
    """A domain's world as rows.

    Attributes:
        rows: Rows by table, as the database holds them.
        traps: Its deliberate difficulties.
    """

    rows: Mapping[str, list[Row]]
    traps: tuple[Trap, ...] = ()


class Generator(Protocol):
    """What a domain's ``world.generate`` is."""

    def __call__(self, company: Company, draw: random.Random, size: Size) -> Generated:
        """The world of a company: the same for the same arguments, without violations of the domain's invariants."""


@dataclass
class Builder:
    """Writes rows: keys, numbers, defaults and time stamps are filled in.

    Args:
        tables: The domain's tables.
        start: Time stamp of rows for which none is given.

    Example:
        >>> from opsgym.envs.enterprise_ops.itsm.tables import TABLES
        >>> rows = Builder(TABLES, dt.datetime(2026, 1, 5, 9))
        >>> rows.add("location", name="Depot", org_id="ORG_001", city="London", country="UK")["location_id"]
        'LOC_001'
    """

    tables: Iterable[Table]
    start: dt.datetime
    rows: dict[str, list[Row]] = field(default_factory=dict)
    traps: list[Trap] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._tables = {table.name: table for table in self.tables}
        self.rows = {name: [] for name in self._tables}

    def add(self, table: str, *, at: Time | None = None, updated: Time | None = None, **values: Any) -> Row:
        """Add a row and return it; it may be changed in place until the world is opened.

        Args:
            table: Name of the table.
            at: When it was created.
            updated: When it was changed last; by default when it was created.
            values: Values by column; booleans, times and JSON as Python has them.

        Raises:
            OpsGymError: There is no such column.
        """
        declared, listed = self._tables[table], self.rows[table]
        unknown = values.keys() - declared.by_name.keys()
        if unknown:
            raise OpsGymError(
                f"table {table!r} has no column {sorted(unknown)[0]!r}, expected one of: {', '.join(declared.names)}"
            )
        row: Row = {}
        for column in declared.columns:
            if column.name in values:
                value = values[column.name]
            elif isinstance(column, Key | Serial) and (column.prefix or column.sql_type == "INTEGER"):
                value = column.numbered(len(listed) + 1)
            elif isinstance(column, Moment) and column.stamp:
                value = (updated if column.stamp == "updated" and updated is not None else at) or self.start
            else:
                value = column.default
            row[column.name] = _stored(column, value)
        listed.append(row)
        return row

    def trap(self, kind: str, table: str, *keys: Any, note: str = "") -> None:
        """Label a deliberate difficulty."""
        self.traps.append(Trap(kind, table, keys, note))

    def done(self) -> Generated:
        """The world."""
        return Generated({name: rows for name, rows in self.rows.items() if rows}, tuple(self.traps))


def _stored(column: Any, value: Any) -> Any:
    """A value as the database holds it."""
    if value is None:
        return None
    if isinstance(value, dt.datetime):
        return value.replace(microsecond=0).isoformat(" ")
    if isinstance(value, dt.date):
        return value.isoformat()
    if isinstance(column, Json) and not isinstance(value, str):
        return canonical_json(value)
    return int(value) if isinstance(column, Flag) else value
