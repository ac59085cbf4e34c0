"""DomainRandomization: its box closes in on what the student can do, and never leaves the space."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opsgym.core.errors import TaskError
from opsgym.curricula import Choice, DomainRandomization, FloatRange, IntRange, TaskSpace


def played(sampler: DomainRandomization, solves: object, answers: int) -> list[dict[str, tuple[object, object]]]:
    bounds = []
    for _ in range(answers):
        ticket = sampler.ask()[0]
        sampler.tell(ticket.outcome(success=bool(solves(ticket.params))))  # type: ignore[operator]  # JSON
        bounds.append(sampler.bounds())
    return bounds


def test_bounds_converge_to_what_is_solved_within_a_step() -> None:
    space = TaskSpace({"load": FloatRange(0.0, 10.0), "slack": FloatRange(0.0, 1.0, "down")})
    sampler = DomainRandomization(space, step=0.05)
    bounds = played(sampler, lambda params: params["load"] <= 6.2 and params["slack"] >= 0.4, 6000)
    for late in bounds[4000:]:
        assert late["load"][0] == 0.0 and 5.7 <= late["load"][1] <= 6.7  # type: ignore[operator]  # JSON
        assert 0.35 <= late["slack"][0] <= 0.45 and late["slack"][1] == 1.0  # type: ignore[operator]  # JSON


@given(st.lists(st.booleans(), min_size=1, max_size=200), st.sampled_from([0.07, 0.5, 1.0]))
def test_bounds_never_leave_the_box_nor_cross(outcomes: list[bool], step: float) -> None:
    space = TaskSpace({"hidden": IntRange(2, 6), "load": FloatRange(0.0, 1.0), "tier": Choice(("a", "b"), "down")})
    sampler = DomainRandomization(space, queue=1, step=step, floor=0.0)
    for success in outcomes:
        ticket = sampler.ask()[0]
        space.encode(ticket.params)
        bounds = sampler.bounds()
        for name in ("hidden", "load"):
            low, high = bounds[name]
            assert low - 1e-12 <= ticket.params[name] <= high + 1e-12
        sampler.tell(ticket.outcome(success=success))
        assert 2 <= sampler.bounds()["hidden"][0] <= sampler.bounds()["hidden"][1] <= 6
        assert 0.0 <= sampler.bounds()["load"][0] <= sampler.bounds()["load"][1] <= 1.0


def test_the_queue_of_a_side_starts_anew_after_a_decision() -> None:
    sampler = DomainRandomization(TaskSpace({"hidden": (1, 9)}), queue=4, boundary=1.0, floor=0.0)
    seen = {"hidden:low": 0, "hidden:high": 0}
    for _ in range(200):
        ticket = sampler.ask()[0]
        seen[ticket.info["key"]] += 1
        before = sampler.bounds()
        sampler.tell(ticket.outcome(success=True))
        moved = sampler.bounds() != before
        assert not moved or seen[ticket.info["key"]] % 4 == 0
        assert len(sampler._queues[ticket.info["key"]]) == seen[ticket.info["key"]] % 4


def test_axes_without_a_direction_are_drawn_whole_from_the_start() -> None:
    space = TaskSpace({"domain": ["a", "b", "c"], "hidden": (1, 9)})
    drawn = {ticket.params["domain"] for ticket in DomainRandomization(space).ask(60)}
    assert drawn == {"a", "b", "c"}
    with pytest.raises(TaskError, match="expected an axis with a direction"):
        DomainRandomization(TaskSpace({"domain": ["a", "b"]}))
