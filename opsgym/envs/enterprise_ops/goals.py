"""Goals: the checks and allowances of a task, made of what its plan changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from opsgym.core.changes import quoted
from opsgym.core.records.allowance import Allowance
from opsgym.core.records.columns import Choice, Flag, Key, Moment, Ref, Serial, Text
from opsgym.core.records.diff import Change
from opsgym.core.records.sql_check import SqlCheck
from opsgym.core.world import World

Created = tuple[tuple[str, tuple[Any, ...]], ...]
"""Tables and keys of created records, in their order."""

Place = tuple[str, tuple[Any, ...]]


@dataclass(frozen=True)
class Free:
    """A column whose value the plan does not settle.

    Attributes:
        table: Its table.
        column: Its name.
        holding: Text that it must hold; when empty, any value will do that is none where the plan's is none.
    """

    table: str
    column: str
    holding: str = ""


class Goals:
    """What one system's part of a plan comes to.

    Args:
        changes: What the plan changed.
        blind: What it changes without what only rules ask for.
        created: The records that each step of the plan created.
        blind_created: The same without what only rules ask for; nothing for steps left out.
        free: Columns that the plan does not settle.
        world: The end state, in which checks are counted.
    """

    def __init__(
        self,
        changes: Sequence[Change],
        blind: Sequence[Change],
        created: Sequence[Created],
        blind_created: Sequence[Created],
        free: Sequence[Free],
        world: World,
    ) -> None:
        self.changes = changes
        self.world = world
        self._free = {(item.table, item.column): item.holding for item in free}
        self._step = {place: number for number, places in enumerate(created) for place in places}
        self._made = {(change.table.name, change.key): change for change in changes if change.action == "create"}
        other = {(change.table.name, change.key): change for change in blind}
        twins = {
            mine: theirs
            for step, twin in zip(created, blind_created, strict=True)
            for table in {name: None for name, _ in step}
            for mine, theirs in zip(_of(step, table), _of(twin, table), strict=False)
        }
        self._blind: dict[Place, Change] = {}
        for change in changes:
            place = change.table.name, change.key
            found = other.get(twins[place]) if place in twins else None if place in self._made else other.get(place)
            if found is not None and found.action == change.action:
                self._blind[place] = found
        self._twins = twins
        kept = {(change.table.name, change.key) for change in changes if change.action != "create"}
        known = kept | set(twins.values())  # created records may have the key of another one's twin
        self._avoided = [change for change in blind if (change.table.name, change.key) not in known]

    # -- checks --------------------------------------------------------------------------------------------

    def checks(self) -> list[SqlCheck]:
        """One check a record that the request itself asks to change."""
        found: dict[str, SqlCheck] = {}
        for change in self.changes:
            query = self._query(change)
            if query and query not in found:
                count = self.world.execute(query).fetchone()[0]
                kind = f"{change.action} {change.table.name}"
                name = f"{kind} {1 + sum(item.name.rpartition(' ')[0] == kind for item in found.values())}"
                found[query] = SqlCheck(name=name, query=query, expected=count)
        return list(found.values())

    def _query(self, change: Change) -> str:
        if (change.table.name, change.key) not in self._blind or self._is_told_by_another(change) or self._is_implied(change):
            return ""
        if change.action == "create":
            conditions = [*self._conditions(change), *self._borne_out(change)]
        else:
            conditions = [_is(name, value) for name, value in zip(change.table.key, change.key, strict=True)]
        if change.action == "update":
            wanted = self._wanted(change)
            if not wanted:
                return ""
            conditions += wanted
        return f"SELECT count(*) FROM {quoted(change.table.name)} WHERE {' AND '.join(conditions) or '1'}"

    def _conditions(self, change: Change) -> list[str]:
        """What tells a created record: its settled columns, whatever its key."""
        settled = [name for name in change.table.names if self._is_settled(change, name)]
        return [condition for name in settled if (condition := self._condition(change, name))]

    def _borne_out(self, change: Change) -> list[str]:
        """What records created by the same call say of the created record to which they refer.

        So what belongs to one is not taken for another's, as the recipients of two letters.
        """
        found = []
        for other, ref in self._companions(change):
            names = [name for name in other.table.names if name != ref.name and self._is_settled(other, name)]
            inner = " AND ".join(item for name in names if (item := self._condition(other, name))) or "1"
            key = quoted(ref.column or change.table.id)
            found.append(f"{key} IN (SELECT {quoted(ref.name)} FROM {quoted(other.table.name)} WHERE {inner})")
        return found

    def _companions(self, change: Change) -> list[tuple[Change, Ref]]:
        """Records that the same call created and that refer to a created record, with the reference."""
        step = self._step.get((change.table.name, change.key))
        others = (other for place, other in self._made.items() if place in self._blind and self._step.get(place) == step)
        return [
            (other, ref)
            for other in others
            for ref in other.table.refs
            if self._target(ref, (other.new or {})[ref.name]) is change and self._is_settled(other, ref.name)
        ]

    def _is_told_by_another(self, change: Change) -> bool:
        """Whether the check of the record to which it refers speaks of a created record."""
        if change.action != "create" or self._companions(change):
            return False
        step = self._step.get((change.table.name, change.key))
        targets = (self._target(ref, (change.new or {})[ref.name]) for ref in change.table.refs)
        places = [(target.table.name, target.key) for target in targets if target is not None]
        return any(place in self._blind and self._step.get(place) == step is not None for place in places)

    def _is_implied(self, change: Change) -> bool:
        """Whether a record is gone because one to which it refers is, whose own check tells."""
        if change.action != "delete":
            return False
        for ref in change.table.refs:
            value = (change.old or {})[ref.name]
            gone = self._blind.get((ref.table, (value,))) if ref.declared and not ref.column else None
            if gone is not None and gone.action == "delete":
                return True
        return False

    def _wanted(self, change: Change) -> list[str]:
        """What an update comes to."""
        names = [name for name in change.columns if self._is_settled(change, name)]
        return [condition for name in names if (condition := self._condition(change, name))]

    def _condition(self, change: Change, name: str) -> str:
        assert change.new is not None
        column, value = change.table.column(name), change.new[name]
        holding = self._free.get((change.table.name, name))
        if holding is not None:
            return _filled(name, value, holding)
        if isinstance(column, Ref):
            target = self._target(column, value)
            if target is not None:
                inner = " AND ".join(self._conditions(target)) or "1"
                key = quoted(column.column or target.table.id)
                return f"{quoted(name)} IN (SELECT {key} FROM {quoted(target.table.name)} WHERE {inner})"
        if value is None and change.action == "create" and isinstance(column, Text):  # remarks that nobody asked for are welcome
            return ""
        return _is(name, value)

    def _target(self, column: Ref, value: Any) -> Change | None:
        """The created record that a value refers to."""
        if column.column:
            return next(
                (
                    item
                    for (table, _), item in self._made.items()
                    if table == column.table and (item.new or {})[column.column] == value
                ),
                None,
            )
        return self._made.get((column.table, (value,)))

    def _is_settled(self, change: Change, name: str) -> bool:
        """Whether the request itself gives the column its value."""
        column = change.table.column(name)
        if isinstance(column, Key | Serial) or (isinstance(column, Moment) and column.stamp):
            return False
        if getattr(column, "derived", False) or (change.action == "create" and name == change.table.scope):
            return False
        blind = self._blind.get((change.table.name, change.key))
        if blind is None or blind.new is None or change.new is None:
            return False
        mine, theirs = change.new[name], blind.new[name]
        holding = self._free.get((change.table.name, name))
        if holding is not None and None not in (mine, theirs) and holding.lower() in str(theirs).lower():
            return True  # what is to be filled is so whichever way
        if isinstance(column, Ref) and self._target(column, mine) is not None:
            return self._twins.get((column.table, (mine,))) == (column.table, (theirs,)) or mine == theirs
        return bool(mine == theirs)

    # -- allowances ----------------------------------------------------------------------------------------

    def allowances(self) -> list[Allowance]:
        """The changes of the plan, and those that a rule forbids, which are held against the rule; no others."""
        granted = (*self.changes, *self._avoided)
        return [self._allowance(change) for change in granted if change.action != "update" or change.columns]

    def _allowance(self, change: Change) -> Allowance:
        table = change.table
        if change.action == "create":
            return Allowance(table=table.name, action="create", match=self._match(change))
        match = dict(zip(table.key, change.key, strict=True))
        if change.action == "delete":
            return Allowance(table=table.name, action="delete", match=match)
        free = [name for name in table.names if (table.name, name) in self._free]
        columns = tuple(dict.fromkeys((*change.columns, *free)))
        return Allowance(table=table.name, action="update", match=match, columns=columns, values=self._values(change))

    def _values(self, change: Change) -> dict[str, Any]:
        """The words to which an update that only a rule asks for may change columns: no check asks for them."""
        if (change.table.name, change.key) in self._blind or change in self._avoided:
            return {}
        kinds, free = change.table.by_name, self._free
        names = [
            name for name in change.columns if isinstance(kinds[name], Choice | Flag) and (change.table.name, name) not in free
        ]
        return {name: (change.new or {})[name] for name in names}

    def _match(self, change: Change) -> dict[str, Any]:
        """The settled values of a created record; those that only a rule asks for are held against the rule."""
        table, row = change.table, change.new or {}
        is_obliged = (table.name, change.key) not in self._blind
        match = {}
        for name, value in row.items():
            column = table.column(name)
            if value is None or isinstance(column, Key | Serial) or (isinstance(column, Moment) and column.stamp):
                continue
            if (table.name, name) in self._free or getattr(column, "derived", False):
                continue
            if isinstance(column, Ref) and self._target(column, value) is not None:
                continue
            if is_obliged or name == table.scope or self._is_settled(change, name):
                match[name] = value
        return match


def _of(created: Created, table: str) -> list[Place]:
    """The created records of one table."""
    return [place for place in created if place[0] == table]


def _is(name: str, value: Any) -> str:
    return f"{quoted(name)} IS {_literal(value)}"


def _filled(name: str, value: Any, holding: str) -> str:
    if value is None:
        return ""
    if holding:
        return f"instr(lower({quoted(name)}), {_literal(holding.lower())})"
    return f"coalesce({quoted(name)}, '') <> ''"


def _literal(value: Any) -> str:
    """A value as SQL."""
    if value is None:
        return "NULL"
    if isinstance(value, int | float):
        return repr(value)
    return "'" + str(value).replace("'", "''") + "'"


def answer_check(number: int, needles: Sequence[str], without: Sequence[str]) -> SqlCheck:
    """A check of the words with which an episode was submitted."""
    parts = ["kind = 'submit'", *(f"instr(lower(words), {_literal(needle.lower())})" for needle in needles)]
    parts += [f"NOT instr(lower(words), {_literal(needle.lower())})" for needle in without]
    query = f"SELECT count(*) FROM _outcome WHERE {' AND '.join(parts)}"
    return SqlCheck(name=f"answer {number}", query=query, expected=1)
