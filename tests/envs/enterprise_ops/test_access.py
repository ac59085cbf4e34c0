"""Domains that keep roles and permissions as records: these say what the rights say."""

from __future__ import annotations

import pytest

from opsgym.core.world import World
from opsgym.envs.enterprise_ops.bases import base
from opsgym.envs.enterprise_ops.systems import system


@pytest.mark.parametrize("name", ["hr", "itsm"])
def test_the_access_records_say_what_the_rights_say(name: str) -> None:
    domain = system(name).domain
    world = World.from_snapshot(base(name, 1, "S").snapshot)
    said = world.execute(
        "SELECT r.name, p.resource, p.action FROM role r JOIN role_permission USING (role_id) JOIN permission p USING (perm_id)"
    ).fetchall()
    world.close()
    resources = {table.resource for table in domain.tables if table.resource}
    grants = {(role, name): domain.rights.grant(role, name) for role in domain.rights.roles for name in resources}
    meant = {(role, name, grant) for (role, name), grant in grants.items() if grant}
    assert set(said) == meant
    assert len(said) == len(meant)
