"""Generated worlds of every domain: of the right size, without violations, the same in any process."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from opsgym.core.records.invariants import violations
from opsgym.core.world import World
from opsgym.envs.enterprise_ops.bases import base
from opsgym.envs.enterprise_ops.company import Size
from opsgym.envs.enterprise_ops.systems import SYSTEMS, system

ROWS: dict[Size, tuple[int, int]] = {"S": (300, 1000), "M": (2000, 6000), "L": (6000, 16000)}


def opened(name: str, seed: int, size: Size) -> World:
    return World.from_snapshot(base(name, seed, size).snapshot)


def rows(world: World) -> int:
    return sum(len(world.rows(table)) for table in world.tables())


@pytest.mark.parametrize("name", SYSTEMS)
@pytest.mark.parametrize("size", ["S", "M"])
def test_worlds_have_about_the_size_that_is_asked_for_and_keep_all_rules(name: str, size: Size) -> None:
    world = opened(name, 1, size)
    low, high = ROWS[size]
    assert low <= rows(world) <= high
    assert violations(system(name).domain, world) == []
    world.close()


@pytest.mark.slow
@pytest.mark.parametrize("name", SYSTEMS)
@pytest.mark.parametrize("seed", range(6))
def test_worlds_of_all_sizes_keep_all_rules(name: str, seed: int) -> None:
    for size in ROWS:
        world = opened(name, seed, size)
        low, high = ROWS[size]
        assert low <= rows(world) <= high
        assert violations(system(name).domain, world) == []
        world.close()


@pytest.mark.parametrize("name", SYSTEMS)
def test_the_same_people_are_in_every_system(name: str) -> None:
    found = base(name, 1, "S")
    world = World.from_snapshot(found.snapshot)
    users = {email: words for _, _, _, words, email in world.execute(system(name).actors).fetchall()}
    for person in found.company.people_of(1, active=True):
        assert users[person.email] == person.name
    assert not {person.email for person in found.company.people_of(1, active=False)} & users.keys()
    world.close()


@pytest.mark.parametrize("name", SYSTEMS)
def test_traps_are_labelled_and_name_records_that_exist(name: str) -> None:
    found = base(name, 1, "M")
    world = World.from_snapshot(found.snapshot)
    assert found.traps
    for trap in found.traps:
        table = system(name).domain.table(trap.table)
        if len(table.key) == 1:
            known = {row[0] for row in world.execute(f'SELECT "{table.id}" FROM "{table.name}"').fetchall()}
            assert set(trap.keys) <= known
    world.close()


def test_another_process_makes_the_same_worlds() -> None:
    script = (
        "from opsgym.envs.enterprise_ops.bases import base; from opsgym.envs.enterprise_ops.systems import SYSTEMS\n"
        "print(*(base(name, 2, 'S').digest for name in SYSTEMS))"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "5"}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.split() == [base(name, 2, "S").digest for name in SYSTEMS]
