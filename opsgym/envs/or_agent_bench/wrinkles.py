"""Wrinkles: how realistic records differ from clean ones, and the sentences by which the brief resolves them."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from typing import Any

from opsgym.core.stream import Stream
from opsgym.envs.or_agent_bench.kit import UNITS

Record = Mapping[str, Any]

REVISED = 20
"""Percent of the rows that have a superseded revision, from level 1 on."""
CANCELLED = 12
"""Percent of the rows beside which a cancelled one stands, from level 2 on."""
OTHER_UNIT = 35
"""Percent of the quantities that are in the large unit, from level 2 on."""

REVISIONS = (
    "Where a table has a column `revision`, several rows may have the same key; the one with the highest revision counts, "
    "the others are superseded."
)
CANCELLATIONS = "Rows whose `status` is `cancelled` do not exist for planning; drop them after superseded revisions."
QUANTITIES = "The column `{column}_unit` states the unit of the quantity in `{column}`, row by row: {units}."


class Wrinkles:
    """Writes the data files of one task, with wrinkles that grow with the level of problem understanding.

    Level 0 is clean.  From 1 on tables hold superseded revisions, from 2 on cancelled rows and mixed units.

    Args:
        level: 0 to 3.
        stream: Stream of the wrinkles; the same in every epoch of a task.

    Example:
        >>> print(Wrinkles(0, Stream("demo")).csv([{"id": "a", "size": 5}], key="id"))
        id,size
        a,5
        <BLANKLINE>
    """

    def __init__(self, level: int, stream: Stream) -> None:
        self.level = level
        self.stream = stream
        self._conventions: list[str] = []

    @property
    def conventions(self) -> tuple[str, ...]:
        """The sentences that resolve the wrinkles written so far."""
        return tuple(dict.fromkeys(self._conventions))

    def csv(
        self,
        records: Sequence[Record],
        *,
        key: str | Sequence[str] = (),
        vary: Sequence[str] = (),
        units: Mapping[str, str] | None = None,
    ) -> str:
        """A CSV file.

        Args:
            records: Rows with the same columns; quantities of ``units`` are whole numbers of the small unit.
            key: Columns that name a row; needed for ``vary``.
            vary: Columns of whole numbers whose values superseded and cancelled rows may have got wrong.
            units: Small and large unit of columns, for example ``{"weight": "kg/t"}``; each gets a column ``<name>_unit``.
        """
        key = [key] if isinstance(key, str) else list(key)
        rows = [dict(record) for record in records]
        if vary and self.level >= 1:
            rows = self._revised(rows, key, vary)
        for column, pair in (units or {}).items():
            rows = [self._in_units(row, column, *pair.split("/")) for row in rows]
            text = f"{pair.split('/')[0]} or {pair.split('/')[1]}"
            if self.level >= 2:
                self._conventions.append(QUANTITIES.format(column=column, units=text))
        if self.level >= 1:
            rows = [rows[i] for i in self.stream.permutation(len(rows)).tolist()]
        return _csv(rows)

    def json(self, value: Any) -> str:
        """A JSON file, indented."""
        return json.dumps(value, indent=2) + "\n"

    def yaml(self, values: Mapping[str, Any], comments: Mapping[str, str] | None = None) -> str:
        """A flat YAML file; a comment stands behind its value."""
        notes = comments or {}
        lines = [
            f"{name}: {json.dumps(value)}" + (f"  # {notes[name]}" if name in notes else "") for name, value in values.items()
        ]
        return "\n".join(lines) + "\n"

    def _revised(self, rows: list[dict[str, Any]], key: Sequence[str], vary: Sequence[str]) -> list[dict[str, Any]]:
        self._conventions.append(REVISIONS)
        found = []
        for row in rows:
            number = 1
            if self.stream.below(100) < REVISED:
                found.append(self._distorted(row, vary) | {"revision": number})
                number += self.stream.between(1, 2)
            found.append(row | {"revision": number})
        if self.level < 2:
            return found
        self._conventions.append(CANCELLATIONS)
        extra = [row for row in found if self.stream.below(100) < CANCELLED]
        ghosts = [self._distorted(row, vary) | {key[0]: f"{row[key[0]]}-C"} for row in extra]
        return [row | {"status": "active"} for row in found] + [row | {"status": "cancelled"} for row in ghosts]

    def _distorted(self, row: dict[str, Any], vary: Sequence[str]) -> dict[str, Any]:
        """The row with every varied quantity off by a tenth to a half."""
        changed = {}
        for column in vary:
            value = int(row[column])
            step = max(1, value * self.stream.between(10, 50) // 100)
            changed[column] = max(0, value + (step if self.stream.below(2) else -step)) or value + step
        return row | changed

    def _in_units(self, row: dict[str, Any], column: str, small: str, large: str) -> dict[str, Any]:
        is_large = self.level >= 2 and self.stream.below(100) < OTHER_UNIT and (row[column] * 1000) % UNITS[large] == 0
        value = format(row[column] / UNITS[large], ".10g") if is_large else row[column]
        found = {}
        for name, item in row.items():
            found[name] = value if name == column else item
            if name == column:
                found[f"{column}_unit"] = large if is_large else small
        return found


def _csv(rows: Sequence[Record]) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, fieldnames=list(rows[0]) if rows else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()
