"""Many sessions at once, from another process, meet no error and no trace of one another."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.serve import drive, session, spread
from opsgym.core.task import Task
from opsgym.envs.erp_bench.erp import Erp
from opsgym.envs.erp_bench.family import ErpBenchFamily
from opsgym.envs.erp_bench.raw_calls import raw_calls
from opsgym.serve import ErpServer
from tests.serve.conftest import fixed


def test_bookings_are_spread_in_their_order() -> None:
    bookings: list[dict[str, Any]] = [{"model": str(number), "method": "create"} for number in range(7)]
    calls = spread(bookings, 20)
    assert len(calls) == 20 and [call for call in calls if call["method"] == "create"] == bookings
    assert spread(bookings, 3) == bookings[:3]


def calls_of(task: Task, count: int) -> list[dict[str, Any]]:
    return spread([call.arguments for call in raw_calls(task)[:-1]], count)


def digest_of(task: Task, calls: list[dict[str, Any]]) -> str:
    """Digest of the task's world after the calls, one after another and alone."""
    world = ErpBenchFamily().open(task)
    erp = Erp(world)
    for call in calls:
        erp.call(call["model"], call["method"], call.get("ids", []), **call.get("kwargs", {}))
    found: str = world.digest()
    world.close()
    return found


@pytest.mark.parametrize(("sessions", "count"), [(6, 30), pytest.param(64, 200, marks=pytest.mark.slow)])
def test_sessions_do_not_disturb_one_another(server: ErpServer, sessions: int, count: int) -> None:
    tasks = [fixed(number * (300 // sessions)) for number in range(sessions)]
    plans = [calls_of(task, count) for task in tasks]
    made = [server.databases.create(task, f"load{number}") for number, task in enumerate(tasks)]
    clients = [session(server.url, one.key, one.name, plan) for one, plan in zip(made, plans, strict=True)]
    assert drive(clients).statuses == {"200": sessions * count}
    digests = [one.digest() for one in made]
    for one in made:
        server.databases.delete(one.name)
    assert digests == [digest_of(task, plan) for task, plan in zip(tasks, plans, strict=True)]
