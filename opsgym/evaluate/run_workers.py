"""Three ways to play the trials of a desk: one after another, in processes, or at the same time in one process."""

from __future__ import annotations

import asyncio
import pickle
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing
from functools import partial
from multiprocessing import get_context
from typing import TYPE_CHECKING

from opsgym.core.errors import OpsGymError
from opsgym.core.processes import begin_worker
from opsgym.evaluate.run_desk import Desk
from opsgym.evaluate.run_model import AnyModel
from opsgym.evaluate.run_plan import Pair
from opsgym.evaluate.run_trial import AnyScene, AnyStage, Trial

if TYPE_CHECKING:
    from opsgym.baselines.models import RequestCache

__all__ = ["play_alone", "play_concurrently", "play_in_processes"]


def play_alone(desk: Desk, scene: AnyScene) -> None:
    """One trial after another, in this process."""
    with closing(scene.stage()) as stage:
        while (pair := desk.next()) is not None:
            desk.settle(pair, partial(stage.play, pair))


def play_in_processes(desk: Desk, scene: AnyScene, workers: int) -> None:
    """Trials in processes; one more than there are processes waits, so that none idles."""
    flying: dict[Future[Trial], Pair] = {}
    context = get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=context, initializer=_set_up, initargs=(scene,)) as pool:
        try:
            while True:
                while len(flying) <= workers and (pair := desk.next()) is not None:
                    flying[pool.submit(_play, pair)] = pair
                if desk.stopped:
                    flying = {future: pair for future, pair in flying.items() if not future.cancel()}
                if not flying:
                    return
                for future in sorted(wait(flying, return_when=FIRST_COMPLETED).done, key=flying.__getitem__):
                    if isinstance(future.exception(), BrokenProcessPool):
                        raise OpsGymError("a process was ended from outside or crashed; what was played is kept")
                    desk.settle(flying.pop(future), future.result)
        except KeyboardInterrupt:
            for process in (pool._processes or {}).values():  # nothing public ends a pool that is at work
                process.kill()
            raise


async def play_concurrently(desk: Desk, scene: AnyScene, workers: int, model: AnyModel) -> None:
    """Trials at the same time, in this process."""

    async def play(cache: RequestCache | None) -> None:
        with closing(scene.stage(model.model, cache)) as stage:
            while (pair := desk.next()) is not None:
                played = asyncio.ensure_future(stage.play_async(pair))
                await asyncio.wait([played])
                desk.settle(pair, played.result)

    try:
        async with model.opened() as cache, asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(play(cache))
    except BaseExceptionGroup as several:
        raise several.exceptions[0] from None  # such as a full disk: it is no one trial's


# -- in the other processes -----------------------------------------------------------------------------------


_stage: AnyStage


def _set_up(scene: AnyScene) -> None:
    global _stage
    begin_worker()
    _stage = scene.stage()


def _play(pair: Pair) -> Trial:
    try:
        return _stage.play(pair)
    except Exception as error:
        if _can_be_sent(error):
            raise
        raise RuntimeError(f"{type(error).__name__}: {error}") from error


def _can_be_sent(error: Exception) -> bool:
    """Whether an exception reaches the other process: one that cannot be read there would break the pool."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return False
    return True
