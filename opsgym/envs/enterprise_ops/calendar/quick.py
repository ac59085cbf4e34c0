"""Quick add: an event from a line of text, such as ``Lunch with Ana tomorrow at 12:30 for 45 minutes``.

Understood are a day (``today``, ``tomorrow``, ``Friday`` for the next one, ``2026-05-08``, ``May 8``, ``8 May 2026``), a time
(``3pm``, ``at 15:30``) or two (``3pm-4:30pm``, ``from 9:00 to 10:00``), a length (``for 45 minutes``) and a place (``in Oslo``).
What is left is the title.  Without a time it lasts all day; without a length, an hour.
"""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass

from opsgym.core.errors import ToolError

_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTHS = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
_MONTH = "|".join(f"{name[:3]}(?:{name[3:]})?" if name[3:] else name for name in _MONTHS)
_CLOCK = r"(?:\d{1,2}:\d\d\s*(?:am|pm)?|\d{1,2}\s*(?:am|pm))"
_RANGE = re.compile(rf"\b(?:from\s+|at\s+)?({_CLOCK})\s*(?:-|\u2013|to|until)\s*({_CLOCK})", re.I)
_TIME = re.compile(rf"\b(?:at\s+)?({_CLOCK})", re.I)
_LENGTH = re.compile(r"\bfor\s+(\d{1,3}(?:\.5)?)\s*(minutes?|mins?|hours?|h)\b", re.I)
_ISO = re.compile(r"\b(?:on\s+)?(\d{4})-(\d\d)-(\d\d)\b", re.I)
_MONTH_DAY = re.compile(rf"\b(?:on\s+)?({_MONTH})\s+(\d{{1,2}})(?:st|nd|rd|th)?(?:,?\s+(\d{{4}}))?\b", re.I)
_DAY_MONTH = re.compile(rf"\b(?:on\s+)?(\d{{1,2}})(?:st|nd|rd|th)?\s+({_MONTH})(?:\s+(\d{{4}}))?\b", re.I)
_WORD = re.compile(rf"\b(?:on\s+)?(?:next\s+)?(today|tomorrow|{'|'.join(_WEEKDAYS)})\b", re.I)
_PLACE = re.compile(r"\s+in\s+([A-Z][\w' .-]*)$")


@dataclass(frozen=True)
class Quick:
    """What a line says.

    Attributes:
        summary: The title.
        day: The day.
        start: Time of day, or ``None`` for all day.
        length: How long it lasts.
        place: Where it is, or empty.
    """

    summary: str
    day: dt.date
    start: dt.time | None
    length: dt.timedelta
    place: str


def read(text: str, today: dt.date) -> Quick:
    """Read a line.

    Raises:
        ToolError: ``invalid_value``: a day or time in it does not exist, or nothing is left for a title.

    Example:
        >>> read("Lunch with Ana tomorrow at 12:30 for 45 minutes", dt.date(2026, 5, 4))
        Quick(summary='Lunch with Ana', day=datetime.date(2026, 5, 5), start=datetime.time(12, 30), length=..., place='')
    """
    rest = f" {text.strip()} "
    try:
        day, rest = _day(rest, today)
        start, length, rest = _times(rest)
    except ValueError as error:
        raise ToolError("invalid_value", f"text: a day or time in it does not exist: {error}") from None
    rest = re.sub(r"\s+", " ", rest).strip(" ,;-")
    place = _PLACE.search(f" {rest}")
    if place is not None:
        rest = rest[: len(rest) - len(place[0].lstrip())].strip()
    if not rest:
        raise ToolError("invalid_value", f"text: expected a title besides day and time, got {text[:60]!r}")
    return Quick(rest, day, start, length, place[1].strip() if place else "")


def _cut(text: str, match: re.Match[str]) -> str:
    return f"{text[: match.start()]} {text[match.end() :]}"


def _day(text: str, today: dt.date) -> tuple[dt.date, str]:
    if match := _ISO.search(text):
        return dt.date(int(match[1]), int(match[2]), int(match[3])), _cut(text, match)
    if match := _MONTH_DAY.search(text):
        return _dated(match[1], match[2], match[3], today), _cut(text, match)
    if match := _DAY_MONTH.search(text):
        return _dated(match[2], match[1], match[3], today), _cut(text, match)
    if match := _WORD.search(text):
        word = match[1].lower()
        ahead = {"today": 0, "tomorrow": 1}.get(word)
        if ahead is None:
            ahead = (_WEEKDAYS.index(word) - today.weekday() - 1) % 7 + 1
        return today + dt.timedelta(days=ahead), _cut(text, match)
    return today, text


def _dated(month: str, day: str, year: str | None, today: dt.date) -> dt.date:
    """A day of a month; without a year, the next one."""
    number = next(place for place, name in enumerate(_MONTHS, 1) if name.startswith(month.lower()))
    found = dt.date(int(year or today.year), number, int(day))
    return found if year or found >= today else found.replace(year=today.year + 1)


def _times(text: str) -> tuple[dt.time | None, dt.timedelta, str]:
    if match := _RANGE.search(text):
        start, end = _clock(match[1]), _clock(match[2])
        length = dt.datetime.combine(dt.date.min, end) - dt.datetime.combine(dt.date.min, start)
        if length <= dt.timedelta(0):
            raise ValueError(f"{match[0].strip()} ends before it starts")
        return start, length, _cut(text, match)
    length = dt.timedelta(hours=1)
    if found := _LENGTH.search(text):
        length = dt.timedelta(minutes=1 if found[2].lower().startswith("m") else 60) * float(found[1])
        text = _cut(text, found)
        if not length:
            raise ValueError("a length of nothing")
    if match := _TIME.search(text):
        return _clock(match[1]), length, _cut(text, match)
    return None, length, text


def _clock(text: str) -> dt.time:
    """A time of day."""
    half = re.search(r"(am|pm)", text, re.I)
    hour, _, minute = re.sub(r"[^\d:]", "", text).partition(":")
    number = int(hour)
    if half is not None:
        if not 1 <= number <= 12:
            raise ValueError(f"{text.strip()} is no time")
        number = number % 12 + (12 if half[1].lower() == "pm" else 0)
    return dt.time(number, int(minute or 0))
