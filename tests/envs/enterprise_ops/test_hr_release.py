"""HR agrees with the published material, where that is at hand."""

from __future__ import annotations

import sqlite3

from opsgym.envs.enterprise_ops.hr.domain import HR
from tests.envs.enterprise_ops.published import canonical, needed, published


def layout(ddl: str) -> dict[str, tuple[list[tuple[str, int]], list[tuple[str, str, str]]]]:
    """Columns with their place in the key, and references, by table."""
    conn = sqlite3.connect(":memory:")
    conn.executescript(ddl)
    names = [name for (name,) in conn.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
    found = {
        name: (
            [(row[1], row[5]) for row in conn.execute(f'PRAGMA table_info("{name}")')],
            sorted((row[3], row[2], row[4]) for row in conn.execute(f'PRAGMA foreign_key_list("{name}")')),
        )
        for name in names
    }
    conn.close()
    return found


def test_tables_have_the_published_columns_keys_and_references() -> None:
    assert layout(HR.ddl) == layout(needed("schema_hr.sql").read_text())


def test_tools_have_the_official_names_and_signatures() -> None:
    assert {tool.name: canonical(tool.parameters) for tool in HR.tools} == published("hr")
