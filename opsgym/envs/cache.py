"""Caches of compiled tasks, in memory and on disk.

Group-based training asks for the same (family, version, params, seed) many times and from many processes; compiling
it again would cost a solve.
"""

from __future__ import annotations

import os
import warnings
from collections import OrderedDict
from collections.abc import Callable, Hashable
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Generic, Literal, TypeVar

from opsgym.core.errors import TaskError
from opsgym.core.family import Family
from opsgym.core.params import Params
from opsgym.core.task import JsonDict, Task, content_hash
from opsgym.data.packs import atomic_file

V = TypeVar("V")
P = TypeVar("P", bound=Params)


class Lru(Generic[V]):
    """A mapping that forgets what was asked for longest ago.

    Args:
        capacity: Greatest number of entries, at least 1.

    Example:
        >>> squares = Lru(2)
        >>> [squares.get(n, lambda: n * n) for n in (1, 2, 3)]
        [1, 4, 9]
        >>> len(squares)
        2
    """

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self._entries: OrderedDict[Hashable, V] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, key: Hashable, make: Callable[[], V], *, keep: Callable[[V], bool] = lambda value: True) -> V:
        """The entry of ``key``; made, and where ``keep`` says so kept, when there is none."""
        with self._lock:
            if key in self._entries:
                self._entries.move_to_end(key)
                return self._entries[key]
        value = make()  # outside the lock: compiling may take seconds
        if not keep(value):
            return value
        with self._lock:
            self._entries[key] = value
            self._entries.move_to_end(key)
            while len(self._entries) > self.capacity:
                self._entries.popitem(last=False)
        return value


class TaskCache:
    """Compiled tasks by (family, version, params, seed).

    A file that is damaged, altered or of another task is compiled anew and replaced.

    Args:
        directory: Where tasks are kept as files, or ``None`` to keep them in memory only.
        capacity: Greatest number of tasks in memory.
    """

    def __init__(self, directory: str | os.PathLike[str] | None = None, *, capacity: int = 256) -> None:
        self.directory = None if directory is None else Path(directory)
        self._memory: Lru[Task] = Lru(capacity)

    def __repr__(self) -> str:
        return f"TaskCache(directory={str(self.directory) if self.directory else None!r}, capacity={self._memory.capacity})"

    def get(self, family: Family[P], params: P, seed: int, *, compiler: Callable[[P, int], Task] | None = None) -> Task:
        """The task of (family, version, params, seed), compiled when it is not at hand.

        Args:
            family: The family.
            params: Difficulty parameters.
            seed: Task seed.
            compiler: Does what ``family.compile`` does, elsewhere perhaps.

        Raises:
            TaskError: The parameters are infeasible.
        """
        values = params.model_dump(mode="json")
        key = content_hash({"params": values, "seed": seed})
        make = partial(compiler or family.compile, params, seed)
        return self._memory.get((family.id, family.version, key), lambda: self._load_or_compile(family, make, values, seed, key))

    def _load_or_compile(self, family: Family[P], make: Callable[[], Task], values: JsonDict, seed: int, key: str) -> Task:
        if self.directory is None:
            return _as_read(make())
        path = self.directory / family.id / family.version / f"{key}.json"
        task = _load(path, family.id)
        if task is None or (task.version, task.seed, task.params) != (family.version, seed, values):
            task = _as_read(make())
            self._store(path, task)
        return task

    def _store(self, path: Path, task: Task) -> None:
        try:
            with atomic_file(path) as temporary:
                temporary.write_text(task.to_json(), encoding="utf-8")
        except OSError as error:
            message = f"tasks are not kept on disk, {self.directory} cannot be written: {error}"
            warnings.warn(message, RuntimeWarning, stacklevel=2)
            self.directory = None


def _as_read(task: Task) -> Task:
    """The task as it is when read from a file: keys in the same order, so that what is played looks the same to the letter."""
    return Task.from_json(task.to_json())


def _load(path: Path, family: str) -> Task | None:
    """The task in a file, or ``None`` when there is no sound one."""
    try:
        return Task.from_json(path.read_bytes(), family=family)
    except (OSError, TaskError):
        return None


CacheArgument = Literal["auto"] | str | os.PathLike[str] | None

_SHARED: Lru[TaskCache] = Lru(16)


def task_cache(cache: CacheArgument = "auto") -> TaskCache:
    """The process's cache for a directory; environments of one process share it.

    Args:
        cache: A directory, ``"auto"`` for ``$XDG_CACHE_HOME/opsgym`` (by default ``~/.cache/opsgym``), or
            ``None`` to keep tasks in memory only.
    """
    if cache == "auto":
        cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "opsgym"
    directory = None if cache is None else str(Path(cache).absolute())
    return _SHARED.get(directory, lambda: TaskCache(directory))
