"""Draft: what a template works with to word a request, carry out its plan, and derive its answer twice."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from opsgym.core.changes import quoted
from opsgym.core.errors import TaskError, ToolError
from opsgym.core.records.diff import Change
from opsgym.core.records.live_judge import changes_since
from opsgym.core.task import ToolCall, canonical_json
from opsgym.core.world import World
from opsgym.envs.cache import Lru
from opsgym.envs.enterprise_bench import access, naming, system
from opsgym.envs.enterprise_bench.answers import Form
from opsgym.envs.enterprise_bench.endings import Reason
from opsgym.envs.enterprise_bench.plan import Subtask
from opsgym.envs.enterprise_bench.template import Template, Unfit
from opsgym.envs.enterprise_bench.unheld import UNHELD
from opsgym.envs.enterprise_bench.verifier import watched

if TYPE_CHECKING:
    from opsgym.envs.enterprise_bench.params import BenchParams

Row = dict[str, Any]

CANDIDATES = 200
"""Employees who are tried as the one who asks."""

PAGES = 6
"""Pages of a list that a plan turns at most."""

_ROWS: Lru[Tables] = Lru(3)


class Tables(Mapping[str, list[Row]]):
    """All rows of a base world by table, read when first asked for; share them, do not change them."""

    def __init__(self, conn: sqlite3.Connection) -> None:
        self._conn = conn
        self._read: dict[str, list[Row]] = {}

    def __getitem__(self, table: str) -> list[Row]:
        if table not in self._read:
            system.DOMAIN.table(table)
            self._read[table] = fetched(self._conn.execute(f"SELECT * FROM {quoted(table)} ORDER BY rowid"))
        return self._read[table]

    def __iter__(self) -> Any:
        return iter(system.DOMAIN.by_name)

    def __len__(self) -> int:
        return len(system.DOMAIN.by_name)


def fetched(cursor: sqlite3.Cursor) -> list[Row]:
    """The rows of a query by column."""
    names = [item[0] for item in cursor.description]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


class Draft:
    """One draw of a template.

    Args:
        template: The template.
        params: The parameters.
        seed: Seed of the company.
        draw: Where chance comes from.
        twin: Why the request is to be unanswerable; ``None`` for one that can be met.
        asker: Employee id of who is to ask, if they can; who asks in the twin.

    Attributes:
        draw: Where chance comes from, for what twins have in common.
        me: The employee who asks, once there is one.
        today: The virtual date.
        subtasks: What was carried out.
        form: What the answer looks like.
        reason: Why the request cannot be met.
        topic: What a change is about, for those who are told of it.
        asked: The column that the request asks for, where a name must not tell it.
        lists: The table whose records the answer lists, where a name must not tell one of them.
        namesakes: How many employees are named whose names others have too.
        loose: By table and key of a changed record, the columns whose values are left to the agent, and what they must contain.
    """

    def __init__(
        self,
        template: Template,
        params: BenchParams,
        seed: int,
        draw: random.Random,
        twin: Reason | None,
        asker: str | None = None,
    ) -> None:
        self.template, self.params, self.seed, self.draw, self.twin = template, params, seed, draw, twin
        self._wanted, self._root = asker, draw.getrandbits(64)
        self.base = system.base(seed, params.size)
        self.start = self.base.snapshot
        self.world = watched(World.from_snapshot(self.start))
        self.today = self.world.today
        self.me: Row = {}
        self.subtasks: list[Subtask] = []
        self.form: Form | None = None
        self.reason: Reason | None = None
        self.why = ""
        self.sentences: list[str] = []
        self.loose: dict[tuple[str, tuple[Any, ...]], dict[str, tuple[str, ...]]] = {}
        self.topic = ""
        self.asked = self.lists = ""
        self.namesakes = 0
        self._session: Any = None
        self._results: list[str] = []
        self._free: dict[tuple[str, str], tuple[str, ...]] = {}

    def close(self) -> None:
        """Free the world."""
        self.world.close()

    def stream(self, purpose: str) -> random.Random:
        """Chance of its own for a purpose, so that what twins do not have in common leaves the rest as it is."""
        return random.Random(f"{self._root}/{purpose}")

    # -- reading, with all rights ---------------------------------------------------------------------------

    def rows(self, sql: str, **bound: Any) -> list[Row]:
        """Rows of a query; order them."""
        return fetched(self.world.conn.execute(sql, bound))

    def value(self, sql: str, **bound: Any) -> Any:
        """First value of a query, ``None`` without rows."""
        found = self.world.conn.execute(sql, bound).fetchone()
        return found and found[0]

    def some(self, sql: str, **bound: Any) -> Row:
        """One of the rows of a query; where the parameters ask for ambiguity, of employees one who has namesakes, if any.

        Raises:
            Unfit: There is none.
        """
        found = self.rows(sql, **bound)
        if not found:
            raise Unfit(f"no rows: {sql}")
        if self.params.ambiguity and found[0].keys() >= {"name", "emp_id"}:
            found = [row for row in found if self.namesakes_of(row)] or found
        return self.draw.choice(found)

    def employee(self, emp_id: str) -> Row:
        """The record of an employee."""
        return self.rows("SELECT * FROM employee WHERE emp_id = :emp_id", emp_id=emp_id)[0]

    def namesakes_of(self, row: Row) -> list[Row]:
        """Other employees of the same name."""
        return self.rows("SELECT * FROM employee WHERE name = :name AND emp_id <> :emp_id", **_part(row, "name", "emp_id"))

    @property
    def tables(self) -> Tables:
        """All rows as they were seeded."""
        return _ROWS.get(self.base.digest, lambda: Tables(World.from_snapshot(self.start).conn))

    # -- who asks -------------------------------------------------------------------------------------------

    def persona(
        self,
        where: str = "1",
        *,
        reads: tuple[str, Any] | None = None,
        may: tuple[str, str, Any] | None = None,
        whole: str = "",
        **bound: Any,
    ) -> Row:
        """Choose who asks: an active employee, with the right that the request needs, or without it in a twin.

        Args:
            where: Condition in SQL over ``employee e``.
            reads: Source and key of a record that they must be able to read.
            may: Source, operation and key of a record on which they must be able to do it.
            whole: Source of which they must be able to read every record, so that what they do not find does not exist.
            bound: Values of the condition.

        Raises:
            Unfit: Nobody fits.
        """
        wanted: tuple[str, str, Any] | None = (reads[0], "read", reads[1]) if reads else may
        people = self.rows(f"SELECT e.* FROM employee e WHERE e.is_valid AND ({where}) ORDER BY e.emp_id", **bound)
        self.stream("persona").shuffle(people)
        people.sort(key=lambda person: person["emp_id"] != self._wanted)
        for person in people[:CANDIDATES]:
            if wanted and self.allowed(person["emp_id"], *wanted) == (self.twin == "not_permitted"):
                continue
            if whole and not self.reads_all(person["emp_id"], whole):
                continue
            return self.act_as(person)
        raise Unfit(f"nobody may {wanted or whole or where}")

    def act_as(self, person: Row) -> Row:
        """Have an employee ask."""
        self.me = person
        self._session = system.sign_in(self.world, person["emp_id"], self.params.access, self.base.retriever)
        return person

    def allowed(self, emp_id: str, source: str, operation: str, key: Any) -> bool:
        """Whether an employee may do something with a record."""
        return access.permits(self.world.conn, self.params.access, emp_id, source, cast(access.Operation, operation), key)

    def reads_all(self, emp_id: str, source: str) -> bool:
        """Whether an employee may read every record of a source."""
        return access.reads_all(self.world.conn, self.params.access, emp_id, source)

    # -- wording ----------------------------------------------------------------------------------------------

    def ask(self, *phrasings: str, of: str = "") -> None:
        """Add one of several sentences to the request.

        Args:
            phrasings: The sentences; brackets stand around what is asked of a record, as in ``"I need [the price of] ..."``.
            of: The record's table; in a twin that is out of scope, something is asked of it that no source holds.
        """
        head, asked, tail = _parted(self.draw.choice(phrasings))
        if of and self.twin == "out_of_scope":
            unheld = self.stream("unheld").choice(UNHELD[of])
            asked = f"my {unheld.noun}" if asked.startswith("my ") else f"the {unheld.noun} of"
            self.block("out_of_scope", f"No source holds the {unheld.noun}.")
            self.form = unheld.form
        self.sentences.append(head + asked + tail)

    def person(self, emp_id: str) -> str:
        """See :func:`opsgym.envs.enterprise_bench.naming.person`."""
        return naming.person(self, emp_id)

    def thing(self, table: str, row: Row) -> naming.Named:
        """See :func:`opsgym.envs.enterprise_bench.naming.thing`."""
        return naming.thing(self, table, row)

    # -- the plan ---------------------------------------------------------------------------------------------

    def look(self, goal: str, source: str, tool: str, /, **arguments: Any) -> Any:
        """A lookup, carried out as the employee who asks; in a twin that is not permitted it may be refused.

        Once it is known why the request cannot be met, nothing is looked up any more.

        Raises:
            Unfit: It is refused, though the request can be met.
        """
        if self.reason is not None:
            return None
        return self._step(goal, source, tool, arguments, writes=False)

    def do(self, goal: str, source: str, tool: str, /, **arguments: Any) -> Any:
        """A change, carried out as the employee who asks, except where the request cannot be met."""
        if self.twin is not None and self.twin != "not_permitted":
            return None
        return self._step(goal, source, tool, arguments, writes=True)

    def _step(self, goal: str, source: str, name: str, arguments: dict[str, Any], *, writes: bool) -> Any:
        if not self.me:
            raise TaskError(f"{self.template.name} calls {name} before it says who asks", field="template")
        call = ToolCall(name=name, arguments=arguments)
        if any(item.call == call for item in self.subtasks):
            return None
        tool = system.TOOLBOX[name]
        try:
            with self.world.savepoint():
                result = tool.function(self._session, **tool.validate(arguments))
                if writes and self.twin is not None:
                    raise Unfit(f"{name} is permitted, though it should not be")
        except ToolError as error:
            if error.code == "invalid_arguments":
                raise TaskError(f"{self.template.name}: {name}: {error}", field="template") from error
            if self.twin == "not_permitted" and error.code == "not_allowed":
                self.block("not_permitted", str(error))
            elif self.twin == "not_existing" and error.code == "not_found":
                self.block("not_existing", str(error))
            else:
                raise Unfit(f"{name} is refused: {error}") from error
            return None  # what is refused is no part of the plan
        self.subtasks.append(Subtask(goal=goal, source=source, call=call, after=self._needed(arguments), writes=writes))
        self._results.append(canonical_json(result))
        if writes:
            self._loosen()
        elif "offset" not in arguments:
            self._turn_pages(goal, source, name, arguments, result)
        return result

    def _turn_pages(self, goal: str, source: str, name: str, arguments: dict[str, Any], result: Any) -> None:
        """Read the rest of a list."""
        shown, total = _page(result)
        size = shown
        while 0 < shown < total:
            if shown >= PAGES * size:
                raise Unfit(f"{name} has {total} records")
            more = self._step(f"{goal}, from number {shown + 1} on", source, name, arguments | {"offset": shown}, writes=False)
            shown += _page(more)[0]

    @property
    def asker(self) -> access.Persona:
        """Whose rights count."""
        return access.Persona(self.me["emp_id"], self.me["department"], self.me["level"])

    @property
    def changes(self) -> tuple[Change, ...]:
        """What the plan has changed so far."""
        if not any(item.writes for item in self.subtasks):
            return ()
        return changes_since(system.DOMAIN, self.start, self.world)

    def _loosen(self) -> None:
        """Note which values of the records that the last change wrote are left to the agent."""
        for change in self.changes:
            if (change.table.name, change.key) not in self.loose:
                found = {column: needles for (table, column), needles in self._free.items() if table == change.table.name}
                self.loose[change.table.name, change.key] = found
        self._free.clear()

    def _needed(self, arguments: Mapping[str, Any]) -> tuple[int, ...]:
        """The first steps in whose results arguments stand that neither the request nor the sign-in tells."""
        known = [*self.sentences, canonical_json(self.me.get("emp_id"))]
        found = set()
        for text in _texts(arguments):
            if len(text) < 3 or any(text in item for item in known):
                continue
            first = next((number for number, result in enumerate(self._results) if text in result), None)
            if first is not None:
                found.add(first)
        return tuple(sorted(found))

    def has_looked(self, tool: str, /, **arguments: Any) -> bool:
        """Whether a lookup was carried out."""
        return any(item.call == ToolCall(name=tool, arguments=arguments) for item in self.subtasks)

    def free(self, table: str, column: str, *needles: str) -> None:
        """Leave a value that the next change writes to the agent, as long as it contains some texts."""
        self._free[table, column] = needles

    def block(self, reason: Reason, why: str) -> None:
        """Say that the request cannot be met."""
        if self.reason is None:
            self.reason, self.why = reason, why

    # -- the answer -------------------------------------------------------------------------------------------

    def truth(self, sql: str, again: Callable[[Tables], Any], **bound: Any) -> Any:
        """A ground truth by a query, held against a second derivation that is written otherwise.

        Args:
            sql: The query; several rows give a list of their first values.
            again: The same from all rows.
            bound: Values of the query.

        Raises:
            TaskError: They differ.
        """
        found = [row[0] for row in self.world.conn.execute(sql, bound).fetchall()]
        second = again(self.tables)
        if isinstance(second, list | tuple | set):
            first: Any = sorted(map(str, found))
            second = sorted(map(str, second))
        else:
            first = found[0] if found else None
        if not _same(first, second):
            raise TaskError(f"{self.template.name}: the query gives {first!r}, the second derivation {second!r}", field="answer")
        return first

    def answer(self, form: Form) -> None:
        """The answer that the request wants, unless it asks for what no source holds."""
        if self.twin != "out_of_scope":
            self.form = form


def _parted(sentence: str) -> tuple[str, str, str]:
    """A sentence before, within and after its brackets."""
    head, _, rest = sentence.partition("[")
    asked, _, tail = rest.partition("]")
    return head, asked, tail


def _page(result: Any) -> tuple[int, int]:
    """How many records a list shows, and how many there are."""
    if not isinstance(result, dict) or "total" not in result:
        return 0, 0
    return next((len(value) for value in result.values() if isinstance(value, list)), 0), result["total"]


def _same(one: Any, two: Any) -> bool:
    if isinstance(one, float) or isinstance(two, float):
        return one is not None and two is not None and abs(one - two) < 1e-6
    return bool(one == two)


def _part(row: Row, *names: str) -> Row:
    return {name: row[name] for name in names}


def _texts(value: Any) -> Iterable[str]:
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, Sequence) and not isinstance(value, str):
        for item in value:
            yield from _texts(item)
    elif value is not None:
        yield str(value)
