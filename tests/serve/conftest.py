"""A server and tasks for the tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import certifi
import pytest

from opsgym.core.task import Task
from opsgym.data.fixed_sets import shipped
from opsgym.envs.erp_bench.family import ErpBenchFamily
from opsgym.serve import ErpServer, Limits, erp_server


@pytest.fixture(scope="session", autouse=True)
def few_certificates(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """One certificate in place of all: clients read them for every connection, which takes 20 ms; here none is needed."""
    mark = "-----END CERTIFICATE-----\n"
    first = Path(certifi.where()).read_text().partition("-----BEGIN")[2].partition(mark)[0]
    file = tmp_path_factory.mktemp("certificates") / "one.pem"
    file.write_text(f"-----BEGIN{first}{mark}")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SSL_CERT_FILE", str(file))
        yield


@pytest.fixture(scope="session")
def server() -> Iterator[ErpServer]:
    """A running server without databases, or with those that other tests left."""
    with erp_server(limits=Limits(body_bytes=2**20)) as running:
        yield running


@pytest.fixture(scope="session")
def task() -> Task:
    """A small task with invoices."""
    return fixed(15)


def fixed(index: int) -> Task:
    """A task of the fixed set."""
    pack = shipped(ErpBenchFamily(), "test")
    assert pack is not None
    return pack[index]
