"""Fixed sets: the tasks by which results are compared, made once from fixed seeds and shipped as packs.

A family names its set; ``opsgym tasks build-fixed ID`` makes it.  Playing it needs no solver.  The tasks stand in the order
of the set: all of the first pattern, then all of the second, and so on, so that ``index`` names one for ever.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from opsgym.core.family import Family, FixedSet
from opsgym.core.task import Task
from opsgym.data.packs import Pack, open_pack
from opsgym.data.splits import draw_seed

PACKS = Path(__file__).parent / "packs"
"""Where the package keeps its packs."""

TRIES = 10
"""Seeds that are tried for one task before its parameters count as infeasible."""


def location(fixed: FixedSet) -> Path:
    """The pack of a set, whether it is there or not."""
    return PACKS / f"{fixed.name}.jsonl.xz"


def checksum(pack: Path) -> Path:
    """The file beside a pack that holds its :func:`digest`."""
    return pack.with_name(pack.name.partition(".")[0] + ".sha256")


def shipped(family: Family[Any], split: str | None) -> Pack | None:
    """The fixed set that a split of a family plays, or ``None`` where the split is an endless supply."""
    fixed = family.fixed_set
    if split is None or fixed is None or split != fixed.split or not location(fixed).is_file():
        return None
    return _opened(location(fixed), family.id)


@cache
def _opened(path: Path, family: str) -> Pack:
    return open_pack(path, family=family)


def seeds(entropy: int, number: int, split: str | None) -> tuple[int, ...]:
    """Task seeds for the task at a position, to be tried in order.

    Args:
        entropy: What tells one set from another.
        number: The position, from 0.
        split: The split to which the seeds are to belong, or ``None`` for any.
    """
    rng = np.random.default_rng([entropy, number])
    return tuple(draw_seed(rng, split) for _ in range(TRIES))


def slots(fixed: FixedSet) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Pattern and seeds of every task of a set, in order."""
    patterns = [pattern for pattern, count in fixed.counts.items() for _ in range(count)]
    for number, pattern in enumerate(patterns):
        yield pattern, seeds(fixed.entropy, number, fixed.split)


def digest(tasks: Iterable[Task]) -> str:
    """SHA-256 of the tasks' canonical JSON, a line each: the same for any compression of a pack."""
    content = hashlib.sha256()
    for task in tasks:
        content.update(task.to_json().encode() + b"\n")
    return content.hexdigest()
