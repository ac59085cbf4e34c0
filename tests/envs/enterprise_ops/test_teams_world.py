"""What is special about generated worlds of Teams; what all domains promise is in ``test_worlds``."""

from __future__ import annotations

import json
import random

from opsgym.core.records.seeding import seeded
from opsgym.envs.enterprise_ops.company import Size, company
from opsgym.envs.enterprise_ops.teams.domain import TEAMS
from opsgym.envs.enterprise_ops.teams.world import generate
from opsgym.envs.enterprise_ops.worlds import Generated


def made(seed: int, size: Size) -> Generated:
    return generate(company(seed, size), random.Random(seed), size)


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
