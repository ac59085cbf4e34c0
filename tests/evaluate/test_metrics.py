"""The statistics agree with published formulas and reference implementations on 1,000 random tables."""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from opsgym.core.errors import TaskError
from opsgym.evaluate.metrics import (
    TrialTable,
    bootstrap_mean,
    bootstrap_ratio,
    compare,
    correlations,
    failed_rules,
    failure_families,
    frontier,
    grouped,
    holm,
    pass_at_k,
    pass_hat_k,
    robustness,
    sign_flip,
    spearman,
    summarise,
    wilson,
)
from opsgym.evaluate.results import TrialResult

TABLES = 1000


def streams() -> Iterator[np.random.Generator]:
    """One random stream for each table."""
    return (np.random.default_rng([6, number]) for number in range(TABLES))


def trial(task: str = "a", number: int = 0, **facts: Any) -> TrialResult:
    return TrialResult(**{"task_id": task, "trial": number, "family": "F", "tier": "easy", "pattern": "p", **facts})


def trials(rows: list[list[int]], **facts: Any) -> list[TrialResult]:
    """One task a row, one trial a number: 1 solved, 0 failed."""
    return [
        trial(f"task{row}", number, is_success=bool(solved), **facts)
        for row, line in enumerate(rows)
        for number, solved in enumerate(line)
    ]


# -- pass@k and pass^k


def test_pass_at_k_and_pass_hat_k_are_the_shares_of_all_subsets() -> None:
    for rng in streams():
        n = int(rng.integers(1, 8))
        outcomes, k = rng.integers(0, 2, n), int(rng.integers(1, n + 1))
        subsets = [[outcomes[i] for i in chosen] for chosen in itertools.combinations(range(n), k)]
        assert pass_at_k(n, outcomes.sum(), k) == pytest.approx(np.mean([any(some) for some in subsets]))
        assert pass_hat_k(n, outcomes.sum(), k) == pytest.approx(np.mean([all(some) for some in subsets]))


def test_pass_at_k_is_the_published_estimator_at_any_size() -> None:
    for rng in streams():
        n = int(rng.integers(1, 2000))
        c, k = int(rng.integers(0, n + 1)), int(rng.integers(1, min(n, 200) + 1))
        published = 1.0 if n - c < k else 1.0 - np.prod(1.0 - k / np.arange(n - c + 1, n + 1))
        assert pass_at_k(n, c, k) == pytest.approx(published, abs=1e-9)
        assert pass_hat_k(n, c, k) == pytest.approx(math.comb(c, k) / math.comb(n, k), rel=1e-9)


@given(n=st.integers(1, 30), k=st.integers(1, 30), data=st.data())
def test_pass_at_k_grows_and_pass_hat_k_falls_with_k(n: int, k: int, data: st.DataObject) -> None:
    c = data.draw(st.integers(0, n))
    at, hat = float(pass_at_k(n, c, k)), float(pass_hat_k(n, c, k))
    if n < k:
        assert math.isnan(at) and math.isnan(hat)
        return
    assert 0 <= hat <= c / n + 1e-12 and c / n - 1e-12 <= at <= 1
    if n > k:
        assert pass_at_k(n, c, k + 1) >= at - 1e-12 and pass_hat_k(n, c, k + 1) <= hat + 1e-12


def test_impossible_counts_are_refused() -> None:
    with pytest.raises(TaskError, match="k: expected at least 1, got 0"):
        pass_at_k(5, 2, 0)
    with pytest.raises(TaskError, match="successes"):
        pass_hat_k([5, 5], [2, 6], 1)


# -- intervals


def test_wilson_agrees_with_statsmodels() -> None:
    from statsmodels.stats.proportion import proportion_confint

    for rng in streams():
        n = int(rng.integers(1, 500))
        c, level = int(rng.integers(0, n + 1)), float(rng.uniform(0.5, 0.999))
        share = wilson(c, n, confidence=level)
        assert (share.low, share.high) == pytest.approx(proportion_confint(c, n, alpha=1 - level, method="wilson"), abs=1e-12)
        assert (share.value, share.n) == (c / n, n)


def test_bootstrap_of_means_is_that_of_scipy_draw_for_draw() -> None:
    from scipy.stats import bootstrap

    for number, rng in enumerate(streams()):
        values = rng.random(int(rng.integers(2, 30)))
        mine = bootstrap_mean(values, resamples=50, confidence=0.9, rng=np.random.default_rng(number))
        theirs = bootstrap(
            (values,),
            np.mean,
            n_resamples=50,
            confidence_level=0.9,
            method="percentile",
            rng=np.random.default_rng(number),
        ).confidence_interval
        assert (mine.low, mine.high) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


