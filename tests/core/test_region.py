"""Regions draw points that they hold, in a fixed order, and tell which points are theirs."""

from __future__ import annotations

import itertools
import random
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opsgym.core.params import Params, knob
from opsgym.core.region import Region, region_holding
from opsgym.core.stream import Stream


class Grid(Params):
    """Two numbers and a word."""

    rows: int = knob(1, low=1, high=9, unit="rows", harder="up", description="Rows.")
    cols: int = knob(1, low=1, high=9, unit="columns", harder="up", description="Columns.")
    size: Literal["S", "M", "L"] = knob("S", unit="choice", harder="up", description="Size.")


SMALL = Region({"rows": (1, 2), "cols": (1, 3)}, {"size": ("S", "M")})
LARGE = Region({"rows": (2, 9), "cols": (3, 9)}, {"size": ("M", "L")})


@given(seed=st.integers(0, 2**32))
def test_a_region_holds_what_it_draws(seed: int) -> None:
    draw, stream = random.Random(seed), Stream("region", seed)
    for region in (SMALL, LARGE):
        assert region.holds(Grid.build(region.draw(draw.randint, draw.choice)))
        assert region.holds(Grid.build(region.draw(stream.between, stream.pick)))


def test_ranges_are_drawn_before_choices_in_their_order() -> None:
    counter = itertools.count(1)
    assert SMALL.draw(lambda low, high: next(counter), lambda known: next(counter)) == {"rows": 1, "cols": 2, "size": 3}


@pytest.mark.parametrize("outside", [{"rows": 3}, {"cols": 4}, {"size": "L"}])
def test_one_parameter_outside_is_enough(outside: dict[str, object]) -> None:
    assert SMALL.holds(Grid())
    assert not SMALL.holds(Grid.build(outside))


def test_a_point_is_of_the_first_region_that_holds_it() -> None:
    regions = {"small": SMALL, "large": LARGE}
    assert region_holding(regions, Grid.build({"rows": 2, "cols": 3, "size": "M"})) == "small"
    assert region_holding(regions, Grid.build({"rows": 3, "cols": 3, "size": "M"})) == "large"
    assert region_holding(regions, Grid.build({"rows": 9})) == "custom"
