from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Callable
from math import log10

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from opsgym.core.errors import TaskError
from opsgym.envs.ace_bench.counter import count_cpsat, count_instance, feasible_items
from opsgym.envs.ace_bench.domains import DOMAINS
from opsgym.envs.ace_bench.params import PAPER_DECOYS, PAPER_HIDDEN, AceParams, paper_cell
from opsgym.envs.ace_bench.rules import Layout, compile_rules, scope_cells
from opsgym.envs.ace_bench.sampler import sample
from opsgym.envs.ace_bench.spec import EMPTY, Solved

Maker = Callable[..., Solved]

SHAPES = [
    {"hidden": 1, "decoys": 0},
    {"hidden": 1, "decoys": 25},
    {"hidden": 5, "decoys": 8},
    {"hidden": 11, "decoys": 10, "coupling": 0},
    {"hidden": 21, "decoys": 25},
    {"hidden": 35, "decoys": 20, "coupling": 100},
    {"rows": 2, "cols": 2, "hidden": 4, "decoys": 2},
    {"rows": 8, "cols": 3, "hidden": 9, "decoys": 12},
]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("preset", ["coupled", "paper"])
def test_an_instance_has_one_completion_by_two_independent_counts(solved: Maker, shape: dict[str, int], preset: str) -> None:
    made = solved(1, preset=preset, **shape)
    for counter in (count_instance, count_cpsat):
        assert counter(made.instance, limit=2).solutions.tolist() == [list(made.truth)]


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10**9),
    hidden=st.integers(1, 12),
    decoys=st.integers(0, 12),
    domain=st.sampled_from(sorted(DOMAINS)),
    preset=st.sampled_from(["coupled", "paper"]),
    coupling=st.integers(0, 100),
)
def test_every_draw_is_unique_and_has_h_slots_and_b_decoys(
    seed: int, hidden: int, decoys: int, domain: str, preset: str, coupling: int
) -> None:
    params = AceParams.build(
        {"hidden": hidden, "decoys": decoys, "domain": domain, "preset": preset, "coupling": coupling, "rows": 4, "cols": 4}
    )
    made = sample(params, seed)
    assert len(made.instance.slots) == hidden == made.instance.fixed.count(EMPTY)
    assert sum(len(items) - 1 for items in feasible_items(made.instance)) == decoys
    assert count_cpsat(made.instance, limit=2).solutions.tolist() == [list(made.truth)]


@pytest.mark.slow
@pytest.mark.parametrize("domain", sorted(DOMAINS))
def test_the_whole_grid_of_the_paper_can_be_drawn(domain: str) -> None:
    for hidden in PAPER_HIDDEN:
        for decoys in PAPER_DECOYS:
            made = sample(AceParams.build({"preset": "paper", "domain": domain, **paper_cell(hidden, decoys)}), 0)
            assert count_cpsat(made.instance, limit=2).solutions.tolist() == [list(made.truth)]


@pytest.mark.parametrize("preset", ["coupled", "paper"])
def test_all_values_are_within_their_ranges_and_ids_are_unique(solved: Maker, preset: str) -> None:
    """The release has decoys of impossible values; here one distribution feeds all items."""
    for seed in range(6):
        instance = solved(seed, preset=preset, hidden=11, decoys=15).instance
        assert len(set(instance.ids)) == len(instance.ids)
        for attribute, column in zip(instance.attributes, instance.columns, strict=True):
            assert attribute.low <= min(column) <= max(column) <= attribute.high


def test_decoys_are_spread_over_all_slots_in_the_coupled_preset(solved: Maker) -> None:
    sizes = [len(items) for items in feasible_items(solved(2, hidden=21, decoys=25).instance)]
    assert sorted(sizes) == [2] * 17 + [3] * 4


def test_decoys_sit_in_about_root_b_slots_in_the_paper_preset(solved: Maker) -> None:
    sizes = [len(items) for items in feasible_items(solved(2, hidden=21, decoys=25, preset="paper").instance)]
    assert sum(size > 1 for size in sizes) == 5


