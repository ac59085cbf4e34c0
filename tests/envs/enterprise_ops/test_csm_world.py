"""What is special about generated worlds of CSM; what all domains promise is in ``test_worlds``."""

from __future__ import annotations

import random

from opsgym.envs.enterprise_ops.company import Size, company
from opsgym.envs.enterprise_ops.csm.domain import CSM
from opsgym.envs.enterprise_ops.csm.world import generate
from opsgym.envs.enterprise_ops.worlds import Generated


def made(size: Size, seed: int) -> Generated:
    return generate(company(seed, size), random.Random(f"csm/{size}/{seed}"), size)


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
