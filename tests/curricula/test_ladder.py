"""Ladder: rests at the highest level the agent copes with, and promotes wrongly as seldom as binomials say."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from opsgym.core.errors import TaskError
from opsgym.curricula import Ladder, TaskSpace

SPACE = TaskSpace({"decoys": (0, 5)})
CHANCE = [0.98, 0.95, 0.9, 0.02, 0.0, 0.0]
"""Success of the student at each level: level 3 is the first that it does not reach."""


def played(sampler: Ladder, chance: list[float], answers: int) -> list[int]:
    rng, levels = np.random.default_rng(0), []
    for _ in range(answers):
        ticket = sampler.ask()[0]
        sampler.tell(ticket.outcome(success=bool(rng.random() < chance[ticket.params["decoys"]])))
        levels.append(sampler.level)
    return levels


def test_it_comes_to_rest_at_the_first_level_that_is_too_hard_and_the_last_that_is_not() -> None:
    levels = played(Ladder(SPACE, levels=6), CHANCE, 4000)
    late = levels[2000:]
    assert set(late) == {2, 3}, "promoted from 2, demoted from 3"


def test_it_falls_when_nothing_works() -> None:
    sampler = Ladder(SPACE, levels=6)
    played(sampler, [1.0] * 6, 400)
    assert sampler.level == 5
    played(sampler, [0.0] * 6, 1000)
    assert sampler.level == 0


def test_wrong_promotions_are_as_rare_as_the_binomial_tail() -> None:
    window, chance, windows = 10, 0.6, 3000
    sampler = Ladder(TaskSpace({"decoys": (0, 1)}), levels=2, window=window, demote=0.0, replay=0.0, floor=0.0)
    rng, promoted = np.random.default_rng(1), 0
    for _ in range(windows):
        sampler.level = 0
        for _ in range(window):
            sampler.tell(sampler.ask()[0].outcome(success=bool(rng.random() < chance)))
        promoted += sampler.level
    tail = float(stats.binom.sf(7, window, chance))  # more than 0.7 of 10
    assert stats.binomtest(promoted, windows, tail).pvalue > 1e-4


def test_only_answers_of_the_present_level_count() -> None:
    sampler = Ladder(SPACE, levels=6, window=2, floor=0.0, replay=0.0)
    late = sampler.ask(6)
    sampler.tell([ticket.outcome(success=True) for ticket in late])
    assert sampler.level == 1, "the last four are of level 0"


def test_the_first_levels_stay_and_the_last_do_not_starve() -> None:
    sampler = Ladder(SPACE, levels=6, replay=0.3, floor=0.06)
    sampler.level = 3
    assert sampler.distribution().probabilities.round(4).tolist() == [0.104, 0.104, 0.104, 0.668, 0.01, 0.01]


def test_levels_may_be_named() -> None:
    sampler = Ladder(SPACE, levels=[{"decoys": 4}, {"decoys": 1}])
    assert sampler.ask()[0].params == {"decoys": 4}
    with pytest.raises(TaskError, match="at least two levels, got 1"):
        Ladder(SPACE, levels=1)
    with pytest.raises(TaskError, match=r"demote: expected at most promote=0.7, got 0.8"):
        Ladder(SPACE, demote=0.8)
