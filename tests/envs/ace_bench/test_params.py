from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opsgym.core.errors import RegistryError, TaskError
from opsgym.envs.ace_bench.params import TIERS, AceParams, draw_params, paper_grid


def test_the_papers_grid_has_324_instances_of_the_stated_shape() -> None:
    grid = paper_grid()
    assert len(grid) == 324
    assert Counter(params.hidden for params in grid) == dict.fromkeys((1, 5, 7, 11, 15, 21), 54)
    assert {(params.rows, params.cols, params.candidates, params.budgets, params.feedback) for params in grid} == {
        (5, 7, 25, "unlimited", "boolean")
    }


@given(seed=st.integers(0, 10**9), tier=st.sampled_from(sorted(TIERS)))
def test_a_tier_draws_from_its_region(seed: int, tier: str) -> None:
    params, region = draw_params(seed, tier=tier), TIERS[tier]
    for name in ("rows", "cols", "hidden", "decoys", "coupling"):
        low, high = region.ranges[name]
        assert low <= getattr(params, name) <= high
    assert (params.greedy_proof,) == region.choices["greedy_proof"]
    assert params == draw_params(seed, tier=tier)


def test_tiers_get_harder_in_every_dimension() -> None:
    for easier, harder in zip(TIERS.values(), list(TIERS.values())[1:], strict=False):
        for name in ("rows", "cols", "hidden", "decoys", "coupling"):
            assert sum(easier.ranges[name]) <= sum(harder.ranges[name])


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"rows": 3, "cols": 3, "hidden": 10}, "hidden must be 1 to 9 on a grid of 3x3"),
        ({"hidden": 2, "decoys": 150}, "decoys must be 0 to 116 with hidden=2 on 5x7"),
        ({"hidden": 2, "decoys": 31, "preset": "paper"}, "decoys must be 0 to 30"),
        ({"domain": "kitchen"}, "'course', 'shopping', 'travel', 'workforce', 'meal' or 'pc_build'"),
        ({"preset": "release"}, "'coupled' or 'paper'"),
        ({"feedback": "all"}, "'boolean', 'rules' or 'slack'"),
        ({"candidates": 3}, "greater than or equal to 4"),
    ],
)
def test_bad_values_are_answered_with_the_allowed_ones(values: dict[str, object], message: str) -> None:
    with pytest.raises(TaskError, match=message):
        AceParams.build(values)


def test_unknown_names_are_answered_with_the_known_ones() -> None:
    with pytest.raises(RegistryError, match="easy, expert, hard, medium, paper"):
        draw_params(0, tier="extreme")
    with pytest.raises(RegistryError, match="coupled, paper"):
        draw_params(0, preset="release")
    with pytest.raises(RegistryError, match="tiers of the paper preset"):
        draw_params(0, tier="hard", preset="paper")
    with pytest.raises(RegistryError, match="did you mean 'hidden'"):
        AceParams.build({"hiden": 3})


@pytest.mark.parametrize("hidden", [1, 2, 5, 21, 35])
def test_the_most_decoys_that_are_named_can_be_placed(hidden: int) -> None:
    most = AceParams.build({"hidden": hidden, "decoys": 0}).most_decoys()
    assert AceParams.build({"hidden": hidden, "decoys": most}).decoys == most
    if most < 200:
        with pytest.raises(TaskError):
            AceParams.build({"hidden": hidden, "decoys": most + 1})


def test_overrides_replace_what_the_tier_drew() -> None:
    assert draw_params(3, tier="easy", overrides={"domain": "meal", "feedback": "slack"}).domain == "meal"
