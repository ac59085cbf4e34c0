"""Worlds of CSM are sound, of the promised sizes, the same everywhere, and hold labelled traps."""

from __future__ import annotations

import hashlib
import json
import os
import random
import subprocess
import sys

import pytest

from opsgym.core.records.invariants import violations
from opsgym.core.records.seeding import seeded
from opsgym.envs.enterprise_ops.company import Size, company
from opsgym.envs.enterprise_ops.csm.domain import CSM
from opsgym.envs.enterprise_ops.csm.world import generate
from opsgym.envs.enterprise_ops.worlds import Generated

SIZES: dict[Size, int] = {"S": 500, "M": 3_500, "L": 10_000}


def made(size: Size, seed: int) -> Generated:
    return generate(company(seed, size), random.Random(f"csm/{size}/{seed}"), size)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("seed", [0, 5])
def test_a_world_has_about_the_promised_rows_and_keeps_every_rule(size: Size, seed: int) -> None:
    found = made(size, seed)
    assert abs(sum(map(len, found.rows.values())) / SIZES[size] - 1) < 0.1
    assert violations(CSM, seeded(CSM, found.rows, today=company(seed, size).today)) == []


def test_every_table_and_role_and_state_is_there() -> None:
    rows = made("M", 3).rows
    assert set(rows) == set(CSM.by_name)
    active = [row["role"] for row in rows["user"] if row["active"]]
    assert min(active.count(role) for role in CSM.rights.roles) > 1
    assert {row["state"] for row in rows["customer_case"]} == {"new", "in_progress", "pending", "resolved", "closed", "canceled"}


def test_home_is_the_company() -> None:
    firm = company(3, "S")
    rows = made("S", 3).rows["user"]
    staff = {row["email"]: row["active"] for row in rows if row["role"] != "customer"}
    assert staff == {person.email: int(person.is_active) for person in firm.people_of(1)}


def test_traps_point_at_records() -> None:
    found = made("M", 3)
    assert {trap.kind for trap in found.traps} >= {
        "namesake",
        "stale_record",
        "retired_article",
        "retired_product",
        "similar_name",
    }
    for trap in found.traps:
        table = CSM.table(trap.table)
        keys = {row[table.id] for row in found.rows[trap.table]}
        assert set(trap.keys) <= keys


def digest() -> str:
    return hashlib.sha256(json.dumps(made("S", 11).rows).encode()).hexdigest()


def test_another_process_makes_the_same_rows() -> None:
    code = "from tests.envs.enterprise_ops.test_csm_world import digest; print(digest())"
    environment = {**os.environ, "PYTHONHASHSEED": "7"}
    other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert other.stdout.strip() == digest()
