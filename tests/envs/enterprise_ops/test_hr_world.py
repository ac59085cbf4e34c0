"""Worlds of HR are sound, of the promised sizes, the same everywhere, and hold labelled traps."""

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
from opsgym.envs.enterprise_ops.hr import words
from opsgym.envs.enterprise_ops.hr.access import access_rows
from opsgym.envs.enterprise_ops.hr.domain import HR
from opsgym.envs.enterprise_ops.hr.rules import RIGHTS
from opsgym.envs.enterprise_ops.hr.world import generate
from opsgym.envs.enterprise_ops.worlds import Generated

SIZES: dict[Size, int] = {"S": 500, "M": 3_500, "L": 10_000}


def made(size: Size, seed: int) -> Generated:
    return generate(company(seed, size), random.Random(f"hr/{size}/{seed}"), size)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("seed", [0, 5])
def test_a_world_has_about_the_promised_rows_and_keeps_every_rule(size: Size, seed: int) -> None:
    found = made(size, seed)
    assert abs(sum(map(len, found.rows.values())) / SIZES[size] - 1) < 0.15
    assert violations(HR, seeded(HR, found.rows, today=company(seed, size).today)) == []


def test_every_table_and_role_and_state_is_there() -> None:
    rows = made("M", 3).rows
    assert set(rows) == set(HR.by_name)
    active = [row["role"] for row in rows["user"] if row["active"] and row["org_id"] == 1]
    assert min(active.count(role) for role in HR.rights.roles) > 1
    assert {row["status"] for row in rows["hr_case"]} == set(words.CASE_STATUSES)
    assert {row["task_type"] for row in rows["hr_case_task"]} == {"checklist", "survey", "hr service", "mark when complete"}


def test_everybody_of_the_company_is_a_user_with_a_profile() -> None:
    firm = company(3, "S")
    rows = made("S", 3).rows
    assert {row["email"]: row["active"] for row in rows["user"]} == {
        person.email: int(person.is_active) for person in firm.people
    }
    ended = {row["user_id"] for row in rows["hr_profile"] if row["employment_end_date"]}
    assert ended == {row["user_id"] for row in rows["user"] if not row["active"]}


def test_tenants_count_their_cases_for_themselves() -> None:
    cases = made("M", 3).rows["hr_case"]
    first = {row["org_id"] for row in cases if row["number"] == "HRC0000001"}
    assert first == {1, 2, 3}


def test_traps_point_at_records() -> None:
    found = made("M", 3)
    kinds = {"namesake", "stale_record", "retired_article", "retired_item", "same_number"}
    assert {trap.kind for trap in found.traps} == kinds
    for trap in found.traps:
        table = HR.table(trap.table)
        assert set(trap.keys) <= {row[table.id] for row in found.rows[trap.table]}


def test_the_access_records_say_what_the_rights_say() -> None:
    rows = access_rows(RIGHTS)
    roles = {row["role_id"]: row["name"] for row in rows["role"]}
    permissions = {row["perm_id"]: (row["resource"], row["action"]) for row in rows["permission"]}
    said = {(roles[row["role_id"]], *permissions[row["perm_id"]]) for row in rows["role_permission"]}
    resources = {table.resource for table in HR.tables if table.resource}
    meant = {(role, name, RIGHTS.grant(role, name)) for role in RIGHTS.roles for name in resources if RIGHTS.grant(role, name)}
    assert said == meant


def digest() -> str:
    return hashlib.sha256(json.dumps(made("S", 11).rows).encode()).hexdigest()


def test_another_process_makes_the_same_rows() -> None:
    code = "from tests.envs.enterprise_ops.test_hr_world import digest; print(digest())"
    environment = {**os.environ, "PYTHONHASHSEED": "7"}
    other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert other.stdout.strip() == digest()
