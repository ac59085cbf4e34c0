"""Instances and tasks that several ACEBench tests share; made once a session."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from opsgym.core.task import Task
from opsgym.data.ace_bench_release import ReleasedInstance, find_releases, read_release
from opsgym.envs.ace_bench.compiler import compile_params
from opsgym.envs.ace_bench.domains import DOMAINS
from opsgym.envs.ace_bench.params import AceParams, draw_params
from opsgym.envs.ace_bench.sampler import sample
from opsgym.envs.ace_bench.spec import Solved

SHARED = Path(__file__).resolve().parents[4] / "shared" / "data"


@cache
def make(seed: int = 0, **values: Any) -> Solved:
    """The instance of some parameters; the seed picks the domain unless one is given."""
    names = list(DOMAINS)
    return sample(AceParams.build({"domain": names[seed % len(names)], **values}), seed)


@pytest.fixture(scope="session")
def solved() -> Callable[..., Solved]:
    """Maker of instances, cached."""
    return make


@pytest.fixture(scope="session")
def tasks() -> dict[str, Task]:
    """One task of every tier, and one of the paper's preset."""
    found = {tier: compile_params(draw_params(7, tier=tier), 7, tier=tier) for tier in ("easy", "medium", "hard")}
    return {**found, "paper": compile_params(draw_params(7, preset="paper"), 7)}


@pytest.fixture(scope="session")
def released_ace() -> list[ReleasedInstance]:
    """The released sample instances; tests that need them skip where they are absent."""
    path = SHARED / "ace"
    if not path.is_dir():
        pytest.skip("released ACE-Bench data is not at hand")
    return [released for file in find_releases(path) for released in read_release(file)]
