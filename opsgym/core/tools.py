"""Tools: typed Python functions that an agent calls by name with JSON arguments.

A tool is a function whose first parameter is the family's session (whatever the tools act on) and whose
other parameters are keyword-able and annotated; its Google-style docstring describes it and each argument.
From that come the JSON Schema in OpenAI function format and a compiled validator, both made once.
"""

from __future__ import annotations

import difflib
import inspect
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, NotRequired, cast, get_type_hints

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails, to_json, to_jsonable_python
from typing_extensions import TypedDict

from opsgym.core.errors import RegistryError, ToolError
from opsgym.core.task import JsonDict, ToolCall

__all__ = ["Tool", "ToolCall", "ToolResult", "Toolbox", "tool"]


_encode = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False).encode


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What one call gave: ``value`` when ``error`` is ``None``, else the refusal."""

    name: str
    value: Any = None
    error: ToolError | None = None

    @property
    def ok(self) -> bool:
        """Whether the call was carried out."""
        return self.error is None

    def to_json(self) -> str:
        """One line of compact JSON: ``{"tool", "ok", "result" | "error"}``."""
        body: JsonDict = {"tool": self.name, "ok": self.ok}
        if self.error is None:
            body["result"] = self.value
        else:
            body["error"] = self.error.as_dict()
        return _encode(body)


@dataclass(frozen=True)
class Tool:
    """A tool made from a typed function; see :func:`tool`.

    Attributes:
        name: Name by which agents call it.
        description: First paragraph of the docstring.
        function: The function; called as ``function(session, **arguments)``.
        mutates: Whether it may change the world; such calls run in a savepoint.
        terminal: Whether a successful call ends the episode.
    """

    name: str
    description: str
    function: Callable[..., Any]
    mutates: bool = False
    terminal: bool = False

    @cached_property
    def _adapter(self) -> TypeAdapter[dict[str, Any]]:
        hints = get_type_hints(self.function, include_extras=True)
        docs = _argument_docs(self.function)
        fields: dict[str, Any] = {}
        for parameter in _arguments(self.function):
            if parameter.name not in hints:
                raise TypeError(f"tool {self.name!r}: parameter {parameter.name!r} needs an annotation")
            described: Any = Annotated[hints[parameter.name], Field(description=docs.get(parameter.name))]
            fields[parameter.name] = described if parameter.default is parameter.empty else NotRequired[described]
        arguments = cast(Any, TypedDict)(self.name, fields)
        arguments.__pydantic_config__ = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)
        return TypeAdapter(arguments)

    @cached_property
    def parameters(self) -> JsonDict:
        """JSON Schema of the arguments; share it, do not change it."""
        schema: JsonDict = _untitled(self._adapter.json_schema())
        schema.pop("description", None)
        properties = schema.setdefault("properties", {})
        for parameter in _arguments(self.function):
            if parameter.default is not parameter.empty and parameter.default is not None:
                properties[parameter.name]["default"] = to_jsonable_python(parameter.default)
        return schema

    @cached_property
    def _validate_json(self) -> Callable[..., dict[str, Any]]:
        return self._adapter.validator.validate_json

    def schema(self) -> JsonDict:
        """The tool in OpenAI function format, as a fresh object."""
        function = {"name": self.name, "description": self.description, "parameters": self.parameters}
        copied: JsonDict = json.loads(json.dumps({"type": "function", "function": function}))
        return copied

    def validate(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Check ``arguments`` against the schema and return those given, fresh and with their Python types.

        Types are those of JSON, taken strictly: an integer stands for a number too, and a whole number like
        ``5.0`` for an integer, but text never stands for a number nor a number for a boolean.

        Raises:
            ToolError: ``invalid_arguments``, naming each offending argument, what was expected and given.
        """
        try:
            try:
                return self._validate_json(to_json(arguments), strict=True)
            except ValidationError:
                return self._validate_json(to_json(_whole(arguments)), strict=True)
        except ValidationError as error:
            message = _explain(self, error)
        except (ValueError, RecursionError) as error:  # from to_json: values that JSON cannot say
            message = f"arguments: expected JSON values ({str(error)[:200]})"
        raise ToolError("invalid_arguments", message, f"Arguments of {self.name}: {self.usage}")

    @cached_property
    def usage(self) -> str:
        """Signature in one line, for example ``vendor: string, quantity?: integer``."""
        return _signature(self.parameters, self.parameters.get("$defs", {})) or "none"


