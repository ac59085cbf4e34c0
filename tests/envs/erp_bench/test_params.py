"""Parameters, patterns and tiers: regions are honoured, names are checked, labels are found again."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opsgym.core.errors import RegistryError, TaskError
from opsgym.envs.erp_bench.domains import DOMAIN_KEYS
from opsgym.envs.erp_bench.params import (
    DomainName,
    ERPParams,
    check_structure,
    draw_params,
    labels,
    patterns_of,
    region_of,
)
from opsgym.envs.erp_bench.regions import BLOCKS, PATTERNS, RELEASED_TIERS, STRUCTURE, TIERS

STYLES = sorted(BLOCKS)


RELEASED = [name for name, item in PATTERNS.items() if item.tier in RELEASED_TIERS]


def patterns_in(style: str) -> list[str]:
    """Patterns with ranges in a style: the release knows nothing of our own tier."""
    return sorted(RELEASED if style == "release" else PATTERNS)


@given(seed=st.integers(0, 2**64), pattern=st.sampled_from(RELEASED), style=st.sampled_from(STYLES))
def test_a_draw_lies_in_the_region_of_its_tier_and_pattern(seed: int, pattern: str, style: str) -> None:
    params = draw_params(seed, pattern=pattern, overrides={"style": style})
    assert labels(params) == (PATTERNS[pattern].tier, pattern)
    check_structure(params)


def test_the_roster_has_the_names_and_counts_of_the_release() -> None:
    """Source: the paper's table of patterns: 29, with 50 easy, 166 medium and 84 hard tasks."""
    items = [PATTERNS[name] for name in RELEASED]
    counts = {tier: sum(item.weight for item in items if item.tier == tier) for tier in RELEASED_TIERS}
    assert len(items) == 29 and counts == {"easy": 50, "medium": 166, "hard": 84}
    goals = [({**STRUCTURE, **item.structure}["objective"], item.weight) for item in items]
    totals = {goal: sum(weight for name, weight in goals if name == goal) for goal, _ in goals}
    assert totals == {
        "constraint_only": 24,
        "min_new_spend": 183,
        "vendor_consolidation": 34,
        "capacity_preservation": 31,
        "repair_plan": 28,
    }


def test_released_directories_carry_the_names_of_the_roster(released_erpbench: Path) -> None:
    for directory in released_erpbench.iterdir():
        if re.match(r"\d+_", directory.name):
            _, tier, pattern = directory.name.split("_", 2)
            assert PATTERNS[pattern].tier == tier


@pytest.mark.parametrize(("style", "pattern"), [(style, name) for style in STYLES for name in patterns_in(style)])
def test_every_range_is_one_of_the_space_and_not_empty(style: str, pattern: str) -> None:
    for name, bounds in region_of(pattern, style).items():
        ends = bounds[:2] if isinstance(bounds, tuple) else (bounds, bounds)
        assert ends[0] <= ends[1] or isinstance(ends[0], str), name
        for end in ends:
            ERPParams.build({name: end})


def test_the_style_picks_the_ranges() -> None:
    ours = [draw_params(seed, pattern="06_screened_buy_only_mixed_seeded") for seed in range(30)]
    theirs = [
        draw_params(seed, pattern="06_screened_buy_only_mixed_seeded", overrides={"style": "release"}) for seed in range(30)
    ]
    assert max(params.stock_ratio for params in ours) <= 0.4 < 0.45 < max(params.stock_ratio for params in theirs)
    assert {params.decoys for params in theirs} == {50}


def test_biased_draws_lean_to_the_lower_end() -> None:
    """The release's tightness of 0.55 puts the mean of a ratio a little below the middle of its range, 0.72 far below."""
    drawn = [
        draw_params(seed, pattern="06_screened_buy_only_mixed_seeded", overrides={"style": "release"}).vendor_capacity
        for seed in range(300)
    ]
    middle = 0.10 + 0.26 * (1 + 5 * 0.45) / 7
    assert abs(sum(drawn) / len(drawn) - middle) < 0.01


