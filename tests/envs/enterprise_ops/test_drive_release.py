"""Drive has the published names: columns as seen in the published data, tools with their signatures."""

from __future__ import annotations

import sqlite3
from contextlib import closing

from opsgym.envs.enterprise_ops.drive.domain import DRIVE
from tests.envs.enterprise_ops.published import canonical, needed, published


def columns(ddl: str) -> dict[str, set[str]]:
    """Names of the columns by table."""
    with closing(sqlite3.connect(":memory:")) as conn:
        conn.executescript(ddl)
        tables = [name for (name,) in conn.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        return {name: {row[1] for row in conn.execute(f'PRAGMA table_info("{name}")')} for name in tables}


def test_tables_have_the_published_columns() -> None:
    assert columns(DRIVE.ddl) == columns(needed("schema_drive.sql").read_text())


def test_tools_have_the_official_names_and_signatures() -> None:
    assert {tool.name: canonical(tool.parameters) for tool in DRIVE.tools} == published("drive")
