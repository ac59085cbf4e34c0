"""Finished episodes of teams are written whole, and play again alike."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from opsgym.core.task import Task
from opsgym.envs.teams import erp_bench_team_v0
from opsgym.envs.teams.oracle_team import oracle_team
from opsgym.envs.teams.record import RecordTeam, RecordTeamParallel, replay

PATTERN = "22_single_bom_split_by_capacity_invoicing"


def record_aec(path: Path) -> None:
    env = RecordTeam(erp_bench_team_v0.env(pattern=PATTERN, credit="role"), path)
    env.reset(seed=1)
    env.step('{"name": "wait"}')  # broken off: not written
    env.reset(seed=2)
    game = env.unwrapped.game
    team = oracle_team(game.env.task, env.agents)
    for agent in env.agent_iter():
        view, _, terminated, _, _ = env.last()
        env.step(None if terminated else team[agent].act(view["text"], game.tools(agent)))


def record_parallel(path: Path) -> None:
    env = RecordTeamParallel(erp_bench_team_v0.parallel_env(pattern=PATTERN, credit="role"), path)
    views, _ = env.reset(seed=2)
    game = env.unwrapped.game
    team = oracle_team(game.env.task, env.agents)
    while env.agents:
        views = env.step({agent: team[agent].act(views[agent]["text"], game.tools(agent)) for agent in env.agents})[0]


@pytest.mark.parametrize("record", [record_aec, record_parallel])
def test_a_finished_episode_is_written_once_and_plays_again_alike(record: Any, tmp_path: Path) -> None:
    path = tmp_path / "episodes.jsonl"
    record(path)
    (line,) = path.read_text().splitlines()
    episode = json.loads(line)
    assert episode["is_success"]
    assert sum(episode["rewards"].values()) == pytest.approx(1)
    assert set(episode["briefs"]) == set(episode["agents"])
    assert Task.from_dict(episode["task"]).pattern == PATTERN
    for again in (erp_bench_team_v0.env(credit="role"), erp_bench_team_v0.parallel_env(credit="role")):
        assert replay(line, again) is None


def test_replay_finds_the_turn_that_differs(tmp_path: Path) -> None:
    path = tmp_path / "episodes.jsonl"
    record_aec(path)
    episode = json.loads(path.read_text())
    episode["turns"][3]["observation"] += " "
    assert replay(json.dumps(episode), erp_bench_team_v0.env()) == 3
