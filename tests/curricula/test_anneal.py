"""Anneal: axes follow their points, whatever the agent does."""

from __future__ import annotations

import pytest
from scipy import stats

from opsgym.core.errors import RegistryError, TaskError
from opsgym.curricula import Anneal, FloatRange, TaskSpace

SPACE = TaskSpace({"failure_rate": (0.0, 1.0), "slack": FloatRange(0.0, 10.0, "down"), "decoys": (0, 9)})


def test_values_are_linear_between_the_points_and_stay_outside() -> None:
    sampler = Anneal(SPACE, {"failure_rate": [(10, 0.1), (20, 0.3)], "decoys": [(0, 0), (5, 9), (6, 4)]})
    tickets = sampler.ask(30)
    rates = [ticket.failure_rate for ticket in tickets]
    assert rates == pytest.approx([0.1] * 10 + [0.1 + 0.02 * index for index in range(10)] + [0.3] * 10)
    assert [ticket.params["decoys"] for ticket in tickets[:8]] == [0, 2, 4, 5, 7, 9, 4, 4]


def test_up_to_draws_between_the_easiest_end_and_the_value() -> None:
    sampler = Anneal(SPACE, {"slack": [(0, 4.0)]}, draw="up_to", seed=2)
    drawn = [ticket.params["slack"] for ticket in sampler.ask(2000)]
    assert stats.kstest(drawn, stats.uniform(4.0, 6.0).cdf).pvalue > 1e-4, "more slack is easier"


def test_answers_may_be_what_counts() -> None:
    sampler = Anneal(SPACE, {"failure_rate": [(0, 0.0), (4, 0.4)]}, by="tells")
    first = sampler.ask(3)
    assert [ticket.failure_rate for ticket in first] == [0.0, 0.0, 0.0]
    sampler.tell([ticket.outcome(success=False) for ticket in first[:2]])
    assert sampler.ask()[0].failure_rate == pytest.approx(0.2)


def test_schedules_that_make_no_sense_are_refused() -> None:
    with pytest.raises(RegistryError, match="unknown axis 'failures'"):
        Anneal(SPACE, {"failures": [(0, 1)]})
    with pytest.raises(TaskError, match="by ascending count"):
        Anneal(SPACE, {"decoys": [(5, 1), (5, 2)]})
    with pytest.raises(TaskError, match="by ascending count"):
        Anneal(SPACE, {"decoys": []})
    with pytest.raises(TaskError, match="expected a whole number from 0 to 9, got 10"):
        Anneal(SPACE, {"decoys": [(0, 10)]})
    with pytest.raises(RegistryError, match="unknown count 'steps'"):
        Anneal(SPACE, {}, by="steps")  # type: ignore[arg-type]  # wrong on purpose
    with pytest.raises(RegistryError, match="unknown draw 'any'"):
        Anneal(SPACE, {}, draw="any")  # type: ignore[arg-type]  # wrong on purpose
