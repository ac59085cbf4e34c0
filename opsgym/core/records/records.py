"""Records: the session on which the tools of a declared domain act."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from opsgym.core.errors import OpsGymError, RegistryError, ToolError
from opsgym.core.records import numbering, statements
from opsgym.core.records.actor import Actor
from opsgym.core.records.columns import Column, Flag, Json, Key, Moment, Ref, Serial
from opsgym.core.records.domain import Domain
from opsgym.core.records.enforcement import ENFORCEMENTS, Enforcement, RuleBook
from opsgym.core.records.rules import Action
from opsgym.core.records.sight import MASKED
from opsgym.core.records.table import Table
from opsgym.core.task import canonical_json
from opsgym.core.world import World

Row = dict[str, Any]


class Records:
    """Reads and writes records for an actor: within the tenant, by the declarations, and in strict mode by rights and rules.

    What goes wrong raises :class:`~opsgym.core.errors.ToolError` and leaves the world as it was.  Tables are declarations, so
    that no name in SQL comes from an agent.

    Args:
        domain: The declarations.
        world: The world; its schema is the domain's.
        actor: Who is signed in.
        enforcement: ``"permissive"`` or ``"strict"``.
        book: The domain's compiled rules, when the caller keeps them.

    Raises:
        RegistryError: ``enforcement`` is unknown, or the actor's role is.
    """

    def __init__(
        self, domain: Domain, world: World, actor: Actor, *, enforcement: Enforcement = "permissive", book: RuleBook | None = None
    ) -> None:
        if enforcement not in ENFORCEMENTS:
            raise RegistryError("enforcement", enforcement, ENFORCEMENTS)
        if actor.role not in domain.rights.roles:
            raise RegistryError("role", actor.role, domain.rights.roles)
        self.domain = domain
        self.world = world
        self.actor = actor
        self.enforcement = enforcement
        self.book = book or RuleBook(domain)
        self._waiting: list[tuple[Table, Action, Row | None, list[Any]]] | None = None

    # -- reading ------------------------------------------------------------------------------------------

    def find(
        self,
        table: Table,
        equal: Mapping[str, Any],
        *,
        after: str | None = None,
        before: str | None = None,
        where: str = "",
        bound: Sequence[Any] = (),
    ) -> list[Row]:
        """The records whose columns equal what is given, in the order in which they were written.

        Args:
            table: The table.
            equal: Values by column; all must match.
            after: Only records created at or after this time.
            before: Only records created at or before this time.
            where: A further condition in SQL over the table's columns, of the tool's own making; a query language ends here.
            bound: Values for its question marks.

        Raises:
            ToolError: ``not_allowed`` in strict mode; ``invalid_value`` for a time that is none.
        """
        self._permit(table, "read")
        rows = self._rows(table, equal, after=after, before=before, where=where, bound=bound)
        return [self.shown(table, row) for row in rows]

    def get(self, table: Table, equal: Mapping[str, Any]) -> Row:
        """The one record whose columns equal what is given.

        Raises:
            ToolError: ``not_found``; ``invalid_value`` when several match.
        """
        self._permit(table, "read")
        return self.shown(table, self._row(table, equal))

    def shown(self, table: Table, row: Row) -> Row:
        """A row as agents see it: booleans, JSON values, no secrets, and in strict mode stars for what the role may not see."""
        masked = self.domain.masked(self.actor.role, table.name) if self.enforcement == "strict" else ()
        seen = {name: row[name] for name in table.open_names}
        for column in table.spoken:
            if seen[column.name] is not None:
                seen[column.name] = _seen(column, seen[column.name])
        return seen | {name: MASKED for name in masked if seen[name] is not None} if masked else seen

    # -- writing ------------------------------------------------------------------------------------------

    def create(self, table: Table, values: Mapping[str, Any]) -> Row:
        """Create a record and return it; key, number, tenant, defaults and time stamps are filled in.

        Raises:
            ToolError: ``missing_field``, ``invalid_value``, ``not_found`` (of a reference), ``bad_state`` (of a unique
                value), ``not_allowed``.
        """
        self._permit(table, "create")
        row: Row = dict.fromkeys(table.names)
        row |= {column.name: column.default for column in table.columns if column.default is not None}
        row |= self._filled(table) | _stored(table, values)
        row |= self._computed(table, row) | self._entered(table, row, None, values)
        self._check(table, row, table.columns)
        key = [row[name] for name in table.key]
        with self.world.savepoint():
            self._write(table, statements.insert(table), list(row.values()), row)
            self._enforce(table, "create", None, key)
        return self.shown(table, row)

    def update(self, table: Table, equal: Mapping[str, Any], values: Mapping[str, Any]) -> Row:
        """Change the one record whose columns equal what is given, and return it.

        An empty text clears a column that need not be filled.

        Raises:
            ToolError: As for :meth:`create`; ``not_found`` of the record; ``invalid_value`` when nothing would change.
        """
        self._permit(table, "update")
        old = self._row(table, equal)
        row = old | _stored(table, values)
        row |= self._computed(table, row)
        if row == old:
            raise ToolError("invalid_value", "nothing would change", "Give at least one new value.")
        row |= self._entered(table, row, old, values)
        if table.stamp("updated"):
            row[table.stamp("updated")] = self.now
        changed = [name for name in table.names if row[name] != old[name]]
        self._check(table, row, [table.by_name[name] for name in changed])
        key = [old[name] for name in table.key]
        with self.world.savepoint():
            self._write(table, statements.update(table, changed), [*(row[name] for name in changed), *key], old, row)
            self._enforce(table, "update", old, [row[name] for name in table.key])
        return self.shown(table, row)

    def delete(self, table: Table, equal: Mapping[str, Any], *, after: str | None = None, before: str | None = None) -> list[Row]:
        """Delete the records whose columns equal what is given, all or none, and return them.

        Raises:
            ToolError: ``not_found`` when none match; ``bad_state`` when other records refer to one of them; ``not_allowed``.
        """
        self._permit(table, "delete")
        rows = self._rows(table, equal, after=after, before=before)
        if not rows:
            raise ToolError("not_found", f"no {_noun(table)} with {_told(equal)}")
        with self.world.savepoint():
            numbering.keep(self.world, table)
            for row in rows:
                key = [row[name] for name in table.key]
                self._enforce(table, "delete", row, key)
                self._write(table, statements.delete(table), key, row)
        return [self.shown(table, row) for row in rows]

    @contextmanager
    def together(self) -> Iterator[None]:
        """Several writes as one: all or none, and held against the rules when the last one is done.

        Deletions are held against them at once.  Within another such block the outer one counts.
        """
        if self._waiting is not None:
            yield
            return
        with self.world.savepoint():
            self._waiting = []
            try:
                yield
                for table, action, old, key in self._waiting:
                    self.book.enforce(self.world, self.actor, table, action, old, key, self.enforcement)
            finally:
                self._waiting = None

    def _enforce(self, table: Table, action: Action, old: Row | None, key: list[Any]) -> None:
        if self._waiting is None or action == "delete":
            self.book.enforce(self.world, self.actor, table, action, old, key, self.enforcement)
        else:
            self._waiting.append((table, action, old, key))

    @property
    def now(self) -> str:
        """The virtual time, as records hold it."""
        return self.world.now.isoformat(" ")

    # -- what new and changed records get -----------------------------------------------------------------

    def _filled(self, table: Table) -> Row:
        """Key, number, tenant and time stamps of a new record."""
        row: Row = {}
        for column in table.columns:
            if isinstance(column, Key | Serial) and numbering.is_numbered(column):
                row[column.name] = numbering.following(self.world, table, column)
            elif isinstance(column, Moment) and column.stamp:
                row[column.name] = self.now
            elif isinstance(column, Ref) and column.by_actor:
                row[column.name] = _coerced(column, self.actor.id)
        if table.scope:
            row[table.scope] = _coerced(table.by_name[table.scope], self.actor.scope)
        return row

    def _computed(self, table: Table, row: Row) -> Row:
        """Columns that follow from others."""
        return {
            matrix.output: matrix.values[tuple(row[name] for name in matrix.inputs)]
            for matrix in self.domain.matrices
            if matrix.computed and matrix.table == table.name and tuple(row[name] for name in matrix.inputs) in matrix.values
        }

    def _entered(self, table: Table, row: Row, old: Row | None, given: Mapping[str, Any]) -> Row:
        """Time stamps of the states that a record enters, unless they are given."""
        stamps: Row = {}
        for lifecycle in self.domain.lifecycles:
            if lifecycle.table != table.name or (old is not None and old[lifecycle.column] == row[lifecycle.column]):
                continue
            name = lifecycle.stamps.get(row[lifecycle.column])
            if name is not None and name not in given:
                stamps[name] = self.now
        return stamps

    # -- checks -------------------------------------------------------------------------------------------

    def _permit(self, table: Table, action: str) -> None:
        if self.enforcement == "strict" and not self.domain.rights.allows(self.actor.role, table.resource, action):
            raise ToolError("not_allowed", f"RIGHTS: role {self.actor.role} may not {action} {table.resource.replace('_', ' ')}.")

    def _check(self, table: Table, row: Row, columns: Iterable[Column]) -> None:
        for column in columns:
            value = row[column.name]
            if value is None:
                if column.required:
                    raise ToolError("missing_field", f"{column.name}: a {_noun(table)} needs it")
            elif problem := column.problem(value):
                raise ToolError("invalid_value", f"{column.name}: {problem}")
            elif isinstance(column, Ref):
                self._check_ref(column, value)

    def _check_ref(self, ref: Ref, value: Any) -> None:
        target = self.domain.table(ref.table)
        if not self._rows(target, {ref.column or target.id: value}):
            raise ToolError("not_found", f"{ref.name}: no {_noun(target)} with {ref.column or target.id} {str(value)[:60]!r}")

    # -- the database -------------------------------------------------------------------------------------

    def _row(self, table: Table, equal: Mapping[str, Any]) -> Row:
        rows = self._rows(table, equal)
        if not rows:
            raise ToolError("not_found", f"no {_noun(table)} with {_told(equal)}")
        if len(rows) > 1:
            keys = ", ".join(str(row[table.key[0]]) for row in rows[:8])
            raise ToolError("invalid_value", f"{len(rows)} records match {_told(equal)}: {keys}", f"Give {table.key[0]}.")
        return rows[0]

    def _rows(
        self,
        table: Table,
        equal: Mapping[str, Any],
        *,
        after: str | None = None,
        before: str | None = None,
        where: str = "",
        bound: Sequence[Any] = (),
    ) -> list[Row]:
        conditions = [statements.equal(equal)] if equal else []
        values = searched(table, equal)
        if where:
            conditions.append(f"({where})")
            values += bound
        for time, sign in ((after, ">="), (before, "<=")):
            if time is not None:
                conditions.append(f'datetime("{table.stamp("created")}") {sign} datetime(?)')
                values.append(_coerced(Moment("created time"), time))
        for some, given in (self._scope(table), self._sight(table)):
            conditions += some
            values += given
        condition = f" WHERE {' AND '.join(conditions)}" if conditions else ""
        found = self.world.conn.execute(f"{statements.select(table)}{condition} ORDER BY rowid", values).fetchall()
        return [dict(zip(table.names, row, strict=True)) for row in found]

    def _scope(self, table: Table) -> tuple[list[str], list[Any]]:
        """The condition that keeps an actor within the tenant."""
        if table.scope:
            return [f'"{table.scope}" = ?'], [self.actor.scope]
        if table.via:
            ref = table.column(table.via)
            if isinstance(ref, Ref):
                target = self.domain.table(ref.table)
                return [f'"{ref.name}" IN (SELECT "{target.id}" FROM "{target.name}" WHERE "{target.scope}" = ?)'], [
                    self.actor.scope
                ]
        return [], []

    def _sight(self, table: Table) -> tuple[list[str], list[Any]]:
        """The conditions that keep an actor to what the role may see."""
        if self.enforcement != "strict":
            return [], []
        conditions = [sight.condition for sight in self.domain.sights_of(self.actor.role, table.name)]
        return [f"({item.replace(':actor', '?')})" for item in conditions], [
            self.actor.id for item in conditions for _ in range(item.count(":actor"))
        ]

    def _write(self, table: Table, sql: str, values: Sequence[Any], *rows: Row) -> None:
        """Write a row; told are the keys that it has and had."""
        try:
            self.world.write(table.name, sql, [values], [_told_key(table, row) for row in rows])
        except sqlite3.IntegrityError as error:
            raise _refusal(table, str(error)) from error


def _told_key(table: Table, row: Row) -> Any:
    """The key of a row as the world's watch takes it."""
    if len(table.key) == 1 and table.by_name[table.key[0]].sql_type == "INTEGER":
        return row[table.key[0]]
    return tuple(row[name] for name in table.key)


