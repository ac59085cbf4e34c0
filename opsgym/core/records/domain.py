"""Domain: the declarations of one system, held together and checked against each other."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from functools import cached_property

from opsgym.core.errors import RegistryError, TaskError
from opsgym.core.records.columns import Column, Ref
from opsgym.core.records.ddl import ddl
from opsgym.core.records.lifecycle import Lifecycle
from opsgym.core.records.matrix import Matrix
from opsgym.core.records.rights import Rights
from opsgym.core.records.rules import Rule
from opsgym.core.records.sight import Mask, Sight
from opsgym.core.records.table import Table
from opsgym.core.tools import Tool, Toolbox


@dataclass(frozen=True)
class Domain:
    """One system: its records, who may do what, the rules, and the tools.

    Attributes:
        name: Short name.
        title: Name for people.
        tables: The kinds of records.
        rights: What roles may do.
        lifecycles: States and moves.
        matrices: Columns that follow from others.
        own_rules: The rules that are written by hand.
        sights: Limits on which records roles see.
        masks: Limits on which columns roles see.
        tools: What agents may call.
        notes: Sentences of the policy that no check stands behind, by section.

    Raises:
        TaskError: Declarations do not fit each other: a reference, a lifecycle, a matrix, or a rule that SQLite refuses.
        RegistryError: A table or column is named that does not exist.
    """

    name: str
    title: str
    tables: tuple[Table, ...]
    rights: Rights
    lifecycles: tuple[Lifecycle, ...] = ()
    matrices: tuple[Matrix, ...] = ()
    own_rules: tuple[Rule, ...] = ()
    sights: tuple[Sight, ...] = ()
    masks: tuple[Mask, ...] = ()
    tools: tuple[Tool, ...] = ()
    notes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for table in self.tables:
            if table.via and not self._is_scoped(table.column(table.via)):
                raise TaskError("expected a reference to a table with a scope", field=f"{table.name}.via")
            for ref in table.refs:
                target = self.table(ref.table)
                if target.column(ref.column or target.id).sql_type != ref.sql_type:
                    raise TaskError(
                        f"expected {target.name}'s kind of value, got {ref.sql_type}", field=f"{table.name}.{ref.name}"
                    )
        for lifecycle in self.lifecycles:
            lifecycle.check(self.table(lifecycle.table))
        for matrix in self.matrices:
            matrix.check(self.table(matrix.table))
        self._check_rules()

    def _is_scoped(self, column: Column) -> bool:
        return isinstance(column, Ref) and bool(self.table(column.table).scope)

    def _check_rules(self) -> None:
        if len(self.rule_by_id) != len(self.rules):
            raise TaskError("two rules have one id", field="rules")
        for sight in self.sights:
            self.rights.grant(sight.role, self.table(sight.table).resource)
        for mask in self.masks:
            for role in mask.roles:
                self.rights.grant(role, self.table(mask.table).resource)
            for name in mask.columns:
                self.table(mask.table).column(name)
        with closing(sqlite3.connect(":memory:")) as conn:
            try:
                conn.executescript(self.ddl)
            except sqlite3.Error as error:
                raise TaskError(f"SQLite refuses the tables: {error}", field="tables") from error
            for rule in self.rules:
                name = self.table(rule.table).name
                for predicate in filter(None, (rule.breach, rule.end)):
                    _prepare(conn, f'SELECT ({predicate}) FROM "{name}" AS new, "{name}" AS old', rule.id)
            for sight in self.sights:
                _prepare(conn, f'SELECT ({sight.condition}) FROM "{sight.table}"', sight.id)

    @cached_property
    def by_name(self) -> dict[str, Table]:
        """Tables by name; share it, do not change it."""
        return {table.name: table for table in self.tables}

    def table(self, name: str) -> Table:
        """The table of that name.

        Raises:
            RegistryError: There is none.
        """
        found = self.by_name.get(name)
        if found is None:
            raise RegistryError("table", name, self.by_name)
        return found

    @cached_property
    def ddl(self) -> str:
        """SQL that creates the tables."""
        return ddl(self.tables)

    @cached_property
    def rules(self) -> tuple[Rule, ...]:
        """All rules: those of lifecycles and matrices, and those written by hand."""
        made = [rule for lifecycle in self.lifecycles for rule in lifecycle.rules()]
        return (*made, *(matrix.rule() for matrix in self.matrices), *self.own_rules)

    @cached_property
    def rule_by_id(self) -> dict[str, Rule]:
        """Rules by id; share it, do not change it."""
        return {rule.id: rule for rule in self.rules}

    @cached_property
    def unlimited(self) -> frozenset[str]:
        """The roles that may do everything."""
        actions = ("read", "create", "update", "delete")
        return frozenset(
            role
            for role in self.rights.roles
            if all(self.rights.allows(role, table.resource, action) for table in self.tables for action in actions)
        )

    @cached_property
    def rules_on(self) -> dict[tuple[str, str], tuple[Rule, ...]]:
        """Rules by table and action, where there are any; share it, do not change it."""
        found: dict[tuple[str, str], tuple[Rule, ...]] = {}
        for rule in self.rules:
            for action in rule.on:
                found[rule.table, action] = (*found.get((rule.table, action), ()), rule)
        return found

    def rules_for(self, table: str, action: str) -> tuple[Rule, ...]:
        """The rules that speak of an action on a table."""
        return self.rules_on.get((table, action), ())

    @cached_property
    def toolbox(self) -> Toolbox:
        """The tools by name."""
        return Toolbox(self.tools)

    def sights_of(self, role: str, table: str) -> tuple[Sight, ...]:
        """The limits on what a role sees of a table."""
        return tuple(sight for sight in self.sights if sight.role == role and sight.table == table)

    def masked(self, role: str, table: str) -> tuple[str, ...]:
        """The columns of a table that a role does not see."""
        return tuple(name for mask in self.masks if mask.table == table and role in mask.roles for name in mask.columns)


def _prepare(conn: sqlite3.Connection, sql: str, name: str) -> None:
    """Have SQLite look at a query."""
    try:
        conn.execute(f"EXPLAIN {sql}", {"actor": "", "role": "", "now": "", "start": ""})
    except sqlite3.Error as error:
        raise TaskError(f"SQLite refuses the predicate: {error}", field=name) from error
