"""Kinds of arguments, and a search, that many tools of HR have in common."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field

from opsgym.core.errors import ToolError
from opsgym.core.records.columns import Column, Flag, Text
from opsgym.core.records.records import Records
from opsgym.core.records.signature import Argument, declared, fields
from opsgym.core.records.table import Table
from opsgym.core.tools import Tool

CREATED = (
    Argument("created_after", str, "Only records created at or after this time.", False),
    Argument("created_before", str, "Only records created at or before this time.", False),
)
LIMIT = Argument("limit", Annotated[int, Field(ge=1, le=100)], "Greatest number of records.", False, 50)


def texts(names: str) -> dict[str, Column]:
    """Kinds for arguments that are text whatever their column is, such as keys."""
    return {name: Text(name) for name in names.split()}


class Limited(Text):
    """Text whose limit shows in searches too."""

    @property
    def filter_annotation(self) -> Any:
        """Text, with its limit."""
        return self.annotation


class Mail(Text):
    """An email address whose limit shows."""

    @property
    def annotation(self) -> Any:
        """Text with its form and limit."""
        return Annotated[str, Field(max_length=self.limit, json_schema_extra={"format": "email"})]


class Stated(Flag):
    """A flag that must be given, although its schema names a default."""

    @property
    def annotation(self) -> Any:
        """Boolean with its default."""
        return Annotated[bool, Field(json_schema_extra={"default": True})]


@dataclass(frozen=True)
class Search:
    """A search by equal values, by what lists hold, and by time of creation.

    Attributes:
        table: The table.
        may: Arguments that equal a column, as in :func:`~opsgym.core.records.signature.fields`.
        within: Arguments whose value, or each of whose values, a column's list must hold.
        kinds: Kinds for arguments that differ from their column's.
        is_dated: Whether it takes times of creation.
        is_paged: Whether it takes a limit; what is left out is told.
        least: Least number of arguments that must be given.
    """

    table: Table
    may: str
    within: tuple[Argument, ...] = ()
    kinds: Mapping[str, Column] | None = None
    is_dated: bool = False
    is_paged: bool = False
    least: int = 0

    def tool(self, name: str, summary: str) -> Tool:
        """The tool that runs it."""
        equal = fields(self.table, self.may, required=False, searching=True, kinds=self.kinds)
        others = (*self.within, *(CREATED if self.is_dated else ()), *((LIMIT,) if self.is_paged else ()))
        arguments = (*equal.arguments, *others)

        def run(records: Records, given: dict[str, Any]) -> Any:
            if len(given) < self.least:
                raise ToolError("missing_field", f"expected at least one of {', '.join(item.name for item in arguments)}")
            after, before = given.get("created_after"), given.get("created_before")
            rows = records.find(self.table, equal.values(given), after=after, before=before)
            for item in self.within:
                if item.name in given:
                    wanted = set(numbers(item.name, given[item.name]))
                    rows = [row for row in rows if wanted <= set(row[item.name] or ())]
            return cut(rows, given.get("limit"))

        return declared(name, summary, arguments, run)


def cut(rows: list[dict[str, Any]], limit: int | None, offset: int = 0) -> list[dict[str, Any]]:
    """A page of rows, with a mark at the end where some are left out."""
    page = rows[offset:] if limit is None else rows[offset : offset + limit]
    if offset + len(page) < len(rows):
        page.append({"more": len(rows) - offset - len(page), "total": len(rows)})
    return page


def numbers(name: str, value: str | list[int]) -> list[int]:
    """Keys as a list, which some signatures say as text: ``"3"``, ``"3, 4"`` or ``"[3, 4]"``.

    Raises:
        ToolError: ``invalid_value``.
    """
    if isinstance(value, list):
        return value
    try:
        found = json.loads(value if value.lstrip().startswith("[") else f"[{value}]")
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, list) or not all(type(item) is int and abs(item) < 1 << 63 for item in found):
        raise ToolError("invalid_value", f"{name}: expected keys with commas between, got {value[:60]!r}")
    return found
