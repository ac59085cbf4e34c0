"""Lifecycle: the states of a record and the moves between them, from which rules and sentences come."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from opsgym.core.errors import TaskError
from opsgym.core.records.columns import Choice
from opsgym.core.records.rules import Rule
from opsgym.core.records.table import Table


@dataclass(frozen=True)
class Lifecycle:
    """A transition table.

    Attributes:
        id: What the ids of its rules start with.
        table: Whose records.
        column: The column that holds the state.
        start: States in which a record may be created.
        moves: The states that may follow each one; none follow a state that is not named.
        needs: Columns that must be filled in a state.
        stamps: Columns that get the time when a state is entered.
    """

    id: str
    table: str
    column: str
    start: tuple[str, ...]
    moves: Mapping[str, tuple[str, ...]]
    needs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    stamps: Mapping[str, str] = field(default_factory=dict)

    def check(self, table: Table) -> None:
        """Check the declaration against its table.

        Raises:
            TaskError: The column is no enumeration, or a state is none of its values.
            RegistryError: A column does not exist.
        """
        column = table.column(self.column)
        if not isinstance(column, Choice):
            raise TaskError(f"lifecycle {self.id!r} needs an enumeration, {table.name}.{self.column} is none", field="column")
        named = [
            *self.start,
            *self.moves,
            *self.needs,
            *self.stamps,
            *(state for after in self.moves.values() for state in after),
        ]
        for state in named:
            if state not in column.values:
                raise TaskError(f"{state!r} is no value of {table.name}.{self.column}", field=self.id)
        for name in (*self.stamps.values(), *(name for names in self.needs.values() for name in names)):
            table.column(name)

    def reachable(self, states: Iterable[str]) -> set[str]:
        """The states that some moves lead to, with those given."""
        found, waiting = set(states), list(states)
        while waiting:
            for state in self.moves.get(waiting.pop(), ()):
                if state not in found:
                    found.add(state)
                    waiting.append(state)
        return found

    def rules(self) -> tuple[Rule, ...]:
        """Its rules: where records start, how they move, what each state needs."""
        return (self._start_rule(), self._move_rule(), *(self._need_rule(state) for state in self.needs))

    def _start_rule(self) -> Rule:
        sentence = f"A new {self.table.replace('_', ' ')} has {self.column} {_either(self.start)}."
        created = f"old.{self.column} IS NULL AND new.{self.column} NOT IN "
        reached = sorted(self.reachable(self.start))
        return self._rule("START", sentence, f"{created}({_listed(self.start)})", f"{created}({_listed(reached)})", on="create")

    def _move_rule(self) -> Rule:
        sentence = f"{self.column.capitalize()} of {noun(self.table)} moves only: " + "; ".join(
            f"{state} to {_either(after)}" for state, after in self.moves.items()
        )
        ends = {state: tuple(sorted(self.reachable((state,)) - {state})) for state in self.moves}
        return self._rule("MOVE", f"{sentence}.", self._other_than(self.moves), self._other_than(ends), on="update")

    def _other_than(self, moves: Mapping[str, tuple[str, ...]]) -> str:
        known = " OR ".join(
            f"(old.{self.column} = '{state}' AND new.{self.column} IN ({_listed(to)}))" for state, to in moves.items()
        )
        return f"new.{self.column} <> old.{self.column} AND NOT ({known or '0'})"

    def _need_rule(self, state: str) -> Rule:
        names = self.needs[state]
        sentence = f"{noun(self.table).capitalize()} is {state} only with {' and '.join(names)}."
        missing = " OR ".join(f"coalesce(new.{name}, '') = ''" for name in names)
        return self._rule(f"NEED-{state.upper()}", sentence, f"new.{self.column} = '{state}' AND ({missing})", None)

    def _rule(self, suffix: str, sentence: str, breach: str, end: str | None, *, on: str = "") -> Rule:
        writes = {"create": ("create",), "update": ("update",)}.get(on, ("create", "update"))
        return Rule(f"{self.id}-{suffix}", sentence, self.table, breach, end, writes, self.table)  # type: ignore[arg-type]  # literals in a dict


def noun(table: str) -> str:
    """A table's name with its article, for sentences."""
    first = table.partition("_")[0]
    vowels = "aeiou" if set(first) & set("aeiouy") else "aefhilmnorsx"  # an abbreviation is read by its letters: an hr case
    return f"{'an' if first[0] in vowels else 'a'} {table.replace('_', ' ')}"


def _either(states: Iterable[str]) -> str:
    return " or ".join(states)


def _listed(states: Iterable[str]) -> str:
    return ", ".join(f"'{state}'" for state in states)
