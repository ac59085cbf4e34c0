from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest

from opsgym.core.task import Task
from opsgym.envs.or_agent_bench.compiler import compile_drawn
from opsgym.envs.or_agent_bench.params import DIMENSIONS, OrParams
from opsgym.envs.or_agent_bench.sampler import Drawn, sample

Draw = Callable[[str], Drawn]

RICH = dict.fromkeys(DIMENSIONS, 3) | {"scale": 0, "strategy": 1}
"""Small instances in which every rule can apply."""
PLAIN = dict.fromkeys(DIMENSIONS, 0)


@cache
def drawn(problem: str, kind: str = "rich", seed: int = 0) -> Drawn:
    levels = RICH if kind == "rich" else PLAIN
    return sample(OrParams.build({"problem": problem, **levels}), seed)


@cache
def compiled(problem: str, kind: str = "rich", seed: int = 0) -> Task:
    levels = RICH if kind == "rich" else PLAIN
    return compile_drawn(drawn(problem, kind, seed), OrParams.build({"problem": problem, **levels}), seed)


@pytest.fixture(scope="session")
def rich() -> Draw:
    """A small task of a class with all rules; made once."""
    return lambda problem: drawn(problem)


@pytest.fixture(scope="session")
def plain() -> Draw:
    """A task of a class at level 0 of everything; made once."""
    return lambda problem: drawn(problem, "plain")