def test_clustered_bootstrap_draws_whole_tasks() -> None:
    for number, rng in enumerate(streams()):
        tasks = int(rng.integers(2, 12))
        counts, sums = rng.integers(1, 6, tasks).astype(float), rng.random(tasks)
        mine = bootstrap_ratio(sums, counts, resamples=20, rng=np.random.default_rng(number))
        drawn = np.random.default_rng(number).integers(0, tasks, size=(20, tasks))
        means = [sum(sums[i] for i in row) / sum(counts[i] for i in row) for row in drawn]
        assert (mine.low, mine.high) == pytest.approx(tuple(np.quantile(means, [0.025, 0.975])))
        assert mine.value == pytest.approx(sums.sum() / counts.sum())


def test_an_interval_is_wider_when_trials_repeat_tasks() -> None:
    rng = np.random.default_rng(0)
    values = rng.random(40)
    repeated = bootstrap_ratio(values * 5, np.full(40, 5.0))
    alone = bootstrap_mean(np.repeat(values, 5))
    assert repeated.high - repeated.low > 1.8 * (alone.high - alone.low)


def test_one_task_has_a_mean_and_no_bootstrap_interval() -> None:
    found = bootstrap_ratio([3.0, 0.0], [4.0, 0.0])
    assert (found.value, found.n) == (0.75, 1) and math.isnan(found.low) and math.isnan(found.high)


def test_large_tables_are_resampled_in_blocks_without_a_change_of_the_law() -> None:
    values = np.random.default_rng(1).random(30_000)
    found = bootstrap_mean(values, resamples=300)
    error = values.std() / math.sqrt(len(values))
    assert found.high - found.low == pytest.approx(2 * 1.96 * error, rel=0.2)


def test_bad_levels_and_sizes_are_refused() -> None:
    for level in (0.0, 1.0, 95.0):
        with pytest.raises(TaskError, match="confidence"):
            wilson(1, 2, confidence=level)
    with pytest.raises(TaskError, match="resamples"):
        bootstrap_mean([1.0], resamples=0)
    with pytest.raises(TaskError, match="successes"):
        wilson(3, 2)
    with pytest.raises(TaskError, match="permutations"):
        sign_flip([1.0], permutations=0)


# -- paired comparison


def test_sign_flips_agree_with_the_exact_test_of_scipy() -> None:
    from scipy.stats import permutation_test

    for rng in streams():
        gains = rng.integers(-3, 4, int(rng.integers(1, 9))).astype(float)
        found = sign_flip(gains)
        if len(gains) == 1 or not gains.any():
            assert found == 1.0
            continue
        exact = permutation_test(
            (gains,), lambda x, axis: x.sum(axis=axis), permutation_type="samples", n_resamples=np.inf, vectorized=True
        )
        assert found == pytest.approx(exact.pvalue, abs=1e-12)


def test_a_difference_that_is_not_known_gives_no_p_value() -> None:
    assert math.isnan(sign_flip([1.0, math.nan, 1.0]))


def test_random_sign_flips_come_near_the_exact_p_value() -> None:
    gains = np.random.default_rng(3).normal(0.25, 1.0, 13)
    exact = sign_flip(gains, permutations=2**13)
    rough = sign_flip(gains, permutations=8000, rng=np.random.default_rng(1))
    assert rough != exact and rough == pytest.approx(exact, abs=0.02)
    assert sign_flip(np.ones(200), permutations=999) == 1 / 1000


def test_the_test_is_valid_under_no_difference() -> None:
    found = np.array([sign_flip(rng.normal(size=10), permutations=2**10) for rng in streams()])
    assert (found <= 0.05).mean() == pytest.approx(0.05, abs=0.02)


def test_holm_agrees_with_its_definition_and_with_statsmodels() -> None:
    from statsmodels.stats.multitest import multipletests

    for number, rng in enumerate(streams()):
        p_values = list(rng.random(int(rng.integers(1, 9))) ** 3)
        ordered = sorted(p_values)
        defined = [max(min(1.0, q * (len(ordered) - i)) for i, q in enumerate(ordered) if q <= p) for p in p_values]
        assert holm(p_values) == pytest.approx(defined)
        if number < 20:  # it takes 20 ms a table
            assert defined == pytest.approx(list(multipletests(p_values, method="holm")[1]))
    assert [p for p in holm([0.02, math.nan]) if p == p] == [0.02]


def test_runs_are_compared_on_their_common_scored_tasks() -> None:
    left = trials([[0, 0], [1, 0], [1, 1], [0, 0]])
    right = [*trials([[1, 1], [1, 1], [1, 1]]), trial("task9", is_success=True), trial("task3", status="masked")]
    found = compare(left, right)
    assert (found.tasks, found.left_only, found.right_only) == (3, 1, 1)
    assert (found.left, found.right, found.difference.value) == pytest.approx((0.5, 1.0, 0.5))
    assert (found.better, found.worse, found.p_value) == (2, 0, 0.5)
    nothing = compare(left, [])
    assert nothing.tasks == 0 and math.isnan(nothing.p_value) and nothing.as_dict()["p_value"] is None


