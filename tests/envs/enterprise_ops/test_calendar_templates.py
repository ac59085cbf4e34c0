"""Calendar tasks: the plan solves them, other right ways do too, and what is nearly right does not."""

from __future__ import annotations

import datetime as dt
from functools import partial

import pytest

from opsgym.core.task import ToolCall
from opsgym.envs.enterprise_ops.calendar.recurrence import DAYS
from opsgym.envs.enterprise_ops.calendar.templates import TEMPLATES
from opsgym.envs.enterprise_ops.calendar.zones import to_utc
from opsgym.envs.enterprise_ops.plan import plan_of
from tests.envs.enterprise_ops import rewriting
from tests.envs.enterprise_ops.rewriting import Rewrite, outcome, with_arguments

compiled = partial(rewriting.compiled, "calendar")


def test_there_are_7_kinds_of_tasks() -> None:
    assert len({item.name for item in TEMPLATES}) == 7


def _in_utc(call: ToolCall) -> list[ToolCall]:
    """Times as moments with a distance, in place of times of a zone."""
    if call.name != "create_event":
        return [call]
    ends = {}
    for name in ("start", "end"):
        given = call.arguments[name]
        moment = to_utc(dt.datetime.fromisoformat(given["dateTime"]), given["timeZone"])
        ends[name] = {"dateTime": f"{moment.isoformat()}Z"}
    return [with_arguments(call, **ends)]


def _with_organizer(call: ToolCall) -> list[ToolCall]:
    """The organizer among the guests."""
    if call.name != "create_event":
        return [call]
    own = [item["id"] for item in ITEMS if item["id"] not in [guest["email"] for guest in call.arguments["attendees"]]]
    return [with_arguments(call, attendees=[*call.arguments["attendees"], *({"email": email} for email in own)])]


ITEMS: list[dict[str, str]] = []


def _by_day(call: ToolCall) -> list[ToolCall]:
    """The same rule in other words."""
    if call.name != "create_event":
        return [call]
    day = dt.datetime.fromisoformat(call.arguments["start"]["dateTime"])
    rule = call.arguments["recurrence"][0].removeprefix("RRULE:")
    return [with_arguments(call, recurrence=[f"RRULE:BYDAY={DAYS[day.weekday()]};{rule}"])]


def _half_an_hour_later(call: ToolCall) -> list[ToolCall]:
    if call.name not in ("create_event", "patch_event"):
        return [call]
    ends = {}
    for name in ("start", "end"):
        given = call.arguments[name]
        moment = dt.datetime.fromisoformat(given["dateTime"]) + dt.timedelta(minutes=30)
        ends[name] = given | {"dateTime": moment.isoformat()}
    return [with_arguments(call, **ends)]


def _whole_series(call: ToolCall) -> list[ToolCall]:
    """The series in place of single occurrences."""
    if call.name != "delete_event":
        return [call]
    return [with_arguments(call, eventId=call.arguments["eventId"].rpartition("_")[0])]


@pytest.mark.parametrize(("name", "rewrite"), [("calendar_book_free_slot", _in_utc), ("calendar_plan_series", _by_day)])
def test_other_right_ways_are_right(name: str, rewrite: Rewrite) -> None:
    assert outcome(compiled(name), rewrite) == 1


def test_the_organizer_may_be_among_the_guests() -> None:
    task = compiled("calendar_book_free_slot")
    ITEMS[:] = next(call.arguments["items"] for call in plan_of(task).oracle() if call.name == "query_freebusy")
    assert outcome(task, _with_organizer) == 1


@pytest.mark.parametrize(
    ("name", "rewrite"),
    [
        ("calendar_book_free_slot", _half_an_hour_later),
        ("calendar_reschedule_meetings", _half_an_hour_later),
        ("calendar_cancel_occurrences", _whole_series),
    ],
)
def test_what_is_nearly_right_fails(name: str, rewrite: Rewrite) -> None:
    assert outcome(compiled(name), rewrite) < 1
