from __future__ import annotations

import pytest

from opsgym.data.ace_bench_release import ReleasedInstance
from opsgym.envs.ace_bench.leaks import leak_test
from opsgym.envs.ace_bench.params import draw_params
from opsgym.envs.ace_bench.sampler import sample
from opsgym.envs.ace_bench.spec import Solved

OPEN = ("position", "id_", "_text_", "_commonness")


def draw(tier: str, count: int) -> list[Solved]:
    return [sample(draw_params(seed, tier=tier), seed) for seed in range(count)]


def test_the_test_finds_the_name_leak_of_the_release(released_ace: list[ReleasedInstance]) -> None:
    """In every slot of every released instance the smallest number in a name is the truth's."""
    found = leak_test(released.solved for released in released_ace)
    leak = found.leaks()[0]
    assert leak.feature == "name_text_number:first"
    assert leak.hits == leak.slots == 70
    assert leak.chance < 1e-30


def test_the_test_finds_a_planted_leak() -> None:
    """Truth moved to the front of the list in four of ten slots: enough to be seen in a small sample."""
    planted = []
    for number, made in enumerate(draw("medium", 30)):
        slots = list(made.instance.slots)
        for i, (slot, item) in enumerate(zip(slots, made.truth, strict=True)):
            if (number + i) % 10 < 4:
                rest = tuple(candidate for candidate in slot.candidates if candidate != item)
                slots[i] = slot.model_copy(update={"candidates": (item, *rest)})
        planted.append(made.model_copy(update={"instance": made.instance.model_copy(update={"slots": tuple(slots)})}))
    assert "position:first" in {finding.feature for finding in leak_test(planted).leaks()}


@pytest.mark.parametrize(("tier", "count"), [("easy", 120), ("medium", 90), ("hard", 25)])
def test_no_visible_feature_predicts_the_truth(tier: str, count: int) -> None:
    assert leak_test(draw(tier, count)).leaks() == []


@pytest.mark.slow
@pytest.mark.parametrize("tier", ["easy", "medium", "hard", "expert"])
def test_no_visible_feature_predicts_the_truth_over_a_thousand_instances(tier: str) -> None:
    assert leak_test(draw(tier, 1000)).leaks() == []


def test_in_the_papers_preset_nothing_but_values_tells_the_truth() -> None:
    """Its one-sided bounds favour cheap and strong items, as in the paper; order, ids and texts say nothing."""
    made = [sample(draw_params(seed, preset="paper"), seed) for seed in range(80)]
    open_leaks = [finding.feature for finding in leak_test(made).leaks() if any(part in finding.feature for part in OPEN)]
    assert open_leaks == []
