"""Start and end of events: as tools take them, as records hold them, and as they are shown."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Any

from opsgym.core.errors import ToolError
from opsgym.envs.enterprise_ops.calendar.zones import to_local, to_utc, written, zone_of

Row = dict[str, Any]


def moment(text: str, name: str, zone: str) -> dt.datetime:
    """A time in ISO 8601 as a moment in UTC; without a distance of its own it is in a zone.

    Raises:
        ToolError: ``invalid_value``: it is no time.
    """
    try:
        found = dt.datetime.fromisoformat(text)
        found = to_utc(found, zone) if found.tzinfo is None else found.astimezone(dt.UTC).replace(tzinfo=None)
    except (ValueError, OverflowError):
        raise ToolError(
            "invalid_value", f"{name}: expected a time such as 2026-05-04T09:00:00+02:00, got {text[:40]!r}"
        ) from None
    return found.replace(microsecond=0)


def stored(start: Mapping[str, Any], end: Mapping[str, Any], zone: str) -> Row:
    """Columns of a start and an end.

    Args:
        start: ``dateTime`` or ``date``, and ``timeZone``.
        end: The same.
        zone: The calendar's zone, for what names none.

    Raises:
        ToolError: ``missing_field`` or ``invalid_value``.
    """
    values = _stored("start", start, zone) | _stored("end", end, start.get("timeZone") or zone)
    if (values["start_date"] == "") != (values["end_date"] == ""):
        raise ToolError("invalid_value", "expected start and end both with dateTime or both with date")
    if (values["start_datetime"] or values["start_date"]) >= (values["end_datetime"] or values["end_date"]):
        raise ToolError("invalid_value", "end: expected a time after the start; the last day of all-day events is not included")
    return values


def _stored(name: str, given: Mapping[str, Any], zone: str) -> Row:
    known = given.get("timeZone") or zone
    zone_of(known)
    if bool(given.get("dateTime")) == bool(given.get("date")):
        raise ToolError("missing_field", f"{name}: expected either dateTime or date")
    if given.get("date"):
        return {f"{name}_datetime": "", f"{name}_date": _day(name, given["date"]), f"{name}_timezone": ""}
    at = moment(given["dateTime"], f"{name}.dateTime", known)
    return {f"{name}_datetime": at.isoformat(" "), f"{name}_date": "", f"{name}_timezone": known}


def _day(name: str, text: str) -> str:
    try:
        return dt.date.fromisoformat(text).isoformat()
    except ValueError:
        raise ToolError("invalid_value", f"{name}.date: expected YYYY-MM-DD, got {text[:40]!r}") from None


def bounds(row: Row, zone: str) -> tuple[dt.datetime, dt.datetime]:
    """Start and end of an event's row in UTC; days last from midnight to midnight in a zone."""
    if row["start_datetime"]:
        return dt.datetime.fromisoformat(row["start_datetime"]), dt.datetime.fromisoformat(row["end_datetime"])
    first, last = (dt.datetime.fromisoformat(row[f"{name}_date"]) for name in ("start", "end"))
    return to_utc(first, zone), to_utc(last, zone)


def local_start(row: Row, zone: str) -> tuple[dt.datetime, str]:
    """When an event starts by the clocks of its own zone, and that zone."""
    own = row["start_timezone"] or zone
    if row["start_datetime"]:
        return to_local(dt.datetime.fromisoformat(row["start_datetime"]), own), own
    return dt.datetime.fromisoformat(row["start_date"]), own


def shown(at: dt.datetime, all_day: bool, zone: str) -> Row:
    """A start or an end as tools show it; ``at`` is in UTC, or midnight of a day."""
    if all_day:
        return {"date": at.date().isoformat()}
    return {"dateTime": written(at, zone), "timeZone": zone}
