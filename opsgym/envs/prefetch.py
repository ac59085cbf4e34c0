"""Prefetch: compiles the tasks of coming episodes in the background, while an agent plays the present one."""

from __future__ import annotations

import copy
import warnings
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing import get_context
from threading import RLock
from types import TracebackType
from typing import Any, Self

import gymnasium as gym
import numpy as np
from gymnasium.utils.seeding import np_random
from gymnasium.vector import VectorEnv

from opsgym.core.errors import TaskError
from opsgym.core.family import Family
from opsgym.core.params import Params
from opsgym.core.processes import begin_worker
from opsgym.core.task import Task
from opsgym.envs.cache import TaskCache
from opsgym.envs.supply import Selection, TaskSupply
from opsgym.envs.tool_env import ToolEnv

Draw = tuple[Params, int]
"""Parameters and task seed: what a task is compiled from."""


class Prefetch:
    """A context in which the coming tasks of an environment are compiled by other processes.

    The environment still picks every task itself, from the same seeds: what is played, its order and the errors of
    infeasible parameters are the same with and without.  What was guessed wrongly is dropped, and what is not at hand in
    time is compiled on the spot.

    Resets without a seed go on in the environment's random stream, which can be looked ahead.  Where every reset names its
    seed, give these ``seeds`` too.  An environment that plays given tasks has nothing to compile and is left alone.

    Args:
        env: A ToolEnv, wrapped or not, or a vector of them in this process.
        workers: Number of processes.
        ahead: Greatest number of tasks compiled in advance, for each environment (in all, with ``seeds``).
        seeds: The seeds of the coming resets in order; may be endless.

    The processes end with this one, also when it is killed; where one of them is, its tasks are compiled here.

    Raises:
        TaskError: ``env`` is no ToolEnv of this process, or a number is not positive.

    Example:
        >>> import gymnasium as gym
        >>> import opsgym
        >>> env = gym.make("ERPBench-v0", tier="easy", split="train", cache=None)
        >>> with Prefetch(env, ahead=2):
        ...     _, first = env.reset(seed=1)
        ...     _, second = env.reset()
        >>> first["task_id"] != second["task_id"]
        True
    """

    def __init__(
        self,
        env: gym.Env[Any, Any] | VectorEnv[Any, Any, Any],
        *,
        workers: int = 1,
        ahead: int = 8,
        seeds: Iterable[int] | None = None,
    ) -> None:
        for name, value in (("workers", workers), ("ahead", ahead)):
            if value < 1:
                raise TaskError(f"expected a positive number, got {value}", field=name)
        self._supplies = [item.supply for item in _tool_envs(env) if item.supply.generates]
        self._crew = _Crew(workers)
        given = None
        if seeds is not None and self._supplies:
            given = _Given(self._crew, self._supplies[0], ahead, seeds)
        for supply in self._supplies:
            supply.foresight = given or _Stream(self._crew, supply, ahead)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Stop the processes, once they have finished what they are at; the environment goes on without them."""
        for supply in self._supplies:
            supply.foresight = None
        self._crew.close()


@dataclass(slots=True, eq=False)
class _Job:
    """A task to be compiled; ``future`` is ``None`` until a process has begun it."""

    family: Family[Any]
    draw: Draw
    directory: Any
    future: Future[Task] | None = None


class _Crew:
    """Processes that compile jobs in order, each one at a time.

    What waits is kept here and not in the pool: it can be dropped, and a program that ends without closing waits for what
    is begun only.
    """

    def __init__(self, workers: int) -> None:
        self._pool = ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=begin_worker)
        self._idle = workers
        self._waiting: deque[_Job] = deque()
        self._lock = RLock()

    def add(self, job: _Job) -> None:
        """Have a job done."""
        with self._lock:
            self._waiting.append(job)
            self._go_on()

    def drop(self, job: _Job) -> bool:
        """Have a job not done; whether that was in time."""
        with self._lock:
            if job in self._waiting:
                self._waiting.remove(job)
            return job.future is None

    def close(self) -> None:
        """Stop when what is begun is done."""
        with self._lock:
            self._waiting.clear()
        self._pool.shutdown()

    def _go_on(self) -> None:
        while self._idle and self._waiting:
            job = self._waiting.popleft()
            try:
                future = self._pool.submit(_compile, job.family, *job.draw, job.directory)
            except RuntimeError:  # the pool is broken or the program is about to end: tasks are compiled when asked for
                self._waiting.clear()
                return
            self._idle -= 1
            job.future = future
            future.add_done_callback(self._is_done)

    def _is_done(self, future: Future[Task]) -> None:
        with self._lock:
            self._idle += 1
            self._go_on()


class _Lane:
    """Tasks in the making, by what they are made from.

    Args:
        crew: Who makes them.
        supply: Whose family and cache directory they are made for.
        ahead: Greatest number in advance.
    """

    def __init__(self, crew: _Crew, supply: TaskSupply, ahead: int) -> None:
        self._crew = crew
        self._family: Family[Any] = supply.family
        self._directory = supply.cache.directory
        self._ahead = ahead
        self._jobs: dict[tuple[str, int], _Job] = {}

    def compile(self, params: Params, seed: int) -> Task:
        """The task, from another process if that has begun it, else compiled here."""
        job = self._jobs.get(_key((params, seed)))
        if job is not None and not self._crew.drop(job):
            assert job.future is not None, "it is begun"
            try:
                return job.future.result()
            except BrokenProcessPool:
                message = "a prefetching process died; tasks are compiled when they are asked for"
                warnings.warn(message, RuntimeWarning, stacklevel=2)
        return self._family.compile(params, seed)

    def _turn_to(self, present: Draw | None, coming: Iterable[Draw]) -> None:
        """Keep what is asked for at present, begin what is coming, and drop the rest."""
        kept: dict[tuple[str, int], _Job] = {}
        if present is not None and (key := _key(present)) in self._jobs:
            kept[key] = self._jobs.pop(key)
        fresh = []
        for draw in coming:
            key = _key(draw)
            if key in self._jobs:
                kept[key] = self._jobs.pop(key)
            elif key not in kept:
                kept[key] = _Job(self._family, draw, self._directory)
                fresh.append(kept[key])
        for job in self._jobs.values():
            self._crew.drop(job)
        self._jobs = kept
        for job in fresh:
            self._crew.add(job)


class _Stream(_Lane):
    """Foresight for one environment whose resets go on in its random stream."""

    def look_ahead(self, supply: TaskSupply, rng: np.random.Generator, selection: Selection, present: Draw) -> None:
        """Begin what the next draws from ``rng`` would ask for; ``rng`` itself is left alone."""
        twin = copy.deepcopy(rng)
        coming = [draw for _ in range(self._ahead) if (draw := _draw(supply, twin, selection)) is not None]
        self._turn_to(present, coming)


class _Given(_Lane):
    """Foresight for environments whose resets name their seeds, which are known in advance."""

    def __init__(self, crew: _Crew, supply: TaskSupply, ahead: int, seeds: Iterable[int]) -> None:
        super().__init__(crew, supply, ahead)
        self._draws = _draws(supply, seeds)
        self._coming: deque[Draw] = deque()
        self._top_up(None)

    def look_ahead(self, supply: TaskSupply, rng: np.random.Generator, selection: Selection, present: Draw) -> None:
        """Drop the seeds up to the present one, where it is among those expected, and go on with the next."""
        keys = [_key(draw) for draw in self._coming]
        if _key(present) in keys:
            for _ in range(keys.index(_key(present)) + 1):
                self._coming.popleft()
        self._top_up(present)

    def _top_up(self, present: Draw | None) -> None:
        while len(self._coming) < self._ahead and (draw := next(self._draws, None)) is not None:
            self._coming.append(draw)
        self._turn_to(present, self._coming)


def _key(draw: Draw) -> tuple[str, int]:
    params, seed = draw
    return params.model_dump_json(), seed


def _draw(supply: TaskSupply, rng: np.random.Generator, selection: Selection | None = None) -> Draw | None:
    """The next draw, or ``None`` where the parameters do not fit: the environment says so when it comes to it."""
    try:
        return supply.draw(rng, selection)
    except TaskError:
        return None


def _draws(supply: TaskSupply, seeds: Iterable[int]) -> Iterator[Draw]:
    """What resets with these seeds ask for."""
    for seed in seeds:
        draw = _draw(supply, np_random(seed)[0])
        if draw is not None:
            yield draw


def _tool_envs(env: gym.Env[Any, Any] | VectorEnv[Any, Any, Any]) -> list[ToolEnv]:
    base: Any = env.unwrapped
    found = [item.unwrapped for item in getattr(base, "envs", [base])]
    for item in found:
        if not isinstance(item, ToolEnv):
            raise TaskError(f"expected a ToolEnv or a vector of them in this process, got {type(item).__name__}", field="env")
    return found


# -- in the other processes -------------------------------------------------------------------------------------


def _compile(family: Family[Any], params: Params, seed: int, directory: Any) -> Task:
    return TaskCache(directory, capacity=1).get(family, params, seed)
