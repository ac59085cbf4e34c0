"""Which tasks an examination is made on: generated ones over all regions, a pack, a list, or a family's fixed set."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np

from opsgym.core.errors import RegistryError, TaskError
from opsgym.core.family import Family
from opsgym.core.task import Task
from opsgym.data.fixed_sets import shipped
from opsgym.data.packs import matches, open_pack
from opsgym.data.splits import check_split, draw_seed
from opsgym.envs.supply import playable
from opsgym.evaluate.entry_points import generate
from opsgym.evaluate.parallel import Workers

T = TypeVar("T")

GENERATED = 30
"""Tasks that are generated where no number is given, unless a family has more regions."""

Source = int | str | os.PathLike[str] | Sequence[Task] | None
"""How many tasks, or which: a pack's path or a list; ``None`` for a whole fixed set or :func:`default_count` generated ones."""


def regions(family: Family[Any]) -> list[tuple[str, str]]:
    """Every (tier, pattern) from which a family generates tasks, easiest first."""
    return [(tier, pattern) for tier in family.tiers for pattern in family.patterns if _exists(family, tier, pattern)]


def is_generated(family: Family[Any], source: Source, split: str | None) -> bool:
    """Whether :func:`select` compiles the tasks anew."""
    return (source is None or isinstance(source, int)) and shipped(family, split) is None


def select(family: Family[Any], entry_point: str, source: Source, split: str | None, pool: Workers) -> list[Task]:
    """The tasks.

    Args:
        family: The family.
        entry_point: Its environment.
        source: How many tasks, or which.
        split: Tasks of this split only; where the family's fixed set belongs to it, a number is taken from that set,
            evenly spread.
        pool: Who generates.

    Raises:
        RegistryError: No such split.
        TaskError: A task is damaged or not the family's, there is none, or the number is not positive.
    """
    check_split(split)
    if source is not None and not isinstance(source, int):
        return _given(family, source, split)
    if source is not None and source < 1:
        raise TaskError(f"expected at least one task, got {source}", field="tasks")
    fixed = shipped(family, split)
    if fixed is not None:
        return spread(fixed, len(fixed) if source is None else min(source, len(fixed)))
    return _generated(family, entry_point, default_count(family) if source is None else source, split, pool)


def default_count(family: Family[Any]) -> int:
    """Tasks that are generated where no number is given: :data:`GENERATED`, or one of each region where there are more."""
    return max(GENERATED, len(regions(family)))


def spread(items: Sequence[T], count: int) -> list[T]:
    """``count`` items: all of them as many times as that goes, and the rest at equal distances.

    >>> spread("abcd", 2), spread("abcd", 5)
    (['a', 'c'], ['a', 'b', 'c', 'd', 'a'])
    """
    rounds, rest = divmod(count, len(items))
    places = [*range(len(items))] * rounds + [place * len(items) // rest for place in range(rest)]
    return [items[place] for place in places]


def _exists(family: Family[Any], tier: str, pattern: str) -> bool:
    try:
        family.draw(0, tier=tier, pattern=pattern)
    except RegistryError:
        return False
    return True


def _given(family: Family[Any], tasks: str | os.PathLike[str] | Sequence[Task], split: str | None) -> list[Task]:
    """The tasks of a pack or a list, of one split where it is named."""
    if isinstance(tasks, str | os.PathLike):
        pack = open_pack(tasks, family=family.id)
        found = [playable(pack[index], family) for index in pack.where(split=split)]
    else:
        found = [playable(task, family) for task in tasks if matches(task, tier=None, pattern=None, split=split)]
    if not found:
        raise TaskError(f"expected at least one task of split {split!r}, got none", field="tasks")
    return found


def _generated(family: Family[Any], entry_point: str, count: int, split: str | None, pool: Workers) -> list[Task]:
    """Tasks spread over all regions."""
    jobs = [
        (entry_point, draw_seed(np.random.default_rng(number), split), *region)
        for number, region in enumerate(spread(regions(family), count))
    ]
    return [Task.from_json(text) for text in pool.map("generating", generate, jobs)]
