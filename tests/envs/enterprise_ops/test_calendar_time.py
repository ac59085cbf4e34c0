"""Time zones and recurrence agree with the tables and the library that others use."""

from __future__ import annotations

import datetime as dt
import zoneinfo
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from opsgym.core.errors import ToolError
from opsgym.envs.enterprise_ops.calendar.freebusy import is_free, merged
from opsgym.envs.enterprise_ops.calendar.quick import read
from opsgym.envs.enterprise_ops.calendar.recurrence import canonical, parse
from opsgym.envs.enterprise_ops.calendar.zones import ZONES, to_local, to_utc

MOMENTS = st.datetimes(dt.datetime(2010, 1, 1), dt.datetime(2036, 12, 31))


def library_zone(name: str) -> zoneinfo.ZoneInfo:
    try:
        return zoneinfo.ZoneInfo(name)
    except zoneinfo.ZoneInfoNotFoundError:
        pytest.skip("this machine has no time zone tables")


@pytest.mark.parametrize("name", ZONES)
def test_zones_agree_with_the_tables(name: str) -> None:
    zone = library_zone(name)

    @given(MOMENTS)
    @settings(max_examples=100, deadline=None)
    def agree(moment: dt.datetime) -> None:
        assert to_local(moment, name) == moment.replace(tzinfo=dt.UTC).astimezone(zone).replace(tzinfo=None)
        assert to_utc(moment, name) == moment.replace(tzinfo=zone).astimezone(dt.UTC).replace(tzinfo=None)

    agree()


@pytest.mark.parametrize("name", ZONES)
def test_zones_agree_with_the_tables_around_every_change(name: str) -> None:
    zone, hour = library_zone(name), dt.timedelta(minutes=30)
    for year in range(2024, 2028):
        moment = dt.datetime(year, 1, 1)
        for number in range(366 * 8):
            at = moment + number * 6 * hour
            if (at + 6 * hour).replace(tzinfo=dt.UTC).astimezone(zone).utcoffset() != at.replace(tzinfo=dt.UTC).astimezone(
                zone
            ).utcoffset():
                for step in range(-4, 12):
                    near = at + step * hour
                    assert to_local(near, name) == near.replace(tzinfo=dt.UTC).astimezone(zone).replace(tzinfo=None)
                    for shown in (to_local(near, name), near):
                        assert to_utc(shown, name) == shown.replace(tzinfo=zone).astimezone(dt.UTC).replace(tzinfo=None)


def test_other_zones_are_refused() -> None:
    with pytest.raises(ToolError, match="timeZone: expected one of UTC"):
        to_local(dt.datetime(2026, 1, 1), "Mars/Base")


START = dt.datetime(2026, 1, 30, 9)
RULES = (
    "FREQ=DAILY;COUNT=5",
    "FREQ=DAILY;INTERVAL=3;UNTIL=20260301T090000",
    "FREQ=DAILY;BYDAY=MO,WE;COUNT=6",
    "FREQ=WEEKLY;COUNT=4",
    "FREQ=WEEKLY;BYDAY=MO,FR;INTERVAL=2;COUNT=7",
    "FREQ=WEEKLY;BYDAY=SU,MO;INTERVAL=2;WKST=SU;COUNT=7",
    "FREQ=MONTHLY;COUNT=5",
    "FREQ=MONTHLY;BYMONTHDAY=-1;COUNT=5",
    "FREQ=MONTHLY;BYMONTHDAY=1,15;COUNT=5",
    "FREQ=MONTHLY;BYDAY=1MO;COUNT=5",
    "FREQ=MONTHLY;BYDAY=-1FR,2TU;INTERVAL=2;COUNT=8",
    "FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13;COUNT=3",
    "FREQ=YEARLY;COUNT=3",
    "FREQ=YEARLY;BYMONTH=3,11;BYDAY=2SU;COUNT=5",
    "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;COUNT=2",
)


@pytest.mark.parametrize("rule", RULES)
def test_rules_are_spread_out_as_the_library_does(rule: str) -> None:
    dateutil = pytest.importorskip("dateutil.rrule")
    expected = [*dateutil.rrulestr(rule, dtstart=START)]
    found = parse([f"RRULE:{rule}"], "UTC").between(START, dt.datetime(2000, 1, 1), dt.datetime(2100, 1, 1))
    assert found == expected


