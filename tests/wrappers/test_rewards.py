"""The wrappers around the reward keep what they promise of the return."""

from __future__ import annotations

from typing import Any

import pytest

from opsgym.core.errors import RegistryError, TaskError
from opsgym.core.verify import Verdict
from opsgym.wrappers import BinaryReward, DenseReward, EfficiencyBonus, StepCost, TimeBudget, ToolFailureInjection
from tests.wrappers.support import LOOK, SUBMIT, Env, base_of, play_oracle, toy


def rewards(env: Env, seed: int, *, actions: list[Any] | None = None) -> tuple[list[float], dict[str, Any]]:
    """Rewards and last info of an episode that is played to its end: random, or as given and then submitted."""
    env.reset(seed=seed)
    space, got = base_of(env).action_space, []
    space.seed(seed)
    queue = list(actions or [])
    while True:
        action = (queue.pop(0) if queue else SUBMIT) if actions is not None else space.sample()
        _, reward, terminated, truncated, info = env.step(action)
        got.append(float(reward))
        if terminated or truncated:
            return got, info


def helpful(seed: int) -> list[Any]:
    """Some of the reference solution, some of it twice, in the order of the seed."""
    env = toy()
    env.reset(seed=seed)
    calls = list(env.task.oracle[:-1])
    return [calls[(seed + step) % len(calls)] for step in range(seed % 8)]


@pytest.mark.parametrize(
    ("potential", "gamma", "episodes"),
    [("reward", 1.0, 1000), ("checks", 1.0, 200), ("checks", 0.9, 200), (lambda verdict: 0.1 - 3.7 * verdict.reward, 1.0, 200)],
)
def test_the_dense_return_is_that_of_the_terminal_reward(potential: Any, gamma: float, episodes: int) -> None:
    bare, dense = toy(), DenseReward(toy(), potential=potential, gamma=gamma)
    spread = 0
    for seed in range(episodes):
        actions = helpful(seed) if seed % 4 else None
        terminal, _ = rewards(bare, seed, actions=actions)
        shaped, _ = rewards(dense, seed, actions=actions)
        assert len(shaped) == len(terminal)

        def discounted(each: list[float]) -> float:
            return sum(reward * gamma**step for step, reward in enumerate(each))

        assert abs(discounted(shaped) - discounted(terminal)) < 1e-9
        spread += any(shaped[:-1])
    assert spread > episodes / 2


def test_progress_is_paid_when_it_is_made() -> None:
    env = DenseReward(toy(params={"counters": 2}, tier="easy"))
    env.reset(seed=1)
    oracle = base_of(env).task.oracle
    assert env.step(LOOK)[1] == 0.0
    assert env.step(oracle[0])[1] == 0.5
    assert env.step(oracle[0])[1] == -0.5


def test_a_change_whose_response_was_lost_is_paid_at_once() -> None:
    inner = ToolFailureInjection(toy(params={"counters": 2}, tier="easy"), rate=1.0, kinds=["response_lost"], allowance=None)
    env = DenseReward(inner)
    env.reset(seed=1)
    assert env.step(base_of(env).task.oracle[0])[1] == 0.5


def test_the_order_of_action_sequences_by_return_is_unchanged() -> None:
    bare, dense = toy(), DenseReward(toy(), potential="checks")
    returns = []
    for seed in range(40):
        for plan in (helpful(5), helpful(6), helpful(7), []):
            returns.append((sum(rewards(bare, seed, actions=plan)[0]), sum(rewards(dense, seed, actions=plan)[0])))
    assert all((a[0] < b[0]) == (a[1] < b[1] - 1e-12) for a in returns for b in returns)


def test_the_verifier_runs_only_when_the_world_may_have_changed() -> None:
    seen: list[Verdict] = []

    def potential(verdict: Verdict) -> float:
        seen.append(verdict)
        return verdict.reward

    env = DenseReward(toy(), potential=potential)
    env.reset(seed=1)
    for _ in range(5):
        env.step(LOOK)
    assert len(seen) == 1
    env.step(base_of(env).task.oracle[0])
    assert len(seen) == 2


def test_binary_reward_pays_success_alone() -> None:
    for seed in range(50):
        got, info = rewards(BinaryReward(toy()), seed, actions=helpful(seed))
        assert got[-1] == float(info["is_success"]) and not any(got[:-1])
    assert play_oracle(BinaryReward(toy()), retry=False, seed=1)[0] == 1.0


def test_step_cost_counts_turns_calls_and_errors() -> None:
    env = StepCost(toy(), turn=1.0, call=0.25, error=4.0)
    env.reset(seed=1)
    assert env.step(LOOK)[1] == -1.25
    assert env.step(f"[{LOOK}, {LOOK}]")[1] == -1.5
    assert env.step("nothing")[1] == -5.25
    env.reset(seed=1)
    assert env.step(LOOK)[1] == -1.25


def test_shorter_solutions_earn_more_and_none_earns_more_than_before() -> None:
    env = EfficiencyBonus(toy(), weight=0.5)
    env.reset(seed=1)
    oracle = list(base_of(env).task.oracle[:-1])
    returns = [sum(rewards(env, 1, actions=[*[LOOK] * wasted, *oracle])[0]) for wasted in range(4)]
    assert returns[0] == 1.0
    assert returns == sorted(returns, reverse=True) and len(set(returns)) == 4 and returns[-1] > 0.5
    for seed in range(50):
        failed, info = rewards(env, seed, actions=helpful(seed))
        bare, _ = rewards(toy(), seed, actions=helpful(seed))
        assert failed == bare if not info["is_success"] else failed[-1] <= bare[-1]


def test_efficiency_measures_calls_and_seconds_too() -> None:
    env = EfficiencyBonus(toy(), weight=0.5, measure="calls", reference=1.0)
    assert rewards(env, 1, actions=[f"[{LOOK}, {LOOK}, {LOOK}]"])[1]["efficiency"] == 0.25
    timed = EfficiencyBonus(TimeBudget(toy(), latency=2.0), measure="seconds", reference=2.0)
    assert rewards(timed, 1, actions=[LOOK])[1]["efficiency"] == 0.5


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (lambda: DenseReward(toy(), gamma=0.0), "gamma"),
        (lambda: StepCost(toy(), error=-1.0), "error"),
        (lambda: EfficiencyBonus(toy(), weight=1.0), "weight"),
        (lambda: EfficiencyBonus(toy(), measure="seconds"), "reference"),
    ],
)
def test_values_out_of_range_are_refused(make: Any, named: str) -> None:
    with pytest.raises(TaskError, match=named):
        make()


def test_unknown_names_are_refused() -> None:
    with pytest.raises(RegistryError, match="checks"):
        DenseReward(toy(), potential="cheks")
    with pytest.raises(RegistryError, match="turns"):
        EfficiencyBonus(toy(), measure="turn")  # type: ignore[arg-type]  # on purpose
