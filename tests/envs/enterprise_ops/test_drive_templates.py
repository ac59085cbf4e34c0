"""Drive tasks: the plan solves them, other right ways do too, and what is nearly right does not."""

from __future__ import annotations

from functools import partial

import pytest

from opsgym.core.task import ToolCall
from opsgym.envs.enterprise_ops.drive.templates import TEMPLATES
from opsgym.envs.enterprise_ops.plan import plan_of
from opsgym.envs.enterprise_ops.play import Player
from tests.envs.enterprise_ops import rewriting
from tests.envs.enterprise_ops.rewriting import Rewrite, outcome, with_arguments

compiled = partial(rewriting.compiled, "drive")


def test_there_are_7_kinds_of_tasks() -> None:
    assert len({item.name for item in TEMPLATES}) == 7


def _all_published(call: ToolCall) -> list[ToolCall]:
    """A change that nobody asked for."""
    return [with_arguments(call, published=True) if call.name == "update_revisions" else call]


def _as_editor(call: ToolCall) -> list[ToolCall]:
    """A greater role than was asked for."""
    return [with_arguments(call, role="writer") if call.name == "create_permission" else call]


def _elsewhere(call: ToolCall) -> list[ToolCall]:
    """Copies at the top of one's own files in place of the folder."""
    return [with_arguments(call, parents=["root"]) if call.name == "copy_files" else call]


def _by_update(call: ToolCall) -> list[ToolCall]:
    """Classification by the label's name, with a list of one change."""
    if call.name != "modify_files_labels":
        return [call]
    change = {"labelId": "Classification", "fieldModifications": [{"setSelectionValues": ["Public"], "kind": "drive#x"}]}
    return [with_arguments(call, labelModifications=[change])]


def _later_shared(calls: list[ToolCall]) -> list[ToolCall]:
    """The folder shared before the copies are in it."""
    given = [call for call in calls if call.name == "create_permission"]
    rest = [call for call in calls if call.name != "create_permission"]
    place = next(number for number, call in enumerate(rest) if call.name == "create_file") + 1
    return [*rest[:place], *given, *rest[place:]]


def test_labels_may_be_named_as_people_do() -> None:
    assert outcome(compiled("drive_share_by_link"), _by_update) == 1


def test_the_order_of_independent_steps_is_free() -> None:
    task = compiled("drive_compile_pack")
    with Player(task) as player:
        assert player.play(_later_shared(plan_of(task).oracle())).verdict.reward == 1


@pytest.mark.parametrize(
    ("name", "rewrite"),
    [("drive_pin_revisions", _all_published), ("drive_compile_pack", _as_editor), ("drive_compile_pack", _elsewhere)],
)
def test_what_is_nearly_right_fails(name: str, rewrite: Rewrite) -> None:
    assert outcome(compiled(name), rewrite) < 1
