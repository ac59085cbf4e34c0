"""Calls of any tool with arguments of every sort, for the tests of all domains."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from opsgym.core.errors import ToolError
from opsgym.core.records.records import Records
from opsgym.core.schema_sample import SchemaSampler
from opsgym.core.tools import Tool

Arguments = dict[str, Any]
Known = Mapping[str, Sequence[Any]]
"""Values of a world by column."""
Make = Callable[[Tool, np.random.Generator, Known], Arguments]


def known_values(rows: Mapping[str, Sequence[Mapping[str, Any]]]) -> dict[str, list[Any]]:
    """The values of a world by column."""
    known: dict[str, list[Any]] = {}
    for listed in rows.values():
        for row in listed:
            for name, value in row.items():
                if value is not None:
                    known.setdefault(name, []).append(value)
    return known


def attempt(tool: Tool, records: Records, arguments: Arguments) -> bool:
    """Whether a call gives JSON; else it is a refusal that leaves the world as it was; nothing else happens."""
    before = records.world.digest()
    try:
        with records.world.savepoint():
            json.dumps(tool.function(records, **tool.validate(arguments)))
    except ToolError:
        assert records.world.digest() == before
        return False
    else:
        assert tool.mutates or records.world.digest() == before
        return True
    finally:
        assert records.world.check() == []


def valid(tool: Tool, rng: np.random.Generator, known: Known) -> Arguments:
    """Arguments by the schema, with values of the world where a column has that name."""
    arguments = sampled(tool, rng, known)
    for name, value in arguments.items():
        if known.get(name) and isinstance(value, str | int) and not isinstance(value, bool):
            found = known[name][int(rng.integers(len(known[name])))]
            arguments[name] = str(found) if isinstance(value, str) else found
    return arguments


def sampled(tool: Tool, rng: np.random.Generator, known: Known) -> Arguments:
    """Arguments by the schema, which stand for no record: foreign ones."""
    return dict(SchemaSampler(rng, tool.parameters.get("$defs")).draw(tool.parameters))


def missing(tool: Tool, rng: np.random.Generator, known: Known) -> Arguments:
    """No required argument."""
    return {name: value for name, value in valid(tool, rng, known).items() if name not in tool.parameters.get("required", ())}


def wrong_type(tool: Tool, rng: np.random.Generator, known: Known) -> Arguments:
    """Objects for values, numbers for objects."""
    kinds = tool.parameters["properties"]
    return {name: 1 if kinds[name].get("type") == "object" or "$ref" in kinds[name] else {"no": "such"} for name in kinds}


def wrong_word(tool: Tool, rng: np.random.Generator, known: Known) -> Arguments:
    """Words that no enumeration has, of limited texts too long ones."""
    kinds = tool.parameters["properties"]
    return {
        name: "no such word" * 40 if kinds[name].get("type") == "string" else value
        for name, value in valid(tool, rng, known).items()
    }


def hostile(tool: Tool, rng: np.random.Generator, known: Known) -> Arguments:
    """SQL in every text."""
    return {
        name: "x'; DROP TABLE incident; --" if isinstance(value, str) else value
        for name, value in sampled(tool, rng, known).items()
    }


SORTS: tuple[Make, ...] = (valid, sampled, missing, wrong_type, wrong_word, hostile)
every_sort = pytest.mark.parametrize("make", SORTS, ids=lambda make: make.__name__)
"""Parametrises a test over the sorts of arguments."""
