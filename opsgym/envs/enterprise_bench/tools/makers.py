"""Makers of regular tools: pages of records, one record, and writes; the agent's identity is the session's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any, cast

from pydantic import Field

from opsgym.core.errors import ToolError
from opsgym.core.records.columns import Day
from opsgym.core.records.records import Records, Row
from opsgym.core.records.signature import Argument, Fields, declared, fields
from opsgym.core.records.table import Table
from opsgym.core.tools import Tool
from opsgym.envs.enterprise_bench.session import Desk

Given = dict[str, Any]
Run = Callable[[Desk, Given], Any]
More = Callable[[Desk, Row], Row]

LIMIT = 50
"""Records on a page at most: so few that a page of any records fits into an observation."""

PAGES = (
    Argument("limit", Annotated[int, Field(ge=1, le=LIMIT)], "Greatest number of records to give.", False, LIMIT),
    Argument("offset", Annotated[int, Field(ge=0, le=1_000_000)], "Number of records to leave out at the beginning.", False, 0),
)
"""Arguments of tools that give pages."""

SPAN = (
    Argument("start_date", str, "Only records of this day or later, YYYY-MM-DD.", False),
    Argument("end_date", str, "Only records of this day or earlier, YYYY-MM-DD.", False),
)
"""Arguments of tools that give records of a span of days."""


def made(name: str, summary: str, arguments: tuple[Argument, ...], run: Run, *, mutates: bool = False) -> Tool:
    """A tool that acts on a desk."""

    def act(records: Records, given: Given) -> Any:
        return run(cast(Desk, records), given)

    return declared(name, summary, arguments, act, mutates=mutates)


def as_self(name: str, about: str = "Your own employee id; that of somebody else is refused.") -> Argument:
    """An argument that may be given, but only as the actor's id."""
    return Argument(name, str, about, False)


def check_self(desk: Desk, given: Mapping[str, Any], *names: str) -> None:
    """Refuse the ids of others.

    Raises:
        ToolError: ``not_allowed``.
    """
    for name in names:
        if given.get(name) not in (None, desk.actor.id):
            raise ToolError("not_allowed", f"IDENTITY: you act as {desk.actor.id}; {name} of somebody else is refused.")


def listing(
    name: str,
    summary: str,
    table: Table,
    plural: str,
    may: str = "",
    *,
    need: str = "",
    day: str = "",
    mine: str = "",
    own: str = "emp_id",
    only: str = "",
) -> Tool:
    """A tool that gives a page of the records whose columns equal the arguments.

    Args:
        name: Name of the tool.
        summary: A sentence on it.
        table: The table.
        plural: What the result calls the records.
        may: Arguments that may be given.
        need: Arguments that must be given.
        day: The column that ``start_date`` and ``end_date`` limit.
        mine: A column that must be the actor's id.
        own: The argument that may repeat the actor's id, where there is ``mine``.
        only: The columns that are given; by default all.
    """
    asked, more = search(table, need, may), (SPAN if day else ()) + ((as_self(own),) if mine else ())

    def run(desk: Desk, given: Given) -> Any:
        check_self(desk, given, *((own,) if mine else ()))
        where, bound = span(day, given)
        equal = asked.values(given) | ({mine: desk.actor.id} if mine else {})
        rows, total = desk.page(table, equal, limit=given["limit"], offset=given["offset"], where=where, bound=bound)
        return {plural: [picked(row, only) for row in rows], "total": total}

    return made(name, summary, (*asked.arguments, *more, *PAGES), run)


def getting(name: str, summary: str, table: Table, by: str, *, either: bool = False, also: More | None = None) -> Tool:
    """A tool that reads one record; ``either`` where one of several arguments is enough, ``also`` for what belongs to it."""
    asked = fields(table, by, required=not either, searching=True)

    def run(desk: Desk, given: Given) -> Any:
        row = desk.get(table, some(asked, given))
        return row | also(desk, row) if also else row

    return made(name, summary, asked.arguments, run)


def creating(
    name: str,
    summary: str,
    table: Table,
    need: str,
    may: str = "",
    *,
    own: str = "",
    fill: More | None = None,
) -> Tool:
    """A tool that creates a record; ``own`` is an argument that may only repeat the actor's id and is filled with it."""
    needed, other = _form(table, need, True), _form(table, may, False)
    more = (as_self(own),) if own else ()

    def run(desk: Desk, given: Given) -> Any:
        check_self(desk, given, *((own,) if own else ()))
        values = needed.values(given) | other.values(given) | ({own: desk.actor.id} if own else {})
        return desk.create(table, (fill(desk, values) | values) if fill else values)

    return made(name, summary, (*needed.arguments, *other.arguments, *more), run, mutates=True)


def updating(
    name: str,
    summary: str,
    table: Table,
    by: str,
    may: str,
    *,
    need: str = "",
    either: bool = False,
    fill: More | None = None,
) -> Tool:
    """A tool that changes one record."""
    who = fields(table, by, required=not either, searching=True)
    needed, other = _form(table, need, True), _form(table, may, False)

    def run(desk: Desk, given: Given) -> Any:
        values = needed.values(given) | other.values(given)
        return desk.update(table, some(who, given), (fill(desk, values) | values) if fill else values)

    return made(name, summary, (*who.arguments, *needed.arguments, *other.arguments), run, mutates=True)


def removing(
    name: str, summary: str, table: Table, by: str, *, either: bool = False, parts: tuple[tuple[Table, str], ...] = ()
) -> Tool:
    """A tool that deletes one record, and before it those of ``parts``, by the columns that refer to it."""
    who = fields(table, by, required=not either, searching=True)

    def run(desk: Desk, given: Given) -> Any:
        row = desk.fetch(table, some(who, given))
        key = {table.id: row[table.id]}
        with desk.world.savepoint():
            for part, column in parts:
                if desk.find(part, {column: row[table.id]}):
                    desk.delete(part, {column: row[table.id]})
            return {"deleted": desk.delete(table, key)[0]}

    return made(name, summary, who.arguments, run, mutates=True)


# -- parts --------------------------------------------------------------------------------------------------


def search(table: Table, need: str, may: str) -> Fields:
    """Arguments that search by columns."""
    needed = fields(table, need, required=True, searching=True)
    other = fields(table, may, required=False, searching=True)
    return Fields((*needed.arguments, *other.arguments), {**needed.columns, **other.columns})


def some(asked: Fields, given: Mapping[str, Any]) -> dict[str, Any]:
    """Values by column, at least one.

    Raises:
        ToolError: ``missing_field``.
    """
    equal = asked.values(given)
    if not equal:
        raise ToolError("missing_field", f"expected one of {', '.join(item.name for item in asked.arguments)}")
    return equal


def span(column: str, given: Mapping[str, Any]) -> tuple[str, list[Any]]:
    """A condition on the days of a column, and its values.

    Raises:
        ToolError: ``invalid_value`` for a day that is none.
    """
    terms: list[str] = []
    bound: list[Any] = []
    for name, sign in (("start_date", ">="), ("end_date", "<=")):
        if given.get(name) is not None:
            if problem := Day(name).problem(given[name]):
                raise ToolError("invalid_value", f"{name}: {problem}")
            terms.append(f'substr("{column}", 1, 10) {sign} ?')
            bound.append(given[name])
    return " AND ".join(terms), bound


def picked(row: Row, only: str) -> Row:
    """Some of a row's columns."""
    return {name: row[name] for name in only.split()} if only else row


def today(desk: Desk) -> str:
    """The virtual day."""
    return desk.now[:10]


def _form(table: Table, names: str, required: bool) -> Fields:
    return fields(table, names, required=required, searching=False)
