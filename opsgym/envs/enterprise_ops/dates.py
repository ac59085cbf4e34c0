"""Dates as people write them."""

from __future__ import annotations

import datetime as dt
import random

_ONES = [
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
    "thirteenth",
    "fourteenth",
    "fifteenth",
    "sixteenth",
    "seventeenth",
    "eighteenth",
    "nineteenth",
    "twentieth",
    "twenty-first",
    "twenty-second",
    "twenty-third",
    "twenty-fourth",
    "twenty-fifth",
    "twenty-sixth",
    "twenty-seventh",
    "twenty-eighth",
    "twenty-ninth",
    "thirtieth",
    "thirty-first",
]


def dated(when: dt.date | str, draw: random.Random) -> str:
    """A date in one of several spellings, none of them ambiguous.

    Args:
        when: The date, or a time or a text of one, of which the date counts.
        draw: Source of the choice.

    Example:
        >>> dated("2026-05-04 08:00:00", random.Random(1))
        '4 May 2026'
    """
    day = dt.date.fromisoformat(when[:10]) if isinstance(when, str) else when
    options = [
        f"{day:%Y-%m-%d}",
        f"{day.day} {day:%B %Y}",
        f"{day:%B} {day.day}, {day.year}",
        f"{day:%d-%b-%Y}",
        f"the {_ONES[day.day - 1]} of {day:%B %Y}",
        f"{day:%A}, {day.day} {day:%B %Y}",
    ]
    if day.day > 12:  # else day and month could be mistaken
        options.append(f"{day:%d/%m/%Y}")
    return draw.choice(options)
