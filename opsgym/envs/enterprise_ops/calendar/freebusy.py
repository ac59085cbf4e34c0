"""Free and busy: confirmed events that take up time, clipped to a window and merged."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence

from opsgym.envs.enterprise_ops.calendar.occurrences import Occurrence

Span = tuple[dt.datetime, dt.datetime]


def merged(spans: Iterable[Span]) -> list[Span]:
    """Spans that neither overlap nor touch, in order.

    Example:
        >>> day = dt.datetime(2026, 5, 4)
        >>> nine, ten, noon = (day.replace(hour=hour) for hour in (9, 10, 12))
        >>> [(a.hour, b.hour) for a, b in merged([(ten, noon), (nine, ten)])]
        [(9, 12)]
    """
    found: list[Span] = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((start, end))
    return found


def busy(occurrences: Iterable[Occurrence], low: dt.datetime, high: dt.datetime) -> list[Span]:
    """Busy spans within a window."""
    taking = [item for item in occurrences if item.row["status"] == "confirmed" and item.row["transparency"] == "opaque"]
    clipped = [(max(item.start, low), min(item.end, high)) for item in taking]
    return merged(span for span in clipped if span[0] < span[1])


def is_free(spans: Sequence[Span], start: dt.datetime, end: dt.datetime) -> bool:
    """Whether no busy span meets a window."""
    return all(stop <= start or begin >= end for begin, stop in spans)