def test_left_out_and_extra_times_count() -> None:
    lines = ["RRULE:FREQ=DAILY;COUNT=3", "EXDATE;TZID=America/New_York:20260505T090000", "RDATE:20260601T130000Z"]
    start = dt.datetime(2026, 5, 4, 9)
    found = parse(lines, "America/New_York").between(start, dt.datetime(2000, 1, 1), dt.datetime(2100, 1, 1))
    assert [moment.strftime("%m-%d %H") for moment in found] == ["05-04 09", "05-06 09", "06-01 09"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("FREQ=DAILY", "lines that start with RRULE"),
        ("RRULE:FREQ=HOURLY", "FREQ of DAILY"),
        ("RRULE:COUNT=3", "FREQ of DAILY"),
        ("RRULE:FREQ=DAILY;COUNT=0", "COUNT from 1"),
        ("RRULE:FREQ=DAILY;COUNT=3;UNTIL=20260601", "not both"),
        ("RRULE:FREQ=DAILY;BYSETPOS=1", "BYMONTH or WKST"),
        ("RRULE:FREQ=WEEKLY;BYDAY=XX", "days such as MO"),
        ("RRULE:FREQ=WEEKLY;BYDAY=1MO", "only in months"),
        ("RRULE:FREQ=YEARLY;BYDAY=1MO", "BYMONTH beside"),
        ("RRULE:FREQ=DAILY;UNTIL=20261301", "times such as"),
        ("EXDATE:20260504", "an RRULE or RDATE"),
        ("RRULE:FREQ=DAILY;FREQ=WEEKLY", "each once"),
    ],
)
def test_other_rules_are_refused(line: str, message: str) -> None:
    with pytest.raises(ToolError, match=message):
        parse([line], "UTC")


SPANS = st.lists(st.tuples(st.integers(0, 50), st.integers(1, 10)), max_size=12)


@given(SPANS)
def test_merged_spans_cover_the_same_time_apart_from_each_other(drawn: list[tuple[int, int]]) -> None:
    zero = dt.datetime(2026, 1, 1)
    spans = [(zero + dt.timedelta(hours=start), zero + dt.timedelta(hours=start + length)) for start, length in drawn]
    found = merged(spans)
    assert all(one[1] < other[0] for one, other in pairwise(found))
    for hour in range(62):
        at, after = zero + dt.timedelta(hours=hour), zero + dt.timedelta(hours=hour + 1)
        assert is_free(found, at, after) == all(end <= at or start >= after for start, end in spans)


@pytest.mark.parametrize(
    ("text", "summary", "day", "start", "minutes", "place"),
    [
        ("Lunch with Ana tomorrow at 12:30 for 45 minutes", "Lunch with Ana", "2026-05-05", "12:30", 45, ""),
        ("Review on May 8 3pm-4:30pm", "Review", "2026-05-08", "15:00", 90, ""),
        ("Offsite on 2026-06-01", "Offsite", "2026-06-01", None, 60, ""),
        ("Dinner Friday 7pm in Oslo", "Dinner", "2026-05-08", "19:00", 60, "Oslo"),
        ("Call the bank monday from 9:00 to 9:20", "Call the bank", "2026-05-11", "09:00", 20, ""),
        ("Budget 3 March at 10am for 2 hours", "Budget", "2027-03-03", "10:00", 120, ""),
    ],
)
def test_lines_are_read(text: str, summary: str, day: str, start: str | None, minutes: int, place: str) -> None:
    said = read(text, dt.date(2026, 5, 4))
    assert (said.summary, said.day.isoformat(), said.place) == (summary, day, place)
    assert (said.start and said.start.strftime("%H:%M")) == start
    assert said.length == dt.timedelta(minutes=minutes)


@given(
    st.text(max_size=60)
    | st.from_regex(r"[A-Z][a-z]+ (on )?(\d{1,4}-\d\d-\d\d|may \d\d) \d{1,2}(:\d\d)?(am|pm)?", fullmatch=True)
)
@settings(deadline=None)
def test_any_line_is_read_or_refused(text: str) -> None:
    try:
        assert read(text, dt.date(2026, 5, 4)).summary
    except ToolError as error:
        assert error.code == "invalid_value"  # noqa: PT017 - either outcome is fine


@pytest.mark.parametrize("rule", RULES)
def test_one_form_of_a_rule_says_the_same(rule: str) -> None:
    low, high = dt.datetime(2000, 1, 1), dt.datetime(2100, 1, 1)
    lines = [f"RRULE:{rule}", "EXDATE:20260206T090000", "RDATE:20260207T090000"]
    found = canonical(lines, START, "UTC")
    assert parse(found, "UTC").between(START, low, high) == parse(lines, "UTC").between(START, low, high)
    assert canonical(found, START, "UTC") == found
