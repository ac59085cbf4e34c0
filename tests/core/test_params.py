"""Difficulty parameters say their ranges once, and everything else follows from that."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np
import pytest
from gymnasium.spaces import Box, Dict, Discrete
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field

from opsgym.core.errors import RegistryError, TaskError
from opsgym.core.params import Params, knob

Days = Annotated[int, Field(ge=1, le=30)]


class Knobs(Params):
    """One field of each type."""

    orders: int = knob(4, low=2, high=40, unit="orders", harder="up", description="How many orders.")
    stock: float = knob(0.5, low=0.0, high=0.9, unit="share", harder="down", description="What is on hand.")
    shape: Literal["flat", "tree"] = knob("flat", unit="choice", harder="none", description="Shape.")
    only: Literal["one"] = knob("one", unit="choice", harder="none", description="A choice of one.")
    strict: bool = knob(False, unit="choice", harder="up", description="Whether to be strict.")
    window: tuple[Days, Days] = knob((2, 9), unit="days", harder="none", description="From and to.")


class Unbounded(Params):
    """A field of which no space can be made."""

    size: int = knob(4, low=1, unit="units", harder="up", description="Size.")


def test_space_has_one_entry_a_field_of_its_kind() -> None:
    assert Knobs.space() == Dict(
        {
            "orders": Discrete(39, start=2),
            "stock": Box(0.0, 0.9, shape=(), dtype=np.float64),
            "shape": Discrete(2),
            "only": Discrete(1),
            "strict": Discrete(2),
            "window": Box(1, 30, shape=(2,), dtype=np.int64),
        }
    )


@given(seed=st.integers(0, 2**32 - 1))
def test_every_sample_is_valid_and_plain(seed: int) -> None:
    space = Knobs.space()
    space.seed(seed)
    params = Knobs.from_sample(space.sample())
    assert Knobs.model_validate_json(params.model_dump_json()) == params
    assert {type(value) for value in params.model_dump().values()} <= {int, float, str, bool, tuple}
    assert params.window[0] <= params.window[1]


def test_samples_reach_both_ends() -> None:
    space = Knobs.space()
    space.seed(0)
    drawn = [Knobs.from_sample(space.sample()) for _ in range(400)]
    assert {params.orders for params in drawn} >= {2, 40}
    assert {params.shape for params in drawn} == {"flat", "tree"}
    assert {params.strict for params in drawn} == {False, True}


def test_a_partial_sample_leaves_the_rest_at_default() -> None:
    assert Knobs.from_sample({"shape": 1, "strict": 1}) == Knobs(shape="tree", strict=True)


def test_a_sample_with_an_unknown_name_is_refused() -> None:
    with pytest.raises(RegistryError, match=r"unknown parameter 'order'.*did you mean 'orders'"):
        Knobs.from_sample({"order": 3})


def test_a_field_without_a_range_has_no_space() -> None:
    with pytest.raises(TypeError, match="'size'"):
        Unbounded.space()


def test_description_has_a_row_for_each_field() -> None:
    rows = Knobs.describe()
    assert [row["name"] for row in rows] == list(Knobs.model_fields)
    assert rows[0] == {
        "name": "orders",
        "default": 4,
        "range": "2 to 40",
        "unit": "orders",
        "harder": "up",
        "description": "How many orders.",
    }
    assert [row["range"] for row in rows[1:]] == ["0.0 to 0.9", "flat, tree", "one", "false, true", "1 to 30; 1 to 30"]


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"orders": 1}, "params.orders"),
        ({"orders": "x"}, "params.orders"),
        ({"stock": float("nan")}, "params.stock"),
        ({"shape": "round"}, "params.shape"),
    ],
)
def test_a_value_out_of_range_names_its_field(values: dict[str, Any], field: str) -> None:
    with pytest.raises(TaskError) as caught:
        Knobs.build(values)
    assert caught.value.field == field


def test_override_checks_like_build() -> None:
    assert Knobs().override({"orders": 7}).orders == 7
    with pytest.raises(TaskError):
        Knobs().override({"orders": 99})
    with pytest.raises(RegistryError):
        Knobs().override({"nothing": 1})
