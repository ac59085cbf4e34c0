"""Both forms of every team pass PettingZoo's own tests."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import gymnasium as gym
import pettingzoo
import pytest
from pettingzoo.test import (
    api_test,
    parallel_api_test,
    parallel_seed_test,
    render_test,
    seed_test,
)
from pettingzoo.utils import BaseParallelWrapper, BaseWrapper

from opsgym.core.errors import RegistryError, TaskError
from opsgym.envs.teams import GAMES, erp_bench_team_v0, make, planner_executor_grid_v0, planner_executor_v0

Maker = Callable[..., Any]

PATTERN = "22_single_bom_split_by_capacity_invoicing"  # needs all four roles, as the Parallel test expects of a finished game
ERP = {"pattern": PATTERN, "cache": None}
AEC: dict[str, Maker] = {
    "erp_shared": partial(erp_bench_team_v0.env, **ERP),
    "erp_partial": partial(erp_bench_team_v0.env, **ERP, information="partial", credit="role"),
    "planner_erp": partial(planner_executor_v0.env, **ERP),
    "planner_checker": partial(planner_executor_v0.env, **ERP, checker=True),
    "planner_ace": partial(planner_executor_v0.env, family="ACEBench-v0", cache=None),
    "planner_grid": partial(planner_executor_grid_v0.env, tier="easy", cache=None),
}
PARALLEL: dict[str, Maker] = {
    "erp_shared": partial(erp_bench_team_v0.parallel_env, **ERP),
    "erp_partial": partial(erp_bench_team_v0.parallel_env, **ERP, information="partial", credit="role"),
}
known_warnings = [
    pytest.mark.filterwarnings("ignore:Observation is not a NumPy array:UserWarning"),
    pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be:UserWarning"),
    pytest.mark.filterwarnings("ignore:Action space for each agent probably should be:UserWarning"),
]


@pytest.mark.parametrize("name", AEC)
class TestAEC:
    pytestmark = known_warnings

    def test_passes_the_api_test(self, name: str) -> None:
        api_test(AEC[name](), num_cycles=30)

    def test_passes_the_seed_test(self, name: str) -> None:
        seed_test(AEC[name], num_cycles=10)

    def test_passes_the_render_test(self, name: str, capsys: pytest.CaptureFixture[str]) -> None:
        render_test(lambda render_mode=None: AEC[name](render_mode=render_mode))


@pytest.mark.parametrize("name", PARALLEL)
class TestParallel:
    pytestmark = known_warnings

    def test_passes_the_api_test(self, name: str) -> None:
        parallel_api_test(PARALLEL[name](), num_cycles=30)

    def test_passes_the_seed_test(self, name: str) -> None:
        parallel_seed_test(PARALLEL[name], num_cycles=10)

    def test_renders_as_the_other_form_does(self, name: str, capsys: pytest.CaptureFixture[str]) -> None:
        for mode in ("human", "ansi"):
            env = PARALLEL[name](render_mode=mode)
            env.reset(seed=1)
            env.step(dict.fromkeys(env.agents, '{"name": "wait"}'))
            shown = env.render()
            assert shown is None if mode == "human" else all(f"{agent}> " in shown for agent in env.agents)
        assert "finance_0> " in capsys.readouterr().out


def test_pettingzoos_aec_wrapper_records_a_team() -> None:
    class Recorder(BaseWrapper):  # type: ignore[misc]  # PettingZoo is untyped
        def step(self, action: Any) -> None:
            steps.append((self.agent_selection, action))
            super().step(action)

    steps: list[tuple[str, Any]] = []
    env = Recorder(AEC["erp_shared"]())
    env.reset(seed=1)
    for _ in env.agent_iter():
        _, _, terminated, _, _ = env.last()
        env.step(None if terminated else '{"name": "submit"}')
    assert [agent for agent, action in steps if action] == ["sales_0", "purchasing_0", "production_0", "finance_0"]


def test_pettingzoos_parallel_wrapper_takes_a_team() -> None:
    env = BaseParallelWrapper(PARALLEL["erp_shared"]())
    observations, _ = env.reset(seed=1)
    assert set(observations) == set(env.agents) == set(env.possible_agents)
    env.step(dict.fromkeys(env.agents, '{"name": "submit"}'))
    assert env.agents == []


def test_names_that_do_not_exist_are_refused() -> None:
    for bad in ({"information": "none"}, {"credit": "none"}, {"harness": "api"}, {"render_mode": "rgb"}):
        with pytest.raises(RegistryError):
            erp_bench_team_v0.env(**bad)
    with pytest.raises(RegistryError, match="family"):
        planner_executor_v0.env(family="Chess-v0")


def test_arguments_that_do_not_go_together_are_refused() -> None:
    for bad in (
        {"credit": "role", "reward_mode": "dense"},
        {"information": "partial", "disclosure": "policy"},
        {"max_cycles": 0},
        {"messages": -1},
        {"max_steps": 9},
    ):
        with pytest.raises(TaskError):
            erp_bench_team_v0.env(**bad)


@pytest.mark.skipif(not hasattr(pettingzoo, "make"), reason="this PettingZoo has no registry")
@pytest.mark.parametrize(("form", "name"), [(form, name) for name, forms in GAMES.items() for form in forms])
def test_pettingzoos_registry_makes_every_form(form: str, name: str) -> None:
    env = pettingzoo.make(form, name, max_cycles=3, **({"cache": None} if "Grid" in name else ERP))
    env.reset(seed=1)
    assert (env.unwrapped.max_cycles, env.agents[0]) == (3, "sales_0" if "Team" in name else "planner_0")


def test_forms_are_made_by_name_with_any_pettingzoo() -> None:
    assert make("aec", "PlannerExecutor-v0", family="ACEBench-v0", cache=None).possible_agents == ["planner_0", "executor_0"]
    for bad in (("aec", "ERPBench-v0"), ("parallel", "PlannerExecutor-v0")):
        with pytest.raises(RegistryError):
            make(*bad)


def test_planner_and_executor_play_any_registered_family() -> None:
    if "Toy-v0" not in gym.registry:
        gym.register("Toy-v0", entry_point="tests.envs.toy_family:ToyEnv")
    try:
        env = planner_executor_v0.env(family="Toy-v0", cache=None)
        env.reset(seed=1)
        assert env.game.env.family.id == env.game.env.task.family
        assert "submit" in env.game.tools("executor_0") and "submit" not in env.game.tools("planner_0")
    finally:
        del gym.registry["Toy-v0"]


def test_the_plain_package_does_not_import_pettingzoo() -> None:
    code = "import sys, opsgym; assert 'pettingzoo' not in sys.modules"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
