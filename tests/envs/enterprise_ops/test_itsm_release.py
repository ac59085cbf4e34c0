"""ITSM agrees with the published material, where that is at hand."""

from __future__ import annotations

import datetime as dt
import json
import sqlite3
from typing import Any

from opsgym.core.records.actor import Actor
from opsgym.core.records.invariants import violations
from opsgym.core.records.judge import Judge
from opsgym.core.records.records import Records
from opsgym.core.records.seeding import seeded_by_sql
from opsgym.core.records.sql_check import SqlCheck
from opsgym.core.world import World
from opsgym.envs.enterprise_ops.itsm.domain import ITSM
from tests.envs.enterprise_ops.published import canonical, needed, published
from tests.envs.enterprise_ops.small_itsm import call


def layout(ddl: str) -> dict[str, Any]:
    """Columns, nullability, keys and references by table."""
    conn = sqlite3.connect(":memory:")
    conn.executescript(ddl)
    names = [name for (name,) in conn.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
    found = {
        name: (
            [(row[1], row[3], row[5]) for row in conn.execute(f'PRAGMA table_info("{name}")')],
            sorted((row[3], row[2], row[4]) for row in conn.execute(f'PRAGMA foreign_key_list("{name}")')),
            sorted(
                tuple(column[2] for column in conn.execute(f'PRAGMA index_info("{index[1]}")'))
                for index in conn.execute(f'PRAGMA index_list("{name}")')
                if index[2]
            ),
        )
        for name in names
    }
    conn.close()
    return found


def test_tables_have_the_official_columns_keys_references_and_uniqueness() -> None:
    assert layout(ITSM.ddl) == layout(needed("schema_itsm.sql").read_text())


def test_tools_have_the_official_names_and_signatures() -> None:
    theirs = published("itsm")
    ours = {tool.name: canonical(tool.parameters) for tool in ITSM.tools}
    assert ours == theirs


def official_world() -> World:
    return seeded_by_sql(ITSM, needed("seeds/itsm.sql").read_text(), today=dt.date(2025, 12, 9))


def test_the_official_seed_loads_under_our_conditions() -> None:
    world = official_world()
    assert world.check() == []
    assert sum(len(world.rows(name)) for name in world.tables()) == 241


def test_a_plan_with_our_tools_reaches_the_official_checks() -> None:
    path = needed("tasks/itsm/task_20251212_172511_458_e6427839_47076c15.json")
    checks = [
        SqlCheck(
            name=item["name"], query=item["validation_config"]["query"], expected=item["validation_config"]["expected_value"]
        )
        for item in json.loads(path.read_text())["verifiers"]
    ]
    actor = Actor("USER_001", "admin", "ORG_001")
    records = Records(ITSM, official_world(), actor)
    before = records.world.snapshot()
    incident = call(records, "find_incident_by_number", number="INC0000003")["incident_id"]
    call(records, "update_incident", incident_id=incident, impact="high", priority="high")
    (sla,) = call(records, "find_sla_definitions", applies_to_priority="high", metric="resolution")
    started = str(records.world.now)
    call(records, "link_new_incident_sla", incident_id=incident, sla_def_id=sla["sla_def_id"], start_time=started)
    with Judge(ITSM, before, before, actor) as judge:
        assert [judge.check(check).status for check in checks] == ["fail", "fail"]
    with Judge(ITSM, before, records.world.snapshot(), actor) as judge:
        assert [judge.check(check).status for check in checks] == ["pass", "pass"]


def test_the_official_seed_breaks_its_own_priority_matrix_where_it_is_known_to() -> None:
    found = violations(ITSM, official_world())
    assert sum("ITSM-INC-PRIORITY" in item for item in found) == 15  # of 23 incidents, as counted by hand


def test_every_published_signature_can_be_read() -> None:
    domains = ("calendar", "csm", "drive", "email", "hr", "itsm", "teams")
    assert sum(len(published(domain)) for domain in domains) == 512
