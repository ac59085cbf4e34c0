"""The rules of access against an oracle that is written anew, from their sentences, over rows in Python."""

from __future__ import annotations

import pytest

from opsgym.core.errors import RegistryError
from opsgym.envs.enterprise_bench.access import (
    OPERATIONS,
    PRESETS,
    Preset,
    condition,
    condition_for,
    denial,
    grants,
    matrix,
    permits,
    persona_of,
    policy,
    reads_all,
)
from opsgym.envs.enterprise_bench.domain import DOMAIN
from tests.envs.enterprise_bench.bases import fresh, personas, rows
from tests.envs.enterprise_bench.oracle import SHOWN, Oracle

WORLD = fresh()
ORACLE = Oracle(WORLD)
ROWS = {table.name: list(rows(WORLD, table.name)) for table in SHOWN}
for _name, _listed in ROWS.items():
    ORACLE.by_key[_name] = {row[DOMAIN.table(_name).id]: row for row in _listed}  # faster than asking each time
PERSONAS = personas(WORLD)


def test_personas_cover_all_departments_and_levels_of_the_company() -> None:
    there = WORLD.execute("SELECT DISTINCT department, level FROM employee WHERE is_valid").fetchall()
    assert {(one.department, one.level) for one in PERSONAS} == set(there)
    assert {one.level for one in PERSONAS} == {9, 10, 12, 13, 14}


@pytest.mark.parametrize("preset", ["standard", "strict"])
@pytest.mark.parametrize("table", [table.name for table in SHOWN])
def test_every_persona_operation_and_record_is_decided_as_the_sentences_say(table: str, preset: Preset) -> None:
    step = int(preset == "strict")
    key = DOMAIN.table(table).id
    listed = ROWS[table][:: 1 + len(ROWS[table]) // 400]
    some = {row[key] for row in listed}
    for me in PERSONAS:
        for operation in OPERATIONS:
            allowed = condition_for(preset, table, operation, me)
            found = {place for (place,) in WORLD.execute(f"SELECT {key} FROM {table} WHERE {allowed}").fetchall()}
            expected = {row[key] for row in listed if ORACLE.allows(me, table, operation, row, step)}
            assert found & some == expected, (me, operation)


@pytest.mark.parametrize("preset", PRESETS)
def test_the_condition_for_any_actor_says_the_same_as_that_for_one(preset: Preset) -> None:
    for table in SHOWN:
        for operation in OPERATIONS:
            general = condition(preset, table.name, operation)
            for me in PERSONAS[::6]:
                special = condition_for(preset, table.name, operation, me)
                bound = {"actor": me.emp_id} if ":actor" in general else {}
                counts = f"SELECT count(*) FROM {table.name} WHERE "
                found = WORLD.conn.execute(f"{counts}({general})", bound).fetchone()
                assert found == WORLD.conn.execute(f"{counts}({special})").fetchone()


def test_open_allows_everything_and_strict_nothing_more_than_standard() -> None:
    for me in PERSONAS:
        for table in SHOWN:
            for operation in OPERATIONS:
                assert condition_for("open", table.name, operation, me) == "1"
    held = {preset: sum(grant.holds(me) for me in PERSONAS for grant in grants(preset)) for preset in ("standard", "strict")}
    assert held["strict"] < held["standard"]


def test_what_nothing_grants_is_denied() -> None:
    for me in PERSONAS:
        assert condition_for("standard", "employee", "delete", me) == "0"
        assert condition_for("standard", "policy_document", "update", me) == "0"
    assert "NO-GRANT" in denial("standard", "employee", "delete")


@pytest.mark.parametrize("preset", PRESETS)
def test_grants_have_one_id_each_and_stand_in_policy_and_matrix(preset: Preset) -> None:
    ids = [grant.id for grant in grants(preset)]
    assert len(ids) == len(set(ids))
    text = policy(preset)
    for _, _, name, sentence in matrix(preset):
        assert name in text
        assert sentence in text
        assert sentence.endswith(".")


def test_permits_and_reads_all_decide_for_keys() -> None:
    mail = ROWS["mail"][0]
    other = next(one.emp_id for one in PERSONAS if one.emp_id not in (mail["sender_emp_id"], mail["recipient_emp_id"]))
    sender = next(row["emp_id"] for row in ROWS["employee"] if row["is_valid"])
    sent = next(row for row in ROWS["mail"] if row["sender_emp_id"] == sender)
    assert permits(WORLD.conn, "standard", sender, "mail", "update", sent["email_id"])
    assert not permits(WORLD.conn, "standard", other, "mail", "read", mail["email_id"])
    assert not reads_all(WORLD.conn, "standard", other, "mail")
    assert reads_all(WORLD.conn, "standard", other, "product")


def test_who_has_left_has_no_persona() -> None:
    gone = next(row["emp_id"] for row in ROWS["employee"] if not row["is_valid"])
    with pytest.raises(RegistryError, match="employee"):
        persona_of(WORLD.conn, gone)
    with pytest.raises(RegistryError, match="preset"):
        grants("none")
