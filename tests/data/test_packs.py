"""Task packs read back what was written, lazily, and say where they are damaged."""

from __future__ import annotations

import builtins
import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from opsgym.core.errors import OpsGymError, RegistryError, TaskError
from opsgym.core.task import Task
from opsgym.data.packs import SUFFIXES, open_pack, pack_info, write_pack
from opsgym.data.splits import SPLITS, draw_seed, split_of
from tests.envs.toy_family import ToyFamily

FAMILY = ToyFamily()
TASKS = [FAMILY.compile(FAMILY.draw(seed), seed) for seed in range(80)]


@pytest.fixture(params=SUFFIXES)
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A pack of 80 tasks in each format."""
    if request.param == ".parquet":
        pytest.importorskip("pyarrow", reason="Parquet packs are an extra")
    target = tmp_path / f"pack{request.param}"
    assert write_pack(target, iter(TASKS)) == len(TASKS)
    return target


def test_a_pack_reads_back_what_was_written(path: Path) -> None:
    pack = open_pack(path, family="Toy-v0")
    assert len(pack) == len(TASKS)
    assert list(pack) == TASKS
    assert (pack[-1], pack[3], pack[70:73]) == (TASKS[-1], TASKS[3], TASKS[70:73])
    with pytest.raises(IndexError, match="80 tasks"):
        pack[80]


def test_a_pack_travels_to_other_processes(path: Path) -> None:
    pack = open_pack(path, family="Toy-v0")
    assert pack[2] == TASKS[2]
    assert pickle.loads(pickle.dumps(pack))[2] == TASKS[2]


def test_writing_is_deterministic_and_leaves_no_other_file(path: Path) -> None:
    content = path.read_bytes()
    write_pack(path, TASKS)
    assert path.read_bytes() == content
    assert [p.name for p in path.parent.iterdir()] == [path.name]


def test_a_failed_write_keeps_the_old_pack(path: Path) -> None:
    def broken() -> Any:
        yield TASKS[0]
        raise RuntimeError("solver crashed")

    content = path.read_bytes()
    with pytest.raises(RuntimeError, match="solver crashed"):
        write_pack(path, broken())
    assert path.read_bytes() == content
    assert [p.name for p in path.parent.iterdir()] == [path.name]


def test_facts_and_selections_agree_with_the_tasks(path: Path) -> None:
    info = pack_info(path)
    assert info["tasks"] == 80 and info["family"] == {"Toy-v0": 80} and info["version"] == {"1": 80}
    pack = open_pack(path)
    for tier, count in info["tier"].items():
        assert [TASKS[i].tier for i in pack.where(tier=tier)] == [tier] * count
    assert [split_of(TASKS[i].seed) for i in pack.where(split="test")] == ["test"] * 8
    assert pack.where() == tuple(range(80))
    with pytest.raises(RegistryError, match="train"):
        pack.where(split="dev")


def test_another_family_is_refused(path: Path) -> None:
    with pytest.raises(TaskError, match="Toy-v0") as caught:
        open_pack(path, family="ERPBench-v0")[0]
    assert caught.value.field == "family"


def test_tasks_are_read_when_asked_for(tmp_path: Path) -> None:
    lines = [task.to_json() for task in TASKS[:3]]
    (tmp_path / "p.jsonl").write_text("\n".join([lines[0], "{broken", "", lines[2]]) + "\n", encoding="utf-8")
    pack = open_pack(tmp_path / "p.jsonl")
    assert len(pack) == 3
    assert (pack[0], pack[2]) == (TASKS[0], TASKS[2])
    with pytest.raises(TaskError, match=r"p\.jsonl, line 2: not a task: invalid JSON"):
        pack[1]
    with pytest.raises(TaskError, match="line 2"):
        pack_info(tmp_path / "p.jsonl")


def _altered(change: dict[str, Any], *, drop: str = "") -> str:
    data = {**json.loads(TASKS[0].to_json()), **change}
    data.pop(drop, None)
    return json.dumps(data)


@pytest.mark.parametrize(
    ("line", "field"),
    [
        (_altered({}, drop="certificate"), "certificate"),
        (_altered({"seed": "many"}), "seed"),
        (_altered({"instruction": "Do something else."}), "id"),
        (_altered({"schema_version": 99}), "schema_version"),
        (_altered({"surprise": 1}), "surprise"),
        ("[]", None),
    ],
)
def test_damage_is_located_by_file_line_and_field(tmp_path: Path, line: str, field: str | None) -> None:
    (tmp_path / "p.jsonl").write_text(TASKS[1].to_json() + "\n" + line + "\n", encoding="utf-8")
    with pytest.raises(TaskError, match=r"p\.jsonl, line 2") as caught:
        open_pack(tmp_path / "p.jsonl")[1]
    assert caught.value.field == field
    assert field is None or field in str(caught.value)


def test_what_is_no_pack_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TaskError, match="no task pack at"):
        open_pack(tmp_path / "absent.jsonl")
    with pytest.raises(TaskError, match=r"ending in \.jsonl"):
        write_pack(tmp_path / "tasks.csv", TASKS)
    for name in ("p.jsonl.gz", "p.jsonl.xz", "p.parquet"):
        (tmp_path / name).write_bytes(b"PAR1 this is neither")
        with pytest.raises(TaskError, match="not a"):
            len(open_pack(tmp_path / name))


def test_parquet_without_pyarrow_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *args: Any, **kwargs: Any) -> Any:
        if name.startswith("pyarrow"):
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(OpsGymError, match=r"opsgym\[report\]"):
        write_pack(tmp_path / "p.parquet", TASKS)


def test_splits_are_disjoint_and_drawn_from() -> None:
    digits = [digit for members in SPLITS.values() for digit in members]
    assert sorted(digits) == list(range(10))
    rng = np.random.default_rng(1)
    for split in SPLITS:
        assert {split_of(draw_seed(rng, split)) for _ in range(50)} == {split}
    assert {split_of(draw_seed(rng)) for _ in range(100)} == set(SPLITS)


def test_reading_does_not_change_a_task(path: Path) -> None:
    assert [Task.from_json(task.to_json()) for task in open_pack(path)[:5]] == TASKS[:5]
