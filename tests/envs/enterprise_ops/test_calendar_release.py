"""Calendar has the published tools, and the tables of the sketch in the companion data."""

from __future__ import annotations

from opsgym.envs.enterprise_ops.calendar.domain import CALENDAR
from tests.envs.enterprise_ops.published import canonical, needed, published
from tests.envs.enterprise_ops.test_drive_release import columns


def test_tables_have_the_columns_of_the_sketch() -> None:
    assert columns(CALENDAR.ddl) == columns(needed("schema_calendar.sql").read_text())


def test_tools_have_the_official_names_and_signatures() -> None:
    assert {tool.name: canonical(tool.parameters) for tool in CALENDAR.tools} == published("calendar")
