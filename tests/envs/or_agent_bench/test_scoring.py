from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opsgym.envs.or_agent_bench.scoring import Scale, harbor

amounts = st.floats(min_value=1, max_value=1e6)


@pytest.mark.parametrize(("sense", "bound", "worse"), [("min", 900.0, 1100.0), ("max", 1100.0, 900.0)])
def test_the_reference_is_the_midpoint_between_the_bound_and_what_is_as_far_on_the_other_side(
    sense: str, bound: float, worse: float
) -> None:
    scale = Scale("min" if sense == "min" else "max", 1000.0, bound, 0.02)
    assert [scale.quality(x) for x in (bound, 1000.0, worse)] == [1.0, 0.5, 0.0]


@pytest.mark.parametrize("bound", [1000.0, 995.0, None])
def test_without_a_meaningful_bound_the_reference_is_best_and_the_accepted_gap_the_midpoint(bound: float | None) -> None:
    scale = Scale("min", 1000.0, bound, 0.02)
    assert [scale.quality(x) for x in (990.0, 1000.0, 1020.0, 1040.0, 5000.0)] == [1.0, 1.0, 0.5, 0.0, 0.0]


@given(reference=amounts, width=st.floats(0, 1e6), first=amounts, second=amounts)
def test_quality_is_in_range_and_never_lower_for_a_better_plan(
    reference: float, width: float, first: float, second: float
) -> None:
    scale = Scale("min", reference, reference - width, 0.01)
    better, worse = sorted([first, second])
    assert 0.0 <= scale.quality(worse) <= scale.quality(better) <= 1.0


def test_only_what_is_better_than_the_bound_raises_the_canary() -> None:
    scale = Scale("max", 100.0, 110.0, 0.01)
    assert not scale.beats_bound(110.0)
    assert scale.beats_bound(110.1)
    assert not Scale("max", 100.0, None, 0.01).beats_bound(1e9)


def test_the_harbor_reward_is_the_mean_of_feasibility_and_quality() -> None:
    assert (harbor(1.0, 0.5), harbor(0.0, 0.0)) == (0.75, 0.0)
