"""Calendar: access comes from access rules, the policy binds, occurrences are told apart, and tools keep the world whole."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from opsgym.core.records.invariants import violations
from opsgym.core.records.judge import Judge
from opsgym.core.records.records import Records
from opsgym.core.tools import Tool
from opsgym.envs.enterprise_ops.calendar.domain import CALENDAR
from tests.envs.enterprise_ops.calls import Make, attempt, every_sort, known_values, valid
from tests.envs.enterprise_ops.small import Step
from tests.envs.enterprise_ops.small_calendar import ACTORS, PEOPLE, ROWS, broken, call, forbidden, refused, session

BEN, CIA = "ben@north.example", "cia@north.example"
OUT = "zoe@partner.example"
ROOM = "harbour@rooms.north.example"


def at(day: int, hour: int, minute: int = 0, zone: str = "America/New_York") -> dict[str, str]:
    return {"dateTime": f"2026-05-{day:02d}T{hour:02d}:{minute:02d}:00", "timeZone": zone}


def new(day: int = 12, hour: int = 10, calendar: str = "primary", **more: Any) -> Step:
    """The creation of an hour's event."""
    return "create_event", {"calendarId": calendar, "start": at(day, hour), "end": at(day, hour + 1), "summary": "New", **more}


def test_it_has_18_tables_and_37_tools() -> None:
    assert len(CALENDAR.tables) == 18
    assert len(CALENDAR.toolbox) == 37


# -- policy -------------------------------------------------------------------------------------------------

HOOK = {"id": "chan-9", "type": "web_hook", "address": "https://a.example"}
BREACHES: list[tuple[str, str, str, dict[str, Any]]] = [
    ("CAL-WRITE", "user", *new(calendar="CAL_007")),
    ("CAL-LEAVE", "user", "move_event", {"calendarId": "CAL_007", "eventId": "EVT_008", "destination": "primary"}),
    ("CAL-DELETE", "cia", "clear_calendar", {"calendarId": BEN}),
    ("CAL-PAST", "user", *new(day=1)),
    ("CAL-ORGANIZER", "cia", "patch_event", {"calendarId": "CAL_006", "eventId": "EVT_006", "summary": "Mine"}),
    ("CAL-LOCKED", "user", "patch_event", {"calendarId": "CAL_006", "eventId": "EVT_007", "summary": "Open"}),
    ("CAL-LOCKED", "cia", "patch_event", {"calendarId": "CAL_006", "eventId": "EVT_007", "locked": False}),
    ("CAL-TYPE", "user", *new(calendar="CAL_006", eventType="focusTime")),
    ("CAL-FOCUS-BUSY", "user", *new(eventType="focusTime", transparency="transparent")),
    ("CAL-CONFIDENTIAL", "user", *new(visibility="private", attendees=[{"email": OUT}])),
    ("CAL-ROOM", "user", *new(day=7, hour=11, attendees=[{"email": ROOM, "resource": True}])),
    ("CAL-ANSWER", "user", *new(attendees=[{"email": CIA, "responseStatus": "accepted"}])),
    ("CAL-META", "cia", "patch_calendar", {"calendarId": "CAL_006", "summary": "x"}),
    ("CAL-DROP", "cia", "delete_calendar", {"calendarId": "CAL_006"}),
    ("CAL-DROP-AHEAD", "user", "delete_calendar", {"calendarId": "CAL_006"}),
    ("CAL-ACL", "cia", "insert_acl_rule", {"calendarId": "CAL_006", "scope": {"type": "user", "value": OUT}, "role": "reader"}),
    ("CAL-ACL-PUBLIC", "user", "insert_acl_rule", {"calendarId": "CAL_006", "scope": {"type": "default"}, "role": "reader"}),
    (
        "CAL-ACL-OUTSIDE",
        "user",
        "insert_acl_rule",
        {"calendarId": "CAL_006", "scope": {"type": "user", "value": OUT}, "role": "writer"},
    ),
    (
        "CAL-ACL-OUTSIDE",
        "user",
        "insert_acl_rule",
        {"calendarId": "primary", "scope": {"type": "domain", "value": "partner.example"}, "role": "reader"},
    ),
    ("CAL-ACL-KEEP", "user", "patch_acl_rule", {"calendarId": "CAL_006", "ruleId": f"user:{BEN}", "role": "writer"}),
    ("CAL-ACL-KEEP", "user", "delete_acl_rule", {"calendarId": "CAL_006", "ruleId": "ACL_011"}),
    ("CAL-WATCH-ADDRESS", "user", "watch_settings", HOOK | {"address": "http://a.example"}),
    ("CAL-WATCH-TTL", "user", "watch_events", HOOK | {"calendarId": "CAL_006", "params": {"ttl": str(61 * 86400)}}),
    ("RIGHTS", "auditor", "create_calendar", {"summary": "x"}),
    ("RIGHTS", "assistant", "patch_calendar", {"calendarId": "CAL_006", "summary": "x"}),
]
OBLIGATIONS = {"CAL-GUEST-LIST", "CAL-AGENDA", "CAL-REMOTE"}


