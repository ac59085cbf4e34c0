"""Gates decide by exact counts of the success bit."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opsgym.core.errors import TaskError
from opsgym.curricula import BudgetGate, Outcome, RangeGate, ZeroVarianceGate
from opsgym.curricula.ticket import Status


def group(successes: int, size: int, *, score: float = 0.0, broken: int = 0) -> list[Outcome]:
    done = [Outcome(0, 7, trial, success=trial < successes, score=score * trial) for trial in range(size)]
    status: Status = "error"
    return done + [Outcome(0, 7, size + trial, status=status) for trial in range(broken)]


@given(st.integers(1, 64), st.data(), st.floats(-1e6, 1e6), st.integers(0, 3))
def test_zero_variance_is_exactly_none_or_all(size: int, data: st.DataObject, score: float, broken: int) -> None:
    successes = data.draw(st.integers(0, size))
    admission = ZeroVarianceGate().admit(group(successes, size, score=score, broken=broken))
    assert admission.admitted == (0 < successes < size)
    assert admission.reason == {0: "too_hard", size: "too_easy"}.get(successes, "admitted")


@pytest.mark.parametrize(("successes", "reason"), [(0, "too_hard"), (1, "admitted"), (4, "admitted"), (5, "too_easy")])
def test_a_range_holds_its_ends(successes: int, reason: str) -> None:
    assert RangeGate(0.2, 0.8).admit(group(successes, 5)).reason == reason


def test_a_budget_lets_a_batch_fill() -> None:
    gate = BudgetGate(ZeroVarianceGate(), rejections=2)
    reasons = [gate.admit(group(successes, 4)).reason for successes in (0, 4, 0, 2, 4)]
    assert reasons == ["too_hard", "too_easy", "budget", "admitted", "budget"]
    gate.new_batch()
    assert not gate.admit(group(0, 4)).admitted
    assert gate.metrics() == {"admitted": 1, "budget": 2, "too_easy": 1, "too_hard": 2}


def test_a_group_without_a_finished_trial_is_empty_even_when_the_budget_is_used_up() -> None:
    gate = BudgetGate(ZeroVarianceGate(), rejections=1)
    gate.admit(group(0, 4))
    assert gate.admit(group(0, 0, broken=3)).reason == "empty"


def test_a_gate_resumes() -> None:
    gate = BudgetGate(RangeGate(0.1, 0.9), rejections=1)
    gate.admit(group(0, 4))
    again = BudgetGate(RangeGate(0.1, 0.9), rejections=1)
    again.load_state_dict(gate.state_dict())
    assert again.admit(group(0, 4)) == gate.admit(group(0, 4)) == (True, "budget")
    assert again.metrics() == gate.metrics()


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(TaskError, match="outcomes of one ticket"):
        ZeroVarianceGate().admit([Outcome(0, 7, success=True), Outcome(1, 7, success=True)])
    with pytest.raises(TaskError, match="expected low <= high"):
        RangeGate(0.8, 0.2)
    with pytest.raises(TaskError, match="rejections"):
        BudgetGate(ZeroVarianceGate(), rejections=0)
