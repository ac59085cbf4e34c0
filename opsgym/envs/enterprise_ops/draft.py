"""Draft: a task in the making, on a live world.

A template reads the world, changes what it needs before the episode, words the request, and carries out the plan.  The checks
are made of what the plan changed, so that request, plan and checks cannot disagree.
"""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from opsgym.core.changes import quoted
from opsgym.core.errors import ToolError
from opsgym.core.records import journal
from opsgym.core.records.actor import Actor
from opsgym.core.records.allowance import Allowance
from opsgym.core.records.columns import Column, Json
from opsgym.core.records.diff import Change
from opsgym.core.records.live_judge import changes_since
from opsgym.core.records.outcome import Reason
from opsgym.core.records.records import Records
from opsgym.core.records.rules import Action
from opsgym.core.records.statements import by_key, equal
from opsgym.core.records.table import Table
from opsgym.core.task import canonical_json
from opsgym.core.world import Snapshot, World
from opsgym.envs.enterprise_ops.bases import base
from opsgym.envs.enterprise_ops.company import Company
from opsgym.envs.enterprise_ops.dates import dated
from opsgym.envs.enterprise_ops.estate import watched
from opsgym.envs.enterprise_ops.goals import Created, Free
from opsgym.envs.enterprise_ops.systems import system
from opsgym.envs.enterprise_ops.template import Heed, Template, Unfit

if TYPE_CHECKING:  # parameters name all templates, which are written on drafts
    from opsgym.envs.enterprise_ops.params import EnterpriseParams

Row = dict[str, Any]


@dataclass(frozen=True)
class Step:
    """One call of the plan.

    Attributes:
        kind: ``"look"`` (optional), ``"do"`` (the work), ``"oblige"`` (only a rule asks for it) or ``"avoid"`` (only who does not
            know a rule does it).
        system: The system.
        tool: Name of the tool there.
        arguments: Its arguments.
        rule: Id of the hidden rule that asks for it, or forbids it.
        heeds: Arguments that only hidden rules ask for.
        created: Table and key of the records that it created.
    """

    kind: str
    system: str
    tool: str
    arguments: dict[str, Any]
    rule: str = ""
    heeds: tuple[Heed, ...] = ()
    created: Created = ()

    def without(self, rules: Container[str]) -> dict[str, Any] | None:
        """The arguments of who does not know some rules; ``None`` for a step that they would not take."""
        if self.rule and (self.rule in rules) == (self.kind == "oblige"):
            return None
        given = dict(self.arguments)
        for item in self.heeds:
            if item.rule in rules:
                given = {name: value for name, value in given.items() if name not in item.arguments} | dict(item.blindly)
        return given


@dataclass
class Part:
    """One system of a draft.

    Attributes:
        name: Its name.
        world: The live world.
        base: The base world.
        digest: Its digest.
        actor: Who is signed in.
        person: Name and e-mail address of the actor.
        start: The world as the episode starts; ``None`` until the first step of work.
        arranged: What the template changed of the base world.
    """

    name: str
    world: World
    base: Snapshot
    digest: str
    actor: Actor
    person: tuple[str, str]
    start: Snapshot | None = None
    arranged: tuple[Change, ...] = ()