@pytest.mark.parametrize("seed", range(6))
def test_no_rule_alone_isolates_the_truth(solved: Maker, seed: int) -> None:
    instance = solved(seed, hidden=6, decoys=9).instance
    for rule in instance.rules:
        alone = instance.model_copy(update={"rules": (rule,)})
        assert count_instance(alone, limit=2).completions == 2, rule.name


@pytest.mark.parametrize("preset", ["coupled", "paper"])
def test_every_slot_rule_and_global_rule_can_be_broken(solved: Maker, preset: str) -> None:
    """No idle rule: a third of the release's slot rules and three quarters of its global rules exclude nothing."""
    for seed in range(6):
        instance = solved(seed, hidden=5, decoys=6, preset=preset).instance
        for slot in instance.slots:
            for rule in slot.rules:
                column = instance.columns[instance.attribute_index[rule.attribute]]
                assert not all(rule.holds(column[item]) for item in slot.candidates)
        candidates = [np.array(slot.candidates, dtype=np.int64) for slot in instance.slots]
        matrix = compile_rules(instance.rules, Layout.of(instance), candidates)
        least = matrix.base + sum(weights.min(axis=0) for weights in matrix.weights)
        most = matrix.base + sum(weights.max(axis=0) for weights in matrix.weights)
        breakable = (least < matrix.low) | (most > matrix.high)
        assert {int(owner) for owner in matrix.owner[breakable]} == set(range(len(instance.rules)))


def test_budgets_and_feedback_do_not_change_the_puzzle(solved: Maker) -> None:
    plain = solved(3, hidden=5, decoys=5)
    other = solved(3, hidden=5, decoys=5, budgets="unlimited", feedback="slack")
    assert other.truth == plain.truth
    assert other.instance.rules == plain.instance.rules
    assert (other.instance.query_budget, other.instance.feedback) == (None, "slack")


def test_coupling_moves_rules_from_rows_to_the_whole_grid(solved: Maker) -> None:
    def row_rules(coupling: int) -> int:
        made = [solved(seed, hidden=18, decoys=18, coupling=coupling) for seed in range(8)]
        return sum(rule.scope == "row" for each in made for rule in each.instance.rules)

    assert row_rules(0) > row_rules(100) == 0


def test_decoys_multiply_the_combinations(solved: Maker) -> None:
    values = [solved(1, hidden=8, decoys=decoys).metadata["combinations_log10"] for decoys in (0, 4, 8, 16)]
    assert values == pytest.approx([0, log10(2**4), log10(2**8), log10(3**8)], abs=1e-5)


def test_greedy_proof_rejects_what_a_policy_without_search_solves(solved: Maker) -> None:
    for seed in range(4):
        metadata = solved(seed, hidden=15, decoys=20, coupling=80, greedy_proof=True).metadata
        assert max(float(metadata[f"policy_{name}"]) for name in ("uniform", "frugal", "extremum", "one_opt")) < 0.5


def test_a_combination_that_cannot_be_met_ends_with_what_was_tried() -> None:
    """Without decoys every policy is right, so nothing can be proof against greed."""
    with pytest.raises(TaskError, match=r"H=3, B=0 .*in 60 draws: 60x a policy that does not search solves it"):
        sample(AceParams.build({"hidden": 3, "decoys": 0, "greedy_proof": True}), 0)


def test_row_rules_look_at_their_row_only(solved: Maker) -> None:
    instance = solved(2, hidden=18, decoys=18, coupling=0).instance
    for rule in instance.rules:
        if rule.scope == "row":
            cells = scope_cells(rule, instance.rows, instance.cols)
            assert {cell // instance.cols for group in cells for cell in group} == {rule.index}


PROGRAM = """
from opsgym.envs.ace_bench.compiler import compile_params
from opsgym.envs.ace_bench.params import draw_params
print(compile_params(draw_params(5, tier="medium"), 5).to_json())
print(compile_params(draw_params(5, preset="paper"), 5).to_json())
"""


def test_a_task_is_byte_identical_under_any_hash_seed() -> None:
    outputs = set()
    for hash_seed in ("0", "1"):
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        done = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, check=True)
        outputs.add(hashlib.sha256(done.stdout).hexdigest())
    assert len(outputs) == 1
