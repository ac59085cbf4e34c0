"""Candidates: tool calls enumerated from schemas and from what the agent has read, for policies that choose by number."""

from __future__ import annotations

import heapq
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice, pairwise, product
from typing import Any

from opsgym.core.task import JsonDict, ToolCall
from opsgym.core.tools import Tool

__all__ = ["Candidate", "Facts", "candidates"]

_WORD = re.compile(r"[^\W_][\w./-]*")
_NUMBER = re.compile(r"-?\d+(\.\d+)?")
_DECODER = json.JSONDecoder()
_FAR = 1000
"""Distance, in words, of values that do not stand in the brief together."""

_MOST = 4096
"""How many combinations of arguments are looked at for one tool."""


@dataclass(frozen=True, slots=True)
class Value:
    """A value that an argument may take, and where in the brief it stands first, in words."""

    value: Any
    place: int | None = None


@dataclass(frozen=True, slots=True)
class Candidate:
    """A call, and how its arguments stand in the brief.

    Attributes:
        call: The call.
        span: How many words apart they stand.
        place: Number of the first word.
        in_order: Whether they stand there in the order of the tool's arguments.
    """

    call: ToolCall
    span: int
    place: int
    in_order: bool = False


@dataclass(slots=True)
class Facts:
    """What an agent has read.

    Attributes:
        words: Words of the brief and where they stand first; codes (with a digit) and plain words apart.
        numbers: Numbers of the brief, likewise.
        values: Text and numbers of results, by the name under which they stood.
    """

    words: dict[str, int] = field(default_factory=dict)
    numbers: dict[float, int] = field(default_factory=dict)
    values: dict[str, dict[Any, None]] = field(default_factory=dict)

    @classmethod
    def of_brief(cls, brief: str) -> Facts:
        """Words and numbers of a brief."""
        facts = cls()
        for place, match in enumerate(_WORD.finditer(brief)):
            word = match.group().rstrip(".-/")
            if _NUMBER.fullmatch(word):
                facts.numbers.setdefault(float(word), place)
            else:
                facts.words.setdefault(word, place)
        return facts

    def read(self, observation: str) -> bool:
        """Take up what the results of an observation hold; says whether anything was new."""
        fresh = False
        for line in map(str.strip, observation.splitlines()):
            try:
                body, end = _DECODER.raw_decode(line)
            except (ValueError, RecursionError):  # a line that was cut
                continue
            if end == len(line) and isinstance(body, dict) and body.get("ok"):
                fresh |= self._collect("", body.get("result"))
        return fresh

    def copy(self) -> Facts:
        """A copy that shares nothing that changes."""
        return Facts(self.words, self.numbers, {key: dict(values) for key, values in self.values.items()})

    def texts(self, name: str) -> list[Value]:
        """Text for an argument: seen under its name, else the codes of the brief, else its words."""
        seen = [value for key in (name, f"{name}_id", f"{name}s") for value in self.values.get(key, ()) if isinstance(value, str)]
        codes = [word for word in self.words if any(map(str.isdigit, word))]
        return [Value(word, self.words.get(word)) for word in seen or codes or self.words]

    def figures(self, name: str, *, whole: bool) -> list[Value]:
        """Numbers for an argument: seen under its name, else those of the brief; 1 when there are none."""
        seen = [float(value) for value in self.values.get(name, ()) if isinstance(value, int | float)]
        found = [number for number in seen or self.numbers if number.is_integer() or not whole]
        return [Value(int(n) if n.is_integer() else n, self.numbers.get(n)) for n in found] or [Value(1)]

    def _collect(self, name: str, value: Any) -> bool:
        """Take up a value and what is in it; says whether anything was new."""
        if isinstance(value, str | int | float):
            if not name or isinstance(value, bool):
                return False
            known = self.values.get(name)
            if known is None:
                known = self.values[name] = {}
            elif value in known:
                return False
            known[value] = None
            return True
        fresh = False
        if isinstance(value, dict):
            for key, item in value.items():
                fresh |= self._collect(key, item)
        elif isinstance(value, list):
            for item in value:
                fresh |= self._collect(name, item)
        return fresh


def candidates(tool: Tool, facts: Facts, *, values: int, most: int) -> list[Candidate]:
    """Calls of a tool with its required arguments, those whose arguments stand closest together in the brief first.

    Args:
        tool: The tool.
        facts: What has been read.
        values: How many values each argument may take.
        most: Greatest number of calls.
    """
    schema = tool.parameters
    names = list(schema.get("required", ()))
    options = [_options(name, schema["properties"][name], schema.get("$defs", {}), facts, values) for name in names]
    combinations = islice(product(*options), _MOST)
    return heapq.nsmallest(most, _made(tool.name, names, combinations), key=lambda each: (each.span, each.place))


def _made(tool: str, names: list[str], combinations: Iterator[tuple[Value, ...]]) -> Iterator[Candidate]:
    for combination in combinations:
        places = [value.place for value in combination if value.place is not None]
        span = max(places) - min(places) if len(places) == len(combination) and places else _FAR * bool(combination)
        arguments = {name: value.value for name, value in zip(names, combination, strict=True)}
        in_order = len(places) == len(combination) and all(first < second for first, second in pairwise(places))
        yield Candidate(ToolCall(name=tool, arguments=arguments), span, min(places, default=_FAR), in_order)


def _options(name: str, schema: JsonDict, definitions: JsonDict, facts: Facts, values: int) -> list[Value]:
    """Values for an argument of a schema."""
    if "$ref" in schema:
        return _options(name, definitions[schema["$ref"].rsplit("/", 1)[-1]], definitions, facts, values)
    if "enum" in schema or "const" in schema:
        return [Value(value) for value in schema.get("enum", [schema.get("const")])][:values]
    if "anyOf" in schema:
        return [value for each in schema["anyOf"] for value in _options(name, each, definitions, facts, values)][:values]
    kind = schema.get("type")
    if kind == "string":
        return facts.texts(name)[:values]
    if kind in ("integer", "number"):
        return facts.figures(name, whole=kind == "integer")[:values]
    if kind == "boolean":
        return [Value(False), Value(True)]
    if kind == "array":
        items = _options(name.removesuffix("s"), schema.get("items", {}), definitions, facts, values)
        return [Value([item.value], item.place) for item in items]
    if kind == "object":
        inner = list(schema.get("required", ()))
        parts = [_options(each, schema["properties"][each], definitions, facts, values) for each in inner]
        made = _made("", inner, islice(product(*parts), _MOST))
        return [Value(each.call.arguments, each.place) for each in heapq.nsmallest(values, made, key=lambda e: (e.span, e.place))]
    return [Value(None)]
