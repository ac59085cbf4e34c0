"""The tasks of a run: a pack, a fixed set or generated ones, written once into the run's directory."""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from opsgym.core.errors import RegistryError, TaskError
from opsgym.core.family import Family
from opsgym.core.task import JsonDict, Task
from opsgym.data.fixed_sets import digest, seeds, shipped
from opsgym.data.packs import Header, Pack, matches, open_pack, write_pack
from opsgym.data.splits import check_split
from opsgym.envs.supply import playable
from opsgym.evaluate.generation import Slot, generate_pack
from opsgym.evaluate.parallel import Progress
from opsgym.evaluate.selection import Source, default_count, regions, spread


@dataclass(frozen=True, kw_only=True)
class TaskChoice:
    """Which tasks a run plays.

    Attributes:
        source: How many tasks, or which: a pack's path or a list; ``None`` for a whole fixed set or
            :func:`~opsgym.evaluate.selection.default_count` generated ones.
        split: Tasks of this split only; where the family's fixed set belongs to it, tasks are taken from that set.
        tier: Tasks of this tier only.
        pattern: Tasks of this pattern only.
        seed: Seed of generated tasks.
    """

    source: Source = None
    split: str | None = None
    tier: str | None = None
    pattern: str | None = None
    seed: int = 0

    def describe(self, family: Family[Any]) -> JsonDict:
        """The source as JSON: equal for equal tasks, without a path.

        Raises:
            RegistryError: Unknown split.
            TaskError: There is no such pack, or the number of tasks is not positive.
        """
        filters = {"split": check_split(self.split), "tier": self.tier, "pattern": self.pattern}
        named = {name: value for name, value in filters.items() if value is not None}
        if isinstance(self.source, str | os.PathLike):
            pack = open_pack(self.source, family=family.id)
            return {"pack": pack.path.name, "sha256": _file_digest(pack.path), **named}
        if self.source is not None and not isinstance(self.source, int):
            return {"given": digest(self.source), **named}
        if self.source is not None and self.source < 1:
            raise TaskError(f"expected at least one task, got {self.source}", field="tasks")
        if self._fixed(family) is not None and family.fixed_set is not None:
            count = {} if self.source is None else {"count": self.source}
            return {"fixed_set": family.fixed_set.name, **count, **named}
        return {"generated": self._count(family), "seed": self.seed, **named}

    def write(
        self, path: Path, family: Family[Any], entry_point: str, *, workers: int = 1, progress: Progress | None = None
    ) -> tuple[str, ...]:
        """Write the tasks as a pack, which appears whole or not at all; returns their ids.

        Args:
            path: The pack.
            family: The family.
            entry_point: Its environment.
            workers: Number of processes that generate.
            progress: Told of every generated task.

        Raises:
            RegistryError: Unknown split, tier or pattern.
            TaskError: A task is damaged or not the family's, stands twice, or there is none.
        """
        chosen = self._chosen(family)
        if chosen is None:
            generate_pack(path, entry_point, self._slots(family), workers=workers, progress=progress)
        else:
            write_pack(path, chosen)
        return task_ids(path, family)

    def _fixed(self, family: Family[Any]) -> Pack | None:
        return shipped(family, self.split) if self.source is None or isinstance(self.source, int) else None

    def _chosen(self, family: Family[Any]) -> Iterator[Task] | None:
        """The tasks, where they exist already."""
        fixed = self._fixed(family)
        if fixed is not None:
            found = fixed.where(tier=self.tier, pattern=self.pattern)
            wanted = min(len(found), self.source if isinstance(self.source, int) else len(found))
            return self._read(fixed, spread(found, wanted) if found else ())
        if self.source is None or isinstance(self.source, int):
            return None
        tasks = open_pack(self.source, family=family.id) if isinstance(self.source, str | os.PathLike) else self.source
        headers: Sequence[Header | Task] = tasks.headers if isinstance(tasks, Pack) else tasks
        filters = {"tier": self.tier, "pattern": self.pattern, "split": check_split(self.split)}
        return self._read(tasks, [index for index, header in enumerate(headers) if matches(header, **filters)], family)

    def _read(self, tasks: Sequence[Task], places: Sequence[int], family: Family[Any] | None = None) -> Iterator[Task]:
        if not places:
            raise TaskError(f"no task has tier={self.tier!r}, pattern={self.pattern!r} and split={self.split!r}", field="tasks")
        return (playable(tasks[place], family) if family else tasks[place] for place in places)

    def _slots(self, family: Family[Any]) -> list[Slot]:
        """Slots of generated tasks, spread over all regions of the tier and pattern."""
        for kind, given, known in (("tier", self.tier, family.tiers), ("pattern", self.pattern, family.patterns)):
            if given is not None and given not in known:
                raise RegistryError(kind, given, known)
        wanted = [
            (tier, pattern) for tier, pattern in regions(family) if self.tier in (None, tier) and self.pattern in (None, pattern)
        ]
        if not wanted:
            raise TaskError(f"{family.id} generates no task of tier {self.tier!r} and pattern {self.pattern!r}", field="tasks")
        return [
            Slot(seeds=seeds(self.seed, number, self.split), tier=tier, pattern=pattern)
            for number, (tier, pattern) in enumerate(spread(wanted, self._count(family)))
        ]

    def _count(self, family: Family[Any]) -> int:
        return self.source if isinstance(self.source, int) else default_count(family)


def task_ids(path: Path, family: Family[Any]) -> tuple[str, ...]:
    """Ids of the tasks of a run's pack, in order.

    Raises:
        TaskError: A task is damaged or stands twice.
    """
    ids = tuple(header.id for header in open_pack(path, family=family.id).headers)
    twice = [task_id for task_id, count in Counter(ids).items() if count > 1]
    if twice:
        raise TaskError(f"expected every task once, {twice[0]} stands more often", field="tasks")
    return ids


def _file_digest(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
