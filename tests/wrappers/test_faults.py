"""The sampler of faults draws what it is configured to draw."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from opsgym.core.errors import RegistryError, TaskError
from opsgym.core.tools import Tool
from opsgym.wrappers.faults import KINDS, FaultModel, FaultState
from tests.envs.toy_family import add, look, submit
from tests.wrappers.support import binomial_tail

CALLS = 100_000
LIMIT = 1e-6
"""A tail probability below it would be no chance."""


def drawn(model: FaultModel, tools: list[Tool], calls: int = CALLS, key: str = "k") -> list[str | None]:
    state = FaultState(key=key)
    planned = (model.draw(state, tools[index % len(tools)]) for index in range(calls))
    return [None if each is None else each.kind for each in planned]


@pytest.mark.parametrize("rate", [0.0, 0.01, 0.1, 0.3, 0.5, 1.0])
def test_the_rate_is_kept(rate: float) -> None:
    faults = sum(kind is not None for kind in drawn(FaultModel(rate=rate), [look, add]))
    assert binomial_tail(faults, CALLS, rate) > LIMIT


def test_the_kinds_have_their_shares() -> None:
    weights = {"timeout": 5.0, "rate_limited": 2.0, "stale": 1.0, "truncated": 1.0, "slow": 1.0, "forbidden": 0.0}
    shares = Counter(kind for kind in drawn(FaultModel(rate=0.5, kinds=weights), [look]) if kind)
    assert shares["forbidden"] == 0
    for kind, weight in weights.items():
        if weight:
            assert binomial_tail(shares[kind], shares.total(), weight / 10) > LIMIT


def test_each_tool_has_its_rate() -> None:
    kinds = drawn(FaultModel(rate={"look": 0.2, "*": 0.05}), [look, add])
    for kinds_of_tool, rate in ((kinds[0::2], 0.2), (kinds[1::2], 0.05)):
        assert binomial_tail(sum(kind is not None for kind in kinds_of_tool), CALLS // 2, rate) > LIMIT


@pytest.mark.parametrize(("rate", "mean"), [(0.1, 5.0), (0.3, 3.0), (0.5, 2.0)])
def test_bursts_have_their_length_and_keep_the_rate(rate: float, mean: float) -> None:
    """Each call of a burst ends it with probability 1/mean and each call outside begins one: two binomials, exact."""
    faults = [kind is not None for kind in drawn(FaultModel(rate=rate, mean_burst=mean), [look])]
    followed = [second for first, second in pairwise(faults) if first]
    begun = [second for first, second in pairwise(faults) if not first]
    assert binomial_tail(sum(followed), len(followed), 1 - 1 / mean) > LIMIT
    assert binomial_tail(sum(begun), len(begun), rate / (1 - rate) / mean) > LIMIT
    assert sum(faults) / CALLS == pytest.approx(rate, rel=0.05)


def test_an_outage_rejects_its_number_of_calls_of_one_tool_only() -> None:
    model = FaultModel(rate={"look": 0.05}, kinds={"outage": 1}, outage_calls=(3, 3))
    kinds = drawn(model, [look, add], 20_000)
    assert not any(kinds[1::2])
    runs = "".join("x" if kind else "." for kind in kinds[0::2]).split(".")
    lengths = Counter(len(run) for run in runs[:-1] if run)
    assert lengths and all(length % 3 == 0 for length in lengths) and lengths[3] > 10 * lengths[6] / 2


def test_a_schedule_moves_the_rate_with_progress() -> None:
    model = FaultModel(rate=[(0.2, 0.0), (0.6, 0.4)])
    assert [model.rate_of("look", progress) for progress in (0.0, 0.2, 0.4, 0.6, 1.0)] == pytest.approx([0, 0, 0.2, 0.4, 0.4])


@given(st.floats(0, 1), st.floats(0, 1), st.integers(0, 2**32))
@settings(max_examples=30, deadline=None)
def test_a_higher_rate_faults_every_call_that_a_lower_one_faults(one: float, other: float, key: int) -> None:
    low, high = sorted((one, other))
    few = drawn(FaultModel(rate=low), [look, add], 50, str(key))
    many = drawn(FaultModel(rate=high), [look, add], 50, str(key))
    assert all(kind == few_kind for few_kind, kind in zip(few, many, strict=True) if few_kind)


def test_kinds_befall_only_tools_that_they_can_befall() -> None:
    every = dict.fromkeys(KINDS, 1.0)
    assert "stale" not in drawn(FaultModel(rate=1, kinds=every), [add], 2000)
    state, model, ends = FaultState(key="k"), FaultModel(rate=1, kinds=every, max_blocked_submits=10**9), set()
    for _ in range(2000):
        planned = model.draw(state, submit)
        ends.add(planned.kind if planned else None)
    assert ends == {"timeout", "unavailable", "connection_reset", "rate_limited", "slow", "forbidden", "outage"}
    assert not any(drawn(FaultModel(rate=1, kinds={"stale": 1}), [add, submit], 100))


@pytest.mark.parametrize("kind", ["timeout", "outage"])
@pytest.mark.parametrize("most", [0, 1, 3])
def test_submit_is_not_rejected_more_often_in_a_row_than_allowed(kind: str, most: int) -> None:
    kinds = drawn(FaultModel(rate=1, kinds={kind: 1}, max_blocked_submits=most), [submit], 1000)
    runs = "".join("x" if kind else "." for kind in kinds).split(".")
    assert max(map(len, runs)) == most


@given(st.integers(0, 40), st.sampled_from(sorted(KINDS)))
@settings(max_examples=60, deadline=None)
def test_faults_never_cost_more_turns_than_allowed(allowance: int, kind: str) -> None:
    state, model = FaultState(key="k", allowance=allowance), FaultModel(rate=1, kinds={kind: 1})
    planned = [model.draw(state, look) for _ in range(200)]
    cost = sum(KINDS[each.kind].turns for each in planned if each)
    assert cost <= allowance
    assert cost > allowance - 2 or KINDS[kind].turns == 0


def test_equal_histories_meet_equal_faults_in_two_processes() -> None:
    script = (
        "from tests.wrappers.test_faults import *\n"
        "print(drawn(FaultModel(rate=0.4, kinds=dict.fromkeys(KINDS, 1.0), mean_burst=2.0), [look, add], 500))\n"
    )
    root = str(Path(__file__).resolve().parents[2])
    outputs = set()
    for seed in ("1", "2"):
        environment = {"PYTHONHASHSEED": seed, "PYTHONPATH": root}
        command = [sys.executable, "-c", script]
        outputs.add(subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout)
    here = drawn(FaultModel(rate=0.4, kinds=dict.fromkeys(KINDS, 1.0), mean_burst=2.0), [look, add], 500)
    assert outputs == {f"{here}\n"}


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"rate": 1.1}, "rate"),
        ({"rate": {"look": -1}}, "rate"),
        ({"rate": []}, "rate"),
        ({"rate": [(0.5, 0.1), (0.2, 0.3)]}, "ascending"),
        ({"rate": 0.1, "kinds": {"timeout": 0}}, "positive weight"),
        ({"rate": 0.1, "kinds": {"timeout": -1}}, "kinds.timeout"),
        ({"rate": 0.9, "mean_burst": 2.0}, "mean_burst"),
        ({"rate": 0.1, "outage_calls": (0, 2)}, "outage_calls"),
        ({"rate": 0.1, "max_blocked_submits": -1}, "max_blocked_submits|at least 0"),
    ],
)
def test_values_out_of_range_are_refused_by_name(arguments: dict[str, Any], named: str) -> None:
    with pytest.raises(TaskError, match=named):
        FaultModel(**arguments)


def test_an_unknown_kind_is_refused_with_the_nearest() -> None:
    with pytest.raises(RegistryError, match="'timeout'"):
        FaultModel(rate=0.1, kinds={"time_out": 1})
