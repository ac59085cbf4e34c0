"""Generation: many tasks, in one process or several, in an order and with a content that depend on the seeds only.

A run that is interrupted leaves what it compiled in a folder beside the pack; the same run takes it up from there.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from opsgym.core.errors import TaskError
from opsgym.core.task import Task
from opsgym.data.fixed_sets import checksum, digest, location, slots
from opsgym.data.packs import check_name, open_pack, write_pack
from opsgym.envs.cache import TaskCache
from opsgym.evaluate.entry_points import entry_point_of, load_env
from opsgym.evaluate.parallel import Progress, Workers


@dataclass(frozen=True, kw_only=True, slots=True)
class Slot:
    """A place in a pack: the region it is drawn from, and the task seeds that are tried in order.

    Attributes:
        seeds: At least one; the later ones are for the case that the parameters of the earlier are infeasible.
        tier: Difficulty region.
        pattern: Structural pattern.
        params: Overrides of difficulty parameters.
    """

    seeds: tuple[int, ...]
    tier: str | None = None
    pattern: str | None = None
    params: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Generated:
    """What a run wrote: the number of tasks, and how many are not of the first seed of their slot."""

    tasks: int
    replaced: int


def fill(entry_point: str, slot: Slot, directory: str | None = None) -> str:
    """JSON of the task of a slot.

    Args:
        entry_point: The environment.
        slot: Which task.
        directory: Where compiled tasks are kept and found again.

    Raises:
        RegistryError: Unknown tier, pattern or parameter.
        TaskError: The parameters of every seed are infeasible, or a task failed its acceptance.
    """
    family = load_env(entry_point, cache=None).family
    cache = TaskCache(directory, capacity=1)
    for seed in slot.seeds:
        params = family.draw(seed, tier=slot.tier, pattern=slot.pattern, overrides=slot.params)
        try:
            return cache.get(family, params, seed).to_json()
        except TaskError as error:
            if seed == slot.seeds[-1] or not (error.field or "").startswith("params"):
                raise
    raise TaskError("expected at least one seed, got none", field="seeds")


def generate_pack(
    path: str | os.PathLike[str],
    entry_point: str,
    wanted: Sequence[Slot],
    *,
    workers: int = 1,
    progress: Progress | None = None,
) -> Generated:
    """Compile the tasks of ``wanted`` and write them to a pack, which appears whole or not at all.

    Args:
        path: The pack.
        entry_point: The environment.
        wanted: The tasks in order.
        workers: Number of processes.
        progress: Told of every task.

    Raises:
        RegistryError: Unknown tier, pattern or parameter.
        TaskError: The name says no known format, or a slot cannot be filled.
    """
    check_name(path)
    parts = Path(f"{os.fspath(path)}.parts")
    replaced = 0

    def tasks(pool: Workers) -> Iterator[Task]:
        nonlocal replaced
        jobs = [(entry_point, slot, str(parts)) for slot in wanted]
        for slot, text in zip(wanted, pool.map("generating", fill, jobs), strict=True):
            task = Task.from_json(text)
            replaced += task.seed != slot.seeds[0]
            yield task

    with Workers(workers, progress=progress) as pool:
        written = write_pack(path, tasks(pool))
    shutil.rmtree(parts, ignore_errors=True)
    return Generated(written, replaced)


def build_fixed(
    env_id: str, path: str | os.PathLike[str] | None = None, *, workers: int = 1, progress: Progress | None = None
) -> tuple[Path, Generated]:
    """Make the fixed set of an environment from its fixed seeds, and a file with its checksum beside it.

    Args:
        env_id: A registered id.
        path: The pack to write; by default the one that the package ships.
        workers: Number of processes.
        progress: Told of every task.

    Raises:
        RegistryError: Unknown id.
        TaskError: The environment has no fixed set, or a task of it cannot be made.
    """
    entry_point = entry_point_of(env_id)
    fixed = load_env(entry_point, cache=None).family.fixed_set
    if fixed is None:
        raise TaskError(f"{env_id} has no fixed set", field="fixed_set")
    target = location(fixed) if path is None else Path(path)
    wanted = [Slot(seeds=seeds, pattern=pattern) for pattern, seeds in slots(fixed)]
    made = generate_pack(target, entry_point, wanted, workers=workers, progress=progress)
    checksum(target).write_text(f"{digest(open_pack(target))}\n", encoding="utf-8")
    return target, made
