r"""The search language ``q``: from text to a condition in SQL whose values are all bound.

::

    query   = part { "or" part }
    part    = factor { "and" factor }
    factor  = "not" factor | "(" query ")" | term
    term    = FIELD OPERATOR VALUE
            | VALUE "in" COLLECTION
            | FIELD "has" "{" "key" "=" VALUE "and" "value" "=" VALUE "}"

A value is text in single quotes (``\'`` for a quote, ``\\`` for a backslash), a number, ``true`` or ``false``; a time is
text in ISO 8601.  ``contains`` ignores case.  Source: the public search language of Google Drive; ``size`` is an addition that
EnterpriseOps-Gym's Drive tasks use.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from opsgym.core.errors import ToolError
from opsgym.core.records.columns import Moment

Kind = Literal["text", "word", "time", "flag", "number", "map"]

OPERATORS: dict[Kind, tuple[str, ...]] = {
    "text": ("contains", "=", "!="),
    "word": ("=", "!="),
    "time": ("<=", "<", "=", "!=", ">", ">="),
    "number": ("<=", "<", "=", "!=", ">", ">="),
    "flag": ("=", "!="),
    "map": ("has",),
}
"""Operators by kind of field."""

MAX_LENGTH = 2000
MAX_DEPTH = 30


@dataclass(frozen=True)
class Field:
    """A field that a query may name.

    Attributes:
        kind: Its kind.
        sql: What it is in SQL.
    """

    kind: Kind
    sql: str


@dataclass(frozen=True)
class Language:
    """What may be asked of one kind of record.

    Attributes:
        fields: Fields by name.
        collections: By name, the condition in SQL that a value is in it; its one ``?`` is the value.
    """

    fields: Mapping[str, Field]
    collections: Mapping[str, str]

    def compile(self, text: str, aliases: Mapping[str, str]) -> tuple[str, list[Any]]:
        """The condition of a query, and the values for its question marks.

        Args:
            text: The query; an empty one is always true.
            aliases: What stands for values of collections, such as ``me`` and ``root``.

        Raises:
            ToolError: ``invalid_value``: the query does not follow the grammar; the message names place and what was expected.
        """
        if not text.strip():
            return "1", []
        if len(text) > MAX_LENGTH:
            raise ToolError("invalid_value", f"q: expected at most {MAX_LENGTH} characters, got {len(text)}")
        return _Parser(self, text, aliases).parse()


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    place: int


_TOKEN = re.compile(
    r"\s*(?:(?P<string>'(?:[^'\\]|\\.)*')|(?P<number>-?\d{1,15}(?:\.\d{1,9})?)(?![\w.])|(?P<word>[A-Za-z_][\w.]*)"
    r"|(?P<sign><=|>=|!=|=|<|>|\(|\)|\{|\}))",
    re.ASCII,
)


def _tokens(text: str) -> list[_Token]:
    found, place = [], 0
    text = text.rstrip()
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None:
            rest = text[place:].lstrip()
            what = "a closing quote" if rest.startswith("'") else "a field, a value in single quotes or an operator"
            raise ToolError("invalid_value", f"q: expected {what} at character {len(text) - len(rest) + 1}, got {rest[:20]!r}")
        kind = str(match.lastgroup)
        found.append(_Token(kind, match[kind], match.start(kind) + 1))
        place = match.end()
    return [*found, _Token("end", "", len(text) + 1)]


class _Parser:
    """Recursive descent over the tokens."""

    def __init__(self, language: Language, text: str, aliases: Mapping[str, str]) -> None:
        self.language = language
        self.aliases = aliases
        self.tokens = _tokens(text)
        self.position = 0
        self.depth = 0
        self.bound: list[Any] = []

    def parse(self) -> tuple[str, list[Any]]:
        condition = self.query()
        if self.now.kind != "end":
            raise self.error("'and', 'or' or the end")
        return condition, self.bound

    @property
    def now(self) -> _Token:
        return self.tokens[self.position]

    def next(self) -> _Token:
        token = self.now
        self.position += token.kind != "end"
        return token

    def take(self, text: str) -> bool:
        """Whether the next token is this word or sign; it is taken then."""
        found = self.now.kind in ("word", "sign") and self.now.text.lower() == text
        self.position += found
        return found

    def expect(self, text: str) -> None:
        if not self.take(text):
            raise self.error(repr(text))

    def error(self, wanted: str) -> ToolError:
        got = repr(self.now.text[:40]) if self.now.kind != "end" else "the end"
        return ToolError("invalid_value", f"q: expected {wanted} at character {self.now.place}, got {got}")

    def query(self) -> str:
        parts = [self.part()]
        while self.take("or"):
            parts.append(self.part())
        return f"({' OR '.join(parts)})" if len(parts) > 1 else parts[0]

    def part(self) -> str:
        factors = [self.factor()]
        while self.take("and"):
            factors.append(self.factor())
        return " AND ".join(factors)

    def factor(self) -> str:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise ToolError("invalid_value", f"q: expected at most {MAX_DEPTH} levels of brackets and 'not'")
        try:
            if self.take("not"):
                return f"NOT coalesce({self.factor()}, 0)"
            if self.take("("):
                condition = self.query()
                self.expect(")")
                return f"({condition})"
            return self.term()
        finally:
            self.depth -= 1

    def term(self) -> str:
        if self.now.kind == "string":
            return self.membership()
        if self.now.kind != "word":
            raise self.error("a field, 'not' or '('")
        field = self.language.fields.get(self.now.text)
        if field is None:
            names = ", ".join(self.language.fields)
            raise self.error(f"one of the fields {names}")
        self.next()
        operator = self.operator(field)
        return self.pair(field) if field.kind == "map" else self.comparison(field, operator)

    def operator(self, field: Field) -> str:
        allowed = OPERATORS[field.kind]
        if self.now.text.lower() not in allowed or self.now.kind not in ("word", "sign"):
            raise self.error(f"one of {' '.join(allowed)}")
        return self.next().text.lower()

    def membership(self) -> str:
        value = _unquoted(self.next().text)
        self.expect("in")
        condition = self.language.collections.get(self.now.text)
        if condition is None:
            raise self.error(f"one of the collections {', '.join(self.language.collections)}")
        self.next()
        self.bound.append(self.aliases.get(value, value))
        return condition

    def pair(self, field: Field) -> str:
        self.expect("{")
        self.expect("key")
        self.expect("=")
        key = self.text()
        self.expect("and")
        self.expect("value")
        self.expect("=")
        self.bound += [key, self.text()]
        self.expect("}")
        return f"EXISTS (SELECT 1 FROM json_each({field.sql}) AS j WHERE j.key = ? AND CAST(j.value AS TEXT) = ?)"

    def text(self) -> str:
        if self.now.kind != "string":
            raise self.error("text in single quotes")
        return _unquoted(self.next().text)

    def comparison(self, field: Field, operator: str) -> str:
        value = self.value(field)
        self.bound.append(value)
        if operator == "contains":
            return f"instr(lower({field.sql}), lower(?)) > 0"
        if field.kind in ("text", "word", "flag"):
            return f"{field.sql} {'IS' if operator == '=' else 'IS NOT'} ?"
        return f"{field.sql} {operator} ?"

    def value(self, field: Field) -> Any:
        if field.kind == "flag":
            if self.now.text not in ("true", "false"):
                raise self.error("true or false")
            return int(self.next().text == "true")
        if field.kind == "number":
            if self.now.kind != "number":
                raise self.error("a number")
            return float(self.next().text)
        if field.kind == "time":
            place = self.now
            text = self.text()
            try:
                return Moment.canonical(text)
            except (ValueError, OverflowError):
                raise ToolError(
                    "invalid_value", f"q: expected a time in ISO 8601 at character {place.place}, got {text[:40]!r}"
                ) from None
        return self.text()


def _unquoted(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text[1:-1], flags=re.DOTALL)


def _shared(roles: str) -> str:
    """Whether a permission on the file itself names an address or a group, with one of these roles."""
    return (
        "EXISTS (SELECT 1 FROM permissions p WHERE p.file_id = files.id AND NOT p.deleted"
        f" AND p.role IN ({roles}) AND p.email_address = ?)"
    )


FILES = Language(
    {
        "name": Field("text", "name"),
        "fullText": Field("text", "(name || ' ' || coalesce(json_extract(properties, '$.description'), ''))"),
        "mimeType": Field("text", "mime_type"),
        "modifiedTime": Field("time", "modified_time"),
        "createdTime": Field("time", "created_time"),
        "viewedByMeTime": Field("time", "viewed_by_me_time"),
        "trashed": Field("flag", "trashed"),
        "starred": Field("flag", "starred"),
        "size": Field("number", "size_bytes"),
        "properties": Field("map", "properties"),
        "appProperties": Field("map", "properties"),
        "visibility": Field(
            "word",
            "CASE WHEN EXISTS (SELECT 1 FROM permissions p WHERE p.file_id = files.id AND p.type = 'anyone') THEN"
            " CASE WHEN EXISTS (SELECT 1 FROM permissions p WHERE p.file_id = files.id AND p.type = 'anyone'"
            " AND p.allow_file_discovery) THEN 'anyoneCanFind' ELSE 'anyoneWithLink' END"
            " WHEN EXISTS (SELECT 1 FROM permissions p WHERE p.file_id = files.id AND p.type = 'domain') THEN 'domainCanFind'"
            " ELSE 'limited' END",
        ),
        "shortcutDetails.targetId": Field("word", "shortcut_target_id"),
        "driveId": Field("word", "drive_id"),
    },
    {
        "parents": "parent_id = ?",
        "ancestors": "id IN (SELECT c.descendant_id FROM path_closure c WHERE c.ancestor_id = ? AND c.depth > 0)",
        "owners": _shared("'owner'"),
        "writers": _shared("'writer', 'fileOrganizer', 'organizer', 'owner'"),
        "readers": _shared("'reader', 'commenter', 'writer', 'fileOrganizer', 'organizer', 'owner'"),
        "labels": "EXISTS (SELECT 1 FROM file_labels v JOIN labels l ON l.id = v.label_id"
        " WHERE v.file_id = files.id AND ? IN (l.id, l.key, 'labels/' || l.id))",
    },
)
"""Queries of ``list_files``."""

_MEMBERS = "(SELECT count(*) FROM permissions p WHERE p.drive_id = drives.id{})"

DRIVES = Language(
    {
        "name": Field("text", "name"),
        "hidden": Field("flag", "hidden"),
        "createdTime": Field("time", "created_time"),
        "domainUsersOnly": Field("flag", "domain_users_only"),
        "driveMembersOnly": Field("flag", "drive_members_only"),
        "memberCount": Field("number", _MEMBERS.format("")),
        "organizerCount": Field("number", _MEMBERS.format(" AND p.role = 'organizer'")),
    },
    {
        "members": "EXISTS (SELECT 1 FROM permissions p WHERE p.drive_id = drives.id AND p.email_address = ?)",
    },
)
"""Queries of ``list_drives``."""
