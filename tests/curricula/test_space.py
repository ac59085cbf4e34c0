"""Task spaces: every family has one, points survive the cube, and what is no task is left out."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import opsgym
from opsgym.core.errors import RegistryError, TaskError
from opsgym.curricula import Choice, FloatRange, IntRange, TaskSpace, Ticket, certifier

MIXED = TaskSpace(
    {
        "topology": Choice(("none", "serial", "parallel")),
        "centers": IntRange(1, 4, when={"topology": ("serial", "parallel")}),
        "lead": FloatRange(0.5, 2.0, "down"),
    },
    fixed={"domain": "any"},
)


@given(st.lists(st.floats(0, 1), min_size=3, max_size=3))
def test_a_point_survives_the_way_to_the_cube_and_back(position: list[float]) -> None:
    point = MIXED.decode(position)
    encoded = MIXED.encode(point)
    assert ((encoded >= 0) & (encoded <= 1)).all()
    again = MIXED.decode(encoded.tolist())
    assert again["lead"] == pytest.approx(point["lead"])
    assert {**again, "lead": 0} == {**point, "lead": 0}


def test_a_conditional_axis_is_left_out_where_it_does_not_count() -> None:
    assert "centers" not in MIXED.decode([0.0, 0.9, 0.5])
    assert MIXED.decode([0.5, 0.9, 0.5])["centers"] == 4
    assert MIXED.encode({"topology": "none", "lead": 1.0})[1] == 0.5
    assert len(MIXED.grid(bins=5)) == (1 + 2 * 4) * 5
    others = MIXED.neighbours({"domain": "any", "topology": "none", "lead": 1.25})
    assert {other["topology"]: other.get("centers") for other in others} == {"serial": 3, "parallel": 3, "none": None}


def test_difficulty_follows_the_directions() -> None:
    easy, hard = ({"topology": "serial", "centers": centers, "lead": lead} for centers, lead in ((1, 2.0), (4, 0.5)))
    assert MIXED.difficulty(easy) < 0.1 < 0.9 < MIXED.difficulty(hard)
    rungs = MIXED.ladder(5)
    assert rungs[0]["lead"] == 2.0 and rungs[-1]["lead"] == 0.5


@pytest.mark.parametrize("env_id", opsgym.ENV_IDS)
def test_every_family_has_a_space_whose_samples_its_model_takes(env_id: str) -> None:
    space = TaskSpace.of(env_id)
    model: Any = gym.make(env_id, cache=None).unwrapped.family.params_type  # type: ignore[attr-defined]  # a ToolEnv
    assert set(space.axes) == set(model.model_fields)
    rng = np.random.default_rng(0)
    for _ in range(20):
        point = space.sample(rng)
        built = model.build(point)
        assert {name: getattr(built, name) for name in point} == point


@pytest.mark.parametrize(
    ("env_id", "axes", "fixed"),
    [
        ("ACEBench-v0", {"hidden": (1, 4), "decoys": (0, 4)}, {"tier": "easy", "rows": 3, "cols": 3}),
        ("ERPBench-v0", {"customers": (2, 6), "failure_rate": (0.0, 0.2)}, {"tier": "easy"}),
    ],
)
def test_tickets_of_a_family_are_played_as_they_say(env_id: str, axes: Any, fixed: dict[str, Any]) -> None:
    space = TaskSpace.of(env_id, axes, fixed=fixed)
    env, certify = gym.make(env_id, cache=None), certifier(env_id, cache=None)
    for cell in (space.grid(3)[0], space.grid(3)[-1]):
        assert certify(cell, 4)
        ticket = Ticket(0, {name: value for name, value in cell.items() if name != "failure_rate"}, 4)
        _, info = env.reset(seed=ticket.seed, options=ticket.options())
        assert {name: env.unwrapped.task.params[name] for name in space.axes if name != "failure_rate"} == {  # type: ignore[attr-defined]  # a ToolEnv
            name: cell[name] for name in space.axes if name != "failure_rate"
        }
        assert info["task_id"]


def test_points_that_the_family_refuses_are_left_out() -> None:
    space = TaskSpace.of("ACEBench-v0", {"hidden": (3, 6)}, fixed={"tier": "easy", "rows": 2, "cols": 2})
    assert [cell["hidden"] for cell in space.grid()] == [3, 4]
    assert not certifier("ACEBench-v0", cache=None)({"rows": 2, "cols": 2, "hidden": 6}, 0)


def test_a_space_without_any_task_says_so() -> None:
    space = TaskSpace.of("ACEBench-v0", {"hidden": (5, 6)}, fixed={"tier": "easy", "rows": 2, "cols": 2})
    with pytest.raises(TaskError, match="refuses every point"):
        space.grid()
    with pytest.raises(TaskError, match="no valid point in 1000 tries"):
        space.sample(np.random.default_rng(0))


def test_names_and_ranges_that_do_not_exist_are_refused() -> None:
    with pytest.raises(RegistryError, match="did you mean 'hidden'"):
        TaskSpace.of("ACEBench-v0", ["hiden"])
    with pytest.raises(RegistryError, match="unknown environment"):
        TaskSpace.of("ACE-v0")
    with pytest.raises(TaskError, match=r"hidden: expected a whole number from 1 to 100, got 101"):
        TaskSpace.of("ACEBench-v0", {"hidden": (1, 101)})
    with pytest.raises(TaskError, match="expected one of"):
        TaskSpace.of("ACEBench-v0", {"domain": ["course", "space"]})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"axes": {}}, "at least one axis"),
        ({"axes": {"a": (1, 2)}, "fixed": {"a": 1}}, "both an axis and a fixed value"),
        ({"axes": {"a": IntRange(1, 2, when={"b": (1,)})}}, "no axis before it"),
        ({"axes": {"a": 3}}, "expected an axis"),
        ({"axes": {"a": (2, 1)}}, "expected low <= high"),
        ({"axes": {"a": Choice}}, "expected an axis"),
    ],
)
def test_spaces_that_make_no_sense_are_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(TaskError, match=message):
        TaskSpace(**arguments)


def test_too_many_cells_are_refused() -> None:
    with pytest.raises(TaskError, match="1000000 cells, expected at most 100000"):
        TaskSpace(dict.fromkeys("abcdef", (1, 10))).grid()


def test_the_grid_of_a_wide_axis_has_as_many_values_as_asked_for() -> None:
    space = TaskSpace({"customers": (1, 100), "share": FloatRange(0.0, 1.0)})
    assert len(space.grid(bins=4)) == 16
    assert [cell["customers"] for cell in space.grid(bins=4)[::4]] == [13, 38, 63, 88]
