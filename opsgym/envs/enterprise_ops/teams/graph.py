"""Records in the shape of Microsoft Graph: names in camel case, ``id``, times in UTC, pages under ``value``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from opsgym.core.errors import ToolError
from opsgym.core.records.columns import Column, Moment
from opsgym.core.records.table import Table
from opsgym.envs.enterprise_ops.teams import odata

CUT = 200
"""Records that a list without pages shows at most."""

_NAMES = {
    "created_at": "createdDateTime",
    "updated_at": "lastModifiedDateTime",
    "deleted_at": "deletedDateTime",
    "start_time": "startDateTime",
    "end_time": "endDateTime",
    "visible_history_start": "visibleHistoryStartDateTime",
    "body_json": "body",
    "expiry": "expiryDateTime",
    "app_id": "teamsAppId",
}
_HIDDEN = {"org_id", "soft_deleted", "static_token", "members"}


def camel(name: str) -> str:
    """A column's name as a property."""
    first, *rest = _NAMES.get(name, name).split("_")
    return first + "".join(part.capitalize() for part in rest)


@cache
def properties(table: Table) -> Mapping[str, Column]:
    """The columns that agents see of a table, by property; its key is ``id``."""
    found = {}
    for column in table.columns:
        if column.name not in _HIDDEN and not column.secret:
            found["id" if (column.name,) == table.key else camel(column.name)] = column
    return found


def shaped(table: Table, row: Mapping[str, Any]) -> dict[str, Any]:
    """A record as agents see it; what is empty is left out."""
    shape: dict[str, Any] = {}
    for name, column, is_moment in _plan(table):
        value = row[column]
        if value is not None:
            shape[name] = f"{value.replace(' ', 'T')}Z" if is_moment else value
    return shape


@cache
def _plan(table: Table) -> tuple[tuple[str, str, bool], ...]:
    """Property, column, and whether it holds a time."""
    return tuple((name, column.name, isinstance(column, Moment)) for name, column in properties(table).items())


def answer(
    rows: Sequence[Mapping[str, Any]],
    known: Iterable[str],
    given: Mapping[str, Any],
    *,
    search: Sequence[str] = (),
) -> dict[str, Any]:
    """A list, filtered, ordered, cut and selected as its query options say.

    Args:
        rows: The records.
        known: Their properties.
        given: The arguments of the call; those with ``_filter``, ``_search``, ``_orderby``, ``_select``, ``_top``, ``_skip``,
            ``_skiptoken`` and ``_count`` count.
        search: Properties in which ``_search`` looks.

    Raises:
        ToolError: ``invalid_value``: an option cannot be read.
    """
    names = list(known)
    found: list[Mapping[str, Any]] = list(rows)
    if given.get("_filter"):
        found = odata.filtered(found, given["_filter"], names)
    if given.get("_search"):
        found = [row for row in found if _is_found(row, given["_search"], search)]
    if given.get("_orderby"):
        found = odata.ordered(found, given["_orderby"], names)
    total, start, size = len(found), _start(given), given.get("_top", CUT)
    found = found[start : start + size]
    if given.get("_select"):
        found = odata.selected(found, given["_select"], names)
    result: dict[str, Any] = {"@odata.count": total} if given.get("_count") else {}
    result["value"] = found
    left = total - start - len(found)
    if left > 0:
        result |= {"@odata.nextLink": f"skiptoken={start + size}", "left": left}
    return result


def _start(given: Mapping[str, Any]) -> int:
    token = given.get("_skiptoken")
    if not token:
        return int(given.get("_skip", 0))
    digits = token.removeprefix("skiptoken=")
    if not (digits.isascii() and digits.isdecimal() and len(digits) < 10):
        raise ToolError("invalid_value", f"_skiptoken: expected the token of an @odata.nextLink, got {token[:60]!r}")
    return int(digits)


def _is_found(row: Mapping[str, Any], text: str, names: Sequence[str]) -> bool:
    """Whether the text is in one of the properties; ``"displayName:text"`` names one."""
    name, colon, rest = text.strip('"').partition(":")
    wanted, places = (rest, [name]) if colon and name in names else (text.strip('"'), names)
    return any(wanted.casefold() in str(row.get(place, "")).casefold() for place in places)
