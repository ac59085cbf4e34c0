"""Parameters, patterns and tiers: regions are honoured, names are checked, labels are found again."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opsgym.core.errors import RegistryError, TaskError
from opsgym.envs.erp_bench.domains import DOMAIN_KEYS
from opsgym.envs.erp_bench.params import PATTERNS, TIERS, DomainName, ERPParams, draw_params, labels, patterns_of


@given(seed=st.integers(0, 2**64), pattern=st.sampled_from(sorted(PATTERNS)))
def test_a_draw_lies_in_the_region_of_its_tier_and_pattern(seed: int, pattern: str) -> None:
    params = draw_params(seed, pattern=pattern)
    assert labels(params) == (PATTERNS[pattern].tier, pattern)


@given(seed=st.integers(0, 2**32), tier=st.sampled_from([None, *TIERS]))
def test_the_same_seed_draws_the_same_parameters(seed: int, tier: str | None) -> None:
    assert draw_params(seed, tier) == draw_params(seed, tier)


def test_seeds_reach_every_pattern_of_a_tier_and_every_tier() -> None:
    for tier in TIERS:
        assert {labels(draw_params(seed, tier))[1] for seed in range(150)} == set(patterns_of(tier))
    assert {labels(draw_params(seed))[0] for seed in range(50)} == set(TIERS)


def test_pattern_structures_are_told_apart() -> None:
    """No parameters belong to two patterns."""
    for name, item in PATTERNS.items():
        values = draw_params(5, pattern=name).model_dump()
        rivals = [other for other in PATTERNS if other != name and _overlaps(values, PATTERNS[other].region)]
        assert not rivals, f"{name} of tier {item.tier} is also {rivals}"


def _overlaps(values: dict[str, Any], region: Any) -> bool:
    return all(b[0] <= values[k] <= b[1] if isinstance(b, tuple) else values[k] == b for k, b in region.items())


def test_unknown_names_list_what_exists() -> None:
    with pytest.raises(RegistryError, match="easy, hard, medium"):
        draw_params(0, "extreme")
    with pytest.raises(RegistryError, match="08_single_bom_single_workcenter"):
        draw_params(0, pattern="08_single")
    with pytest.raises(RegistryError, match="did you mean 'customers'"):
        draw_params(0, overrides={"customer": 3})


def test_the_hard_tier_says_that_it_comes_with_the_full_roster() -> None:
    with pytest.raises(RegistryError, match=r"easy, medium.*comes with the full roster"):
        draw_params(0, "hard")


def test_a_pattern_of_another_tier_is_refused_with_its_tier() -> None:
    with pytest.raises(RegistryError, match="is of tier 'medium'"):
        draw_params(0, "easy", "09_single_bom_lowest_cost")


def test_overrides_replace_draws_and_leave_the_others() -> None:
    plain, changed = draw_params(4, "medium"), draw_params(4, "medium", overrides={"customers": 12})
    assert changed == plain.override({"customers": 12})
    assert labels(changed) == ("custom", labels(plain)[1])


@pytest.mark.parametrize(
    "bad", [{"customers": 1}, {"stock_ratio": 0.95}, {"domain": "toys"}, {"closeness": "x"}, {"topology": "loop"}]
)
def test_values_out_of_range_are_refused_with_their_field(bad: dict[str, Any]) -> None:
    with pytest.raises(TaskError, match=f"params.{next(iter(bad))}"):
        draw_params(0, overrides=bad)


def test_negative_seeds_are_refused() -> None:
    with pytest.raises(TaskError, match="seed"):
        draw_params(-1)


def test_structures_without_a_name_are_custom() -> None:
    assert labels(ERPParams(topology="none", objective="min_new_spend", invoicing="none")) == ("custom", "custom")


def test_the_domain_parameter_names_the_domains() -> None:
    assert get_args(DomainName) == ("any", *DOMAIN_KEYS)


def test_every_parameter_is_documented() -> None:
    for name, field in ERPParams.model_fields.items():
        extra = field.json_schema_extra
        assert isinstance(extra, dict) and extra["unit"] and field.description, name


def test_every_point_of_the_space_is_valid() -> None:
    space = ERPParams.space()
    space.seed(0)
    assert len({ERPParams.from_sample(space.sample()) for _ in range(50)}) == 50
