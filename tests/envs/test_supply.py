"""What an episode plays, where the environment itself has no part in it."""

from __future__ import annotations

from pathlib import Path

import pytest
from gymnasium.utils.seeding import np_random

from opsgym.core.task import Task
from opsgym.data.packs import Pack, write_pack
from tests.envs.toy_family import ToyEnv, ToyFamily, ToyParams

FAMILY = ToyFamily()
TASKS = [FAMILY.compile(FAMILY.draw(seed), seed) for seed in range(6)]


def test_a_task_of_a_pack_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_pack(tmp_path / "p.jsonl", TASKS)
    read: list[int] = []
    real = Pack.__getitem__

    def counted(self: Pack, index: int) -> Task:
        read.append(index)
        return real(self, index)

    monkeypatch.setattr(Pack, "__getitem__", counted)
    envs = [ToyEnv(tasks=tmp_path / "p.jsonl", cache=None) for _ in range(2)]
    ids = [env.reset(options={"index": index})[1]["task_id"] for env in envs for index in (2, -4, 3, 2)]
    assert ids == [TASKS[index].id for index in (2, 2, 3, 2)] * 2
    assert read == [2, 3]


def test_a_pack_that_was_replaced_is_read_anew(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    for task in (TASKS[0], TASKS[5]):
        write_pack(path, [task])
        assert ToyEnv(tasks=path, cache=None).reset(options={"index": 0})[1]["task_id"] == task.id


def test_the_supply_says_whether_it_generates(tmp_path: Path) -> None:
    write_pack(tmp_path / "p.jsonl", TASKS)
    assert ToyEnv(cache=None).supply.generates
    assert not ToyEnv(tasks=tmp_path / "p.jsonl", cache=None).supply.generates


def test_a_draw_is_what_a_reset_plays() -> None:
    env = ToyEnv(tier="medium", split="train", cache=None)
    for seed in range(5):
        params, task_seed = env.supply.draw(np_random(seed)[0])
        assert env.reset(seed=seed)[1]["task_id"] == FAMILY.compile(ToyParams.build(params.model_dump()), task_seed).id
