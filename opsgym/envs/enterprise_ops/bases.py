"""Base worlds: generated once a process for each system, seed and size, and kept as snapshots."""

from __future__ import annotations

import random
from dataclasses import dataclass

from opsgym.core.records.seeding import seeded
from opsgym.core.world import Snapshot
from opsgym.envs.cache import Lru
from opsgym.envs.enterprise_ops.company import Company, Size, company
from opsgym.envs.enterprise_ops.systems import system
from opsgym.envs.enterprise_ops.worlds import Trap


@dataclass(frozen=True, slots=True)
class Base:
    """A base world.

    Attributes:
        company: Its identity layer.
        snapshot: Its state.
        digest: Hash of the state, short.
        traps: Its deliberate difficulties.
    """

    company: Company
    snapshot: Snapshot
    digest: str
    traps: tuple[Trap, ...]


_BASES: Lru[Base] = Lru(48)
_COMPANIES: Lru[Company] = Lru(64)


def base(name: str, seed: int, size: Size) -> Base:
    """The base world of a system; made once and kept.

    Raises:
        RegistryError: There is no such system.
    """
    return _BASES.get((name, seed, size), lambda: _made(name, seed, size))


def _made(name: str, seed: int, size: Size) -> Base:
    found = system(name)
    firm = _COMPANIES.get((seed, size), lambda: company(seed, size))
    made = found.generate(firm, random.Random(f"{name}/{size}/{seed}"), size)
    world = seeded(found.domain, made.rows, today=firm.today)
    try:
        return Base(firm, world.snapshot(), world.digest()[:16], made.traps)
    finally:
        world.close()
