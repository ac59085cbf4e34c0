"""Exceptions say what was expected and given, and survive the way between processes."""

from __future__ import annotations

import copy
import pickle

import pytest

from opsgym.core import errors
from opsgym.core.errors import (
    TOOL_ERROR_CODES,
    BackendError,
    EpisodeOver,
    InjectedFault,
    ModelError,
    OpsGymError,
    RegistryError,
    TaskError,
    ToolError,
)

EXAMPLES = [
    TaskError("expected 1, got 2", field="params.x"),
    TaskError("not a task"),
    RegistryError("tier", "esy", ["medium", "easy"], note="More comes later."),
    ToolError("not_found", "There is no order S1.", "Orders: S2"),
    InjectedFault("unavailable", "The server is busy."),
    EpisodeOver("call reset"),
    BackendError("the connection broke"),
    ModelError("timeout", "no answer from the server"),
]


def test_everything_raised_on_purpose_has_one_base() -> None:
    raised = [item for item in vars(errors).values() if isinstance(item, type) and issubclass(item, Exception)]
    assert all(issubclass(item, OpsGymError) for item in raised)
    assert {type(error) for error in EXAMPLES} | {OpsGymError} == set(raised)


def test_the_tree_in_the_docstring_names_every_exception() -> None:
    drawn = errors.__doc__ or ""
    for error in EXAMPLES:
        assert type(error).__name__ in drawn


@pytest.mark.parametrize("error", EXAMPLES, ids=lambda error: type(error).__name__)
def test_exceptions_pickle_and_copy(error: OpsGymError) -> None:
    for again in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
        assert type(again) is type(error)
        assert (str(again), again.args, vars(again)) == (str(error), error.args, vars(error))


def test_a_task_error_names_its_field() -> None:
    assert str(EXAMPLES[0]) == "params.x: expected 1, got 2"
    assert str(EXAMPLES[1]) == "not a task"


def test_a_registry_error_lists_what_exists_and_guesses() -> None:
    assert str(EXAMPLES[2]) == "unknown tier 'esy'; expected one of: easy, medium; did you mean 'easy'? More comes later."
    assert str(RegistryError("tier", None, [])) == "unknown tier None; expected one of: (none)"


def test_of_many_names_a_registry_error_lists_the_nearest_and_keeps_all() -> None:
    most = RegistryError.MOST
    names = [f"open_{number}" for number in range(1, most)] + ["open_channel"]
    few, many = RegistryError("pattern", "open_chanel", names), RegistryError("pattern", "open_chanel", [*names, "open_0"])
    assert all(name in str(few) for name in names)
    assert str(many).startswith(
        f"unknown pattern 'open_chanel'; expected one of {most + 1}, of which the nearest are: open_channel, "
    )
    assert str(many).endswith("; did you mean 'open_channel'?")
    assert str(many).count("open_") == 7  # what was given, the five nearest, and the guess
    assert len(many.known) == most + 1
    assert "did you mean" not in str(RegistryError("pattern", "x", many.known))


def test_a_tool_error_reads_as_data() -> None:
    assert ToolError("not_found", "No.", "Try.").as_dict() == {"code": "not_found", "message": "No.", "hint": "Try."}
    assert ToolError("not_found", "No.").as_dict() == {"code": "not_found", "message": "No."}
    assert "malformed_call" in TOOL_ERROR_CODES
    assert len(set(TOOL_ERROR_CODES)) == len(TOOL_ERROR_CODES)
