"""Generated Teams worlds: of the size asked for, sound, the same everywhere, with traps that are labelled."""

from __future__ import annotations

import json
import random
import subprocess
import sys

import pytest

from opsgym.core.records.invariants import violations
from opsgym.core.records.seeding import seeded
from opsgym.core.task import canonical_json
from opsgym.envs.enterprise_ops.company import Size, company
from opsgym.envs.enterprise_ops.teams.domain import TEAMS
from opsgym.envs.enterprise_ops.teams.system import SYSTEM
from opsgym.envs.enterprise_ops.teams.world import generate
from opsgym.envs.enterprise_ops.worlds import Generated


def made(seed: int, size: Size) -> Generated:
    return generate(company(seed, size), random.Random(seed), size)


@pytest.mark.parametrize(("size", "rows"), [("S", 500), ("M", 3500), ("L", 10_000)])
def test_a_world_is_of_its_size_and_sound(size: Size, rows: int) -> None:
    for seed in (1, 2):
        found = made(seed, size)
        assert 0.8 * rows <= sum(map(len, found.rows.values())) <= 1.25 * rows
        world = seeded(TEAMS, found.rows, today=company(seed, size).today)
        assert violations(TEAMS, world) == []


def test_every_table_of_a_medium_world_has_rows() -> None:
    assert {name for name, rows in made(1, "M").rows.items() if rows} == {table.name for table in TEAMS.tables}


def test_the_lists_of_members_say_what_the_memberships_say() -> None:
    rows = made(2, "M").rows
    for team in rows["teams"]:
        kept = [(row["user_id"], json.loads(row["roles"])) for row in rows["team_members"] if row["team_id"] == team["team_id"]]
        assert [(item["userId"], item["roles"]) for item in json.loads(team["members"])] == kept


def test_nobody_writes_where_they_do_not_belong() -> None:
    world = seeded(TEAMS, made(3, "M").rows, today=company(3, "M").today)
    sql = (
        "SELECT count(*) FROM channel_messages g JOIN channels c USING (channel_id) WHERE NOT EXISTS"
        " (SELECT 1 FROM team_members m WHERE m.team_id = c.team_id AND m.user_id = g.from_user_id)"
    )
    assert world.execute(sql).fetchone()[0] == 0
    sql = (
        "SELECT count(*) FROM chat_messages g WHERE NOT EXISTS (SELECT 1 FROM chat_members m WHERE m.chat_id = g.chat_id"
        " AND m.user_id = g.from_user_id)"
    )
    assert world.execute(sql).fetchone()[0] == 0
    late = world.execute("SELECT count(*) FROM channel_messages WHERE created_at > ?", (world.now.isoformat(" "),)).fetchone()[0]
    assert late == 0


def test_every_role_has_several_users() -> None:
    world = seeded(TEAMS, made(1, "S").rows, today=company(1, "S").today)
    roles = [row[1] for row in world.execute(SYSTEM.actors).fetchall()]
    assert {role for role in roles if roles.count(role) > 1} == {"admin", "member", "guest"}


def test_traps_of_each_kind_are_labelled_and_are_there() -> None:
    found = made(3, "M")
    assert {trap.kind for trap in found.traps} == {"namesake", "stale_record", "archived", "similar_name", "same_name"}
    for trap in found.traps:
        key = TEAMS.table(trap.table).id
        assert set(trap.keys) <= {row[key] for row in found.rows[trap.table]}


def test_a_world_is_the_same_in_another_process() -> None:
    code = (
        "import random, sys; from opsgym.core.task import canonical_json; from opsgym.envs.enterprise_ops.company import company;"
        "from opsgym.envs.enterprise_ops.teams.world import generate;"
        "sys.stdout.write(canonical_json(dict(generate(company(4, 'S'), random.Random(4), 'S').rows)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": "7"})
    assert run.stdout == canonical_json(dict(made(4, "S").rows))
