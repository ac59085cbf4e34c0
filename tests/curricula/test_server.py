"""One sampler, many processes: the log of eight workers replays to the same state, and dead workers lose their trials at once."""

from __future__ import annotations

import multiprocessing
import pickle
import threading
import time
from multiprocessing.connection import Client as connect
from typing import Any

import pytest

from opsgym.core.errors import BackendError
from opsgym.curricula import Desk, LearningProgress, Server, TaskSpace, replay
from tests.curricula.support import MAKERS, saved
from tests.curricula.workers import die, work

SPACE = TaskSpace({"hidden": (1, 3), "decoys": (0, 3)})
forkserver = multiprocessing.get_context("forkserver")
forkserver.set_forkserver_preload(["opsgym.curricula", "tests.curricula.workers"])


@pytest.mark.parametrize("name", ["LearningProgress", "Bandit", "LevelEditor", "Mixture"])
def test_eight_workers_leave_the_state_that_a_serial_replay_of_the_log_gives(name: str) -> None:
    log: list[dict[str, Any]] = []
    sampler = MAKERS[name](6)
    with Server(Desk(sampler, group=4, log=log)) as server:
        workers = [forkserver.Process(target=work, args=(server.client(), 30)) for _ in range(8)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        assert [worker.exitcode for worker in workers] == [0] * 8
    metrics = sampler.metrics()
    assert metrics["done"] == 240 and metrics["duplicate"] > 0 and metrics["unknown"] == 0
    again = MAKERS[name](6)
    replay(again, log)
    assert saved(again) == saved(sampler)


def test_what_a_dead_worker_did_not_answer_is_lost() -> None:
    sampler = LearningProgress(SPACE)
    with Server(Desk(sampler)) as server:
        worker = forkserver.Process(target=die, args=(server.client(),))
        worker.start()
        worker.join()
        assert worker.exitcode == 3
        for _ in range(500):  # the server's thread sees the end of the connection soon
            if sampler.metrics()["lost"]:
                break
            time.sleep(0.01)
    metrics = sampler.metrics()
    assert (metrics["done"], metrics["lost"], metrics["open"]) == (1, 1, 0)


def test_a_refusal_reaches_the_worker_and_the_server_goes_on() -> None:
    desk = Desk(LearningProgress(SPACE, signal="score"))
    with Server(desk) as server:
        client = pickle.loads(pickle.dumps(server.client()))
        ticket, trial = client.draw()
        with pytest.raises(BackendError, match="score: expected a number in"):
            client.tell(ticket.outcome(success=True, score=7.0, trial=trial))
        assert client.draw()[0].id == ticket.id + 1
        client.close()


def test_a_client_says_when_the_server_is_gone() -> None:
    with Server(Desk(LearningProgress(SPACE))) as server:
        client = server.client()
        client.draw()
        other = server.client()
        client.close()
    with pytest.raises((BackendError, OSError)):
        other.draw()


def test_a_server_closes_at_once_whatever_its_door_is_doing() -> None:
    def open_and_close() -> None:
        for _ in range(100):
            with Server(Desk(LearningProgress(SPACE))) as server:
                client = server.client()
                client.draw()
                client.close()

    closing = threading.Thread(target=open_and_close, daemon=True)
    closing.start()
    closing.join(timeout=60)
    assert not closing.is_alive()


def test_a_stranger_who_says_nothing_keeps_no_server_open() -> None:
    server = Server(Desk(LearningProgress(SPACE)))
    with connect(server._listener.address):
        closing = threading.Thread(target=server.close, daemon=True)
        closing.start()
        closing.join(timeout=30)
        assert not closing.is_alive()
