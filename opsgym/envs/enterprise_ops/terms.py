"""Terms: arguments of hand-written tools by name, so that one name means one thing in all tools of a domain."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field

from opsgym.core.errors import RegistryError
from opsgym.core.records.signature import Argument, Run, declared
from opsgym.core.tools import Tool


@dataclass(frozen=True)
class Terms:
    """The arguments of a domain.

    Attributes:
        known: By name: type, and a sentence on it.
    """

    known: Mapping[str, tuple[Any, str]]

    def arguments(self, need: str, may: str, kinds: Mapping[str, Any]) -> tuple[Argument, ...]:
        """Arguments from lists of names.

        Args:
            need: Those that must be given, with spaces between.
            may: Those that may; ``name=value`` with a default, in JSON where it is not text.
            kinds: Types that differ from the term's.

        Raises:
            RegistryError: There is no such term.
        """
        needed = [self._argument(item, True, kinds) for item in need.split()]
        return (*needed, *(self._argument(item, False, kinds) for item in may.split()))

    def _argument(self, item: str, required: bool, kinds: Mapping[str, Any]) -> Argument:
        name, _, default = item.partition("=")
        if name not in self.known:
            raise RegistryError("term", name, self.known)
        annotation, about = self.known[name]
        annotation = kinds.get(name, annotation)
        if required and default:  # the schema tells it, but it must be given
            annotation = Annotated[annotation, Field(json_schema_extra={"default": _value(default)})]
        return Argument(name, annotation, about, required, _value(default))

    def tool(
        self, name: str, summary: str, need: str = "", may: str = "", /, *, mutates: bool = False, **kinds: Any
    ) -> Callable[[Run], Tool]:
        """Make a tool of a function of the session and the arguments given.

        Args:
            name: Its name.
            summary: A sentence on it.
            need: See :meth:`arguments`.
            may: See :meth:`arguments`.
            mutates: Whether it may change the world.
            kinds: See :meth:`arguments`.
        """
        listed = self.arguments(need, may, kinds)
        return lambda run: declared(name, summary, listed, run, mutates=mutates)


def _value(text: str) -> Any:
    if not text:
        return None
    try:
        return json.loads(text)
    except ValueError:
        return text
