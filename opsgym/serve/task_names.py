"""Naming a task in a text such as ``split=test,index=12``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gymnasium.utils.seeding import np_random

from opsgym.core.errors import RegistryError, TaskError
from opsgym.core.family import Family
from opsgym.core.task import Task
from opsgym.data.packs import SUFFIXES
from opsgym.envs.cache import task_cache
from opsgym.envs.erp_bench.family import ErpBenchFamily
from opsgym.envs.supply import Selection, TaskSupply, playable

NUMBERS = ("seed", "index")
SELECTORS = ("tier", "pattern", "split")
NAMES = ("file", *NUMBERS, *SELECTORS)
"""What may name a task."""

TaskName = Task | str | Mapping[str, Any]
"""A task, its whole JSON as an object, or what names it: a text of ``name=value`` with commas, or such an object."""


def parse(text: str) -> dict[str, Any]:
    """A text of ``name=value`` pairs as an object; the two numbers become numbers.

    Raises:
        TaskError: A part is no pair, or a number is none.

    Example:
        >>> parse("split=test,index=12")
        {'split': 'test', 'index': 12}
    """
    given: dict[str, Any] = {}
    for part in text.split(","):
        name, equals, value = part.strip().partition("=")
        if not equals or name in given:
            raise TaskError(f"expected name=value, each name once, with commas between, got {text!r}", field="task")
        if name in NUMBERS and not value.removeprefix("-").isdecimal():
            raise TaskError(f"expected a whole number, got {value!r}", field=f"task.{name}")
        given[name] = int(value) if name in NUMBERS else value
    return given


def find_task(name: TaskName, *, files: bool = True) -> Task:
    """The task of ERPBench that is named; compiled here where it is generated and not in the cache.

    Args:
        name: What names it.
        files: Whether ``file`` may name a pack or a task's JSON file.

    Raises:
        RegistryError: An unknown name, tier, pattern or split.
        TaskError: There is no such task, or it is invalid.
    """
    family: Family[Any] = ErpBenchFamily()
    if isinstance(name, Task) or (isinstance(name, Mapping) and "schema_version" in name):
        return playable(name if isinstance(name, Task) else dict(name), family)
    given = parse(name) if isinstance(name, str) else _checked(name)
    allowed = NAMES if files else NAMES[1:]
    for key in given:
        if key not in allowed:
            raise RegistryError("way to name a task", key, allowed)
    file = given.get("file")
    if file is not None and not file.endswith(SUFFIXES):
        if len(given) > 1:
            raise TaskError(
                f"{file!r} holds one task; it cannot be combined with {sorted(given.keys() - {'file'})}", field="task"
            )
        return playable(Path(file).read_bytes(), family)
    selection = Selection(tier=given.get("tier"), pattern=given.get("pattern"), params=None, split=given.get("split"))
    supply = TaskSupply(family, selection, tasks=file, cache=task_cache("auto"))
    options = {"index": given["index"]} if "index" in given else {}
    return supply.pick(np_random(given.get("seed", 0))[0], options)


def _checked(name: Any) -> dict[str, Any]:
    if not isinstance(name, Mapping):
        raise TaskError(f"expected a text such as 'split=test,index=12', an object or a whole task, got {name!r}", field="task")
    for key, value in name.items():
        expected = int if key in NUMBERS else str
        if not isinstance(value, expected) or isinstance(value, bool):
            raise TaskError(f"expected {'a whole number' if expected is int else 'text'}, got {value!r}", field=f"task.{key}")
    return dict(name)
