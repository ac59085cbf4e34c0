"""Failed episodes are embedded first, within the limits, and the rest is counted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from opsgym.core.errors import TaskError
from opsgym.evaluate.report.episodes import MOST_CHARS, collect, view
from opsgym.evaluate.report.runs import TRAJECTORIES, read_runs
from tests.evaluate.report.run_files import episode, trial, write_run

MUCH = 10**9


def _run(path: Path, successes: str) -> Path:
    """One task a letter group: ``"01 1"`` has a task with a failed and a solved trial, and one with a solved one."""
    results = [
        trial(f"{task:04x}", number, is_success=solved == "1", episode_seed=10 * task + number)
        for task, line in enumerate(successes.split())
        for number, solved in enumerate(line)
    ]
    return write_run(path, results, episodes=[episode(result) for result in reversed(results)])


def test_failed_trials_come_first_and_one_of_each_task_before_the_next(tmp_path: Path) -> None:
    found = collect(read_runs([_run(tmp_path / "a", "00 101 0")]), most=MUCH, most_bytes=MUCH)
    order = [(int(each.task_id, 16), each.trial) for each in found.embedded]
    assert order == [(0, 0), (1, 1), (2, 0), (0, 1), (1, 0), (1, 2)]
    assert found.recorded == (6,)


def test_runs_take_turns_until_the_limit(tmp_path: Path) -> None:
    runs = read_runs([_run(tmp_path / "a", "0 0 0"), _run(tmp_path / "b", "0"), _run(tmp_path / "c", "0 0")])
    found = collect(runs, most=5, most_bytes=MUCH)
    assert [each.run for each in found.embedded] == [0, 1, 2, 0, 2]
    assert found.recorded == (3, 1, 2)
    assert collect(runs, most=0, most_bytes=MUCH).embedded == ()


def test_the_size_is_bounded_and_short_episodes_fill_the_rest(tmp_path: Path) -> None:
    results = [trial("0a", episode_seed=1), trial("0b", episode_seed=2), trial("0c", episode_seed=3)]
    episodes = [episode(results[0]), episode(results[1], brief="x" * 5000), episode(results[2])]
    runs = read_runs([write_run(tmp_path / "a", results, episodes=episodes)])
    found = collect(runs, most=MUCH, most_bytes=4000)
    assert [each.task_id for each in found.embedded] == ["0a", "0c"]
    assert sum(len(each.text.encode()) for each in found.embedded) <= 4000


def test_masked_trials_and_episodes_without_a_trial_are_not_shown(tmp_path: Path) -> None:
    results = [trial("0a", status="masked", episode_seed=1), trial("0b", episode_seed=2)]
    strangers = [episode(trial("0c", episode_seed=2)), episode(trial("0b", episode_seed=7))]
    run = write_run(tmp_path / "a", results, episodes=[*map(episode, results), *strangers])
    found = collect(read_runs([run]), most=MUCH, most_bytes=MUCH)
    assert [each.task_id for each in found.embedded] == ["0b"]
    assert found.recorded == (4,)


def test_recorded_text_that_looks_like_keys_misleads_nobody(tmp_path: Path) -> None:
    result = trial("0a", episode_seed=5)
    trap = '"task_id":"ffff","seed":77,"spec":null'
    run = write_run(tmp_path / "a", [result], episodes=[episode(result, brief=trap, steps=[(trap, trap)])])
    assert [each.task_id for each in collect(read_runs([run]), most=1, most_bytes=MUCH).embedded] == ["0a"]


def test_long_texts_lose_their_middle_and_say_so() -> None:
    shown = view(episode(trial(), brief="a" * MOST_CHARS + "b" * 1000))
    assert "1000 characters left out" in shown["brief"] and shown["brief"].endswith("b")
    assert len(shown["brief"]) < MOST_CHARS + 100


def test_steps_that_repeat_are_told_once_with_their_number() -> None:
    shown = view(episode(trial(), steps=[("a", "x"), ("a", "x"), ("a", "y"), ("a", "x")]))
    assert shown["steps"] == [["a", "x", 2], ["a", "y", 1], ["a", "x", 1]]


def test_half_a_surrogate_becomes_a_mark() -> None:
    shown = view(episode(trial(), steps=[("\ud83d", "fine")]))
    assert json.dumps(shown, ensure_ascii=False).encode()
    assert shown["steps"][0][0] == "?"


def test_the_verdict_names_failed_checks_with_what_was_expected() -> None:
    shown = view(episode(trial()))
    assert shown["passed"] == 1 and shown["ended"] == "submitted"
    ((rule, dimension, message, expected, _),) = shown["failed"]
    assert (rule, dimension, message, expected) == ("broken", "constraint", "sold 2 of 3", "3")


def test_an_altered_episode_is_named(tmp_path: Path) -> None:
    path = _run(tmp_path / "a", "0 0")
    file = path / TRAJECTORIES
    file.write_text(file.read_text().replace("Do it.", "Do that."))
    with pytest.raises(TaskError, match=r"trajectories.jsonl, line 2: hash"):
        collect(read_runs([path]), most=MUCH, most_bytes=MUCH)
