"""Registry: every name makes its policy, and wrong names and values are refused with what would be right."""

from __future__ import annotations

from typing import Any

import pytest

from opsgym.baselines.agents import PlanConditioned, ReAct
from opsgym.baselines.models import ScriptedModel
from opsgym.baselines.policy import is_async
from opsgym.baselines.registry import AGENTS, SCRIPTED, make_policy, policy_names, policy_options
from opsgym.baselines.scripted import Greedy, NoisyOracle
from opsgym.core.errors import RegistryError, TaskError
from opsgym.evaluate.rollout import run_episode
from tests.baselines.support import FAMILIES, env_of, task_of
from tests.envs.toy_family import ToyFamily

TOY = ToyFamily()


@pytest.mark.parametrize("family", FAMILIES)
def test_every_name_makes_a_policy_and_the_agents_are_to_be_awaited(family: str) -> None:
    made = {
        name: make_policy(name, env_of(family).family, model=ScriptedModel([]), seed=3, **needed(name))
        for name in policy_names(env_of(family).family)
    }
    assert {name for name, policy in made.items() if is_async(policy)} == set(AGENTS)
    assert {"do-nothing", "random-valid", "oracle", "noisy-oracle", "rule-blind-oracle"} <= set(made)
    assert {"react", "tool-calling", "plan-execute", "plan-decompose-execute", "plan-conditioned", "constrained"} == set(AGENTS)


def needed(name: str) -> dict[str, Any]:
    return {"blind": "rule:any"} if name == "rule-blind-oracle" else {}


def test_names_of_a_family_hold_its_planners() -> None:
    names = policy_names(env_of("ERPBench-v0").family)
    planner = make_policy("cheapest_first", env_of("ERPBench-v0").family)
    assert "cheapest-first" in names and isinstance(planner, Greedy)
    assert run_episode(env_of("ERPBench-v0"), planner, task=task_of("ERPBench-v0")).terminated
    assert set(policy_names(TOY)) == {*SCRIPTED, *AGENTS}


def test_options_are_read_as_their_types() -> None:
    policy = make_policy("noisy-oracle", TOY, rate="0.25", seed=3)
    assert isinstance(policy, NoisyOracle) and vars(policy)["_rate"] == 0.25 and vars(policy)["_seed"] == 3
    agent = make_policy("react", TOY, model=ScriptedModel([]), max_turns="7", self_check="true", temperature=None, seed=4)
    assert isinstance(agent, ReAct)
    assert (agent.max_turns, agent.self_check, agent.temperature, agent.seed) == (7, True, None, 4)
    conditioned = make_policy("plan-conditioned", TOY, model=ScriptedModel([]), level="oracle")
    assert isinstance(conditioned, PlanConditioned) and conditioned.level == "oracle"


def test_options_can_be_listed_and_hold_neither_seed_nor_models() -> None:
    assert policy_options("noisy-oracle", TOY) == {"rate": float}
    assert policy_options("do-nothing", TOY) == policy_options("cheapest-first", env_of("ERPBench-v0").family) == {}
    listed = policy_options("plan-execute", TOY)
    assert {"max_turns", "retries", "max_context_chars", "self_check", "replan_after"} <= set(listed)
    assert not {"model", "planner", "seed", "usage"} & set(listed)


def test_wrong_names_are_refused_with_those_that_exist() -> None:
    with pytest.raises(RegistryError, match="did you mean 'noisy-oracle'"):
        make_policy("noisy-orakel", TOY)
    with pytest.raises(RegistryError, match="did you mean 'rate'"):
        make_policy("noisy-oracle", TOY, rat=0.1)
    with pytest.raises(RegistryError, match="option of oracle"):
        make_policy("oracle", TOY, rate=0.1)


@pytest.mark.parametrize(
    ("name", "options", "field"),
    [
        ("noisy-oracle", {"rate": "often"}, "rate"),
        ("noisy-oracle", {"rate": 2.0}, "rate"),
        ("noisy-oracle", {"seed": -1}, "seed"),
        ("rule-blind-oracle", {}, "blind"),
        ("react", {}, "model"),
        ("react", {"model": ScriptedModel([]), "max_turns": 0}, "max_turns"),
        ("react", {"model": ScriptedModel([]), "retries": -1}, "retries"),
        ("plan-execute", {"model": ScriptedModel([]), "replan_after": 0}, "replan_after"),
        ("plan-decompose-execute", {"model": ScriptedModel([]), "max_subtasks": 0}, "max_subtasks"),
        ("plan-conditioned", {"model": ScriptedModel([]), "level": "all"}, "level"),
    ],
)
def test_wrong_values_are_refused_with_the_field(name: str, options: dict[str, Any], field: str) -> None:
    with pytest.raises(TaskError) as caught:
        make_policy(name, TOY, **options)
    assert caught.value.field == field
