"""Spaces of text: bounded in length, open to every character, quick to sample, right in vector environments."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, NoReturn

import numpy as np
from gymnasium.error import CustomSpaceError
from gymnasium.spaces import Space, Text
from gymnasium.spaces.utils import flatdim, flatten, flatten_space, unflatten
from gymnasium.vector.utils import create_shared_memory, read_from_shared_memory, write_to_shared_memory

from opsgym.core.schema_sample import ALPHABET, SchemaSampler
from opsgym.core.task import JsonDict
from opsgym.core.tools import Toolbox

__all__ = ["ToolCallText", "UnicodeText"]

MAX_SAMPLE = 64
"""How many characters a sample may have beyond ``min_length``, so that sampling from a large space stays quick."""


class UnicodeText(Text):
    """Text of bounded length in any characters.

    Unlike Gymnasium's ``Text`` it has no alphabet: membership is a matter of length alone.  It works in ``make_vec``
    in sync mode and, with ``vector_kwargs={"shared_memory": False}``, in async mode.  Shared memory, where
    Gymnasium would return stale text, is refused with Gymnasium's own message.

    Args:
        max_length: Greatest number of characters.
        min_length: Least number of characters.
        seed: Seed of :meth:`sample`.

    Example:
        >>> space = UnicodeText(100, seed=1)
        >>> space
        UnicodeText(0, 100)
        >>> "Größe: 3 €" in space, "x" * 101 in space, 3 in space
        (True, False, False)
        >>> space.sample() in space
        True
    """

    def __init__(self, max_length: int, *, min_length: int = 0, seed: int | np.random.Generator | None = None) -> None:
        super().__init__(max_length, min_length=min_length, charset=ALPHABET, seed=seed)

    def sample(self, mask: Any | None = None, probability: Any | None = None) -> str:
        """Printable text, partly beyond ASCII, of at most 64 characters more than ``min_length``.

        Args:
            mask: As for Gymnasium's ``Text``, over the characters that samples are made of.
            probability: As for Gymnasium's ``Text``.
        """
        if mask is not None or probability is not None:
            return super().sample(mask=mask, probability=probability)
        most = min(self.max_length, self.min_length + MAX_SAMPLE)
        size = int(self.np_random.integers(self.min_length, most + 1))
        return "".join([ALPHABET[i] for i in self.np_random.integers(len(ALPHABET), size=size)])

    def contains(self, x: Any) -> bool:
        """Whether ``x`` is text of a length within the bounds."""
        return isinstance(x, str) and self.min_length <= len(x) <= self.max_length

    @property
    def is_np_flattenable(self) -> bool:
        """False: open text has no array form."""
        return False

    def __repr__(self) -> str:
        """The bounds."""
        return f"{type(self).__name__}({self.min_length}, {self.max_length})"

    def __eq__(self, other: object, /) -> bool:
        """Whether ``other`` is such a space with the same bounds."""
        return type(other) is type(self) and (self.min_length, self.max_length) == (other.min_length, other.max_length)

    __hash__ = None  # type: ignore[assignment]  # spaces are mutable: they carry a random generator


class ToolCallText(UnicodeText):
    """Text in which an agent calls tools; :meth:`sample` draws calls that the tools' schemas accept.

    Any text within the bounds is in the space: what is no valid call is answered by the environment.

    Args:
        tools: A toolbox, or tool schemas in OpenAI function format.
        max_length: Greatest number of characters.
        min_length: Least number of characters.
        seed: Seed of :meth:`sample`.
    """

    def __init__(
        self,
        tools: Toolbox | Iterable[JsonDict],
        max_length: int,
        *,
        min_length: int = 0,
        seed: int | np.random.Generator | None = None,
    ) -> None:
        super().__init__(max_length, min_length=min_length, seed=seed)
        schemas = tools.schemas() if isinstance(tools, Toolbox) else tools
        self._parameters: dict[str, JsonDict] = {s["function"]["name"]: s["function"]["parameters"] for s in schemas}
        if not self._parameters:
            raise ValueError("expected at least one tool, got none")

    @property
    def tool_names(self) -> tuple[str, ...]:
        """Names of the tools, in order."""
        return tuple(self._parameters)

    def sample(self, mask: Any | None = None, probability: Any | None = None) -> str:
        """One tool call as JSON text, valid under the tool's schema.

        Should no call of ten draws fit into the bounds, it is plain text as of :class:`UnicodeText`.

        Args:
            mask: Over characters, as for Gymnasium's ``Text``; gives plain text.
            probability: Likewise.
        """
        if mask is None and probability is None:
            for _ in range(10):
                text = json.dumps(self.sample_call(), ensure_ascii=False)
                if text in self:
                    return text
        return super().sample(mask=mask, probability=probability)

    def sample_call(self, name: str | None = None) -> JsonDict:
        """A call as ``{"name": ..., "arguments": {...}}``.

        Args:
            name: The tool to call; a random one by default.
        """
        if name is None:
            name = self.tool_names[int(self.np_random.integers(len(self._parameters)))]
        schema = self._parameters[name]
        return {"name": name, "arguments": SchemaSampler(self.np_random, schema.get("$defs")).draw(schema)}

    def __repr__(self) -> str:
        """The bounds and the number of tools."""
        return f"ToolCallText({self.min_length}, {self.max_length}, tools={len(self._parameters)})"

    def __eq__(self, other: object, /) -> bool:
        """Whether ``other`` is such a space with the same bounds and tools."""
        return isinstance(other, ToolCallText) and super().__eq__(other) and self._parameters == other._parameters

    __hash__ = None


def _refuse_shared_memory(space: Space[Any], *args: Any, **kwargs: Any) -> NoReturn:
    raise CustomSpaceError(f"{space!r} has no fixed size in bytes; use shared_memory=False")


def _keep_space(space: UnicodeText) -> Any:
    return space


def _keep_sample(space: UnicodeText, x: str) -> Any:
    return x


def _refuse_flatdim(space: UnicodeText) -> NoReturn:
    raise ValueError(f"{space!r} cannot be flattened to a numpy array: open text has no array form")


# Gymnasium dispatches on the class; without these a subclass of Text would be read from a buffer of alphabet indices.
for _function in (create_shared_memory, read_from_shared_memory, write_to_shared_memory):
    _function.register(UnicodeText, _refuse_shared_memory)
flatten_space.register(UnicodeText, _keep_space)
flatten.register(UnicodeText, _keep_sample)
unflatten.register(UnicodeText, _keep_sample)
flatdim.register(UnicodeText, _refuse_flatdim)
