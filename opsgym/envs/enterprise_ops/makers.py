"""Maker: what the generators of worlds have in common."""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Sequence

from opsgym.core.records.table import Table
from opsgym.envs.enterprise_ops.company import Company, Size
from opsgym.envs.enterprise_ops.worlds import Builder, Row


class Maker:
    """Writes the world of a company; the base of each domain's own.

    Args:
        company: The company.
        draw: What everything is drawn from.
        size: Size of the world.
        tables: The domain's tables.
        days: How many days before today the first rows are from.

    Attributes:
        now: Today at eight.
        rows: The rows so far.
        users: Rows of users by the number of the person.
    """

    def __init__(self, company: Company, draw: random.Random, size: Size, tables: Sequence[Table], *, days: int) -> None:
        self.company = company
        self.draw = draw
        self.size: Size = size
        self.now = dt.datetime.combine(company.today, dt.time(8))
        self.rows = Builder(tables, self.now - dt.timedelta(days=days))
        self.users: dict[int, Row] = {}
        self._keys = {table.name: table.key[0] for table in tables}

    def ago(self, low: float, high: float) -> dt.datetime:
        """A moment some days ago, between two numbers of days."""
        return self.now - dt.timedelta(minutes=int(self.draw.uniform(low, high) * 24 * 60))

    def label_people(self, table: str) -> None:
        """Label users who are easily mistaken: those with namesakes, and those who have left."""
        keys = {number: row[self._keys[table]] for number, row in self.users.items()}
        for first, second in self.company.namesakes:
            if first.number in keys and second.number in keys:
                self.rows.trap("namesake", table, keys[first.number], keys[second.number])
        for person in self.company.people:
            if person.number in keys and not person.is_active:
                self.rows.trap("stale_record", table, keys[person.number], note="has left")
