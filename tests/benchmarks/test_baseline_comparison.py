"""The comparison of scripted policies lists every policy once, and its table says what the runs say."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.baseline_comparison import FAMILIES, markdown, players
from opsgym.evaluate.report.entries import make_entries
from opsgym.evaluate.report.runs import read_runs
from tests.evaluate.report.run_files import trial, write_run


@pytest.mark.parametrize("env_id", FAMILIES.values())
def test_every_policy_has_a_name_of_its_own(env_id: str) -> None:
    found = list(players(env_id))
    names = [player.name for player in found]
    assert len(set(names)) == len(names) > 10
    assert {"do-nothing", "random-valid", "noisy-oracle", "oracle"} < {player.policy for player in found}
    assert [player.failure_rate for player in found if player.failure_rate] == [0.05, 0.1, 0.2]


def test_the_table_is_in_percent_with_a_gap_where_nothing_is_known(tmp_path: Path) -> None:
    twice = [trial(number=number, is_success=number == 0, clean=True, calls=4, optimality=0.25) for number in range(2)]
    entries = make_entries(read_runs([write_run(tmp_path / "a", twice), write_run(tmp_path / "b", [trial()])]))
    head, _, first, second = markdown(entries).splitlines()
    assert head.split("|")[2:5] == [" pass@1 ", " pass@2 ", " pass^2 "]
    assert first == "| a | 50.0\N{NO-BREAK SPACE}(5\N{EN DASH}95) | 100.0 | 0.0 | 0.0 | 100.0 | 0.0 | 25.0 | 4.0 |"
    assert second.startswith("| b | 0.0\N{NO-BREAK SPACE}(0\N{EN DASH}79) |  |  |")
