"""Planner and executor in numbers: a wrapper around the text game, in which neither is told more than there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from opsgym.core.task import canonical_json
from opsgym.envs.ace_bench.discrete import DiscreteView
from opsgym.envs.teams import planner_executor_grid_v0, planner_executor_v0
from opsgym.envs.teams.record import RecordTeam, replay

SMALL: dict[str, Any] = {"max_slots": 4, "max_choices": 5}


def started(seed: int = 3, **arguments: Any) -> Any:
    env = planner_executor_grid_v0.env(tier="easy", **{**SMALL, **arguments})
    env.reset(seed=seed)
    return env


def written(call: Any) -> str:
    return canonical_json(call.model_dump())


def numbers_of_the_solution(env: Any) -> list[int]:
    """The reference solution in numbers, the check left out."""
    view, world = DiscreteView(slots=4, choices=5), env.unwrapped.game.env.world
    by_call = {written(view.call(number, world)): number for number in map(int, np.flatnonzero(view.masks(world)))}
    calls = [call for call in env.unwrapped.game.env.task.oracle if call.name in ("set_slot", "done")]
    return [int(by_call[written(call)]) for call in calls]


def test_an_executor_that_does_what_the_planner_names_solves_the_grid() -> None:
    env = started()
    for number in numbers_of_the_solution(env):
        assert env.last()[0]["action_mask"][number]
        env.step(number)
        seen = env.last()[0]["observation"]
        assert seen[2:80:4].argmax() == number if number < 20 else seen[81] == 1
        assert env.last()[0]["action_mask"][number]
        env.step(number)
    assert all(env.terminations.values()) and all(info["is_success"] for info in env.infos.values())
    assert env.rewards == {"planner_0": 1.0, "executor_0": 1.0}


def test_the_executor_sees_nothing_of_the_rules() -> None:
    env = started()
    planner, executor = (env.observe(agent)["observation"] for agent in ("planner_0", "executor_0"))
    assert planner[2:80:4].any() and planner[3:80:4].any()
    assert (planner[0:80:4] == executor[0:80:4]).all()
    assert not executor[2:80:4].any() and not executor[3:80:4].any() and not executor[81:85].any()


def test_what_stands_for_no_choice_costs_the_turn_and_nothing_else() -> None:
    env = started()
    empty = next(number for number in range(20) if not env.last()[0]["action_mask"][number])
    before = env.unwrapped.game.env.world.digest()
    env.step(empty)
    assert not env.last()[0]["observation"][2:80:4].any()
    env.step(empty)
    assert env.unwrapped.game.env.world.digest() == before
    assert env.agent_selection == "planner_0"


def test_its_episodes_are_those_of_the_text_game(tmp_path: Path) -> None:
    path = tmp_path / "episodes.jsonl"
    env = RecordTeam(started(), path)
    env.reset(seed=3)
    for number in numbers_of_the_solution(env):
        env.step(number)
        env.step(number)
    (line,) = path.read_text().splitlines()
    text = planner_executor_v0.env(family="ACEBench-v0", max_cycles=40, messages=40)
    assert replay(line, text) is None


@pytest.mark.parametrize("seed", range(3))
def test_snapshots_hold_what_was_said(seed: int) -> None:
    env = started(seed)
    env.step(int(env.last()[0]["action_mask"].argmax()))
    snapshot, seen = env.unwrapped.snapshot(), env.last()[0]["observation"]
    env.step(int(env.last()[0]["action_mask"].argmax()))
    env.unwrapped.restore(snapshot)
    assert env.agent_selection == "executor_0"
    assert (env.last()[0]["observation"] == seen).all()
