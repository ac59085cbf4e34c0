"""What is special about generated worlds of HR; what all domains promise is in ``test_worlds``."""

from __future__ import annotations

import random

from opsgym.envs.enterprise_ops.company import Size, company
from opsgym.envs.enterprise_ops.hr import words
from opsgym.envs.enterprise_ops.hr.domain import HR
from opsgym.envs.enterprise_ops.hr.world import generate
from opsgym.envs.enterprise_ops.worlds import Generated


def made(size: Size, seed: int) -> Generated:
    return generate(company(seed, size), random.Random(f"hr/{size}/{seed}"), size)


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
