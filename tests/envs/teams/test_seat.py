"""A seat shows a policy the role's own tools, and how its work ends."""

from __future__ import annotations

from typing import Any

import pytest

from opsgym.baselines.scripted import call_space, finishing_call
from opsgym.envs.teams import erp_bench_team_v0, planner_executor_v0
from opsgym.envs.teams.seat import Seat


@pytest.fixture(scope="module")
def game() -> Any:
    env = planner_executor_v0.env(family="ACEBench-v0", checker=True)
    env.reset(seed=3)
    return env.game


@pytest.mark.parametrize(("role", "end"), [("planner_0", "wait"), ("executor_0", "done"), ("checker_0", "approve")])
def test_every_role_has_one_call_that_ends_its_work(game: Any, role: str, end: str) -> None:
    seat: Any = Seat(game, role)
    assert finishing_call(seat.tools).name == end
    assert [tool.name for tool in seat.tools.values() if tool.terminal] == [end]
    assert list(seat.tools) == list(game.tools(role))
    assert not any(tool.terminal for tool in game.tools("planner_0").values())  # only the policy is told so
    assert call_space(seat, 1).contains(call_space(seat, 1).sample())


def test_a_seat_is_what_policies_ask_of_an_environment() -> None:
    env = erp_bench_team_v0.env(tier="easy")
    env.reset(seed=1)
    seat = Seat(env.game, "sales_0")
    inner = env.game.env
    assert (seat.family, seat.harness, seat.task) == (inner.family, inner.harness, inner.task)
    assert (seat.max_calls_per_step, seat.max_action_chars) == (inner.max_calls_per_step, inner.max_action_chars)
    assert seat.agents == tuple(env.agents)
