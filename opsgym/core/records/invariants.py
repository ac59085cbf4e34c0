"""Invariants: what is true of every sound world of a domain."""

from __future__ import annotations

from opsgym.core.changes import quoted
from opsgym.core.records.columns import Moment
from opsgym.core.records.domain import Domain
from opsgym.core.records.statements import names
from opsgym.core.records.table import Table
from opsgym.core.world import World


def violations(domain: Domain, world: World) -> list[str]:
    """Rows that break a rule about states, point nowhere, or hold a value that their column does not, one sentence each."""
    found = world.check()
    for table in domain.tables:
        found += _broken_rules(domain, world, table)
        found += _broken_values(domain, world, table)
    return found


def _broken_rules(domain: Domain, world: World, table: Table) -> list[str]:
    """Rows that break a rule, as if just created."""
    nothing = ", ".join(f"NULL AS {quoted(name)}" for name in table.names)
    key = " || '/' || ".join(f"new.{quoted(name)}" for name in table.key)
    found = []
    for rule in domain.rules:
        if rule.table == table.name and rule.is_invariant:
            sql = f"SELECT {key} FROM {quoted(table.name)} AS new, (SELECT {nothing}) AS old WHERE {rule.end_breach}"
            found += [f"{table.name} {row[0]} breaks {rule.id}: {rule.sentence}" for row in world.execute(sql).fetchall()]
    return found


def _broken_values(domain: Domain, world: World, table: Table) -> list[str]:
    """Values that tools would refuse, and references that the database does not know of and that point nowhere."""
    found = []
    for row in world.execute(f"SELECT {names(table.names)} FROM {quoted(table.name)}").fetchall():
        for column, value in zip(table.columns, row, strict=True):
            problem = "" if value is None or (isinstance(column, Moment) and column.stamp) else column.problem(value)
            if problem:
                found.append(f"{table.name} {row[0]}: {column.name}: {problem}")
    for ref in (item for item in table.refs if not item.declared):
        target = domain.table(ref.table)
        there = f"SELECT {quoted(ref.column or target.id)} FROM {quoted(target.name)}"
        name = quoted(ref.name)
        sql = f"SELECT {name} FROM {quoted(table.name)} WHERE {name} IS NOT NULL AND {name} NOT IN ({there})"
        found += [f"{table.name}: {ref.name} {row[0]!r} points to no {target.name}" for row in world.execute(sql).fetchall()]
    return found
