"""Random values of a JSON Schema, of the subset that :mod:`opsgym.core.tools` makes of typed functions."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable
from re import _parser as sre_parser  # type: ignore[attr-defined]  # typeshed leaves it out; it parses patterns since 3.11
from typing import Any

import numpy as np

from opsgym.core.task import JsonDict

__all__ = ["ALPHABET", "SchemaSampler"]

ALPHABET = "".join(map(chr, range(32, 127))) + "äéßØłŽñ¿€£“”…ΩДж中文日本한글😀"
"""Characters of sampled text: printable ASCII, and some that are more than one byte or one UTF-16 unit."""

MAX_NESTING = 4
"""Depth below which recursive schemas are cut short."""

MAX_EXTRA = 12
"""How many characters or items a sample may have beyond the least number."""


class SchemaSampler:
    """Draws values that a JSON Schema accepts.

    Args:
        rng: Source of randomness.
        definitions: The schema's ``$defs``.
    """

    def __init__(self, rng: np.random.Generator, definitions: JsonDict | None = None) -> None:
        self._rng = rng
        self._definitions = definitions or {}

    def draw(self, schema: JsonDict, depth: int = 0) -> Any:
        """One value.

        Args:
            schema: The schema; without any keyword it accepts everything.
            depth: How deeply the value is nested in what is being drawn.

        Raises:
            ValueError: The schema uses a keyword of which no sample can be made.
        """
        if "$ref" in schema:
            return self.draw(self._definitions[schema["$ref"].rsplit("/", 1)[-1]], depth + 1)
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return self._pick(schema["enum"])
        if schema.get("examples"):  # where most values that fit make no sense, or race: commands of a shell
            return self._pick(schema["examples"])
        options = schema.get("anyOf") or schema.get("oneOf")
        if options:
            shallow = [option for option in options if depth < MAX_NESTING or "$ref" not in option]
            return self.draw(self._pick(shallow or options), depth)
        kind = schema.get("type")
        if kind is None:
            return self._pick([None, True, 7, 0.5, "text", []])
        if kind not in _DRAW:
            raise ValueError(f"no sample can be made of JSON Schema type {kind!r}")
        return _DRAW[kind](self, schema, depth)

    def _pick(self, options: Any) -> Any:
        return options[self._below(len(options))]

    def _below(self, stop: int) -> int:
        return int(self._rng.integers(stop))

    def _size(self, least: int, most: int | None) -> int:
        most = least + MAX_EXTRA if most is None else min(most, least + MAX_EXTRA)
        return least + self._below(most - least + 1)

    def _boolean(self, schema: JsonDict, depth: int) -> bool:
        return bool(self._below(2))

    def _integer(self, schema: JsonDict, depth: int) -> int:
        low, high = _bounds(schema, 1)
        step = int(schema.get("multipleOf", 1))
        first, last = -(-int(low) // step), int(high) // step
        return step * int(self._rng.integers(first, last + 1))

    def _number(self, schema: JsonDict, depth: int) -> float | int:
        if self._below(2) and "multipleOf" not in schema:
            low, high = _bounds(schema, 0)
            value = round(low + (high - low) * float(self._rng.random()), 2)
            if low < value < high:
                return value
        if "multipleOf" in schema or _bounds(schema, 1)[0] <= _bounds(schema, 1)[1]:
            return self._integer(schema, depth)
        low, high = _bounds(schema, 0)
        return (low + high) / 2

    def _string(self, schema: JsonDict, depth: int) -> str:
        least, most = schema.get("minLength", 0), schema.get("maxLength")
        if "format" in schema:
            if schema["format"] not in _FORMATS:
                raise ValueError(f"no sample can be made of string format {schema['format']!r}")
            return _FORMATS[schema["format"]](dt.datetime(2026, 1, 1) + dt.timedelta(minutes=self._below(1_000_000)))
        if "pattern" not in schema:
            return "".join(ALPHABET[i] for i in self._rng.integers(len(ALPHABET), size=self._size(least, most)))
        for _ in range(100):
            text = self._pattern(sre_parser.parse(schema["pattern"]))
            if least <= len(text) and (most is None or len(text) <= most) and re.search(schema["pattern"], text):
                return text
        raise ValueError(f"no sample of pattern {schema['pattern']!r} with {least} to {most} characters was found")

    def _array(self, schema: JsonDict, depth: int) -> list[Any]:
        first = [self.draw(item, depth + 1) for item in schema.get("prefixItems", ())]
        least, most = max(schema.get("minItems", 0), len(first)), schema.get("maxItems")
        if "items" not in schema and "prefixItems" in schema:
            most = len(first)
        size = least if depth >= MAX_NESTING else self._size(least, min(least + 3, most if most is not None else least + 3))
        rest: list[Any] = []
        for _ in range(20 * size):
            if len(first) + len(rest) >= size:
                break
            value = self.draw(schema.get("items", {}), depth + 1)
            if not schema.get("uniqueItems") or value not in rest:
                rest.append(value)
        return first + rest

    def _object(self, schema: JsonDict, depth: int) -> JsonDict:
        required = schema.get("required", ())
        found = {
            name: self.draw(item, depth + 1)
            for name, item in schema.get("properties", {}).items()
            if name in required or (depth < MAX_NESTING and self._below(2))
        }
        extra = schema.get("additionalProperties")
        if isinstance(extra, dict):
            for i in range(self._size(schema.get("minProperties", 0), 2)):
                found[f"key{i}"] = self.draw(extra, depth + 1)
        return found

    def _null(self, schema: JsonDict, depth: int) -> None:
        return None

    def _pattern(self, nodes: Any) -> str:
        """Text of a parsed regular expression."""
        return "".join(self._pattern_node(str(code), value) for code, value in nodes)

    def _pattern_node(self, code: str, value: Any) -> str:
        if code == "LITERAL":
            return chr(value)
        if code == "AT":
            return ""
        if code in ("IN", "ANY", "NOT_LITERAL"):
            return str(self._pick([c for c in ALPHABET if _matches(code, value, c)]))
        if code == "SUBPATTERN":
            return self._pattern(value[-1])
        if code == "BRANCH":
            return self._pattern(self._pick(value[1]))
        if code in ("MAX_REPEAT", "MIN_REPEAT"):
            least, most, inner = value
            return "".join(self._pattern(inner) for _ in range(self._size(least, min(int(most), least + 4))))
        raise ValueError(f"no sample can be made of {code} in a pattern")


def _bounds(schema: JsonDict, step: int) -> tuple[float, float]:
    """Least and greatest value; exclusive bounds are moved by ``step``."""
    low = schema["exclusiveMinimum"] + step if "exclusiveMinimum" in schema else schema.get("minimum")
    high = schema["exclusiveMaximum"] - step if "exclusiveMaximum" in schema else schema.get("maximum")
    if step:
        low, high = (None if low is None else -(-low // 1)), (None if high is None else high // 1)
    if low is None:
        low = -10 if high is None else high - 100
    return low, low + 100 if high is None else high


def _matches(code: str, value: Any, character: str) -> bool:
    if code == "ANY":
        return True
    if code == "NOT_LITERAL":
        return bool(ord(character) != value)
    negated = str(value[0][0]) == "NEGATE"
    return negated != any(_in_class(str(kind), item, character) for kind, item in value[negated:])


def _in_class(kind: str, item: Any, character: str) -> bool:
    if kind == "LITERAL":
        return bool(ord(character) == item)
    if kind == "RANGE":
        return bool(item[0] <= ord(character) <= item[1])
    return re.fullmatch(_CATEGORIES[str(item)], character, re.ASCII) is not None


_CATEGORIES = {
    "CATEGORY_DIGIT": r"\d",
    "CATEGORY_NOT_DIGIT": r"\D",
    "CATEGORY_SPACE": r"\s",
    "CATEGORY_NOT_SPACE": r"\S",
    "CATEGORY_WORD": r"\w",
    "CATEGORY_NOT_WORD": r"\W",
}

_FORMATS: dict[str, Callable[[dt.datetime], str]] = {
    "date": lambda moment: moment.date().isoformat(),
    "date-time": lambda moment: moment.isoformat(),
    "time": lambda moment: moment.time().isoformat(),
    "email": lambda moment: f"user{moment:%d%H%M}@example.com",
    "uri": lambda moment: f"https://example.com/{moment:%d%H%M}",
}

_DRAW: dict[str, Callable[[SchemaSampler, JsonDict, int], Any]] = {
    "boolean": SchemaSampler._boolean,
    "integer": SchemaSampler._integer,
    "number": SchemaSampler._number,
    "string": SchemaSampler._string,
    "array": SchemaSampler._array,
    "object": SchemaSampler._object,
    "null": SchemaSampler._null,
}
