"""Search queries of the ``q`` arguments, compiled to SQL.

A subset of Gmail's search operators: words and ``"phrases"`` (in subject, addresses and text); ``from: to: cc: subject: filename:
label: in: is: has:attachment after: before: older_than: newer_than: larger: smaller: rfc822msgid:``; ``-`` before a term;
``OR``; parentheses.  Terms next to each other must all match.  Case does not matter.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable
from dataclasses import dataclass

from opsgym.core.errors import ToolError
from opsgym.envs.enterprise_ops.email.mailbox import milliseconds

MAX_LENGTH = 1000
"""Characters of a query."""
MAX_TERMS = 60
"""Terms of a query."""

_TOKEN = re.compile(r'\s*(-?(?:\w+:)?"[^"]*"|-?\(|\)|[^\s()]+)')
_SPANS = {"d": 1, "w": 7, "m": 30, "y": 365}
_UNITS = {"": 1, "k": 1024, "m": 1024 * 1024}
_HEADERS = {"from": "From", "to": "To", "cc": "Cc", "subject": "Subject", "rfc822msgid": "Message-ID"}
_PLACES = ("inbox", "sent", "draft", "drafts", "trash", "spam", "anywhere", "archive")
_STATES = ("unread", "read", "starred", "important")


@dataclass(frozen=True)
class Condition:
    """SQL over ``m``, a row of messages, with what it asks for.

    Attributes:
        sql: The condition.
        bound: Values of its question marks.
        reaches_trash: Whether the query names a place that is otherwise left out.
    """

    sql: str
    bound: tuple[str | int, ...] = ()
    reaches_trash: bool = False

    def negated(self) -> Condition:
        """The opposite."""
        return Condition(f"NOT ({self.sql})", self.bound, self.reaches_trash)


def compiled(text: str, now: dt.datetime) -> Condition:
    """The condition of a query.

    Args:
        text: The query; an empty one matches everything.
        now: The time from which spans such as ``newer_than:2d`` count.

    Raises:
        ToolError: ``invalid_value`` with what cannot be read.

    Example:
        >>> compiled("is:unread -from:ann", dt.datetime(2026, 5, 4)).bound
        ('UNREAD', 'From', '%ann%')
    """
    if len(text) > MAX_LENGTH:
        raise ToolError("invalid_value", f"q: expected at most {MAX_LENGTH} characters, got {len(text)}")
    tokens = _TOKEN.findall(text)
    if len(tokens) > MAX_TERMS:
        raise ToolError("invalid_value", f"q: expected at most {MAX_TERMS} terms, got {len(tokens)}")
    parser = _Parser(tokens, now)
    found = parser.alternatives() if tokens else Condition("1")
    if parser.left:
        raise ToolError("invalid_value", f"q: unexpected {parser.left[0]!r}")
    return found


def like(text: str) -> str:
    """A pattern for texts that hold this one."""
    return "%" + re.sub(r"([%_\\])", r"\\\1", text.lower()) + "%"


def _joined(parts: list[Condition], word: str) -> Condition:
    if len(parts) == 1:
        return parts[0]
    sql = f" {word} ".join(f"({part.sql})" for part in parts)
    return Condition(sql, tuple(value for part in parts for value in part.bound), any(part.reaches_trash for part in parts))


class _Parser:
    """Recursive descent over the tokens that are left."""

    def __init__(self, tokens: list[str], now: dt.datetime) -> None:
        self.left = tokens
        self.now = now

    def alternatives(self) -> Condition:
        parts = [self.conjunction()]
        while self.left and self.left[0] == "OR":
            self.left.pop(0)
            parts.append(self.conjunction())
        return _joined(parts, "OR")

    def conjunction(self) -> Condition:
        parts = []
        while self.left and self.left[0] not in (")", "OR"):
            token = self.left.pop(0)
            if token == "AND":
                continue
            parts.append(self.term(token))
        if not parts:
            raise ToolError("invalid_value", "q: expected a term before OR, ) or the end")
        return _joined(parts, "AND")

    def term(self, token: str) -> Condition:
        if token.startswith("-") and len(token) > 1:
            return self.term(token[1:]).negated()
        if token == "(":
            inner = self.alternatives()
            if not self.left or self.left.pop(0) != ")":
                raise ToolError("invalid_value", "q: expected ) at the end of a group")
            return inner
        name, colon, value = token.partition(":")
        value = value.strip('"')
        if not colon or token.startswith('"'):
            return _words(token.strip('"'))
        if name.lower() not in _OPERATORS:
            known = ", ".join(sorted(_OPERATORS))
            raise ToolError("invalid_value", f"q: unknown operator {name[:30]!r}, expected one of {known}")
        if not value:
            raise ToolError("invalid_value", f"q: expected a value after {name}:")
        return _OPERATORS[name.lower()](name.lower(), value, self.now)


def _words(text: str) -> Condition:
    """Text anywhere: in headers that people see, or in the body."""
    header = (
        "EXISTS (SELECT 1 FROM message_headers h WHERE h.message_id = m.id"
        " AND h.name IN ('From', 'To', 'Cc', 'Subject') AND lower(h.value) LIKE ? ESCAPE '\\')"
    )
    body = (
        "EXISTS (SELECT 1 FROM message_parts p JOIN message_part_bodies b ON b.part_id = p.id"
        " WHERE p.message_id = m.id AND lower(b.data) LIKE ? ESCAPE '\\')"
    )
    return Condition(f"{header} OR {body}", (like(text), like(text)))


def _header(name: str, value: str, now: dt.datetime) -> Condition:
    sql = (
        "EXISTS (SELECT 1 FROM message_headers h WHERE h.message_id = m.id AND h.name = ? AND lower(h.value) LIKE ? ESCAPE '\\')"
    )
    return Condition(sql, (_HEADERS[name], like(value)))


def _bears(label: str, *, reaches_trash: bool = False) -> Condition:
    sql = "EXISTS (SELECT 1 FROM message_labels l WHERE l.message_id = m.id AND l.label_id = ?)"
    return Condition(sql, (label,), reaches_trash)


def _label(name: str, value: str, now: dt.datetime) -> Condition:
    """By key or name; spaces in names may be given as hyphens."""
    sql = (
        "EXISTS (SELECT 1 FROM message_labels l JOIN labels a ON a.id = l.label_id WHERE l.message_id = m.id AND"
        " (lower(a.id) = ? OR lower(a.name) = ? OR replace(replace(lower(a.name), ' ', '-'), '/', '-') = ?))"
    )
    low = value.lower()
    return Condition(sql, (low, low, low), low in ("trash", "spam"))


def _place(name: str, value: str, now: dt.datetime) -> Condition:
    place = value.lower()
    if place not in _PLACES:
        raise ToolError("invalid_value", f"q: expected in: one of {', '.join(_PLACES)}, got {value[:30]!r}")
    if place == "anywhere":
        return Condition("1", (), True)
    if place == "archive":
        return _joined([_bears(label).negated() for label in ("INBOX", "SENT", "DRAFT", "TRASH", "SPAM")], "AND")
    return _bears(place.upper().rstrip("S") if place == "drafts" else place.upper(), reaches_trash=place in ("trash", "spam"))


def _state(name: str, value: str, now: dt.datetime) -> Condition:
    state = value.lower()
    if state not in _STATES:
        raise ToolError("invalid_value", f"q: expected is: one of {', '.join(_STATES)}, got {value[:30]!r}")
    return _bears("UNREAD").negated() if state == "read" else _bears(state.upper())


def _has(name: str, value: str, now: dt.datetime) -> Condition:
    if value.lower() != "attachment":
        raise ToolError("invalid_value", f"q: expected has:attachment, got has:{value[:30]}")
    return Condition("EXISTS (SELECT 1 FROM attachments a WHERE a.message_id = m.id)")


def _filename(name: str, value: str, now: dt.datetime) -> Condition:
    sql = "EXISTS (SELECT 1 FROM attachments a WHERE a.message_id = m.id AND lower(a.filename) LIKE ? ESCAPE '\\')"
    return Condition(sql, (like(value),))


def _day(name: str, value: str, now: dt.datetime) -> Condition:
    sign = ">=" if name in ("after", "newer") else "<"
    return Condition(f"CAST(m.internal_date AS INTEGER) {sign} ?", (_instant(value),))


def _instant(value: str) -> int:
    """Milliseconds of a day such as 2026/05/04, or of seconds since 1970."""
    if value.isascii() and value.isdecimal() and 8 < len(value) <= 12:
        return int(value) * 1000
    match = re.fullmatch(r"([0-9]{4})[/-]([0-9]{1,2})[/-]([0-9]{1,2})", value)
    try:
        if match:
            return milliseconds(dt.datetime(int(match[1]), int(match[2]), int(match[3])))
    except ValueError:
        pass
    raise ToolError("invalid_value", f"q: expected a day as YYYY/MM/DD, got {value[:30]!r}")


def _span(name: str, value: str, now: dt.datetime) -> Condition:
    match = re.fullmatch(r"([0-9]{1,4})([dwmy])", value.lower())
    if not match:
        raise ToolError("invalid_value", f"q: expected a span such as 3d, 2w, 1m or 1y, got {value[:30]!r}")
    edge = milliseconds(now) - int(match[1]) * _SPANS[match[2]] * 86_400_000
    return Condition(f"CAST(m.internal_date AS INTEGER) {'<' if name == 'older_than' else '>='} ?", (edge,))


def _size(name: str, value: str, now: dt.datetime) -> Condition:
    match = re.fullmatch(r"([0-9]{1,9})([km]?)b?", value.lower())
    if not match:
        raise ToolError("invalid_value", f"q: expected a size such as 500, 20K or 5M, got {value[:30]!r}")
    sign = "<" if name == "smaller" else ">"
    return Condition(f"m.size_estimate {sign} ?", (int(match[1]) * _UNITS[match[2]],))


_OPERATORS: dict[str, Callable[[str, str, dt.datetime], Condition]] = {
    **dict.fromkeys(_HEADERS, _header),
    "label": _label,
    "in": _place,
    "is": _state,
    "has": _has,
    "filename": _filename,
    **dict.fromkeys(("after", "before", "newer", "older"), _day),
    **dict.fromkeys(("older_than", "newer_than"), _span),
    **dict.fromkeys(("larger", "smaller"), _size),
}
