"""Mutants: end states that break one promise of the verifier each, to see whether it notices."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations, islice
from typing import Any

from opsgym.core.changes import quoted
from opsgym.core.records import journal, outcome
from opsgym.core.records.actor import Actor
from opsgym.core.records.columns import Choice, Column, Day, Flag, Json, Key, Moment, Number, Ref, Serial, Text, Whole
from opsgym.core.records.diff import Change
from opsgym.core.records.domain import Domain
from opsgym.core.records.enforcement import bindings, write_check
from opsgym.core.records.judge import Judge
from opsgym.core.records.live_judge import LiveJudge, changes_since
from opsgym.core.records.rules import Rule
from opsgym.core.records.statements import by_key
from opsgym.core.records.table import Table
from opsgym.core.task import canonical_json
from opsgym.core.world import Snapshot, World
from opsgym.envs.enterprise_ops.estate import Estate, parts_of
from opsgym.envs.enterprise_ops.predicates import steps
from opsgym.envs.enterprise_ops.setting import Part, Setting
from opsgym.envs.enterprise_ops.systems import system
from opsgym.envs.enterprise_ops.verifier import Before, Checks

_STATES = 24
"""States that are reached on the way to break a rule."""
_TRIED = 4
"""Changed records on which a rule is tried."""
_FEW = 40
"""Records that are made to hang on a changed one."""


@dataclass(frozen=True, slots=True)
class Edit:
    """A statement that changes a solved state.

    Attributes:
        table: The table that it writes.
        sql: The statement.
        bound: Its parameters.
    """

    table: str
    sql: str
    bound: tuple[Any, ...] = ()


def audit(setting: Setting, checks: Checks, before: Before, after: World | Estate) -> list[tuple[str, bool]]:
    """A rule's name, and whether that rule fails, for each end state mutated to break it.

    Args:
        setting: Where the task plays.
        checks: The task's checks.
        before: The seeded worlds by system.
        after: A solved world.
    """
    found: list[tuple[str, bool]] = []
    worlds = parts_of(after, setting.parts[0].system)
    for part in setting.parts:
        auditor = _Auditor(part, checks, before[part.system], worlds[part.system], is_first=part is setting.parts[0])
        found += auditor.outcomes()
        auditor.close()
    return found


@dataclass(frozen=True, slots=True)
class Mutant:
    """A solved state made wrong.

    Attributes:
        edits: What was written to it.
        actor: Who is signed in.
        change: The changed record, perhaps with another seeded one.
    """

    edits: tuple[Edit, ...]
    actor: Actor
    change: Change


def _with_edit(edit: Edit, mutant: Mutant) -> Mutant:
    return replace(mutant, edits=(*mutant.edits, edit))


def _with_old(name: str, value: Any, mutant: Mutant) -> Mutant:
    return replace(mutant, change=replace(mutant.change, old={**(mutant.change.old or {}), name: value}))


class _Auditor:
    """Mutates one system's part of a solved state, and asks the judge."""

    def __init__(self, part: Part, checks: Checks, before: Snapshot, after: World, *, is_first: bool) -> None:
        self.domain: Domain = system(part.system).domain
        self.part = part
        self.before = before
        self.actor = part.signed_in()
        self.queries = checks.queries.get(part.system, ())
        self.allowed = checks.allowed.get(part.system, ())
        self.reasons = checks.reasons
        self.is_first = is_first
        self.world = World.from_snapshot(after.snapshot())
        self.world.execute("PRAGMA foreign_keys = OFF")
        self.world.execute("PRAGMA ignore_check_constraints = ON")
        self.changes = changes_since(self.domain, before, self.world)
        with self.judge() as held:
            self.applying = [rule for rule in self.domain.rules if held.rule(rule).status != "na"]

    def close(self) -> None:
        self.world.close()

    def judge(self, *edits: Edit, actor: Actor | None = None) -> Judge:
        """A judge of the edited state: what the edits did not write, it need not compare again."""
        held = LiveJudge(self.domain, self.before, self.world, actor or self.actor)
        written = {edit.table for edit in edits}
        tables = [table for table in self.domain.tables if table.name in written and not table.derived]
        kept = [change for change in self.changes if change.table.name not in written]
        held.changes = (*kept, *changes_since(self.domain, self.before, self.world, tables=tables))
        return held

    def outcomes(self) -> Iterator[tuple[str, bool]]:
        yield from self.unmet()
        yield from self.undone()
        if self.is_first:
            yield self.refusal()
        if self.actor.role not in self.domain.unlimited:
            yield from self.rights()
        yield self.collateral()
        for rule in self.applying:
            caught = self.broken(rule)
            if caught is not None:
                yield rule.id, caught

    # -- promises of the task ------------------------------------------------------------------------------

    def unmet(self) -> Iterator[tuple[str, bool]]:
        """Each check on the seeded world."""
        seeded = World.from_snapshot(self.before)
        with LiveJudge(self.domain, self.before, seeded, self.actor) as held:
            for query in self.queries:
                yield "sql", held.check(query).status == "fail"
        seeded.close()

    def undone(self) -> Iterator[tuple[str, bool]]:
        """Each single change taken back, but those that foreign keys would not allow."""
        gone = {(change.table.name, change.key) for change in self.changes if change.action == "delete"}
        for change in self.changes:
            places = ((ref.table, ((change.old or {}).get(ref.name),)) for ref in change.table.refs if ref.declared)
            if change.action == "delete" and any(place in gone for place in places):
                continue
            edits = _taken_back(change)
            with _edited(self.world, *edits), self.judge(*edits) as held:
                yield "UNDONE", any(item.status == "fail" for item in held.results(self.queries, self.allowed))

    def refusal(self) -> tuple[str, bool]:
        """Refuse what is to be done, submit what is to be refused."""
        kind, reason = ("submit", None) if self.reasons else ("refuse", "ambiguous")
        edit = Edit(outcome.TABLE, f"UPDATE {outcome.TABLE} SET kind = ?, reason = ?", (kind, reason))
        with _edited(self.world, edit), self.judge() as held:
            return "REFUSAL", held.refusal(self.reasons).status == "fail"

    def rights(self) -> Iterator[tuple[str, bool]]:
        """A record of a kind that the role may not change, changed."""
        for table in self.domain.tables:
            if table.derived or self.domain.rights.allows(self.actor.role, table.resource, "update"):
                continue
            edit = self._any_update(table)
            if edit is not None:
                with _edited(self.world, edit), self.judge(edit) as held:
                    yield "RIGHTS", held.rights().status == "fail"
                return

    def collateral(self) -> tuple[str, bool]:
        """A record changed that has nothing to do with the task."""
        for table in sorted(
            self.domain.tables, key=lambda table: any(change.table is table for change in self.changes), reverse=True
        ):
            edit = None if table.derived else self._any_update(table)
            if edit is not None:
                with _edited(self.world, edit), self.judge(edit) as held:
                    return "COLLATERAL", held.collateral(self.allowed).status == "fail"
        return "COLLATERAL", False

    def _any_update(self, table: Table) -> Edit | None:
        """A change of one record that the episode left alone."""
        touched = {change.key for change in self.changes if change.table is table}
        keys = ", ".join(map(quoted, table.key))
        for column in table.columns:
            if column.name in table.key or column.derived or (isinstance(column, Moment) and column.stamp):
                continue
            for key in self.world.execute(f"SELECT {keys} FROM {quoted(table.name)}").fetchall():
                if tuple(key) not in touched:
                    value = self.world.execute(
                        f"SELECT {quoted(column.name)} FROM {quoted(table.name)} WHERE {by_key(table)}", key
                    ).fetchone()[0]
                    other = next(other for other in (1, 0, "other", "another") if other != value)
                    return Edit(
                        table.name,
                        f"UPDATE {quoted(table.name)} SET {quoted(column.name)} = ? WHERE {by_key(table)}",
                        (other, *key),
                    )
        return None

    # -- rules ---------------------------------------------------------------------------------------------

    def broken(self, rule: Rule) -> bool | None:
        """Whether the judge notices that a rule is broken; ``None`` where no way to break it was found."""
        spoken = [change for change in self.changes if change.table.name == rule.table and change.action in rule.on]
        for change in spoken[:_TRIED]:
            for way in steps(rule.end_breach):
                caught = self._climb(rule, change, way)
                if caught is not None:
                    return caught
        if rule.is_step:
            edit = Edit(journal.TABLE, f"INSERT INTO {journal.TABLE} (rule, record) VALUES (?, 'a record')", (rule.id,))
            with _edited(self.world, edit), self.judge() as held:
                return held.rule(rule).status == "fail"
        return None

    def _climb(self, rule: Rule, change: Change, goals: list[str]) -> bool | None:
        """Take one mutation after the other that makes more of the goals true, until the rule is broken; then ask the judge.

        Where that leads nowhere, the next one that makes other goals true is taken instead.
        """
        sql = write_check(change.table, change.action, [*goals, rule.end_breach])
        options = list(self._options(rule, change))
        waiting = [Mutant((), self.actor, change)]
        seen = {self._score(sql, waiting[0])}
        while waiting and len(seen) <= _STATES:
            state = waiting.pop()
            score = self._score(sql, state)
            if score[-1]:
                return self._notices(rule, change, state)
            for option in options:
                nearer = option(state)
                reached = self._score(sql, nearer)
                if reached not in seen and (reached[-1] or sum(reached) > sum(score)):
                    seen.add(reached)
                    waiting += [state, nearer]  # the nearer one first; what else there is later
                    break
        return None

    def _score(self, sql: str, mutant: Mutant) -> tuple[int, ...]:
        """Which of the predicates of a query hold."""
        start, now = self.before.now.isoformat(" "), self.world.now.isoformat(" ")
        change = mutant.change
        bound = bindings(mutant.actor, change.table, change.old, change.key, start=start, now=now)
        with _edited(self.world, *mutant.edits):
            row = self.world.conn.execute(sql, bound).fetchone()
        return tuple(int(bool(value)) for value in row) if row else (0,)

    def _notices(self, rule: Rule, change: Change, mutant: Mutant) -> bool:
        """Whether the judge notices."""
        with _edited(self.world, *mutant.edits), self.judge(*mutant.edits, actor=mutant.actor) as held:
            if mutant.change is not change:
                held.changes = tuple(
                    mutant.change if one.key == change.key and one.table is change.table else one for one in held.changes
                )
            return held.rule(rule).status == "fail"

    def _options(self, rule: Rule, change: Change) -> Iterator[Callable[[Mutant], Mutant]]:
        """What may be done next: sign in another user, edit the solved state, or have another seeded record."""
        roles = self.domain.rights.roles if ":role" in rule.end_breach else ()
        actors = [Actor(self.actor.id, role, self.actor.scope) for role in roles]
        actors += [Actor("nobody", self.actor.role, self.actor.scope)] if ":actor" in rule.end_breach else []
        for actor in actors:
            yield partial(replace, actor=actor)
        for edit in (
            *self._own(rule, change),
            *self._twinned(rule, change),
            *self._links(rule, change),
            *self._around(rule, change),
        ):
            yield partial(_with_edit, edit)
        yield from (partial(_with_edit, edit) for edit in self._paired(rule, change))
        for name in dict.fromkeys(re.findall(r'\bold\."?(\w+)', rule.end_breach)):
            if change.old is not None and name in change.table.by_name and name not in change.table.key:
                for value in islice(self._values(change.table, change.table.column(name)), _FEW):
                    yield partial(_with_old, name, value)

    def _own(self, rule: Rule, change: Change) -> Iterator[Edit]:
        """Other values in the changed record, in columns of which the rule speaks."""
        if change.action == "delete":
            return
        table = change.table
        named = set(re.findall(r'\bnew\."?(\w+)', rule.end_breach))
        for column in sorted(table.columns, key=lambda column: column.name not in named):
            if column.name not in table.key and (column.name in named or not named):
                is_json = isinstance(column, Json)
                found = (
                    (*_documents(rule, change, column), *self._alike(table, column)) if is_json else self._values(table, column)
                )
                for value in (*found, *_words(rule)) if isinstance(column, Text) else found:
                    sql = f"UPDATE {quoted(table.name)} SET {quoted(column.name)} = ? WHERE {by_key(table)}"
                    yield Edit(table.name, sql, (value, *change.key))

    def _twinned(self, rule: Rule, change: Change) -> Iterator[Edit]:
        """The changed record made like another one of its table, in the columns of which a rule on such pairs speaks."""
        table = change.table
        names = [name for name in table.names if re.search(rf"\bnew\.{name}\b", rule.end_breach) and name not in table.key]
        if change.action == "delete" or table not in self._named(rule) or not names:
            return
        columns, others = ", ".join(map(quoted, names)), " AND ".join(f"{quoted(name)} <> ?" for name in table.key)
        found = self.world.execute(f"SELECT DISTINCT {columns} FROM {quoted(table.name)} WHERE {others} LIMIT {_FEW}", change.key)
        for row in found.fetchall():
            sets = ", ".join(f"{quoted(name)} = ?" for name in names)
            yield Edit(table.name, f"UPDATE {quoted(table.name)} SET {sets} WHERE {by_key(table)}", (*row, *change.key))

    def _paired(self, rule: Rule, change: Change) -> Iterator[Edit]:
        """Two references of the changed record to one table, made the same."""
        table = change.table
        named = [ref for ref in table.refs if re.search(rf"\bnew\.{ref.name}\b", rule.end_breach)]
        for one, other in combinations(named, 2):
            if change.action != "delete" and one.table == other.table:
                for value in islice(self._values(table, one), _FEW):
                    sql = (
                        f"UPDATE {quoted(table.name)} SET {quoted(one.name)} = ?, {quoted(other.name)} = ? WHERE {by_key(table)}"
                    )
                    yield Edit(table.name, sql, (value, value, *change.key))

    @staticmethod
    def _beside(change: Change, column: Column) -> list[Any]:
        """What the changed record refers to, or did, in the table to which a column refers."""
        if not isinstance(column, Ref):
            return []
        refs = [ref.name for ref in change.table.refs if ref.table == column.table]
        held = [row[name] for row in (change.new, change.old) if row is not None for name in refs]
        return list(dict.fromkeys(value for value in held if value is not None))

    def _links(self, rule: Rule, change: Change) -> Iterator[Edit]:
        """Other records of which the rule speaks, made to hang on the changed one, or on what it hangs on."""
        for table in self._named(rule):
            if table is change.table and change.new is not None:
                name = quoted(table.name)
                for ref in table.refs:
                    some = f"rowid IN (SELECT rowid FROM {name} LIMIT {_FEW})"
                    sql = f"UPDATE OR IGNORE {name} SET {quoted(ref.name)} = ? WHERE {some}"
                    yield Edit(table.name, sql, (change.new[ref.name],))
            for ref in table.refs:
                if ref.table == rule.table and not ref.column and len(change.key) == 1:
                    name, set_to = quoted(table.name), f"SET {quoted(ref.name)} = ?"
                    sql = f"UPDATE OR IGNORE {name} {set_to} WHERE rowid IN (SELECT rowid FROM {name} LIMIT {_FEW})"
                    yield Edit(table.name, sql, change.key)

    def _around(self, rule: Rule, change: Change) -> Iterator[Edit]:
        """Other values in, or no rows of, the other tables of which the rule speaks; near records first, then whole tables."""
        tables = self._named(rule)
        for table in tables:
            for where, bound in self._near(rule, change, table):
                yield from self._rewritten(rule, change, table, f" WHERE {where}", bound)
        for table in tables:
            if table.name != rule.table:
                yield Edit(table.name, f"DELETE FROM {quoted(table.name)}")
            yield from self._rewritten(rule, change, table, "", ())

    def _near(self, rule: Rule, change: Change, table: Table) -> Iterator[tuple[str, tuple[Any, ...]]]:
        """Conditions for the records of a table that hang on the changed record, or on which it hangs."""
        own = self.domain.table(rule.table)
        if len(change.key) == 1:
            yield from ((f"{quoted(ref.name)} = ?", change.key) for ref in table.refs if ref.table == own.name and not ref.column)
        for ref in own.refs:
            if ref.table == table.name and change.new is not None and change.new[ref.name] is not None:
                yield f"{quoted(ref.column or table.id)} = ?", (change.new[ref.name],)

    def _rewritten(self, rule: Rule, change: Change, table: Table, where: str, bound: tuple[Any, ...]) -> Iterator[Edit]:
        """Other values in columns of which the rule speaks."""
        for column in table.columns:
            if isinstance(column, Choice | Day | Flag | Moment | Ref) and re.search(rf"\b{column.name}\b", rule.end_breach):
                for value in (*self._beside(change, column), *islice(self._values(table, column), 12)):
                    sql = f"UPDATE OR IGNORE {quoted(table.name)} SET {quoted(column.name)} = ?{where}"
                    yield Edit(table.name, sql, (value, *bound))

    def _named(self, rule: Rule) -> list[Table]:
        """Tables of which a rule speaks by name."""
        return [table for table in self.domain.tables if re.search(rf"(?<![.\w]){re.escape(table.name)}\b", rule.end_breach)]

    def _alike(self, table: Table, column: Column) -> list[Any]:
        """Some JSON values of the column in other records."""
        name = quoted(column.name)
        sql = f"SELECT DISTINCT {name} FROM {quoted(table.name)} WHERE {name} IS NOT NULL LIMIT {_FEW}"
        return [row[0] for row in self.world.execute(sql).fetchall()]

    def _values(self, table: Table, column: Column) -> Iterator[Any]:
        """Values that a column could hold."""
        if isinstance(column, Choice):
            yield from column.values
        elif isinstance(column, Flag):
            yield from (0, 1)
        elif isinstance(column, Moment):
            yield from ("2000-01-01 00:00:00", "2099-01-01 00:00:00", self.world.now.isoformat(" "))
        elif isinstance(column, Whole | Number):
            yield from (0, -1, 1, 10**7)
        elif isinstance(column, Ref):
            target = self.domain.table(column.table)
            name = quoted(column.column or target.id)
            yield from (
                row[0]
                for row in self.world.execute(
                    f"SELECT DISTINCT {name} FROM {quoted(target.name)} ORDER BY (rowid * 37) % 101 LIMIT 150"
                ).fetchall()
            )
        elif not isinstance(column, Key | Serial):
            yield "x" * 6000
            name = quoted(column.name)
            yield from (
                row[0] for row in self.world.execute(f"SELECT DISTINCT {name} FROM {quoted(table.name)} LIMIT 30").fetchall()
            )
        yield None
        yield ""