@pytest.mark.parametrize(("rule", "role", "tool", "arguments"), BREACHES)
def test_a_strict_tool_refuses_with_the_rule(rule: str, role: str, tool: str, arguments: dict[str, Any]) -> None:
    records = session(role)
    if (rule, tool) == ("CAL-DELETE", "clear_calendar"):
        records.world.execute("UPDATE acl_rules SET role = 'reader' WHERE calendar_id = ? AND role = 'freeBusyReader'", (BEN,))
    forbidden(records, rule, tool, **arguments)


@pytest.mark.parametrize(("rule", "role", "tool", "arguments"), BREACHES)
def test_the_same_breach_shows_in_the_end_state(rule: str, role: str, tool: str, arguments: dict[str, Any]) -> None:
    assert rule in broken(role, (tool, arguments))


MOVED = ("patch_event", {"calendarId": "primary", "eventId": "EVT_010", "start": at(7, 11), "end": at(7, 12)})
IN_ROOM = new(day=8, attendees=[{"email": ROOM, "resource": True}])


def test_a_room_is_not_taken_by_moving() -> None:
    records = session()
    call(records, IN_ROOM[0], **IN_ROOM[1])
    forbidden(records, "CAL-ROOM-MOVE", MOVED[0], **MOVED[1])
    records.world.execute("UPDATE event_attendees SET response_status = 'declined' WHERE event_id = 'EVT_006' AND resource")
    call(records, MOVED[0], **MOVED[1])


def test_moving_into_a_room_shows_in_the_end_state() -> None:
    records = session("user", "permissive")
    call(records, IN_ROOM[0], **IN_ROOM[1])
    before = records.world.snapshot()
    call(records, MOVED[0], **MOVED[1])
    with Judge(CALENDAR, before, records.world.snapshot(), ACTORS["user"]) as judge:
        assert judge.rule(CALENDAR.rule_by_id["CAL-ROOM-MOVE"]).status == "fail"


def test_locked_events_are_not_deleted_for_good() -> None:
    records = session()
    records.world.execute("UPDATE events SET locked = 1 WHERE id = 'EVT_002'")
    forbidden(records, "CAL-LOCKED-DELETE", "clear_calendar", calendarId="primary")


def test_every_rule_has_a_breach_above_or_a_test_of_its_own() -> None:
    own = OBLIGATIONS | {"CAL-ROOM-MOVE", "CAL-LOCKED-DELETE"}
    assert {rule.id for rule in CALENDAR.rules} == {rule for rule, *_ in BREACHES} - {"RIGHTS"} | own


def test_obligations_show_in_the_end_state() -> None:
    many = [{"email": email} for _, email, _ in PEOPLE]
    near = [{"email": email} for _, email, zone in PEOPLE if zone == "America/New_York"]
    assert broken("user", new(attendees=[{"email": OUT}])) == {"CAL-GUEST-LIST"}
    assert broken("user", new(attendees=[{"email": OUT}], guestsCanSeeOtherGuests=False)) == set()
    assert broken("user", new(attendees=many)) == {"CAL-AGENDA", "CAL-REMOTE"}
    conference = {"createRequest": {"requestId": "r"}}
    assert broken("user", new(attendees=many, description="Agenda", conferenceData=conference)) == set()
    assert broken("user", new(attendees=near)) == set()