class Draft:
    """A task in the making.

    Args:
        template: The template.
        params: The parameters.
        seed: Seed of the company.
        draw: Source of every choice.
        infeasible: Whether the request is to be one that must be refused.

    Attributes:
        draw: Source of every choice.
        params: The parameters.
        horizon: How many records the request is to be about.
        conditions: By how many facts a record is to be described.
        is_infeasible: Whether to flip a fact so that the request must be refused; see :meth:`block`.
        company: The identity layer.
    """

    def __init__(self, template: Template, params: EnterpriseParams, seed: int, draw: random.Random, *, infeasible: bool) -> None:
        self.template = template
        self.params = params
        self.seed = seed
        self.draw = draw
        self.horizon = params.horizon
        self.conditions = params.conditions
        self.is_infeasible = infeasible
        self.sentences: list[str] = []
        self.steps: list[Step] = []
        self.freed: list[Free] = []
        self.allowed: list[tuple[str, Allowance]] = []
        self.answers: list[tuple[tuple[str, ...], tuple[str, ...]]] = []
        self.mistakes: list[tuple[str, Any, Any]] = []
        self.reasons: tuple[Reason, ...] = ()
        self.why = ""
        self.hidden: list[str] = []
        self._told: set[str] = set()
        self._traps_left = params.traps
        self.parts: dict[str, Part] = {}
        for name in template.systems:
            found = base(name, seed, params.size)
            self.company: Company = found.company
            world = watched(World.from_snapshot(found.snapshot))
            self.parts[name] = Part(name, world, found.snapshot, found.digest, Actor("", ""), ("", ""))
        self._sign_in()

    # -- who acts ------------------------------------------------------------------------------------------

    def _sign_in(self) -> None:
        """One person with a fitting role in every system."""
        roles = {name: self._wanted(allowed) for name, allowed in self.template.roles.items()}
        found = {name: self._users(name, roles[name]) for name in self.parts}
        shared = [email for email in next(iter(found.values())) if all(email in users for users in found.values())]
        if not shared:
            raise Unfit(f"nobody has the roles {roles}")
        email = self.draw.choice(shared)
        for name, part in self.parts.items():
            part.actor, part.person = found[name][email]

    def _wanted(self, allowed: Sequence[str]) -> tuple[str, ...]:
        wanted = {"broad": allowed[:1], "narrow": allowed[-1:]}.get(self.params.role)
        return tuple(wanted) if wanted else (self.draw.choice(list(allowed)),)

    def _users(self, name: str, roles: Sequence[str]) -> dict[str, tuple[Actor, tuple[str, str]]]:
        rows = self.parts[name].world.execute(system(name).actors).fetchall()
        return {
            email: (Actor(key, role, "" if scope is None else scope), (person, email))
            for key, role, scope, person, email in rows
            if role in roles
        }

    def act_as(self, key: Any, *, in_system: str = "") -> Actor:
        """Sign in another user; the first thing that a template does, if at all.

        Raises:
            Unfit: There is no such active user.
        """
        part = self._part(in_system)
        for found, role, scope, person, email in part.world.execute(system(part.name).actors).fetchall():
            if found == key:
                part.actor, part.person = Actor(found, role, "" if scope is None else scope), (person, email)
                return part.actor
        raise Unfit(f"no active user {key!r}")

    @property
    def actor(self) -> Actor:
        """Who is signed in, in the first system."""
        return self._part("").actor

    @property
    def actor_name(self) -> str:
        """Their name."""
        return self._part("").person[0]

    @property
    def actor_email(self) -> str:
        """Their e-mail address, the same in every system."""
        return self._part("").person[1]

    @property
    def now(self) -> dt.datetime:
        """The time at which the episode starts."""
        return self._part("").world.now

    # -- reading the world, by SQL ---------------------------------------------------------------------------

    def rows(self, sql: str, *bound: Any, in_system: str = "") -> list[Row]:
        """The rows that a query gives, as dictionaries; order them, so that draws are the same everywhere."""
        cursor = self._part(in_system).world.execute(sql, bound)
        names = [column[0] for column in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]

    def some(self, sql: str, *bound: Any, count: int = 1, in_system: str = "") -> list[Row]:
        """Rows drawn from those that a query gives, none twice.

        Raises:
            Unfit: There are too few.
        """
        rows = self.rows(sql, *bound, in_system=in_system)
        if len(rows) < count:
            raise Unfit(f"expected at least {count} rows, got {len(rows)}: {sql}")
        return self.draw.sample(rows, count)

    def one(self, sql: str, *bound: Any, in_system: str = "") -> Row:
        """A row drawn from those that a query gives; see :meth:`some`."""
        return self.some(sql, *bound, in_system=in_system)[0]

    def value(self, sql: str, *bound: Any, in_system: str = "") -> Any:
        """The single value that a query gives, or ``None``."""
        row = self._part(in_system).world.execute(sql, bound).fetchone()
        return None if row is None else row[0]

    # -- changing the world before the episode -----------------------------------------------------------------

    def add(
        self, table: str, *, at: dt.datetime | None = None, scope: str | None = None, in_system: str = "", **values: Any
    ) -> Row:
        """Add a record, as if it had been there; key, number, tenant, defaults and time stamps are filled in, and return the row.

        Args:
            table: Name of the table.
            at: When it was created; by default some days ago.
            scope: Its tenant, by default the actor's.
            in_system: The system, in hybrid tasks.
            values: Values by column.
        """
        part = self._arranging(in_system)
        declared = system(part.name).domain.table(table)
        actor = Actor(part.actor.id, part.actor.role, part.actor.scope if scope is None else scope)
        records = Records(system(part.name).domain, part.world, actor, book=system(part.name).book)
        try:
            plain = {name: value for name, value in values.items() if value is not None}
            row = records.create(declared, {name: _argument(declared.column(name), value) for name, value in plain.items()})
        except ToolError as error:
            raise Unfit(f"cannot add to {table}: {error}") from error
        key = tuple(row[name] for name in declared.key)
        moment = at or self.now - dt.timedelta(minutes=self.draw.randrange(2 * 24 * 60, 30 * 24 * 60))
        stamps = {name: moment for name in (declared.stamp("created"), declared.stamp("updated")) if name and name not in values}
        if stamps:
            self.change(table, key, in_system=in_system, **stamps)
        part.world.write(journal.TABLE, f"DELETE FROM {journal.TABLE}", [()], (None,))
        return self.row(table, key, in_system=in_system)

    def change(self, table: str, key: Any, *, in_system: str = "", **values: Any) -> None:
        """Set columns of a record, as if they had been so; no rule is asked."""
        part = self._arranging(in_system)
        declared = system(part.name).domain.table(table)
        self.row(table, key, in_system=in_system)
        bound = [_stored(declared.column(name), value) for name, value in values.items()]
        sets = ", ".join(f"{quoted(name)} = ?" for name in values)
        sql = f"UPDATE {quoted(table)} SET {sets} WHERE {by_key(declared)}"
        told = [_told(declared, _keyed(key)), *([None] if set(values) & set(declared.key) else [])]
        part.world.write(table, sql, [(*bound, *_keyed(key))], told)

    def remove(self, table: str, key: Any, *, in_system: str = "") -> None:
        """Remove a record, as if it had never been there."""
        part = self._arranging(in_system)
        declared = system(part.name).domain.table(table)
        self.row(table, key, in_system=in_system)
        sql = f"DELETE FROM {quoted(table)} WHERE {by_key(declared)}"
        part.world.write(table, sql, [_keyed(key)], [_told(declared, _keyed(key))])

    def change_where(self, table: str, match: Mapping[str, Any], *, in_system: str = "", **values: Any) -> None:
        """Set columns of all records whose columns equal what is given, as if they had been so."""
        for key in self._keys(table, match, in_system):
            self.change(table, key, in_system=in_system, **values)

    def remove_where(self, table: str, *, in_system: str = "", **match: Any) -> None:
        """Remove all records whose columns equal what is given, as if they had never been there."""
        for key in self._keys(table, match, in_system):
            self.remove(table, key, in_system=in_system)

    def _keys(self, table: str, match: Mapping[str, Any], in_system: str) -> list[tuple[Any, ...]]:
        declared = system(self._part(in_system).name).domain.table(table)
        keys = ", ".join(map(quoted, declared.key))
        sql = f"SELECT {keys} FROM {quoted(table)} WHERE {equal(match)} ORDER BY {keys}"
        return [tuple(row.values()) for row in self.rows(sql, *match.values(), in_system=in_system)]

    def row(self, table: str, key: Any, *, in_system: str = "") -> Row:
        """A record by key.

        Raises:
            Unfit: There is none.
        """
        part = self._part(in_system)
        declared = system(part.name).domain.table(table)
        found = self.rows(f"SELECT * FROM {quoted(table)} WHERE {by_key(declared)}", *_keyed(key), in_system=in_system)
        if not found:
            raise Unfit(f"no {table} {key!r}")
        return found[0]

    # -- the request -------------------------------------------------------------------------------------------

    def ask(self, *options: str) -> None:
        """Add a sentence to the request: one of the phrasings given."""
        self.sentences.append(self.pick(*options))

    def pick(self, *options: Any) -> Any:
        """One of the options."""
        return options[self.draw.randrange(len(options))]

    def date(self, when: dt.date | str) -> str:
        """A date in one of many spellings, none of them ambiguous."""
        return dated(when, self.draw)

    def listed(self, items: Sequence[str]) -> str:
        """Items in a sentence: ``a, b and c``."""
        return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"

    def described(
        self, table: str, key: Any, name: str, facts: Sequence[tuple[str, str, Sequence[Any]]], *, in_system: str = ""
    ) -> str:
        """Words for a record, without an article: its name, or as many facts that single it out as :attr:`conditions` says.

        Args:
            table: Its table.
            key: Its key.
            name: A noun, and its name or number: ``incident INC0000012``.
            facts: What can be said of it, each as words that may follow the noun (``opened by Ana Ruiz``), the same as a
                condition in SQL over the table, and what is bound in it.
            in_system: The system, in hybrid tasks.

        Raises:
            Unfit: All facts together fit other records too.
        """
        if self.conditions <= 1:
            return name
        part = self._part(in_system)
        declared = system(part.name).domain.table(table)
        scope = [(f"{quoted(declared.scope)} = ?", (part.actor.scope,))] if declared.scope else []
        chosen: list[tuple[str, str, Sequence[Any]]] = []
        for fact in self.draw.sample(list(facts), len(facts)):
            chosen.append(fact)
            conditions = [*scope, *((f"({sql})", tuple(bound)) for _, sql, bound in chosen)]
            where = " AND ".join(sql for sql, _ in conditions)
            found = self.rows(
                f"SELECT * FROM {quoted(table)} WHERE {where}",
                *(value for _, bound in conditions for value in bound),
                in_system=in_system,
            )
            keys = [tuple(row[column] for column in declared.key) for row in found]
            if keys == [_keyed(key)] and len(chosen) >= min(self.conditions, len(facts)):
                return f"{name.split()[0]} {self.listed([words for words, _, _ in chosen])}"
        raise Unfit(f"{table} {key!r} cannot be told from others")

    @property
    def instruction(self) -> str:
        """The request."""
        return " ".join(self.sentences)

    # -- the plan ----------------------------------------------------------------------------------------------

    def look(self, tool: str, **arguments: Any) -> Any:
        """A lookup, which an agent may do otherwise; returns what the tool gives."""
        return self._step("look", tool, arguments)

    def do(self, tool: str, *heeds: Heed, **arguments: Any) -> Any:
        """A call that the request asks for; returns what the tool gives.

        Args:
            tool: Name of the tool, with the system's in front in hybrid tasks: ``itsm.update_incident``.
            heeds: Arguments that only rules ask for; see :func:`~opsgym.envs.enterprise_ops.template.heed`.
            arguments: The other arguments.
        """
        for item in heeds:
            arguments |= item.arguments
        return self._step("do", tool, arguments, heeds=tuple(item for item in heeds if self._hides(item.rule, item.told)))

    def oblige(self, rule: str, told: str, tool: str, **arguments: Any) -> Any:
        """A call that only a rule asks for; returns what the tool gives.

        Args:
            rule: Id of the rule.
            told: What the request says where the rule is not to be a hidden one: a whole sentence.
            tool: Name of the tool.
            arguments: Its arguments.
        """
        if self._hides(rule, told):
            return self._step("oblige", tool, arguments, rule)
        return self._step("do", tool, arguments)

    def avoid(self, rule: str, told: str, tool: str, **arguments: Any) -> None:
        """A call that the request seems to ask for, and that a rule forbids; it is not carried out.

        Args:
            rule: Id of the rule.
            told: What the request says where the rule is not to be a hidden one: a whole sentence.
            tool: Name of the tool.
            arguments: Its arguments.
        """
        if self._hides(rule, told):
            name, _, short = tool.rpartition(".")
            self._begin()
            self.steps.append(Step("avoid", self._part(name).name, short, arguments, rule))

    def _hides(self, rule: str, told: str) -> bool:
        """Whether the request leaves a rule unsaid; if not, it is said now."""
        if rule not in self.template.rules:
            raise ValueError(f"template {self.template.name} does not declare rule {rule!r}")
        if rule in self.hidden:
            return True
        if rule not in self._told and len(self.hidden) < self.params.obligations:
            self.hidden.append(rule)
            return True
        self._told.add(rule)
        if told not in self.sentences:
            self.sentences.append(told)
        return False

    def _step(self, kind: str, tool: str, arguments: dict[str, Any], rule: str = "", heeds: tuple[Heed, ...] = ()) -> Any:
        name, _, short = tool.rpartition(".")
        part = self._part(name)
        if kind != "look":
            self._begin()
        before = self._last_rows(part) if kind != "look" else {}
        result = self._call(part, short, arguments)
        created = self._created(part, before) if kind != "look" else ()
        self.steps.append(Step(kind, part.name, short, arguments, rule, heeds, created))
        return result

    def _call(self, part: Part, tool: str, arguments: Mapping[str, Any]) -> Any:
        """Carry out a call as the actor; in strict mode, unless the request is one to refuse."""
        domain = system(part.name).domain
        mode: Any = "permissive" if self.reasons else "strict"
        records = Records(domain, part.world, part.actor, enforcement=mode, book=system(part.name).book)
        try:
            found = domain.toolbox.find(tool)
            with part.world.savepoint():
                return found.function(records, **found.validate(arguments))
        except ToolError as error:
            raise Unfit(f"{tool}({canonical_json(dict(arguments))}) is refused: {error}") from error

    def _begin(self) -> None:
        """From now on the episode runs."""
        for part in self.parts.values():
            if part.start is None:
                part.arranged = changes_since(system(part.name).domain, part.base, part.world, derived=True)
                part.start = part.world.snapshot()
                part.world.restore(part.start)

    @staticmethod
    def _last_rows(part: Part) -> dict[str, int]:
        sql = " UNION ALL ".join(
            f"SELECT '{table.name}', coalesce(max(rowid), 0) FROM {quoted(table.name)}"
            for table in system(part.name).domain.tables
        )
        return dict(part.world.execute(sql).fetchall())

    def _created(self, part: Part, before: Mapping[str, int]) -> tuple[tuple[str, tuple[Any, ...]], ...]:
        found = []
        for table in system(part.name).domain.tables:
            keys = ", ".join(map(quoted, table.key))
            sql = f"SELECT {keys} FROM {quoted(table.name)} WHERE rowid > ? ORDER BY rowid"
            found += [(table.name, tuple(row)) for row in part.world.execute(sql, (before[table.name],)).fetchall()]
        return tuple(found)

    # -- what counts -------------------------------------------------------------------------------------------

    def loosen(self, table: str, *columns: str, holding: str = "") -> None:
        """Leave columns of what the plan writes to the agent, such as the words of a note.

        Args:
            table: Name of the table.
            columns: The columns.
            holding: Text that they must hold, upper or lower case.
        """
        self.freed += [Free(table, column, holding) for column in columns]

    def allow(
        self, table: str, action: Action, *, columns: Sequence[str] = (), most: int = 1, in_system: str = "", **match: Any
    ) -> None:
        """Grant changes beyond those of the plan, where there are several right ways.

        Args:
            table: Name of the table.
            action: ``"create"``, ``"update"`` or ``"delete"``.
            columns: The columns that an update may change.
            most: Greatest number of records.
            in_system: The system, in hybrid tasks.
            match: Values that tell the records.
        """
        allowed = Allowance(table=table, action=action, match=match, columns=tuple(columns), most=most)
        self.allowed.append((self._part(in_system).name, allowed))

    def answer(self, *needles: Any, without: Sequence[Any] = ()) -> None:
        """Ask for an answer: ``submit(answer)`` must hold all needles and none of the others, upper or lower case."""
        self.answers.append((tuple(map(str, needles)), tuple(map(str, without))))

    def wants_trap(self, kind: str) -> bool:
        """Whether to set a trap of a kind; asked once for each trap, which is then to be set with :meth:`trap`."""
        if kind not in self.template.traps:
            raise ValueError(f"template {self.template.name} does not declare trap {kind!r}")
        if self._traps_left < 1:
            return False
        self._traps_left -= 1
        return True

    def trap(self, kind: str, right: Any, wrong: Any) -> None:
        """Label a trap: who takes the first match uses ``wrong`` wherever the plan has ``right``."""
        self.mistakes.append((kind, right, wrong))

    def block(self, *reasons: Reason, why: str) -> None:
        """Say that the request must be refused, in a draft that :attr:`is_infeasible`; later steps are those of who complies.

        Args:
            reasons: The reasons that count.
            why: The rule or the fact that stands against it.
        """
        if not self.is_infeasible or not set(reasons) <= set(self.template.blocked):
            raise ValueError(f"template {self.template.name} does not declare a refusal for {reasons}")
        self._begin()
        self.reasons, self.why = reasons, why

    # -- inside ------------------------------------------------------------------------------------------------

    def _part(self, name: str) -> Part:
        return self.parts[name or next(iter(self.parts))]

    def _arranging(self, name: str) -> Part:
        part = self._part(name)
        if part.start is not None:
            raise ValueError("the episode has begun: change the world before the first step of work")
        return part

    def close(self) -> None:
        """Free the worlds."""
        for part in self.parts.values():
            part.world.close()


def _keyed(key: Any) -> tuple[Any, ...]:
    return tuple(key) if isinstance(key, tuple | list) else (key,)


def _told(table: Table, key: tuple[Any, ...]) -> Any:
    """A key as the world's watch takes it."""
    return key[0] if len(key) == 1 and table.by_name[table.key[0]].sql_type == "INTEGER" else key


def _argument(column: Column, value: Any) -> Any:
    """A value as a tool takes it."""
    return value.isoformat(" ") if isinstance(value, dt.datetime) else value.isoformat() if isinstance(value, dt.date) else value


def _stored(column: Column, value: Any) -> Any:
    """A value as the database holds it."""
    if isinstance(value, dt.datetime):
        return value.replace(microsecond=0).isoformat(" ")
    if isinstance(value, dt.date):
        return value.isoformat()
    if isinstance(column, Json) and value is not None and not isinstance(value, str):
        return canonical_json(value)
    return int(value) if isinstance(value, bool) else value