# -- correlation


def test_spearman_agrees_with_scipy_also_with_ties() -> None:
    from scipy.stats import spearmanr

    for rng in streams():
        n = int(rng.integers(3, 40))
        x, y = rng.integers(0, 6, n).astype(float), rng.normal(size=n).round(int(rng.integers(0, 3)))
        found = spearman(x, y)
        if np.ptp(x) == 0 or np.ptp(y) == 0:
            assert math.isnan(found.rho) and math.isnan(found.p_value)
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs = spearmanr(x, y)
        p_value = max(theirs.pvalue, 2 / math.factorial(n))
        assert (found.rho, found.p_value) == pytest.approx((theirs.statistic, p_value), abs=1e-9)
        if n > 3:
            assert found.low <= found.rho <= found.high


@pytest.mark.parametrize("n", [3, 4, 5])
def test_few_observations_in_a_row_have_the_p_value_of_their_orders(n: int) -> None:
    """Student's t would give 0."""
    rhos = [spearman(range(n), order).rho for order in itertools.permutations(range(n))]
    assert spearman(range(n), range(n)).p_value == np.mean(np.abs(rhos) == 1)


def test_a_column_that_holds_nan_has_no_correlation() -> None:
    for columns in (([1, math.nan, 3, 4], [1, 2, 3, 4]), ([1, 2, 3, 4], [1, 2, math.nan, 4])):
        assert math.isnan(spearman(*columns).rho)


def test_the_interval_of_spearman_covers_as_often_as_it_says() -> None:
    truth = 6 / math.pi * math.asin(0.5 / 2)
    covered = 0
    for rng in streams():
        x = rng.normal(size=60)
        found = spearman(x, 0.5 * x + math.sqrt(0.75) * rng.normal(size=60))
        covered += found.low <= truth <= found.high
    assert covered / TABLES == pytest.approx(0.95, abs=0.02)


def test_parameters_are_correlated_task_by_task() -> None:
    rows = [
        trial(f"t{size}", number, is_success=number >= size, turns=10 * size, params={"size": size, "name": "x", "fixed": 3})
        for size in range(5)
        for number in range(5)
    ]
    success, turns = correlations(rows), correlations(rows, "turns")
    assert set(success) == {"size", "fixed"}
    assert (success["size"].rho, success["size"].n) == (-1.0, 5)
    assert math.isnan(success["fixed"].rho)
    assert turns["size"].rho == 1.0
    assert correlations([]) == {}


# -- summaries


def test_a_summary_agrees_with_counting_by_hand_on_random_tables() -> None:
    for rng in streams():
        rows = _random_trials(rng)
        scored = [row for row in rows if row.status == "scored"]
        found = summarise(rows, ks=[2], resamples=1)
        assert (found.trials, found.masked) == (len(scored), len(rows) - len(scored))
        tasks = {row.task_id: [r for r in scored if r.task_id == row.task_id] for row in scored}
        assert found.tasks == len(tasks)
        rates = [sum(r.is_success for r in group) / len(group) for group in tasks.values()]
        assert found.success.value == pytest.approx(_mean(rates), nan_ok=True)
        pairs = [
            np.mean([a.is_success or b.is_success for a, b in itertools.combinations(group, 2)])
            for group in tasks.values()
            if len(group) > 1
        ]
        assert found.pass_at[2].value == pytest.approx(_mean(pairs), nan_ok=True)
        assert found.score.value == pytest.approx(_mean([row.score for row in scored]), nan_ok=True)
        assert found.clean.value == pytest.approx(_mean([row.clean for row in scored]), nan_ok=True)
        optimal = [row.optimality for row in scored if row.clean and row.optimality is not None]
        assert found.optimality.value == pytest.approx(_mean(optimal), nan_ok=True)
        refused = [row.refused for row in scored if row.refused is not None]
        assert found.refused.value == pytest.approx(_mean(refused), nan_ok=True)
        assert found.calls == pytest.approx(_mean([row.calls for row in scored]), nan_ok=True)
        assert found.total_cost == pytest.approx(sum(row.cost for row in scored))


def test_masked_trials_say_nothing() -> None:
    rows = trials([[1, 1], [0, 1]])
    masked = [trial("task1", 2, status="masked"), trial("task7", 0, status="masked")]
    with_them, without = summarise(rows + masked), summarise(rows)
    assert (with_them.masked, without.masked, with_them.tasks) == (2, 0, 2)
    assert with_them.as_dict() == {**without.as_dict(), "masked": 2}