def tool(*, mutates: bool = False, terminal: bool = False, name: str | None = None) -> Callable[[Callable[..., Any]], Tool]:
    """Make a :class:`Tool` of a typed function.

    Args:
        mutates: The tool may change the world.
        terminal: A successful call ends the episode.
        name: Name for agents; the function's own by default.

    Example:
        >>> @tool()
        ... def add(session: object, a: int, b: int = 1) -> int:
        ...     '''Add two numbers.
        ...
        ...     Args:
        ...         a: First number.
        ...         b: Second number.
        ...     '''
        ...     return a + b
        >>> add.usage
        'a: integer, b?: integer'
        >>> add.validate({"a": "x"})
        Traceback (most recent call last):
        ...
        opsgym.core.errors.ToolError: a: expected an integer, got "x"
    """

    def decorate(function: Callable[..., Any]) -> Tool:
        summary = inspect.cleandoc(function.__doc__ or "").split("\n\n", 1)[0].replace("\n", " ").strip()
        return Tool(name or function.__name__, summary, function, mutates, terminal)

    return decorate


class Toolbox(Mapping[str, Tool]):
    """The tools on offer, by name; a family makes one per harness and shares it between environments.

    Args:
        tools: The tools, in the order in which agents see them.

    Raises:
        ValueError: Two of them have one name.
    """

    def __init__(self, tools: Iterable[Tool]) -> None:
        self._tools: dict[str, Tool] = {}
        for item in tools:
            if item.name in self._tools:
                raise ValueError(f"two tools are named {item.name!r}, expected different names")
            self._tools[item.name] = item

    def __getitem__(self, name: str) -> Tool:
        return self._tools[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tools)

    def __len__(self) -> int:
        return len(self._tools)

    def schemas(self) -> list[JsonDict]:
        """All tools in OpenAI function format, as fresh objects."""
        copied: list[JsonDict] = json.loads(self.schemas_json)
        return copied

    @cached_property
    def schemas_json(self) -> str:
        """:meth:`schemas` as JSON text, made once."""
        return json.dumps([item.schema() for item in self._tools.values()])

    def find(self, name: str) -> Tool:
        """The tool of that name.

        Raises:
            ToolError: ``unknown_tool``, with the nearest name and the list of names.
        """
        found = self._tools.get(name)
        if found is None:
            name = _clip(name)
            near = difflib.get_close_matches(name, self._tools, n=1)
            hint = f"Did you mean {near[0]!r}? " if near else ""
            raise ToolError("unknown_tool", f"There is no tool {name!r}.", f"{hint}Tools: {', '.join(self._tools)}")
        return found

    def subset(self, names: Iterable[str]) -> Toolbox:
        """A toolbox with only these tools.

        Raises:
            RegistryError: One of the names does not exist.
        """
        wanted = list(names)
        for name in wanted:
            if name not in self._tools:
                raise RegistryError("tool", name, self._tools)
        return Toolbox(self._tools[name] for name in wanted)


def _argument_docs(function: Callable[..., Any]) -> dict[str, str]:
    """Descriptions of the arguments, read from the ``Args:`` section of a Google-style docstring."""
    doc = inspect.cleandoc(function.__doc__ or "")
    match = re.search(r"^Args:\n((?:[ \t]+.*\n?|\n)+)", doc, re.MULTILINE)
    if not match:
        return {}
    found: dict[str, str] = {}
    current = ""
    for line in inspect.cleandoc(match.group(1)).split("\n"):
        entry = re.match(r"(\w+): (.*)", line)
        if entry:
            current = entry.group(1)
            found[current] = entry.group(2).strip()
        elif current and line.strip():
            found[current] += " " + line.strip()
    return found


