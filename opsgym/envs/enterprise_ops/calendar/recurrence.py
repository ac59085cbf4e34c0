"""Recurrence: the rules of RFC 5545 that calendars use, expanded in local time.

Of ``RRULE``: ``FREQ`` of ``DAILY`` to ``YEARLY``, ``INTERVAL``, ``COUNT``, ``UNTIL``, ``BYDAY``, ``BYMONTHDAY``, ``BYMONTH`` and
``WKST``; besides it ``EXDATE`` and ``RDATE``.  A yearly rule with days of week or month needs ``BYMONTH``.  Source: RFC 5545,
sections 3.3.10 and 3.8.5.
"""

from __future__ import annotations

import calendar
import datetime as dt
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from opsgym.core.errors import ToolError
from opsgym.envs.enterprise_ops.calendar.zones import to_local, to_utc

DAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
FREQUENCIES = ("DAILY", "WEEKLY", "MONTHLY", "YEARLY")
MAX_PERIODS = 4000
"""Periods that are looked at: ten years of days."""


@dataclass(frozen=True)
class Rule:
    """One ``RRULE``.

    Attributes:
        frequency: One of :data:`FREQUENCIES`.
        interval: Every how many periods.
        count: Number of occurrences, or ``None``.
        until: Last moment, in local time, or ``None``.
        days: Days of the week, each with its number within the month or 0.
        month_days: Days of the month; negative ones from its end.
        months: Months.
        week_start: Day on which weeks start, 0 for Monday.
    """

    frequency: str
    interval: int = 1
    count: int | None = None
    until: dt.datetime | None = None
    days: tuple[tuple[int, int], ...] = ()
    month_days: tuple[int, ...] = ()
    months: tuple[int, ...] = ()
    week_start: int = 0

    def written(self, start: dt.datetime) -> str:
        """The rule in one form, without what the start says already.

        Example:
            >>> parse(["RRULE:INTERVAL=1;FREQ=WEEKLY;BYDAY=MO;COUNT=4"], "UTC").rules[0].written(dt.datetime(2026, 5, 4, 9))
            'RRULE:FREQ=WEEKLY;COUNT=4'
        """
        days = "" if self._repeats(start) else ",".join(f"{number or ''}{DAYS[weekday]}" for weekday, number in sorted(self.days))
        parts = {
            "FREQ": self.frequency,
            "INTERVAL": str(self.interval) if self.interval > 1 else "",
            "COUNT": str(self.count or ""),
            "UNTIL": f"{self.until:%Y%m%dT%H%M%S}" if self.until else "",
            "BYMONTH": ",".join(map(str, sorted(self.months))),
            "BYMONTHDAY": ",".join(map(str, sorted(self.month_days))),
            "BYDAY": days,
            "WKST": DAYS[self.week_start] if self.week_start and self.interval > 1 else "",
        }
        return "RRULE:" + ";".join(f"{name}={value}" for name, value in parts.items() if value)

    def _repeats(self, start: dt.datetime) -> bool:
        """Whether the days only say on which day of the week the start is."""
        return self.frequency == "WEEKLY" and [weekday for weekday, _ in self.days] == [start.weekday()]

    def occurrences(self, start: dt.datetime) -> Iterator[dt.datetime]:
        """Occurrences in order, from the start on."""
        given = 0
        for number in range(MAX_PERIODS):
            if self.count is not None and given >= self.count:
                return
            for day in sorted(self._period(start.date(), number * self.interval)):
                moment = dt.datetime.combine(day, start.time())
                if moment < start:
                    continue
                if (self.until is not None and moment > self.until) or (self.count is not None and given >= self.count):
                    return
                given += 1
                yield moment

    def _period(self, first: dt.date, distance: int) -> Iterator[dt.date]:
        """The days of one period."""
        try:
            if self.frequency == "DAILY":
                day = first + dt.timedelta(days=distance)
                days: Sequence[dt.date] = [day] if self._fits(day) else []
            elif self.frequency == "WEEKLY":
                days = self._week(first, distance)
            else:
                days = self._months_of(first, distance)
        except (OverflowError, ValueError):  # past the last year
            return
        yield from days

    def _fits(self, day: dt.date) -> bool:
        last = calendar.monthrange(day.year, day.month)[1]
        return (
            (not self.months or day.month in self.months)
            and (not self.month_days or day.day in self.month_days or day.day - last - 1 in self.month_days)
            and (not self.days or day.weekday() in [weekday for weekday, _ in self.days])
        )

    def _week(self, first: dt.date, distance: int) -> list[dt.date]:
        start = first - dt.timedelta(days=(first.weekday() - self.week_start) % 7) + dt.timedelta(weeks=distance)
        wanted = [weekday for weekday, _ in self.days] or [first.weekday()]
        days = [start + dt.timedelta(days=number) for number in range(7)]
        return [day for day in days if day.weekday() in wanted and (not self.months or day.month in self.months)]

    def _months_of(self, first: dt.date, distance: int) -> list[dt.date]:
        if self.frequency == "YEARLY":
            return [day for month in self.months or (first.month,) for day in self._month(first, first.year + distance, month)]
        number = first.year * 12 + first.month - 1 + distance
        month = number % 12 + 1
        return self._month(first, number // 12, month) if not self.months or month in self.months else []

    def _month(self, first: dt.date, year: int, month: int) -> list[dt.date]:
        last = calendar.monthrange(year, month)[1]
        days = [dt.date(year, month, day) for day in range(1, last + 1)]
        if self.month_days:
            days = [day for day in days if day.day in self.month_days or day.day - last - 1 in self.month_days]
        if self.days:
            return [day for day in days if self._is_named(day, last)]
        return days if self.month_days else [day for day in days if day.day == first.day]

    def _is_named(self, day: dt.date, last: int) -> bool:
        """Whether a day of the month is named, as every Monday, the first or the last one."""
        from_start, from_end = (day.day - 1) // 7 + 1, -((last - day.day) // 7 + 1)
        return any(day.weekday() == weekday and number in (0, from_start, from_end) for weekday, number in self.days)


@dataclass(frozen=True)
class Recurrence:
    """All lines of a recurrence, in the local time of one zone.

    Attributes:
        rules: Its rules.
        without: Moments that are left out.
        extra: Moments besides.
    """

    rules: tuple[Rule, ...] = ()
    without: frozenset[dt.datetime] = frozenset()
    extra: tuple[dt.datetime, ...] = field(default=())

    def between(self, start: dt.datetime, low: dt.datetime, high: dt.datetime, most: int = 2500) -> list[dt.datetime]:
        """Occurrences from ``low`` on and before ``high``, in order.

        Args:
            start: The first occurrence.
            low: The window's start.
            high: Its end.
            most: Greatest number of occurrences.
        """
        found = {moment for moment in self.extra if low <= moment < high}
        for rule in self.rules:
            for moment in rule.occurrences(start):
                if moment >= high or len(found) >= most:
                    break
                if moment >= low:
                    found.add(moment)
        return sorted(found - self.without)[:most]


def parse(lines: Sequence[str], zone: str) -> Recurrence:
    """Read the lines of a recurrence.

    Args:
        lines: Such as ``RRULE:FREQ=WEEKLY;COUNT=4``.
        zone: The zone in whose local time the event recurs.

    Raises:
        ToolError: ``invalid_value``, naming the part.
    """
    rules: list[Rule] = []
    without: list[dt.datetime] = []
    extra: list[dt.datetime] = []
    for line in lines:
        name, _, value = line.strip().partition(":")
        name, _, options = name.partition(";")
        if name.upper() == "RRULE":
            rules.append(_rule(value, zone))
        elif name.upper() in ("EXDATE", "RDATE"):
            known = re.fullmatch(r"TZID=(.+)|VALUE=DATE(?:-TIME)?|", options)
            if known is None:
                raise _bad(f"{name};{options}", "TZID= or VALUE=DATE")
            moments = [_moment(item, known[1] or zone, zone) for item in value.split(",")]
            (without if name.upper() == "EXDATE" else extra).extend(moments)
        else:
            raise _bad(line, "lines that start with RRULE:, EXDATE: or RDATE:")
    if not rules and not extra:
        raise _bad("; ".join(lines), "an RRULE or RDATE")
    return Recurrence(tuple(rules), frozenset(without), tuple(extra))


def canonical(lines: Sequence[str], start: dt.datetime, zone: str) -> list[str]:
    """The lines of a recurrence in one form, so that equal ones are kept alike.

    Args:
        lines: See :func:`parse`.
        start: The first occurrence, in local time.
        zone: Its zone.

    Raises:
        ToolError: See :func:`parse`.
    """
    known = parse(lines, zone)
    found = [rule.written(start) for rule in known.rules]
    for name, moments in (("EXDATE", sorted(known.without)), ("RDATE", sorted(known.extra))):
        if moments:
            found.append(f"{name};TZID={zone}:" + ",".join(f"{moment:%Y%m%dT%H%M%S}" for moment in moments))
    return found


def _bad(given: str, wanted: str) -> ToolError:
    return ToolError("invalid_value", f"recurrence: expected {wanted}, got {given[:60]!r}")


def _rule(text: str, zone: str) -> Rule:
    parts: dict[str, str] = {}
    for item in filter(None, text.split(";")):
        name, equal, value = item.partition("=")
        if not equal or not value or name.upper() in parts:
            raise _bad(item, "parts NAME=value, each once")
        parts[name.upper()] = value.upper()
    unknown = parts.keys() - {"FREQ", "INTERVAL", "COUNT", "UNTIL", "BYDAY", "BYMONTHDAY", "BYMONTH", "WKST"}
    if unknown:
        raise _bad(sorted(unknown)[0], "FREQ, INTERVAL, COUNT, UNTIL, BYDAY, BYMONTHDAY, BYMONTH or WKST")
    if parts.get("FREQ") not in FREQUENCIES:
        raise _bad(f"FREQ={parts.get('FREQ', '')}", f"FREQ of {', '.join(FREQUENCIES)}")
    if "COUNT" in parts and "UNTIL" in parts:
        raise _bad(text, "COUNT or UNTIL, not both")
    rule = Rule(
        parts["FREQ"],
        _number("INTERVAL", parts.get("INTERVAL", "1"), 1, 1000),
        _number("COUNT", parts["COUNT"], 1, 1000) if "COUNT" in parts else None,
        _until(parts["UNTIL"], zone) if "UNTIL" in parts else None,
        tuple(_day(item) for item in parts["BYDAY"].split(",")) if "BYDAY" in parts else (),
        _numbers("BYMONTHDAY", parts, -31, 31),
        _numbers("BYMONTH", parts, 1, 12),
        DAYS.index(parts["WKST"]) if parts.get("WKST", "MO") in DAYS and "WKST" in parts else 0,
    )
    _check(rule, parts)
    return rule


def _check(rule: Rule, parts: dict[str, str]) -> None:
    if parts.get("WKST", "MO") not in DAYS:
        raise _bad(f"WKST={parts['WKST']}", f"WKST of {', '.join(DAYS)}")
    if rule.frequency in ("DAILY", "WEEKLY") and any(number for _, number in rule.days):
        raise _bad(f"BYDAY={parts['BYDAY']}", "numbered days only in months and years")
    if rule.frequency == "WEEKLY" and rule.month_days:
        raise _bad(f"BYMONTHDAY={parts['BYMONTHDAY']}", "no BYMONTHDAY in weeks")
    if rule.frequency == "YEARLY" and (rule.days or rule.month_days) and not rule.months:
        raise _bad(f"FREQ={rule.frequency}", "BYMONTH beside BYDAY or BYMONTHDAY in years")


def _number(name: str, text: str, least: int, most: int) -> int:
    if not re.fullmatch(r"[+-]?[0-9]{1,4}", text) or not least <= int(text) <= most or int(text) == 0:
        raise _bad(f"{name}={text}", f"{name} from {least} to {most}")
    return int(text)


def _numbers(name: str, parts: dict[str, str], least: int, most: int) -> tuple[int, ...]:
    return tuple(_number(name, item, least, most) for item in parts[name].split(",")) if name in parts else ()


def _day(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"([+-]?[1-5])?(MO|TU|WE|TH|FR|SA|SU)", text)
    if match is None:
        raise _bad(f"BYDAY={text}", "days such as MO, 1MO or -1FR")
    return DAYS.index(match[2]), int(match[1] or 0)


def _moment(text: str, given_in: str, zone: str) -> dt.datetime:
    """A time of a recurrence, in local time."""
    match = re.fullmatch(r"(\d{4})-?(\d\d)-?(\d\d)(?:T(\d\d):?(\d\d):?(\d\d)(Z)?)?", text.strip().upper())
    try:
        if match is None:
            raise ValueError
        year, month, day, hour, minute, second = (int(part or 0) for part in match.groups()[:6])
        moment = dt.datetime(year, month, day, hour, minute, second)
    except ValueError:
        raise _bad(text, "times such as 20260504T090000Z") from None
    if match[7]:
        return to_local(moment, zone)
    return moment if given_in == zone else to_local(to_utc(moment, given_in), zone)


def _until(text: str, zone: str) -> dt.datetime:
    """The last moment, in local time; a date means its whole day."""
    moment = _moment(text, zone, zone)
    return moment.replace(hour=23, minute=59, second=59) if "T" not in text.upper() else moment
