"""Enforcement: a single write is held against the rules, inside the savepoint that a breach undoes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, get_args

from opsgym.core.changes import quoted
from opsgym.core.errors import ToolError
from opsgym.core.records.actor import Actor
from opsgym.core.records.domain import Domain
from opsgym.core.records.journal import note
from opsgym.core.records.rules import Action, Rule
from opsgym.core.records.statements import names
from opsgym.core.records.table import Table
from opsgym.core.world import World

Enforcement = Literal["permissive", "strict"]
"""``"permissive"``: tools check schema, values, references and tenant; ``"strict"``: rights and rules too."""

ENFORCEMENTS: tuple[Enforcement, ...] = get_args(Enforcement)


class RuleBook:
    """The rules of a domain, compiled for single writes.

    Args:
        domain: The domain.
    """

    def __init__(self, domain: Domain) -> None:
        self.domain = domain

        self._compiled: dict[tuple[str, Action, bool], tuple[tuple[Rule, ...], str]] = {}

    def enforce(
        self,
        world: World,
        actor: Actor,
        table: Table,
        action: Action,
        old: Mapping[str, Any] | None,
        key: Sequence[Any],
        mode: Enforcement,
    ) -> None:
        """Hold a write against the rules; after it, but before a deletion.

        In permissive mode nothing is refused; breaches that the end state may not show are noted in the journal.

        Args:
            world: The world.
            actor: Who writes.
            table: What was written.
            action: How.
            old: The row as it was; ``None`` for a created one.
            key: Its key.
            mode: The enforcement.

        Raises:
            ToolError: ``not_allowed`` in strict mode, with the ids and sentences of the rules that are broken.
        """
        rules, sql = self._prepared(table, action, mode == "permissive")
        if not rules:
            return
        now = world.now.isoformat(" ")
        found = world.conn.execute(sql, bindings(actor, table, old, key, start=now, now=now)).fetchone()
        if found is None:  # created and deleted again by one call
            return
        broken = [rule for rule, is_broken in zip(rules, found, strict=True) if is_broken]
        if broken and mode == "strict":
            raise ToolError("not_allowed", " ".join(f"{rule.id}: {rule.sentence}" for rule in broken))
        for rule in broken:
            note(world, rule, table, key)

    def _prepared(self, table: Table, action: Action, steps_only: bool) -> tuple[tuple[Rule, ...], str]:
        place = (table.name, action, steps_only)
        found = self._compiled.get(place)
        if found is None:
            asked = self.domain.rules_for(table.name, action)
            rules = tuple(rule for rule in asked if rule.breach is not None and (rule.is_step or not steps_only))
            found = self._compiled[place] = rules, write_check(table, action, [rule.breach or "0" for rule in rules])
        return found


def bindings(
    actor: Actor, table: Table, old: Mapping[str, Any] | None, key: Sequence[Any], *, start: str, now: str
) -> dict[str, Any]:
    """What the query of :func:`write_check` asks for."""
    bound: dict[str, Any] = {"actor": actor.id, "role": actor.role, "start": start, "now": now}
    bound |= {f"old_{number}": old and old[name] for number, name in enumerate(table.names)}
    bound |= {f"key_{number}": value for number, value in enumerate(key)}
    return bound


def write_check(table: Table, action: Action, predicates: Sequence[str]) -> str:
    """One query that gives 1 for each predicate that is true."""
    marks = ", ".join(f":old_{number}" for number in range(len(table.names)))
    breaches = ", ".join(f"CASE WHEN ({predicate}) THEN 1 ELSE 0 END" for predicate in predicates)  # stops early, AND does not
    sql = f"WITH old({names(table.names)}) AS (VALUES ({marks})) SELECT {breaches} FROM old"
    if action == "delete":
        return sql
    key = " AND ".join(f"new.{quoted(name)} = :key_{number}" for number, name in enumerate(table.key))
    return f"{sql} JOIN {quoted(table.name)} AS new ON {key}"
