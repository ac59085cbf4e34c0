"""Three ways to play the trials of a desk: one after another, in processes, or at the same time in one process."""

from __future__ import annotations

import asyncio
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from multiprocessing import get_context

from opsgym.core.errors import OpsGymError
from opsgym.core.processes import begin_worker
from opsgym.evaluate.run_desk import Desk
from opsgym.evaluate.run_model import RunModel
from opsgym.evaluate.run_plan import Pair
from opsgym.evaluate.run_trial import Scene, Stage, Trial

__all__ = ["play_alone", "play_concurrently", "play_in_processes"]


def play_alone(desk: Desk, scene: Scene) -> None:
    """One trial after another, in this process."""
    stage = Stage(scene)
    while (pair := desk.next()) is not None:
        desk.settle(pair, partial(stage.play, pair))
    stage.close()


def play_in_processes(desk: Desk, scene: Scene, workers: int) -> None:
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
                for future in wait(flying, return_when=FIRST_COMPLETED).done:
                    if isinstance(future.exception(), BrokenProcessPool):
                        raise OpsGymError("a process was ended from outside or crashed; what was played is kept")
                    desk.settle(flying.pop(future), future.result)
        except KeyboardInterrupt:
            for process in (pool._processes or {}).values():  # nothing public ends a pool that is at work
                process.kill()
            raise


async def play_concurrently(desk: Desk, scene: Scene, workers: int, model: RunModel) -> None:
    """Trials at the same time, in this process."""

    async def play(stage: Stage) -> None:
        while (pair := desk.next()) is not None:
            played = asyncio.ensure_future(stage.play_async(pair))
            await asyncio.wait([played])
            desk.settle(pair, played.result)
        stage.close()

    async with model.opened() as cache, asyncio.TaskGroup() as group:
        for _ in range(workers):
            group.create_task(play(Stage(scene, model.model, cache)))


# -- in the other processes -----------------------------------------------------------------------------------


_stage: Stage


def _set_up(scene: Scene) -> None:
    global _stage
    begin_worker()
    _stage = Stage(scene)


def _play(pair: Pair) -> Trial:
    return _stage.play(pair)
