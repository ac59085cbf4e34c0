"""The published tool signatures and tables, where they lie next to the repository."""

from __future__ import annotations

import ast
import csv
import re
import sqlite3
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parents[4] / "shared" / "data" / "enterpriseops"


def needed(name: str) -> Path:
    """The path of a file of theirs; skips the test where it is not at hand."""
    path = FOLDER / name
    if not path.exists():
        pytest.skip(f"{name} is not at hand")
    return path


Canonical = tuple[str, bool, Any]
"""Kind, whether it is required, and limits."""


def published(domain: str) -> dict[str, dict[str, Any]]:
    """Arguments by tool, each as canonical facts."""
    with needed(f"tools_{domain}.tsv").open(newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    return {row["tool"]: _arguments(row["required"], True) | _arguments(row["optional"], False) for row in rows}


def _arguments(text: str, required: bool) -> dict[str, Any]:
    text = re.sub(r" #\w+", "", text or "")
    return {name: fact | {"required": required} for name, fact in map(_argument, filter(None, text.split("; ")))}


def _argument(text: str) -> tuple[str, dict[str, Any]]:
    name, kind = text.split(":", 1)
    fact: dict[str, Any] = {}
    if kind.startswith("["):
        end = _closing(kind)
        inner, rest = kind[1:end], kind[end + 1 :]
        return name, {"type": "array", "items": _argument(f"_:{inner}")[1]} | _default(rest)
    if kind.startswith("{"):
        inner, _, rest = kind[1:].partition("}")
        return name, {"type": "object", "properties": sorted(inner.split(","))} | _default(rest)
    match = re.fullmatch(r"(\w+)(?:<(.*?)>)?((?:\[[\w-]+\])*)(=.*?)?((?:\[[\w-]+\])*)", kind)
    assert match is not None, text
    fact["type"] = match[1]
    if match[2]:
        fact["enum"] = sorted(match[2].split("|"))
    for limit in re.findall(r"\[([\w-]+)\]", match[3] + match[5]):
        fact |= _limit(limit)
    return name, fact | _default(match[4] or "", match[1])


def _closing(text: str) -> int:
    """Position of the bracket that closes the first one."""
    depth = 0
    for place, character in enumerate(text):
        depth += (character == "[") - (character == "]")
        if depth == 0:
            return place
    raise ValueError(f"expected a closing bracket in {text!r}")


def _limit(text: str) -> dict[str, Any]:
    if text.startswith("fmt"):
        return {"format": text.removeprefix("fmt")}
    match = re.fullmatch(r"([a-z]+)(\d+)", text)
    return {match[1]: int(match[2])} if match else {"limit": text}


def _default(text: str, kind: str = "") -> dict[str, Any]:
    if not text:
        return {}
    value = text[1:]
    if value.startswith("{"):
        return {"default": "empty"}
    return {"default": value if kind == "string" else ast.literal_eval(value)}


def canonical(parameters: dict[str, Any]) -> dict[str, Any]:
    """The same facts of one of our schemas."""
    required = parameters.get("required", [])
    definitions = parameters.get("$defs", {})
    return {
        name: _fact(schema, definitions) | {"required": name in required} for name, schema in parameters["properties"].items()
    }


def _fact(schema: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    default = schema.get("default")
    if "$ref" in schema:
        schema = definitions[schema["$ref"].rsplit("/", 1)[-1]]
    fact: dict[str, Any] = {"type": schema["type"]}
    if schema["type"] == "array":
        fact["items"] = _fact(schema["items"], definitions)
    if schema["type"] == "object" and "properties" in schema:
        fact["properties"] = sorted(schema["properties"])
    if "enum" in schema or "const" in schema:
        fact["enum"] = sorted(schema.get("enum", [schema.get("const")]))
    for ours, theirs in (("maxLength", "max"), ("minimum", "ge"), ("maximum", "le"), ("format", "format")):
        if ours in schema:
            fact[theirs] = schema[ours]
    if default is not None:
        fact["default"] = "empty" if isinstance(default, dict) else default
    return fact


Layout = dict[str, tuple[list[tuple[str, int]], list[tuple[str, str, str]]]]
"""Columns with their place in the key, and references, by table."""


def layout(ddl: str) -> Layout:
    """What tables a script makes; not with types and nullability, which the published ones do not tell for certain."""
    conn = sqlite3.connect(":memory:")
    conn.executescript(ddl)
    names = [name for (name,) in conn.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
    found = {
        name: (
            [(row[1], row[5]) for row in conn.execute(f'PRAGMA table_info("{name}")')],
            sorted((row[3], row[2], row[4]) for row in conn.execute(f'PRAGMA foreign_key_list("{name}")')),
        )
        for name in names
    }
    conn.close()
    return found
