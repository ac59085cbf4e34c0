"""Retrievers by name: what an environment's argument ``retriever`` stands for."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable
from functools import cache
from typing import Any

from opsgym.core.errors import TaskError
from opsgym.envs.enterprise_bench.search import Retriever

RetrieverArgument = str | Retriever | Callable[[], Retriever] | None
"""An import path, a retriever, something that makes one when it is called, or ``None`` for full text."""


def retriever_of(given: RetrieverArgument) -> Retriever | None:
    """The retriever that an argument stands for; ``None`` for that of each base world, which is full text.

    What an import path ``"package.module:name"`` leads to is made once a process, so that environments share its vectors.

    Raises:
        TaskError: The path leads nowhere, or what is there is no retriever and makes none.
    """
    if given is None:
        return None
    return _imported(given) if isinstance(given, str) else _made(given, given)


@cache
def _imported(path: str) -> Retriever:
    try:
        found: Any = pkgutil.resolve_name(path)
    except Exception as error:  # a module may raise anything while it is imported
        why = f"{type(error).__name__}: {error}"
        raise TaskError(f"expected package.module:name, cannot import {path!r}: {why}", field="retriever") from error
    return _made(found, path)


def _made(found: Any, given: object) -> Retriever:
    if isinstance(found, type) or (callable(found) and not hasattr(found, "find")):
        found = found()
    if not callable(getattr(found, "find", None)):
        message = f"expected a retriever, which has a method find, or what makes one; {given!r} gives {type(found).__name__}"
        raise TaskError(message, field="retriever")
    return found  # type: ignore[no-any-return]  # just seen to be one


__all__ = ["RetrieverArgument", "retriever_of"]
