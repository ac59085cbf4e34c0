"""Fixtures that more than one test folder uses."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from opsgym.cli import main

# A busy machine must not fail a test: no examples are judged by how long they take.
settings.register_profile("opsgym", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True)
settings.load_profile("opsgym")

# Imported by the Python that has Harbor, in another process.
collect_ignore = ["data/harbor_namespaces.py"]

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def released_erpbench() -> Path:
    """Directory of released ERP-Bench tasks; tests that need it skip where it is absent."""
    path = SHARED / "erpbench"
    if not path.is_dir():
        pytest.skip("released ERP-Bench data is not at hand")
    return path


class Cli:
    """Runs commands in this process."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys
        self.err = ""

    def __call__(self, *arguments: str, code: int = 0) -> str:
        with pytest.raises(SystemExit) as exit_:
            main(arguments)
        printed, self.err = self._capsys.readouterr()
        assert (exit_.value.code or 0) == code, printed + self.err
        return printed


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Cli:
    return Cli(capsys)