@pytest.mark.parametrize(
    ("role", "steps"),
    [
        ("user", [new(recurrence=["RRULE:FREQ=WEEKLY;COUNT=4"], reminders={"overrides": [{"method": "email", "minutes": 60}]})]),
        ("assistant", [new(calendar="CAL_006")]),
        ("user", [("patch_event", {"calendarId": "CAL_006", "eventId": "EVT_006", "colorId": "5"})]),
        ("user", [("patch_event", {"calendarId": "CAL_006", "eventId": "EVT_007", "locked": False, "summary": "Open"})]),
        ("user", [("delete_event", {"calendarId": "primary", "eventId": "EVT_001_20260506T130000Z"})]),
        ("user", [("move_event", {"calendarId": "primary", "eventId": "EVT_002", "destination": "CAL_006"})]),
        ("user", [("quick_add_event", {"calendarId": "primary", "text": "Lunch tomorrow at 1pm"})]),
        (
            "user",
            [
                ("create_calendar", {"summary": "Tasks", "timeZone": "America/New_York"}),
                (
                    "add_calendar_to_list",
                    {"id": "CAL_008", "colorId": "10", "defaultReminders": [{"method": "email", "minutes": 35}]},
                ),
                ("insert_acl_rule", {"calendarId": "CAL_008", "scope": {"type": "user", "value": CIA}, "role": "writer"}),
                ("watch_events", HOOK | {"calendarId": "CAL_008", "params": {"ttl": str(37 * 86400)}}),
            ],
        ),
        ("user", [("delete_acl_rule", {"calendarId": "CAL_006", "ruleId": f"user:{CIA}"})]),
        ("user", [("remove_calendar_from_list", {"calendarId": "CAL_006"})]),
        ("user", [("clear_calendar", {"calendarId": "primary"})]),
        ("cia", [("delete_calendar", {"calendarId": "CAL_007"})]),
        (
            "user",
            [
                (
                    "import_event",
                    {
                        "calendarId": "primary",
                        "iCalUID": "x@elsewhere",
                        "start": at(1, 9),
                        "end": at(1, 10),
                        "organizer": {"email": OUT},
                    },
                )
            ],
        ),
        ("admin", [("patch_event", {"calendarId": "CAL_006", "eventId": "EVT_006", "summary": "Other"})]),
        ("auditor", [("watch_acl", HOOK | {"calendarId": "CAL_006"})]),
    ],
)
def test_work_by_the_rules_is_done_and_breaks_nothing(role: str, steps: list[Step]) -> None:
    strict = session(role)
    for tool, arguments in steps:
        call(strict, tool, **arguments)
    assert broken(role, *steps) == set()
    assert violations(CALENDAR, strict.world) == []


# -- what accounts see --------------------------------------------------------------------------------------


def test_each_account_sees_what_it_may() -> None:
    eva = session("auditor")
    assert call(eva, "get_calendar", calendarId="CAL_006")["summary"] == "Launch"
    refused(eva, "not_found", "get_calendar", calendarId="CAL_007")
    assert call(eva, "list_events", calendarId=BEN)["items"] == []
    assert len(call(session("auditor", "permissive"), "list_events", calendarId=BEN)["items"]) == 5
    busy = call(
        eva,
        "query_freebusy",
        timeMin="2026-05-05T00:00:00Z",
        timeMax="2026-05-06T00:00:00Z",
        items=[{"id": BEN}, {"id": "CAL_007"}],
    )
    assert len(busy["calendars"][BEN]["busy"]) == 2
    assert busy["calendars"]["CAL_007"]["errors"][0]["reason"] == "notFound"
    assert call(eva, "list_acl_rules", calendarId="CAL_006")["items"] == []


