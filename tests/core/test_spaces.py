"""Text spaces are bounded, open to every character, quick to sample and right in vector environments."""

from __future__ import annotations

import datetime as dt
import json
import pickle
from collections.abc import Iterator
from typing import Annotated, Any, Literal, NotRequired

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import CustomSpaceError
from gymnasium.spaces import Dict, Text, Tuple
from gymnasium.spaces.utils import flatdim, flatten, flatten_space, unflatten
from gymnasium.utils.env_checker import check_env
from gymnasium.vector.utils import batch_space, create_shared_memory
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from opsgym.core.actions import parse_actions
from opsgym.core.schema_sample import SchemaSampler
from opsgym.core.spaces import ToolCallText, UnicodeText
from opsgym.core.task import ToolCall
from opsgym.core.tools import Tool, Toolbox, tool

ANSWER = 'Größe: {"naïve": "日本"}\n\tAction: 😀'


class Line(TypedDict):
    """A line of an order."""

    product: Annotated[str, Field(min_length=1)]
    quantity: Annotated[float, Field(gt=0, le=100)]
    note: NotRequired[str | None]


class Branch(BaseModel):
    """A tree, to have a schema that refers to itself."""

    name: str
    children: list[Branch] = []


@tool()
def everything(
    session: object,
    text: str,
    code: Annotated[str, Field(pattern=r"^[A-Z]{2,3}-\d+(\.x|_y)?[^a-z]?$", max_length=12)],
    word: Annotated[str, Field(min_length=3, max_length=5)],
    role: Literal["vendor", "customer", 3],
    only: Literal["one"],
    count: int,
    bounded: Annotated[int, Field(ge=-3, lt=4)],
    dozen: Annotated[int, Field(multiple_of=12, gt=0)],
    amount: float,
    share: Annotated[float, Field(gt=0, lt=1)],
    sure: bool,
    names: list[str],
    pair: tuple[int, str],
    some: Annotated[list[int], Field(min_length=2, max_length=3)],
    lines: list[Line],
    tree: Branch,
    prices: dict[str, float],
    either: int | list[str] | None,
    nothing: None,
    day: dt.date,
    moment: dt.datetime,
    hour: dt.time,
    open_: Any,
    optional: str | None = None,
    limit: Annotated[int, Field(ge=1, le=50)] = 20,
) -> None:
    """Take an argument of every type."""


@tool()
def submit(session: object) -> None:
    """Take none."""


BOX = Toolbox([everything, submit])


class Echo(gym.Env[dict[str, str], str]):
    """Answers with the action, beside text outside Gymnasium's alphabet."""

    def __init__(self) -> None:
        self.observation_space: gym.Space[Any] = Dict({"text": UnicodeText(500)})
        self.action_space = ToolCallText(BOX, 2_000)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[dict[str, str], dict[str, Any]]:
        super().reset(seed=seed)
        return {"text": f"{ANSWER}{self.np_random.integers(1000)}"}, {}

    def step(self, action: str) -> tuple[dict[str, str], float, bool, bool, dict[str, Any]]:
        return {"text": f"got {action}"[:500]}, 0.0, False, False, {}


@pytest.fixture(scope="module", autouse=True)
def echo_env() -> Iterator[None]:
    """Register the test environment for the time of this module."""
    gym.register("UnicodeEcho-v0", entry_point=f"{__name__}:Echo")
    yield
    gym.registry.pop("UnicodeEcho-v0")


@given(st.text(st.characters()))
def test_membership_is_a_matter_of_length(text: str) -> None:
    space = UnicodeText(6, min_length=2)
    assert (text in space) == (2 <= len(text) <= 6)
    assert text.encode(errors="replace") not in space


@pytest.mark.parametrize("bounds", [(0, 0), (0, 1), (3, 3), (0, 100_000), (90, 100_000)])
def test_samples_are_within_the_bounds_and_printable(bounds: tuple[int, int]) -> None:
    space = UnicodeText(bounds[1], min_length=bounds[0], seed=1)
    for _ in range(200):
        text = space.sample()
        assert text in space
        assert text.isprintable()
        assert len(text) <= bounds[0] + 64


def test_samples_go_beyond_ascii_and_follow_the_seed() -> None:
    first, second, other = (UnicodeText(100, seed=seed) for seed in (5, 5, 6))
    drawn = [first.sample() for _ in range(20)]
    assert drawn == [second.sample() for _ in range(20)]
    assert drawn != [other.sample() for _ in range(20)]
    assert not "".join(drawn).isascii()
    first.seed(5)
    assert first.sample() == drawn[0]


def test_samples_follow_a_mask() -> None:
    space = UnicodeText(10, seed=1)
    mask = np.zeros(len(space.character_list), dtype=np.int8)
    mask[space.character_index("x")] = 1
    assert space.sample(mask=(4, mask)) == "xxxx"


def test_spaces_compare_by_what_they_accept() -> None:
    assert UnicodeText(5) == UnicodeText(5, seed=3)
    assert UnicodeText(5) != UnicodeText(6)
    assert UnicodeText(5) != UnicodeText(5, min_length=1)
    assert UnicodeText(5) != Text(5, min_length=0)
    assert Text(5, min_length=0) != UnicodeText(5)
    assert ToolCallText(BOX, 50) == ToolCallText(BOX.schemas(), 50)
    assert ToolCallText(BOX, 50) != ToolCallText(BOX, 51)
    assert ToolCallText(BOX, 50) != ToolCallText(BOX.subset(["submit"]), 50)
    assert ToolCallText(BOX, 50) != UnicodeText(50)
    assert UnicodeText(50) != ToolCallText(BOX, 50)