def test_a_summary_of_nothing_has_no_value_and_of_one_trial_has_one() -> None:
    nothing = summarise([])
    assert (nothing.trials, nothing.tasks, nothing.most) == (0, 0, 1)
    assert math.isnan(nothing.success.value) and nothing.as_dict()["score"]["value"] is None
    one = summarise([trial(is_success=True, score=0.7)])
    assert (one.success.value, one.score.value) == (1.0, 0.7) and math.isnan(one.score.low)


def test_shares_keep_their_level_when_a_few_tasks_have_most_of_the_trials() -> None:
    """The trials of a task all agree here, which is the worst that can be."""
    counts, covered = [20, 20] + [1] * 18, 0
    for rng in itertools.islice(streams(), 200):
        rows = [trial(f"t{task}", n, clean=clean) for task, clean in enumerate(rng.random(20) < 0.5) for n in range(counts[task])]
        found = summarise(rows, ks=[1], resamples=1).clean
        covered += found.low <= 0.5 <= found.high
        assert found.n == 20
    assert covered / 200 >= 0.93


def test_the_default_k_is_the_number_of_trials() -> None:
    found = summarise(trials([[1, 0, 0], [0, 0, 0]]))
    assert sorted(found.pass_at) == [1, 3]
    assert (found.pass_at[3].value, found.pass_hat[3].value) == (0.5, 0.0)


def test_the_same_seed_gives_the_same_summary() -> None:
    rows = [trial(f"t{i}", score=float(score)) for i, score in enumerate(np.random.default_rng(5).random(40))]
    assert summarise(rows).as_dict() == summarise(TrialTable.of(rows)).as_dict()
    assert summarise(rows, seed=1).score.low != summarise(rows, seed=2).score.low


def _random_trials(rng: np.random.Generator) -> list[TrialResult]:
    return [
        trial(
            f"t{task}",
            number,
            status="masked" if rng.random() < 0.1 else "scored",
            is_success=bool(rng.random() < 0.4),
            score=float(rng.random()),
            clean=bool(rng.random() < 0.5),
            optimality=None if rng.random() < 0.3 else float(rng.random()),
            refused=None if rng.random() < 0.5 else bool(rng.random() < 0.5),
            calls=int(rng.integers(50)),
            cost=float(rng.random()),
        )
        for task in range(int(rng.integers(1, 6)))
        for number in range(int(rng.integers(0, 5)))
    ]


def _mean(values: list[Any]) -> float:
    return float(np.mean(values)) if values else math.nan


# -- groups, failures, robustness, frontier


def test_groups_stand_in_the_order_of_their_family() -> None:
    rows = [trial(family="ERPBench-v0", tier=tier) for tier in ("hard", "strange", "easy", "medium")]
    assert list(grouped(rows, "tier")) == ["easy", "medium", "hard", "strange"]
    assert list(grouped([trial(family="Unknown-v9", tier="b"), trial(tier="a")], "tier")) == ["a", "b"]
    assert {name: len(group) for name, group in grouped(rows, "family").items()} == {"ERPBench-v0": 4}


def test_failures_are_shares_of_the_failed_trials() -> None:
    rows = [
        trial("a", 0, failure_families=("timing", "sourcing"), failed_rules=("r1",)),
        trial("a", 1, failure_families=("timing",)),
        trial("b", 0, failure_families=("timing",)),
        trial("b", 1),
        trial("c", 0, is_success=True, failure_families=("hygiene",)),
        trial("c", 1, status="masked", failure_families=("hygiene",)),
    ]
    found = failure_families(rows)
    assert [(each.name, each.trials, each.tasks, each.share) for each in found] == [
        ("timing", 3, 2, 0.75),
        ("sourcing", 1, 1, 0.25),
    ]
    assert [each.name for each in failed_rules(rows)] == ["r1"]
    assert failure_families([]) == []


def test_robustness_is_relative_to_the_least_rate() -> None:
    points = robustness({0.2: trials([[1, 0], [0, 0]]), 0.0: trials([[1, 1], [0, 0]])})
    assert [(point.failure_rate, point.success.value, point.retained) for point in points] == [(0.0, 0.5, 1.0), (0.2, 0.25, 0.5)]
    assert robustness({0.1: trials([[0]])})[0].as_dict()["retained"] is None
    assert robustness({}) == []


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=12))
def test_the_frontier_is_what_nothing_beats(points: list[tuple[int, int]]) -> None:
    kept = frontier([cost for cost, _ in points], [value for _, value in points])

    def beaten(i: int) -> bool:
        cost, value = points[i]
        return any((c <= cost and v > value) or (c < cost and v >= value) for c, v in points)

    assert {points[i] for i in kept} == {points[i] for i in range(len(points)) if not beaten(i)}
    assert len({points[i] for i in kept}) == len(kept)
