"""Runs are read whatever version wrote them; what is broken is named with its file and line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from opsgym.core.errors import TaskError
from opsgym.evaluate.report import read_run, read_runs
from tests.evaluate.report.run_files import random_trials, trial, write_run


def test_what_was_written_is_read_back(tmp_path: Path) -> None:
    trials = random_trials(4, 3)
    config = {"policy": "react", "policy_options": {"budget": 9}, "model": "m-1", "failure_rate": 0.1}
    run = read_run(write_run(tmp_path / "a", trials, config=config))
    assert run.results == tuple(trials) and run.notes == ()
    assert (run.name, run.policy, run.model, run.failure_rate) == ("a", "react budget=9", "m-1", 0.1)


def test_unknown_fields_are_passed_over_and_missing_ones_have_defaults(tmp_path: Path) -> None:
    path = write_run(tmp_path / "a", [])
    (path / "results.jsonl").write_text('{"task_id": "t", "trial": 0, "is_success": true, "mood": "good"}\n')
    (run,) = read_runs([path])
    assert run.results[0].is_success and run.results[0].tier == ""
    assert len(run.notes) == 1 and "mood" in run.notes[0]


def test_a_cut_line_is_passed_over_and_the_last_line_of_a_trial_counts(tmp_path: Path) -> None:
    path = write_run(tmp_path / "a", [trial(status="masked"), trial(is_success=True)])
    with (path / "results.jsonl").open("a") as file:
        file.write('{"task_id": "t", "tr')
    run = read_run(path)
    assert [result.is_success for result in run.results] == [True]
    assert any("Line 3" in note for note in run.notes) and any("repeat" in note for note in run.notes)


def test_a_run_without_config_or_without_results_is_one(tmp_path: Path) -> None:
    path = write_run(tmp_path / "a", [trial()])
    (path / "run.json").unlink()
    run = read_run(path)
    assert (run.policy, run.model, run.failure_rate) == ("a", "", None)
    (path / "results.jsonl").unlink()
    (path / "run.json").write_text("{}")
    assert read_run(path).results == ()


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("results.jsonl", "{}\n", r"results.jsonl, line 1: task_id: Field required"),
        ("results.jsonl", '{"task_id": "t", "trial": 0}\nnonsense\n', r"results.jsonl, line 2: not JSON"),
        ("results.jsonl", "[1]\n", r"line 1: expected a JSON object, got list"),
        ("results.jsonl", '{"task_id": "t", "trial": 0, "score": "high"}\n', r"line 1: score"),
        ("run.json", "{", r"run.json: not JSON"),
        ("run.json", "[]", r"run.json: expected a JSON object"),
    ],
)
def test_broken_files_are_named(tmp_path: Path, name: str, content: str, message: str) -> None:
    path = write_run(tmp_path / "a", [])
    (path / name).write_text(content)
    with pytest.raises(TaskError, match=message):
        read_run(path)


def test_bytes_that_are_no_text_are_named(tmp_path: Path) -> None:
    path = write_run(tmp_path / "a", [])
    (path / "results.jsonl").write_bytes(b'{"task_id": "\xff"}\n')
    with pytest.raises(TaskError, match="line 1: not JSON"):
        read_run(path)


def test_what_is_no_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TaskError, match=r"runs: expected a directory with run\.json"):
        read_run(tmp_path)


def test_runs_of_one_name_are_told_apart(tmp_path: Path) -> None:
    paths = [write_run(tmp_path / parent / "run", []) for parent in ("x", "y")]
    assert [run.name for run in read_runs([*paths, paths[0]])] == ["x/run", "y/run", "x/run (2)"]
    assert read_runs([write_run(tmp_path / "lone", [])])[0].name == "lone"


@pytest.mark.parametrize("rate", ["NaN", "Infinity", "true", '"0.1"', "null", "[0.1]"])
def test_a_failure_rate_that_is_no_number_is_not_known(tmp_path: Path, rate: str) -> None:
    path = write_run(tmp_path / "a", [])
    (path / "run.json").write_text(f'{{"failure_rate": {rate}}}')
    assert read_run(path).failure_rate is None


def test_long_lists_of_the_config_are_shown_by_their_length(tmp_path: Path) -> None:
    run = read_run(write_run(tmp_path / "a", [], config={"task_ids": list("abcdefghijklmnopqrstuvwxyz")}))
    assert run.shown_config["task_ids"] == "26 entries"
    assert json.loads((run.path / "run.json").read_text())["task_ids"][0] == "a"