@pytest.mark.parametrize("space", [UnicodeText(40, seed=2), ToolCallText(BOX, 2_000, seed=2)])
def test_spaces_pickle_print_shortly_and_pass_through_json(space: UnicodeText) -> None:
    again = pickle.loads(pickle.dumps(space))
    assert again == space
    assert again.sample() == space.sample()
    assert len(repr(space)) < 60
    assert repr(again) == repr(space)
    samples = [space.sample() for _ in range(3)]
    assert space.from_jsonable(json.loads(json.dumps(space.to_jsonable(samples)))) == samples


def test_flattening_leaves_text_as_it_is() -> None:
    space = UnicodeText(40)
    assert not space.is_np_flattenable
    assert flatten_space(space) == space
    flat: Any = flatten(space, ANSWER)
    assert flat == ANSWER == unflatten(space, flat)
    with pytest.raises(ValueError, match="cannot be flattened"):
        flatdim(space)


def test_a_batch_is_a_tuple() -> None:
    space = ToolCallText(BOX, 2_000)
    assert batch_space(space, 3) == Tuple([space] * 3)
    assert all(text in space for text in batch_space(space, 3).sample())


def test_environments_with_these_spaces_pass_the_checker() -> None:
    check_env(gym.make("UnicodeEcho-v0").unwrapped)


@pytest.mark.parametrize(
    "options",
    [{"vectorization_mode": "sync"}, {"vectorization_mode": "async", "vector_kwargs": {"shared_memory": False}}],
    ids=["sync", "async"],
)
def test_vector_environments_return_what_their_members_say(options: dict[str, Any]) -> None:
    expected = [Echo().reset(seed=3 + i)[0]["text"] for i in range(2)]
    envs = gym.make_vec("UnicodeEcho-v0", num_envs=2, **options)
    try:
        observations, _ = envs.reset(seed=3)
        assert list(observations["text"]) == expected
        assert list(envs.step((ANSWER, "b"))[0]["text"]) == [f"got {ANSWER}", "got b"]
        assert list(envs.step(("", "😀"))[0]["text"]) == ["got ", "got 😀"]
    finally:
        envs.close()


def test_shared_memory_is_refused_rather_than_wrong() -> None:
    with pytest.raises(ValueError, match="shared_memory=False") as caught:
        gym.make_vec("UnicodeEcho-v0", num_envs=2, vectorization_mode="async")
    assert isinstance(caught.value.__cause__, CustomSpaceError)
    with pytest.raises(CustomSpaceError, match="ToolCallText"):
        create_shared_memory(ToolCallText(BOX, 50))


@given(seed=st.integers(0, 2**32 - 1))
def test_sampled_calls_are_valid_for_their_tool(seed: int) -> None:
    """Over a toolbox with an argument of every type that tools can have."""
    space = ToolCallText(BOX, 100_000, seed=seed)
    text = space.sample()
    assert text in space
    (call,) = parse_actions(text, BOX).calls
    assert isinstance(call, ToolCall)
    BOX.find(call.name).validate(call.arguments)


def test_samples_cover_tools_options_and_both_kinds_of_number() -> None:
    space = ToolCallText(BOX, 100_000, seed=0)
    drawn = [space.sample_call() for _ in range(300)]
    assert {call["name"] for call in drawn} == {"everything", "submit"}
    full = [call["arguments"] for call in drawn if call["name"] == "everything"]
    assert {type(arguments["either"]) for arguments in full} == {int, list, type(None)}
    assert {type(arguments["amount"]) for arguments in full} == {int, float}
    assert {"limit" in arguments for arguments in full} == {True, False}
    assert {arguments["bounded"] for arguments in full} == set(range(-3, 4))
    assert {arguments["role"] for arguments in full} == {"vendor", "customer", 3}


def test_sampled_calls_follow_the_seed() -> None:
    first, second = ToolCallText(BOX, 10_000, seed=9), ToolCallText(BOX, 10_000, seed=9)
    assert [first.sample() for _ in range(10)] == [second.sample() for _ in range(10)]


def test_samples_fit_even_where_no_call_does() -> None:
    space = ToolCallText([everything.schema()], 20, seed=1)
    assert all(space.sample() in space for _ in range(50))


def test_a_space_needs_a_tool() -> None:
    with pytest.raises(ValueError, match="at least one tool"):
        ToolCallText([], 100)


@pytest.mark.parametrize(
    ("schema", "reason"),
    [
        ({"type": "file"}, "file"),
        ({"type": "string", "format": "hostname"}, "hostname"),
        ({"type": "string", "pattern": r"(?!a)b"}, "ASSERT_NOT"),
    ],
)
def test_what_cannot_be_sampled_is_named(schema: dict[str, Any], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        SchemaSampler(np.random.default_rng(1)).draw(schema)


def test_samples_of_tools_are_valid_tool_by_tool() -> None:
    space = ToolCallText(BOX, 10_000, seed=4)
    for item in BOX.values():
        assert isinstance(item, Tool)
        assert space.sample_call(item.name)["name"] == item.name
