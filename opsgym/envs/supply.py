"""TaskSupply: which task an episode plays, from the seed and the reset options."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Protocol

import numpy as np

from opsgym.core.errors import RegistryError, TaskError
from opsgym.core.family import Family
from opsgym.core.params import Params
from opsgym.core.task import JsonDict, Task
from opsgym.data.fixed_sets import shipped
from opsgym.data.packs import Pack, matches, open_pack
from opsgym.data.splits import check_split, draw_seed
from opsgym.envs.cache import Lru, TaskCache

TasksArgument = str | os.PathLike[str] | Task | Sequence[Task] | None

_READ: Lru[Task] = Lru(256)
"""Tasks of packs, shared by the environments of a process."""

OPTIONS = ("task", "index", "params", "tier", "pattern", "split")
"""Names that ``reset(options=...)`` may hold."""


@dataclass(frozen=True, kw_only=True)
class Selection:
    """The region of tasks to draw from; ``None`` leaves a choice to the seed.

    Attributes:
        tier: Named difficulty region of the family.
        pattern: Named structural pattern of the family.
        params: Overrides of difficulty parameters by name.
        split: One of :data:`~opsgym.data.splits.SPLITS`.
    """

    tier: str | None = None
    pattern: str | None = None
    params: Mapping[str, Any] | None = None
    split: str | None = None

    def refine(self, options: Mapping[str, Any]) -> Selection:
        """A copy in which ``options`` take precedence; overrides of parameters are merged."""
        names = {f.name for f in fields(self)}
        given = {name: value for name, value in options.items() if name in names}
        _check_types(given, "options.")
        if given.get("params") is not None and self.params is not None:
            given["params"] = {**self.params, **given["params"]}
        return replace(self, **given)


class Foresight(Protocol):
    """Compiles coming tasks elsewhere; see :class:`~opsgym.envs.prefetch.Prefetch`.

    It never decides which task is played: it is told, and asked for what it may have at hand.
    """

    def look_ahead(self, supply: TaskSupply, rng: np.random.Generator, selection: Selection, present: tuple[Params, int]) -> None:
        """Take note that ``present`` was drawn from ``rng`` for ``selection``, and is about to be asked for."""

    def compile(self, params: Params, seed: int) -> Task:
        """The task of (params, seed), as the family compiles it."""


class TaskSupply:
    """Tasks for one environment: an endless procedural supply, or a fixed list.

    Attributes:
        foresight: What compiles coming tasks in the background, or ``None``.

    Args:
        family: The family that is played.
        selection: What the constructor of the environment asked for.
        tasks: A pack's path, tasks, or one task; ``None`` generates.
        cache: Cache of generated tasks.

    Raises:
        RegistryError: Unknown tier, pattern, parameter or split.
        TaskError: The pack is missing, empty, or not this family's.
    """

    def __init__(self, family: Family[Params], selection: Selection, *, tasks: TasksArgument, cache: TaskCache) -> None:
        self.family = family
        self.cache = cache
        self.foresight: Foresight | None = None
        self.tasks = None if tasks is None else _as_sequence(tasks, family)
        self.selection = self._checked(selection)
        if self.tasks is None:  # names and values that do not exist are refused here, not at the first reset
            family.draw(0, tier=selection.tier, pattern=selection.pattern, overrides=selection.params)

    @property
    def generates(self) -> bool:
        """Whether tasks are compiled, by default at least, and not taken from a pack or a list."""
        return self.tasks is None and shipped(self.family, self.selection.split) is None

    def pick(self, rng: np.random.Generator, options: Mapping[str, Any]) -> Task:
        """The task of an episode.

        Args:
            rng: Stream from which everything that the options leave open is drawn.
            options: A mapping with names of :data:`OPTIONS`.

        Raises:
            RegistryError: Unknown option, tier, pattern, parameter or split.
            TaskError: The task given or read is invalid, or the parameters are infeasible.
        """
        if not isinstance(options, Mapping):
            raise TaskError(f"expected a mapping, got {options!r}", field="options")
        for name in options:
            if name not in OPTIONS:
                raise RegistryError("reset option", name, OPTIONS)
        if options.get("task") is not None:
            _alone("task", options)
            return playable(options["task"], self.family)
        if options.get("index") is not None:
            _alone("index", options)
            return self._at(options["index"])
        selection = self._checked(self.selection.refine(options)) if options else self.selection
        if self.tasks is not None:
            return self._choose(rng, selection, self.tasks)
        fixed = shipped(self.family, selection.split)
        if fixed is not None:
            return self._choose(rng, replace(selection, split=None), fixed)  # all its tasks are of the split
        return self._generate(rng, selection)

    def draw(self, rng: np.random.Generator, selection: Selection | None = None) -> tuple[Params, int]:
        """Parameters and task seed of the next generated task; takes what :func:`draw_seed` takes from ``rng``."""
        wanted = selection or self.selection
        seed = draw_seed(rng, wanted.split)
        return self._params(seed, wanted), seed

    def generate(self, seed: int, *, selection: Selection | None = None) -> Task:
        """The procedural task of a task seed, from the cache or compiled."""
        return self._compiled(self._params(seed, selection or self.selection), seed)

    def _params(self, seed: int, wanted: Selection) -> Params:
        return self.family.draw(seed, tier=wanted.tier, pattern=wanted.pattern, overrides=wanted.params)

    def _compiled(self, params: Params, seed: int) -> Task:
        compiler = self.family.compile if self.foresight is None else self.foresight.compile
        return self.cache.get(self.family, params, seed, compiler=compiler)

    def _generate(self, rng: np.random.Generator, selection: Selection) -> Task:
        drawn = self.draw(rng, selection)
        if self.foresight is not None:
            self.foresight.look_ahead(self, rng, selection, drawn)
        return self._compiled(*drawn)

    def _choose(self, rng: np.random.Generator, selection: Selection, tasks: Sequence[Task]) -> Task:
        indices = _where(tasks, selection)
        if not indices:
            raise _no_match(tasks, selection)
        return self._read(tasks, indices[int(rng.integers(len(indices)))])

    def _at(self, index: object) -> Task:
        tasks = shipped(self.family, self.selection.split) if self.tasks is None else self.tasks
        if tasks is None:
            raise TaskError("an index needs a pack: pass tasks= to the environment", field="options.index")
        if not isinstance(index, int) or not -len(tasks) <= index < len(tasks):
            raise TaskError(f"expected an index below {len(tasks)}, got {index!r}", field="options.index")
        return self._read(tasks, index)

    def _read(self, tasks: Sequence[Task], index: int) -> Task:
        """The task at an index; read and checked once where it is asked for again and again."""
        if not isinstance(tasks, Pack):
            return playable(tasks[index], self.family)
        key = self.family.id, tasks.identity, index % len(tasks)
        return _READ.get(key, lambda: playable(tasks[index], self.family))

    def _checked(self, selection: Selection) -> Selection:
        _check_types({name: getattr(selection, name) for name in ("tier", "pattern", "params", "split")})
        check_split(selection.split)
        if selection.params and (self.tasks is not None or shipped(self.family, selection.split) is not None):
            raise TaskError("the tasks of a pack are compiled; their parameters cannot be overridden", field="params")
        return selection


def playable(task: Task | str | bytes | JsonDict, family: Family[Params]) -> Task:
    """A task that ``family`` can play, read from its JSON where needed.

    Raises:
        TaskError: It is no task, of another family, or made by a newer version of the family.
    """
    if isinstance(task, str | bytes):
        task = Task.from_json(task, family=family.id)
    elif not isinstance(task, Task):
        task = Task.from_dict(task, family=family.id)
    if task.family != family.id:
        raise TaskError(f"expected {family.id!r}, got {task.family!r}", field="family")
    if _version(task.version) > _version(family.version):
        message = f"the task was made by version {task.version} of {family.id}, this is {family.version}; upgrade opsgym"
        raise TaskError(message, field="version")
    return task


def _check_types(choices: Mapping[str, Any], place: str = "") -> None:
    for name, value in choices.items():
        expected = Mapping if name == "params" else str
        if value is not None and not isinstance(value, expected):
            raise TaskError(f"expected {expected.__name__} or None, got {value!r}", field=place + name)


def _version(text: str) -> tuple[int, ...]:
    return tuple(int(part) if part.isdigit() else 0 for part in text.split("."))


def _alone(name: str, options: Mapping[str, Any]) -> None:
    others = sorted(other for other, value in options.items() if other != name and value is not None)
    if others:
        raise TaskError(f"names the task already; it cannot be combined with {', '.join(others)}", field=f"options.{name}")


def _as_sequence(tasks: TasksArgument, family: Family[Params]) -> Sequence[Task]:
    if isinstance(tasks, Task):
        tasks = [tasks]
    found = open_pack(tasks, family=family.id) if isinstance(tasks, str | os.PathLike) else tasks
    if not isinstance(found, Sequence):
        raise TaskError(f"expected the path of a pack, a Task or a list of Task, got {type(tasks).__name__}", field="tasks")
    if not found:
        raise TaskError("expected at least one task, got none", field="tasks")
    return found if isinstance(found, Pack) else [playable(task, family) for task in found]


def _where(tasks: Sequence[Task], selection: Selection) -> Sequence[int]:
    wanted = {"tier": selection.tier, "pattern": selection.pattern, "split": selection.split}
    if not any(wanted.values()):
        return range(len(tasks))
    if isinstance(tasks, Pack):
        return tasks.where(**wanted)
    return [index for index, task in enumerate(tasks) if matches(task, **wanted)]


def _no_match(tasks: Sequence[Task], selection: Selection) -> RegistryError | TaskError:
    """The error that says which of the names does not occur, or that they do not occur together."""
    for kind, given in (("tier", selection.tier), ("pattern", selection.pattern)):
        known = {str(getattr(item, kind)) for item in (tasks.headers if isinstance(tasks, Pack) else tasks)}
        if given is not None and given not in known:
            return RegistryError(kind, given, known, note="These are what the pack holds.")
    wanted = f"tier={selection.tier!r}, pattern={selection.pattern!r} and split={selection.split!r}"
    return TaskError(f"no task of the pack has {wanted}", field="tasks")
