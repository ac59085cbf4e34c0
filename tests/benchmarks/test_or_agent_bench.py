"""The impact of the difficulty dimensions is fitted as appendix C.1 of the paper says."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from benchmarks.or_agent_bench import impacts, outcomes
from opsgym.envs.or_agent_bench.programs import METHODS
from tests.envs.or_agent_bench.conftest import compiled

GRID = np.array(list(product(range(4), repeat=2)), dtype=float)
"""Every pair of levels once: two dimensions that are not correlated."""


def test_a_linear_effect_is_found_and_an_absent_one_is_0() -> None:
    assert impacts(GRID, 0.1 + 0.2 * GRID[:, 0]) == pytest.approx([0.6, 0.0])


def test_a_dimension_that_helps_has_no_impact() -> None:
    assert impacts(GRID, 1 - 0.1 * GRID[:, 0] - 0.2 * GRID[:, 1]) == pytest.approx([0.0, 0.0])


def test_a_constant_loss_has_no_impact() -> None:
    assert impacts(GRID, np.ones(len(GRID))) == pytest.approx([0.0, 0.0])


def test_half_of_a_marginal_slope_is_left_to_a_correlated_dimension() -> None:
    levels = np.array([[0, 0], [1, 1], [2, 2], [3, 2]], dtype=float)
    slope = np.polyfit(levels[:, 1], 0.2 * levels[:, 0], 1)[0]
    assert impacts(levels, 0.2 * levels[:, 0]) == pytest.approx([0.6, 1.5 * slope])
    assert impacts(levels, 0.2 * levels[:, 0], blend=0) == pytest.approx([0.6, 0.0])


def test_policies_that_write_the_same_program_fare_the_same() -> None:
    scores = outcomes(compiled("linehaul_design", "plain"))
    assert list(scores) == list(METHODS)
    assert scores["exact"] == scores["skimming"] == scores["textbook"]
    assert scores["exact"]["pass"] == 1.0
