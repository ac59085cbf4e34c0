"""Fixtures that more than one test folder uses."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# A busy machine must not fail a test: no examples are judged by how long they take.
settings.register_profile("opsgym", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True)
settings.load_profile("opsgym")

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def released_erpbench() -> Path:
    """Directory of released ERP-Bench tasks; tests that need it skip where it is absent."""
    path = SHARED / "erpbench"
    if not path.is_dir():
        pytest.skip("released ERP-Bench data is not at hand")
    return path
