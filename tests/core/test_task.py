"""A task is immutable, travels as JSON, and knows when it was altered."""

from __future__ import annotations

import datetime as dt
import json
import pickle
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from opsgym.core.errors import TaskError
from opsgym.core.task import SCHEMA_VERSION, Certificate, CheckSpec, Task, ToolCall, canonical_json, content_hash

text = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
    max_leaves=8,
)
objects = st.dictionaries(text, json_values, max_size=3)


def make_task(**changes: Any) -> Task:
    """A small task."""
    values: dict[str, Any] = {
        "family": "Toy-v0",
        "version": "1",
        "seed": 7,
        "tier": "easy",
        "pattern": "one",
        "params": {"size": 2, "share": 0.5},
        "instruction": "Größe\u2028eins",
        "tools": ("look", "add"),
        "world": {"rows": [{"id": 1}]},
        "oracle": (ToolCall(name="add", arguments={"amount": 3}), ToolCall(name="submit")),
        "checks": (CheckSpec(rule="equals", dimension="constraint", group="g", args={"name": "a"}),),
        "certificate": Certificate(status="optimal", objective="cost", value=3, bound=3),
    }
    return Task(**values | changes)


def test_the_content_hash_never_changes() -> None:
    """Golden: a task file written today must be accepted by every later release."""
    assert make_task().id == "e2037f187a9850d2"
    assert content_hash({"b": [1, 2.5, None], "a": "ß"}) == "287eb655fcda5ea1"


@pytest.mark.parametrize("hash_seed", ["0", "1"])
def test_the_content_hash_is_the_same_in_every_process(hash_seed: str) -> None:
    code = "import sys; from opsgym.core.task import Task; print(Task.from_json(sys.stdin.buffer.read()).to_json().encode())"
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=make_task().to_json().encode(),
        env={"PYTHONHASHSEED": hash_seed},
        capture_output=True,
        check=True,
    )
    assert done.stdout.decode().strip() == str(make_task().to_json().encode())


@given(params=objects, world=objects, metadata=objects, instruction=text, arguments=objects)
def test_tasks_round_trip_through_json(
    params: dict[str, Any], world: dict[str, Any], metadata: dict[str, Any], instruction: str, arguments: dict[str, Any]
) -> None:
    calls = (ToolCall(name="add", arguments=arguments),)
    task = make_task(params=params, world=world, metadata=metadata, instruction=instruction, oracle=calls)
    written = task.to_json()
    assert "\n" not in written
    assert Task.from_json(written) == task
    assert Task.from_json(written.encode()).to_json() == written
    assert pickle.loads(pickle.dumps(task)) == task


def test_any_change_of_content_changes_the_id() -> None:
    task = make_task()
    changed = [
        make_task(seed=8),
        make_task(tools=("look",)),
        make_task(world={"rows": []}),
        make_task(params={"size": 2, "share": 0.25}),
        make_task(oracle=()),
        make_task(metadata={"note": 1}),
        make_task(certificate=Certificate(status="feasible", objective="cost", value=3, bound=2)),
    ]
    assert len({task.id, *(other.id for other in changed)}) == 1 + len(changed)


def test_equal_content_gives_equal_text_whatever_the_order_of_keys() -> None:
    assert make_task(world={"a": 1, "b": 2}).to_json() == make_task(world={"b": 2, "a": 1}).to_json()


def test_a_task_cannot_be_assigned_to() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        make_task().seed = 1


DAMAGE: list[tuple[dict[str, Any], str]] = [
    ({"seed": 8}, "id"),
    ({"id": "0" * 16}, "id"),
    ({"schema_version": SCHEMA_VERSION + 1}, "schema_version"),
    ({"schema_version": 0}, "schema_version"),
    ({"schema_version": True}, "schema_version"),
    ({"schema_version": "1"}, "schema_version"),
    ({"seed": "7"}, "seed"),
    ({"surprise": 1}, "surprise"),
    ({"tools": "look"}, "tools"),
    ({"oracle": [{"name": "add"}, {"arguments": {}}]}, "oracle.1.name"),
    ({"checks": [{"rule": "r", "dimension": "d", "group": "g", "mode": "most"}]}, "checks.0.mode"),
    ({"certificate": {"status": "guess", "objective": "x", "value": 1, "bound": 1}}, "certificate.status"),
    ({"family": "Other-v0"}, "family"),
]


@pytest.mark.parametrize(("damage", "field"), DAMAGE, ids=lambda value: str(value)[:40])
def test_a_damaged_task_is_refused_and_its_field_named(damage: dict[str, Any], field: str) -> None:
    data = json.loads(make_task().to_json()) | damage
    with pytest.raises(TaskError) as caught:
        Task.from_json(json.dumps(data), family="Toy-v0")
    assert caught.value.field == field
    assert str(caught.value).startswith(f"{field}: ")


@pytest.mark.parametrize("name", [name for name, field in Task.model_fields.items() if field.is_required()])
def test_a_missing_field_is_named(name: str) -> None:
    data = json.loads(make_task().to_json())
    del data[name]
    with pytest.raises(TaskError) as caught:
        Task.from_dict(data)
    assert caught.value.field == name


def test_an_altered_task_says_so() -> None:
    data = json.loads(make_task().to_json()) | {"instruction": "Ship it all."}
    with pytest.raises(TaskError, match=r"^id: id '\w{16}' does not match the content, expected '\w{16}': the task was altered$"):
        Task.from_dict(data)


def test_a_newer_file_says_to_upgrade() -> None:
    data = json.loads(make_task().to_json()) | {"schema_version": 99, "some_later_field": 1}
    with pytest.raises(TaskError, match="format version 99, this OpsGym reads up to 1; upgrade opsgym"):
        Task.from_dict(data)


@pytest.mark.parametrize(
    "given_text", ["", "{", "[]", "null", '"task"', b"\xff\xfe", "[" * 100_000, "9" * 5_000, "\ud800"], ids=repr
)
def test_what_is_no_task_is_refused(given_text: str | bytes) -> None:
    with pytest.raises(TaskError, match="not a task"):
        Task.from_json(given_text)


@given(st.text() | st.binary() | json_values.map(json.dumps))
def test_reading_never_raises_anything_else(given_text: str | bytes) -> None:
    with pytest.raises(TaskError):
        Task.from_json(given_text)


@pytest.mark.parametrize(
    "value", [{1, 2}, dt.date(2026, 1, 1), object(), float("nan"), float("inf"), "\ud800", b"x"], ids=lambda v: type(v).__name__
)
def test_content_that_json_cannot_say_alike_everywhere_is_refused(value: object) -> None:
    with pytest.raises(ValidationError):
        make_task(world={"x": [value]})


def test_what_an_agent_may_see_holds_nothing_of_the_solution() -> None:
    shown = make_task().public()
    assert set(shown) == {"family", "version", "instruction", "policy", "tools"}
    shown["tools"].append("other")
    assert make_task().public()["tools"] == ["look", "add"]


def test_canonical_json_has_no_room_for_difference() -> None:
    assert canonical_json({"b": 1, "a": ["ß", 1.0]}) == '{"a":["ß",1.0],"b":1}'
    with pytest.raises(ValueError, match="not JSON compliant"):
        canonical_json(float("nan"))
