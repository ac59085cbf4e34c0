"""Bandit: unbiased weights, and little regret in a game whose best arm switches."""

from __future__ import annotations

import math

import numpy as np
import pytest

from opsgym.core.errors import TaskError
from opsgym.curricula import Bandit, TaskSpace

ARMS = TaskSpace({"arm": (0, 1)})


def test_regret_in_a_switching_game_is_within_the_bound() -> None:
    rounds, switches = 6000, 3
    sampler = Bandit(ARMS, payoff="score", rate=0.02, share=1 / rounds, floor=0.05, refresh=1, seed=1)
    earned = best = 0.0
    for turn in range(rounds):
        good = turn // (rounds // (switches + 1)) % 2
        ticket = sampler.ask()[0]
        payoff = 0.8 if ticket.params["arm"] == good else 0.2
        sampler.tell(ticket.outcome(success=False, score=payoff))
        earned, best = earned + payoff, best + 0.8
    # The order of the bound of Auer et al. 2002: (S + 2) sqrt(e - 1) sqrt(K T ln(K T)) for a tuned step.
    bound = (switches + 3) * math.sqrt(math.e - 1) * math.sqrt(2 * rounds * math.log(2 * rounds))
    uniform_regret = 0.3 * rounds
    assert best - earned < min(bound, uniform_regret / 2)


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
