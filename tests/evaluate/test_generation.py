"""Generation: the same pack however many processes make it, and however often they are interrupted."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import gymnasium as gym
import pytest

from opsgym.core.errors import OpsGymError, TaskError
from opsgym.core.task import Task
from opsgym.data.fixed_sets import checksum, digest, seeds, slots
from opsgym.data.packs import Pack, open_pack
from opsgym.evaluate.generation import Generated, Slot, build_fixed, generate_pack
from opsgym.evaluate.parallel import Workers
from opsgym.evaluate.selection import is_generated, select
from tests.data.test_fixed_sets import ENTRY_POINT as FIXED
from tests.data.test_fixed_sets import FixedFamily, toy_pack  # noqa: F401  # a fixture
from tests.envs.toy_family import ToyEnv, ToyFamily, ToyParams

TOY = "tests.envs.toy_family:ToyEnv"
COUNTED = f"{__name__}:CountedEnv"
WANTED = [Slot(seeds=seeds(1, number, "train")) for number in range(12)]


class CountedFamily(ToyFamily):
    """Breaks down where it is told to, and counts what it compiles."""

    compiled: list[int] = []  # noqa: RUF012  # shared on purpose
    breaks_at: int | None = None

    def compile(self, params: ToyParams, seed: int) -> Task:
        if seed == type(self).breaks_at:
            raise KeyboardInterrupt
        if seed % 5 == 0:
            raise TaskError(f"seed {seed} has no task", field="params")
        self.compiled.append(seed)
        return super().compile(params, seed)


class CountedEnv(ToyEnv):
    """A toy whose generation can be interrupted."""

    family = CountedFamily()


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    yield
    CountedFamily.compiled.clear()
    CountedFamily.breaks_at = None


def test_workers_do_not_change_a_pack(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("one.jsonl", "two.jsonl")]
    for workers, path in enumerate(paths, start=1):
        assert generate_pack(path, TOY, WANTED, workers=workers) == Generated(12, 0)
    assert paths[0].read_bytes() == paths[1].read_bytes()
    assert [task.seed for task in open_pack(paths[0])] == [slot.seeds[0] for slot in WANTED]
    assert sorted(tmp_path.iterdir()) == sorted(paths)


def test_seeds_without_a_task_give_way_to_the_next(tmp_path: Path) -> None:
    found = generate_pack(tmp_path / "p.jsonl", COUNTED, WANTED)
    tasks = list(open_pack(tmp_path / "p.jsonl"))
    expected = [next(seed for seed in slot.seeds if seed % 5) for slot in WANTED]
    assert [task.seed for task in tasks] == expected
    assert found == Generated(12, sum(slot.seeds[0] % 5 == 0 for slot in WANTED)) and found.replaced


def test_an_interrupted_run_goes_on_where_it_was(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl.xz"
    generate_pack(tmp_path / "whole.jsonl.xz", COUNTED, WANTED)
    whole = list(CountedFamily.compiled)
    CountedFamily.compiled.clear()
    CountedFamily.breaks_at = whole[8]
    with pytest.raises(KeyboardInterrupt):
        generate_pack(path, COUNTED, WANTED)
    assert not path.exists() and CountedFamily.compiled == whole[:8]
    CountedFamily.breaks_at = None
    generate_pack(path, COUNTED, WANTED)
    assert CountedFamily.compiled == whole
    assert path.read_bytes() == (tmp_path / "whole.jsonl.xz").read_bytes()
    assert sorted(item.name for item in tmp_path.iterdir()) == ["p.jsonl.xz", "whole.jsonl.xz"]


def test_a_slot_that_cannot_be_filled_is_an_error_and_leaves_no_pack(tmp_path: Path) -> None:
    with pytest.raises(TaskError, match="nine counters"):
        generate_pack(tmp_path / "p.jsonl", TOY, [Slot(seeds=(1, 2), params={"counters": 9})])
    with pytest.raises(TaskError, match="at least one seed"):
        generate_pack(tmp_path / "p.jsonl", TOY, [Slot(seeds=())])
    assert list(tmp_path.iterdir()) == []


def test_a_fixed_set_is_built_with_its_checksum(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gym.register("Fixed-v0", entry_point=FIXED)
    try:
        path, made = build_fixed("Fixed-v0", tmp_path / "toy-5.jsonl.xz")
        assert made == Generated(5, 0)
        tasks = open_pack(path)
        assert [(task.pattern, task.seed) for task in tasks] == [(p, s[0]) for p, s in slots(FixedFamily.fixed_set)]
        assert checksum(path).read_text().strip() == digest(tasks)
        gym.register("Toy-v0", entry_point=TOY)
        with pytest.raises(TaskError, match="Toy-v0 has no fixed set"):
            build_fixed("Toy-v0")
    finally:
        gym.registry.pop("Fixed-v0")
        gym.registry.pop("Toy-v0", None)


def test_examinations_of_a_split_take_its_fixed_set(toy_pack: Pack) -> None:  # noqa: F811  # the fixture
    family = FixedFamily()
    with Workers() as pool:
        assert select(family, FIXED, None, "test", pool) == list(toy_pack)
        assert select(family, FIXED, 2, "test", pool) == [toy_pack[0], toy_pack[2]]
        assert len(select(family, FIXED, 3, "train", pool)) == 3
    assert [is_generated(family, 2, split) for split in ("test", "train")] == [False, True]


def die(code: int) -> None:
    """Ends its process as a crash in compiled code does."""
    os._exit(code)


def test_a_crashed_process_is_an_error_of_one_line() -> None:
    with pytest.raises(OpsGymError, match="crashed while dying"), Workers(2) as pool:
        list(pool.map("dying", die, [(9,)] * 2))
