"""Signatures of declared tools: arguments that stand for columns, as a function that tools can read."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from keyword import iskeyword
from typing import Any

from opsgym.core.records.columns import Column
from opsgym.core.records.records import Records
from opsgym.core.records.table import Table
from opsgym.core.tools import Tool

Run = Callable[[Records, dict[str, Any]], Any]
"""What a tool does with the arguments that were given, by argument's name."""


@dataclass(frozen=True)
class Argument:
    """An argument of a tool.

    Attributes:
        name: Its name.
        annotation: Its type.
        about: A sentence on it.
        required: Whether it must be given.
        default: What stands for it when it is not given; ``None`` for nothing.
    """

    name: str
    annotation: Any
    about: str = ""
    required: bool = True
    default: Any = None


class Operation:
    """A callable with a declared signature: ``operation(session, **arguments)``.

    Args:
        name: Name of the tool.
        summary: One sentence on it.
        arguments: Its arguments.
        run: What it does.
    """

    def __init__(self, name: str, summary: str, arguments: Iterable[Argument], run: Run) -> None:
        listed = sorted(arguments, key=lambda argument: not argument.required)
        self.__name__ = name
        self.__doc__ = f"{summary.rstrip('.')}.\n\nArgs:\n" + "\n".join(f"    {item.name}: {item.about}" for item in listed)
        self.__annotations__ = {item.name: item.annotation for item in listed}
        self.__signature__ = inspect.Signature([_parameter("session", inspect.Parameter.empty), *map(_of, listed)])
        self._defaults = {item.name: item.default for item in listed if item.default is not None}
        self._run = run

    def __call__(self, session: Records, **arguments: Any) -> Any:
        """Run it with the arguments given, and the defaults of those that are not."""
        return self._run(session, self._defaults | arguments)


def declared(name: str, summary: str, arguments: Iterable[Argument], run: Run, *, mutates: bool = False) -> Tool:
    """A tool with a declared signature."""
    return Tool(name, f"{summary.rstrip('.')}.", Operation(name, summary, arguments, run), mutates)


@dataclass(frozen=True)
class Fields:
    """Arguments that stand for columns of a table.

    Attributes:
        arguments: The arguments.
        columns: The column of each one, by the argument's name.
    """

    arguments: tuple[Argument, ...]
    columns: Mapping[str, str]

    def values(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Values by column, of the arguments given that stand for one."""
        return {self.columns[name]: value for name, value in given.items() if name in self.columns}


def fields(
    table: Table,
    names: str,
    *,
    required: bool,
    searching: bool,
    kinds: Mapping[str, Column] | None = None,
    defaults: Mapping[str, Any] | None = None,
) -> Fields:
    """Arguments from a list of names.

    Args:
        table: Whose columns.
        names: Names of columns, with spaces between; ``argument=column`` where the argument has another name.
        required: Whether they must be given.
        searching: Whether they search by the columns; else they write them.
        kinds: Kinds for arguments that differ from their column's.
        defaults: What stands for arguments that are not given.

    Raises:
        RegistryError: There is no such column.
    """
    arguments, columns = [], {}
    for item in names.split():
        name, _, other = item.partition("=")
        column = table.column(other or name)
        kind = (kinds or {}).get(name, column)
        annotation = kind.filter_annotation if searching else kind.annotation
        arguments.append(Argument(name, annotation, column.about, required, (defaults or {}).get(name)))
        columns[name] = column.name
    return Fields(tuple(arguments), columns)


def _of(argument: Argument) -> inspect.Parameter:
    default = inspect.Parameter.empty if argument.required else argument.default
    return _parameter(argument.name, default)


def _parameter(name: str, default: Any) -> inspect.Parameter:
    kind = _Keyword if iskeyword(name) else inspect.Parameter
    return kind(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=default)


class _Keyword(inspect.Parameter):
    """An argument named like a word of Python, such as ``from``: JSON can name it, ``def`` cannot."""

    __slots__ = ()

    def __init__(self, name: str, kind: Any, *, default: Any) -> None:
        super().__init__(f"{name}_", kind, default=default)

    @property
    def name(self) -> str:
        """The word."""
        return super().name[:-1]
