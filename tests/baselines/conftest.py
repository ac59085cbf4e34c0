"""Fixtures that the tests of more than one kind of baseline use."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.baselines.models.real_model import real_model


@pytest.fixture(scope="session")
def real_model_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Base URL of a real small model; skips where nobody asked for it."""
    with real_model(tmp_path_factory.mktemp("real_model")) as url:
        yield url
