"""Fixed sets: the same tasks for everybody, played by a split that nothing else draws from."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from opsgym.core.errors import RegistryError, TaskError
from opsgym.core.family import FixedSet
from opsgym.data import fixed_sets
from opsgym.data.fixed_sets import digest, location, shipped, slots
from opsgym.data.packs import Pack, open_pack, write_pack
from opsgym.data.splits import draw_seed, split_of
from opsgym.envs.erp_bench.env import ERPBenchEnv
from opsgym.envs.erp_bench.family import ErpBenchFamily
from tests.envs.toy_family import ToyEnv, ToyFamily

ROSTER = {"easy": 50, "medium": 166, "hard": 84}
"""Tasks of the release by tier."""


class FixedFamily(ToyFamily):
    """A toy with a fixed set."""

    fixed_set = FixedSet("toy-5", "test", {"metals": 3, "colours": 2}, entropy=7)


class FixedEnv(ToyEnv):
    """Plays it."""

    family = FixedFamily()


ENTRY_POINT = f"{__name__}:FixedEnv"


@pytest.fixture
def toy_pack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Pack:
    """The toy's set, shipped."""
    monkeypatch.setattr(fixed_sets, "PACKS", tmp_path)
    family = FixedFamily()
    path = location(family.fixed_set)
    tasks = [family.compile(family.draw(seeds[0], pattern=pattern), seeds[0]) for pattern, seeds in slots(family.fixed_set)]
    write_pack(path, tasks)
    return open_pack(path)


def test_a_split_plays_its_set_and_nothing_else(toy_pack: Pack) -> None:
    ids = {task.id for task in toy_pack}
    env = FixedEnv(split="test", cache=None)
    assert {env.reset(seed=seed)[1]["task_id"] for seed in range(60)} == ids
    assert [env.reset(options={"index": i})[1]["task_id"] for i in range(5)] == [task.id for task in toy_pack]
    assert env.reset(seed=0, options={"pattern": "colours"})[1]["pattern"] == "colours"
    assert FixedEnv(cache=None).reset(seed=1, options={"split": "test"})[1]["task_id"] in ids
    assert FixedEnv(split="train", cache=None).reset(seed=1)[1]["task_id"] not in ids


def test_compiled_tasks_cannot_be_overridden(toy_pack: Pack) -> None:
    with pytest.raises(TaskError, match="cannot be overridden"):
        FixedEnv(split="test", params={"counters": 3}, cache=None)
    with pytest.raises(TaskError, match="cannot be overridden"):
        FixedEnv(cache=None).reset(options={"split": "test", "params": {"counters": 3}})
    with pytest.raises(RegistryError, match="what the pack holds"):
        FixedEnv(split="test", cache=None).reset(options={"tier": "expert"})
    with pytest.raises(TaskError, match="expected an index below 5"):
        FixedEnv(split="test", cache=None).reset(options={"index": 5})


def test_a_set_that_is_not_shipped_leaves_its_split_endless(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fixed_sets, "PACKS", tmp_path)
    env = FixedEnv(split="test", cache=None)
    assert env.supply.generates
    seeds = []
    for seed in range(10):
        env.reset(seed=seed)
        seeds.append(env.task.seed)
    assert len(set(seeds)) == 10 and {split_of(seed) for seed in seeds} == {"test"}


def test_slots_are_in_order_and_their_seeds_of_the_split() -> None:
    fixed = FixedFamily.fixed_set
    found = list(slots(fixed))
    assert [pattern for pattern, _ in found] == ["metals"] * 3 + ["colours"] * 2
    assert found == list(slots(fixed))
    flat = [seed for _, seeds in found for seed in seeds]
    assert {split_of(seed) for seed in flat} == {"test"} and len(set(flat)) == len(flat)


def test_training_never_draws_a_seed_of_the_set() -> None:
    fixed = ErpBenchFamily.fixed_set
    assert fixed is not None
    test = {seed for _, seeds in slots(fixed) for seed in seeds}
    rng = np.random.default_rng(0)
    drawn = {draw_seed(rng, split) for split in ("train", "validation") for _ in range(5000)}
    assert not drawn & test
    assert {split_of(seed) for seed in test} == {"test"}


def test_the_checksum_is_of_the_content_not_of_its_packing(toy_pack: Pack, tmp_path: Path) -> None:
    write_pack(tmp_path / "copy.jsonl.gz", toy_pack)
    assert digest(open_pack(tmp_path / "copy.jsonl.gz")) == digest(toy_pack)
    assert digest(toy_pack[1:]) != digest(toy_pack)


# -- the set that ships ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def erpbench_300() -> Pack:
    """The shipped set."""
    found = shipped(ErpBenchFamily(), "test")
    assert found is not None, "build it with: opsgym tasks build-fixed ERPBench-v0"
    return found


def test_the_shipped_set_is_the_roster(erpbench_300: Pack) -> None:
    fixed = ErpBenchFamily.fixed_set
    assert fixed is not None
    headers = erpbench_300.headers
    assert {tier: sum(header.tier == tier for header in headers) for tier in ROSTER} == ROSTER
    assert [header.pattern for header in headers] == [pattern for pattern, _ in slots(fixed)]
    assert all(header.seed in seeds for header, (_, seeds) in zip(headers, slots(fixed), strict=True))
    assert len({header.id for header in headers}) == 300


def test_the_shipped_set_plays_without_a_solver(erpbench_300: Pack) -> None:
    script = """
import sys
sys.modules["ortools"] = None
import gymnasium as gym, opsgym
env = gym.make("ERPBench-v0", split="test", cache=None)
env.reset(options={"index": 299})
for call in env.unwrapped.task.oracle:
    step = env.step(call)
print(step[1])
"""
    run = subprocess.run([sys.executable, "-W", "ignore", "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "1.0"
    assert ERPBenchEnv(split="test", cache=None).supply.generates is False
