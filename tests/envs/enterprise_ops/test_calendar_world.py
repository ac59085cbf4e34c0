"""Generated worlds of Calendar: of the size asked for, sound, the same everywhere, with traps that are labelled."""

from __future__ import annotations

import random
import subprocess
import sys

import pytest

from opsgym.core.records.invariants import violations
from opsgym.core.records.seeding import seeded
from opsgym.core.task import canonical_json
from opsgym.envs.enterprise_ops.calendar.domain import CALENDAR
from opsgym.envs.enterprise_ops.calendar.system import SYSTEM
from opsgym.envs.enterprise_ops.calendar.world import generate
from opsgym.envs.enterprise_ops.company import Size, company
from opsgym.envs.enterprise_ops.worlds import Generated


def made(seed: int, size: Size) -> Generated:
    return generate(company(seed, size), random.Random(seed), size)


@pytest.mark.parametrize(("size", "rows"), [("S", 500), ("M", 3500), ("L", 10_000)])
def test_a_world_is_of_its_size_and_sound(size: Size, rows: int) -> None:
    for seed in (1, 2):
        found = made(seed, size)
        assert 0.8 * rows <= sum(map(len, found.rows.values())) <= 1.2 * rows
        assert violations(CALENDAR, seeded(CALENDAR, found.rows, today=company(seed, size).today)) == []


def test_every_role_has_several_users() -> None:
    world = seeded(CALENDAR, made(1, "S").rows, today=company(1, "S").today)
    roles = [row[1] for row in world.execute(SYSTEM.actors).fetchall()]
    assert {role for role in roles if roles.count(role) > 1} == {"admin", "user", "assistant", "auditor"}


def test_traps_of_each_kind_are_labelled_and_are_there() -> None:
    found = made(3, "M")
    assert {trap.kind for trap in found.traps} == {"namesake", "stale_record", "near_duplicate"}
    for trap in found.traps:
        assert set(trap.keys) <= {row["id"] for row in found.rows[trap.table]}


def test_a_world_is_the_same_in_another_process() -> None:
    code = (
        "import random, sys; from opsgym.core.task import canonical_json; from opsgym.envs.enterprise_ops.company import company;"
        "from opsgym.envs.enterprise_ops.calendar.world import generate;"
        "sys.stdout.write(canonical_json(dict(generate(company(4, 'S'), random.Random(4), 'S').rows)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": "7"})
    assert run.stdout == canonical_json(dict(made(4, "S").rows))
