"""The benchmark of curricula runs and names every sampler."""

from __future__ import annotations

import pytest

from benchmarks import curricula


def test_all_tables_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    curricula.main(["--tells", "40", "--seeds", "1", "--most", "60"])
    printed = capsys.readouterr().out
    assert printed.count("LearningProgress") == 3
    assert "reference loop" in printed and "> 60" in printed
