"""Tool text: tools as text, for agents that read about them in the prompt."""

from __future__ import annotations

from collections.abc import Iterable

from opsgym.core.tools import Tool, Toolbox

__all__ = ["outline_tools", "write_tools"]


def write_tools(tools: Toolbox) -> str:
    """Every tool with its signature, its description and its arguments.

    Example:
        >>> from opsgym.core.tools import tool
        >>> @tool()
        ... def look(session: object, name: str, deep: bool = False) -> str:
        ...     '''Look something up.
        ...
        ...     Args:
        ...         name: What to look up.
        ...     '''
        ...     return name
        >>> print(write_tools(Toolbox([look])))
        look(name: string, deep?: boolean)
            Look something up.
            name: What to look up.
    """
    return "\n".join(line for tool in tools.values() for line in _lines(tool))


def outline_tools(tools: Toolbox) -> str:
    """Every tool with its name and description, a line each."""
    return "\n".join(f"{tool.name}: {tool.description}" for tool in tools.values())


def _lines(tool: Tool) -> Iterable[str]:
    yield f"{tool.name}({'' if tool.usage == 'none' else tool.usage})"
    yield f"    {tool.description}"
    for name, schema in tool.parameters["properties"].items():
        if schema.get("description"):
            yield f"    {name}: {schema['description']}"
