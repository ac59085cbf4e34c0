"""The part of OData that the tools understand: bind strings, ``$filter``, ``$select``, ``$orderby``.

Source: OData 4.01, URL conventions, and how Microsoft Graph v1.0 uses them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from opsgym.core.errors import ToolError

Record = Mapping[str, Any]
Test = Callable[[Record], bool]

MAX_DEPTH = 20
"""How deeply parentheses and ``not`` of a filter may be nested."""

_BIND = re.compile(
    r"(?:https://graph\.microsoft\.com/(?:v1\.0|beta)|)/?((?:appCatalogs/)?[A-Za-z]+)(?:\('([^'()]{1,320})'\)|/([^'()/\s]{1,320}))"
)
_TOKEN = re.compile(r"\s*(?:(?P<text>'(?:[^']|'')*')|(?P<sign>[(),])|(?P<word>[^\s(),']+))")
_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "eq": lambda left, right: bool(left == right),
    "ne": lambda left, right: bool(left != right),
    "gt": lambda left, right: bool(left > right),
    "ge": lambda left, right: bool(left >= right),
    "lt": lambda left, right: bool(left < right),
    "le": lambda left, right: bool(left <= right),
}
_FUNCTIONS: dict[str, Callable[[str, str], bool]] = {
    "startswith": lambda text, part: text.startswith(part),
    "endswith": lambda text, part: text.endswith(part),
    "contains": lambda text, part: part in text,
}


def bound(argument: str, text: str, *collections: str) -> str:
    """The key in a bind string.

    Args:
        argument: Name of the argument, for the refusal.
        text: The bind string.
        collections: Collections to which it may point.

    Raises:
        ToolError: ``invalid_value``: another form, or another collection.

    Example:
        >>> bound("user_odata_bind", "https://graph.microsoft.com/v1.0/users('USER_001')", "users")
        'USER_001'
        >>> bound("teamsApp_odata_bind", "https://graph.microsoft.com/v1.0/appCatalogs/teamsApps/APP_002", "teamsApps")
        'APP_002'
    """
    match = _BIND.fullmatch(text)
    if match is None or match[1].rsplit("/", 1)[-1] not in collections:
        wanted = " or ".join(f"https://graph.microsoft.com/v1.0/{name}('<id>')" for name in collections)
        raise ToolError("invalid_value", f"{argument}: expected {wanted}, got {text[:80]!r}")
    return match[2] or match[3]


def filtered(rows: Sequence[Record], text: str, known: Iterable[str]) -> list[Record]:
    """The records for which a ``$filter`` is true.

    Understood are ``eq ne gt ge lt le in``, ``and or not``, parentheses, ``startswith endswith contains``, and properties of
    properties with ``/``.  Text is compared without regard to case, and what is missing equals only ``null``.

    Args:
        rows: The records.
        text: The filter.
        known: Names of the properties.

    Raises:
        ToolError: ``invalid_value``: the filter cannot be read, or names no property.

    Example:
        >>> filtered([{"name": "Ana", "n": 1}, {"name": "Bo", "n": 2}], "startswith(name,'a') or n gt 1", ("name", "n"))
        [{'name': 'Ana', 'n': 1}, {'name': 'Bo', 'n': 2}]
    """
    test = _Filter(text, known).test
    return [row for row in rows if test(row)]


def selected(rows: Sequence[Record], text: str, known: Sequence[str]) -> list[Record]:
    """The records with only the properties that a ``$select`` names, and ``id``."""
    names = ["id", *(_known("_select", name.strip(), known) for name in text.split(","))]
    return [{name: row[name] for name in dict.fromkeys(names) if name in row} for row in rows]


def ordered(rows: Sequence[Record], text: str, known: Sequence[str]) -> list[Record]:
    """The records in the order of an ``$orderby``; what is missing comes first."""
    found = list(rows)
    for part in reversed(text.split(",")):
        name, _, direction = part.strip().partition(" ")
        _known("_orderby", name, known)
        if direction not in ("", "asc", "desc"):
            raise ToolError("invalid_value", f"_orderby: expected asc or desc, got {direction[:60]!r}")
        found.sort(key=lambda row: _rank(row.get(name)), reverse=direction == "desc")
    return found


def _rank(value: Any) -> tuple[int, str | float]:
    if value is None:
        return 0, ""
    return (2, value) if isinstance(value, int | float) else (3, str(value).casefold())


def _known(argument: str, name: str, known: Iterable[str]) -> str:
    if name.split("/")[0] not in known:
        raise ToolError("invalid_value", f"{argument}: no property {name[:60]!r}; expected one of {', '.join(known)}")
    return name


class _Filter:
    """A recursive-descent reader of filters.

    Args:
        text: The filter.
        known: Names of the properties.
    """

    def __init__(self, text: str, known: Iterable[str]) -> None:
        self._tokens = list(_tokens(text))
        self._known = tuple(known)
        self._place = 0
        self._depth = 0
        self.test = self._either()
        if self._peek():
            raise self._problem("the end")

    def _either(self) -> Test:
        tests = [self._all()]
        while self._take("or"):
            tests.append(self._all())
        return lambda row: any(test(row) for test in tests)

    def _all(self) -> Test:
        tests = [self._one()]
        while self._take("and"):
            tests.append(self._one())
        return lambda row: all(test(row) for test in tests)

    def _one(self) -> Test:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise ToolError("invalid_value", f"_filter: nested more than {MAX_DEPTH} deep")
        try:
            if self._take("not"):
                test = self._one()
                return lambda row: not test(row)
            if self._take("("):
                test = self._either()
                self._need(")")
                return test
            if self._peek().lower() in _FUNCTIONS:
                return self._function(_FUNCTIONS[self._next().lower()])
            return self._comparison()
        finally:
            self._depth -= 1

    def _function(self, function: Callable[[str, str], bool]) -> Test:
        self._need("(")
        read = self._property()
        self._need(",")
        part = self._literal()
        self._need(")")
        return lambda row: isinstance(read(row), str) and isinstance(part, str) and function(read(row), part)

    def _comparison(self) -> Test:
        read, sign = self._property(), self._next()
        if sign == "in":
            self._need("(")
            values = [self._literal()]
            while self._take(","):
                values.append(self._literal())
            self._need(")")
            return lambda row: read(row) in values
        if sign not in _COMPARE:
            self._place -= 1
            raise self._problem("eq, ne, gt, ge, lt, le or in")
        return _comparing(read, _COMPARE[sign], self._literal(), sign == "ne")

    def _property(self) -> Callable[[Record], Any]:
        path = _known("_filter", self._next(), self._known).split("/")

        def read(row: Record) -> Any:
            value: Any = row
            for name in path:
                value = value.get(name) if isinstance(value, Mapping) else None
            return value.casefold() if isinstance(value, str) else value

        return read

    def _literal(self) -> Any:
        token = self._next()
        if token[:1] == "'":
            return token[1:-1].replace("''", "'").casefold()
        if token in ("true", "false", "null"):
            return {"true": True, "false": False, "null": None}[token]
        if re.fullmatch(r"-?\d{1,15}(\.\d{1,15})?", token):
            return float(token) if "." in token else int(token)
        if re.fullmatch(r"\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?Z?)?", token):
            return f"{(token[:10] + 'T' + (token[11:].split('.')[0].rstrip('Z') or '00:00') + ':00')[:19]}z".casefold()
        self._place -= 1
        raise self._problem("a value")

    def _peek(self) -> str:
        return self._tokens[self._place] if self._place < len(self._tokens) else ""

    def _next(self) -> str:
        token = self._peek()
        if not token:
            raise self._problem("more")
        self._place += 1
        return token

    def _take(self, token: str) -> bool:
        found = self._peek() == token
        self._place += found
        return found

    def _need(self, token: str) -> None:
        if not self._take(token):
            raise self._problem(token)

    def _problem(self, wanted: str) -> ToolError:
        return ToolError("invalid_value", f"_filter: expected {wanted}, got {self._peek()[:60]!r}")


def _comparing(read: Callable[[Record], Any], compare: Callable[[Any, Any], bool], wanted: Any, negated: bool) -> Test:
    def test(row: Record) -> bool:
        try:
            return compare(read(row), wanted)
        except TypeError:  # values of different kinds are not ordered
            return negated

    return test


def _tokens(text: str) -> Iterable[str]:
    place = 0
    text = text.rstrip()
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None:
            raise ToolError("invalid_value", f"_filter: cannot read {text[place : place + 60]!r}")
        yield match[0].strip()
        place = match.end()
