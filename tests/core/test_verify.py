"""Verdicts are fractions of the applicable checks, and read as JSON."""

from __future__ import annotations

import json
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opsgym.core.task import CheckSpec
from opsgym.core.verify import CheckResult, Status, Verdict, grouped_score


def result(status: Status, group: str = "g", mode: Literal["all", "each"] = "all") -> CheckResult:
    """The result of a check."""
    spec = CheckSpec(rule="r", dimension="constraint", group=group, mode=mode, args={"keys": [1]})
    return CheckResult(spec, status, expected={"a": [1]}, actual=(2,), message="No.")


results = st.lists(
    st.builds(result, st.sampled_from(["pass", "fail", "na"]), st.sampled_from("abc"), st.sampled_from(["all", "each"])),
    max_size=12,
)


@pytest.mark.parametrize(
    ("statuses", "score"),
    [
        ([], 1.0),
        ([("na", "a", "all")], 1.0),
        ([("pass", "a", "all"), ("pass", "a", "all")], 1.0),
        ([("pass", "a", "all"), ("fail", "a", "all")], 0.0),
        ([("pass", "a", "each"), ("fail", "a", "each")], 0.5),
        ([("pass", "a", "all"), ("na", "a", "all"), ("fail", "b", "each")], 0.5),
        ([("pass", "a", "all"), ("pass", "a", "all"), ("pass", "a", "all"), ("fail", "b", "all")], 0.75),
        ([("pass", "a", "all"), ("fail", "a", "all"), ("pass", "b", "each"), ("pass", "b", "each")], 0.5),
    ],
)
def test_groups_are_earned_whole_and_single_checks_alone(
    statuses: list[tuple[Status, str, Literal["all", "each"]]], score: float
) -> None:
    assert grouped_score([result(*status) for status in statuses]) == score


@given(results)
def test_the_score_is_a_fraction_whatever_the_order(items: list[CheckResult]) -> None:
    score = grouped_score(items)
    assert 0.0 <= score <= 1.0
    assert grouped_score(items[::-1]) == score
    assert grouped_score([*items, result("na")]) == score
    failed = any(item.status == "fail" for item in items)
    assert (score == 1.0) == (not failed)


@given(results, st.integers(0, 11))
def test_mending_a_check_never_costs(items: list[CheckResult], index: int) -> None:
    if index < len(items) and items[index].status == "fail":
        mended = [*items]
        mended[index] = result("pass", items[index].spec.group, items[index].spec.mode)
        assert grouped_score(mended) >= grouped_score(items)


def test_a_verdict_reads_as_json_and_shares_nothing() -> None:
    verdict = Verdict(0.25, False, {"constraint": 0.5}, (result("fail"),), gates=("spend",), metrics={"vendors": {"a": [1]}})
    first, second = verdict.as_dict(), verdict.as_dict()
    assert json.loads(json.dumps(first)) == first == second
    first["metrics"]["vendors"]["a"].append(2)
    first["scores"]["constraint"] = 1.0
    first["checks"][0]["expected"]["a"].append(2)
    first["checks"][0]["args"]["keys"].append(2)
    assert verdict.as_dict() == second
    assert second["checks"][0]["actual"] == [2]
    assert set(second) == {"reward", "is_success", "scores", "checks", "gates", "failure_families", "metrics", "canary"}
