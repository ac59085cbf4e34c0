from __future__ import annotations

from typing import Any

import gymnasium as gym
import httpx
import pytest

import opsgym  # noqa: F401  # registers the environments
from opsgym.core.errors import OpsGymError
from opsgym.envs.erp_bench.backends import EmbeddedBackend, ErpBackend
from opsgym.envs.erp_bench.family import scenario_of
from opsgym.wrappers import ToolBudget
from tests.envs.erp_bench.backends.live_double import TODAY, live_double
from tests.envs.erp_bench.backends.tasks import task_of

PATTERN = "05_screened_buy_only_all_seeded"


def made(backend: ErpBackend | None, **arguments: Any) -> gym.Env[str, Any]:
    return gym.make("ERPBench-v0", backend=backend, tasks=task_of(PATTERN), cache=None, **arguments)


@pytest.mark.parametrize("mode", ["paper", "dense"])
def test_an_episode_on_the_embedded_backend_is_the_episode_without_one(mode: str) -> None:
    episodes = []
    for backend in (None, EmbeddedBackend()):
        env = made(backend, reward_mode=mode)
        brief, info = env.reset(seed=1)
        steps: list[Any] = [(brief, info)]
        for call in [*task_of(PATTERN).oracle[:-1], *task_of(PATTERN).oracle[-2:]]:  # one is refused on the way
            steps.append(env.step([call]))
        episodes.append(steps)
        env.close()
    assert episodes[0] == episodes[1]
    assert episodes[0][-1][-1]["is_success"]


def test_an_episode_on_a_live_erp_lives_on_its_day_and_can_be_won() -> None:
    double, backend = live_double()
    env = made(backend)
    brief, _ = env.reset(seed=1)
    task = env.unwrapped.task  # type: ignore[attr-defined]  # of ToolEnv
    assert scenario_of(task).today == TODAY
    assert TODAY.isoformat() in brief
    for call in task.oracle:
        _, reward, terminated, _, info = env.step([call])
    assert (reward, terminated, info["is_success"]) == (1, True, True)
    env.reset(seed=2)
    assert env.step('{"name": "submit"}')[1] == 0
    assert "get_stock" in {one["function"]["name"] for one in env.reset()[1]["tools"]}
    env.close()
    assert double.asked


@pytest.mark.parametrize("moment", ["call", "judgement"])
def test_an_episode_that_the_erp_breaks_is_marked_and_not_scored(moment: str) -> None:
    double, backend = live_double()
    env = made(backend)
    env.reset(seed=1)
    model = "sale.order" if moment == "call" else "res.partner"
    double.broken = lambda asked, method: httpx.ReadTimeout("slow") if asked == model else None
    order = env.unwrapped.task.oracle[0] if moment == "call" else '{"name": "submit"}'  # type: ignore[attr-defined]  # of ToolEnv
    observation, reward, terminated, truncated, info = env.step([order] if moment == "call" else order)
    assert (reward, terminated, truncated) == (0, False, True)
    assert "ReadTimeout" in info["backend_error"]
    assert "verdict" not in info
    assert "backend_error" in observation
    assert info["elapsed_turns"] == 1
    double.broken = lambda asked, method: None
    env.reset(seed=1)
    assert env.step('{"name": "submit"}')[2]


def test_an_episode_on_a_backend_can_be_shown_and_not_be_branched() -> None:
    env = made(EmbeddedBackend(), render_mode="ansi")
    env.reset(seed=1)
    env.step('{"name": "get_current_date"}')
    assert "S00001" in str(env.render())
    inner: Any = env.unwrapped
    with pytest.raises(OpsGymError, match="no snapshots"):
        inner.snapshot()
    with pytest.raises(OpsGymError, match="no snapshots"):
        inner.fork()
    assert len(inner.world.digest()) == 64
    assert inner.world.check() == []


def test_layers_work_around_a_backend() -> None:
    env = ToolBudget(made(EmbeddedBackend()), calls=1)
    env.reset(seed=1)
    env.step('{"name": "get_current_date"}')
    assert "budget of calls" in env.step('{"name": "get_current_date"}')[0]