_EXPECTED = {
    "string_type": "a string",
    "int_type": "an integer",
    "float_type": "a number",
    "bool_type": "true or false",
    "list_type": "a list",
    "tuple_type": "a list",
    "dict_type": "an object",
    "model_type": "an object",
    "none_required": "null",
    "finite_number": "a finite number",
    "literal_error": "one of {expected}",
    "enum": "one of {expected}",
    "greater_than": "more than {gt}",
    "greater_than_equal": "at least {ge}",
    "less_than": "less than {lt}",
    "less_than_equal": "at most {le}",
    "multiple_of": "a multiple of {multiple_of}",
    "string_too_short": "at least {min_length} character(s)",
    "string_too_long": "at most {max_length} character(s)",
    "string_pattern_mismatch": "text of the form {pattern}",
    "too_short": "at least {min_length} item(s)",
    "too_long": "at most {max_length} item(s)",
    "date_type": "a date as YYYY-MM-DD",
    "date_parsing": "a date as YYYY-MM-DD",
    "date_from_datetime_parsing": "a date as YYYY-MM-DD",
    "datetime_type": "a time as YYYY-MM-DDThh:mm:ss",
    "datetime_parsing": "a time as YYYY-MM-DDThh:mm:ss",
    "datetime_from_date_parsing": "a time as YYYY-MM-DDThh:mm:ss",
}
"""What was expected, by pydantic's error type: our words, so that observations do not change with its version."""

MAX_PROBLEMS = 8


def _explain(item: Tool, error: ValidationError) -> str:
    """The problems of a call, one clause each."""
    problems = error.errors(include_url=False)
    parts = [_problem(item, problem) for problem in problems[:MAX_PROBLEMS]]
    if len(problems) > MAX_PROBLEMS:
        parts.append(f"and {len(problems) - MAX_PROBLEMS} more problems")
    return "; ".join(parts)


def _problem(item: Tool, problem: ErrorDetails) -> str:
    where = _clip(".".join(str(part) for part in problem["loc"])) or "arguments"
    if problem["type"] == "missing":
        return f"{where}: required argument is missing"
    if problem["type"] == "extra_forbidden":
        known = item.parameters["properties"] if len(problem["loc"]) == 1 else ()
        near = difflib.get_close_matches(where, known, n=1)
        return f"{where}: no such argument" + (f", did you mean {near[0]!r}?" if near else "")
    template, given = _EXPECTED.get(problem["type"]), problem["input"]
    expected = template.format(**problem.get("ctx", {})) if template else problem["msg"]
    shown = _clip(json.dumps(to_jsonable_python(given), ensure_ascii=False))
    unquote = problem["type"] in ("int_type", "float_type", "bool_type", "list_type", "dict_type") and isinstance(given, str)
    return f"{where}: expected {expected}, got {shown}" + (" (text: leave out the quotes)" if unquote and _is_json(given) else "")


def _clip(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:60]}..."


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _arguments(function: Callable[..., Any]) -> list[inspect.Parameter]:
    """The parameters after the session."""
    parameters = list(inspect.signature(function).parameters.values())[1:]
    for parameter in parameters:
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            raise TypeError(f"tool function {function.__name__!r}: parameter {parameter.name!r} cannot be given by name")
    return parameters


def _whole(value: Any) -> Any:
    """A copy in which whole floats are integers."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, Mapping):
        return {key: _whole(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_whole(item) for item in value]
    return value


def _untitled(schema: Any) -> Any:
    """A schema without the titles that pydantic makes of names."""
    if isinstance(schema, list):
        return [_untitled(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    kept: JsonDict = {}
    for key, value in schema.items():
        if key in ("properties", "$defs"):
            kept[key] = {name: _untitled(item) for name, item in value.items()}
        elif key in ("default", "const", "enum", "examples"):
            kept[key] = value
        elif key != "title":
            kept[key] = _untitled(value)
    return kept


def _signature(schema: JsonDict, definitions: JsonDict, depth: int = 0) -> str:
    """``name: kind`` for each property of an object schema."""
    required = schema.get("required", ())
    items = schema.get("properties", {}).items()
    return ", ".join(f"{name}{'' if name in required else '?'}: {_kind(item, definitions, depth)}" for name, item in items)


def _kind(schema: JsonDict, definitions: JsonDict, depth: int) -> str:
    """A schema in few words, for example ``array of {product: string}``."""
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[-1]
        return name if depth > 1 else _kind(definitions[name], definitions, depth)
    if "enum" in schema or "const" in schema:
        return "|".join(json.dumps(value) for value in schema.get("enum", [schema.get("const")]))
    if "anyOf" in schema:
        return "|".join(_kind(option, definitions, depth) for option in schema["anyOf"])
    kind = schema.get("type", "any")
    if kind == "array" and schema.get("items"):
        return f"array of {_kind(schema['items'], definitions, depth)}"
    if kind == "object" and "properties" in schema:
        return f"{{{_signature(schema, definitions, depth + 1)}}}"
    return str(kind)