def _documents(rule: Rule, change: Change, column: Column) -> Iterator[str]:
    """JSON values like the record's own one: texts replaced, and lists with a word more of which the rule speaks."""
    value = json.loads((change.new or {}).get(column.name) or "null")
    words = _words(rule)
    for text in ("nobody@elsewhere.example", "x" * 6000):
        yield canonical_json(_replaced(value, text))
    for name, item in value.items() if isinstance(value, dict) else ():
        if isinstance(item, str):
            yield canonical_json({**value, name: "nobody@elsewhere.example"})
        for word in words if isinstance(item, list) else ():
            yield canonical_json({**value, name: [*item, word]})
    if isinstance(value, list):
        yield canonical_json([])
        for word in words:
            yield canonical_json([*value, word])


def _words(rule: Rule) -> list[str]:
    """Texts that a rule's predicate names."""
    return re.findall(r"'(\w+)'", rule.end_breach)


def _replaced(value: Any, text: str) -> Any:
    """A JSON value with a text in the place of every text, however deep."""
    if isinstance(value, dict):
        return {name: _replaced(item, text) for name, item in value.items()}
    if isinstance(value, list):
        return [_replaced(item, text) for item in value]
    return text if isinstance(value, str) else value


def _taken_back(change: Change) -> list[Edit]:
    """Statements that take a change back."""
    table, name = change.table, quoted(change.table.name)
    edits = [Edit(table.name, f"DELETE FROM {name} WHERE {by_key(table)}", change.key)] if change.new is not None else []
    if change.old is not None:
        marks = ", ".join("?" * len(table.names))
        edits.append(Edit(table.name, f"INSERT INTO {name} VALUES ({marks})", tuple(change.old[item] for item in table.names)))
    return edits


class _edited:
    """Edits of a world that are undone."""

    def __init__(self, world: World, *edits: Edit) -> None:
        self._conn = world.conn
        self._edits = edits

    def __enter__(self) -> None:
        self._conn.execute("SAVEPOINT mutant")
        for edit in self._edits:
            try:
                self._conn.execute(edit.sql, edit.bound)
            except Exception as error:  # a unique value, or NOT NULL: the edit is no end state
                if "constraint" not in str(error):
                    raise

    def __exit__(self, *_: object) -> None:
        self._conn.execute("ROLLBACK TO mutant")
        self._conn.execute("RELEASE mutant")
