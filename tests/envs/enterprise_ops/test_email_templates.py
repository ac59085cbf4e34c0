"""Email tasks: the plan solves them, other right ways do too, and what is nearly right does not."""

from __future__ import annotations

import base64
from functools import partial

import pytest

from opsgym.core.records.diff import Change
from opsgym.core.records.live_judge import changes_since
from opsgym.core.records.statements import by_key
from opsgym.core.task import ToolCall
from opsgym.core.world import World
from opsgym.envs.enterprise_ops.email.domain import EMAIL
from opsgym.envs.enterprise_ops.email.templates import TEMPLATES
from opsgym.envs.enterprise_ops.plan import plan_of
from opsgym.envs.enterprise_ops.play import Player, played
from tests.envs.enterprise_ops import rewriting
from tests.envs.enterprise_ops.rewriting import Rewrite, rewritten, with_arguments

compiled = partial(rewriting.compiled, "email")


def test_there_are_17_kinds_of_tasks() -> None:
    assert len({item.name for item in TEMPLATES}) == 17


def _as_raw(call: ToolCall) -> list[ToolCall]:
    """The same letter as text, packed."""
    if call.name != "send_message":
        return [call]
    given = dict(call.arguments)
    payload = given.pop("payload")
    lines = [f"{item['name']}: {item['value']}" for item in payload["headers"]]
    text = "\r\n".join(("MIME-Version: 1.0", "Content-Type: text/plain", "Date: Mon, 4 May 2026 10:00:00 +0000", *lines))
    packed = base64.urlsafe_b64encode(f"{text}\r\n\r\nDear all, {payload['body']['data']} Yours".encode()).decode()
    return [ToolCall(name=call.name, arguments=given | {"raw": packed})]


def _by_thread(call: ToolCall) -> list[ToolCall]:
    """Threads in place of single messages; each holds one."""
    return [ToolCall(name="trash_thread", arguments=call.arguments)] if call.name == "trash_message" else [call]


def _one_by_one(call: ToolCall) -> list[ToolCall]:
    if call.name != "batch_modify_messages":
        return [call]
    given = dict(call.arguments)
    return [ToolCall(name="modify_message", arguments={"userId": "me", **given, "id": key}) for key in given.pop("ids")]


def _named_sender(call: ToolCall) -> list[ToolCall]:
    """Recipients with their names, and the sender by address only."""
    if call.name != "create_draft":
        return [call]
    payload = dict(call.arguments["message"]["payload"])
    payload["headers"] = [
        item if item["name"] != "To" else {"name": "to", "value": f"Somebody <{item['value'].upper()}>"}
        for item in payload["headers"]
    ]
    return [with_arguments(call, message={"payload": payload})]


@pytest.mark.parametrize(
    ("name", "rewrite"),
    [
        ("answer_for_owner", _as_raw),
        ("purge_mail", _by_thread),
        ("retire_label", _one_by_one),
        ("file_mail", _one_by_one),
        ("write_from_alias", _named_sender),
    ],
)
def test_other_right_ways_are_right(name: str, rewrite: Rewrite) -> None:
    for seed in range(2):
        task = compiled(name, "medium", seed, distractors=100)
        calls = rewritten(task, rewrite)
        assert calls != plan_of(task).compliant()
        found = played(task, calls)
        assert (found.verdict.reward, found.errors) == (1.0, ()), found.failed


def test_a_delegate_may_come_before_another_goes() -> None:
    task = compiled("hand_over", "medium", 1)
    calls = plan_of(task).compliant()
    order = {"email_create_delegate": 0, "email_delete_delegate": 1, "submit": 2}
    looks = [call for call in calls if call.name not in order]
    work = sorted((call for call in calls if call.name in order), key=lambda call: order[call.name])
    assert played(task, [*looks, *work]).verdict.reward == 1


def test_a_hidden_first_moment_is_left_to_the_agent() -> None:
    task = compiled("set_vacation", "medium", 1, obligations=1, enforcement="permissive")
    plan = plan_of(task)
    assert plan.hidden == ("EMAIL-VACATION-COMPLETE",)

    def later(call: ToolCall) -> list[ToolCall]:
        if call.name != "update_vacation_settings":
            return [call]
        return [with_arguments(call, startTime=str(int(call.arguments["startTime"]) + 3_600_000))]

    assert played(task, rewritten(task, later)).verdict.reward == 1
    assert set(played(task, plan.blind()).failed) == {"EMAIL-VACATION-COMPLETE"}


def test_letters_with_swapped_recipients_are_wrong() -> None:
    task = compiled("answer_for_owner", "hard", 1, horizon=2, conditions=1)
    sent = [call for call in plan_of(task).compliant() if call.name == "send_message"]
    threads = [call.arguments["threadId"] for call in sent]
    swap = dict(zip(threads, reversed(threads), strict=True))

    def swapped(call: ToolCall) -> list[ToolCall]:
        return [with_arguments(call, threadId=swap[call.arguments["threadId"]])] if call.name == "send_message" else [call]

    assert 0 <= played(task, rewritten(task, swapped)).verdict.reward < 1


def test_a_letter_too_many_is_collateral() -> None:
    task = compiled("answer_for_owner", "medium", 1)
    calls = plan_of(task).compliant()
    again = next(call for call in calls if call.name == "send_message")
    assert "COLLATERAL" in played(task, [again, *calls]).failed


def test_requests_name_no_keys() -> None:
    for template in TEMPLATES:
        task = compiled(template.name.removeprefix("email_"), "hard", 2)
        words = task.instruction
        assert not any(mark in words for mark in ("Label_", "filter_", "key_", "user_", "alias_", "smime_", "draft_"))


@pytest.mark.parametrize("name", ["file_mail", "write_from_alias", "answer_for_owner", "filter_mail", "hand_over", "rotate_key"])
def test_a_plan_of_which_any_change_is_taken_back_solves_nothing(name: str) -> None:
    task = compiled(name, "hard", 1, enforcement="permissive")
    with Player(task) as player:
        assert player.play(plan_of(task).oracle()).verdict.is_success
        world = player.world
        assert isinstance(world, World)
        seeded = rewriting.FAMILY.baseline(rewriting.FAMILY.open(task), task)
        for change in changes_since(EMAIL, seeded["email"], world):
            world.execute("PRAGMA foreign_keys = OFF")
            world.execute("SAVEPOINT taken_back")
            _take_back(world, change)
            assert not rewriting.FAMILY.verify(seeded, world, task).is_success, str(change)
            world.execute("ROLLBACK TO taken_back")
            world.execute("RELEASE taken_back")


def _take_back(world: World, change: Change) -> None:
    table = change.table
    world.execute(f'DELETE FROM "{table.name}" WHERE {by_key(table)}', change.key)
    if change.old is not None:
        marks = ", ".join("?" * len(table.names))
        world.execute(f'INSERT INTO "{table.name}" VALUES ({marks})', [change.old[name] for name in table.names])
