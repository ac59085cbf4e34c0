"""Every fixed set that ships is whole and unaltered, and what its seeds give today."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import pytest

import opsgym
from opsgym.core.family import Family, FixedSet
from opsgym.data.fixed_sets import checksum, digest, shipped, slots
from opsgym.data.packs import Pack
from opsgym.envs.tool_env import ToolEnv
from opsgym.evaluate.entry_points import entry_point_of, load_env
from opsgym.evaluate.generation import Slot, fill

SETS = {"ERPBench-v0": 300, "EnterpriseOps-v0": 1150, "ORAgentBench-v0": 107, "EnterpriseBench-v0": 500}
"""How many tasks the sets have."""

SAMPLE = 8
"""Tasks of each set that are compiled anew."""


def set_of(env_id: str) -> tuple[Family[Any, Any], FixedSet, Pack]:
    """The family, its set, and the pack."""
    family = load_env(entry_point_of(env_id), cache=None).family
    pack = shipped(family, "test")
    assert family.fixed_set is not None
    assert pack is not None, f"build it with: opsgym tasks build-fixed {env_id}"
    return family, family.fixed_set, pack


def test_every_family_with_a_fixed_set_ships_it() -> None:
    families = {env_id: load_env(entry_point_of(env_id), cache=None).family for env_id in opsgym.ENV_IDS}
    assert {env_id for env_id, family in families.items() if family.fixed_set is not None} == {*SETS}


@pytest.mark.parametrize(("env_id", "count"), SETS.items())
def test_a_shipped_set_is_whole_and_unaltered(env_id: str, count: int) -> None:
    _, fixed, pack = set_of(env_id)
    assert len(pack) == sum(fixed.counts.values()) == len({header.id for header in pack.headers}) == count
    assert all(header.seed in seeds for header, (_, seeds) in zip(pack.headers, slots(fixed), strict=True))
    assert pack.path.stat().st_size < 5_000_000
    assert digest(pack) == checksum(pack.path).read_text(encoding="utf-8").strip()


@pytest.mark.parametrize(("env_id", "count"), SETS.items())
def test_a_sample_of_a_shipped_set_compiles_anew_to_the_same(env_id: str, count: int) -> None:
    family, fixed, pack = set_of(env_id)
    wanted = list(slots(fixed))
    for index in range(count // 16, count, count // SAMPLE):
        pattern, seeds = wanted[index]
        assert pattern in family.patterns_of(pack[index])
        assert fill(entry_point_of(env_id), Slot(seeds=seeds, pattern=pattern)) == pack[index].to_json(), index


@pytest.mark.parametrize("env_id", SETS)
def test_the_test_split_plays_the_shipped_set_and_the_oracle_solves_its_last_task(env_id: str) -> None:
    _, _, pack = set_of(env_id)
    env = gym.make(env_id, split="test", cache=None)
    _, info = env.reset(options={"index": len(pack) - 1})
    assert info["task_id"] == pack[len(pack) - 1].id
    played = env.unwrapped
    assert isinstance(played, ToolEnv)
    for call in played.task.oracle:
        step = env.step(call.model_dump_json())
    assert (step[1], step[2], step[4]["is_success"]) == (1.0, True, True)
    env.close()
