"""Parquet holds the same trajectories, replays, and can be selected from by its columns."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import gymnasium as gym
import pytest

from opsgym.core.errors import OpsGymError, TaskError
from opsgym.data.trajectories import Trajectory, append, read_trajectories, recorded, replay_file
from opsgym.data.trajectory_tables import COLUMNS, read_parquet, write_parquet
from opsgym.wrappers import RecordTrajectories
from tests.data.recordings import TOY, forget, record, toy_id

pytest.importorskip("pyarrow", reason="Parquet is an extra")


@pytest.fixture
def trajectories(tmp_path: Path) -> Iterator[list[Trajectory]]:
    """Seventy episodes: more than one row group."""
    with toy_id():
        yield record(tmp_path / "episodes.jsonl", 70)


def test_what_is_written_is_read_and_replays(trajectories: list[Trajectory], tmp_path: Path) -> None:
    path = tmp_path / "episodes.parquet"
    assert write_parquet(path, iter(trajectories)) == 70
    assert list(read_parquet(path)) == list(read_trajectories(path)) == trajectories
    assert recorded(path) == recorded(tmp_path / "episodes.jsonl")
    replayed = replay_file(path)
    assert (replayed.episodes, replayed.differences) == (70, {})


def test_columns_say_what_the_episodes_were(trajectories: list[Trajectory], tmp_path: Path) -> None:
    import pyarrow.parquet

    path = tmp_path / "episodes.parquet"
    write_parquet(path, [replace(trajectories[0], seed=None), *trajectories[1:]])
    table = pyarrow.parquet.read_table(path, columns=list(COLUMNS)[:-1])
    assert table["seed"].to_pylist() == [None, *range(1, 70)]
    assert table["is_success"].to_pylist() == [each.is_success for each in trajectories]
    assert table["total"].to_pylist() == [each.total for each in trajectories]
    assert table["tier"].to_pylist() == [each.task["tier"] for each in trajectories]
    assert set(table["is_success"].to_pylist()) == {True, False}


def test_a_file_appears_whole_or_not_at_all(trajectories: list[Trajectory], tmp_path: Path) -> None:
    def broken() -> Iterator[Trajectory]:
        yield from trajectories
        raise RuntimeError("the source broke")

    with pytest.raises(RuntimeError, match="broke"):
        write_parquet(tmp_path / "episodes.parquet", broken())
    assert [path.name for path in tmp_path.iterdir()] == ["episodes.jsonl"]


def test_what_is_no_such_file_is_named(trajectories: list[Trajectory], tmp_path: Path) -> None:
    import pyarrow.parquet

    (tmp_path / "no.parquet").write_bytes(b"PAR1 this is not")
    with pytest.raises(TaskError, match=r"no\.parquet: not a Parquet file"):
        list(read_trajectories(tmp_path / "no.parquet"))
    pyarrow.parquet.write_table(pyarrow.table({"other": ["x"]}), tmp_path / "other.parquet")
    with pytest.raises(TaskError, match="expected a column 'trajectory'"):
        list(read_trajectories(tmp_path / "other.parquet"))
    lines = [trajectories[0].to_line(), trajectories[1].to_line().replace("Set the", "Get the")]
    pyarrow.parquet.write_table(pyarrow.table({"trajectory": lines}), tmp_path / "altered.parquet")
    with pytest.raises(TaskError, match=r"altered\.parquet, row 2: hash"):
        list(read_trajectories(tmp_path / "altered.parquet"))
    with pytest.raises(TaskError, match=r"ending in \.parquet"):
        write_parquet(tmp_path / "episodes.jsonl", trajectories)


def test_parquet_is_not_recorded_to(trajectories: list[Trajectory], tmp_path: Path) -> None:
    path = tmp_path / "episodes.parquet"
    env = gym.make(TOY)
    with pytest.raises(TaskError, match="record JSON Lines"):
        RecordTrajectories(env, path=path)
    with pytest.raises(TaskError, match="record JSON Lines"):
        append(path, trajectories[0])
    assert not path.exists()
    env.reset(seed=1)


def test_without_pyarrow_it_says_what_to_install(
    trajectories: list[Trajectory], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_parquet(tmp_path / "episodes.parquet", trajectories)
    forget(monkeypatch, "pyarrow")
    with pytest.raises(OpsGymError, match=r"opsgym\[report\]"):
        write_parquet(tmp_path / "more.parquet", trajectories)
    with pytest.raises(OpsGymError, match=r"opsgym\[report\]"):
        list(read_trajectories(tmp_path / "episodes.parquet"))


def test_extras_are_imported_when_they_are_used() -> None:
    code = (
        "import opsgym.data.trajectory_tables, opsgym.data.minari_export, opsgym.wrappers, opsgym.vector, sys;"
        "print({'pyarrow', 'minari', 'PIL'} & set(sys.modules))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "set()\n"
