"""Teams tasks: the plan solves them, other right ways do too, and what is nearly right does not."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from opsgym.core.task import ToolCall
from opsgym.envs.enterprise_ops.plan import plan_of
from opsgym.envs.enterprise_ops.play import played
from opsgym.envs.enterprise_ops.teams.templates import TEMPLATES
from tests.envs.enterprise_ops import rewriting
from tests.envs.enterprise_ops.rewriting import with_arguments

compiled = partial(rewriting.compiled, "teams")

Calls = list[ToolCall]


def each(name: str, **arguments: Any) -> Callable[[Calls], Calls]:
    """A rewriting that gives every call of a tool other arguments."""
    return lambda calls: [with_arguments(call, **arguments) if call.name == name else call for call in calls]


def test_there_are_13_kinds_of_tasks() -> None:
    assert len({item.name for item in TEMPLATES}) == 13


def test_requests_name_no_keys() -> None:
    for template in TEMPLATES:
        words = compiled(template.name.removeprefix("teams_"), "hard", 2).instruction
        assert not any(mark in words for mark in ("USER_", "TEAM_", "CHAN_", "TMEM_", "APP_", "TAG_", "WEBINAR_"))


# -- other right ways -----------------------------------------------------------------------------------------


def _team_at_once(calls: Calls) -> Calls:
    """Members and channels given with the team."""
    (made,) = [call for call in calls if call.name == "create_team"]
    members = [
        {"user_odata_bind": call.arguments["user_odata_bind"], "roles": call.arguments.get("roles", ["member"])}
        for call in calls
        if call.name == "add_team_member"
    ]
    channels = [{"displayName": call.arguments["displayName"]} for call in calls if call.name == "create_channel"]
    whole = with_arguments(made, members=[*made.arguments["members"], *members], channels=channels)
    rest = [call for call in calls if call.name not in ("create_team", "add_team_member", "create_channel", "submit")]
    return [*rest, whole, calls[-1]]


def _channel_at_once(calls: Calls) -> Calls:
    """Members given with the channel."""
    (made,) = [call for call in calls if call.name == "create_channel"]
    members = [{"user_odata_bind": call.arguments["user_odata_bind"]} for call in calls if call.name == "add_channel_member"]
    whole = with_arguments(made, members=[*members, *made.arguments["members"]])
    return [whole if call is made else call for call in calls if call.name != "add_channel_member"]


def _tag_at_once(calls: Calls) -> Calls:
    """Members given with the tag."""
    members = [{"userId": call.arguments["userId"]} for call in calls if call.name == "create_teamwork_tag_member"]
    kept = [call for call in calls if call.name != "create_teamwork_tag_member"]
    return [with_arguments(call, members=members) if call.name == "create_teamwork_tag" else call for call in kept]


def _in_tokyo(calls: Calls) -> Calls:
    """Times of an event in another zone."""

    def moved(time: dict[str, str]) -> dict[str, str]:
        there = dt.datetime.fromisoformat(time["dateTime"]) + dt.timedelta(hours=9)
        return {"dateTime": there.isoformat(), "timeZone": "Asia/Tokyo"}

    return [
        with_arguments(call, **{name: moved(call.arguments[name]) for name in ("startDateTime", "endDateTime")})
        if call.name == "create_virtual_event_townhall"
        else call
        for call in calls
    ]


def _richer_mention(calls: Calls) -> Calls:
    """A mention that tells more of whom it mentions, and a body in HTML."""

    def richer(call: ToolCall) -> ToolCall:
        user = call.arguments["mentions"][0]["mentioned"]["user"]
        mentions = [{"id": 0, "mentionText": "You", "mentioned": {"user": user | {"displayName": "You"}}}]
        html = {"contentType": "html", "content": f"<p>Dear all: {call.arguments['body']['content']}</p>"}
        return with_arguments(call, mentions=mentions, body=html)

    return [richer(call) if call.name == "send_channel_message" else call for call in calls]


@pytest.mark.parametrize(
    ("name", "rewrite"),
    [
        ("create_project_team", _team_at_once),
        ("open_private_channel", _channel_at_once),
        ("tag_people", _tag_at_once),
        ("plan_townhall", _in_tokyo),
        ("announce", _richer_mention),
        ("pin_tabs", each("add_tabs_to_channels", configuration={"contentUrl": "https://x.example", "entityId": "1"})),
        ("start_group_chat", each("send_chat_message", importance="normal", locale="en-gb", subject="")),
    ],
)
def test_other_right_ways_are_right(name: str, rewrite: Callable[[Calls], Calls]) -> None:
    for seed in range(2):
        task = compiled(name, "medium", seed, distractors=100)
        calls = rewrite(plan_of(task).compliant())
        assert calls != plan_of(task).compliant()
        found = played(task, calls)
        assert (found.verdict.reward, found.errors) == (1.0, ()), found.failed


# -- what is nearly right -------------------------------------------------------------------------------------


def test_a_message_too_many_is_collateral() -> None:
    task = compiled("announce", "medium", 1)
    calls = plan_of(task).compliant()
    again = next(call for call in calls if call.name == "send_channel_message")
    assert "COLLATERAL" in played(task, [again, *calls]).failed


def test_an_archived_channel_takes_no_last_message() -> None:
    task = compiled("wind_up_channel", "medium", 1, enforcement="permissive")
    calls = plan_of(task).compliant()
    order = {"archive_channel": 0, "delete_channel_tab": 1, "send_channel_message": 2, "submit": 3}
    found = played(task, sorted(calls, key=lambda call: order.get(call.name, -1)))
    assert {"TEAMS-MSG-ARCHIVED", "TEAMS-TAB-ARCHIVED"} <= set(found.failed)


def test_a_leaver_who_stays_in_a_team_breaks_a_hidden_rule() -> None:
    task = compiled("delete_leavers", "medium", 1, obligations=2, enforcement="permissive")
    plan = plan_of(task)
    assert set(plan.hidden) == {"TEAMS-USR-LEAVE", "TEAMS-MEM-LAST"}
    assert set(played(task, plan.blind()).failed) == {"TEAMS-USR-LEAVE"}
    assert "TEAMS-MEM-LAST" in played(task, plan.blind(["TEAMS-MEM-LAST"])).failed


def test_the_wrong_namesake_is_noticed() -> None:
    task = compiled("tag_people", "medium", 0, traps=1)
    plan = plan_of(task)
    assert [item.kind for item in plan.mistakes] == ["namesake"]
    assert not played(task, plan.mistaken()).verdict.is_success