def test_free_busy_counts_what_takes_up_time_merged_and_clipped() -> None:
    records = session()
    call(records, *[new(day=5, hour=11)[0]], **new(day=5, hour=11)[1])
    asked = {"timeMin": "2026-05-05T09:15:00", "timeMax": "2026-05-05T11:30:00", "timeZone": "America/New_York"}
    found = call(records, "query_freebusy", items=[{"id": "primary"}], **asked)["calendars"]["primary"]["busy"]
    assert found == [
        {"start": "2026-05-05T09:15:00-04:00", "end": "2026-05-05T09:30:00-04:00"},
        {"start": "2026-05-05T10:00:00-04:00", "end": "2026-05-05T11:30:00-04:00"},
    ]
    refused(records, "invalid_value", "query_freebusy", timeMin="2026-05-05", timeMax="2026-05-05", items=[{"id": "primary"}])
    refused(records, "missing_field", "query_freebusy", timeMin="2026-05-05", timeMax="2026-05-06", items=[])


# -- events -------------------------------------------------------------------------------------------------


def times(records: Records, **more: Any) -> list[str]:
    found = call(records, "list_events", calendarId="primary", singleEvents=True, orderBy="startTime", q="Standup", **more)[
        "items"
    ]
    return [item["start"].get("dateTime", "")[:16] for item in found]


def test_recurring_events_are_spread_out_and_exceptions_stand_in_place() -> None:
    records = session()
    assert times(records) == [f"2026-05-0{day}T09:00" for day in (4, 5, 6, 7, 8)]
    items = call(records, "get_event_instances", calendarId="primary", eventId="EVT_001")["items"]
    assert [item["id"] for item in items][:2] == ["EVT_001_20260504T130000Z", "EVT_001_20260505T130000Z"]
    call(records, "patch_event", calendarId="primary", eventId=items[1]["id"], start=at(5, 16), end=at(5, 17))
    call(records, "delete_event", calendarId="primary", eventId=items[2]["id"])
    assert times(records) == ["2026-05-04T09:00", "2026-05-05T16:00", "2026-05-07T09:00", "2026-05-08T09:00"]
    shown = call(records, "get_event_instances", calendarId="primary", eventId="EVT_001", showDeleted=True)["items"]
    assert [item["status"] for item in shown].count("cancelled") == 1
    original = call(records, "get_event_instances", calendarId="primary", eventId="EVT_001", originalStart="2026-05-05T09:00:00")
    assert [item["start"]["dateTime"][11:16] for item in original["items"]] == ["16:00"]
    refused(records, "bad_state", "get_event_instances", calendarId="primary", eventId="EVT_002")
    refused(records, "not_found", "get_event", calendarId="primary", eventId="EVT_001_20260509T130000Z")


def test_an_exception_takes_over_guests_and_reminders() -> None:
    records = session()
    guests = [{"email": CIA}, {"email": BEN}]
    series = new(
        recurrence=["RRULE:FREQ=WEEKLY;COUNT=2"], attendees=guests, reminders={"overrides": [{"method": "popup", "minutes": 5}]}
    )
    made = call(records, series[0], **series[1])
    key = f"{made['id']}_20260519T140000Z"
    changed = call(records, "patch_event", calendarId="primary", eventId=key, summary="Late")
    assert (changed["summary"], [row["email"] for row in changed["attendees"]]) == ("Late", [CIA, BEN])
    assert changed["reminders"]["overrides"] == [{"method": "popup", "minutes": 5}]
    assert call(records, "get_event", calendarId="primary", eventId=made["id"])["summary"] == "New"


