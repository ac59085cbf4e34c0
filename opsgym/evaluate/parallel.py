"""Workers: one function over many argument tuples, in one process or several, with the results in order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from types import TracebackType
from typing import Any, Self, TypeVar

from opsgym.core.errors import OpsGymError, TaskError
from opsgym.core.processes import begin_worker

R = TypeVar("R")
Progress = Callable[[str, int, int], None]
"""Called with a phase, the steps done and the steps in all."""


class Workers:
    """A context in which jobs are run; processes are spawned, so functions and arguments must pickle.

    The processes end with this one, also when it is killed.

    Args:
        count: Number of processes; with 1 everything runs in this one.
        progress: Told of every finished job.

    Raises:
        TaskError: The count is not positive.
    """

    def __init__(self, count: int = 1, *, progress: Progress | None = None) -> None:
        if count < 1:
            raise TaskError(f"expected at least one process, got {count}", field="workers")
        self._progress = progress
        self._pool: ProcessPoolExecutor | None = None
        if count > 1:
            self._pool = ProcessPoolExecutor(count, mp_context=get_context("spawn"), initializer=begin_worker)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def map(self, phase: str, function: Callable[..., R], jobs: Sequence[tuple[Any, ...]]) -> Iterator[R]:
        """Results of ``function`` for each tuple of arguments, as they come.

        Args:
            phase: What progress is told.
            function: A function of a module.
            jobs: The arguments.

        Raises:
            OpsGymError: A process died.
        """
        if self._pool is None:
            results: Iterator[R] = (function(*job) for job in jobs)
        else:
            results = self._pool.map(function, *zip(*jobs, strict=True)) if jobs else iter(())
        try:
            for done, result in enumerate(results, start=1):
                if self._progress is not None:
                    self._progress(phase, done, len(jobs))
                yield result
        except BrokenProcessPool as error:
            raise OpsGymError(f"a process was ended from outside or crashed while {phase}") from error
