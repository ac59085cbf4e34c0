"""ThompsonTarget: draws as Thompson sampling does, and a student that does not change succeeds as often as wanted."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from opsgym.core.errors import TaskError
from opsgym.curricula import TaskSpace, ThompsonTarget
from opsgym.curricula.thompson_target import nearest_probabilities

SPACE = TaskSpace({"decoys": (0, 19)})


def test_the_probabilities_are_those_of_drawing_from_every_posterior_and_taking_the_nearest() -> None:
    hits, misses = posteriors = np.array([[1.0, 9.0, 4.0, 30.0, 2.0, 6.0], [1.0, 2.0, 5.0, 31.0, 2.0, 1.0]])
    for target in (0.3, 0.5, 0.8):
        expected = nearest_probabilities(posteriors, target)
        drawn = np.random.default_rng(5).beta(hits, misses, size=(200_000, 6))
        counts = np.bincount(np.abs(drawn - target).argmin(axis=1), minlength=6)
        assert stats.chisquare(counts, expected * counts.sum()).pvalue > 1e-4


@settings(max_examples=60)
@given(st.lists(st.tuples(st.floats(1, 500), st.floats(1, 500)), min_size=1, max_size=8), st.floats(0, 1))
def test_they_sum_to_one_and_do_not_depend_on_the_order_of_cells(pairs: list[tuple[float, float]], target: float) -> None:
    posteriors = np.array(pairs).T
    probabilities = nearest_probabilities(posteriors, target)
    assert probabilities.min() >= 0 and math.isclose(probabilities.sum(), 1.0)
    assert np.allclose(nearest_probabilities(posteriors[:, ::-1], target), probabilities[::-1])
    assert np.allclose(nearest_probabilities(posteriors[::-1], 1 - target), probabilities, atol=1e-9), "successes for failures"


@pytest.mark.parametrize("success", [0.3, 0.5, 0.7])
def test_mean_success_comes_to_what_is_wanted(success: float) -> None:
    sampler = ThompsonTarget(SPACE, success=success, bins=20, decay=1.0, floor=0.0, refresh=16, seed=2)
    rng, chances, outcomes = np.random.default_rng(4), [], []
    for _ in range(8000):
        ticket = sampler.ask()[0]
        chances.append(1 / (1 + math.exp(8 * (SPACE.difficulty(ticket.params) - 0.5))))
        outcomes.append(bool(rng.random() < chances[-1]))
        sampler.tell(ticket.outcome(success=outcomes[-1]))
    late = np.array(outcomes[4000:], dtype=float)
    spacing = 8 * success * (1 - success) / 20  # neighbouring cells differ by that, and the nearest one lies within half of it
    assert abs(late.mean() - success) < 3 * math.sqrt(success * (1 - success) / len(late)) + spacing / 2
    assert np.abs(np.array(chances[4000:]) - success).mean() < 2 * spacing


def test_one_answer_moves_the_posterior_as_the_equation_says() -> None:
    sampler = ThompsonTarget(TaskSpace({"cell": (0, 1)}), decay=0.8, refresh=1)
    ticket = sampler.ask()[0]
    cell = ticket.params["cell"]
    sampler._hits[cell], sampler._misses[cell] = 3.0, 2.0
    sampler.tell(ticket.outcome(success=True))
    assert np.allclose(sampler.posteriors()[:, cell], [0.8 * 3 + 0.2 + 1, 0.8 * 2 + 0.2])
    assert sampler.posteriors()[:, 1 - cell].tolist() == [1.0, 1.0]


def test_what_was_learned_fades_where_the_agent_has_changed() -> None:
    for decay, found in ((0.9, True), (1.0, False)):
        sampler = ThompsonTarget(TaskSpace({"cell": (0, 1)}), decay=decay, refresh=1, floor=0.2, seed=1)
        for answer in range(900):
            ticket = sampler.ask()[0]
            middling = ticket.params["cell"] == (answer >= 600)
            sampler.tell(ticket.outcome(success=middling and ticket.id % 2 == 0))
        assert (sampler.distribution().probabilities[1] > 0.8) == found


def test_a_decay_that_is_none_is_refused() -> None:
    with pytest.raises(TaskError, match=r"decay: expected a number in \(0, 1\], got 0"):
        ThompsonTarget(SPACE, decay=0)
