"""Backends for the tests of this folder: embedded, on our own server, and on a live Odoo where the environment names one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache

import pytest

from opsgym.core.task import Task
from opsgym.envs.erp_bench.backends import Database, EmbeddedBackend, ErpBackend, OdooBackend, Provision, renewed
from opsgym.serve import erp_server
from opsgym.serve.server import ErpServer


@pytest.fixture(scope="session")
def server() -> Iterator[ErpServer]:
    with erp_server() as running:
        yield running


@pytest.fixture
def served(server: ErpServer) -> Iterator[OdooBackend]:
    """A backend whose databases our own server makes and seeds."""
    names: list[str] = []

    def provision(task: Task) -> Database:
        made = server.admin.create(task)
        names.append(made["database"])
        return Database(made["database"], made["key"], seeded=True)

    with OdooBackend(server.url, provision, keep_day=True) as backend:
        yield backend
    for name in names:
        server.admin.delete(name)


@pytest.fixture(params=["embedded", "served", "live"])
def backend(request: pytest.FixtureRequest) -> Iterator[ErpBackend]:
    """Each backend in turn."""
    if request.param == "served":
        yield request.getfixturevalue("served")
        return
    with EmbeddedBackend() if request.param == "embedded" else _live() as made:
        yield made


def _live() -> OdooBackend:
    url, *access = (os.environ.get(f"OPSGYM_ODOO_{name}", "") for name in ("URL", "DATABASE", "KEY", "RENEW"))
    if not (url and all(access)):
        pytest.skip("no live Odoo: set OPSGYM_ODOO_URL, OPSGYM_ODOO_DATABASE, OPSGYM_ODOO_KEY and OPSGYM_ODOO_RENEW")
    return OdooBackend(url, _provision(*access))


@cache
def _provision(database: str, key: str, command: str) -> Provision:
    """One for all tests, so that it counts on."""
    return renewed(database, key, command)
