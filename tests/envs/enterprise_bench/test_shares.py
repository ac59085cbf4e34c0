"""Shares: of kinds, of domains and of reasons, over the default draw and in the fixed set."""

from __future__ import annotations

from collections import Counter
from math import sqrt

import pytest

from opsgym.core.errors import TaskError
from opsgym.envs.enterprise_bench.compiler import compile_params
from opsgym.envs.enterprise_bench.endings import REASONS
from opsgym.envs.enterprise_bench.params import PATTERNS, BenchParams, draw_params, reason_of
from opsgym.envs.enterprise_bench.templates import DOMAINS, FIXED, TEMPLATES, fixed_counts, template_by_name

DRAWS = 4000


def kind_of(params: BenchParams, seed: int) -> str:
    return "unanswerable" if reason_of(params, seed) else template_by_name()[params.template].kind


def near(count: int, number: int, share: float) -> bool:
    """Within four standard deviations of a binomial distribution."""
    return abs(count - number * share) <= 4 * sqrt(number * share * (1 - share))


def test_the_default_draw_has_the_papers_shares() -> None:
    drawn = [(seed, draw_params(seed)) for seed in range(DRAWS)]
    kinds = Counter(kind_of(params, seed) for seed, params in drawn)
    for kind, share in {"search": 0.65, "crud": 0.30, "unanswerable": 0.05}.items():
        assert near(kinds[kind], DRAWS, share), kinds
    domains = Counter(params.domain for _, params in drawn)
    assert {*domains} == {*DOMAINS}
    assert all(near(count, DRAWS, 1 / len(DOMAINS)) for count in domains.values()), domains


def test_reasons_are_as_likely() -> None:
    reasons = Counter(reason_of(draw_params(seed, pattern="unanswerable"), seed) for seed in range(DRAWS // 4))
    assert all(near(reasons[name], DRAWS // 4, 1 / 4) for name in REASONS), reasons


def test_other_shares_are_kept() -> None:
    shares = {"search": 0.2, "crud": 0.8, "unanswerable": 0.3}
    kinds = Counter(kind_of(draw_params(seed, overrides=shares), seed) for seed in range(DRAWS // 4))
    for kind, share in {"search": 0.2 * 0.7, "crud": 0.8 * 0.7, "unanswerable": 0.3}.items():
        assert near(kinds[kind], DRAWS // 4, share), kinds


def test_tasks_are_of_the_kind_that_was_drawn() -> None:
    for seed in range(0, 300, 10):
        params = draw_params(seed, tier="easy", overrides={"unanswerable": 0.4})
        task = compile_params(params, seed)
        assert task.metadata["kind"] == kind_of(params, seed)
        assert task.metadata["plan"]["reason"] == reason_of(params, seed)


def test_parameters_that_leave_everything_open_have_the_shares_too() -> None:
    params = BenchParams.build({"unanswerable": 1.0, "reason": "ambiguous"})
    for seed in range(0, 60, 10):
        task = compile_params(params, seed)
        assert task.metadata["plan"]["reason"] == "ambiguous"
        assert task.params == params.model_dump()


@pytest.mark.parametrize("reason", REASONS)
def test_a_pattern_asks_for_a_reason(reason: str) -> None:
    assert reason in PATTERNS
    for seed in range(0, 60, 10):
        assert reason_of(draw_params(seed, pattern=reason), seed) == reason


def test_a_reason_that_a_template_does_not_know_is_refused() -> None:
    with pytest.raises(TaskError, match="no twin"):
        BenchParams.build({"template": "it_raise_ticket", "reason": "ambiguous"})


def test_the_fixed_set_has_the_papers_shares_evenly_over_domains_and_reasons() -> None:
    counts, known = fixed_counts(), template_by_name()
    for kind in ("search", "crud"):
        domains = Counter(dict.fromkeys(DOMAINS, 0))
        for name, count in counts.items():
            if name in known and known[name].kind == kind:
                domains[known[name].domain] += count
        assert {*domains.values()} == {FIXED[kind] // len(DOMAINS)}
    reasons = [counts[name] for name in REASONS]
    assert sum(reasons) == FIXED["unanswerable"] == 25
    assert max(reasons) - min(reasons) <= 1
    assert sum(counts.values()) == 500
    assert {*counts} <= {*PATTERNS}
    assert {item.name for item in TEMPLATES} <= {*counts}
