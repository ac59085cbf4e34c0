"""Toolboxes: which tools a task offers, and near ones that it does not need."""

from __future__ import annotations

import random
from collections.abc import Iterable
from difflib import SequenceMatcher
from functools import cache

from opsgym.core.templated import ALL_TOOLS
from opsgym.core.tools import Tool, Toolbox
from opsgym.envs.cache import Lru
from opsgym.envs.enterprise_bench.endings import ENDINGS
from opsgym.envs.enterprise_bench.system import TOOLBOX

_BOXES: Lru[Toolbox] = Lru(256)


def offered(needed: Iterable[str], distractors: int, seed: int) -> tuple[str, ...]:
    """Names of the tools that a task offers.

    Args:
        needed: Tools of the plan.
        distractors: How many others, those first whose names resemble needed ones; :data:`ALL_TOOLS` for all.
        seed: Decides among equals.
    """
    wanted = {*needed}
    others = [name for name in TOOLBOX if name not in wanted]
    random.Random(f"tools/{seed}").shuffle(others)
    if distractors < ALL_TOOLS:
        others.sort(key=lambda name: -max((likeness(name, other) for other in sorted(wanted)), default=0))
        others = others[:distractors]
    chosen = wanted | {*others}
    return (*(name for name in TOOLBOX if name in chosen), *(item.name for item in ENDINGS))


@cache
def likeness(one: str, other: str) -> float:
    """How alike two names are, from 0 to 1."""
    return SequenceMatcher(None, one, other).ratio()


@cache
def every_tool() -> Toolbox:
    """All tools."""
    return Toolbox([*TOOLBOX.values(), *ENDINGS])


def toolbox(tools: tuple[str, ...]) -> Toolbox:
    """The tools of a task; shared by tasks that offer the same."""
    every: dict[str, Tool] = dict(every_tool())
    return _BOXES.get(tools, lambda: Toolbox(every[name] for name in tools))
