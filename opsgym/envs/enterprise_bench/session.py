"""Session: the records as one employee may read and write them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from opsgym.core.errors import ToolError
from opsgym.core.records import numbering, statements
from opsgym.core.records.actor import Actor
from opsgym.core.records.columns import Key
from opsgym.core.records.enforcement import RuleBook
from opsgym.core.records.records import Records, Row, searched
from opsgym.core.records.rules import Action
from opsgym.core.records.sight import MASKED
from opsgym.core.records.table import Table
from opsgym.core.world import World
from opsgym.envs.enterprise_bench.access import TAKE_OVER, Operation, Preset, condition_for, denial, persona_of, taken
from opsgym.envs.enterprise_bench.domain import DOMAIN, ROLE
from opsgym.envs.enterprise_bench.search import Hit, Retriever, mark
from opsgym.envs.enterprise_bench.sources.code import digest
from opsgym.envs.enterprise_bench.sources.people import DEPARTMENTS, LEAVES, PRIVATE

BOOK = RuleBook(DOMAIN)
"""The domain's rules, compiled once."""


class Desk(Records):
    """Reads and writes records with an employee's rights; what nothing grants is denied.

    A record that may not be read is, in every answer and error, as one that does not exist.

    Args:
        world: The world.
        emp_id: Who is signed in.
        preset: The rules of access.
        retriever: What finds records for a query.

    Raises:
        RegistryError: Nobody has that id, or they have left.

    Attributes:
        persona: Department and level of who is signed in.
        preset: The rules of access.
    """

    def __init__(self, world: World, emp_id: str, preset: Preset, retriever: Retriever) -> None:
        super().__init__(DOMAIN, world, Actor(emp_id, ROLE), enforcement="strict", book=BOOK)
        self.persona = persona_of(world.conn, emp_id)
        self.preset: Preset = preset
        self.retriever = retriever

    def allowed(self, table: Table, operation: Operation) -> str:
        """True of the records on which it may be done, in SQL without parameters."""
        return condition_for(self.preset, table.name, operation, self.persona)

    def reads_all(self, table: Table) -> bool:
        """Whether all records may be read."""
        return self.allowed(table, "read") == "1"

    def search(self, table: Table, query: str, limit: int = 50) -> tuple[list[Hit], int]:
        """The records that fit the words of a query, best first, among those that may be read; and how many there are."""
        return self.retriever.find(self.world, table.name, table.id, self.allowed(table, "read"), query, limit)

    def page(
        self, table: Table, equal: Mapping[str, Any], *, limit: int, offset: int, where: str = "", bound: Sequence[Any] = ()
    ) -> tuple[list[Row], int]:
        """Some of the records that :meth:`find` would give, and how many it would."""
        terms = [statements.equal(equal), f"({where})" if where else "", *self._sight(table)[0]]
        condition = " AND ".join(filter(None, terms)) or "1"
        values = [*searched(table, equal), *bound]
        conn = self.world.conn
        (total,) = conn.execute(f'SELECT count(*) FROM "{table.name}" WHERE {condition}', values).fetchone()
        sql = f"{statements.select(table)} WHERE {condition} ORDER BY rowid LIMIT ? OFFSET ?"
        rows = conn.execute(sql, [*values, limit, offset]).fetchall()
        return [self.shown(table, dict(zip(table.names, row, strict=True))) for row in rows], total

    def fetch(self, table: Table, equal: Mapping[str, Any]) -> Row:
        """The one record whose columns equal what is given, as the database holds it, if it may be read.

        Raises:
            ToolError: As for :meth:`get`.
        """
        return self._row(table, equal)

    # -- reading ------------------------------------------------------------------------------------------

    def _permit(self, table: Table, action: str) -> None:
        """Rights are decided record by record."""

    def _sight(self, table: Table) -> tuple[list[str], list[Any]]:
        if not table.resource:
            return [], []
        allowed = self.allowed(table, "read")
        return ([] if allowed == "1" else [f"({allowed})"]), []

    def _row(self, table: Table, equal: Mapping[str, Any]) -> Row:
        try:
            return super()._row(table, equal)
        except ToolError as error:
            if error.code == "not_found" and not self.reads_all(table):
                raise self._denied(table, "read") from None
            raise

    def _check_ref(self, ref: Any, value: Any) -> None:
        target = self.domain.table(ref.table)
        if self.reads_all(target):
            super()._check_ref(ref, value)
            if ref.table == "employee" and not self._rows(target, {"emp_id": value, "is_valid": True}):
                raise ToolError("bad_state", f"{ref.name}: {value} has left the company")
        elif not self._rows(target, {ref.column or target.id: value}):
            raise self._denied(target, "read")

    def shown(self, table: Table, row: Row) -> Row:
        """A row as the persona may see it; stars stand for private values."""
        seen = super().shown(table, row)
        if table.name != "employee" or self._may(table, "reveal", [row["emp_id"]]):
            return seen
        return seen | dict.fromkeys(PRIVATE, MASKED)

    # -- writing ------------------------------------------------------------------------------------------

    def update(self, table: Table, equal: Mapping[str, Any], values: Mapping[str, Any]) -> Row:
        """See :class:`~opsgym.core.records.records.Records`; the persona may update the record before and after."""
        row = self._row(table, equal)
        key = [row[name] for name in table.key]
        if not self._may(table, "update", key):
            raise self._denied(table, "update")
        with self.world.savepoint():
            is_theirs = self._is(table, key, taken(self.preset, table.name, self.persona))
            new = super().update(table, dict(zip(table.key, key, strict=True)), values)
            if not is_theirs and self._is(table, key, taken(self.preset, table.name, self.persona)):
                raise ToolError("not_allowed", TAKE_OVER)
        return new

    def delete(self, table: Table, equal: Mapping[str, Any], *, after: str | None = None, before: str | None = None) -> list[Row]:
        """See :class:`~opsgym.core.records.records.Records`."""
        if not self._rows(table, equal, after=after, before=before):
            self._row(table, equal)  # says why
        return super().delete(table, equal, after=after, before=before)

    def _enforce(self, table: Table, action: Action, old: Row | None, key: list[Any]) -> None:
        if not self._may(table, action, key):
            raise self._denied(table, action)
        super()._enforce(table, action, old, key)

    def _filled(self, table: Table) -> Row:
        """Keys of new records start above those of all seeded ones, so that they do not tell how many there are."""
        keys = (column for column in table.columns if isinstance(column, Key))
        first = {
            column.name: numbering.following(self.world, table, column, 9 * 10 ** (column.digits - 1) + 1) for column in keys
        }
        return super()._filled(table) | first

    def _computed(self, table: Table, row: Row) -> Row:
        derive = _DERIVED.get(table.name)
        return super()._computed(table, row) | (derive(row) if derive else {})

    def _write(self, table: Table, sql: str, values: Sequence[Any], *rows: Row) -> None:
        super()._write(table, sql, values, *rows)
        mark(self.world, table.name, {row[table.key[0]] for row in rows})

    def _may(self, table: Table, operation: Operation, key: Sequence[Any]) -> bool:
        return self._is(table, key, self.allowed(table, operation))

    def _is(self, table: Table, key: Sequence[Any], condition: str) -> bool:
        """Whether a condition is true of a record."""
        if condition in ("0", "1"):
            return condition == "1"
        place = " AND ".join(f'"{name}" = ?' for name in table.key)
        return (
            self.world.conn.execute(f'SELECT 1 FROM "{table.name}" WHERE {place} AND ({condition})', key).fetchone() is not None
        )

    def _denied(self, table: Table, operation: Operation) -> ToolError:
        return ToolError("not_allowed", denial(self.preset, table.name, operation))


def _employee(row: Row) -> Row:
    """The columns of an employee that follow from others."""
    derived: Row = {}
    if row["department"] in DEPARTMENTS and isinstance(row["level"], int):
        derived["level_code"] = f"{DEPARTMENTS[row['department']]}{row['level']:02d}"
    leaves = [(row[f"total_{kind}_leaves"], row[f"remaining_{kind}_leaves"]) for kind in LEAVES]
    if all(isinstance(number, int) for pair in leaves for number in pair):
        derived["total_leaves_taken"] = sum(total - remaining for total, remaining in leaves)
    return derived


def _file(row: Row) -> Row:
    """The columns of a file that follow from its code."""
    code = row["code"] or ""
    return {"size": len(code), "hash": digest(code)}


_DERIVED: dict[str, Callable[[Row], Row]] = {"employee": _employee, "repo_file": _file}
