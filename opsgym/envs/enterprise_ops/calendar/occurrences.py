"""Occurrences: what events are at which times, with recurring ones spread out and their exceptions in place."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from opsgym.core.errors import ToolError
from opsgym.core.records.records import Records
from opsgym.envs.enterprise_ops.calendar.recurrence import parse
from opsgym.envs.enterprise_ops.calendar.tables.events import EVENTS
from opsgym.envs.enterprise_ops.calendar.times import bounds, local_start
from opsgym.envs.enterprise_ops.calendar.zones import to_utc

Row = dict[str, Any]

_INSTANCE = re.compile(r"(.+)_(\d{8}T\d{6}Z|\d{8})")


@dataclass(frozen=True)
class Occurrence:
    """One time at which an event is.

    Attributes:
        id: The event's id, or that of the instance.
        row: The event's row; of an instance that is no exception, the recurring event's.
        start: Start in UTC.
        end: End in UTC.
        first_day: First day of an all-day event, else ``None``.
        last_day: The day after its last.
        series: Id of the recurring event, or ``None``.
        original: When the rule has it start, in UTC; of instances only.
    """

    id: str
    row: Row
    start: dt.datetime
    end: dt.datetime
    first_day: dt.date | None = None
    last_day: dt.date | None = None
    series: str | None = None
    original: dt.datetime | None = None


def single(row: Row, zone: str) -> Occurrence:
    """An event that does not recur, or an exception."""
    start, end = bounds(row, zone)
    original = row["original_start"] and dt.datetime.fromisoformat(row["original_start"])
    first, last = (row[name] and dt.date.fromisoformat(row[name]) for name in ("start_date", "end_date"))
    return Occurrence(row["id"], row, start, end, first, last, row["recurring_event_id"], original)


def instances(row: Row, zone: str, low: dt.datetime, high: dt.datetime) -> list[Occurrence]:
    """Instances of a recurring event that meet a window, by its rule alone."""
    start, end = bounds(row, zone)
    first, own = local_start(row, zone)
    length, slack = end - start, end - start + dt.timedelta(days=1)
    found = []
    for shown in parse(row["recurrence"], own).between(first, _near(low, -slack), _near(high, dt.timedelta(days=1))):
        at = to_utc(shown, own)
        if at < high and at + length > low:
            found.append(_instance(row, shown, at, length))
    return found


def _near(moment: dt.datetime, distance: dt.timedelta) -> dt.datetime:
    try:
        return moment + distance
    except OverflowError:
        return moment


def _instance(row: Row, shown: dt.datetime, at: dt.datetime, length: dt.timedelta) -> Occurrence:
    if row["start_date"]:
        days = dt.date.fromisoformat(row["end_date"]) - dt.date.fromisoformat(row["start_date"])
        key = f"{row['id']}_{shown:%Y%m%d}"
        return Occurrence(key, row, at, at + length, shown.date(), shown.date() + days, row["id"], at)
    return Occurrence(f"{row['id']}_{at:%Y%m%dT%H%M%SZ}", row, at, at + length, None, None, row["id"], at)


def spread(rows: Sequence[Row], zone: str, low: dt.datetime, high: dt.datetime, *, cancelled: bool = False) -> list[Occurrence]:
    """Occurrences that meet a window, of rows of one calendar, by start.

    Args:
        rows: The rows, exceptions among them.
        zone: The calendar's zone.
        low: The window's start.
        high: Its end.
        cancelled: Whether cancelled events count.
    """
    moved = {(row["recurring_event_id"], row["original_start"]) for row in rows if row["recurring_event_id"]}
    found = []
    for row in rows:
        if row["status"] == "cancelled" and not cancelled:
            continue
        if row["recurrence"]:
            for item in instances(row, zone, low, high):
                if (row["id"], str(item.original)) not in moved:
                    found.append(item)
        else:
            item = single(row, zone)
            if item.start < high and item.end > low:
                found.append(item)
    return sorted(found, key=lambda item: (item.start, item.id))


def instance_of(records: Records, calendar: Row, key: str) -> Occurrence | None:
    """The instance of an id such as ``EVT_012_20260504T070000Z`` that is no exception yet; ``None`` for no such id."""
    match = _INSTANCE.fullmatch(key)
    if match is None:
        return None
    rows = records.find(EVENTS, {"calendar_id": calendar["id"], "id": match[1]})
    if not rows or not rows[0]["recurrence"]:
        return None
    try:
        day = dt.datetime.strptime(match[2][:8], "%Y%m%d")
        found = instances(rows[0], calendar["time_zone"], day - dt.timedelta(days=2), day + dt.timedelta(days=3))
    except (ValueError, OverflowError):
        return None
    return next((item for item in found if item.id == key), None)


def window(low: dt.datetime | None, high: dt.datetime | None, now: dt.datetime) -> tuple[dt.datetime, dt.datetime]:
    """A window with the ends that are not given: from long ago, until two years from now.

    Raises:
        ToolError: ``invalid_value``: it ends before it starts.
    """
    start = low or dt.datetime(1900, 1, 1)
    end = high or max(now, start) + dt.timedelta(days=731)
    if start >= end:
        raise ToolError("invalid_value", f"timeMax: expected a time after timeMin, {start}, got {end}")
    return start, end
