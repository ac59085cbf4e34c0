"""Domains have the published names: tables with their columns, tools with their signatures; where these are at hand."""

from __future__ import annotations

import pytest

from opsgym.envs.enterprise_ops.systems import system
from tests.envs.enterprise_ops.published import Layout, canonical, layout, needed, published

SPLIT = {("virtual_event_co_organizers", "event_id")}
"""Columns that we have otherwise: a reference to a webinar and one to a town hall."""


@pytest.mark.parametrize("name", ["teams", "csm", "email", "calendar", "hr", "drive"])
def test_tools_have_the_official_names_and_signatures(name: str) -> None:
    assert {tool.name: canonical(tool.parameters) for tool in system(name).domain.tools} == published(name)


@pytest.mark.parametrize("name", ["csm", "hr"])
def test_tables_have_the_published_columns_keys_and_references(name: str) -> None:
    assert layout(system(name).domain.ddl) == layout(needed(f"schema_{name}.sql").read_text())


@pytest.mark.parametrize("name", ["calendar", "drive"])
def test_tables_have_the_columns_seen_in_published_data(name: str) -> None:
    ours, theirs = layout(system(name).domain.ddl), layout(needed(f"schema_{name}.sql").read_text())
    assert _columns(ours) == _columns(theirs)
    assert ours.keys() == theirs.keys()


def test_teams_has_the_known_columns() -> None:
    ours, theirs = layout(system("teams").domain.ddl), layout(needed("schema_teams.sql").read_text())
    assert _columns(theirs) - _columns(ours) == SPLIT


def _columns(tables: Layout) -> set[tuple[str, str]]:
    return {(table, column) for table, (columns, _) in tables.items() for column, _ in columns}
