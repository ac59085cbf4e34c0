from __future__ import annotations

import pytest

from opsgym.core.world import World
from opsgym.envs.erp_bench.backends import Database, ErpBackend, OdooBackend, play
from opsgym.envs.erp_bench.erp import DDL, mail, orm, settings
from opsgym.envs.erp_bench.family import scenario_of
from opsgym.serve.server import ErpServer
from tests.envs.erp_bench.backends.live_double import TODAY, live_double
from tests.envs.erp_bench.backends.tasks import PLACES, SHORT, problem_of, task_of


def solves(backend: ErpBackend, pattern: str) -> None:
    """The reference solution earns everything, doing nothing earns nothing, and the states are those of the embedded ERP."""
    task = task_of(pattern)
    played = play(backend, task)
    assert played.verdict.reward == 1 and played.agrees, [check for check in played.verdict.checks if check.status == "fail"]
    idle = play(backend, task, [])
    assert idle.verdict.reward == 0 and idle.agrees


@pytest.mark.parametrize("pattern", SHORT)
def test_every_backend_solves_a_task_by_its_reference_solution(backend: ErpBackend, pattern: str) -> None:
    solves(backend, pattern)


@pytest.mark.slow
@pytest.mark.parametrize("pattern", sorted(set(PLACES) - set(SHORT)))
def test_every_backend_solves_every_pattern(backend: ErpBackend, pattern: str) -> None:
    solves(backend, pattern)


@pytest.mark.parametrize("pattern", SHORT)
def test_what_a_live_odoo_does_otherwise_changes_neither_state_nor_verdict(pattern: str) -> None:
    double, backend = live_double()
    with backend:
        solves(backend, pattern)
        assert backend.snapshot().today == TODAY
    assert "ir.model.data.search_read" in double.asked


@pytest.mark.parametrize(
    "pattern", ["repair_plan_hard", pytest.param("22_single_bom_split_by_capacity_invoicing", marks=pytest.mark.slow)]
)
def test_a_task_seeded_over_http_is_the_task_seeded_in_memory(
    server: ErpServer, monkeypatch: pytest.MonkeyPatch, pattern: str
) -> None:
    for model in (settings.ConfigParameter, mail.Attachment):  # an administrator of a live ERP may write them
        monkeypatch.setattr(model, "_access", orm.FULL)
    made = server.admin.create(task_of(pattern))
    served = server.databases[made["database"]]
    empty = World(DDL, today=scenario_of(task_of(pattern)).today).snapshot()

    def provision(task: object) -> Database:
        served.submit(served._world.restore, empty).result()
        return Database(served.name, served.key)

    with OdooBackend(server.url, provision, keep_day=True) as backend:
        solves(backend, pattern)
    server.admin.delete(served.name)


def test_refusals_of_a_wrong_plan_are_the_same_values(backend: ErpBackend) -> None:
    task = task_of("10_single_bom_split_by_capacity")
    calls = [call for call in task.oracle for _ in range(2)]  # everything twice: confirmed, then refused
    played = play(backend, task, calls)
    refused = [result.error.code for result in played.results if result.error is not None]
    assert "bad_state" in refused
    assert played.agrees
    assert problem_of(task).making