def test_a_recurring_event_keeps_its_hour_through_summer_time() -> None:
    records = session()
    made = call(
        records,
        "create_event",
        calendarId="primary",
        start={"dateTime": "2026-10-31T09:00:00", "timeZone": "America/New_York"},
        end={"dateTime": "2026-10-31T10:00:00", "timeZone": "America/New_York"},
        recurrence=["RRULE:FREQ=DAILY;COUNT=2"],
    )
    found = call(records, "get_event_instances", calendarId="primary", eventId=made["id"])["items"]
    assert [item["start"]["dateTime"] for item in found] == ["2026-10-31T09:00:00-04:00", "2026-11-01T09:00:00-05:00"]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ({"start": {}, "end": at(12, 11)}, "missing_field", "start: expected either dateTime or date"),
        ({"start": {"date": "2026-05-12"}, "end": at(12, 11)}, "invalid_value", "both with dateTime or both with date"),
        ({"start": at(12, 11), "end": at(12, 11)}, "invalid_value", "end: expected a time after the start"),
        ({"start": at(12, 11, zone="Mars/Base")}, "invalid_value", "timeZone: expected one of"),
        ({"start": {"dateTime": "noon"}}, "invalid_value", "start.dateTime: expected a time such as"),
        ({"recurrence": ["RRULE:FREQ=SOMETIMES"]}, "invalid_value", "recurrence: expected FREQ"),
        ({"recurrence": ["RRULE:FREQ=DAILY;UNTIL=20200101"]}, "invalid_value", "at least one occurrence"),
        ({"colorId": "12"}, "not_found", "color_id"),
        ({"attendees": [{"displayName": "x"}]}, "missing_field", "each needs email"),
        ({"attendees": [{"email": CIA}, {"email": CIA.upper()}]}, "invalid_value", "each email once"),
        ({"attendees": [{"email": CIA, "responseStatus": "yes"}]}, "invalid_value", "response_status"),
        ({"reminders": {"overrides": [{"method": "email", "minutes": n} for n in range(6)]}}, "invalid_value", "at most 5"),
        ({"reminders": {"useDefault": True, "overrides": [{"method": "email", "minutes": 5}]}}, "invalid_value", "not both"),
        ({"reminders": {"overrides": [{"method": "sms", "minutes": 5}]}}, "invalid_value", "method: expected one of"),
    ],
)
def test_events_that_cannot_be_are_refused(arguments: dict[str, Any], code: str, message: str) -> None:
    tool, given = new()
    assert message in refused(session(), code, tool, **given | arguments)


def test_a_patch_changes_what_is_given_and_guests_keep_their_answers() -> None:
    records = session()
    guests = [{"email": BEN}, {"email": CIA}, {"email": "dan@north.example"}]
    before = call(records, "get_event", calendarId="CAL_006", eventId="EVT_006")
    after = call(records, "patch_event", calendarId="CAL_006", eventId="EVT_006", attendees=guests, end=at(7, 13))
    assert [row["response_status"] for row in after["attendees"]] == ["accepted", "needsAction", "needsAction"]
    assert (after["start"], after["end"]["dateTime"]) == (before["start"], "2026-05-07T13:00:00-04:00")
    assert after["reminders"] == before["reminders"]
    refused(records, "invalid_value", "patch_event", calendarId="CAL_006", eventId="EVT_006", summary="Planning")


def test_an_update_clears_what_is_not_given() -> None:
    records = session()
    after = call(records, "update_event", calendarId="CAL_006", eventId="EVT_006", start=at(7, 10), end=at(7, 12), summary="Plan")
    assert "attendees" not in after and "conferenceData" not in after and "color_id" not in after
    assert after["reminders"] == {"useDefault": True}


def test_published_defaults_are_taken_even_where_they_mislead() -> None:
    records = session()
    tool, given = new(attendees=[{"email": OUT}], guestsCanSeeOtherGuests=False)
    made = call(records, tool, **given)
    assert (
        call(records, "patch_event", calendarId="primary", eventId=made["id"], summary="x")["guests_can_see_other_guests"] is True
    )


def test_events_are_found_by_many_facts() -> None:
    records = session()

    def found(**more: Any) -> list[str]:
        return [item["id"] for item in call(records, "list_events", calendarId="CAL_006", **more)["items"]]

    assert found() == ["EVT_006", "EVT_007"]
    assert found(q="CIA@north") == ["EVT_006"]
    assert found(timeMin="2026-05-07T12:30:00") == ["EVT_007"]
    assert found(privateExtendedProperty="project=launch") == ["EVT_006"]
    assert found(sharedExtendedProperty="project=launch") == []
    assert found(iCalUID="evt_007@calendar.example") == ["EVT_007"]
    assert found(eventTypes="focusTime") == []
    assert found(updatedMin="2026-05-03T00:00:00Z") == []
    assert found(syncToken="sync-20260401000000", maxResults=1) == ["EVT_006"]
    refused(records, "invalid_value", "list_events", calendarId="CAL_006", orderBy="startTime")
    refused(records, "invalid_value", "list_events", calendarId="CAL_006", syncToken="x")
    refused(records, "invalid_value", "list_events", calendarId="CAL_006", timeMin="2026-05-07", timeMax="2026-05-06")


