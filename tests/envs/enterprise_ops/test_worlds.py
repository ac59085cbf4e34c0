"""Generated worlds of every domain: of the right size, sound, the same in any process, with traps that are labelled."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter

import pytest

from opsgym.core.records.invariants import violations
from opsgym.core.world import World
from opsgym.envs.enterprise_ops.bases import base
from opsgym.envs.enterprise_ops.company import Size
from opsgym.envs.enterprise_ops.systems import SYSTEMS, system

ROWS: dict[Size, int] = {"S": 500, "M": 3500, "L": 10_000}
TRAPS = {
    "teams": {"archived", "similar_name", "same_name"},
    "csm": {"retired_article", "retired_product", "similar_name"},
    "email": {"near_name"},
    "itsm": {"retired_article", "retired_item"},
    "calendar": {"near_duplicate"},
    "hr": {"retired_article", "retired_item", "same_number"},
    "drive": {"near_duplicate"},
}
"""Kinds of traps beside namesakes and stale records."""

each = pytest.mark.parametrize("name", SYSTEMS)


def opened(name: str, seed: int, size: Size) -> World:
    return World.from_snapshot(base(name, seed, size).snapshot)


def check_size_and_rules(name: str, seed: int, size: Size) -> None:
    world = opened(name, seed, size)
    rows = sum(len(world.rows(table)) for table in world.tables())
    assert 0.8 * ROWS[size] <= rows <= 1.25 * ROWS[size]
    assert violations(system(name).domain, world) == []
    world.close()


@each
@pytest.mark.parametrize("size", ROWS)
def test_worlds_have_about_the_size_that_is_asked_for_and_keep_all_rules(name: str, size: Size) -> None:
    check_size_and_rules(name, 1, size)


@pytest.mark.slow
@each
@pytest.mark.parametrize("seed", range(6))
def test_worlds_of_all_sizes_keep_all_rules(name: str, seed: int) -> None:
    for size in ROWS:
        check_size_and_rules(name, seed, size)


@each
def test_every_role_has_users_and_mostly_several(name: str) -> None:
    world = opened(name, 1, "S")
    counts = Counter(row[1] for row in world.execute(system(name).actors).fetchall())
    least = 1 if name == "itsm" else 2
    assert {role for role, count in counts.items() if count >= least} == set(system(name).domain.rights.roles)
    world.close()


@each
def test_the_same_people_are_in_every_system(name: str) -> None:
    found = base(name, 1, "S")
    world = World.from_snapshot(found.snapshot)
    users = {email: words for _, _, _, words, email in world.execute(system(name).actors).fetchall()}
    for person in found.company.people_of(1, active=True):
        assert users[person.email] == person.name
    assert not {person.email for person in found.company.people_of(1, active=False)} & users.keys()
    world.close()


@each
def test_traps_of_each_kind_are_labelled_and_name_records_that_exist(name: str) -> None:
    found = base(name, 3, "M")
    world = World.from_snapshot(found.snapshot)
    assert {trap.kind for trap in found.traps} == {"namesake", "stale_record"} | TRAPS[name]
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
