"""ALPGMM: follows a bump of progress through the square, and draws evenly where there is none."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import stats

from opsgym.core.errors import TaskError
from opsgym.curricula import ALPGMM, FloatRange, TaskSpace

pytest.importorskip("sklearn")
SPACE = TaskSpace({"x": FloatRange(0.0, 1.0), "y": FloatRange(0.0, 1.0)})


def test_draws_gather_where_success_changes() -> None:
    sampler, rng = ALPGMM(SPACE, seed=2), np.random.default_rng(0)
    inside = []
    for answer in range(1500):
        ticket = sampler.ask()[0]
        x, y = ticket.params["x"], ticket.params["y"]
        within = max(abs(x - 0.7), abs(y - 0.3)) < 0.15
        sampler.tell(ticket.outcome(success=bool(within and rng.random() < 0.5)))
        inside.append(max(abs(x - 0.7), abs(y - 0.3)) < 0.2)
        assert answer < 250 or ticket.info["key"] in sampler.distribution().keys or answer % 250 == 0
    share = np.mean(inside[750:])
    assert share >= 0.6 * (1 - 0.2), "the bump fills 0.16 of the square"


def test_it_moves_on_with_the_bump() -> None:
    sampler, rng = ALPGMM(SPACE, seed=4), np.random.default_rng(1)
    means = []
    for answer in range(3000):
        ticket = sampler.ask()[0]
        centre = 0.2 if answer < 1500 else 0.8
        near = abs(ticket.params["x"] - centre) < 0.1
        sampler.tell(ticket.outcome(success=bool(near and rng.random() < 0.5)))
        means.append(ticket.params["x"])
    assert np.median(means[1000:1500]) < 0.35
    assert np.median(means[2500:]) > 0.65


@pytest.mark.parametrize("success", [True, False])
def test_without_progress_it_is_uniform(success: bool) -> None:
    sampler = ALPGMM(SPACE, fit=100, seed=1)
    tickets = []
    for _ in range(600):
        ticket = sampler.ask()[0]
        sampler.tell(ticket.outcome(success=success))
        tickets.append(ticket)
    assert sampler.distribution().keys == ["uniform"]
    for axis in ("x", "y"):
        assert stats.kstest([ticket.params[axis] for ticket in tickets], "uniform").pvalue > 1e-4


def test_the_nearest_earlier_task_is_found_with_and_without_the_tree() -> None:
    sampler, rng = ALPGMM(SPACE, fit=40, memory=60), np.random.default_rng(3)
    past: list[tuple[float, float, float]] = []
    for _ in range(150):
        ticket = sampler.ask()[0]
        place = (ticket.params["x"], ticket.params["y"])
        if len(sampler._past) >= 6:
            known = sampler._past
            best = min(known, key=lambda row: (row[0] - place[0]) ** 2 + (row[1] - place[1]) ** 2)
            assert sampler._nearest(list(place)) == best[-1]
        success = bool(rng.random() < 0.5)
        past.append((*place, float(success)))
        sampler.tell(ticket.outcome(success=success))
    assert len(sampler._past) <= 60 + 40


def test_no_warning_escapes_from_a_poor_fit() -> None:
    sampler = ALPGMM(TaskSpace({"cell": (0, 1), "other": (0, 1)}), fit=20, components=8)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for index in range(100):
            sampler.tell(sampler.ask()[0].outcome(success=index % 3 == 0))
    with pytest.raises(TaskError, match=r"fit: expected more than components=10, got 10"):
        ALPGMM(SPACE, fit=10)
