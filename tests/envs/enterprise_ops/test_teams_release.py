"""Teams agrees with the published material, where that is at hand."""

from __future__ import annotations

import sqlite3

from opsgym.envs.enterprise_ops.teams.domain import TEAMS
from tests.envs.enterprise_ops.published import canonical, needed, published

SPLIT = {("virtual_event_co_organizers", "event_id")}
"""Columns that we have otherwise: a reference to a webinar and one to a town hall."""


def test_tools_have_the_official_names_and_signatures() -> None:
    assert {tool.name: canonical(tool.parameters) for tool in TEAMS.tools} == published("teams")


def test_tables_have_the_known_columns() -> None:
    conn = sqlite3.connect(":memory:")
    conn.executescript(needed("schema_teams.sql").read_text())
    theirs = {
        (table, row[1])
        for (table,) in conn.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
        for row in conn.execute(f'PRAGMA table_info("{table}")')
    }
    conn.close()
    ours = {(table.name, name) for table in TEAMS.tables for name in table.names}
    assert theirs - ours == SPLIT
