"""Toolboxes: which tools a task offers, and near ones that it does not need."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from functools import cache
from typing import Any

from opsgym.core.records.outcome import ENDING
from opsgym.core.templated import ALL_TOOLS
from opsgym.core.tools import Tool, Toolbox
from opsgym.envs.cache import Lru
from opsgym.envs.enterprise_ops.systems import SYSTEMS, system, templates

_BOXES: Lru[Toolbox] = Lru(256)


def offered(names: Sequence[str], needed: Iterable[str], distractors: int, seed: int) -> tuple[str, ...]:
    """Names of the tools that a task offers.

    Args:
        names: The systems in which it plays.
        needed: Tools of the plan.
        distractors: How many others, those first whose names resemble needed ones; :data:`ALL_TOOLS` for all.
        seed: Decides among equals, and on the order.
    """
    ending = [item.name for item in ENDING]
    own = [name for name in all_tools(tuple(names)) if name not in ending]
    wanted = set(needed) - set(ending)
    others = [name for name in own if name not in wanted]
    draw = random.Random(f"tools/{seed}")
    draw.shuffle(others)
    if distractors < ALL_TOOLS:
        others.sort(key=lambda name: -max((likeness(name, other) for other in wanted), default=0))
        others = others[:distractors]
    chosen = wanted | set(others)
    return (*(name for name in own if name in chosen), *ending)


@cache
def likeness(one: str, other: str) -> float:
    """How alike two names are, from 0 to 1."""
    return SequenceMatcher(None, one, other).ratio()


@cache
def all_tools(names: tuple[str, ...]) -> dict[str, Tool]:
    """The tools of systems by name; of several systems with the system's name in front.  Share it, do not change it."""
    if len(names) == 1:
        return {**system(names[0]).domain.toolbox, **{item.name: item for item in ENDING}}
    from opsgym.envs.enterprise_ops.estate import ENDING as ENDING_OF_SEVERAL
    from opsgym.envs.enterprise_ops.estate import of_system

    named = {f"{name}.{item.name}": of_system(name, item) for name in names for item in system(name).domain.tools}
    return {**named, **{item.name: item for item in ENDING_OF_SEVERAL}}


def toolbox(names: Sequence[str], tools: Sequence[str]) -> Toolbox:
    """The tools of a task; shared by tasks that offer the same."""
    key = tuple(names), tuple(tools)
    return _BOXES.get(key, lambda: Toolbox(all_tools(key[0])[name] for name in key[1]))


@cache
def every_tool() -> Toolbox:
    """The tools of all systems, each once by its own name."""
    found: dict[str, Any] = {}
    for name in [name for name in SYSTEMS if templates(name)]:
        for item in system(name).domain.tools:
            found.setdefault(item.name, item)
    return Toolbox([*found.values(), *ENDING])
