"""Scripted policies: what they draw depends on seed and task alone, and mistakes cost success."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from opsgym.baselines.policy import Policy
from opsgym.baselines.scripted import Garbage, NoisyOracle, Oracle, RandomValid, RuleBlindOracle, Scripted
from opsgym.core.errors import RegistryError, TaskError
from opsgym.evaluate.rollout import Rollout, run_episode
from tests.baselines.support import env_of, task_of
from tests.envs.toy_family import ToyEnv

DRAWING: list[Callable[..., Policy]] = [Garbage, RandomValid, NoisyOracle]


def failed(rollout: Rollout, key: str = "rule") -> set[str]:
    """Rules or dimensions with a failed check."""
    return {check[key] for check in rollout.verdict["checks"] if check["status"] == "fail"}


@pytest.mark.parametrize("kind", DRAWING)
def test_draws_depend_on_seed_and_task_and_not_on_what_was_played_before(kind: Callable[..., Policy]) -> None:
    options: dict[str, Any] = {"rate": 0.5} if kind is NoisyOracle else {}
    env = ToyEnv(cache=None, params={"counters": 5})
    env.reset(seed=1)
    first = env.task
    env.reset(seed=2)
    second = env.task

    def turns(seed: int, *tasks: Any) -> list[Any]:
        policy = kind(seed=seed, **options)
        return [run_episode(env, policy, task=task).turns for task in tasks]

    one_after_another = turns(3, first, second)
    assert one_after_another == [*turns(3, first), *turns(3, second)] == turns(3, second, first)[::-1]
    assert len({str(turns(seed, first)) for seed in range(6)}) > 1
    drawn = [[turn.action for turn in played] for played in one_after_another]
    assert drawn[0] != drawn[1]


@pytest.mark.parametrize(("family", "rate", "trials"), [("ERPBench-v0", 0.02, 8), ("ACEBench-v0", 0.05, 30)])
def test_the_noisy_oracle_fails_more_often_with_more_errors_and_longer_plans(family: str, rate: float, trials: int) -> None:
    env = env_of(family)

    def successes(rate: float, tier: str) -> int:
        task = task_of(family, tier=tier)
        return sum(run_episode(env, NoisyOracle(rate=rate, seed=seed), task=task).is_success for seed in range(trials))

    by_rate = [successes(each, "easy") for each in (0.0, 0.05, 1.0)]
    assert by_rate[0] == trials > by_rate[1] > by_rate[2] == 0
    assert successes(rate, "easy") > successes(rate, "hard")


def test_the_noisy_oracle_always_ends_the_episode() -> None:
    env = env_of("ERPBench-v0")
    assert run_episode(env, NoisyOracle(rate=1.0), task=task_of("ERPBench-v0")).terminated


@pytest.mark.parametrize("rate", [-0.1, 1.5, float("nan")])
def test_a_rate_is_a_probability(rate: float) -> None:
    with pytest.raises(TaskError, match="probability"):
        NoisyOracle(rate=rate)


@pytest.mark.parametrize("kind", [Garbage, RandomValid, NoisyOracle])
def test_seeds_are_not_negative(kind: Callable[..., Policy]) -> None:
    with pytest.raises(TaskError, match="seed"):
        kind(seed=-1)


@pytest.mark.parametrize("policy", [Oracle(), NoisyOracle(), RuleBlindOracle(blind="tool:submit")])
def test_plans_are_refused_under_another_harness(policy: Policy) -> None:
    with pytest.raises(TaskError, match="harness"):
        run_episode(env_of("ERPBench-v0", harness="api"), policy, task=task_of("ERPBench-v0"))


# -- blind to a rule ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("blind", "rule"),
    [
        ("tool:create_invoice", "retained_order_has_expected_invoice_flow"),
        ("tool:confirm_sales_order", "so_confirmed"),
        ("argument:origin", "po_origin_traceability"),
        ("argument:payment_term", "retained_order_has_expected_payment_term"),
        ("rule:po_origin_traceability", "po_origin_traceability"),
        ("rule:no_open_drafts", "no_open_drafts"),
    ],
)
def test_who_does_not_know_a_rule_breaks_it_in_erp_bench(blind: str, rule: str) -> None:
    task = task_of("ERPBench-v0")
    rollout = run_episode(env_of("ERPBench-v0"), RuleBlindOracle(blind=blind), task=task)
    assert rule in failed(rollout)
    assert not rollout.is_success and rollout.terminated
    assert rollout.checks_passed[0] > 0


@pytest.mark.parametrize("rule", ["slot_rules", "global_rule", "right_item"])
def test_who_does_not_know_a_rule_breaks_it_in_ace_bench(rule: str) -> None:
    task = task_of("ACEBench-v0")
    rollout = run_episode(env_of("ACEBench-v0"), RuleBlindOracle(blind=f"rule:{rule}"), task=task)
    assert rule in failed(rollout)
    assert rollout.checks_passed[0] > 0 and rollout.calls == len(task.oracle) - 1


def test_who_does_not_know_a_dimension_loses_it_and_as_little_else_as_can_be() -> None:
    task = task_of("ERPBench-v0")
    rollout = run_episode(env_of("ERPBench-v0"), RuleBlindOracle(blind="dimension:traceability"), task=task)
    assert "traceability" in failed(rollout, "dimension")
    coarser = run_episode(env_of("ERPBench-v0"), RuleBlindOracle(blind="tool:create_purchase_order"), task=task)
    assert rollout.checks_passed[0] > coarser.checks_passed[0]


@pytest.mark.parametrize("blind", ["tool:cancel_invoice", "rule:no_such_rule", "rule:adjacent_data_untouched"])
def test_what_the_plan_does_nothing_for_cannot_be_missed(blind: str) -> None:
    task = task_of("ERPBench-v0")
    assert run_episode(env_of("ERPBench-v0"), RuleBlindOracle(blind=blind), task=task).reward == 1.0


def test_blindness_must_have_a_known_form_and_name_what_exists() -> None:
    for blind in ("invoices", "tool:", "colour:red"):
        with pytest.raises(TaskError, match="tool:NAME"):
            RuleBlindOracle(blind=blind)
    for blind, known in (("tool:create_invoise", "create_invoice"), ("argument:orign", "origin")):
        with pytest.raises(RegistryError, match=known):
            run_episode(env_of("ERPBench-v0"), RuleBlindOracle(blind=blind), task=task_of("ERPBench-v0"))


def test_blindness_leaves_the_running_episode_and_the_task_alone() -> None:
    env, task = env_of("ERPBench-v0"), task_of("ERPBench-v0")
    observation, info = env.reset(seed=0, options={"task": task})
    before = env.world.digest(), task.to_json()
    RuleBlindOracle(blind="dimension:constraint").begin(env, observation, info)
    assert (env.world.digest(), task.to_json()) == before and env.transcript == ()


def test_a_script_may_know_the_task() -> None:
    env = ToyEnv(cache=None)
    assert run_episode(env, Scripted(lambda task: task.oracle), seed=3).reward == 1.0
