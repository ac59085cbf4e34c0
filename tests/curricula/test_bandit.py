"""Bandit: unbiased weights, and little regret in a game whose best arm switches."""

from __future__ import annotations

import math
import statistics

import numpy as np
import pytest

from opsgym.core.errors import TaskError
from opsgym.curricula import Bandit, TaskSpace

ARMS = TaskSpace({"arm": (0, 1)})


def test_regret_in_a_switching_game_is_within_the_proven_bound() -> None:
    """Auer et al. 2002, section 8: with gamma and alpha tuned to T rounds of K arms and S stretches without a switch,
    the expected regret of EXP3.S against the best arm of every stretch is at most 2 sqrt(e - 1) sqrt(K T (S ln(K T) + e)).
    """
    rounds, arms, stretches = 30_000, 2, 4
    hardness = stretches * math.log(arms * rounds) + math.e
    gamma = min(1.0, math.sqrt(arms * hardness / ((math.e - 1) * rounds)))
    bound = 2 * math.sqrt(math.e - 1) * math.sqrt(arms * rounds * hardness)
    uniform = 0.3 * rounds
    assert bound < uniform / 2, "the game is long enough for the bound to say something"
    regrets = [regret(seed, rounds, stretches, rate=gamma / arms, share=1 / rounds, floor=gamma) for seed in range(3)]
    assert max(regrets) < bound
    assert statistics.fmean(regrets) < uniform / 4


def test_the_defaults_follow_a_switch_too() -> None:
    rounds, stretches = 12_000, 3
    assert regret(7, rounds, stretches) < 0.3 * rounds / 2


def regret(seed: int, rounds: int, stretches: int, **arguments: float) -> float:
    """Expected loss against the best arm of every stretch; payoffs are coins of 0.8 and 0.2."""
    sampler = Bandit(ARMS, payoff="score", refresh=1, seed=seed, **arguments)  # type: ignore[arg-type]  # numbers by name
    coins, lost = np.random.default_rng(seed).random(rounds), 0.0
    for turn in range(rounds):
        ticket = sampler.ask()[0]
        chance = 0.8 if ticket.params["arm"] == turn * stretches // rounds % 2 else 0.2
        sampler.tell(ticket.outcome(success=False, score=float(coins[turn] < chance)))
        lost += 0.8 - chance
    return lost


def test_importance_weights_are_unbiased() -> None:
    payoffs = np.array([0.3, 0.9, 0.5])
    sampler = Bandit(TaskSpace({"arm": (0, 2)}), payoff="score", seed=3)
    sampler._log = np.array([0.0, 1.0, -1.0])
    sampler._renew()
    draws = 20_000
    estimates = np.zeros((draws, 3))
    for index, ticket in enumerate(sampler.ask(draws)):
        arm = ticket.params["arm"]
        estimates[index, arm] = payoffs[arm] / ticket.info["probability"]
    error = estimates.std(axis=0) / math.sqrt(draws)
    assert (np.abs(estimates.mean(axis=0) - payoffs) < 4 * error).all()


def test_one_answer_moves_the_weights_as_the_equation_says() -> None:
    sampler = Bandit(TaskSpace({"arm": (0, 2)}), payoff="score", rate=0.1, share=0.01, floor=0.3, refresh=1)
    sampler._steps = 3
    ticket = sampler.ask()[0]
    arm = ticket.params["arm"]
    sampler.tell(ticket.outcome(success=True, score=0.6))
    raised = np.ones(3)
    raised[arm] = math.exp(0.1 * 0.6 * 3)
    mixed = 0.75 * raised + 0.25 / 2 * (raised.sum() - raised)
    assert np.allclose(sampler.distribution().probabilities, 0.7 * mixed / mixed.sum() + 0.1)


def test_the_advantage_is_asked_for() -> None:
    sampler = Bandit(ARMS, payoff="abs_advantage")
    with pytest.raises(TaskError, match="expected 'abs_advantage'"):
        sampler.tell(sampler.ask()[0].outcome(success=True))
    sampler.tell(sampler.ask()[0].outcome(success=True, abs_advantage=0.5))
    with pytest.raises(TaskError, match="at least two cells"):
        Bandit(TaskSpace({"arm": (0, 0)}))