def _seen(column: Column, value: Any) -> Any:
    """A value as agents see it."""
    if isinstance(column, Flag):
        return bool(value)
    return json.loads(value)


def _stored(table: Table, values: Mapping[str, Any]) -> Row:
    """Values as the database holds them."""
    kinds = table.by_name
    stored: Row = {}
    for name, value in values.items():
        column = kinds.get(name)
        if column is None:
            raise OpsGymError(f"table {table.name!r} has no column {name!r}, expected one of: {', '.join(kinds)}")
        stored[name] = None if value == "" and not column.required else _coerced(column, value)
    return stored


def searched(table: Table, equal: Mapping[str, Any]) -> list[Any]:
    """Values to search for, as the database holds them."""
    return [_coerced(table.by_name[name], value) for name, value in equal.items()]


def _coerced(column: Column, value: Any) -> Any:
    """A value as the database holds it; some signatures say flags and numbers as text."""
    if isinstance(column, Json):
        return canonical_json(value)
    if isinstance(column, Moment):
        if problem := column.problem(value):
            raise ToolError("invalid_value", f"{column.name}: {problem}")
        return column.canonical(value)
    if isinstance(value, str) and isinstance(column, Flag):
        if value.lower() not in ("true", "false"):
            raise ToolError("invalid_value", f"{column.name}: expected true or false, got {value[:60]!r}")
        return int(value.lower() == "true")
    if isinstance(value, str) and column.sql_type == "INTEGER":
        if not re.fullmatch(r"-?[0-9]{1,18}", value):
            raise ToolError("invalid_value", f"{column.name}: expected an integer, got {value[:60]!r}")
        return int(value)
    if isinstance(value, int) and abs(value) >= 1 << 63:
        raise ToolError("invalid_value", f"{column.name}: expected an integer of at most 63 bits")
    return int(value) if isinstance(value, bool) else value


def _refusal(table: Table, message: str) -> ToolError:
    """What SQLite says, in the agent's terms."""
    failed = re.match(r"UNIQUE constraint failed: (.*)", message)
    if failed:
        columns = failed.group(1).replace(f"{table.name}.", "")
        return ToolError("bad_state", f"there is a {_noun(table)} with the same {columns} already")
    failed = re.match(r"CHECK constraint failed: (.*)", message)
    if failed:
        name = failed.group(1)
        sentences = list(table.checks.values())
        return ToolError("invalid_value", sentences[int(name)] if name.isdecimal() else f"{name}: value not possible")
    if message.startswith("FOREIGN KEY"):
        return ToolError("bad_state", f"other records refer to the {_noun(table)}")
    return ToolError("invalid_value", message)


def _noun(table: Table) -> str:
    return table.name.replace("_", " ")


def _told(equal: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {str(value)[:60]!r}" for name, value in equal.items()) or "these values"