def test_a_moved_event_keeps_its_id() -> None:
    records = session()
    moved = call(records, "move_event", calendarId="primary", eventId="EVT_002", destination="CAL_006")
    assert (moved["id"], moved["calendar_id"], moved["organizer_email"]) == ("EVT_002", "CAL_006", BEN)
    refused(records, "not_found", "get_event", calendarId="primary", eventId="EVT_002")
    refused(records, "unsupported", "move_event", calendarId="primary", eventId="EVT_004", destination="CAL_006")
    refused(records, "unsupported", "move_event", calendarId="primary", eventId="EVT_001_20260505T130000Z", destination="CAL_006")


def test_the_same_event_is_imported_once() -> None:
    records = session()
    given = {"calendarId": "primary", "iCalUID": "x@elsewhere", "start": at(12, 9), "end": at(12, 10)}
    assert call(records, "import_event", **given, organizer={"email": OUT})["organizer_email"] == OUT
    refused(records, "bad_state", "import_event", **given)


# -- calendars, lists, access, channels ---------------------------------------------------------------------


def test_primary_calendars_are_cleared_and_secondary_ones_deleted() -> None:
    records = session("cia")
    refused(records, "bad_state", "delete_calendar", calendarId="primary")
    refused(records, "bad_state", "clear_calendar", calendarId="CAL_007")
    assert call(records, "clear_calendar", calendarId="primary") == {"deleted": 1}
    call(records, "delete_calendar", calendarId="CAL_007")
    assert records.world.execute("SELECT count(*) FROM acl_rules WHERE calendar_id = 'CAL_007'").fetchone() == (0,)
    refused(records, "not_found", "get_calendar", calendarId="CAL_007")


def test_the_list_of_calendars_is_each_users_own() -> None:
    records = session()
    assert [row["summary"] for row in call(records, "get_calendar_list")["items"]] == ["Ben Ek", "Launch"]
    added = call(records, "add_calendar_to_list", id="CAL_007", colorId="10", summaryOverride="Away")
    assert (added["background_color"], added["access_role"], added["summary"]) == ("#c0ca33", "reader", "Offsites")
    assert [row["calendar_id"] for row in call(records, "get_calendar_list", minAccessRole="writer")["items"]] == [BEN, "CAL_006"]
    refused(records, "bad_state", "add_calendar_to_list", id="CAL_007")
    refused(records, "not_found", "update_calendar_in_list", calendarId="CAL_007", colorId="99")
    refused(records, "invalid_value", "update_calendar_in_list", calendarId="CAL_007", backgroundColor="#ffffff")
    changed = call(records, "update_calendar_in_list", calendarId="CAL_007", colorRgbFormat=True, backgroundColor="#ffffff")
    assert (changed["background_color"], changed["summary_override"]) == ("#ffffff", "Away")
    replaced = call(records, "replace_calendar_in_list", calendarId="CAL_006", hidden=True)
    assert (replaced.get("color_id"), replaced["defaultReminders"]) == (None, [])
    assert "CAL_006" not in [row["calendar_id"] for row in call(records, "get_calendar_list")["items"]]
    refused(records, "bad_state", "remove_calendar_from_list", calendarId="primary")


