"""Time zones: a few, with the rules in force since 2008, so that worlds do not depend on a machine's tables.

Source: the IANA time zone database, 2008 to date, for the zones named here.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass

from opsgym.core.errors import ToolError

HOUR = dt.timedelta(hours=1)


@dataclass(frozen=True)
class Zone:
    """A time zone.

    Attributes:
        offset: Standard time's distance from UTC.
        summer: Whether summer time, one hour more, is in force at a moment in UTC.
    """

    offset: dt.timedelta
    summer: Callable[[dt.datetime, dt.timedelta], bool] | None = None

    def at(self, moment: dt.datetime) -> dt.timedelta:
        """Distance from UTC at a moment in UTC."""
        if self.summer is not None and self.summer(moment, self.offset):
            return self.offset + HOUR
        return self.offset


def _sunday(year: int, month: int, number: int) -> dt.datetime:
    """Midnight of a Sunday of a month: the first is 1, the last is -1."""
    if number < 0:
        last = dt.datetime(year, month, 31)
        return last - dt.timedelta(days=(last.weekday() + 1) % 7)
    first = dt.datetime(year, month, 1)
    return first + dt.timedelta(days=(6 - first.weekday()) % 7 + 7 * (number - 1))


def _european(moment: dt.datetime, offset: dt.timedelta) -> bool:
    return _sunday(moment.year, 3, -1) + HOUR <= moment < _sunday(moment.year, 10, -1) + HOUR


def _american(moment: dt.datetime, offset: dt.timedelta) -> bool:
    start, end = _sunday(moment.year, 3, 2) + 2 * HOUR - offset, _sunday(moment.year, 11, 1) + HOUR - offset
    return start <= moment < end


def _australian(moment: dt.datetime, offset: dt.timedelta) -> bool:
    end, start = _sunday(moment.year, 4, 1) + 2 * HOUR - offset, _sunday(moment.year, 10, 1) + 2 * HOUR - offset
    return not end <= moment < start


ZONES = {
    "UTC": Zone(dt.timedelta(0)),
    "America/New_York": Zone(-5 * HOUR, _american),
    "America/Chicago": Zone(-6 * HOUR, _american),
    "America/Denver": Zone(-7 * HOUR, _american),
    "America/Los_Angeles": Zone(-8 * HOUR, _american),
    "Europe/London": Zone(dt.timedelta(0), _european),
    "Europe/Berlin": Zone(HOUR, _european),
    "Europe/Paris": Zone(HOUR, _european),
    "Asia/Kolkata": Zone(5.5 * HOUR),
    "Asia/Singapore": Zone(8 * HOUR),
    "Asia/Tokyo": Zone(9 * HOUR),
    "Australia/Sydney": Zone(10 * HOUR, _australian),
}
"""The zones, by IANA name."""


def zone_of(name: str) -> Zone:
    """The zone of a name.

    Raises:
        ToolError: ``invalid_value``: it is none of :data:`ZONES`.
    """
    found = ZONES.get(name)
    if found is None:
        raise ToolError("invalid_value", f"timeZone: expected one of {', '.join(ZONES)}, got {name[:60]!r}")
    return found


def to_local(moment: dt.datetime, name: str) -> dt.datetime:
    """A moment in UTC, as clocks of a zone show it.

    Example:
        >>> to_local(dt.datetime(2026, 7, 1, 12), "Europe/London")
        datetime.datetime(2026, 7, 1, 13, 0)
    """
    return moment + zone_of(name).at(moment)


def to_utc(shown: dt.datetime, name: str) -> dt.datetime:
    """The moment in UTC at which clocks of a zone show a time.

    Of two moments it is the first; a time that is skipped counts by standard time.
    """
    zone = zone_of(name)
    for offset in (zone.offset + HOUR, zone.offset):
        if zone.at(shown - offset) == offset:
            return shown - offset
    return shown - zone.offset


def written(moment: dt.datetime, name: str) -> str:
    """A moment in UTC as ISO 8601 with the zone's distance.

    Example:
        >>> written(dt.datetime(2026, 1, 5, 14), "America/New_York")
        '2026-01-05T09:00:00-05:00'
    """
    offset = zone_of(name).at(moment)
    return (moment + offset).replace(tzinfo=dt.timezone(offset)).isoformat()
