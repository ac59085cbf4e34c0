"""LearningProgress: a cell that changes is drawn more while it does; where nothing changes, no cell stands out."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from opsgym.curricula import LearningProgress, TaskSpace
from opsgym.curricula.learning_progress import reweighted

CELLS = 10
SPACE = TaskSpace({"cell": (0, CELLS - 1)})


def test_a_step_change_is_found_and_forgotten() -> None:
    alpha = 0.1
    sampler = LearningProgress(SPACE, alpha=alpha, refresh=1, seed=1)
    shares, visits = [], 0
    for answer in range(4000):
        ticket = sampler.ask()[0]
        changed = ticket.params["cell"] == 4
        visits += changed and answer >= 1000
        sampler.tell(ticket.outcome(success=changed and answer >= 1000))
        shares.append((visits, sampler.distribution().probabilities[4]))
    assert shares[999][1] == 1 / CELLS, "nothing changes yet"
    assert max(share for visits, share in shares if visits <= 3 / alpha) > 3 / CELLS
    # Both averages forget the change as (1 - alpha)^visits; after so many it no longer counts.
    assert shares[-1][0] > 300
    assert sampler.progress()[4] < 1e-6, "and it is mastered at last"
    assert np.allclose(sampler.distribution().probabilities, 1 / CELLS), "then the draw is even again"


def test_without_progress_the_draw_is_even_again() -> None:
    sampler = LearningProgress(SPACE, refresh=1)
    sampler._fast, sampler._slow = [0.6] * CELLS, [0.6] * CELLS
    sampler._renew()
    assert np.allclose(sampler.distribution().probabilities, 1 / CELLS)


def test_both_directions_count() -> None:
    sampler = LearningProgress(SPACE, refresh=1)
    sampler._fast, sampler._slow = [0.8] * CELLS, [0.8] * CELLS
    before = sampler.progress().copy()
    for ticket in sampler.ask(80):
        if ticket.params["cell"] == 2:
            sampler.tell(ticket.outcome(success=False))
    assert before.max() == 0 and sampler.progress()[2] > 0.05


def test_no_cell_stands_out_where_nothing_changes() -> None:
    sampler, rng = LearningProgress(SPACE, seed=3), np.random.default_rng(9)
    drawn = np.zeros(CELLS)
    for answer in range(30_000):
        ticket = sampler.ask()[0]
        sampler.tell(ticket.outcome(success=bool(rng.random() < 0.5)))
        if answer % 100 == 0:  # far enough apart for the averages to have changed
            drawn[ticket.params["cell"]] += 1
    total = int(drawn.sum())
    assert min(stats.binomtest(int(count), total, 1 / CELLS).pvalue for count in drawn) > 0.01 / CELLS


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0.01, 0.49))
def test_the_stretching_keeps_order_and_ends(first: float, second: float, theta: float) -> None:
    low, high = reweighted(np.array(sorted([first, second])), theta)
    assert 0 <= low <= high * (1 + 1e-12) <= 1 + 1e-12
    assert reweighted(np.array([0.0, 1.0]), theta).tolist() == [0.0, 1.0]