@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("capacity_path", {"topology": "parallel", "capacity_path": "qualified"}),
        ("make_only", {"make_only": "no_buy_route"}),
        ("objective", {"objective": "capacity_preservation"}),
        ("objective", {"objective": "repair_plan"}),
        ("objective", {"disruption": "supplier_cancellation"}),
        ("screening", {"disruption": "supplier_cancellation", "objective": "repair_plan", "screening": "budget"}),
        ("disruption", {"disruption": "workcenter_outage", "objective": "repair_plan"}),
        ("finished_products", {"finished_products": 3, "customers": 2}),
        ("finished_products", {"finished_products": 2, "style": "release"}),
        ("capacity_buckets", {"capacity_buckets": 2, "topology": "single_bom", "style": "release"}),
        ("capacity_buckets", {"capacity_buckets": 2}),
        (
            "disruption",
            {
                "disruption": "supplier_cancellation",
                "objective": "repair_plan",
                "topology": "single_bom",
                "make_only": "no_buy_route",
            },
        ),
    ],
)
def test_structures_that_contradict_themselves_are_refused_with_the_field(field: str, values: dict[str, Any]) -> None:
    with pytest.raises(TaskError, match=f"params.{field}"):
        check_structure(ERPParams.build(values))


@given(seed=st.integers(0, 2**32), tier=st.sampled_from([None, *TIERS]))
def test_the_same_seed_draws_the_same_parameters(seed: int, tier: str | None) -> None:
    assert draw_params(seed, tier) == draw_params(seed, tier)


def test_seeds_reach_every_pattern_of_a_tier_and_every_tier() -> None:
    for tier in TIERS:
        assert {labels(draw_params(seed, tier))[1] for seed in range(150)} == set(patterns_of(tier))
    assert {labels(draw_params(seed))[0] for seed in range(50)} == set(RELEASED_TIERS)


def test_expert_tasks_come_on_request_only_and_in_our_own_style() -> None:
    names = patterns_of("expert")
    assert not set(names) & {labels(draw_params(seed))[1] for seed in range(300)}
    for seed in range(20):
        params = draw_params(seed, "expert")
        assert params.finished_products > 1 and params.capacity_buckets > 1 and params.disruption != "none"
    with pytest.raises(RegistryError, match=r"in style 'release'"):
        draw_params(0, "expert", overrides={"style": "release"})
    with pytest.raises(RegistryError, match="is of tier 'medium'"):
        draw_params(0, "expert", "09_single_bom_lowest_cost")


def test_parameters_that_came_later_are_left_out_of_dumps_where_they_change_nothing() -> None:
    plain, later = ERPParams().model_dump(), ERPParams(finished_products=2, capacity_buckets=3).model_dump()
    assert {"finished_products", "capacity_buckets"} == set(later) - set(plain)


def test_pattern_structures_are_told_apart() -> None:
    """No parameters belong to two patterns."""
    for name, item in PATTERNS.items():
        values = dict(draw_params(5, pattern=name))
        others = {other: {**STRUCTURE, **PATTERNS[other].structure} for other in PATTERNS if other != name}
        rivals = [other for other, structure in others.items() if _overlaps(values, structure)]
        assert not rivals, f"{name} of tier {item.tier} is also {rivals}"


def _overlaps(values: dict[str, Any], region: Any) -> bool:
    return all(b[0] <= values[k] <= b[1] if isinstance(b, tuple) else values[k] == b for k, b in region.items())


def test_unknown_names_list_what_exists() -> None:
    with pytest.raises(RegistryError, match="easy, expert, hard, medium"):
        draw_params(0, "extreme")
    with pytest.raises(RegistryError, match="08_single_bom_single_workcenter"):
        draw_params(0, pattern="08_single")
    with pytest.raises(RegistryError, match="did you mean 'customers'"):
        draw_params(0, overrides={"customer": 3})


def test_a_pattern_of_another_tier_is_refused_with_its_tier() -> None:
    with pytest.raises(RegistryError, match="is of tier 'medium'"):
        draw_params(0, "easy", "09_single_bom_lowest_cost")


def test_overrides_replace_draws_and_leave_the_others() -> None:
    plain, changed = draw_params(4, "medium"), draw_params(4, "medium", overrides={"customers": 30})
    assert changed == plain.override({"customers": 30})
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
