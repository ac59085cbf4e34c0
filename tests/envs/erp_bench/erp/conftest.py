"""A company's ERP, opened once and restored for each test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from opsgym.core.world import Snapshot
from tests.envs.erp_bench.erp.shop import Shop, open_shop


@pytest.fixture(scope="session")
def opened() -> Iterator[tuple[Shop, Snapshot]]:
    shop = open_shop()
    yield shop, shop.world.snapshot()
    shop.world.close()


@pytest.fixture
def shop(opened: tuple[Shop, Snapshot]) -> Shop:
    made, start = opened
    made.world.restore(start)
    return made
