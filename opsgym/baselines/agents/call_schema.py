"""Call schema: what may be called, as the JSON schema of a reply that a server with constrained decoding enforces."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from opsgym.core.task import JsonDict, ToolCall

__all__ = ["schema_of_calls", "schema_of_tools"]


def schema_of_calls(calls: Sequence[ToolCall]) -> JsonDict:
    """The schema of exactly these calls.

    Example:
        >>> schema_of_calls([ToolCall(name="done")])
        {'enum': [{'name': 'done', 'arguments': {}}]}
    """
    return {"enum": [call.model_dump() for call in calls]}


def schema_of_tools(schemas: Iterable[JsonDict]) -> JsonDict:
    """The schema of one call of any tool, with arguments as the tool's own schema has them.

    Args:
        schemas: Tools, as OpenAI function schemas.
    """
    options: list[JsonDict] = []
    definitions: JsonDict = {}
    for function in (schema["function"] for schema in schemas):
        name, parameters = function["name"], dict(function["parameters"])
        definitions |= {f"{name}.{key}": _moved(part, name) for key, part in parameters.pop("$defs", {}).items()}
        fields = {"name": {"const": name}, "arguments": _moved(parameters, name)}
        options.append({"type": "object", "properties": fields, "required": ["name", "arguments"], "additionalProperties": False})
    return {"anyOf": options, **({"$defs": definitions} if definitions else {})}


def _moved(schema: Any, tool: str) -> Any:
    """The schema with its references led to definitions that bear the tool's name."""
    if isinstance(schema, list):
        return [_moved(item, tool) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: f"#/$defs/{tool}.{item.rsplit('/', 1)[-1]}" if key == "$ref" else _moved(item, tool) for key, item in schema.items()
    }
