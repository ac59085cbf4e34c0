"""Uniform, Weighted and Fixed draw what they declare, corners included."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from scipy import stats

from opsgym.core.errors import RegistryError, TaskError
from opsgym.curricula import Fixed, FloatRange, TaskSpace, Uniform, Weighted
from tests.curricula.support import SPACE, chi_square


def test_uniform_gives_every_cell_the_same() -> None:
    sampler = Uniform(SPACE, seed=3)
    counts = Counter(ticket.info["key"] for ticket in sampler.ask(20_000))
    assert len(counts) == 12
    assert chi_square(counts, *sampler.distribution()) > 1e-4


def test_weights_are_met() -> None:
    weights = {"hidden=1,decoys=0": 5.0, "hidden=3,decoys=3": 1.0, "hidden=2,decoys=1": 2.0}
    sampler = Weighted(SPACE, weights, seed=3)
    counts = Counter(ticket.info["key"] for ticket in sampler.ask(20_000))
    assert set(counts) == set(weights)
    assert chi_square(counts, *sampler.distribution()) > 1e-4


def test_numbers_are_even_over_their_range() -> None:
    sampler = Uniform(TaskSpace({"share": FloatRange(2.0, 4.0)}), seed=1)
    drawn = [ticket.params["share"] for ticket in sampler.ask(5000)]
    assert stats.kstest(drawn, stats.uniform(2.0, 2.0).cdf).pvalue > 1e-4


def test_fixed_never_moves_but_its_seeds_do() -> None:
    tickets = Fixed(SPACE, {"hidden": 2, "decoys": 3}).ask(50)
    assert all(ticket.params == {"hidden": 2, "decoys": 3} for ticket in tickets)
    assert len({ticket.seed for ticket in tickets}) == 50


def test_a_space_too_large_to_list_is_drawn_from_the_cube() -> None:
    space = TaskSpace.of("ACEBench-v0")
    sampler = Uniform(space)
    assert sampler.distribution().keys == ["space"]
    assert space.size > 1e9 and len({space.key(ticket.params) for ticket in sampler.ask(20)}) == 20


def test_what_is_no_cell_or_weight_is_refused() -> None:
    with pytest.raises(RegistryError, match="unknown cell"):
        Weighted(SPACE, {"hidden=9,decoys=0": 1})
    with pytest.raises(TaskError, match="at least 0, got -1"):
        Weighted(SPACE, {"hidden=1,decoys=0": -1})
    with pytest.raises(TaskError, match="at least one weight above 0"):
        Weighted(SPACE, {})
    with pytest.raises(TaskError, match="hidden"):
        Fixed(SPACE, {"decoys": 3})
    assert np.isclose(Weighted(SPACE, {"hidden=1,decoys=0": 1}).distribution().probabilities.sum(), 1.0)