def test_access_is_given_changed_and_taken_away() -> None:
    records = session()
    scope = {"type": "user", "value": "eva@north.example"}
    assert call(records, "insert_acl_rule", calendarId="CAL_006", scope=scope, role="writer")["id"] == "ACL_013"
    call(records, "delete_acl_rule", calendarId="CAL_006", ruleId="ACL_013")
    assert len(call(records, "list_acl_rules", calendarId="CAL_006")["items"]) == 2
    assert len(call(records, "list_acl_rules", calendarId="CAL_006", showDeleted=True)["items"]) == 3
    assert call(records, "insert_acl_rule", calendarId="CAL_006", scope=scope, role="reader")["deleted"] is False
    refused(records, "invalid_value", "insert_acl_rule", calendarId="CAL_006", scope={"type": "robot"}, role="reader")
    refused(records, "missing_field", "insert_acl_rule", calendarId="CAL_006", scope={"type": "user"}, role="reader")
    refused(records, "invalid_value", "insert_acl_rule", calendarId="CAL_006", scope=scope, role="editor")
    assert call(records, "get_acl_rule", calendarId="CAL_006", ruleId=f"user:{CIA}")["role"] == "writer"


def test_channels_stand_for_as_long_as_they_are_asked_to() -> None:
    records = session()
    made = call(records, "watch_events", calendarId="CAL_006", **HOOK, params={"ttl": "86400"})
    assert (made["expiration"], made["resource_id"]) == ("2026-05-05 08:00:00", "events/CAL_006")
    refused(records, "bad_state", "watch_calendar_list", **HOOK)
    refused(records, "invalid_value", "watch_settings", **HOOK | {"id": "chan-8", "params": {"ttl": "soon"}})


def test_settings_and_colours_are_told() -> None:
    records = session()
    assert call(records, "get_settings", settingId="timezone") == {"id": "timezone", "value": "America/New_York"}
    assert {row["id"] for row in call(records, "list_settings")["items"]} == {"timezone", "weekStart"}
    assert call(records, "get_colors")["event"]["10"]["name"] == "Basil"
    assert call(records, "get_user_by_email", email=CIA.upper())["id"] == "USER_003"


# -- every tool ---------------------------------------------------------------------------------------------

KNOWN = known_values(ROWS) | {
    "calendarId": [row["id"] for row in ROWS["calendars"]],
    "destination": [row["id"] for row in ROWS["calendars"]],
    "eventId": [row["id"] for row in ROWS["events"]],
    "ruleId": [row["id"] for row in ROWS["acl_rules"]],
    "settingId": ["timezone"],
    "timeZone": ["UTC", "Asia/Tokyo"],
    "timeMin": ["2026-05-01T00:00:00"],
    "timeMax": ["2026-05-09T00:00:00"],
    "colorId": ["3"],
}


def probable(tool: Tool, rng: np.random.Generator) -> dict[str, Any]:
    """Arguments by the schema, with values of the world and times that are times."""
    arguments = valid(tool, rng, KNOWN)
    if "start" in arguments and "end" in arguments:
        arguments |= {"start": at(12, 9), "end": at(12, 10)}
    return {name: value for name, value in arguments.items() if name not in ("recurrence", "iCalUID")}


@every_sort
@pytest.mark.parametrize("tool", CALENDAR.tools, ids=lambda tool: tool.name)
@pytest.mark.parametrize("role", ["admin", "user"])
def test_no_call_of_any_tool_breaks_the_world(tool: Tool, make: Make, role: str) -> None:
    rng = np.random.default_rng(5)
    records = session(role, "permissive" if role == "admin" else "strict")
    for _ in range(3):
        attempt(tool, records, make(tool, rng, KNOWN))


@pytest.mark.parametrize("tool", CALENDAR.tools, ids=lambda tool: tool.name)
def test_no_probable_call_breaks_the_world(tool: Tool) -> None:
    rng = np.random.default_rng(6)
    records = session("admin", "permissive")
    for _ in range(10):
        attempt(tool, records, probable(tool, rng))


@pytest.mark.parametrize("tool", [tool for tool in CALENDAR.tools if tool.mutates], ids=lambda tool: tool.name)
def test_an_auditor_writes_nothing_but_channels(tool: Tool) -> None:
    rng = np.random.default_rng(5)
    records = session("auditor")
    before = {name: records.world.rows(name) for name in records.world.tables()}
    for _ in range(3):
        attempt(tool, records, valid(tool, rng, KNOWN))
    assert {name for name in before if records.world.rows(name) != before[name]} <= {"watch_channels"}
