"""System: base worlds, made once a process, and who is signed in to them."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from opsgym.core.records.seeding import seeded
from opsgym.core.world import Snapshot, World
from opsgym.envs.cache import Lru
from opsgym.envs.enterprise_bench.access import Preset, policy
from opsgym.envs.enterprise_bench.company import Size
from opsgym.envs.enterprise_bench.domain import DOMAIN
from opsgym.envs.enterprise_bench.ledger import Trap
from opsgym.envs.enterprise_bench.search import FullText, Retriever
from opsgym.envs.enterprise_bench.session import Desk
from opsgym.envs.enterprise_bench.tools import TOOLBOX
from opsgym.envs.enterprise_bench.world import generate


@dataclass(frozen=True, slots=True)
class Base:
    """A base world.

    Attributes:
        today: First day of episodes.
        snapshot: Its state.
        digest: Hash of the state, short.
        traps: Its deliberate difficulties.
        retriever: Its full-text index.
    """

    today: dt.date
    snapshot: Snapshot
    digest: str
    traps: tuple[Trap, ...]
    retriever: FullText


_BASES: Lru[Base] = Lru(14)


def base(seed: int, size: Size) -> Base:
    """The base world of a seed and size; made once and kept.

    Raises:
        RegistryError: Unknown size.
    """
    return _BASES.get((seed, size), lambda: _made(seed, size))


def _made(seed: int, size: Size) -> Base:
    made = generate(seed, size)
    world = seeded(DOMAIN, made.rows, today=made.today)
    try:
        snapshot = world.snapshot()
        return Base(made.today, snapshot, world.digest()[:16], made.traps, FullText(snapshot))
    finally:
        world.close()


def sign_in(world: World, emp_id: str, preset: Preset, retriever: Retriever) -> Desk:
    """What tools act on for an employee.

    Args:
        world: The world; it comes from the base world.
        emp_id: Who is signed in.
        preset: The rules of access.
        retriever: What finds records, such as the base world's.

    Raises:
        RegistryError: Nobody has that id, or they have left.
    """
    return Desk(world, emp_id, preset, retriever)


__all__ = ["DOMAIN", "TOOLBOX", "Base", "base", "policy", "sign_in"]
