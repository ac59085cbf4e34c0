"""TargetSuccess: a student that does not change succeeds as often as wanted, and the target comes to rest."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from opsgym.curricula import TargetSuccess, TaskSpace

SPACE = TaskSpace({"decoys": (0, 19)})


def played(success: float, answers: int) -> tuple[list[bool], list[float]]:
    sampler = TargetSuccess(SPACE, success=success, rate=0.02, bins=20, floor=0.0)
    rng, outcomes, targets = np.random.default_rng(4), [], []
    for _ in range(answers):
        ticket = sampler.ask()[0]
        chance = 1 / (1 + math.exp(12 * (SPACE.difficulty(ticket.params) - 0.5)))
        outcomes.append(bool(rng.random() < chance))
        sampler.tell(ticket.outcome(success=outcomes[-1]))
        targets.append(sampler.target)
    return outcomes, targets


@pytest.mark.parametrize("success", [0.3, 0.5, 0.7])
def test_mean_success_converges_to_what_is_wanted(success: float) -> None:
    outcomes, _ = played(success, 12_000)
    late = np.array(outcomes[4000:], dtype=float)
    error = math.sqrt(success * (1 - success) / len(late))
    assert abs(late.mean() - success) < 3 * error


def test_the_target_has_come_to_rest() -> None:
    _, targets = played(0.5, 40_000)
    third, fourth = (np.array(targets[start : start + 10_000 : 500]) for start in (20_000, 30_000))
    assert stats.ks_2samp(third, fourth).pvalue > 1e-3
    assert abs(third.mean() - 0.5) < 0.05


def test_an_agent_that_solves_all_gets_the_hardest_and_one_that_solves_nothing_the_easiest() -> None:
    for success, end in ((True, 1.0), (False, 0.0)):
        sampler = TargetSuccess(SPACE, start=0.5, bins=20)
        for _ in range(600):
            sampler.tell(sampler.ask()[0].outcome(success=success))
        assert sampler.target == end
        keys, probabilities = sampler.distribution()
        assert keys[int(probabilities.argmax())] == f"decoys={19 if success else 0}"
